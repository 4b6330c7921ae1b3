package mpcvm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"gonum.org/v1/gonum/mat"
)

// Observer is called after each iteration, in the goroutine of Fit. It must not modify the Step. Use
// observers for printing, charts, progress and early stopping. An observer must not start a large fit,
// because that fit might wait for memory that the observed fit has reserved.
type Observer func(*Step)

// Step describes one iteration to an Observer. It is read-only, because its slices belong to the trace of the
// Result.
type Step struct {
	// Iteration is the number of the iteration, counted from 1.
	Iteration int
	// Objective is the quantity that the learner maximises, in nats, after this iteration. For TopDown it is
	// the log posterior Σ log p(t_n|W,b) + log p(W) + log p(b) with the marginal priors of eqs.
	// (full_prior_w) and (full_prior_b), minus the constant log p(0), so that a zero weight contributes
	// nothing. For BottomUp it is the lower bound F of the evidence, and for gp.KernelPrior the log posterior
	// F.
	Objective float64
	// LogLik is the log likelihood Σ log p(t_n|W,b) of the training samples, in nats.
	LogLik float64
	// Weights is the number of non-zero weights of each class.
	Weights []int
	// Added and Deleted list the basis functions that entered and left the model. Reestimated is the number
	// of basis functions whose precision alpha_nc was re-estimated.
	Added, Deleted []Basis
	Reestimated    int
	// Rejected reports whether the update of this iteration would have lowered the objective and was replaced
	// by another one.
	Rejected bool
	// StartShare is the share of the starting Z̄ in the Z̄ used by BottomUp in this iteration: 1 in the first
	// iteration, and 0 from the twelfth on. While it is positive, the objective may fall.
	StartShare float64
	// Change is max|ΔW| / max|W|.
	Change float64
	// Elapsed is the time since the fit started.
	Elapsed time.Duration

	run *Run
}

// Basis identifies the basis function of training sample Sample in the potential of class Class.
type Basis struct{ Sample, Class int }

// NonZero returns the total number of non-zero weights.
func (s *Step) NonZero() int {
	total := 0
	for _, n := range s.Weights {
		total += n
	}
	return total
}

// Classifier returns the model after this iteration. It must be called while the observer runs and returns
// nil afterwards. It also returns nil if the learner does not set Run.Snapshot.
func (s *Step) Classifier() Classifier {
	if s.run == nil || s.run.Snapshot == nil {
		return nil
	}
	return s.run.Snapshot()
}

// Model returns the result of Classifier if it is a *Model, and nil otherwise.
func (s *Step) Model() *Model {
	m, _ := s.Classifier().(*Model)
	return m
}

// Factors contains the sparsity and quality factors s_nc and q_nc of the basis functions in the marginal
// likelihood, computed without the basis function itself in the model. They include the LikelihoodPower. The
// basis function of sample n and class c raises the marginal likelihood if q² > s; BottomUp adds it if q also
// has the sign f_nc.
type Factors struct {
	// S and Q are the C×N factors s_nc and q_nc. They are NaN for samples that are not candidates.
	S, Q *mat.Dense
	// Alpha contains the C×N precisions of the basis functions in the model. It is +Inf for the other basis
	// functions.
	Alpha *mat.Dense
}

// Factors returns the factors after this iteration, which determine the changes of the next iteration. It
// must be called while the observer runs, and takes about as long as an iteration. It returns nil for
// learners other than BottomUp, and if the context has ended.
func (s *Step) Factors() *Factors {
	if s.run == nil || s.run.factors == nil {
		return nil
	}
	return s.run.factors()
}

// Limit returns the maximum number of iterations of the fit, for progress displays. It returns 0 after the
// observer has returned.
func (s *Step) Limit() int {
	if s.run == nil {
		return 0
	}
	return s.run.limit
}

// Stop ends the fit after this iteration with status Stopped.
func (s *Step) Stop() {
	if s.run != nil {
		s.run.stop = true
	}
}

// Result describes a fit.
type Result struct {
	// Status is the reason why the fit ended.
	Status Status
	// Iterations is the number of complete iterations.
	Iterations int
	// Objective and LogLik are the values for the returned model, in nats and at temperature 1; see Step.
	Objective, LogLik float64
	// Trace contains a Step for each iteration.
	Trace []Step
	// Partial describes the model if the context or a time budget ended the fit: a model of an intermediate
	// iteration, a model without a chosen temperature, or a model from cross-validation, which was trained on
	// a subset of the samples. For a model from cross-validation, and for a mean of two models, Objective and
	// LogLik are zero. Partial is empty if the fit is complete.
	Partial string
	// Candidates is the number of samples whose basis functions could enter the model, or 0 if all samples
	// could.
	Candidates int
	// Samples is the number of samples that the model was trained on if a search returned a model of some of
	// them; 0 means all.
	Samples int
	// Trials lists the settings that search.Width or search.Auto tried, in order. It is nil for other
	// learners.
	Trials []Trial
	// Settings is the number of settings that search.Auto would have tried in all: the length of Trials, or an
	// estimate above it if the context or the budget ended the search. It is 0 for other learners.
	Settings int
	// Validated is a model of search.Auto that was scored on held-out samples. It is nil with at most 5000
	// samples, unless there is a budget or the search was cancelled.
	Validated *Validated
	// RawUnits reports whether the standard deviations of the features differ by more than a factor of ten, so
	// that the kernel hardly sees the features with small ones. Standardise the features, or use search.Auto.
	// It is set by TopDown, BottomUp and gp.KernelPrior.
	RawUnits bool
	// Seconds is the wall time of the fit, including the choice of the kernel.
	Seconds float64
}

