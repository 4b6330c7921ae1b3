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

// Samples are training data. Without weights, groups and times, they are Samples{X: x, T: t}.
type Samples struct {
	// X has N samples (rows) of D features.
	X mat.Matrix
	// T has the N labels, 0 to C−1. Every class must be present.
	T []int

	// Weights contains a weight ω > 0 for each sample. If it is nil, all weights are 1. The likelihood of a
	// sample is raised to the power ω, so a sample with weight 2 counts as two equal samples, both in the
	// fit and in the log loss that compares settings. The larger the sum of the weights, the less the prior
	// counts. TopDown, BottomUp, gp.KernelPrior, gp.ARD and search.Auto support weights; other learners
	// return an error.
	//
	// With the diagonal matrix Ω of the weights, the products ΦᵀΦ, Φᵀz̄ and 1ᵀz̄ in eqs. (new_w) and
	// (new_b) of the paper become ΦᵀΩΦ, ΦᵀΩz̄ and 1ᵀΩz̄, because raising a likelihood to a power raises its
	// bound in the E-step to the same power. The factors S and Q change in the same way.
	Weights []float64

	// Groups contains a group for each sample, such as the patient for several measurements of one patient;
	// nil means no groups. Cross-validation keeps the samples of a group in one fold, so that a model is
	// never scored on samples it practically knows. If a class has only one group, that group is in every
	// training set. If fewer than half of the samples could be scored this way, the samples are assigned to
	// folds individually.
	Groups []int

	// Times contains a finite time for each sample; nil means no times. Cross-validation then scores models
	// only on samples that are later than all their training samples: the earliest samples, which include
	// every class, are only used for training, and the rest form K folds in the order of time. If fewer
	// than half of the samples could be scored this way, the samples are assigned to folds individually. If
	// both Times and Groups are given, Groups are ignored.
	Times []float64
}

// LearnerOf is a struct of options that fits a classifier of type M to training data.
type LearnerOf[M Classifier] interface {
	// Fit trains a classifier on samples. It panics if the slices of the samples differ in length.
	Fit(ctx context.Context, s Samples, observers ...Observer) (M, Result, error)
}

// Learner fits a Model. TopDown and BottomUp are learners, and so are gp.KernelPrior and
// search.Auto.
type Learner = LearnerOf[*Model]

var (
	_ Learner = TopDown{}
	_ Learner = BottomUp{}
)

// CellError reports training data from which nothing can be learned, or a cell of a table that
// cannot be used. Use errors.As to get it. Rows and columns count from 1; 0 means that the fault
// has no such place. A data.CellError has the same fields, and errors.As finds either.
type CellError struct {
	Package string // that found the fault
	Name    string // of the table; "" for a matrix
	Line    int    // of the text that the table was read from
	Row     int64  // of x or of the table
	Column  int    // of x or of the table; 0 for a wrong label
	Header  string // name of the column; "" if it is not known
	Value   any    // the offending feature, label, count or text; nil or "" if there is none
	Err     error  // what is wrong
}

// Error returns the place, the cause and the value as a text.
func (e *CellError) Error() string {
	named := cell.Error(*e)
	named.Package = cmp.Or(named.Package, "data")
	return named.Error()
}

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }

// As lets errors.As find errors of this kind under any of their types.
func (e *CellError) As(target any) bool { return cell.As(e, target) }

// MemoryError reports that a fit was refused, before it allocated anything, because it needs more memory
// than is available. Use errors.As to get it. Memory is checked on Linux only.
type MemoryError struct {
	What string // the fit, such as "mpcvm: BottomUp of 90000 samples"
	// Need is the memory that the fit needs at least, and Have is the memory that the process can get, in
	// bytes. Have is the smaller of the system's available memory and what the limits of the process's
	// control group leave. Memory held by other fits of the process counts as available, because a fit
	// waits for it.
	Need, Have float64
	Advice     string // what the user can do
}

// Error names the fit, what it needs, what is available and what to do.
func (e *MemoryError) Error() string { return (*memory.Error)(e).Error() }

// AllCandidates is the number of candidates with which TopDown, BottomUp or search.Auto take all N samples
// as candidates, even if there are more than 5000. The fit then needs memory for N² kernel values.
const AllCandidates = -1

// candidates returns how many of n samples are candidates, 0 for all. option is that of the
// learner called name.
func candidates(name string, option, n int, asPublished bool) int {
	if asPublished {
		return fitting.CandidateCount(name, option, n, n)
	}
	return fitting.CandidateCount(name, option, n, fitting.Many)
}

// trialCandidates is the option Candidates of a learner called name for fits to parts of n samples.
func trialCandidates(name string, option, n int, asPublished bool) int {
	return cmp.Or(candidates(name, option, n, asPublished), AllCandidates)
}

// Check checks training data and returns the number of classes C, or a *CellError. It panics if the
// slices of the samples differ in length. It is for learners outside this package.
func Check(s Samples) (classes int, err error) {
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return 0, err
	}
	return d.C, nil
}

// core is a learner's Fit after the data are checked and the kernel has its width.
type core func(ctx context.Context, d *fitting.Data, k kernel.Kernel, observers []Observer) (*Model, Result,
	error)

// fit checks the data, gives the kernel its width if it has none, and learns.
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
	result.Seconds = time.Since(start).Seconds()
	return model, result, err
}
