package dlsr

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/internal/linear"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
)

// solver alternates between (W, t) and M. Matrices have a row for each class, as package dense requires.
type solver struct {
	*fitting.Data // X is centred: HX
	lambda        float64
	mean          []float64  // D, of the features
	pull          *mat.Dense // (XᵀHX + λI)⁻¹XᵀH, D×N

	targets *mat.Dense // Rᵀ = (Y + B⊙M)ᵀ, C×N
	scores  *mat.Dense // (XW + 1tᵀ)ᵀ, C×N
	w, old  *mat.Dense // Wᵀ, C×D
	level   []float64  // C, the mean of R: the bias for centred features
	loss    float64    // the minimised function after the last iteration
	moved   float64    // ‖W − W_old‖² of the last iteration
}

// newSolver centres the features of data in place and factorises the matrix.
func newSolver(data *fitting.Data, lambda float64) (*solver, error) {
	n, d, c := data.N, data.D, data.C
	s := &solver{
		Data: data, lambda: lambda, mean: make([]float64, d), pull: new(mat.Dense),
		targets: mat.NewDense(c, n, nil), scores: mat.NewDense(c, n, nil),
		w: mat.NewDense(c, d, nil), old: mat.NewDense(c, d, nil), level: make([]float64, c),
	}
	for i, label := range s.T {
		floats.AddScaled(s.mean, 1/float64(n), s.X.RawRowView(i))
		s.targets.Set(label, i, 1) // Y, because M starts at zero
	}
	for i := range n {
		floats.Sub(s.X.RawRowView(i), s.mean)
	}
	return s, s.factorize()
}

// factorize sets pull. If there are more features than samples, it uses the smaller matrix: (XᵀHX + λI)⁻¹XᵀH
// = XᵀH(HXXᵀH + λI)⁻¹.
func (s *solver) factorize() error {
	wide := s.D > s.N
	size, factors := s.D, s.X.T()
	if wide {
		size, factors = s.N, s.X
	}
	gram := mat.NewSymDense(size, nil)
	gram.SymOuterK(1, factors)
	for j := range size {
		v := gram.At(j, j)
		if !fitting.IsFinite(v) {
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
		return cell.New("dlsr", -1, -1, s.lambda, "XᵀHX + λI is singular to working precision; standardise the "+
			"features or raise Lambda")
	}
	if !wide {
		_ = chol.SolveTo(s.pull, s.X.T()) // the error reports a large condition number; the solution is usable
		return nil
	}
	var pull mat.Dense
	_ = chol.SolveTo(&pull, s.X)
	s.pull.CloneFrom(pull.T())
	return nil
}

// iterate sets W and t for the targets R, then M for the scores. M is stored as part of R.
func (s *solver) iterate() {
	s.old, s.w = s.w, s.old
	dense.MulT(s.w.RawMatrix(), s.targets.RawMatrix(), s.pull.RawMatrix())
	dense.MulT(s.scores.RawMatrix(), s.w.RawMatrix(), s.X.RawMatrix())
	w := s.w.RawMatrix().Data
	s.loss = s.lambda * floats.Dot(w, w)
	for c := range s.C {
		y, r := s.scores.RawRowView(c), s.targets.RawRowView(c)
		level := floats.Sum(r) / float64(s.N)
		s.level[c] = level
		for n, label := range s.T {
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
	for i, v := range w {
		d := v - s.old.RawMatrix().Data[i]
		s.moved += d * d
	}
}

// step describes the last iteration.
func (s *solver) step() mpcvm.Step {
	step := linear.Step(s.w, s.old)
	step.Objective = -s.loss
	y := make([]float64, s.C)
	for n, label := range s.T {
		mat.Col(y, n, s.scores)
		step.LogLik += y[label] - floats.LogSumExp(y)
	}
	return step
}

// model returns the model for the original features.
func (s *solver) model(temperature float64) *Model {
	b := make([]float64, s.C)
	for c := range b {
		b[c] = s.level[c] - floats.Dot(s.w.RawRowView(c), s.mean)
	}
	return linear.New(s.w, b, temperature)
}
