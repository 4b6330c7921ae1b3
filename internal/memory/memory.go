// Package memory foresees whether there is memory for large matrices and files, so that
// a fit is refused with an error before it begins and is not killed by the system later.
//
// Work that runs in parallel shares one account. A request that would fit if the others
// had released theirs waits for them; a request that would not fit is refused. So what
// fits does not depend on how many cores work on it. One rule keeps this free of
// deadlocks: work that holds a reservation must release it before it reserves again, or
// before it starts other work that does.
package memory

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Error says that work needs more memory than there is.
type Error struct {
	What       string  // the work, with its package: "mpcvm: BottomUp of 90000 samples"
	Need, Have float64 // bytes that it needs, bytes that are available
	Advice     string  // what the user can do
}

// Error names what is needed, what is available and what the user can do.
func (e *Error) Error() string {
	return fmt.Sprintf("%s needs %s of memory, %s is available: %s", e.What, size(e.Need), size(e.Have),
		e.Advice)
}

// As sets target to the error if it points to a *mpcvm.MemoryError, which has the same fields.
func (e *Error) As(target any) bool { return cell.As(e, target) }

// size writes bytes in a suitable unit.
func size(bytes float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for ; i < len(units)-1 && bytes >= 1024; i++ {
		bytes /= 1024
	}
	return fmt.Sprintf("%.3g %s", bytes, units[i])
}

// account is the memory of a process and what is promised of it.
type account struct {
	available func() float64 // bytes that the process may still take now; +Inf if not known
	collect   func()         // collects garbage
	least     float64        // smaller requests are granted without a look

	mu       sync.Mutex
	released *sync.Cond
	promised float64 // bytes, some of them perhaps not yet taken
	total    float64 // bytes that would be available if nothing were promised
}

func newAccount(available func() float64, collect func(), least float64) *account {
	a := &account{available: available, collect: collect, least: least}
	a.released = sync.NewCond(&a.mu)
	return a
}

// process is the account of this process.
var process atomic.Pointer[account]

func init() {
	// A collection before a refusal is not a policy: without it nothing knows how much of
	// what an earlier fit has left is garbage.
	process.Store(newAccount(available, runtime.GC, 64<<20))
}

// Reserve asks for the memory in bytes that the work will take; release gives it back
// when the work has ended. It waits while other work holds what is missing. If the memory
// would not do even after that, the error is an *Error. Memory counts as taken once it is
// promised, whether or not the work has touched it yet. Less than 64 MiB is granted
// without a look.
func Reserve(bytes float64, what, advice string) (release func(), err error) {
	return ReserveContext(context.Background(), bytes, what, advice)
}

// ReserveContext is Reserve that waits until ctx ends; then the error is ctx.Err().
func ReserveContext(ctx context.Context, bytes float64, what, advice string) (release func(), err error) {
	return process.Load().reserve(ctx, bytes, what, advice)
}

// Check is Reserve for work whose end is not known, or that reserves later.
func Check(bytes float64, what, advice string) error {
	release, err := Reserve(bytes, what, advice)
	if err == nil {
		release()
	}
	return err
}

// Available returns the memory in bytes that this process may still take and has not
// promised; +Inf if that is not known.
func Available() float64 {
	a := process.Load()
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(a.left(), 0)
}

func (a *account) reserve(ctx context.Context, bytes float64, what, advice string) (release func(),
	err error) {
	if bytes < a.least {
		return func() {}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for bytes > a.left() {
		a.collect()
		if bytes <= a.left() {
			break
		}
		if bytes > a.total {
			return nil, &Error{What: what, Need: bytes, Have: max(a.total, 0), Advice: advice}
		}
		if err := a.wait(ctx); err != nil {
			return nil, err
		}
	}
	a.promised += bytes
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.promised -= bytes
		a.released.Broadcast()
	}), nil
}

// wait waits until memory is released or ctx ends.
func (a *account) wait(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.released.Broadcast()
	})()
	if ctx.Err() == nil {
		a.released.Wait()
	}
	return ctx.Err()
}

// left is what is neither taken nor promised, and sets total. How much of what is
// promised has been taken already is not known, but it lies between nothing and all.
func (a *account) left() float64 {
	now := a.available()
	if a.promised == 0 || math.IsInf(now, 1) {
		a.total = now
	}
	a.total = min(max(a.total, now), now+a.promised)
	return a.total - a.promised
}

// Pretend has the requests that follow, of any size, find so many bytes available, until
// restore is called. It is for tests.
func Pretend(bytes float64) (restore func()) {
	before := process.Swap(newAccount(func() float64 { return bytes }, func() {}, 0))
	return func() { process.Store(before) }
}
