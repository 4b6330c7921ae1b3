package mpcvm

import (
	"fmt"

	"github.com/mpcvm/mpcvm/mpcvm/internal/memory"
)

// MemoryError refuses a fit for which there is not enough memory, before it takes any
// of it. What names the fit; Need and Have are bytes, what it takes at least and what
// is at hand; Advice is the way out. At hand is what the system has available and what
// the limits of the process's control group leave, less what fits under way will take;
// on systems other than Linux nothing is known of it and nothing refused.
type MemoryError = memory.Error

const fewerSamples = "take fewer samples (rows)"

// reserve asks for the memory of a fit, to be released at its end.
func (tr *training) reserve(learner string, bytes float64, advice string) (release func(), err error) {
	return memory.Reserve(bytes, fmt.Sprintf("mpcvm: %s of %d samples", learner, tr.n), advice)
}

// square and rows are the bytes of an N×N matrix and of a C×N matrix of float64.
func (tr *training) square() float64 { return 8 * float64(tr.n) * float64(tr.n) }
func (tr *training) rows() float64   { return 8 * float64(tr.n) * float64(tr.c) }
