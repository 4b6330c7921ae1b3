// Package watch measures work without a clock: how much memory it holds, and how often it
// looks at its context. It is for tests.
package watch

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

// SkipUnderRace skips a test that would take too long under the race detector, which makes tests five to ten
// times slower. The test must not be the only one that runs its goroutines.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("too slow under the race detector")
	}
}

// Countdown is a context that ends when it has been looked at a number of times. With it a
// test ends work at the same place on every machine, however busy.
type Countdown struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

// NewCountdown returns a context that ends with parent or when Err has been called so many
// times. It ends in that call.
func NewCountdown(parent context.Context, looks int) *Countdown {
	c := &Countdown{}
	c.Context, c.end = context.WithCancel(parent)
	c.left.Store(int64(looks))
	return c
}

// Err is nil until the context ends.
func (c *Countdown) Err() error {
	if c.left.Add(-1) <= 0 {
		c.end()
	}
	return c.Context.Err()
}

// Left is the number of looks until the end, negative after it.
func (c *Countdown) Left() int { return int(c.left.Load()) }

// Limit is the most memory in bytes that reading size bytes of foreign data may take: 4 times
// as much and 64 MiB.
func Limit(size int) int { return 4*size + 64<<20 }

// Peak runs work and returns the most memory in bytes that was in use during it, minus what
// was in use before. Garbage does not count, except for what the work makes during a collection.
// So chance can only raise a peak. Above limit it is measured again, three times at most, and
// the lowest peak is returned.
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
		case <-time.After(5 * time.Millisecond): // leaves the processor to the work
		}
		peak = max(peak, held())
	}
	return int(peak - before)
}

// Below runs work and fails the test if it holds more than limit bytes of memory. If work
// allocates no more than that in all, garbage included, it runs once, else again to measure.
func Below(t testing.TB, limit int, work func()) {
	t.Helper()
	before := sample("/gc/heap/allocs:bytes")
	work()
	if int(sample("/gc/heap/allocs:bytes")-before) <= limit {
		return
	}
	if peak := Peak(limit, work); peak > limit {
		t.Errorf("%d KiB of memory are held, the limit is %d KiB", peak>>10, limit>>10)
	}
}

// Within is Below for work that reads size bytes: the limit is Limit.
func Within(t testing.TB, size int, work func()) {
	t.Helper()
	Below(t, Limit(size), work)
}

// held is the memory that a collection leaves.
func held() uint64 {
	runtime.GC()
	return sample("/gc/heap/live:bytes")
}

func sample(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
