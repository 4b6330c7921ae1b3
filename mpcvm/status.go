package mpcvm

import "fmt"

// Status is the reason why a fit ended.
type Status int

const (
	// NotTerminated is the zero value: the fit has not ended.
	NotTerminated Status = iota
	// Converged: the stopping rule of the learner was met.
	Converged
	// IterationLimit: the fit reached the maximum number of iterations. The model is usable.
	IterationLimit
	// Collapsed: the model predicts the class frequencies. Either all weights were pruned, or they were
	// discarded because the model was hardly better than the class frequencies on the training samples: it
	// made at least 90 % as many errors, and its log likelihood was higher by at most one nat per weight.
	// Another kernel width or another scaling of the features usually helps. For search.Auto, Collapsed means
	// that no setting predicted better than the class frequencies.
	Collapsed
	// Diverged: the objective became infinite or NaN. The model is the last one with a finite objective.
	Diverged
	// Stopped: an observer ended the fit by calling Step.Stop.
	Stopped
	// Cancelled: the context ended before the fit. The model is the one after the last complete iteration or,
	// if the fit includes cross-validation, the best model found so far; see Result.Partial.
	Cancelled
	// TimeLimit: the time budget ran out; see search.Auto.Budget. The model is usable; see Result.Partial.
	TimeLimit
)

var statusNames = [...]string{"not terminated", "converged", "iteration limit", "collapsed", "diverged",
	"stopped by observer", "cancelled", "time limit"}

// String returns the name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// Early reports whether the fit ended before its stopping rule was met.
func (s Status) Early() bool {
	return s == IterationLimit || s == Stopped || s == Cancelled || s == TimeLimit
}

// Err returns nil if the status is Converged or Stopped, and otherwise an error that names the status. Use it
// if only a converged model is acceptable.
func (s Status) Err() error {
	if s == Converged || s == Stopped {
		return nil
	}
	return fmt.Errorf("mpcvm: fit ended: %s", s)
}
