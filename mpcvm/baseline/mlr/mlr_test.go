package mlr

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// penalised is the objective by definition, for unscaled features.
func penalised(x *mat.Dense, t []int, w *mat.Dense, b []float64, lambda float64) float64 {
	sum := 0.0
	for n, label := range t {
		y := make([]float64, len(b))
		for c := range y {
			y[c] = floats.Dot(w.RawRowView(c), x.RawRowView(n)) + b[c]
		}
		sum += y[label] - floats.LogSumExp(y)
	}
	for _, v := range w.RawMatrix().Data {
		sum -= lambda / 2 * v * v
	}
	return sum
}

// TestMaximum: the objective is the one in the package comment, and every small change of the parameters
// lowers it.
func TestMaximum(t *testing.T) {
	set := data.Blobs(80, 4, 3, 1, 3)
	const lambda = 0.7
	m, r := laws.Fit(t, MLR{Lambda: lambda, Tol: 1e-12}, set.X, set.T)
	w, b := m.Coefficients()
	top := penalised(set.X, set.T, w, b, lambda)
	if math.Abs(top-r.Objective) > 1e-10*math.Abs(top) {
		t.Errorf("objective %v, traced %v", top, r.Objective)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		moved, biases := mat.DenseCopyOf(w), append([]float64{}, b...)
		for i := range moved.RawMatrix().Data {
			moved.RawMatrix().Data[i] += 1e-3 * rng.NormFloat64()
		}
		for i := range biases {
			biases[i] += 1e-3 * rng.NormFloat64()
		}
		if v := penalised(set.X, set.T, moved, biases, lambda); v >= top {
			t.Fatalf("a small change raises the objective from %v to %v", top, v)
		}
	}
	for j := range 3 {
		if s := mat.Sum(w.ColView(j)); math.Abs(s) > 1e-8 {
			t.Errorf("weights of feature %d sum to %v", j, s)
		}
	}
	if math.Abs(floats.Sum(b)) > 1e-12 {
		t.Errorf("biases sum to %v", floats.Sum(b))
	}
}

// TestUnits: with a very small penalty, the units of the features do not matter.
func TestUnits(t *testing.T) {
	set := data.Blobs(100, 3, 2, 1, 6)
	x := mat.NewDense(100, 2, nil)
	for i := range 100 {
		x.SetRow(i, []float64{1e6*set.X.At(i, 0) + 1e8, 1e-5 * set.X.At(i, 1)})
	}
	l := MLR{Lambda: 1e-18}
	a, r := laws.Fit(t, l, x, set.T)
	b, _ := laws.Fit(t, l, set.X, set.T)
	if r.Status != mpcvm.Converged || !mat.EqualApprox(a.Proba(nil, x), b.Proba(nil, set.X), 1e-4) {
		t.Errorf("%v; the probabilities depend on the units", r.Status)
	}
}

// TestSeparable: with a penalty, separable data have a solution, and the fit converges. A smaller penalty
// gives more confident probabilities.
func TestSeparable(t *testing.T) {
	set := data.Blobs(60, 3, 2, 0.05, 1)
	last := math.Inf(1)
	for _, lambda := range []float64{1, 1e-2, 1e-4, 1e-8} {
		m, r, err := MLR{Lambda: lambda}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
		if err != nil || r.Status != mpcvm.Converged {
			t.Fatalf("λ = %g: %v, %v", lambda, r.Status, err)
		}
		loss := must.Get(score.LogLoss(m.Proba(nil, set.X), set.T))(t)
		if !(loss < last) || must.Get(score.ErrorRate(m.Predict(nil, set.X), set.T))(t) > 0 {
			t.Errorf("λ = %g: log loss %v, before %v", lambda, loss, last)
		}
		last = loss
	}
}

// TestNothingToLearn: without information in the features, the model predicts the class frequencies.
func TestNothingToLearn(t *testing.T) {
	x, labels := mat.NewDense(50, 2, nil), make([]int, 50)
	for i := range labels {
		labels[i] = min(1, i/5)
	}
	m, r, err := MLR{}.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
	if err != nil || r.Status != mpcvm.Converged {
		t.Fatalf("%v, %v", r.Status, err)
	}
	if p := m.Proba(nil, x).At(0, 0); math.Abs(p-0.1) > 1e-12 {
		t.Errorf("probability %v of a class with a tenth of the samples", p)
	}
}

// TestTooLarge: the error for a feature whose square overflows names its row, column and value.
func TestTooLarge(t *testing.T) {
	set := data.Blobs(20, 2, 3, 1, 9)
	for n := range 20 {
		set.X.Set(n, 2, float64(n-7)*1e160)
	}
	_, _, err := MLR{}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
	var bad *mpcvm.CellError
	if !errors.As(err, &bad) || bad.Row != 20 || bad.Column != 3 || bad.Value != 12e160 {
		t.Errorf("error %v", err)
	}
}
