package lesson

import (
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// EM is the state of Algorithm 1, with the matrices of ByHand.
type EM struct {
	*ByHand
	B, Beta []float64 // the biases and their expected precisions
	Held    bool      // whether the precisions stay as they are
	// MStep is the M-step of Iterate. If nil, it is SignedWeights, started from the current weights.
	MStep func(phi *mat.Dense, z, alpha, signs []float64) []float64

	keep bool // whether nothing is pruned
}

// NewEM returns the start of Algorithm 1 with an RBF kernel of width θ: zero weights, precisions 1,
// and targets own for the class of a sample and other for the other classes.
func NewEM(set *data.Set, theta, own, other float64) *EM {
	s := &EM{ByHand: NewByHand(set, theta), B: make([]float64, set.C()),
		Beta: slices.Repeat([]float64{1}, set.C())}
	s.Alpha.Apply(func(_, _ int, _ float64) float64 { return 1 }, s.Alpha)
	s.Z.Apply(func(_, _ int, f float64) float64 { return (own + other + f*(own-other)) / 2 }, s.F)
	return s
}

// Iterate takes an M-step and an E-step, by the functions of this package.
func (s *EM) Iterate() {
	for c := range s.Set.C() {
		s.maximise(c)
	}
	s.expect()
}

// maximise takes the M-step of a class.
func (s *EM) maximise(c int) {
	expected := func(w float64) float64 { return (2e-5 + 1) / (w*w + 2e-5) }
	z, alpha, w, f := s.Z.RawRowView(c), s.Alpha.RawRowView(c), s.W.RawRowView(c), s.F.RawRowView(c)
	target := slices.Clone(z)
	floats.AddConst(-s.B[c], target)
	if s.MStep == nil {
		copy(w, SignedWeights(w, s.Phi, target, alpha, f))
	} else {
		copy(w, s.MStep(s.Phi, target, alpha, f))
	}
	s.B[c] = (floats.Sum(z) - floats.Sum(s.PhiW(c))) / (float64(len(z)) + s.Beta[c])
	if !s.Held {
		s.Beta[c] = expected(s.B[c])
		for n := range w {
			if alpha[n] = expected(w[n]); !s.keep && (w[n] == 0 || alpha[n] > 1e4) {
				w[n], alpha[n] = 0, math.Inf(1)
			}
		}
	}
	y := s.PhiW(c)
	floats.AddConst(s.B[c], y)
	s.Y.SetRow(c, y)
}

// PhiW returns Φw of class c.
func (s *EM) PhiW(c int) []float64 {
	var y mat.VecDense
	y.MulVec(s.Phi, s.W.RowView(c))
	return y.RawVector().Data
}

// expect takes the E-step.
func (s *EM) expect() { probit.Batch{}.Means(s.Z, make([]float64, s.Set.N()), s.Y, s.Set.T) }

// Objective returns the log likelihood and log p(t, W, b) without its constant, in nats. If the
// precisions are held, the prior is normal with precisions 1.
func (s *EM) Objective() (loglik, objective float64) {
	logp := make([]float64, s.Set.N())
	probit.Batch{}.LogProb(logp, mat.DenseCopyOf(s.Y.T()), s.Set.T)
	loglik, objective = floats.Sum(logp), floats.Sum(logp)
	for _, w := range slices.Concat(s.W.RawMatrix().Data, s.B) {
		if s.Held {
			objective -= w * w / 2
		} else {
			objective -= (1e-5 + 0.5) * math.Log1p(w*w/2e-5) // (17) and (18) with u = v = 1e-5
		}
	}
	return loglik, objective
}

// Run calls iterate several times. If report is not nil, it is called after each iteration with the
// objective. Run returns how often the objective falls.
func (s *EM) Run(iterations int, iterate func(), report func(i int, objective float64)) (falls int) {
	last := math.Inf(-1)
	for i := range iterations {
		iterate()
		_, objective := s.Objective()
		if objective < last-1e-9 {
			falls++
		}
		if last = objective; report != nil {
			report(i+1, objective)
		}
	}
	return falls
}

// Model returns the current state as a model of the library.
func (s *EM) Model() *mpcvm.Model { return modelOf(s.Set, s.theta, s.W, s.B) }
