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
	// Reestimated counts those whose precision alpha_nc was set anew.
	Added, Deleted []Basis
	Reestimated    int
	// Rejected says that the update of this iteration would have lowered the objective, and
	// that another was made in its place.
	Rejected bool
	// Held is the share of the first Z̄ in the one that BottomUp learned from in this iteration:
	// 1 in the first, 0 from the twelfth on. Until then the objective may fall.
	Held float64
	// Change is max|ΔW| / max|W|.
	Change float64
	// Elapsed is the time since the start of the fit.
	Elapsed time.Duration

	run *Run
}

// Basis names the basis function of training sample Sample in the potential of class Class.
type Basis struct{ Sample, Class int }

// NonZero is the number of non-zero weights of all classes.
func (s *Step) NonZero() int {
	total := 0
	for _, n := range s.Weights {
		total += n
	}
	return total
}

// Classifier returns the model after this iteration. It may be called only while the observer
// runs; later it returns nil. It also returns nil if the learner sets no Run.Snapshot.
func (s *Step) Classifier() Classifier {
	if s.run == nil || s.run.Snapshot == nil {
		return nil
	}
	return s.run.Snapshot()
}

// Model is Classifier for learners of a *Model. For others it returns nil.
func (s *Step) Model() *Model {
	m, _ := s.Classifier().(*Model)
	return m
}

// Factors are what BottomUp judges basis functions by: the factors s_nc and q_nc of each basis
// function in the marginal likelihood, without itself in the model. One of sample n and class c
// raises the likelihood if q² > s, and BottomUp takes it if q also has the sign f_nc. Both
// factors include the LikelihoodPower.
type Factors struct {
	// S and Q are C×N. They are NaN for a sample that is no candidate.
	S, Q *mat.Dense
	// Alpha has the precisions of the basis functions in the model, +Inf for the others. It is
	// C×N.
	Alpha *mat.Dense
}

// Factors returns the factors after this iteration, those by which the next one chooses. As
// Classifier, it may be called only while the observer runs. It takes about as long as an
// iteration. It returns nil for learners other than BottomUp, and if the context has ended.
func (s *Step) Factors() *Factors {
	if s.run == nil || s.run.factors == nil {
		return nil
	}
	return s.run.factors()
}

// Limit is the largest number of iterations of the fit, for progress displays. It is 0
// after the observer has returned.
func (s *Step) Limit() int {
	if s.run == nil {
		return 0
	}
	return s.run.limit
}

// Stop asks the learner to end after this iteration with status Stopped.
func (s *Step) Stop() {
	if s.run != nil {
		s.run.stop = true
	}
}

// Result describes a fit.
type Result struct {
	// Status says why the fit ended.
	Status Status
	// Iterations is the number of complete iterations.
	Iterations int
	// Objective and LogLik belong to the model returned, in nats, at temperature 1; see
	// Step.
	Objective, LogLik float64
	// Trace has a Step for each iteration.
	Trace []Step
	// Partial says what the model is if a context or a budget of time ended the fit: the model of
	// an iteration, one whose temperature is not known, or one of cross-validation that learned
	// from a part of the samples. In the last case Objective and LogLik are zero. Partial is
	// empty if the fit is whole.
	Partial string
	// Candidates is the number of samples whose basis functions could enter the model, 0 if all
	// could.
	Candidates int
	// Trials are the settings that search.Width or search.Auto tried, in order; nil of other learners.
	Trials []Trial
	// Held is the model of search.Auto that samples outside it have judged, if there are many
	// samples; else nil.
	Held *Held
	// Seconds is the wall time of the fit, the choice of the kernel included.
	Seconds float64
}

// Held is a model of a part of the samples.
type Held struct {
	Model *Model
	// Unseen are the samples that judged it, ascending.
	Unseen []int
}

// Trial is a setting that was tried in the choice of a kernel's width, or by search.Auto.
type Trial struct {
	// Kernel is the kernel that was tried.
	Kernel kernel.Kernel
	// LogLoss is the mean −log p(t_n) of the samples, in nats, each by a model that did not
	// see it. ErrorRate is the share of samples that these models misclassify.
	LogLoss, ErrorRate float64
	// Samples is the number of samples that the setting learned from; in cross-validation the
	// folds share them. Trials of different Samples cannot be compared.
	Samples int

	// Chosen says that the model is of this setting.
	Chosen bool
	// Refit fits this setting to other samples: the kernel and all options are fixed, of search.Auto
	// also the temperature and the floor.
	Refit Learner

	// The remaining fields are set by search.Auto alone, where LogLoss and ErrorRate are those at
	// the temperature and with the floor of the setting.

	// Learner describes the learner and its options.
	Learner string
	// Temperature is that for the learner's models; see Model.WithTemperature.
	Temperature float64
	// Weights is the mean number of non-zero weights of the models.
	Weights int
	// Seconds is the time of the trial.
	Seconds float64
	// GivenUp says that the setting was given up after the first fold, of which LogLoss is.
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

// End sets the status. Stopped and Cancelled are final: they say that somebody else ended
// the fit.
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
		return r.Result, fmt.Errorf("mpcvm: fit cancelled after %d iterations: %w", r.Result.Iterations, r.ctx.Err())
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

// Frontier returns the trials that no trial with as many weights or fewer beats in log loss, and the
// chosen one, in the order of their weights. Trials with different Samples are not compared. Trials that
// were given up have the log loss of one fold and are left out.
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
