package contract

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
)

var bg = context.Background()

// clusters draws n samples of c classes in the plane, sample i of class i mod c. They are normal
// with the given deviation around points on a circle of radius 1.5. Neighbouring centres are
// linearly separable, as is each centre from all others.
func clusters(n, c int, deviation float64, seed uint64) (x *mat.Dense, t []int) {
	random := rand.New(rand.NewPCG(seed, 0))
	x, t = mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		t[i] = i % c
		sin, cos := math.Sincos(2 * math.Pi * (float64(t[i]) + 0.1) / float64(c))
		x.SetRow(i, []float64{1.5*cos + deviation*random.NormFloat64(), 1.5*sin + deviation*random.NormFloat64()})
	}
	return x, t
}

// usual is the problem of most laws: three classes with a small overlap.
func usual() (x *mat.Dense, t []int) { return clusters(60, 3, 0.8, 1) }

// fresh returns new samples from the same distribution.
func fresh() *mat.Dense {
	x, _ := clusters(40, 3, 0.8, 2)
	return x
}

// fit fits data for which Fit must return a classifier.
func fit(t *testing.T, s System, x mat.Matrix, labels []int) (Classifier, mpcvm.Result) {
	t.Helper()
	m, r, err := s.Fit(bg, mpcvm.Samples{X: x, T: labels})
	if err != nil {
		t.Fatalf("fit: %v", err)
	}
	if m == nil {
		t.Fatalf("fit: no classifier, %v", r.Status)
	}
	if r.Status == mpcvm.NotTerminated || r.Iterations != len(r.Trace) || math.IsNaN(r.Seconds) {
		t.Errorf("fit: status %v, %d iterations, %d in the trace", r.Status, r.Iterations, len(r.Trace))
	}
	return m, r
}

// output holds the predictions for some samples.
type output struct {
	labels []int
	p      *mat.Dense
}

func outputOf(m mpcvm.Classifier, x mat.Matrix) output {
	return output{m.Predict(nil, x), m.Proba(nil, x)}
}

// row returns the output for one sample.
func (o output) row(i int) output {
	return output{o.labels[i : i+1], mat.NewDense(1, len(o.p.RawRowView(i)), o.p.RawRowView(i))}
}

// same checks that two outputs are equal. NaN equals NaN.
func same(t *testing.T, about string, a, b output) {
	t.Helper()
	alike(t, about, a, b, 0, -1)
}

// close checks that probabilities differ by at most tolerance. Labels may differ if the two largest
// probabilities are that close.
func (s System) close(t *testing.T, about string, a, b output, tolerance float64) {
	t.Helper()
	slack := 2 * tolerance
	if s.Agreement < 1 {
		slack = 1
	}
	alike(t, about, a, b, tolerance, slack)
}

// alike checks that probabilities differ by at most tolerance. A label may be another one whose probability
// is lower by at most slack.
func alike(t *testing.T, about string, a, b output, tolerance, slack float64) {
	t.Helper()
	for i, l := range a.labels {
		for c, v := range a.p.RawRowView(i) {
			w := b.p.At(i, c)
			if !(math.Abs(v-w) <= tolerance) && !(math.IsNaN(v) && math.IsNaN(w)) {
				t.Errorf("%s: row %d has probability %v of class %d, then %v", about, i, v, c, w)
				return
			}
		}
		if k := b.labels[i]; l != k && (slack < 0 || a.p.At(i, l)-a.p.At(i, k) > slack) {
			t.Errorf("%s: row %d has label %d, then %d", about, i, l, k)
			return
		}
	}
}

// wellFormed checks labels and probabilities of n samples of c classes.
func wellFormed(t *testing.T, about string, o output, n, c int) {
	t.Helper()
	if len(o.labels) != n {
		t.Fatalf("%s: %d labels of %d samples", about, len(o.labels), n)
	}
	if r, k := o.p.Dims(); r != n || k != c {
		t.Fatalf("%s: probabilities are %d×%d, want %d×%d", about, r, k, n, c)
	}
	for i, l := range o.labels {
		if l < 0 || l >= c {
			t.Fatalf("%s: row %d has label %d of %d classes", about, i, l, c)
		}
		p := o.p.RawRowView(i)
		if !(floats.Min(p) >= 0 && floats.Max(p) <= 1+1e-12 && math.Abs(floats.Sum(p)-1) <= 1e-12) {
			t.Fatalf("%s: row %d has probabilities %v", about, i, p)
		}
	}
}

// wellFormedOrNone checks that each row is well-formed or has label −1 and all probabilities NaN.
func wellFormedOrNone(t *testing.T, about string, o output, x *mat.Dense, c int) {
	t.Helper()
	for i, l := range o.labels {
		features := x.RawRowView(i)
		about := fmt.Sprintf("%s, %v", about, features[:min(3, len(features))])
		if l != -1 {
			wellFormed(t, about, o.row(i), 1, c)
		} else if p := o.p.RawRowView(i); slices.ContainsFunc(p, func(v float64) bool { return !math.IsNaN(v) }) {
			t.Errorf("%s: label −1 and probabilities %v", about, p)
		}
	}
}

// withColumn returns x with another column before the others.
func withColumn(x *mat.Dense, value func() float64) *mat.Dense {
	n, d := x.Dims()
	wide := mat.NewDense(n, d+1, nil)
	for i := range n {
		wide.SetRow(i, append([]float64{value()}, x.RawRowView(i)...))
	}
	return wide
}
