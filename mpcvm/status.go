package mpcvm

import "fmt"

// Status says why a fit ended.
type Status int

const (
	// NotTerminated is the zero value: the fit has not ended.
	NotTerminated Status = iota
	// Converged: the stopping rule of the learner was met.
	Converged
	// IterationLimit: the largest number of iterations came first. The model is usable.
	IterationLimit
	// Collapsed: the weights found predict the samples learned from no better than the
	// frequencies of the classes, that is, with nine tenths of their errors or more, and a log
	// likelihood that is larger by at most one nat a weight; or no weight is left. The model has biases alone, which
	// predict these frequencies. Another width of the kernel or other scales of the features
	// usually help. Of search.Auto it means that no setting predicted better than they do.
	Collapsed
	// Diverged: the objective left the finite numbers. The model is the last finite one.
	Diverged
	// Stopped: an observer asked for the end with Step.Stop.
	Stopped
	// Cancelled: the context ended first. The model is from the last complete
	// iteration, or the best one of cross-validation; see Result.Partial.
	Cancelled
	// TimeLimit: the budget of time ended first; see search.Auto.Budget. The model is usable;
	// Result.Partial says what it is.
	TimeLimit
)

var statusNames = [...]string{"not terminated", "converged", "iteration limit", "collapsed", "diverged", "stopped by observer", "cancelled", "time limit"}

// String names the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// Early reports whether the fit ended before its own stopping rule was met.
func (s Status) Early() bool {
	return s == IterationLimit || s == Stopped || s == Cancelled || s == TimeLimit
}

// Err returns nil for Converged and Stopped, and otherwise an error that names the status.
// It is for callers who accept nothing less than convergence.
func (s Status) Err() error {
	if s == Converged || s == Stopped {
		return nil
	}
	return fmt.Errorf("mpcvm: fit ended: %s", s)
}
