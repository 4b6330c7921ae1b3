package play

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// TestFresh checks that every model is at chance level on new points of noise, whatever its training error,
// and near the Bayes error on overlap.
func TestFresh(t *testing.T) {
	for _, c := range []struct {
		preset, learner string
		low, high       float64 // share of errors
	}{{"noise", "kernel-prior", 0.6, 0.73}, {"noise", "mpcvm2", 0.6, 0.73}, {"overlap", "mpcvm2", 0.09, 0.14},
		{"overclass", "svm", 0, 0.6}} {
		e, list := &Engine{}, presetPoints(t, c.preset)
		steps, _ := train(t, e, Request{Setup: Setup{Learner: c.learner, Kernel: "rbf", Theta: 20, Scale: 1e4,
			MaxIterations: 40}, Points: list})
		v := ask[verdict](t, e, Request{Op: "fresh", Name: c.preset})
		if got := float64(v.Errors) / float64(v.Points); v.Points < freshPoints ||
			!(got >= c.low && got <= c.high) || !(v.LogLoss > 0) {
			t.Errorf("%s on %s: %d errors on %d new points, log loss %v; %d on its own", c.learner, c.preset, v.Errors,
				v.Points, v.LogLoss, steps[0].Errors)
		}
		if again := ask[verdict](t, e, Request{Op: "fresh", Name: c.preset}); again != v {
			t.Errorf("%s: %v, then %v", c.preset, v, again)
		}
	}
	e := &Engine{}
	train(t, e, Request{Setup: Setup{Learner: "svm", Kernel: "rbf", Theta: 1},
		Points: presetPoints(t, "petals")})
	if err := e.Do(t.Context(), Request{Op: "fresh", Name: "petals"}, nil); err == nil {
		t.Error("there are new points for petals")
	}
}

// TestApart checks the error of a model of four fifths of the points on the others, which is at chance level
// on noise. Classes keep their numbers if one has no points.
func TestApart(t *testing.T) {
	setup := Setup{Learner: "mpcvm2", Kernel: "rbf", Theta: 1}
	for name, most := range map[string]float64{"petals": 0.15, "noise": 0.9} {
		list := presetPoints(t, name)
		for i := range list {
			list[i][2] = 2*list[i][2] + 1
		}
		v := ask[verdict](t, &Engine{}, Request{Op: "apart", Setup: setup, Points: list})
		if got := float64(v.Errors) / float64(v.Points); v.Points != len(list)/5 || got > most || name == "noise" &&
			got < 0.4 || v.Status == "" || !(v.LogLoss > 0) {
			t.Errorf("%s: %+v", name, v)
		}
	}
	few := []Point{{0, 0, 0}, {1, 1, 1}, {0, 1, 0}, {1, 0, 1}}
	if v := ask[verdict](t, &Engine{}, Request{Op: "apart", Setup: setup, Points: few}); v.Points != 0 {
		t.Errorf("four points: %+v", v)
	}
	if err := (&Engine{}).Do(t.Context(), Request{Op: "apart", Setup: setup}, nil); err == nil {
		t.Error("no points")
	}
	e := &Engine{}
	e.Pause = func() { e.stop("", nil) }
	if v := ask[verdict](t, e, Request{Op: "apart", Setup: setup,
		Points: presetPoints(t, "moons")}); v.Points != 0 || v.Status != "cancelled" {
		t.Errorf("cancelled: %+v", v)
	}
}

// TestEvaluate compares the log loss with its direct computation, also in several parts.
func TestEvaluate(t *testing.T) {
	e, list := &Engine{}, presetPoints(t, "moons")
	train(t, e, Request{Setup: Setup{Learner: "mpcvm1", Kernel: "rbf", Theta: 1, MaxIterations: 30},
		Points: list})
	var many []Point
	for range 4 {
		many = append(many, list...)
	}
	s := must.Get(e.fits[""].at(0))(t)
	pauses := 0
	v := s.evaluate(many, func() { pauses++ })
	loss, errors := 0.0, 0
	for _, p := range many {
		a := ask[answers](t, e, Request{Op: "proba", At: [][2]float64{{p[0], p[1]}}})
		loss -= math.Log(float64(a.P[0][int(p[2])])) / float64(len(many))
		if a.Labels[0] != int(p[2]) {
			errors++
		}
	}
	if v.Errors != errors || math.Abs(float64(v.LogLoss)-loss) > 1e-12 || pauses != 3 {
		t.Errorf("%+v, want %d errors and the log loss %v; %d pauses", v, errors, loss, pauses)
	}
}
