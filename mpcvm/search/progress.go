package search

import (
	"fmt"
	"time"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Progress is the progress of a fit of Auto; see Auto.OnProgress.
type Progress struct {
	// Step describes what is being done: the learner and the kernel of a trial, or the final fit.
	Step string
	// Done is the number of complete steps, and Total the number of all steps. Total is known at the end
	// only; until then it is 36, the usual number, or one more than Done if that is larger.
	Done, Total int
	// Elapsed is the time since the start.
	Elapsed time.Duration
	// Best is the best trial so far. Its Kernel is nil before the first trial ends.
	Best mpcvm.Trial
}

// usualSteps is the usual number of steps.
const usualSteps = 36

// String returns a text such as "7 of about 36".
func (p Progress) String() string {
	if p.Done == p.Total {
		return fmt.Sprintf("%d of %d", p.Done, p.Total)
	}
	return fmt.Sprintf("%d of about %d", p.Done, p.Total)
}
