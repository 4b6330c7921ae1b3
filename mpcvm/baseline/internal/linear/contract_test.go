package linear_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/dlsr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/internal/linear"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
)

type learner interface {
	Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*linear.Model, mpcvm.Result, error)
}

// learners returns both linear systems, with at most limit iterations (0 means the default).
func learners(limit int) map[string]learner {
	return map[string]learner{"mlr": mlr.MLR{MaxIterations: limit}, "dlsr": dlsr.DLSR{MaxIterations: limit}}
}

var bg = context.Background()

// problem returns a small random problem: blobs, noise, separable classes, repeated samples, a constant
// feature, more features than samples, or classes with one sample.
func problem(rng *rand.Rand) (x *mat.Dense, t []int, about string) {
	c, d := 2+rng.IntN(6), 1+rng.IntN(8)
	n := max(2+rng.IntN(50), c)
	spread := []float64{0, 1, 6}[rng.IntN(3)]
	kind := rng.IntN(4)
	x, t = mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		t[i] = i % c
		if i >= c && rng.IntN(3) == 0 {
			t[i] = 0
		}
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+spread*float64((t[i]*(j+3))%c))
		}
		switch {
		case kind == 0 && i%2 == 1: // repeated, some with a different label
			x.SetRow(i, x.RawRowView(i-1))
		case kind == 1:
			x.Set(i, 0, 7)
		case kind == 2:
			x.SetRow(i, make([]float64, d))
		}
	}
	return x, t, fmt.Sprintf("N %d, C %d, D %d, kind %d, spread %g", n, c, d, kind, spread)
}

// trials is the number of random problems.
var trials = flag.Int("trials", 80, "random problems")

func TestLawsOnRandomProblems(t *testing.T) {
	watch.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(5, 5))
	for range *trials {
		x, labels, about := problem(rng)
		for name, l := range learners(0) {
			m, r := laws.Fit(t, l, x, labels)
			check(t, name+" "+about, m, r, x, labels)
		}
	}
}

// check checks the laws that apply to every model and result.
func check(t *testing.T, about string, m *linear.Model, r mpcvm.Result, x *mat.Dense, labels []int) {
	t.Helper()
	p, y, predicted := m.Proba(nil, x), m.Scores(nil, x), m.Predict(nil, x)
	sum := 0.0 // log likelihood at temperature one
	for i, label := range predicted {
		row, scores := p.RawRowView(i), y.RawRowView(i)
		if math.Abs(floats.Sum(row)-1) > 1e-12 || floats.HasNaN(row) || floats.Min(row) < 0 {
			t.Fatalf("%s: row %d has probabilities %v", about, i, row)
		}
		if label != floats.MaxIdx(scores) || row[label] < floats.Max(row) {
			t.Fatalf("%s: row %d: label %d, scores %v, probabilities %v", about, i, label, scores, row)
		}
		for c := range row {
			for k := range row {
				if scores[c] < scores[k] && row[c] > row[k] {
					t.Fatalf("%s: row %d: scores %v and probabilities %v have different orders", about, i, scores, row)
				}
			}
		}
		sum += scores[labels[i]] - floats.LogSumExp(scores)
	}
	if math.Abs(sum-r.LogLik) > 1e-8*max(1, math.Abs(sum)) {
		t.Errorf("%s: log likelihood %v, traced %v", about, sum, r.LogLik)
	}
	if r.Status == mpcvm.NotTerminated || r.Iterations != len(r.Trace) || r.Iterations == 0 {
		t.Fatalf("%s: %v, %d iterations, %d in trace", about, r.Status, r.Iterations, len(r.Trace))
	}
	for i, s := range r.Trace {
		if math.IsNaN(s.Objective) || math.IsNaN(s.LogLik) || math.IsNaN(s.Change) || s.Iteration != i+1 {
			t.Fatalf("%s: %+v", about, s)
		}
		if i > 0 && s.Objective < r.Trace[i-1].Objective-1e-10*math.Abs(s.Objective) {
			t.Errorf("%s: objective fell from %v to %v", about, r.Trace[i-1].Objective, s.Objective)
		}
	}
	vectors, weights := m.VectorCount(), m.WeightCount()
	if last := r.Trace[len(r.Trace)-1]; vectors != 0 || weights != last.NonZero() {
		t.Errorf("%s: size %d, %d; traced %d", about, vectors, weights, last.NonZero())
	}
}

func TestMistakes(t *testing.T) {
	set := data.Blobs(30, 3, 2, 2, 1)
	for about, l := range map[string]learner{
		"mlr.Lambda": mlr.MLR{Lambda: -1}, "mlr.Tol": mlr.MLR{Tol: math.NaN()}, "mlr.MaxIterations": mlr.MLR{
			MaxIterations: -1},
		"dlsr.Lambda": dlsr.DLSR{Lambda: math.NaN()}, "dlsr.Tol": dlsr.DLSR{
			Tol: math.NaN()}, "dlsr.MaxIterations": dlsr.DLSR{MaxIterations: -1},
	} {
		must.Panic(t, about, func() { _, _, _ = l.Fit(bg, mpcvm.Samples{X: set.X, T: set.T}) })
	}
	must.Panic(t, "biases", func() { linear.New(mat.NewDense(2, 1, nil), make([]float64, 3), 1) })
	must.Panic(t, "temperature", func() { linear.New(mat.NewDense(2, 1, nil), make([]float64, 2), 0) })
}

func TestModel(t *testing.T) {
	m := linear.New(mat.NewDense(3, 2, []float64{1, 0, 0, 1, -1, -1}), []float64{0, 0, 0.5}, 2)
	inf, nan := math.Inf(1), math.NaN()
	x := mat.NewDense(6, 2, []float64{2, 1, -1, -1, 0, 0, nan, 0, inf, 0, 1e308, 1e308})
	if got := m.Predict(make([]int, 6), x); !slices.Equal(got, []int{0, 2, 2, -1, -1, -1}) {
		t.Errorf("labels %v", got)
	}
	var y, p mat.Dense // empty matrices are allocated
	m.Scores(&y, x)
	m.Proba(&p, x)
	if !slices.Equal(y.RawRowView(0), []float64{2, 1, -2.5}) {
		t.Errorf("scores %v", y.RawRowView(0))
	}
	z := math.Exp(1) + math.Exp(0.5) + math.Exp(-1.25)
	if want := []float64{math.Exp(1) / z, math.Exp(0.5) / z, math.Exp(-1.25) / z}; !floats.EqualApprox(
		p.RawRowView(0), want, 1e-15) {
		t.Errorf("probabilities %v, want %v", p.RawRowView(0), want)
	}
	for i := 3; i < 6; i++ {
		for c := range 3 {
			if !math.IsNaN(y.At(i, c)) || !math.IsNaN(p.At(i, c)) {
				t.Errorf("row %d: scores %v, probabilities %v", i, y.RawRowView(i), p.RawRowView(i))
			}
		}
	}
	if weights := m.WeightCount(); weights != 4 || m.Classes() != 3 || m.Features() != 2 ||
		m.Temperature() != 2 {
		t.Errorf("%d weights, %d classes, %d features", weights, m.Classes(), m.Features())
	}
	w, b := m.Coefficients()
	w.Set(0, 0, 9)
	b[0] = 9
	if w, b := m.Coefficients(); w.At(0, 0) != 1 || b[0] != 0 {
		t.Error("the coefficients are not copies")
	}
}
