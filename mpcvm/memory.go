package mpcvm

import (
	"fmt"

	"github.com/mpcvm/mpcvm/internal/memory"
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

// reserveBases is reserve for K bases: with all of Φ, K×N, if there is the memory, and else
// with what computing it block by block takes. other are the bytes of all else.
func (tr *training) reserveBases(learner string, k float64, single bool, other float64) (held bool, release func(), err error) {
	what := fmt.Sprintf("mpcvm: %s of %d samples with %.0f candidates", learner, tr.n, k)
	phi, advice := 8*k*float64(tr.n), "lower Candidates, or "+fewerSamples
	if single {
		phi /= 2
	}
	block := min(phi, 8*blockNumbers) // what is not held is computed in float64
	if release, err = memory.Reserve(phi+other, what, advice); err == nil {
		return true, release, nil
	}
	release, err = memory.Reserve(block+other, what, advice)
	return false, release, err
}

// square and rows are the bytes of an N×N matrix and of a C×N matrix of float64.
func (tr *training) square() float64 { return 8 * float64(tr.n) * float64(tr.n) }
func (tr *training) rows() float64   { return 8 * float64(tr.n) * float64(tr.c) }
