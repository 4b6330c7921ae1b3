package search

import (
	"fmt"
	"time"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Progress is how far a fit of Auto has come; see Auto.OnProgress.
type Progress struct {
	// Step says what is going on: the learner and the kernel of a trial, or the final fit.
	Step string
	// Done is the number of complete steps: trials, and the final fit. Total is Done at the end.
	// Before, it is 28, the usual number, or one more than Done if that is larger.
	Done, Total int
	// Elapsed is the time since the start.
	Elapsed time.Duration
	// Best is the best trial so far. Its Kernel is nil before the first trial ends.
	Best mpcvm.Trial
}

// usualSteps is the usual number of steps.
const usualSteps = 28

// String is like "7 of about 28".
func (p Progress) String() string {
	if p.Done == p.Total {
		return fmt.Sprintf("%d of %d", p.Done, p.Total)
	}
	return fmt.Sprintf("%d of about %d", p.Done, p.Total)
}
