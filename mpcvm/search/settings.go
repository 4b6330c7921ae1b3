package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// fitter fits the models of some settings and calls reached with each in turn, until that returns
// false.
type fitter func(ctx context.Context, x mat.Matrix, t []int, reached func(*mpcvm.Model) bool) error

// one fits the model of a single setting, with a limit of iterations.
func one(c setting) fitter {
	o := trial
	o.limit = fitting.ShortFit
	l := c.learner(c.kernel, o)
	return func(ctx context.Context, x mat.Matrix, t []int, reached func(*mpcvm.Model) bool) error {
		m, _, err := l.Fit(ctx, x, t)
		if err == nil {
			reached(m)
		}
		return err
	}
}

// rough is the Tol of KernelPrior in trials. With a hundredth of it log losses on Vowel change by
// 0.0001 at most.
const rough = 1e-2

// trial are the options of trials.
var trial = options{candidates: mpcvm.AllCandidates, dense: mpcvm.AllCandidates, keep: 1, tol: rough}

func denseSetting(k kernel.Kernel, scale float64) setting {
	return setting{
		kind: dense, name: fmt.Sprintf("kernel prior s²=%g, dense", scale), kernel: k,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			return gp.KernelPrior{Kernel: k, Scale: scale, Candidates: o.dense, Float32: o.float32, Tol: o.tol}
		},
	}
}

// keeps are the reductions of the dense model that are tried, and few the first of about N
// weights.
var keeps = []float64{4, 2, 1.4, 1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09, 0.06}

const few = 2

// pathSettings are the dense model and its reductions.
func pathSettings(k kernel.Kernel, scale float64, keeps []float64) ([]setting, fitter) {
	settings := []setting{denseSetting(k, scale)}
	for _, keep := range keeps {
		settings = append(settings, setting{
			kind: cut, name: fmt.Sprintf("kernel prior s²=%g, cut to %.2g", scale, keep), kernel: k,
			learner: func(k kernel.Kernel, o options) mpcvm.Learner {
				return gp.KernelPrior{Kernel: k, Scale: scale, Keep: keep * o.keep, Candidates: o.dense, Float32: o.float32, Tol: o.tol}
			},
		})
	}
	return settings, func(ctx context.Context, x mat.Matrix, t []int, reached func(*mpcvm.Model) bool) error {
		return gp.KernelPrior{Kernel: k, Scale: scale, Candidates: mpcvm.AllCandidates, Tol: rough}.Path(ctx, x, t, keeps, reached)
	}
}

func topDownSetting(k kernel.Kernel) setting {
	return setting{
		kind: topDown, name: "top down", kernel: k,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			return mpcvm.TopDown{Kernel: k, MaxIterations: o.limit, Candidates: o.candidates, Float32: o.float32}
		},
	}
}

func bottomUpSetting(k kernel.Kernel, power float64) setting {
	l := mpcvm.BottomUp{LikelihoodPower: power}
	if power >= 100 { // more bases enter; adding more at a time is faster
		l.Additions = 3
	}
	return setting{
		kind: bottomUp, name: fmt.Sprintf("bottom up, likelihood power %g", power), kernel: k,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			l := l
			l.Kernel, l.MaxIterations, l.Candidates, l.Float32 = k, o.limit, o.candidates, o.float32
			return l
		},
	}
}
