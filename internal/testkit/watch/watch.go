// Package watch measures work without a clock: how much memory it holds, and how often it checks its
// context. It is for tests.
package watch

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

// SkipUnderRace skips a test that would take too long under the race detector, which slows tests
// down by a factor of five to ten. The test must not be the only one that runs its goroutines.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("too slow under the race detector")
	}
}

// Countdown is a context that ends when it has been checked a number of times, so that a test can
// end work at the same point on every machine, however busy.
type Countdown struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

// NewCountdown returns a context that ends with parent or in the call of Err with the given number.
func NewCountdown(parent context.Context, looks int) *Countdown {
	c := &Countdown{}
	c.Context, c.end = context.WithCancel(parent)
	c.left.Store(int64(looks))
	return c
}

// Err returns nil until the context ends.
func (c *Countdown) Err() error {
	if c.left.Add(-1) <= 0 {
		c.end()
	}
	return c.Context.Err()
}

// Left returns the number of checks until the end, negative after it.
func (c *Countdown) Left() int { return int(c.left.Load()) }

// Peak runs work and returns the peak memory in use during it, in bytes, minus the memory in use
// before. Garbage does not count, except for what work allocates during a collection, so the result
// can only be too high. If it is above limit, Peak measures again, at most three times, and returns
// the lowest peak.
func Peak(limit int, work func()) int {
	lowest := peak(work)
	for range 2 {
		if lowest > limit {
			lowest = min(lowest, peak(work))
		}
	}
	return lowest
}

func peak(work func()) int {
	before, done := held(), make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	peak := before
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(5 * time.Millisecond): // yields the processor to the work
		}
		peak = max(peak, held())
	}
	return int(peak - before)
}

// Within runs work, which reads size bytes of foreign data, and fails the test if it holds more than
// 4·size bytes plus 64 MiB of memory. If the total that work allocates, including garbage, is within the
// limit, it runs once, and otherwise again to measure the peak.
func Within(t testing.TB, size int, work func()) {
	t.Helper()
	limit, before := 4*size+64<<20, sample("/gc/heap/allocs:bytes")
	work()
	if int(sample("/gc/heap/allocs:bytes")-before) <= limit {
		return
	}
	if peak := Peak(limit, work); peak > limit {
		t.Errorf("work holds %d KiB of memory, the limit is %d KiB", peak>>10, limit>>10)
	}
}

// held returns the memory in use after a collection.
func held() uint64 {
	runtime.GC()
	return sample("/gc/heap/live:bytes")
}

func sample(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
