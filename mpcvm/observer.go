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

// Observer is called once an iteration, in the goroutine of Fit. It must not modify the
// Step. Printing, charts, progress and early stopping are observers. An observer must not start
// a large fit: it might wait for the memory that the observed fit holds.
type Observer func(*Step)

// Step is what an Observer sees of one iteration. It is read-only: its slices belong to the
// trace of the Result.
type Step struct {
	// Iteration counts from 1.
	Iteration int
	// Objective is the quantity that the learner maximises, in nats, after this iteration.
	// For TopDown it is the log posterior Σ log p(t_n|W,b) + log p(W) + log p(b) with the
	// marginal priors of eqs. (full_prior_w) and (full_prior_b), less the constant log p(0),
	// so that a weight at zero costs nothing. For BottomUp it is the lower bound F of the
	// evidence, and for gp.KernelPrior the log posterior F.
	Objective float64
	// LogLik is Σ log p(t_n|W,b) of the training samples, in nats.
	LogLik float64
	// Weights counts the non-zero weights of each class.
	Weights []int
	// Added and Deleted list the basis functions that entered and left the model.
	// Reestimated counts the bases whose precision alpha_nc was estimated again.
	Added, Deleted []Basis
	Reestimated    int
	// Rejected reports whether the update of this iteration would have lowered the objective and was
	// replaced by another one.
	Rejected bool
	// StartShare is the share of the starting Z̄ in the Z̄ that BottomUp learned from in this iteration: 1
	// in the first iteration, 0 from the twelfth on. The objective may fall while it is positive.
	StartShare float64
	// Change is max|ΔW| / max|W|.
	Change float64
	// Elapsed is the time since the start of the fit.
	Elapsed time.Duration

	run *Run
}

// Basis names the basis function of training sample Sample in the potential of class Class.
type Basis struct{ Sample, Class int }

// NonZero returns the number of non-zero weights of all classes.
func (s *Step) NonZero() int {
	total := 0
	for _, n := range s.Weights {
		total += n
	}
	return total
}

// Classifier returns the model after this iteration. It may be called only while the observer runs; later
// it returns nil. It also returns nil if the learner does not set Run.Snapshot.
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

// Factors are the sparsity and quality factors s_nc and q_nc of the basis functions in the marginal
// likelihood, computed without the basis function itself in the model. They include the LikelihoodPower.
// The basis function of sample n and class c raises the marginal likelihood if q² > s; BottomUp adds it if
// q also has the sign f_nc.
type Factors struct {
	// S and Q are C×N. They are NaN for a sample that is not a candidate.
	S, Q *mat.Dense
	// Alpha has the precisions of the basis functions in the model, +Inf for the others. It is
	// C×N.
	Alpha *mat.Dense
}

// Factors returns the factors after this iteration, by which the next iteration chooses. It may be called
// only while the observer runs and takes about as long as an iteration. It returns nil for learners other
// than BottomUp, and if the context has ended.
func (s *Step) Factors() *Factors {
	if s.run == nil || s.run.factors == nil {
		return nil
	}
	return s.run.factors()
}

// Limit returns the largest number of iterations of the fit, for progress displays. It returns 0 after the
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
	// Objective and LogLik belong to the model returned, in nats, at temperature 1; see
	// Step.
	Objective, LogLik float64
	// Trace has a Step for each iteration.
	Trace []Step
	// Partial describes the model if a context or a time budget ended the fit: a model of an intermediate
	// iteration, a model without a chosen temperature, or a model of cross-validation, which was trained on
	// a subset of the samples. In the last case Objective and LogLik are zero. Partial is empty if the fit
	// is complete.
	Partial string
	// Candidates is the number of samples whose basis functions could enter the model, or 0 if all samples
	// could.
	Candidates int
	// Trials are the settings that search.Width or search.Auto tried, in order. Other learners leave it
	// nil.
	Trials []Trial
	// Validated is the model of search.Auto that was scored on held-out samples, if there are enough
	// samples; otherwise it is nil.
	Validated *Validated
	// Seconds is the wall time of the fit, the choice of the kernel included.
	Seconds float64
}

