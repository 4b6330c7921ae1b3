package gp

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
)

// weight identifies a weight: a class and the number of a basis.
type weight struct{ class, basis int }

// list returns the weights of the right sign, class by class.
func (e *ascent) list() (all []weight) {
	for c := range e.C {
		active, _ := e.weights(c)
		for _, j := range active {
			all = append(all, weight{c, j})
		}
	}
	return all
}

// affordable reports whether cheapest takes no longer than dozens of iterations for a number of weights. With
// more weights, the smallest ones are deleted, which hardly lowers F.
func (e *ascent) affordable(weights int) bool { return weights*weights <= 32*e.C*e.N }

// cheapest selects count weights to keep and estimates their values at the new optimum. The others are
// deleted one by one. Each time, the weight v_i is chosen whose deletion lowers F least once the others are
// fitted again, which is by v_i²/2(H⁻¹)_ii for a quadratic F with the Hessian −H (Hassibi and Stork 1993).
// The last weight of a class is kept.
func (e *ascent) cheapest(all []weight, count int) (keep []weight, w []float64) {
	m, h := len(e.bases), e.inverseHessian(all)
	w, keep = slices.Clone(e.w), slices.Clone(all)
	at, left := fitting.All(len(all)), make([]int, e.C)
	for _, p := range all {
		left[p.class]++
	}
	for len(keep) > count {
		next, least := -1, math.Inf(1)
		for i, p := range keep {
			if left[p.class] == 1 {
				continue
			}
			v, cost := w[p.class*m+p.basis], 0.0
			if pivot := h.At(at[i], at[i]); v*e.Sign(e.bases[p.basis], p.class) > 0 && pivot > 0 {
				cost = v * v / (2 * pivot)
			}
			if cost < least {
				next, least = i, cost
			}
		}
		if next < 0 || least > weightWorth { // next < 0 if each class has only one weight
			break
		}
		p, i := keep[next], at[next]
		left[p.class]--
		keep, at = slices.Delete(keep, next, next+1), slices.Delete(at, next, next+1)
		if pivot := h.At(i, i); pivot > 0 {
			v, row := w[p.class*m+p.basis]/pivot, h.RawRowView(i)
			for k, q := range keep {
				to := h.RawRowView(at[k])
				w[q.class*m+q.basis] -= v * row[at[k]]
				floats.AddScaled(to, -to[i]/pivot, row)
			}
		}
		w[p.class*m+p.basis] = 0
	}
	return keep, w
}

// inverseHessian returns the inverse of H, where −H is approximately the Hessian of F in the listed weights,
// class by class: K/s² of each class and the second derivatives of −log p(t|y). It is zero if H has no
// Cholesky factor.
func (e *ascent) inverseHessian(all []weight) *mat.Dense {
	n, curvature := len(all), e.curvature()
	h, l, bases := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), make([]int, n)
	first := make([]int, e.C+1) // the first weight of each class
	for i, p := range all {
		bases[i] = e.bases[p.basis]
		first[p.class+1] = i + 1
	}
	for c := range e.C {
		first[c+1] = max(first[c+1], first[c])
	}
	x := e.Part(bases).X
	e.samples(x, max(2*n, curvatureSamples), func(phi *mat.Dense, at []int, each float64) {
		part := func(m *mat.Dense, class int) blas64.General {
			return block(m.RawMatrix(), first[class], first[class+1], 0, m.RawMatrix().Cols)
		}
		par.For(e.C, 1, func(c, _ int) {
			weighted := mat.DenseCopyOf(phi)
			of, to := part(weighted, c), part(h, c)
			for b := range c + 1 {
				if of.Rows == 0 || first[b] == first[b+1] {
					continue
				}
				all, d := curvature(c, b), make([]float64, len(at))
				for i, m := range at {
					d[i] = each * all[m]
				}
				for i := range of.Rows {
					floats.MulTo(of.Data[i*of.Stride:][:of.Cols], phi.RawRowView(first[c]+i), d)
				}
				dense.AddMulT(block(to, 0, of.Rows, first[b], first[b+1]), of, part(phi, b))
			}
		})
	})
	for c := range e.C {
		for i := first[c]; i < first[c+1]; i++ {
			for j := first[c]; j <= i; j++ {
				h.Set(i, j, h.At(i, j)+e.kernel.Value(x.RawRowView(i), x.RawRowView(j))/e.Scale)
			}
		}
	}
	err := dense.CholeskyJitter(context.Background(), l.RawMatrix(), panelRows, 10, func() {
		for i := range n {
			copy(l.RawRowView(i)[:i+1], h.RawRowView(i))
			l.Set(i, i, h.At(i, i)*(1+1e-8))
		}
	})
	h.Zero()
	if errors.Is(err, dense.ErrIndefinite) {
		return h
	}
	for i := range n {
		h.Set(i, i, 1)
	}
	dense.SolveLower(l.RawMatrix(), h.RawMatrix())
	dense.SolveUpper(l.RawMatrix(), h.RawMatrix())
	return h
}

