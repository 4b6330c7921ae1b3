package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// fitter fits the models of some settings without the samples of a fold and calls reached with each
// in turn, until that returns false.
type fitter func(ctx context.Context, fold int, part *fitting.Data, reached func(*mpcvm.Model) bool) error

// setting is a learner and a kernel, and their result in cross-validation.
type setting struct {
	name        string
	learner     func(k kernel.Kernel, o options) mpcvm.Learner
	kernels     kernels
	losses      []float64 // −log p(t_n) of all samples, out of fold, as calibrated; NaN: not judged
	by          []float64 // the weights of these samples; nil: ones
	constant    bool      // the model has the frequencies of the classes alone
	dense       bool      // the model keeps all weights
	next        *setting  // is fitted if the final fit of this one collapses; nil: none
	givenUp     bool      // much worse than another in the first fold, and judged by that alone
	logLoss     float64   // their mean
	weights     int
	fold        partial // the model of a fold
	calibration fitting.Calibration
	trial       int // its place among the trials
}

// options are the options of a fit that do not belong to its setting.
type options struct {
	limit             int // MaxIterations of TopDown and BottomUp, 0 for the default
	candidates, dense int // of TopDown and BottomUp, and of KernelPrior
	float32           bool
	keep              float64 // times Keep
	tol               float64 // of KernelPrior
}

// family is a family of kernels, with a width for each feature or one for all.
type family struct {
	kernel.Tunable
	// folds and all are importances of the features (gp.ARDResult): folds[i] is learned without the
	// samples of fold i, all from all samples. They are nil with one width for all features.
	folds [][]float64
	all   []float64
}

// at returns the kernels of the width θ, which the importance of a feature multiplies.
func (f family) at(theta float64) kernels {
	k := kernels{Kernel: f.with(theta, f.all)}
	for _, importance := range f.folds {
		k.folds = append(k.folds, f.with(theta, importance))
	}
	return k
}

func (f family) with(theta float64, importance []float64) kernel.Kernel {
	k := f.WithTheta(theta)
	if importance == nil {
		return k
	}
	return k.(kernel.PerFeature).WithThetas(floats.ScaleTo(make([]float64, len(importance)), theta, importance))
}

// kernels is a kernel, and those that take its place without the samples of a fold. If folds is nil,
// the kernel itself does.
type kernels struct {
	kernel.Kernel
	folds []kernel.Kernel
}

func (k kernels) of(fold int) kernel.Kernel {
	if k.folds == nil {
		return k.Kernel
	}
	return k.folds[fold]
}

// fitOne fits the model of a single setting, with a limit of iterations.
func fitOne(c setting) fitter {
	o := trialOptions
	o.limit = fitting.ShortFit
	return func(ctx context.Context, fold int, part *fitting.Data, reached func(*mpcvm.Model) bool) error {
		m, _, err := c.learner(c.kernels.of(fold), o).Fit(ctx, mpcvm.Samples(part.Samples()))
		if err == nil {
			reached(m)
		}
		return err
	}
}

// trialTol is the Tol of KernelPrior in trials. With a hundredth of it log losses on Vowel change by
// 0.0001 at most.
const trialTol = 1e-2

// trialOptions are the options of trials.
var trialOptions = options{candidates: mpcvm.AllCandidates, dense: mpcvm.AllCandidates, keep: 1, tol: trialTol}

func denseSetting(k kernels, scale float64) setting {
	return setting{
		name: fmt.Sprintf("kernel prior s²=%g, dense", scale), kernels: k, dense: true,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			return gp.KernelPrior{Kernel: k, Scale: scale, Candidates: o.dense, Float32: o.float32, Tol: o.tol}
		},
	}
}

// pathSettings are the dense model and its reductions.
func pathSettings(k kernels, scale float64, keeps []float64) ([]setting, fitter) {
	settings := []setting{denseSetting(k, scale)}
	for _, keep := range keeps {
		settings = append(settings, setting{
			name: fmt.Sprintf("kernel prior s²=%g, cut to %.2g", scale, keep), kernels: k,
			learner: func(k kernel.Kernel, o options) mpcvm.Learner {
				return gp.KernelPrior{Kernel: k, Scale: scale, Keep: keep * o.keep, Candidates: o.dense, Float32: o.float32, Tol: o.tol}
			},
		})
	}
	return settings, func(ctx context.Context, fold int, part *fitting.Data, reached func(*mpcvm.Model) bool) error {
		return gp.KernelPrior{Kernel: k.of(fold), Scale: scale, Candidates: mpcvm.AllCandidates, Tol: trialTol}.Path(ctx, mpcvm.Samples(part.Samples()), keeps, reached)
	}
}

func topDownSetting(k kernels) setting {
	return setting{
		name: "top down", kernels: k,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			return mpcvm.TopDown{Kernel: k, MaxIterations: o.limit, Candidates: o.candidates, Float32: o.float32}
		},
	}
}

func bottomUpSetting(k kernels, power float64) setting {
	l := mpcvm.BottomUp{LikelihoodPower: power}
	if power >= 100 { // more bases enter; adding more at a time is faster
		l.Additions = 3
	}
	return setting{
		name: fmt.Sprintf("bottom up, likelihood power %g", power), kernels: k,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			l := l
			l.Kernel, l.MaxIterations, l.Candidates, l.Float32 = k, o.limit, o.candidates, o.float32
			return l
		},
	}
}

// frequencies is a learner whose models predict the frequencies of the classes.
type frequencies struct{ kernel.Kernel }

// Fit implements mpcvm.Learner.
func (l frequencies) Fit(_ context.Context, s mpcvm.Samples, _ ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error) {
	t := s.T
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	b := d.Frequencies()
	logLik := d.BiasLogLik(b)
	m := mpcvm.NewModel(l.Kernel, d.X, t, make([][]int, d.C), make([][]float64, d.C), b)
	return m, mpcvm.Result{Status: mpcvm.Collapsed, Objective: logLik, LogLik: logLik}, nil
}

// frequenciesSetting is the setting without features. The kernel stands in the model file.
func frequenciesSetting(k kernels) setting {
	return setting{
		constant: true, name: "frequencies of the classes", kernels: k,
		learner: func(k kernel.Kernel, _ options) mpcvm.Learner { return frequencies{k} },
	}
}
