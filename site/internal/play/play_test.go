package play

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// ask returns the only answer to a request.
func ask[T any](t *testing.T, e *Engine, q Request) (v T) {
	t.Helper()
	n := 0
	if err := e.Do(t.Context(), q, func(r Reply) { n++; v = r.Value.(T) }); err != nil {
		t.Fatalf("%s: %v", q.Op, err)
	}
	if n != 1 {
		t.Fatalf("%s: %d answers", q.Op, n)
	}
	return v
}

// train returns the steps of a fit and its outcome.
func train(t *testing.T, e *Engine, q Request) (steps []Step, end outcome) {
	t.Helper()
	q.Op = "fit"
	if err := e.Do(t.Context(), q, func(r Reply) {
		if end.Done {
			t.Error("an answer after the last one")
		}
		end = r.Value.(outcome)
		steps = append(steps, end.Steps...)
		weights := 0
		for _, s := range end.Steps {
			weights += len(s.Weights)
		}
		if weights != len(r.Weights) {
			t.Errorf("%d numbers of weights, %d in the steps", len(r.Weights), weights)
		}
	}); err != nil {
		t.Fatalf("%+v: %v", q.Setup, err)
	}
	if !end.Done || len(steps) == 0 {
		t.Fatalf("%+v: %d steps, done: %v", q.Setup, len(steps), end.Done)
	}
	return steps, end
}

func presetPoints(t *testing.T, name string) []Point {
	t.Helper()
	return ask[points](t, &Engine{}, Request{Op: "preset", Name: name}).Points
}

// TestPresets checks that points have three decimals, are near the origin, and depend on the seed.
func TestPresets(t *testing.T) {
	for _, name := range Presets {
		list := presetPoints(t, name)
		classes := map[float64]int{}
		for _, p := range list {
			classes[p[2]]++
			if math.Abs(p[0]) > 5 || math.Abs(p[1]) > 5 || p[0] != math.Round(p[0]*1000)/1000 {
				t.Errorf("%s: %v", name, p)
			}
		}
		if len(list) < 100 || len(list) > 200 || len(classes) < 2 || len(classes) > 8 {
			t.Errorf("%s: %d points, classes %v", name, len(list), classes)
		}
		other := ask[points](t, &Engine{}, Request{Op: "preset", Name: name, Seed: 7}).Points
		if same := reflect.DeepEqual(list, other); same {
			t.Errorf("%s: the same points with another seed: %v", name, same)
		}
	}
}

// TestFits trains every learner on every preset, checks every kind of answer, and checks that a second fit
// gives the same bits.
func TestFits(t *testing.T) {
	for _, name := range Presets {
		list := presetPoints(t, name)
		for _, learner := range Learners {
			t.Run(name+"/"+learner, func(t *testing.T) {
				q := Request{Setup: Setup{Learner: learner, Kernel: "rbf", Theta: 1, MaxIterations: 80}, Points: list,
					KeepAll: true, Slot: "b"}
				e := &Engine{}
				steps, end := train(t, e, q)
				if end.Theta != 1 {
					t.Errorf("the width is %v", end.Theta)
				}
				for i, s := range steps {
					if learner != "svm" && s.Iteration != i+1 {
						t.Fatalf("step %d is of iteration %d", i, s.Iteration)
					}
					if i%5 > 0 && i+1 < len(steps) {
						continue
					}
					at := list[len(list)/3]
					look := func(op string) Request {
						return Request{Op: op, Slot: "b", Iteration: s.Iteration, At: [][2]float64{{at[0], at[1]}, {0.4, -2}}}
					}
					a, x := ask[answers](t, e, look("proba")), ask[explanation](t, e, look("explain"))
					for j := range a.P {
						sum := 0.0
						for _, p := range a.P[j] {
							sum += float64(p)
						}
						if !(math.Abs(sum-1) < 1e-12) {
							t.Fatalf("step %d: probabilities %v", i, a.P[j])
						}
					}
					y := slices.Clone(x.Bias)
					for k, term := range x.Terms {
						y[term.Class] += float64(term.Contribution)
						if k > 0 && math.Abs(float64(term.Contribution)) > math.Abs(float64(x.Terms[k-1].Contribution)) {
							t.Fatalf("step %d: the terms are not sorted", i)
						}
					}
					weights := 0
					for _, n := range s.Counts {
						weights += n
					}
					if weights != len(x.Terms) || 3*weights != len(s.Weights) {
						t.Fatalf("step %d: %d weights, %d terms, %d numbers", i, weights, len(x.Terms), len(s.Weights))
					}
					for c := range y {
						if weights > 0 && !(math.Abs(y[c]-float64(x.Y[c])) < 1e-8*max(1, math.Abs(y[c]))) {
							t.Fatalf("step %d: the terms of class %d add up to %v, its potential is %v", i, c, y[c], x.Y[c])
						}
					}
				}
				last := steps[len(steps)-1]
				if last.Errors > len(list)/2 && name != "noise" && learner != "mpcvm2-published" {
					t.Errorf("%d errors", last.Errors)
				}
				again, _ := train(t, &Engine{}, q)
				if !sameBits(steps, again) {
					t.Error("the second fit differs")
				}
				q.KeepAll = false
				end2, _ := train(t, e, q)
				if len(end2) != 1 || !sameBits(end2[0].Weights, last.Weights) {
					t.Errorf("%d steps if only the last is kept, or other weights", len(end2))
				}
				var text map[string]string
				err := e.Do(t.Context(), Request{Op: "model", Slot: "b"},
					func(r Reply) { text = r.Value.(map[string]string) })
				if format := learner != "svm" && learner != "mrvm2"; format != (err == nil) || format &&
					!json.Valid([]byte(text["text"])) {
					t.Errorf("the file of the model: %v", err)
				}
			})
		}
	}
}

