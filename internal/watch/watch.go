// Package watch measures how much memory work holds. It is for tests.
package watch

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// Limit is the most memory in bytes that reading size bytes of foreign data may take: 4 times
// as much and 64 MiB.
func Limit(size int) int { return 4*size + 64<<20 }

// Peak runs work and returns the most memory in bytes that was in use during it, minus what
// was in use before. Garbage does not count.
func Peak(work func()) int {
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
		case <-time.After(5 * time.Millisecond):
		}
		peak = max(peak, held())
	}
	return int(peak - before)
}

// Within runs work, which reads size bytes, and fails the test if it takes more than Limit.
// If work allocates more than that in all, garbage included, it is run again to measure.
func Within(t testing.TB, size int, work func()) {
	t.Helper()
	before := allocated()
	work()
	if int(allocated()-before) <= Limit(size) {
		return
	}
	if peak := Peak(work); peak > Limit(size) {
		t.Errorf("%d bytes took %d KiB of memory, more than 4 times that and 64 MiB", size, peak>>10)
	}
}

// held is the memory in use, without garbage.
func held() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// allocated is all memory that was ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
