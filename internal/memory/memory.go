// Package memory foresees whether there is memory for large matrices and files, so that
// a fit is refused with an error before it begins and not killed by the system in its
// midst. It is on the ground floor.
package memory

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync"
)

// Error says that work needs more memory than there is.
type Error struct {
	What       string  // the work, with its package: "mpcvm: BottomUp of 90000 samples"
	Need, Have float64 // bytes
	Advice     string  // the way out
}

// Error names what is needed, what there is and the way out.
func (e *Error) Error() string {
	return fmt.Sprintf("%s needs %s of memory, %s is at hand: %s", e.What, size(e.Need), size(e.Have), e.Advice)
}

// size writes bytes in the unit that suits them.
func size(bytes float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for ; i < len(units)-1 && bytes >= 1024; i++ {
		bytes /= 1024
	}
	return fmt.Sprintf("%.3g %s", bytes, units[i])
}

// room is the memory of a process and what has been promised of it.
type room struct {
	mu   sync.Mutex
	have func() float64 // bytes at hand at this moment; +Inf if that is not known
	free func()         // gives back what is garbage
	from float64        // less is not looked at

	held float64 // promised, some of it perhaps not yet taken
	base float64 // at hand if nothing were promised
}

var process = &room{have: available, free: debug.FreeOSMemory, from: 64 << 20}

// Reserve asks for memory that the work will take, in bytes; release gives it back when
// the work is done. Its error is an *Error. Work side by side is added up, whether or
// not it has touched its memory yet. Less than 64 MiB is granted unseen.
func Reserve(bytes float64, what, advice string) (release func(), err error) {
	return process.reserve(bytes, what, advice)
}

// Check is Reserve, for work whose end is not seen, or that reserves later on.
func Check(bytes float64, what, advice string) error {
	release, err := Reserve(bytes, what, advice)
	if err == nil {
		release()
	}
	return err
}

// AtHand returns the memory in bytes that this process may still take and did not
// promise; +Inf if that is not known.
func AtHand() float64 {
	process.mu.Lock()
	defer process.mu.Unlock()
	return max(process.left(), 0)
}

func (r *room) reserve(bytes float64, what, advice string) (release func(), err error) {
	if bytes < r.from {
		return func() {}, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.left()
	if bytes > left {
		// What an earlier fit left behind may still be there.
		r.free()
		left = r.left()
	}
	if bytes > left {
		return nil, &Error{What: what, Need: bytes, Have: max(left, 0), Advice: advice}
	}
	r.held += bytes
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.held -= bytes
	}), nil
}

// left is what is neither taken nor promised. How much of what is promised has been
// taken already is not known, but lies between nothing and all.
func (r *room) left() float64 {
	now := r.have()
	if r.held == 0 || math.IsInf(now, 1) {
		r.base = now
	}
	r.base = min(max(r.base, now), now+r.held)
	return r.base - r.held
}

// Pretend has all that follows believe, of any size, that so many bytes are at hand,
// until restore is called. It is for tests.
func Pretend(bytes float64) (restore func()) {
	before := process
	process = &room{have: func() float64 { return bytes }, free: func() {}}
	return func() { process = before }
}