// Validated is a model that was trained on a subset of the samples and scored on the rest.
type Validated struct {
	Model *Model
	// Unseen lists the held-out samples, ascending.
	Unseen []int
}

// Trial is a setting that was tried when a kernel's width or, by search.Auto, the whole model was chosen.
type Trial struct {
	// Kernel is the kernel that was tried.
	Kernel kernel.Kernel
	// LogLoss is the mean of −log p(t_n) over the samples, in nats, and ErrorRate the share of
	// misclassified samples, each predicted by a model that did not see it.
	LogLoss, ErrorRate float64
	// Samples is the number of samples on which the setting was tried, shared by the folds in
	// cross-validation. Trials with different Samples cannot be compared.
	Samples int

	// Chosen reports whether the model uses this setting.
	Chosen bool
	// Refit fits this setting to other samples. The kernel and all options are fixed, and for search.Auto
	// the temperature and the floor, too.
	Refit Learner

	// The remaining fields are set by search.Auto alone, where LogLoss and ErrorRate are those at
	// the temperature and with the floor of the setting.

	// Learner describes the learner and its options.
	Learner string
	// Temperature is the temperature for the models of this setting; see Model.WithTemperature.
	Temperature float64
	// Weights is the mean number of non-zero weights of the models.
	Weights int
	// Seconds is the time of the trial.
	Seconds float64
	// GivenUp reports whether the setting was abandoned after the first fold. LogLoss is then the log loss
	// of that fold.
	GivenUp bool
}

// Run is the frame of a fit: context, observers, trace and clock. All learners use it, also
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
	// Snapshot, if not nil, makes the model of the present iteration for observers; see
	// Step.Classifier.
	Snapshot func() Classifier
	// Result is the result so far. A learner may change its Objective and LogLik.
	Result Result

	factors func() *Factors // of Step.Factors; nil for learners other than BottomUp

	ctx       context.Context
	observers []Observer
	limit     int
	start     time.Time
	stop      bool
}

// NewRun starts the clock of a fit of at most limit iterations. A limit of 0 means none.
func NewRun(ctx context.Context, limit int, observers ...Observer) *Run {
	return &Run{ctx: ctx, limit: limit, observers: observers, start: time.Now()}
}

// Record appends the step to the trace, with its number and time, and shows it to the
// observers. It reports whether the fit must end, with the status set: Stopped by an
// observer, Cancelled by the context, or IterationLimit.
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

// End sets the status. If the status is already Stopped or Cancelled, it stays, because an observer or the
// context has ended the fit.
func (r *Run) End(s Status) {
	if r.Result.Status != Stopped && r.Result.Status != Cancelled {
		r.Result.Status = s
	}
}

// Finish returns the result. Its error wraps the error of the context if the status is
// Cancelled.
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

// Classifier is a fitted model of any learner, of this module or elsewhere.
type Classifier interface {
	// Predict returns a label for each row of x, −1 where there is none. A nil dst is
	// allocated.
	Predict(dst []int, x mat.Matrix) []int
	// Proba returns the N×C probabilities; rows sum to one. A nil dst is allocated.
	Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// Frontier returns the chosen trial and the trials that no smaller or equally large trial beats in log
// loss, ordered by their weights. Trials with different Samples are compared separately. Trials that were
// given up are skipped, because their log loss covers only one fold.
func (r *Result) Frontier() []Trial {
	sorted := slices.SortedStableFunc(slices.Values(r.Trials), func(a, b Trial) int {
		return cmp.Or(cmp.Compare(a.Weights, b.Weights), cmp.Compare(a.LogLoss, b.LogLoss))
	})
	least := map[int]float64{}
	return slices.DeleteFunc(sorted, func(t Trial) bool {
		if l, ok := least[t.Samples]; ok && t.LogLoss >= l || t.GivenUp {
			return !t.Chosen
		}
		least[t.Samples] = t.LogLoss
		return false
	})
}
