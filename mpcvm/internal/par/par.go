// Package par runs loops on all cores with a fixed partition of the work, so
// that results do not depend on how many cores there are.
package par

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls f(lo, hi) for consecutive pieces [lo, hi) of [0, n), each of grain
// indices (the last may be shorter), on up to GOMAXPROCS goroutines. The pieces
// depend on n and grain alone; the order in which they run does not matter as
// long as f writes only to places of its own piece. A panic of f is raised again
// in the caller. grain must be positive.
func For(n, grain int, f func(lo, hi int)) {
	pieces := (n + grain - 1) / grain
	workers := min(runtime.GOMAXPROCS(0), pieces)
	if workers <= 1 {
		for lo := 0; lo < n; lo += grain {
			f(lo, min(lo+grain, n))
		}
		return
	}
	var (
		next  atomic.Int64
		wg    sync.WaitGroup
		once  sync.Once
		cause any
	)
	for range workers {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { cause = r })
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
	if cause != nil {
		panic(cause)
	}
}
