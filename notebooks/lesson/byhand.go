package lesson

import (
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ByHand is the mPCVM₂ of notebook 05: one change per class and epoch. If all three options are
// false, it is the algorithm with signs; if all three are true, it is Algorithm 2 as printed.
type ByHand struct {
	// AnySign lets samples enter whatever the sign of q.
	AnySign bool
	// Cut computes the weights without the signs and sets weights of the wrong sign to zero, (31).
	Cut bool
	// KeepIdle keeps samples without a weight in the model.
	KeepIdle bool

	// Factors, Change and Mean are the functions of notebook 05 with these names, which may be the reader's.
	Factors func(phi *mat.Dense, z, alpha []float64) (s, q []float64)
	Change  func(s, q, alpha, f []float64, turn int) (n int, a float64)
	Mean    func(phi *mat.Dense, z, alpha []float64) []float64

	Set               *data.Set
	Phi               *mat.Dense
	F, Alpha, W, Y, Z *mat.Dense // C×N: a class in each row
	theta             float64
	constant          float64 // of the bound, while q(Z) is held
	turn              int
}

// NewByHand returns the empty model with an RBF kernel of width θ.
func NewByHand(set *data.Set, theta float64) *ByHand {
	zero := func() *mat.Dense { return mat.NewDense(set.C(), set.N(), nil) }
	m := &ByHand{Set: set, Phi: kernel.Gram(nil, kernel.RBF{Theta: theta}, set.X), theta: theta,
		F: SignsOf(set), W: zero(), Y: zero(), Z: zero(), Factors: factorsOf, Change: change, Mean: FreeWeights}
	m.Alpha = mat.NewDense(set.C(), set.N(), EmptyModel(set.C()*set.N()))
	m.EStep()
	return m
}

// EStep sets Z̄ by (22) and (23) and returns F.
func (m *ByHand) EStep() float64 {
	logp := make([]float64, m.Set.N())
	probit.Batch{}.Means(m.Z, logp, m.Y, m.Set.T)
	m.constant = floats.Sum(logp) + m.left()/2
	return m.Bound()
}

// left returns the squared distance of the targets and the potentials.
func (m *ByHand) left() float64 {
	var left mat.Dense
	left.Sub(m.Z, m.Y)
	return math.Pow(mat.Norm(&left, 2), 2)
}

// Bound returns the bound for the present q(Z). Right after the E-step it is F.
func (m *ByHand) Bound() float64 {
	sum := m.left()
	for c := range m.Set.C() {
		sum += m.LogDet(c) + m.Cost(c)
	}
	return m.constant - sum/2
}

// Cost returns wᵀAw of a class.
func (m *ByHand) Cost(c int) (sum float64) {
	for n, w := range m.W.RawRowView(c) {
		if w != 0 {
			sum += m.Alpha.At(c, n) * w * w
		}
	}
	return sum
}

// LogDet returns log|𝒞| of a class.
func (m *ByHand) LogDet(c int) (sum float64) {
	in, _, h := Factorise(m.Phi, m.Alpha.RawRowView(c))
	if len(in) > 0 {
		sum = h.LogDet()
	}
	for _, n := range in {
		sum -= math.Log(m.Alpha.At(c, n))
	}
	return sum
}

// Epoch makes one change in each class by (39), computes the weights and then runs the E-step. It
// returns F.
func (m *ByHand) Epoch() float64 {
	m.Precisions()
	m.Weights()
	return m.EStep()
}

// Precisions makes one change in each class.
func (m *ByHand) Precisions() {
	for c := range m.Set.C() {
		alpha, f := m.Alpha.RawRowView(c), m.F.RawRowView(c)
		s, q := m.Factors(m.Phi, m.Z.RawRowView(c), alpha)
		if m.AnySign {
			f = q // every f·q is positive
		}
		if n, a := m.Change(s, q, alpha, f, m.turn); n >= 0 {
			alpha[n] = a
		}
	}
	m.turn++
}

// change returns the sample that rules 1 to 3 of notebook 05 change and its new precision, n = −1 if there is
// nothing to do.
func change(s, q, alpha, f []float64, turn int) (n int, a float64) {
	var in []int
	add, remove, most, least := -1, -1, 0.0, math.Inf(1)
	for i := range s {
		excess := q[i]*q[i] - s[i]
		passes := excess > 0 && f[i]*q[i] > 0
		if !math.IsInf(alpha[i], 1) {
			in = append(in, i)
			if !passes && excess < least {
				remove, least = i, excess
			}
		} else if passes && excess > most {
			add, most = i, excess
		}
	}
	switch {
	case add >= 0:
		n = add
	case remove >= 0:
		return remove, math.Inf(1)
	case len(in) == 0:
		return -1, 0
	default:
		n = in[turn%len(in)]
	}
	return n, s[n] * s[n] / (q[n]*q[n] - s[n])
}

// factorsOf returns s and q of all samples, (37) and (38).
func factorsOf(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
	rest := mat.DenseCopyOf(phi) // 𝒞⁻¹Φ
	if in, columns, h := Factorise(phi, alpha); len(in) > 0 {
		var x, explained mat.Dense
		x.Mul(columns.T(), phi)
		_ = h.SolveTo(&x, &x) // the error only reports a badly conditioned H
		explained.Mul(columns, &x)
		rest.Sub(phi, &explained)
	}
	for n, a := range alpha {
		column := mat.Col(nil, n, rest)
		S, Q := floats.Dot(phi.RawRowView(n), column), floats.Dot(z, column)
		if !math.IsInf(a, 1) {
			S, Q = a*S/(a-S), a*Q/(a-S)
		}
		s, q = append(s, S), append(q, Q)
	}
	return s, q
}

// Weights computes the weights and the potentials. Unless KeepIdle is set, samples without a weight
// leave the model.
func (m *ByHand) Weights() {
	for c := range m.Set.C() {
		alpha := m.Alpha.RawRowView(c)
		w := m.solve(m.W.RawRowView(c), m.Z.RawRowView(c), alpha, m.F.RawRowView(c))
		m.W.SetRow(c, w)
		for n := range w {
			if w[n] == 0 && !m.KeepIdle {
				alpha[n] = math.Inf(1)
			}
		}
	}
	m.Y.Mul(m.W, m.Phi)
}

// solve returns the new weights of a class; w are its current weights.
func (m *ByHand) solve(w, z, alpha, f []float64) []float64 {
	if !m.Cut {
		return SignedWeights(slices.Clone(w), m.Phi, z, alpha, f)
	}
	w = m.Mean(m.Phi, z, alpha)
	for n := range w {
		w[n] = f[n] * max(0, f[n]*w[n])
	}
	return w
}

// Model returns the current state as a model of the library.
func (m *ByHand) Model() *mpcvm.Model {
	return modelOf(m.Set, m.theta, m.W, make([]float64, m.Set.C()))
}