func sameBits(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// TestFactors checks that each step of mPCVM₂ adds only basis functions that the previous factors allow.
func TestFactors(t *testing.T) {
	for _, learner := range []string{"mpcvm2", "mpcvm2-published"} {
		e, list := &Engine{}, presetPoints(t, "moons")
		steps, _ := train(t, e, Request{Setup: Setup{Learner: learner, Kernel: "rbf", Theta: 1, MaxIterations: 30},
			Points: list, KeepAll: true})
		added := 0
		for i, s := range steps[1:] {
			f := ask[look](t, e, Request{Op: "look", Iteration: steps[i].Iteration})
			if !steps[i].Factors || len(f.S) != 2 || len(f.S[0]) != len(list) {
				t.Fatal("no factors")
			}
			for _, a := range s.Added {
				n, c := a[0], a[1]
				if q, s := f.Q[c][n], f.S[c][n]; !(q*q > s) || !math.IsInf(float64(f.Alpha[c][n]), 1) {
					t.Errorf("%s: %v was added with s = %v, q = %v, alpha = %v", learner, a, s, q, f.Alpha[c][n])
				}
				added++
			}
		}
		if added == 0 {
			t.Error("nothing was added")
		}
	}
	if err := (&Engine{}).Do(t.Context(), Request{Op: "look"}, nil); err == nil {
		t.Error("factors without a model")
	}
}

// TestClasses checks that classes without points have probability 0 and the others keep their numbers.
func TestClasses(t *testing.T) {
	var list []Point
	for i, p := range presetPoints(t, "overlap") {
		list = append(list, p)
		list[i][2] = []float64{1, 4, 6}[int(p[2])]
	}
	for _, learner := range Learners {
		e := &Engine{}
		steps, _ := train(t, e, Request{Setup: Setup{Learner: learner, Kernel: "rbf", Theta: 1, MaxIterations: 20},
			Points: list})
		x := ask[explanation](t, e, Request{Op: "explain", At: [][2]float64{{1.5, -1.2}}})
		if x.Label != 1 || len(x.P) != 7 || x.P[0] != 0 || x.P[5] != 0 || !(x.P[1] > 0.5) ||
			!math.IsInf(float64(x.Y[0]), -1) {
			t.Errorf("%s: label %d, probabilities %v, potentials %v", learner, x.Label, x.P, x.Y)
		}
		for c, n := range steps[0].Counts {
			if here := slices.Contains([]int{1, 4, 6}, c); !here && n > 0 {
				t.Errorf("%s: %d weights of class %d", learner, n, c)
			}
		}
		err := e.Do(t.Context(), Request{Op: "field", Box: [4]float64{-1, -1, 1, 1}, NX: 3, NY: 2}, func(r Reply) {
			if r.Value != (grid{3, 2, 7}) || len(r.Field) != 42 || r.Field[7] != 0 {
				t.Errorf("%s: field %v, %v", learner, r.Value, r.Field)
			}
		})
		if err != nil {
			t.Errorf("%s: %v", learner, err)
		}
	}
}

// TestCancel checks that cancelled and replaced fits end without affecting other models.
func TestCancel(t *testing.T) {
	e := &Engine{}
	list := presetPoints(t, "overlap")
	endless := Setup{Learner: "mpcvm1", Kernel: "rbf", Theta: 1, MaxIterations: 1000000, U1: 1e-9}
	for _, how := range []Request{{Op: "cancel"}, {Op: "fit", Setup: Setup{Learner: "svm", Kernel: "rbf"},
		Points: list}} {
		var outcomes []string
		asked := false
		e.Pause = func() {
			if !asked {
				asked = true
				if err := e.Do(t.Context(), how, func(Reply) {}); err != nil {
					t.Error(err)
				}
			}
		}
		if err := e.Do(t.Context(), Request{Op: "fit", Setup: endless, Points: list, KeepAll: true}, func(r Reply) {
			if o := r.Value.(outcome); o.Done {
				outcomes = append(outcomes, o.Status)
			}
		}); err != nil || !slices.Equal(outcomes, []string{"cancelled"}) {
			t.Errorf("%s: %v, %v", how.Op, outcomes, err)
		}
	}
	if theta := ask[answers](t, e, Request{Op: "proba", At: [][2]float64{{0, 0}}}); len(theta.P) != 1 {
		t.Error("the second fit left no model")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Do(ctx, Request{Op: "fit", Setup: endless, Points: list}, func(r Reply) {
		if s := r.Value.(outcome).Status; s != "cancelled" {
			t.Error(s)
		}
	}); err != nil {
		t.Error(err)
	}
}

// TestWithin checks that a fit with a short time limit returns a model. Each iteration takes 10 ms by the
// clock of synctest.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Engine{Pause: func() { time.Sleep(10 * time.Millisecond) }}
		_, end := train(t, e, Request{Setup: Setup{Learner: "mpcvm1", Kernel: "rbf", Theta: 1},
			Points: presetPoints(t, "overlap"), Within: 25})
		if end.Status != "stopped by observer" || end.Iterations != 4 || !strings.Contains(end.Partial,
			"iteration 4") {
			t.Errorf("%s after %d iterations: %s", end.Status, end.Iterations, end.Partial)
		}
		ask[answers](t, e, Request{Op: "proba", At: [][2]float64{{0, 0}}})
	})
}

