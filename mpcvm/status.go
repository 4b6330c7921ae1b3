package mpcvm

import "fmt"

// Status is the reason why a fit ended.
type Status int

const (
	// NotTerminated is the zero value: the fit has not ended.
	NotTerminated Status = iota
	// Converged: the stopping rule of the learner was met.
	Converged
	// IterationLimit: the largest number of iterations came first. The model is usable.
	IterationLimit
	// Collapsed: the model predicts only the class frequencies, by its biases. Either no weight is left, or
	// the weights predict the training samples hardly better than the class frequencies do: with at least
	// nine tenths of their errors, and a log likelihood that is higher by at most one nat per weight.
	// Another kernel width or another scaling of the features usually helps. For search.Auto, Collapsed
	// means that no setting predicted better than the class frequencies.
	Collapsed
	// Diverged: the objective left the finite numbers. The model is the last finite one.
	Diverged
	// Stopped: an observer ended the fit with Step.Stop.
	Stopped
	// Cancelled: the context ended first. The model is from the last complete
	// iteration, or the best one of cross-validation; see Result.Partial.
	Cancelled
	// TimeLimit: the time budget ran out; see search.Auto.Budget. The model is usable; Result.Partial
	// describes it.
	TimeLimit
)

var statusNames = [...]string{"not terminated", "converged", "iteration limit", "collapsed", "diverged",
	"stopped by observer", "cancelled", "time limit"}

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

// Err returns nil for Converged and Stopped, and otherwise an error that names the status. Use it if only a
// converged model is acceptable.
func (s Status) Err() error {
	if s == Converged || s == Stopped {
		return nil
	}
	return fmt.Errorf("mpcvm: fit ended: %s", s)
}
