package search

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// setting is a learner with its options and a kernel, and the result of its trial.
type setting struct {
	name     string
	learner  func(k kernel.Kernel, o options) mpcvm.Learner
	kernels  kernels
	constant bool     // the model predicts the class frequencies
	dense    bool     // the model keeps all weights
	linear   bool     // the potentials are linear in the features
	first    *setting // in the second round, this setting in the first round; else nil
	next     *setting // the setting to fit if the final fit of this one collapses; may be nil

	y             *mat.Dense // held-out potentials; nil with more than firstSamples samples
	losses        []float64  // calibrated −log p(t_n) of held-out samples; NaN if a sample is not scored
	sampleWeights []float64  // weights of these samples; nil for ones
	logLoss       float64    // the mean of losses
	standardError float64    // of logLoss
	givenUp       bool       // the setting lost in the first fold and was not scored on the others
	samples       int        // the number of samples of the trial
	size          int        // the mean number of weights of a model
	fold          partial    // the model of one fold
	calibration   fitting.Calibration
	trial         int // the number of the trial
}

// options are the options of a fit that are not part of its setting.
type options struct {
	candidates, dense int // Candidates of TopDown and BottomUp, and Candidates of KernelPrior
	float32           bool
	keep              float64 // a factor for Keep
	tol               float64 // Tol of KernelPrior
}

// family is a family of kernels, with a common width or a width for each feature.
type family struct {
	kernel.Tunable
	all   []float64   // the importances of the features (see gp.ARDResult); nil for a common width
	folds [][]float64 // the same of each fold, nil until they are learned from its training set
	learn func(ctx context.Context, d *fitting.Data) ([]float64, error)
}

// at returns the kernels with the width θ, multiplied by the importance of each feature.
func (f family) at(theta float64) kernels { return kernels{f.with(theta, f.all), f, theta} }

func (f family) with(theta float64, importance []float64) kernel.Kernel {
	k := f.WithTheta(theta)
	if importance == nil {
		return k
	}
	return k.(kernel.PerFeature).WithThetas(floats.ScaleTo(make([]float64, len(importance)), theta, importance))
}

// kernels is the kernel of a setting, and the family and width from which the kernels of folds are made.
type kernels struct {
	kernel.Kernel
	family family
	theta  float64
}

// of returns the kernel for a fold with the given training set.
func (k kernels) of(ctx context.Context, fold int, train *fitting.Data) (_ kernel.Kernel, err error) {
	f := k.family
	if f.folds == nil {
		return k.Kernel, nil
	}
	if f.folds[fold] == nil {
		if f.folds[fold], err = f.learn(ctx, train); err != nil {
			return nil, err
		}
	}
	return f.with(k.theta, f.folds[fold]), nil
}

// The values of Tol of KernelPrior. Compared with the default, trialTol changes log losses on Vowel by at
// most 0.0001. With screeningTol, a fit takes about two thirds of the time, and with candidateTol, a fit with
// candidates takes three quarters of the time of one with screeningTol (log loss +0.0004).
const trialTol, screeningTol, candidateTol = 1e-2, 1e-1, 0.3

// trialOptions returns the options of trials with the samples d.
func (s *state) trialOptions(d *fitting.Data) options {
	o := options{candidates: mpcvm.AllCandidates, dense: mpcvm.AllCandidates, keep: 1, tol: trialTol}
	if o.float32 = d.N > fewSamples; d.N > coarseSamples || d.N < s.train.N {
		o.tol = screeningTol
	}
	return o
}

// trialFitter returns the fitter of a setting for trials; n is the number of samples of the final fit.
func trialFitter(c setting, o options, n int) fitter {
	return func(ctx context.Context, fold int, train *fitting.Data, next func(*mpcvm.Model) bool) error {
		k, err := c.kernels.of(ctx, fold, train)
		if err != nil {
			return err
		}
		return fitterOf(forTrials(c.learner(k, o), n))(ctx, fold, train, next)
	}
}

