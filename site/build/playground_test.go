package main

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/site/internal/play"
)

// question is a model with the points at which its probabilities are computed.
type question struct {
	Setup  play.Setup   `json:"setup"`
	Points []play.Point `json:"points"`
	At     [][2]float64 `json:"at"`
}

// answer is the result of a question.
type answer struct {
	Status     string      `json:"status"`
	Iterations int         `json:"iterations"`
	P          [][]float64 `json:"p"`
	Labels     []int       `json:"labels"`
	// Terms explain the prediction at the first point.
	Terms []struct{ Contribution float64 } `json:"terms"`
}

// TestPlayground runs playground.mjs in Chromium, and compares each learner on each preset, and mPCVM₂ with
// each kernel, with the native library. If MPCVM_FIREFOX is set, it also runs in Firefox. Pictures are saved
// to LOOK_OUT.
func TestPlayground(t *testing.T) {
	var all struct {
		Fits []question `json:"fits"`
	}
	var want []answer
	for _, preset := range play.Presets {
		for _, learner := range play.Learners {
			q, a := ask(t, preset, play.Setup{Learner: learner, Kernel: "rbf", Theta: 1, MaxIterations: 60})
			all.Fits, want = append(all.Fits, q), append(want, a)
		}
	}
	for _, d := range kernel.Descriptions() {
		if !slices.Contains(d.Parameters, "thetas") {
			q, a := ask(t, "petals", play.Setup{Learner: "mpcvm2", Kernel: d.Name, Theta: 0.7, Alpha: 1, Offset: 1,
				Power: 3})
			all.Fits, want = append(all.Fits, q), append(want, a)
		}
	}
	text := must.Get(json.Marshal(all))(t)
	questions := filepath.Join(t.TempDir(), "questions.json")
	must.OK(t, os.WriteFile(questions, text, 0o600))
	server := httptest.NewServer(http.FileServer(http.Dir(built)))
	defer server.Close()
	for browser := range programs {
		t.Run(browser, func(t *testing.T) {
			if browser == "firefox" && os.Getenv("MPCVM_FIREFOX") == "" {
				t.Skip("set MPCVM_FIREFOX to test in Firefox as well")
			}
			use(t, want, script(t, "playground.mjs", browser, server.URL, questions, os.Getenv("LOOK_OUT")))
		})
	}
}

// programs are the names that the programs of browsers may have.
var programs = map[string][]string{"chrome": {"chromium", "google-chrome", "chromium-browser"},
	"firefox": {"firefox-esr", "firefox"}}

// installed returns the path of a browser. Without it, the test is skipped.
func installed(t *testing.T, browser string) string {
	t.Helper()
	for _, name := range programs[browser] {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	notTested(t, browser+" is not installed")
	return ""
}

// script returns a command for a script of site/build that uses a browser.
func script(t *testing.T, name, browser string, arguments ...string) *exec.Cmd {
	t.Helper()
	if _, err := os.Stat("site/build/node_modules"); err != nil {
		notTested(t, "run npm ci --prefix site/build")
	}
	command := exec.CommandContext(t.Context(), "node", append([]string{"site/build/" + name, browser,
		//nolint:gosec // the browser of this machine
		installed(t, browser)}, arguments...)...)
	command.Stderr = os.Stderr
	return command
}

// notTested skips a test, or fails it in CI.
func notTested(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip("NOT TESTED: ", why)
}

// ask makes a question about a learner on the points of a preset, with the native answer.
func ask(t *testing.T, preset string, setup play.Setup) (question, answer) {
	t.Helper()
	e := &play.Engine{}
	request := func(r play.Request, to any) {
		err := e.Do(t.Context(), r, func(reply play.Reply) {
			text, err := json.Marshal(reply.Value)
			if err == nil {
				err = json.Unmarshal(text, to)
			}
			must.OK(t, err)
		})
		must.OK(t, err)
	}
	var p struct {
		Points []play.Point `json:"points"`
	}
	request(play.Request{Op: "preset", Name: preset}, &p)
	q := question{Setup: setup, Points: p.Points}
	if setup.Learner == "kernel-prior" {
		q.Setup.MaxIterations = 25 // L-BFGS amplifies rounding errors, also between processors
	}
	for i := range 49 {
		q.At = append(q.At, [2]float64{float64(i%7) - 3.1, float64(i/7) - 2.9})
	}
	var a answer
	request(play.Request{Op: "fit", Setup: q.Setup, Points: q.Points}, &a)
	request(play.Request{Op: "proba", At: q.At}, &a)
	request(play.Request{Op: "explain", At: q.At[:1]}, &struct{ Terms any }{&a.Terms})
	return q, a
}

// use runs playground.mjs and checks its results.
func use(t *testing.T, want []answer, node *exec.Cmd) {
	t.Helper()
	out := must.Get(node.Output())(t)
	var seen struct {
		Browser string
		Answers []answer
		Times   map[string]float64
		Frames  map[string]map[string]float64
		Lessons []string
		Faults  []string
		Means   []float64 // of the hidden variables for potentials 0, 1.5, −0.5 and the first label
	}
	must.OK(t, json.Unmarshal(out, &seen))
	for _, f := range seen.Faults {
		t.Error(f)
	}
	if len(seen.Answers) != len(want) || len(seen.Lessons) != 34 || seen.Times["cancel"] < 0 {
		t.Fatalf("%d answers to %d questions, %d steps of lessons, cancelled after %g ms", len(seen.Answers),
			len(want), len(seen.Lessons), seen.Times["cancel"])
	}
	if means, _ := probit.Means(nil, []float64{0, 1.5, -0.5}, 0); len(seen.Means) != 3 ||
		!floats.EqualApprox(seen.Means, means, 2e-3) {
		t.Errorf("means of the hidden variables %v, natively %v", seen.Means, means)
	}
	worst := 0.0
	for i, a := range seen.Answers {
		if a.Status != want[i].Status || a.Iterations != want[i].Iterations || !reflect.DeepEqual(a.Labels,
			want[i].Labels) {
			t.Errorf("question %d: %s after %d iterations, natively %s after %d; labels %v, natively %v", i, a.Status,
				a.Iterations, want[i].Status, want[i].Iterations, a.Labels, want[i].Labels)
		}
		for n, row := range a.P {
			for c, p := range row {
				worst = max(worst, math.Abs(p-want[i].P[n][c]))
			}
		}
		if n := len(want[i].Terms); len(a.Terms) != n || n > 0 &&
			!(math.Abs(a.Terms[0].Contribution-want[i].Terms[0].Contribution) <= 1e-6) {
			t.Errorf("question %d: the first of %d terms is %v, natively of %d %v", i, len(a.Terms), a.Terms[:min(n,
				1)], n,
				want[i].Terms[:min(n, 1)])
		}
	}
	if !(worst <= 1e-9) {
		t.Errorf("probabilities differ by %.1e from the native library", worst)
	}
	t.Logf("%s: probabilities differ by %.1e at most; first model after %.0f ms, cancel %.0f ms; frames "+
		"while dragging %v",
		seen.Browser, worst, seen.Times["firstModel"], seen.Times["cancel"], seen.Frames)
}