// TestErrors checks that invalid requests return errors with a message.
func TestErrors(t *testing.T) {
	good := Setup{Learner: "mpcvm2", Kernel: "rbf", Theta: 1}
	two := []Point{{0, 0, 0}, {1, 1, 1}}
	with := func(change func(*Setup)) Setup { s := good; change(&s); return s }
	for want, q := range map[string]Request{
		"two classes":     {Op: "fit", Setup: good, Points: []Point{{0, 0, 3}, {1, 0, 3}}},
		"class 9":         {Op: "fit", Setup: good, Points: []Point{{0, 0, 9}}},
		"2001 points":     {Op: "fit", Setup: good, Points: make([]Point, 2001)},
		"unknown learner": {Op: "fit", Setup: with(func(s *Setup) { s.Learner = "x" }), Points: two},
		"not one of rbf":  {Op: "code", Setup: with(func(s *Setup) { s.Kernel = "x" }), Points: two},
		"power is -1":     {Op: "fit", Setup: with(func(s *Setup) { s.Power = -1 }), Points: two},
		"Theta":           {Op: "fit", Setup: with(func(s *Setup) { s.Theta = -1 }), Points: two},
		"unknown preset":  {Op: "preset", Name: "x"},
		"no model yet":    {Op: "proba", At: [][2]float64{{0, 0}}},
		"row 1, column 1": {Op: "fit", Setup: good, Points: []Point{{math.NaN(), 0, 0}, {1, 0, 1}}},
	} {
		if err := (&Engine{}).Do(t.Context(), q, func(Reply) { t.Errorf("%s: an answer", want) }); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestCode builds the cells of several setups as programs and compares one model with the engine's.
func TestCode(t *testing.T) {
	list := presetPoints(t, "xor")
	for i, s := range []Setup{
		{Learner: "mpcvm2", Kernel: "rational-quadratic", Theta: 0.7, Alpha: 1.5, Power: 3, Additions: 1,
			Bias: true},
		{Learner: "mpcvm1-published", Kernel: "polynomial", Degree: 3, Offset: 1, Seed: 4, U1: 1e-4,
			MaxIterations: 30},
		{Learner: "kernel-prior", Kernel: "laplacian", Theta: 0.5, Keep: 1, Scale: 10},
		{Learner: "mrvm2", Kernel: "matern32", Theta: 1},
		{Learner: "svm", Kernel: "linear", C: 2},
	} {
		text := ask[map[string]string](t, &Engine{}, Request{Op: "code", Setup: s, Points: list})["text"]
		declarations, cell, ok := strings.Cut(text, "%%\n")
		if !ok {
			t.Fatal(text)
		}
		program := "package main\n" + declarations + "func main() {\n" + cell
		if i == 0 { // print the probabilities instead of drawing
			cell = strings.ReplaceAll(strings.ReplaceAll(cell, "nb.Init()\n", ""), ".Display()", "")
			program = "package main\n" + declarations + "func main() {\n" + strings.Replace(cell, "nb.Regions",
				"_ = nb.Regions", 1) +
				"fmt.Println(model.Proba(nil, set.X).RawMatrix().Data)\n"
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "main.go")
		must.OK(t, os.WriteFile(file, []byte(program+"}\n"), 0o600))
		if i > 0 {
			if out, err := exec.CommandContext(t.Context(), "go", "vet", file).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s\nof\n%s", err, out, text)
			}
			continue
		}
		binary := filepath.Join(dir, "cell.exe")
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary,
			file).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\nof\n%s", err, out, text)
		}
		out := must.Get(exec.CommandContext(t.Context(), binary).Output())(t)
		e := &Engine{}
		steps, end := train(t, e, Request{Setup: s, Points: list})
		q := Request{Op: "proba"}
		for _, p := range list {
			q.At = append(q.At, [2]float64{p[0], p[1]})
		}
		var p []number
		for _, row := range ask[answers](t, e, q).P {
			p = append(p, row...)
		}
		if want := fmt.Sprintf("%s after %d iterations, %d points wrong\n%v\n", end.Status, end.Iterations,
			steps[0].Errors, p); string(out) != want {
			t.Errorf("the cell makes %.200s..., the engine %.200s...", out, want)
		}
	}
}