// linearScales are the prior variances of the potentials of a linear model. The search starts at the index
// firstLinear.
var linearScales = []float64{0.1, 0.3, 1, 3, 10, 30, 100}

const firstLinear = 2

// linearSetting returns a model with linear potentials, whose prior covariance is s²(xᵀy/D + 1).
func linearSetting(features int, scale float64) setting {
	d := float64(features)
	learner := func(k kernel.Kernel, o options) mpcvm.Learner {
		return gp.KernelPrior{Kernel: k, Scale: scale / d, Candidates: mpcvm.AllCandidates, Tol: o.tol}
	}
	k := kernels{Kernel: kernel.Linear{Offset: d}}
	return setting{name: fmt.Sprintf("linear s²=%g", scale), kernels: k, linear: true, learner: learner}
}

// meanSetting returns the mean of the potentials of a linear and a kernel model, which have been scored, each
// divided by its temperature.
func meanSetting(linear, other *setting) setting {
	a, b := cmp.Or(linear.first, linear), cmp.Or(other.first, other)
	return setting{
		name:    fmt.Sprintf("mean of %s and %s", a.name, b.name),
		kernels: other.kernels, size: linear.size + other.size, samples: other.samples,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			return mean{linear.learner(linear.kernels.Kernel, o), other.learner(k, o),
				0.5 / linear.calibration.Temperature, 0.5 / other.calibration.Temperature}
		},
	}
}

func denseSetting(k kernels, scale float64) setting { return priorSetting(k, scale, 0) }

// priorSetting returns a setting of gp.KernelPrior: the dense model if keep is zero, or a reduction.
func priorSetting(k kernels, scale, keep float64) setting {
	how := "dense"
	if keep > 0 {
		how = fmt.Sprintf("cut to %.2g", keep)
	}
	return setting{
		name: fmt.Sprintf("kernel prior s²=%g, %s", scale, how), kernels: k, dense: keep == 0,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			return gp.KernelPrior{Kernel: k, Scale: scale, Keep: keep * o.keep, Candidates: o.dense,
				Float32: o.float32, Tol: o.tol}
		},
	}
}

// pathSettings returns the settings of the dense model and its reductions, and a fitter for all of them.
func pathSettings(k kernels, scale float64, o options) ([]setting, fitter) {
	settings := []setting{denseSetting(k, scale)}
	for _, keep := range fitting.Keeps {
		settings = append(settings, priorSetting(k, scale, keep))
	}
	return settings, func(ctx context.Context, fold int, train *fitting.Data,
		next func(*mpcvm.Model) bool) error {
		k, err := k.of(ctx, fold, train)
		if err != nil {
			return err
		}
		l := settings[0].learner(k, o).(gp.KernelPrior)
		return l.Path(ctx, mpcvm.Samples(train.Samples()), fitting.Keeps, next)
	}
}

func topDownSetting(k kernels) setting {
	return setting{name: "top down", kernels: k, learner: func(k kernel.Kernel, o options) mpcvm.Learner {
		return mpcvm.TopDown{Kernel: k, Candidates: o.candidates, Float32: o.float32}
	}}
}

func bottomUpSetting(k kernels, power float64) setting {
	l := mpcvm.BottomUp{LikelihoodPower: power}
	if power >= 100 { // many bases enter; adding three at a time is faster
		l.Additions = 3
	}
	name := fmt.Sprintf("bottom up, likelihood power %g", power)
	return setting{name: name, kernels: k, learner: func(k kernel.Kernel, o options) mpcvm.Learner {
		l := l
		l.Kernel, l.Candidates, l.Float32 = k, o.candidates, o.float32
		return l
	}}
}

// frequenciesSetting returns the setting that ignores the features. Its kernel only appears in the model
// file.
func frequenciesSetting(k kernels) setting {
	learner := func(k kernel.Kernel, _ options) mpcvm.Learner { return frequencies{k} }
	return setting{constant: true, name: "frequencies of the classes", kernels: k, learner: learner}
}
