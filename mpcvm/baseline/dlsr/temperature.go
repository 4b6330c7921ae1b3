package dlsr

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr/linear"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// folds of the cross-validation.
const folds = 5

// crossValidate returns the scores of the samples, each by a model of at most limit
// iterations that does not know it, and their labels. A sample alone in its class is in
// every training part and not among those returned; what is left of the rows is zero.
// The scores are nil if the context ends.
func (l DLSR) crossValidate(ctx context.Context, x mat.Matrix, t []int, classes, limit int) (*mat.Dense, []int, error) {
	fold := deal(t, classes, l.Seed)
	scores := make([]*mat.Dense, folds)
	labels := make([][]int, folds)
	errs := make([]error, folds)
	par.For(folds, 1, func(f, _ int) {
		var in, out []int
		for n, g := range fold {
			if g == f {
				out = append(out, n)
			} else {
				in = append(in, n)
			}
		}
		if len(out) == 0 {
			return
		}
		part, known := rows(x, t, in)
		s, err := newSolver(part, known, classes, l.Lambda)
		if err != nil {
			errs[f] = err
			return
		}
		for range limit {
			if ctx.Err() != nil {
				return
			}
			if s.iterate(); s.moved < l.Tol {
				break
			}
		}
		part, labels[f] = rows(x, t, out)
		scores[f] = s.model(1).Scores(nil, part)
	})
	if ctx.Err() != nil {
		return nil, nil, nil
	}
	all := mat.NewDense(len(t), classes, nil)
	var known []int
	for f := range folds {
		if errs[f] != nil {
			return nil, nil, errs[f]
		}
		for i, label := range labels[f] {
			all.SetRow(len(known), scores[f].RawRowView(i))
			known = append(known, label)
		}
	}
	return all, known, nil
}

// deal assigns the samples of each class, shuffled, to the folds in turn; −1 to a sample
// alone in its class.
func deal(t []int, classes int, seed uint64) []int {
	members := make([][]int, classes)
	for n, label := range t {
		members[label] = append(members[label], n)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	fold := make([]int, len(t))
	next := 0
	for _, list := range members {
		if len(list) == 1 {
			fold[list[0]] = -1
			continue
		}
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, n := range list {
			fold[n] = next % folds
			next++
		}
	}
	return fold
}

// rows copies some samples and their labels.
func rows(x mat.Matrix, t, list []int) (*mat.Dense, []int) {
	_, d := x.Dims()
	part, labels := mat.NewDense(len(list), d, nil), make([]int, len(list))
	for i, n := range list {
		mat.Row(part.RawRowView(i), n, x)
		labels[i] = t[n]
	}
	return part, labels
}

// temperature is the T that minimises the log loss of softmax(scores/T) on the first
// len(t) rows, the labels softened by ε = 1/(N+2); 1 if there are none. The loss is
// convex in 1/T, and T is found as the zero of its slope
//
//	Σ_n Σ_c (p_nc − target_nc) s_nc,
//
// between 1/1000 and 1000.
func temperature(scores *mat.Dense, t []int) float64 {
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
	lo, hi := -math.Log(1000), math.Log(1000) // of 1/T
	for hi-lo > 1e-9 {
		if mid := (lo + hi) / 2; slope(math.Exp(-mid)) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(-(lo + hi) / 2)
}
