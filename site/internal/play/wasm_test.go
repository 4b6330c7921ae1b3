//go:build long

package play

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// buildSite writes the engine as for a browser, with the files that Node.js needs to run it, to a folder.
func buildSite(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("NOT TESTED: node is not installed")
	}
	dir := filepath.Join(t.TempDir(), "playground")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o",
		filepath.Join(dir, "mpcvm.wasm"), "./playground/wasm")
	build.Dir, build.Env = "../..", append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := []string{
		filepath.Join(strings.TrimSpace(string(goroot)),
			"lib/wasm/wasm_exec.js"), "../../playground/worker.js", "../../playground/engine.js",
		"testdata/worker.mjs", "testdata/engine.mjs", "../../fetch.js", "testdata/sandbox.mjs",
	}
	for _, file := range files {
		to := dir
		name := filepath.Base(file)
		if name == "fetch.js" || name == "sandbox.mjs" {
			to = filepath.Dir(dir) // engine.js imports them from the folder above
			name = strings.Replace(name, ".mjs", ".js", 1)
		}
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "package.json"), []byte(`{"type":"module"}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLongWebAssembly runs every learner on every preset in WebAssembly, with engine.js and worker.js under
// Node.js, and compares labels, probabilities and terms with the native engine.
func TestLongWebAssembly(t *testing.T) {
	dir := buildSite(t)
	type question struct {
		Setup  Setup        `json:"setup"`
		Points []Point      `json:"points"`
		At     [][2]float64 `json:"at"`
	}
	var asked struct {
		Fits []question `json:"fits"`
		Many []Point    `json:"many"`
	}
	var at [][2]float64
	for i := range 49 {
		at = append(at, [2]float64{float64(i%7) - 3.1, float64(i/7) - 2.9})
	}
	for _, p := range Presets {
		for _, l := range Learners {
			limit := 60
			if l == "kernel-prior" {
				limit = 25 // L-BFGS amplifies rounding errors, on noise to 4e-8 in 60 iterations
			}
			asked.Fits = append(asked.Fits, question{Setup{Learner: l, Kernel: "rbf", Theta: 1, MaxIterations: limit},
				presetPoints(t, p), at})
		}
	}
	for _, k := range []string{"rbf", "laplacian", "rational-laplacian", "matern32", "matern52", "rational-quadratic",
		"linear", "polynomial"} {
		asked.Fits = append(asked.Fits, question{Setup{Learner: "mpcvm2", Kernel: k, Theta: 0.7, Alpha: 1,
			Offset: 1, Power: 3}, presetPoints(t, "petals"), at})
	}
	for i := range 1500 {
		asked.Many = append(asked.Many, Point{math.Sin(float64(i * i)), math.Cos(float64(3 * i)), float64(i % 3)})
	}
	text, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	questions := filepath.Join(dir, "questions.json")
	if err := os.WriteFile(questions, text, 0o600); err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "engine.mjs"), questions)
	node.Stderr = os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	type probas struct {
		P, Y   [][]*float64
		Labels []int
	}
	var got struct {
		Fits []struct {
			End          outcome
			Iterations   []int
			Weights      [][3]float64
			Last, Middle probas
			Explain      explanation
		}
		Preset points
		Code   struct{ Text string }
		Error  string
		Field  struct {
			grid
			P     []float64
			Proba []float64
		}
		First, Second, Obedient, Stubborn string
		Times                             map[string]float64
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Fits) != len(asked.Fits) {
		t.Fatalf("%d answers to %d questions", len(got.Fits), len(asked.Fits))
	}
	worst := 0.0
	for i, q := range asked.Fits {
		name := fmt.Sprintf("question %d, %s, %s", i, q.Setup.Learner, q.Setup.Kernel)
		e := &Engine{}
		steps, end := train(t, e, Request{Setup: q.Setup, Points: q.Points, KeepAll: true})
		g := got.Fits[i]
		if g.End.Status != end.Status || g.End.Iterations != end.Iterations || len(g.Iterations) != len(steps) {
			t.Errorf("%s: %s after %d iterations with %d steps, natively %s after %d with %d",
				name, g.End.Status, g.End.Iterations, len(g.Iterations), end.Status, end.Iterations, len(steps))
			continue
		}
		if n := len(steps[len(steps)-1].Weights) / 3; len(g.Weights) != n {
			t.Errorf("%s: %d weights, natively %d", name, len(g.Weights), n)
		}
		for _, when := range []struct {
			iteration int
			got       probas
		}{{0, g.Last}, {steps[len(steps)/2].Iteration, g.Middle}} {
			want := ask[answers](t, e, Request{Op: "proba", Iteration: when.iteration, At: at})
			if !reflect.DeepEqual(when.got.Labels, want.Labels) {
				t.Errorf("%s: labels %v, natively %v", name, when.got.Labels, want.Labels)
			}
			for j, row := range want.P {
				for c, p := range row {
					worst = max(worst, math.Abs(*when.got.P[j][c]-float64(p)))
				}
			}
		}
		want := ask[explanation](t, e, Request{Op: "explain", At: at[:1]})
		if len(g.Explain.Terms) != len(want.Terms) || len(want.Terms) > 0 &&
			math.Abs(float64(g.Explain.Terms[0].Contribution-want.Terms[0].Contribution)) > 1e-6 {
			t.Errorf("%s: the first of %d terms is %v, natively of %d %v", name, len(g.Explain.Terms),
				g.Explain.Terms[0], len(want.Terms), want.Terms[0])
		}
		if !(worst <= 1e-7) { // rounding differs, and hundreds of iterations amplify it
			t.Fatalf("%s: probabilities differ by %.1e", name, worst)
		}
	}
	t.Logf("probabilities differ by %.1e at most", worst)

	e := &Engine{}
	if want := ask[points](t, e, Request{Op: "preset", Name: "rings", Seed: 3}); !reflect.DeepEqual(got.Preset,
		want) {
		t.Error("the preset differs")
	}
	if want := ask[map[string]string](t, e, Request{Op: "code", Setup: asked.Fits[0].Setup,
		Points: asked.Fits[0].Points}); got.Code.Text != want["text"] {
		t.Error("the code differs")
	}
	if got.Error != `unknown learner "none"` {
		t.Errorf("the error is %q", got.Error)
	}
	if f := got.Field; f.NX != 8 || f.NY != 4 || f.Classes != 3 || len(f.P) != 96 {
		t.Errorf("a field of %+v with %d numbers", f.grid, len(f.P))
	}
	for c, p := range got.Field.Proba {
		if math.Abs(got.Field.P[c]-p) > 1e-6 {
			t.Errorf("the field's first probability of class %d is %v, of proba %v", c, got.Field.P[c], p)
		}
	}
	if got.First != "cancelled" || got.Obedient != "cancelled" || got.Stubborn != "cancelled" ||
		got.Second == "cancelled" {
		t.Errorf("%s, then %s; cancelled: %s, %s", got.First, got.Second, got.Obedient, got.Stubborn)
	}
	t.Logf("a cancel takes %.0f ms, or by force %.0f ms; %d CPUs", got.Times["obedient"], got.Times["stubborn"],
		runtime.NumCPU())
}
