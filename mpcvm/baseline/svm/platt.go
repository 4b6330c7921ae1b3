package svm

import (
	"context"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
)

// sigmoid is P(lower class of the pair | decision value f) = 1/(1 + exp(a·f + b)).
type sigmoid struct{ a, b float64 }

func (s sigmoid) at(f float64) float64 { return logistic(-s.a*f - s.b) }

// logistic returns 1/(1 + exp(−x)) without overflow.
func logistic(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// softplus returns log(1 + exp(x)) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// fitSigmoid fits a sigmoid to the decision values f of samples. positive reports which samples belong to the
// lower class. It minimises the cross-entropy with Platt's targets by Newton's method with backtracking, as
// in Lin, Lin and Weng (2007).
func fitSigmoid(f []float64, positive []bool) sigmoid {
	var plus, minus float64
	for _, p := range positive {
		if p {
			plus++
		} else {
			minus++
		}
	}
	target := func(p bool) float64 { // Lin, Lin and Weng, eq. (2)
		if p {
			return (plus + 1) / (plus + 2)
		}
		return 1 / (minus + 2)
	}
	// Σ −t·log p − (1 − t)·log(1 − p) with p = 1/(1 + e^z), z = a·f + b.
	loss := func(s sigmoid) float64 {
		sum := 0.0
		for n, v := range f {
			z := s.a*v + s.b
			sum += softplus(z) - (1-target(positive[n]))*z
		}
		return sum
	}
	const (
		ridge     = 1e-12 // keeps the Hessian positive definite
		tolerance = 1e-5  // of the gradient
		shortest  = 1e-10 // length of a step
		decrease  = 1e-4  // smallest share of the decrease predicted by the slope
	)
	s := sigmoid{0, math.Log((minus + 1) / (plus + 1))}
	now := loss(s)
	for range 100 {
		var ga, gb, hab float64
		haa, hbb := ridge, ridge
		for n, v := range f {
			p := s.at(v)
			g, h := target(positive[n])-p, p*(1-p)
			ga += v * g
			gb += g
			haa += v * v * h
			hab += v * h
			hbb += h
		}
		if math.Abs(ga) < tolerance && math.Abs(gb) < tolerance {
			break
		}
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		slope := ga*da + gb*db
		moved := false
		for step := 1.0; step >= shortest; step /= 2 {
			next := sigmoid{s.a + step*da, s.b + step*db}
			if l := loss(next); l < now+decrease*step*slope {
				s, now, moved = next, l, true
				break
			}
		}
		if !moved {
			break
		}
	}
	return s
}

// sigmoids fits the sigmoid of each pair to decision values of machines that did not see the samples. If a
// class has only one sample, its decision value comes from the machine in whole, which saw the sample. If ctx
// ends, sigmoids returns nil.
func (v *values) sigmoids(ctx context.Context, l SVM, whole []machine) ([]sigmoid, error) {
	const folds = fitting.Folds
	dealt := v.Deal(folds, l.Seed)
	decision := make([][]float64, len(v.pairs)) // decision values of the samples of each pair
	ids := make([][]int32, len(v.pairs))
	for p, pair := range v.pairs {
		ids[p] = v.members(pair, everything)
		decision[p] = make([]float64, len(ids[p]))
	}
	order := v.largestFirst()
	failed := make([]bool, len(order)*(folds+1))
	par.For(len(failed), 1, func(i, _ int) {
		p, g := order[i/(folds+1)], i%(folds+1)
		var at []int // indices in ids[p] of the samples of fold g
		var out []int32
		for k, id := range ids[p] {
			if dealt.Fold[id] == g {
				at, out = append(at, k), append(out, id)
			}
		}
		if len(out) == 0 || ctx.Err() != nil {
			return
		}
		m := whole[p]
		if g < folds {
			b := v.problem(l, v.pairs[p], func(i int32) bool { return dealt.Trains(int(i), g) })
			failed[i] = !b.advance(ctx, l.MaxIterations)
			m = b.machine()
		}
		values := make([]float64, len(out))
		v.decide(values, m, out)
		for k, i := range at {
			decision[p][i] = values[k]
		}
	})
	if ctx.Err() != nil {
		return nil, nil
	}
	if slices.Contains(failed, true) {
		return nil, v.notFinite(-1, math.NaN())
	}
	fitted := make([]sigmoid, len(v.pairs))
	par.For(len(fitted), 1, func(p, _ int) {
		positive := make([]bool, len(ids[p]))
		for k, id := range ids[p] {
			positive[k] = v.T[id] == v.pairs[p].low
		}
		fitted[p] = fitSigmoid(decision[p], positive)
	})
	return fitted, nil
}
