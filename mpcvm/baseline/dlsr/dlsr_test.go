package dlsr

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

// printed runs the algorithm with all matrices written out, and returns W, t and the objective after some
// iterations.
func printed(x *mat.Dense, t []int, classes, iterations int, lambda float64) (w *mat.Dense, b,
	objective []float64) {
	n, d := x.Dims()
	N := float64(n)
	h := mat.NewDense(n, n, nil)
	y, sign := mat.NewDense(n, classes, nil), mat.NewDense(n, classes, nil)
	for i := range n {
		for j := range n {
			h.Set(i, j, -1/N)
		}
		h.Set(i, i, 1-1/N)
		for c := range classes {
			sign.Set(i, c, -1)
		}
		y.Set(i, t[i], 1)
		sign.Set(i, t[i], 1)
	}
	m := mat.NewDense(n, classes, nil)
	var xh, a, r, rhs mat.Dense
	xh.Mul(x.T(), h)
	a.Mul(&xh, x)
	for j := range d {
		a.Set(j, j, a.At(j, j)+lambda)
	}
	w, b = mat.NewDense(d, classes, nil), make([]float64, classes)
	for range iterations {
		r.MulElem(sign, m)
		r.Add(&r, y)
		rhs.Mul(&xh, &r)
		if err := w.Solve(&a, &rhs); err != nil {
			panic(err)
		}
		var s mat.Dense
		s.Mul(x, w)
		for c := range classes {
			b[c] = (mat.Sum(r.ColView(c)) - mat.Sum(s.ColView(c))) / N
		}
		s.Apply(func(_, c int, v float64) float64 { return v + b[c] }, &s)
		s.Sub(&s, y)
		m.MulElem(sign, &s)
		m.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, m)
		var rest mat.Dense
		rest.MulElem(sign, m)
		rest.Sub(&s, &rest)
		squares := func(a *mat.Dense) float64 { return math.Pow(mat.Norm(a, 2), 2) }
		objective = append(objective, -squares(&rest)-lambda*squares(w))
	}
	return w, b, objective
}

func TestAgainstPrinted(t *testing.T) {
	for _, d := range []int{3, 60} { // with more features than samples, the other matrix is factorised
		againstPrinted(t, data.Blobs(40, 4, d, 1, 3))
	}
}

func againstPrinted(t *testing.T, set *data.Set) {
	for _, lambda := range []float64{0.01, 1, 50} {
		want, bias, objective := printed(set.X, set.T, 4, 30, lambda)
		m, r, err := DLSR{Lambda: lambda, Tol: -1, MaxIterations: 30}.Fit(t.Context(),
			mpcvm.Samples{X: set.X, T: set.T})
		if err != nil || r.Status != mpcvm.IterationLimit {
			t.Fatalf("%v, %v", r.Status, err)
		}
		w, b := m.Coefficients()
		if !mat.EqualApprox(w, want.T(), 1e-10) || !floats.EqualApprox(b, bias, 1e-10) {
			t.Errorf("λ = %g: W %v, t %v, want %v, %v", lambda, mat.Formatted(w), b, mat.Formatted(want.T()), bias)
		}
		for i, s := range r.Trace {
			if math.Abs(s.Objective-objective[i]) > 1e-10 {
				t.Fatalf("λ = %g: objective %v at %d, want %v", lambda, s.Objective, i+1, objective[i])
			}
		}
	}
}

// TestOptimum: at the end, the gradient of the squared-loss machine of each class vanishes: Σ_n
// f_n·loss′(s_n)·x_n + λw = 0.
func TestOptimum(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 5)
	const lambda = 0.5
	m, r, err := DLSR{Lambda: lambda, Tol: 1e-26, MaxIterations: 100000}.Fit(t.Context(),
		mpcvm.Samples{X: set.X, T: set.T})
	if err != nil || r.Status != mpcvm.Converged {
		t.Fatalf("%v, %v", r.Status, err)
	}
	w, _ := m.Coefficients()
	y := m.Scores(nil, set.X)
	for c := range 3 {
		slope, level := append([]float64{}, w.RawRowView(c)...), 0.0
		floats.Scale(lambda, slope)
		for n, label := range set.T {
			rest := max(y.At(n, c), 0)
			if label == c {
				rest = min(y.At(n, c)-1, 0)
			}
			floats.AddScaled(slope, rest, set.X.RawRowView(n))
			level += rest
		}
		if floats.Norm(slope, 2) > 1e-9 || math.Abs(level) > 1e-9 {
			t.Errorf("class %d: slope %v, %v", c, slope, level)
		}
	}
}

// TestTwoClasses: the scores of two classes sum to one, and the probabilities preserve the order of the
// samples.
func TestTwoClasses(t *testing.T) {
	set := data.Blobs(80, 2, 3, 1, 2)
	m, _ := laws.Fit(t, DLSR{}, set.X, set.T)
	y := m.Scores(nil, set.X)
	for i := range 80 {
		if s := floats.Sum(y.RawRowView(i)); math.Abs(s-1) > 1e-9 {
			t.Fatalf("row %d: scores sum to %v", i, s)
		}
	}
	a := must.Get(score.AUC(y, set.T))(t)
	if b, err := score.AUC(m.Proba(nil, set.X), set.T); err != nil || a != b {
		t.Errorf("AUC of scores %v, of probabilities %v, %v", a, b, err)
	}
}

// TestTemperature: temperature finds the temperature with which the labels were drawn.
func TestTemperature(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n, want = 20000, 0.37
	scores, labels := mat.NewDense(n, 3, nil), make([]int, n)
	for i := range n {
		best := math.Inf(-1)
		for c := range 3 {
			s := rng.Float64()
			scores.Set(i, c, s)
			// The class with the largest s/T + Gumbel noise has the distribution softmax(s/T).
			if v := s/want - math.Log(rng.ExpFloat64()); v > best {
				best, labels[i] = v, c
			}
		}
	}
	if got := temperature(scores, labels); math.Abs(got-want) > 0.03 {
		t.Errorf("temperature %v, want %v", got, want)
	}
	// Without an error, the softened labels keep T above zero: with a difference of 1, the odds are N+1 to 1.
	sure := mat.NewDense(10, 2, nil)
	for i := range 10 {
		sure.Set(i, i%2, 1)
	}
	alternate := []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	if got, want := temperature(sure, alternate), 1/math.Log(11); math.Abs(got-want) > 1e-6 {
		t.Errorf("temperature %v without an error, want %v", got, want)
	}
	must.Equal(t, temperature(mat.NewDense(2, 2, nil), nil), 1)
}

// TestErrors: invalid data give an error that names the cell.
func TestErrors(t *testing.T) {
	set := data.Blobs(30, 3, 2, 1, 1)
	huge := mat.DenseCopyOf(set.X)
	huge.Scale(1e200, huge)
	nan := mat.DenseCopyOf(set.X)
	nan.Set(4, 1, math.NaN())
	wide := mat.NewDense(30, 40, nil)
	wide.Set(7, 3, 1e200)
	for name, tt := range map[string]struct {
		x           *mat.Dense
		row, column int
	}{"overflow": {huge, 0, 1}, "overflow of a sample": {wide, 1, 0}, "NaN": {nan, 5, 2}} {
		m, _, err := DLSR{}.Fit(t.Context(), mpcvm.Samples{X: tt.x, T: set.T})
		var bad *mpcvm.CellError
		if m != nil || !errors.As(err, &bad) || bad.Row != int64(tt.row) || bad.Column != tt.column {
			t.Errorf("%s: %v, error %v", name, m, err)
		}
	}
}
