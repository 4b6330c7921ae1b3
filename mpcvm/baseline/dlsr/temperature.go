package dlsr

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/internal/linear"
)

// scorer is a Model with its scores as potentials.
type scorer struct{ *Model }

func (m scorer) Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.Scores(dst, x) }

// unseen returns the scores (N×C) of each sample by a model that did not see it. The models have at most
// limit iterations. If a class has only one sample, the scores of that sample are NaN.
func (l DLSR) unseen(ctx context.Context, d *fitting.Data, limit int) (*mat.Dense, error) {
	return d.Unseen(ctx, fitting.Folds, l.Seed, func(_ int, part *fitting.Data) (fitting.Predictor, error) {
		s, err := newSolver(part, l.Lambda)
		if err != nil {
			return nil, err
		}
		for i := 0; i < limit && ctx.Err() == nil; i++ {
			if s.iterate(); s.moved < l.Tol {
				break
			}
		}
		return scorer{s.model(1)}, nil
	})
}

// temperature returns the T between 0.001 and 1000 that minimises the log loss of softmax(scores/T), with
// labels softened by ε = 1/(N+2). Rows with NaN are skipped; if no row is left, T is 1. The loss is convex in
// 1/T, so T is the zero of its derivative
//
//	Σ_n Σ_c (p_nc − target_nc) s_nc.
func temperature(scores *mat.Dense, t []int) float64 {
	scores, t, _ = fitting.WithoutNaN(scores, t, nil)
	if len(t) == 0 {
		return 1
	}
	_, classes := scores.Dims()
	p := make([]float64, classes)
	eps := 1 / float64(len(t)+2)
	slope := func(T float64) float64 {
		sum := 0.0
		for n, label := range t {
			s := scores.RawRowView(n)
			linear.Softmax(p, s, T)
			others := (floats.Sum(s) - s[label]) / float64(classes-1)
			sum += floats.Dot(p, s) - (1-eps)*s[label] - eps*others
		}
		return sum
	}
	lo, hi := -math.Log(1000), math.Log(1000) // log(1/T)
	for hi-lo > 1e-9 {
		if mid := (lo + hi) / 2; slope(math.Exp(-mid)) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(-(lo + hi) / 2)
}
