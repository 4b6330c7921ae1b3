package search

import (
	"fmt"
	"time"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Progress describes the progress of a fit of Auto; see Auto.OnProgress.
type Progress struct {
	// Step describes the current step: the learner and the kernel of a trial, or the final fit.
	Step string
	// Done is the number of completed steps. Total is the number of all steps, which is known only at the
	// end; until then it is an estimate: 36, the usual number, or Done+1 if that is larger.
	Done, Total int
	// Elapsed is the time since the start.
	Elapsed time.Duration
	// Best is the trial of the model that Fit would return if it were stopped now. It is replaced only by a
	// better one, or at the end of the search by the chosen setting. Before the first trial ends, which takes
	// less than 3 s of one core for a table of 100,000 rows, it is the zero Trial.
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
