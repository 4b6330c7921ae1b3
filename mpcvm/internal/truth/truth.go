// Package truth evaluates the formulas of the learners directly in quadruple precision, as the reference for
// their tests. If MPCVM_HARSH is set, there are more problems, which take some minutes.
package truth

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/exact"
)

// Classes returns the numbers of classes to test.
func Classes() []int {
	if os.Getenv("MPCVM_HARSH") != "" {
		return []int{2, 3, 6, 12}
	}
	return []int{2, 3}
}

// Errors stores the largest error of each kind.
type Errors map[string]float64

// Note records the error e of this kind if it is the largest so far.
func (l Errors) Note(what string, e float64) {
	if old, ok := l[what]; !ok || !(e <= old) {
		l[what] = e
	}
}

// Vector records the largest error of v relative to the largest entry of the truth.
func (l Errors) Vector(what string, v []float64, truth []exact.Num) {
	size, e := 0.0, 0.0
	for i, w := range truth {
		size = max(size, math.Abs(w.Float()))
		e = max(e, w.Distance(v[i]))
	}
	if size > 0 {
		l.Note(what, e/size)
	}
}

// Report logs the errors and checks that each is within its limit.
func (l Errors) Report(t testing.TB, limits map[string]float64) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(limits)) {
		e, ok := l[what]
		t.Logf("%s: %.1e", what, e)
		if !ok || !(e <= limits[what]) {
			t.Errorf("%s: error %.1e, want at most %.0e (measured: %v)", what, e, limits[what], ok)
		}
	}
}

// Problem returns n overlapping samples of c classes in the plane, and a kernel width.
func Problem(n, c int, seed uint64) (*fitting.Data, float64) {
	random := rand.New(rand.NewPCG(seed, 0))
	x, t := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		t[i] = i % c
		sin, cos := math.Sincos(2 * math.Pi * float64(t[i]) / float64(c))
		x.SetRow(i, []float64{cos + 0.7*random.NormFloat64(), sin + 0.7*random.NormFloat64()})
	}
	tr, err := fitting.New(fitting.Samples{X: x, T: t})
	if err != nil {
		panic(err)
	}
	return tr, 0.8
}

// Truth contains the exact kernel values of training data with an RBF kernel.
type Truth struct {
	*fitting.Data
	Phi  [][]exact.Num
	Gram [][]exact.Num // ΦᵀΦ
}

// New computes Φ and ΦᵀΦ.
func New(tr *fitting.Data, theta float64) *Truth {
	e := &Truth{Data: tr, Phi: make([][]exact.Num, tr.N), Gram: make([][]exact.Num, tr.N)}
	for i := range tr.N {
		for j := range tr.N {
			e.Phi[i] = append(e.Phi[i], exact.RBF(theta, tr.X.RawRowView(i), tr.X.RawRowView(j)))
		}
	}
	for i := range tr.N {
		for j := range tr.N {
			e.Gram[i] = append(e.Gram[i], exact.Dot(e.Phi[i], e.Phi[j]))
		}
	}
	return e
}

// Part returns H = ΦᵀΦ + diag(alpha) for the listed samples.
func (e *Truth) Part(samples []int, alpha []float64) [][]exact.Num {
	h := make([][]exact.Num, len(samples))
	for i, a := range samples {
		for _, b := range samples {
			h[i] = append(h[i], e.Gram[a][b])
		}
		h[i][i] = h[i][i].Add(exact.Of(alpha[i]))
	}
	return h
}

// Project returns φ_nᵀ(z − b) for each of the samples.
func (e *Truth) Project(samples []int, z []exact.Num, b float64) []exact.Num {
	centred := make([]exact.Num, len(z))
	for i, v := range z {
		centred[i] = v.Sub(exact.Of(b))
	}
	p := make([]exact.Num, len(samples))
	for i, n := range samples {
		p[i] = exact.Dot(e.Phi[n], centred)
	}
	return p
}

// Signed returns the sign-constrained solution with the same non-zero weights as w. It records how far the
// optimality conditions are violated: by weights of the wrong sign, and by gradients at zero that point into
// the allowed side, relative to the largest entry of p.
func (e *Truth) Signed(l Errors, samples []int, alpha, w []float64, p []exact.Num, class int) []exact.Num {
	var free []int
	for i, v := range w {
		if v != 0 {
			free = append(free, i)
		}
	}
	h := e.Part(samples, alpha)
	var sub [][]exact.Num
	var right []exact.Num
	scale := 0.0
	for _, i := range free {
		var row []exact.Num
		for _, j := range free {
			row = append(row, h[i][j])
		}
		sub, right = append(sub, row), append(right, p[i])
	}
	solution := exact.All(make([]float64, len(w)))
	if len(free) > 0 {
		for k, v := range exact.Solve(sub, right)[0] {
			solution[free[k]] = v
		}
	}
	wrong := 0.0
	for i, n := range samples {
		scale = max(scale, math.Abs(p[i].Float()))
		if w[i] != 0 {
			wrong = max(wrong, -e.Sign(n, class)*solution[i].Float())
		} else {
			wrong = max(wrong, e.Sign(n, class)*p[i].Sub(exact.Dot(h[i], solution)).Float())
		}
	}
	l.Note("conditions of the sign constraint, relative to Φᵀz̄", wrong/scale)
	return solution
}

// Potentials returns y_nc = Φw_c + b_c for all samples, class by class.
func (e *Truth) Potentials(active [][]int, w [][]float64, b []float64) [][]exact.Num {
	y := make([][]exact.Num, e.C)
	for c := range y {
		for n := range e.N {
			sum := exact.Of(b[c])
			for i, m := range active[c] {
				sum = sum.Add(e.Phi[n][m].Mul(exact.Of(w[c][i])))
			}
			y[c] = append(y[c], sum)
		}
	}
	return y
}

// EStep records the errors of the posterior means and the log likelihood at potentials y, and returns the
// exact log likelihood.
func (e *Truth) EStep(l Errors, y [][]exact.Num, z *mat.Dense, logp []float64) exact.Num {
	sum := exact.Of(0)
	column := make([]exact.Num, e.C)
	for n, label := range e.T {
		for c := range column {
			column[c] = y[c][n]
		}
		lp, means := exact.Probit(column, label)
		sum = sum.Add(lp)
		l.Note("log p(t_n)", lp.Distance(logp[n])/max(1, math.Abs(lp.Float())))
		for c, m := range means {
			l.Note("posterior means z̄", m.Distance(z.At(c, n))/max(1, math.Abs(m.Float())))
		}
	}
	return sum
}
