// Package laws provides fits and the laws that every model and every fit obeys, for
// the tests of the learners.
package laws

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Learner is a learner of any model and result, such as mpcvm.BottomUp and gp.ARD.
type Learner[M, R any] interface {
	Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (M, R, error)
}

// Fit fits a learner, and ends the test if that fails.
func Fit[M, R any](t testing.TB, l Learner[M, R], x mat.Matrix, labels []int,
	observers ...mpcvm.Observer) (M, R) {
	t.Helper()
	m, r, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: labels}, observers...)
	if err != nil {
		t.Fatalf("%T: %v", l, err)
	}
	return m, r
}

// CheckModel checks the laws that every model obeys.
func CheckModel(t testing.TB, about string, m *mpcvm.Model, x *mat.Dense, labels []int) {
	t.Helper()
	nonZero := make([]int, m.Classes())
	last := -1
	for _, v := range m.RelevanceVectors() {
		if v.Index <= last || labels[v.Index] != v.Label || !slices.Equal(v.X, x.RawRowView(v.Index)) {
			t.Fatalf("%s: relevance vector %+v differs from its sample", about, v)
		}
		last = v.Index
		for c, w := range v.Weights {
			if w != 0 {
				nonZero[c]++
			}
			if c == v.Label && w < 0 || c != v.Label && w > 0 || math.IsNaN(w) || math.IsInf(w, 0) {
				t.Fatalf("%s: weight %g of sample of class %d in class %d", about, w, v.Label, c)
			}
		}
	}
	if m.Coefficients() == nil && !slices.Equal(nonZero, m.NonZero()) {
		t.Errorf("%s: %v non-zero weights, NonZero returns %v", about, nonZero, m.NonZero())
	}
	p, y, labelsOut := m.Proba(nil, x), m.Potentials(nil, x), m.Predict(nil, x)
	for i := range labelsOut {
		row := p.RawRowView(i)
		if math.Abs(floats.Sum(row)-1) > 1e-12 || floats.HasNaN(row) || floats.Min(row) < 0 {
			t.Fatalf("%s: row %d has probabilities %v", about, i, row)
		}
		if labelsOut[i] != floats.MaxIdx(y.RawRowView(i)) {
			t.Fatalf("%s: row %d: label %d, potentials %v", about, i, labelsOut[i], y.RawRowView(i))
		}
		// Potentials and probabilities order the classes in the same way.
		if top := row[labelsOut[i]]; top < floats.Max(row)-1e-12 {
			t.Fatalf("%s: row %d: label %d does not have the largest of %v", about, i, labelsOut[i], row)
		}
	}
}

// CheckTrace checks that the objective never decreases, except in epochs that hold Z̄ fixed, and
// that the trace matches the model.
func CheckTrace(t testing.TB, about string, m *mpcvm.Model, r mpcvm.Result) {
	t.Helper()
	if r.Iterations != len(r.Trace) || r.Status == mpcvm.NotTerminated || r.Iterations == 0 {
		t.Fatalf("%s: %d iterations, %d in trace, status %v", about, r.Iterations, len(r.Trace), r.Status)
	}
	for i, s := range r.Trace {
		if s.Iteration != i+1 || math.IsNaN(s.Objective) || math.IsNaN(s.LogLik) || math.IsNaN(s.Change) {
			t.Fatalf("%s: step %d: %+v", about, i, s)
		}
		if i > 0 {
			before := r.Trace[i-1].Objective
			if fall := before - s.Objective; s.StartShare == 0 && fall > 1e-8*max(1, math.Abs(before)) {
				t.Errorf("%s: objective fell by %g, from %g, at iteration %d", about, fall, before, s.Iteration)
			}
		}
	}
	end := r.Trace[len(r.Trace)-1]
	if r.Status == mpcvm.Collapsed { // biases only, set after the last step
		if len(m.RelevanceVectors()) != 0 {
			t.Errorf("%s: collapsed with relevance vectors", about)
		}
	} else if r.Objective != end.Objective || r.LogLik != end.LogLik {
		t.Errorf("%s: result and trace differ", about)
	}
	for c, n := range m.NonZero() {
		if n > end.Weights[c] {
			t.Errorf("%s: class %d has %d weights, the trace has %d", about, c, n, end.Weights[c])
		}
	}
}
