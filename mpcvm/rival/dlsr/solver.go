package dlsr

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/rival/mlr/linear"
)

// solver alternates between (W, t) and M.
type solver struct {
	n, d, c int
	t       []int
	lambda  float64
	x       *mat.Dense   // HX, N×D: centred features
	mean    []float64    // D, of the features
	chol    mat.Cholesky // of XᵀHX + λI

	targets *mat.Dense // R = Y + B⊙M, N×C
	scores  *mat.Dense // XW + 1tᵀ, N×C
	w, old  *mat.Dense // D×C
	level   []float64  // C, the mean of R: the bias for centred features
	loss    float64    // what is minimised, after the last iteration
	moved   float64    // ‖W − W_old‖² in it
}

// newSolver centres x, in place, and factorises.
func newSolver(x *mat.Dense, t []int, classes int, lambda float64) (*solver, error) {
	n, d := x.Dims()
	s := &solver{
		n: n, d: d, c: classes, t: t, lambda: lambda, x: x, mean: make([]float64, d),
		targets: mat.NewDense(n, classes, nil), scores: mat.NewDense(n, classes, nil),
		w: mat.NewDense(d, classes, nil), old: mat.NewDense(d, classes, nil), level: make([]float64, classes),
	}
	for i := range n {
		floats.AddScaled(s.mean, 1/float64(n), x.RawRowView(i))
		s.targets.Set(i, t[i], 1) // Y: M begins at zero
	}
	for i := range n {
		floats.Sub(x.RawRowView(i), s.mean)
	}
	gram := mat.NewSymDense(d, nil)
	gram.SymOuterK(1, x.T())
	for j := range d {
		v := gram.At(j, j)
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, &mpcvm.DataError{Row: -1, Col: j, Value: v, Reason: fmt.Sprintf(
				"sum of squares of column %d is not finite; standardise the features", j)}
		}
		gram.SetSym(j, j, v+lambda)
	}
	if !s.chol.Factorize(gram) {
		return nil, &mpcvm.DataError{Row: -1, Col: -1, Value: lambda,
			Reason: "XᵀHX + λI is singular to working precision; standardise the features or raise Lambda"}
	}
	return s, nil
}

// iterate sets W and t for the targets R, then M, which is in R, for the scores.
func (s *solver) iterate() {
	s.old, s.w = s.w, s.old
	var xr mat.Dense
	xr.Mul(s.x.T(), s.targets)
	_ = s.chol.SolveTo(s.w, &xr) // its error is a large condition number; the solution stands
	clear(s.level)
	for n := range s.n {
		floats.AddScaled(s.level, 1/float64(s.n), s.targets.RawRowView(n))
	}
	s.scores.Mul(s.x, s.w)
	s.loss = s.lambda * squares(s.w)
	for n, label := range s.t {
		y, r := s.scores.RawRowView(n), s.targets.RawRowView(n)
		floats.Add(y, s.level)
		for c, v := range y {
			if c == label {
				r[c] = max(v, 1) // 1 + m with m = max(v − 1, 0)
			} else {
				r[c] = min(v, 0) // −m with m = max(−v, 0)
			}
			s.loss += (v - r[c]) * (v - r[c])
		}
	}
	s.moved = 0
	for i, v := range s.w.RawMatrix().Data {
		d := v - s.old.RawMatrix().Data[i]
		s.moved += d * d
	}
}

// step tells of the last iteration.
func (s *solver) step() mpcvm.Step {
	step := mpcvm.Step{
		Objective: -s.loss,
		Weights:   linear.NonZero(mat.DenseCopyOf(s.w.T())),
		Change:    linear.Change(s.w, s.old),
	}
	for n, label := range s.t {
		y := s.scores.RawRowView(n)
		step.LogLik += y[label] - floats.LogSumExp(y)
	}
	return step
}

// squares is ‖A‖².
func squares(a *mat.Dense) float64 {
	v := a.RawMatrix().Data
	return floats.Dot(v, v)
}

// model is for features that are not centred.
func (s *solver) model(temperature float64) *Model {
	b := make([]float64, s.c)
	for c := range b {
		b[c] = s.level[c] - floats.Dot(mat.Col(nil, c, s.w), s.mean)
	}
	return linear.New(s.w.T(), b, temperature)
}