// curvature returns a function for the second derivatives of −log p(t|y) in the potentials of two classes,
// times the sample weights. For C = 2 they are exact: with the residual u = z̄ − y and the margin
// f = y_t − y_c, the derivative is d = u_c² + |u_c|f/2, or −d if the classes differ. For C > 2 they are
// approximated by sums over the pairs of t and another class, so that adding a constant to all potentials
// changes nothing.
func (e *ascent) curvature() func(a, b int) []float64 {
	r, y := e.matrix(e.eStep(e.y)), e.matrix(e.y)
	d := mat.NewDense(e.C, e.N, nil)
	for n, t := range e.T {
		if weight := e.Weight(n); weight > 0 {
			for c := range e.C {
				u := math.Abs(r.At(c, n)) / (e.Scale * weight)
				if c != t {
					d.Set(c, n, weight*min(max(u*(u+(y.At(t, n)-y.At(c, n))/2), 0), 1))
				}
			}
		}
	}
	return func(a, b int) []float64 {
		v := make([]float64, e.N)
		for n, t := range e.T {
			switch {
			case a != b && t == a:
				v[n] = -d.At(b, n)
			case a != b && t == b:
				v[n] = -d.At(a, n)
			case a == b && t == a:
				for c := range e.C {
					v[n] += d.At(c, n)
				}
			case a == b:
				v[n] = d.At(a, n)
			}
		}
		return v
	}
}

// release returns weights to the model that the last reduction kept and that were then fixed at zero, if the
// slope of F along them exceeds the tolerance. It reports whether it returned any. If the weights returned by
// the previous call did not increase F, release goes back to the solution before that call and returns one
// weight at a time; if that fails as well, it returns none until the next reduction.
func (e *ascent) release(tol float64) bool {
	if e.allowed == nil {
		return false
	}
	if e.tried.w != nil && e.objective <= e.tried.objective+1e-7*math.Abs(e.tried.objective) {
		last := e.single
		if e.objective < e.tried.objective {
			e.solution = e.tried
			e.restrict(e.w)
		}
		if e.single = true; last {
			e.allowed = nil
			return false
		}
	}
	excluded := make([][]int, e.C)
	for c, list := range e.allowed {
		for _, j := range list {
			if _, kept := slices.BinarySearch(e.kept[c], j); !kept {
				excluded[c] = append(excluded[c], j)
			}
		}
	}
	m, worth := len(e.bases), max(tol, 0)*largest(e.y)
	products, at := e.weightMatrix(), e.at(e.y)
	e.phi.TimesAt(e.matrix(products), e.matrix(e.eStep(e.y)), func(c int) []int { return excluded[c] })
	var steepest weight
	kept, released := make([][]int, e.C), false
	for c := range kept {
		kept[c] = slices.Clone(e.kept[c])
		for _, j := range excluded[c] {
			slope := (products[c*m+j] - at[c*m+j]) * e.Sign(e.bases[j], c)
			if slope <= worth {
				continue
			}
			released = true
			if e.single {
				worth, steepest = slope, weight{c, j}
			} else {
				kept[c] = append(kept[c], j)
			}
		}
	}
	if !released {
		return false
	}
	if e.single {
		kept[steepest.class] = append(kept[steepest.class], steepest.basis)
	}
	if e.tried, e.kept = e.solution, kept; len(e.bases) < e.N && e.rough() {
		e.allowed = nil // more rounds hardly raise F
	}
	e.restrict(e.w)
	return true
}

// weightWorth is the largest decrease of F, in nats, that is accepted for the deletion of a weight.
const weightWorth = 0.5

// undo reverts the last reduction and ends the reductions if F fell by more than weightWorth per deleted
// weight, or if a class lost its last weight. It reports whether it did so.
func (e *ascent) undo() bool {
	if e.unreduced.w == nil {
		return false
	}
	now, deleted, lost := e.best(), 0, false
	for c := range e.C {
		before, after := e.count(e.unreduced.w, c), e.count(now.w, c)
		deleted += before - after
		lost = lost || before > 0 && after == 0
	}
	if !lost && e.unreduced.objective-now.objective <= weightWorth*float64(deleted) {
		return false
	}
	e.solution, e.keeps = e.unreduced, nil
	e.unreduced, e.tried = solution{}, solution{}
	if e.kept == nil {
		e.factor, e.factored = nil, nil
		e.begin()
	} else {
		e.restrict(e.w)
	}
	return true
}

// count returns the number of non-zero weights of class c.
func (e *ascent) count(w []float64, c int) (n int) {
	for _, v := range w[c*len(e.bases) : (c+1)*len(e.bases)] {
		if v != 0 {
			n++
		}
	}
	return n
}

// changes returns the bases that were added and deleted since e.kept was before.
func (e *ascent) changes(before [][]int) (added, deleted []mpcvm.Basis) {
	all := fitting.All(len(e.bases))
	for c := range e.C {
		from, to := all, all
		if before != nil {
			from = before[c]
		}
		if e.kept != nil {
			to = e.kept[c]
		}
		for i, k := 0, 0; i < len(from) || k < len(to); {
			switch {
			case k == len(to) || i < len(from) && from[i] < to[k]:
				deleted = append(deleted, mpcvm.Basis{Sample: e.bases[from[i]], Class: c})
				i++
			case i == len(from) || to[k] < from[i]:
				added = append(added, mpcvm.Basis{Sample: e.bases[to[k]], Class: c})
				k++
			default:
				i, k = i+1, k+1
			}
		}
	}
	return added, deleted
}
