// Package par runs loops on all cores. It divides the work in the same way on any number of cores,
// so results do not depend on that number.
package par

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Panic is the value with which For panics after f has panicked. It is an error, so that the message
// of a crashed program shows where f failed.
type Panic struct {
	Value any    // the value of the panic of f
	Stack []byte // of the goroutine that ran f
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Unwrap returns Value if it is an error, and nil otherwise.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// For calls f(lo, hi) for consecutive ranges [lo, hi) of [0, n) on up to GOMAXPROCS goroutines. Each
// range has grain indices; the last may have fewer. The ranges depend only on n and grain. They run
// in any order, so f must write only to elements of its own range. If f panics, For panics with a
// *Panic. grain must be positive.
func For(n, grain int, f func(lo, hi int)) {
	pieces := (n + grain - 1) / grain
	workers := min(runtime.GOMAXPROCS(0), pieces)
	if workers <= 1 {
		defer func() {
			if v := recover(); v != nil {
				panic(located(v))
			}
		}()
		for lo := 0; lo < n; lo += grain {
			f(lo, min(lo+grain, n))
		}
		return
	}
	var (
		next  atomic.Int64
		wg    sync.WaitGroup
		first atomic.Pointer[Panic]
	)
	for range workers {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					first.CompareAndSwap(nil, located(v))
				}
			}()
			for {
				lo := (int(next.Add(1)) - 1) * grain
				if lo >= n {
					return
				}
				f(lo, min(lo+grain, n))
			}
		})
	}
	wg.Wait()
	if p := first.Load(); p != nil {
		panic(p)
	}
}

// located adds the stack to the value of a panic. A *Panic of an inner loop already has a stack.
func located(v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{v, debug.Stack()}
}
