// Package memory checks whether there is enough memory for large matrices and files, so that a fit
// returns an error before it begins instead of being killed by the system.
//
// Parallel work shares one account. A request that would fit once others have released their memory
// waits for them; a request that would not fit even then is refused. So the number of cores does not
// affect what fits. One rule prevents deadlocks: work that holds a reservation must release it
// before it reserves again, or before it starts other work that reserves.
package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Error reports that work needs more memory than is available.
type Error struct {
	What       string  // the work, with its package: "mpcvm: BottomUp of 90000 samples"
	Need, Have float64 // bytes needed, bytes available
	Advice     string  // what the user can do
}

// Error gives the memory needed, the memory available and the advice.
func (e *Error) Error() string {
	return fmt.Sprintf("%s needs %s of memory, %s is available: %s", e.What, size(e.Need), size(e.Have),
		e.Advice)
}

// As sets target to the error if it points to a *mpcvm.MemoryError, which has the same fields.
func (e *Error) As(target any) bool { return cell.As(e, target) }

// size formats a number of bytes with a suitable unit.
func size(bytes float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for ; i < len(units)-1 && bytes >= 1024; i++ {
		bytes /= 1024
	}
	return fmt.Sprintf("%.3g %s", bytes, units[i])
}

// account is the memory of a process and its reservations.
type account struct {
	available func() float64 // bytes that the process can still take now; +Inf if not known
	collect   func()         // collects garbage
	least     float64        // smaller requests are granted unchecked

	mu       sync.Mutex
	released *sync.Cond
	promised float64 // bytes reserved, some perhaps not yet taken
	total    float64 // bytes that would be available without reservations
}

func newAccount(available func() float64, collect func(), least float64) *account {
	a := &account{available: available, collect: collect, least: least}
	a.released = sync.NewCond(&a.mu)
	return a
}

// process is the account of this process.
var process atomic.Pointer[account]

func init() {
	// A collection before a refusal is needed, because only the collector knows how much of the
	// memory of an earlier fit is garbage.
	process.Store(newAccount(available, runtime.GC, 64<<20))
}

// Reserve reserves the memory in bytes that the work will take; release returns it when the work has
// ended. Reserve waits while other work holds the missing memory. If the memory would not suffice
// even after that, the error is an *Error. Memory counts as taken once it is reserved, whether or
// not the work has touched it. Requests below 64 MiB are granted unchecked.
func Reserve(bytes float64, what, advice string) (release func(), err error) {
	return ReserveContext(context.Background(), bytes, what, advice)
}

// ReserveContext is Reserve, but stops waiting when ctx ends and returns ctx.Err().
func ReserveContext(ctx context.Context, bytes float64, what, advice string) (release func(), err error) {
	release, err = process.Load().reserve(ctx, bytes, what, advice)
	if err == nil && ctx.Value(rehearsal{}) != nil {
		release()
		return nil, errRehearsed
	}
	return release, err
}

type rehearsal struct{}

var errRehearsed = errors.New("memory: rehearsed")

// Rehearse returns the *Error of work, or nil if there is enough memory. In the context of the call,
// ReserveContext always returns an error, so that the work ends.
func Rehearse(ctx context.Context, work func(ctx context.Context) error) error {
	if err := work(context.WithValue(ctx, rehearsal{}, true)); errors.As(err, new(*Error)) {
		return err
	}
	return nil
}

// Check is Reserve for work whose end is not known, or that reserves later.
func Check(bytes float64, what, advice string) error {
	release, err := Reserve(bytes, what, advice)
	if err == nil {
		release()
	}
	return err
}

// Available returns the memory in bytes that this process can still take and has not reserved; +Inf
// if not known.
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

// left returns what is neither taken nor reserved, and sets total. How much of the reserved memory
// has been taken is not known, but it lies between nothing and all of it.
func (a *account) left() float64 {
	now := a.available()
	if a.promised == 0 || math.IsInf(now, 1) {
		a.total = now
	}
	a.total = min(max(a.total, now), now+a.promised)
	return a.total - a.promised
}

// Pretend makes later requests, of any size, find the given number of bytes available, until restore
// is called. It is for tests.
func Pretend(bytes float64) (restore func()) {
	before := process.Swap(newAccount(func() float64 { return bytes }, func() {}, 0))
	return func() { process.Store(before) }
}
