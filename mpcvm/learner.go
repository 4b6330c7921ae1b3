package mpcvm

import (
	"cmp"
	"context"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Samples are training data. Without weights, groups and times, use Samples{X: x, T: t}.
type Samples struct {
	// X contains N samples (rows) with D features (columns). Kernels compare samples by their distances, so
	// features in different units should be standardised, for example with data.FitStandardizer. search.Auto
	// and search.Width do that themselves; TopDown, BottomUp and gp.KernelPrior report it in Result.RawUnits.
	X mat.Matrix
	// T contains the N labels, which are integers from 0 to C−1; data.Labels numbers the names of classes.
	// Every class must be present.
	T []int

	// Weights contains a positive weight ω for each sample. If it is nil, all weights are 1. The likelihood
	// of a sample is raised to the power ω, so a sample with weight 2 counts as two equal samples, both in
	// the fit and in the log loss by which settings are compared. The larger the sum of the weights, the
	// smaller the influence of the prior. TopDown, BottomUp, gp.KernelPrior, gp.ARD and search.Auto support
	// weights; other learners return an error.
	//
	// With the diagonal matrix Ω of the weights, the products ΦᵀΦ, Φᵀz̄ and 1ᵀz̄ in eqs. (new_w) and (new_b)
	// of the paper become ΦᵀΩΦ, ΦᵀΩz̄ and 1ᵀΩz̄, because raising a likelihood to a power raises its bound in
	// the E-step to the same power. The factors S and Q change in the same way.
	Weights []float64

	// Groups contains a group for each sample, for example the patient if a patient has several samples; nil
	// means no groups. Cross-validation keeps the samples of a group in one fold, so that a model is never
	// scored on samples that are nearly the same as its training samples. If all samples of a class belong to
	// one group, that group is in every training set. If fewer than half of the samples could be scored this
	// way, groups are ignored and the samples are assigned to folds individually.
	Groups []int

	// Times contains a finite time for each sample; nil means no times. Cross-validation then scores a model
	// only on samples that are later than all its training samples: the earliest samples, which include every
	// class, are used only for training, and the rest form K folds in chronological order. If fewer than half
	// of the samples could be scored this way, times are ignored and the samples are assigned to folds
	// individually. If both Times and Groups are set, Groups are ignored.
	Times []float64
}

// LearnerOf is implemented by learners: structs of options that fit a classifier of type M to training data.
type LearnerOf[M Classifier] interface {
	// Fit trains a classifier on samples.
	Fit(ctx context.Context, s Samples, observers ...Observer) (M, Result, error)
}

// Learner fits a Model. TopDown, BottomUp, gp.KernelPrior and search.Auto are learners.
type Learner = LearnerOf[*Model]

var (
	_ Learner = TopDown{}
	_ Learner = BottomUp{}
)

// CellError reports training data that are invalid, or a cell of a table that cannot be used. Use errors.As
// to detect it. Rows and columns are counted from 1; 0 means that the error does not belong to a row or a
// column.
type CellError struct {
	Package string // the package that found the error
	Name    string // the name of the table; "" for a matrix
	Line    int    // the line of the text file that the table was read from
	Row     int64  // the row of x or of the table
	Column  int    // the column of x or of the table; 0 for an invalid label
	Header  string // the name of the column; "" if unknown
	Value   any    // the invalid feature, label, count or text; nil or "" if none
	Err     error  // what is wrong
}

// Error returns a message with the position, the cause and the value.
func (e *CellError) Error() string { return (*cell.Error)(e).Error() }

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }

// As lets errors.As convert the error to any type with the same fields, such as the errors of
// package data.
func (e *CellError) As(target any) bool { return cell.As(e, target) }

// MemoryError reports that a fit was refused, before it allocated anything, because it needs more memory than
// is available. Use errors.As to detect it. Memory is checked only on Linux.
type MemoryError struct {
	What string // the fit, such as "mpcvm: BottomUp of 90000 samples"
	// Need is the minimum memory for the fit, and Have is the memory available to the process, both in bytes.
	// Have is the smaller of the system's available memory and the memory remaining within the limits of the
	// process's control group. Memory used by other fits of the process counts as available, because a fit
	// waits for it.
	Need, Have float64
	Advice     string // what the user can do
}

// Error returns a message with the fit, the memory it needs, the available memory and the advice.
func (e *MemoryError) Error() string { return (*memory.Error)(e).Error() }

// AllCandidates is a value for the field Candidates of TopDown, BottomUp, gp.KernelPrior and search.Auto. It
// makes every sample a candidate, however many there are; the kernel matrix then has N² entries.
const AllCandidates = -1

// candidates returns the number of candidates among n samples, or 0 for all. option is the value of the
// option called name.
func candidates(name string, option, n int, asPublished bool) int {
	if asPublished {
		return fitting.CandidateCount(name, option, n, n)
	}
	return fitting.CandidateCount(name, option, n, fitting.Many)
}

// trialCandidates returns the value of the option Candidates for fits to subsets of n samples. name is the
// name of the option.
func trialCandidates(name string, option, n int, asPublished bool) int {
	return cmp.Or(candidates(name, option, n, asPublished), AllCandidates)
}

// Check validates training data and returns the number of classes C, or a *CellError. Use it in learners
// outside this package.
func Check(s Samples) (classes int, err error) {
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return 0, err
	}
	return d.C, nil
}

// core is the Fit method of a learner after the data have been validated and the kernel has its width.
type core func(ctx context.Context, d *fitting.Data, k kernel.Kernel, observers []Observer) (*Model, Result,
	error)

// fit validates the data, chooses the kernel width if it is zero, and calls learn.
func fit(ctx context.Context, s Samples, k kernel.Kernel, observers []Observer, learn core) (*Model, Result,
	error) {
	start := time.Now()
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return nil, Result{}, err
	}
	if k, err = d.MedianKernel("mpcvm", k); err != nil {
		return nil, Result{}, err
	}
	model, result, err := learn(ctx, d, k, observers)
	_, _, result.RawUnits = d.Scaling()
	result.Seconds = time.Since(start).Seconds()
	return model, result, err
}
