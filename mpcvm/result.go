package mpcvm

import (
	"fmt"
	"time"
)

// Status says why a fit ended.
type Status int

const (
	// NotTerminated is the zero value: the fit has not ended.
	NotTerminated Status = iota
	// Converged: the stopping rule of the learner was met.
	Converged
	// IterationLimit: the largest number of iterations came first. The model
	// is usable; that it would still move is no error.
	IterationLimit
	// Collapsed: every weight was pruned; the model consists of biases that
	// predict the frequencies of the classes. Another kernel parameter or
	// scaling of the features usually helps.
	Collapsed
	// Diverged: an algorithm run as printed (Literal) left the finite numbers. The
	// model is the last finite one.
	Diverged
	// Stopped: an observer asked for the end with Step.Stop.
	Stopped
	// Cancelled: the context ended first. The model is that of the last
	// complete iteration.
	Cancelled
)

var statusNames = [...]string{"not terminated", "converged", "iteration limit", "collapsed", "diverged", "stopped by observer", "cancelled"}

// String names the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// Early reports whether the fit ended before its own stopping rule said so.
func (s Status) Early() bool { return s == IterationLimit || s == Stopped || s == Cancelled }

// Err returns nil for Converged and Stopped, and otherwise an error that names
// the status, for callers who want nothing less than convergence.
func (s Status) Err() error {
	if s == Converged || s == Stopped {
		return nil
	}
	return fmt.Errorf("mpcvm: fit ended: %s", s)
}

// Basis names the basis function of training sample Sample in the potential of
// class Class.
type Basis struct{ Sample, Class int }

// Step is what an Observer sees of one iteration. It is read-only: the slices
// belong to the trace of the Result.
type Step struct {
	// Iteration counts from 1.
	Iteration int
	// Objective is the quantity that the learner maximises, in nats, after this
	// iteration: for TopDown the log posterior Σ log p(t_n|W,b) + log p(W) + log p(b)
	// with the marginal priors of eqs. (full_prior_w) and (full_prior_b), less the
	// constant log p(0), so that a weight at zero costs nothing; for BottomUp the
	// lower bound F of the evidence; for KernelPrior the log posterior F.
	Objective float64
	// LogLik is Σ log p(t_n|W,b) on the training samples, in nats.
	LogLik float64
	// Weights counts the non-zero weights of each class.
	Weights []int
	// Added and Deleted list the bases that entered and left the model;
	// Reestimated counts those whose precision alpha_nc was set anew.
	Added, Deleted []Basis
	Reestimated    int
	// Rejected says that the update of this iteration would have lowered the
	// objective, and another was made in its place.
	Rejected bool
	// Change is max|ΔW| / max|W|.
	Change float64
	// Elapsed is the time since the start of the fit.
	Elapsed time.Duration

	run *Run
}

// NonZero is the number of non-zero weights of all classes.
func (s *Step) NonZero() int {
	total := 0
	for _, n := range s.Weights {
		total += n
	}
	return total
}

// Model returns the model as it is after this iteration. It may be called only
// while the observer runs; it returns nil later, and where a learner has no Model.
func (s *Step) Model() *Model {
	if s.run == nil || s.run.snapshot == nil {
		return nil
	}
	return s.run.snapshot()
}

// Limit is the largest number of iterations of the fit, for progress displays.
// It is 0 after the observer has returned.
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

// Observer is called once an iteration, in the goroutine of Fit. It must not
// modify the Step. Printing, charts, progress and early stopping are observers.
type Observer func(*Step)

// Result describes a fit.
type Result struct {
	// Status says why the fit ended.
	Status Status
	// Iterations is the number of complete iterations (epochs).
	Iterations int
	// Objective and LogLik are those of the model returned, at temperature one; see
	// Step.
	Objective, LogLik float64
	// Trace has a Step for each iteration.
	Trace []Step
	// Trials are the kernels that were tried where the learner chose Theta, in the
	// order in which they were; else nil.
	Trials []Trial
	// Seconds is the wall time of the fit, the choice of Theta included.
	Seconds float64
}