// Validated is a model that was trained on a subset of the samples and scored on the rest.
type Validated struct {
	Model *Model
	// Unseen lists the held-out samples in ascending order.
	Unseen []int
}

// Trial is a setting that search.Width or search.Auto tried.
type Trial struct {
	// Kernel is the kernel that was tried.
	Kernel kernel.Kernel
	// LogLoss is the mean of −log p(t_n) over the samples, in nats, and ErrorRate is the share of
	// misclassified samples. Each sample is predicted by a model that did not see it.
	LogLoss, ErrorRate float64
	// Samples is the number of samples on which the setting was tried; cross-validation divides them into
	// folds. Trials with different Samples cannot be compared.
	Samples int

	// Chosen reports whether the model uses this setting.
	Chosen bool
	// Refit fits this setting to other samples. The kernel and all options are fixed; for search.Auto, the
	// temperature and the floor are fixed, too.
	Refit Learner

	// The remaining fields are set only by search.Auto. Its LogLoss and ErrorRate are computed with the
	// temperature and the floor of the setting.

	// Learner describes the learner and its options.
	Learner string
	// Temperature is the temperature chosen for this setting; see Model.WithTemperature.
	Temperature float64
	// ErrorSE is the standard error of ErrorRate.
	ErrorSE float64
	// Weights is the number of non-zero weights of a model with this setting, averaged over the folds.
	Weights int
	// Seconds is the time of the trial.
	Seconds float64
	// GivenUp reports whether the setting was abandoned after the first fold. If so, LogLoss is the log loss
	// of that fold.
	GivenUp bool
}

// Run manages the context, the observers, the trace and the clock of a fit. All learners use it, including
// those outside this package:
//
//	run := mpcvm.NewRun(ctx, limit, observers...)
//	for {
//		... // an iteration
//		if run.Record(step) {
//			break
//		}
//		if converged {
//			run.End(mpcvm.Converged)
//			break
//		}
//	}
//	result, err := run.Finish()
type Run struct {
	// Snapshot, if not nil, returns the model of the current iteration for observers; see Step.Classifier.
	Snapshot func() Classifier
	// Result is the result so far. A learner may change its Objective and LogLik.
	Result Result

	factors func() *Factors // for Step.Factors; nil for learners other than BottomUp

	ctx       context.Context
	observers []Observer
	limit     int
	start     time.Time
	stop      bool
}

// NewRun starts the clock of a fit with at most limit iterations. A limit of 0 means no limit.
func NewRun(ctx context.Context, limit int, observers ...Observer) *Run {
	return &Run{ctx: ctx, limit: limit, observers: observers, start: time.Now()}
}

// Record appends the step to the trace, with its number and time, and calls the observers. It reports whether
// the fit must end. In that case it has set the status: Stopped by an observer, Cancelled by the context, or
// IterationLimit.
func (r *Run) Record(s Step) (end bool) {
	s.Iteration = len(r.Result.Trace) + 1
	s.Elapsed = time.Since(r.start)
	r.Result.Trace = append(r.Result.Trace, s)
	r.Result.Iterations, r.Result.Objective, r.Result.LogLik = s.Iteration, s.Objective, s.LogLik
	s.run = r
	for _, observe := range r.observers {
		observe(&s)
	}
	s.run = nil
	switch {
	case r.stop:
		r.End(Stopped)
	case r.ctx.Err() != nil:
		r.End(Cancelled)
	case r.limit > 0 && s.Iteration >= r.limit:
		r.End(IterationLimit)
	}
	return r.Result.Status != NotTerminated
}

// End sets the status. It does not replace the statuses Stopped and Cancelled, because an observer or the
// context has ended the fit.
func (r *Run) End(s Status) {
	if r.Result.Status != Stopped && r.Result.Status != Cancelled {
		r.Result.Status = s
	}
}

// Finish returns the result. If the status is Cancelled, it also returns an error that wraps the error of the
// context.
func (r *Run) Finish() (Result, error) {
	r.Result.Seconds = time.Since(r.start).Seconds()
	if r.Result.Status == Cancelled {
		if r.Result.Iterations > 0 {
			r.Result.Partial = fmt.Sprintf("the fit ended in iteration %d", r.Result.Iterations)
		}
		return r.Result, fmt.Errorf("mpcvm: fit cancelled after %d iterations: %w", r.Result.Iterations,
			r.ctx.Err())
	}
	return r.Result, nil
}

// Classifier is a fitted model of any learner, inside or outside this module.
type Classifier interface {
	// Predict writes a label for each row of x to dst (allocated if nil) and returns it. The label is −1 for
	// a row that cannot be classified, for example because a feature is NaN.
	Predict(dst []int, x mat.Matrix) []int
	// Proba writes the N×C probabilities to dst (allocated if nil) and returns it. Rows sum to one.
	Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// Frontier returns the trials that have a lower log loss than every other trial with at most as many weights,
// together with the chosen trial, ordered by the number of weights. Trials with different Samples are
// compared separately. Trials that were given up are skipped, because their log loss covers only one fold.
func (r *Result) Frontier() []Trial {
	sorted := slices.SortedStableFunc(slices.Values(r.Trials), func(a, b Trial) int {
		return cmp.Or(cmp.Compare(a.Weights, b.Weights), cmp.Compare(a.LogLoss, b.LogLoss))
	})
	best := map[int]float64{}
	return slices.DeleteFunc(sorted, func(t Trial) bool {
		if l, ok := best[t.Samples]; ok && t.LogLoss >= l || t.GivenUp {
			return !t.Chosen
		}
		best[t.Samples] = t.LogLoss
		return false
	})
}
