package dlsr

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr/linear"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
)

// solver alternates between (W, t) and M. Matrices have a row for each class, as the
// products of internal/dense like it.
type solver struct {
	n, d, c int
	t       []int
	lambda  float64
	x       *mat.Dense // HX, N×D: centred features
	mean    []float64  // D, of the features
	pull    *mat.Dense // (XᵀHX + λI)⁻¹XᵀH, D×N

	targets *mat.Dense // Rᵀ = (Y + B⊙M)ᵀ, C×N
	scores  *mat.Dense // (XW + 1tᵀ)ᵀ, C×N
	w, old  *mat.Dense // Wᵀ, C×D
	level   []float64  // C, the mean of R: the bias for centred features
	loss    float64    // what is minimised, after the last iteration
	moved   float64    // ‖W − W_old‖² in it
}

// newSolver centres x, in place, and factorises.
func newSolver(x *mat.Dense, t []int, classes int, lambda float64) (*solver, error) {
	n, d := x.Dims()
	s := &solver{
		n: n, d: d, c: classes, t: t, lambda: lambda, x: x, mean: make([]float64, d), pull: new(mat.Dense),
		targets: mat.NewDense(classes, n, nil), scores: mat.NewDense(classes, n, nil),
		w: mat.NewDense(classes, d, nil), old: mat.NewDense(classes, d, nil), level: make([]float64, classes),
	}
	for i := range n {
		floats.AddScaled(s.mean, 1/float64(n), x.RawRowView(i))
		s.targets.Set(t[i], i, 1) // Y: M begins at zero
	}
	for i := range n {
		floats.Sub(x.RawRowView(i), s.mean)
	}
	if err := s.factorize(); err != nil {
		return nil, err
	}
	return s, nil
}

// factorize sets pull. Where there are more features than samples it is of the smaller
// matrix, (XᵀHX + λI)⁻¹XᵀH = XᵀH(HXXᵀH + λI)⁻¹.
func (s *solver) factorize() error {
	wide := s.d > s.n
	size, factors := s.d, s.x.T()
	if wide {
		size, factors = s.n, s.x
	}
	gram := mat.NewSymDense(size, nil)
	gram.SymOuterK(1, factors)
	for j := range size {
		v := gram.At(j, j)
		if math.IsInf(v, 0) || math.IsNaN(v) {
			row, column := -1, j
			if wide {
				row, column = j, -1
			}
			return cell.New("dlsr", row, column, v, "sum of squares is not finite; standardise the features")
		}
		gram.SetSym(j, j, v+s.lambda)
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) {
		return cell.New("dlsr", -1, -1, s.lambda, "XᵀHX + λI is singular to working precision; standardise the features or raise Lambda")
	}
	if !wide {
		_ = chol.SolveTo(s.pull, s.x.T()) // its error is a large condition number; the solution stands
		return nil
	}
	var pull mat.Dense
	_ = chol.SolveTo(&pull, s.x)
	s.pull.CloneFrom(pull.T())
	return nil
}

// iterate sets W and t for the targets R, then M, which is in R, for the scores.
func (s *solver) iterate() {
	s.old, s.w = s.w, s.old
	dense.MulT(s.w.RawMatrix(), s.targets.RawMatrix(), s.pull.RawMatrix())
	dense.MulT(s.scores.RawMatrix(), s.w.RawMatrix(), s.x.RawMatrix())
	s.loss = s.lambda * squares(s.w)
	for c := range s.c {
		y, r := s.scores.RawRowView(c), s.targets.RawRowView(c)
		level := floats.Sum(r) / float64(s.n)
		s.level[c] = level
		for n, label := range s.t {
			y[n] += level
			v := y[n]
			if c == label {
				r[n] = max(v, 1) // 1 + m with m = max(v − 1, 0)
			} else {
				r[n] = min(v, 0) // −m with m = max(−v, 0)
			}
			s.loss += (v - r[n]) * (v - r[n])
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
		Weights:   linear.NonZero(s.w),
		Change:    linear.Change(s.w, s.old),
	}
	y := make([]float64, s.c)
	for n, label := range s.t {
		mat.Col(y, n, s.scores)
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
		b[c] = s.level[c] - floats.Dot(s.w.RawRowView(c), s.mean)
	}
	return linear.New(s.w, b, temperature)
}
