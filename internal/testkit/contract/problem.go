package contract

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

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
	p      *mat.Dense // nil without probabilities
}

func (s System) output(m Classifier, x mat.Matrix) output {
	o := output{labels: m.Predict(nil, x)}
	if !s.NoProbability {
		o.p = m.Proba(nil, x)
	}
	return o
}

// same checks that two outputs agree in every bit.
func same(t *testing.T, about string, a, b output) {
	t.Helper()
	for i, l := range a.labels {
		if l != b.labels[i] {
			t.Errorf("%s: row %d has label %d, then %d", about, i, l, b.labels[i])
			return
		}
	}
	if a.p == nil {
		return
	}
	n, _ := a.p.Dims()
	for i := range n {
		for c, v := range a.p.RawRowView(i) {
			if w := b.p.At(i, c); math.Float64bits(v) != math.Float64bits(w) && !(math.IsNaN(v) && math.IsNaN(w)) {
				t.Errorf("%s: row %d has probability %v of class %d, then %v", about, i, v, c, w)
				return
			}
		}
	}
}

// close checks that probabilities differ by at most tolerance. Labels may differ if the two largest
// probabilities are that close.
func (s System) close(t *testing.T, about string, a, b output, tolerance float64) {
	t.Helper()
	for i, l := range a.labels {
		if a.p == nil {
			if l != b.labels[i] {
				t.Errorf("%s: row %d has label %d, then %d", about, i, l, b.labels[i])
			}
			continue
		}
		for c, v := range a.p.RawRowView(i) {
			if d := math.Abs(v - b.p.At(i, c)); !(d <= tolerance) {
				t.Errorf("%s: row %d has probability %v of class %d, then %v", about, i, v, c, b.p.At(i, c))
				return
			}
		}
		if k := b.labels[i]; s.Agreement == 1 && l != k && a.p.At(i, l)-a.p.At(i, k) > 2*tolerance {
			t.Errorf("%s: row %d has label %d, then %d", about, i, l, k)
		}
	}
}

// wellFormed checks labels and probabilities of n samples of c classes.
func wellFormed(t *testing.T, about string, o output, n, c int) {
	t.Helper()
	if len(o.labels) != n {
		t.Fatalf("%s: %d labels of %d samples", about, len(o.labels), n)
	}
	for i, l := range o.labels {
		if l < 0 || l >= c {
			t.Fatalf("%s: row %d has label %d of %d classes", about, i, l, c)
		}
	}
	if o.p == nil {
		return
	}
	if r, k := o.p.Dims(); r != n || k != c {
		t.Fatalf("%s: probabilities are %d×%d, want %d×%d", about, r, k, n, c)
	}
	for i := range n {
		sum := 0.0
		for _, v := range o.p.RawRowView(i) {
			if !(v >= 0 && v <= 1+1e-12) {
				t.Fatalf("%s: row %d has probabilities %v", about, i, o.p.RawRowView(i))
			}
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("%s: the probabilities of row %d sum to %v", about, i, sum)
		}
	}
}

// mustPanic checks that f panics.
func mustPanic(t *testing.T, about string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", about)
		}
	}()
	f()
}

// withColumn returns x with a constant column before the others.
func withColumn(x *mat.Dense, value float64) *mat.Dense {
	n, d := x.Dims()
	wide := mat.NewDense(n, d+1, nil)
	for i := range n {
		wide.SetRow(i, append([]float64{value}, x.RawRowView(i)...))
	}
	return wide
}

// withNoise returns x with a column of normal noise, with half the deviation of the clusters, after
// the others.
func withNoise(x *mat.Dense, seed uint64) *mat.Dense {
	random := rand.New(rand.NewPCG(seed, 0))
	n, d := x.Dims()
	wide := mat.NewDense(n, d+1, nil)
	for i := range n {
		wide.SetRow(i, append(slices.Clone(x.RawRowView(i)), 0.4*random.NormFloat64()))
	}
	return wide
}
