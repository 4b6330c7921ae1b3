package watch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
)

// looked waits until the memory has been measured the given number of times.
func looked(times uint32) {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	for until := s.NumGC + times; s.NumGC < until; time.Sleep(time.Millisecond) {
		runtime.ReadMemStats(&s)
	}
}

// Memory that is held for a while is measured, memory that is dropped at once is not.
func TestPeak(t *testing.T) {
	const size = 32 << 20
	held := Peak(size+size/4, func() {
		b := make([]byte, size)
		looked(2)
		runtime.KeepAlive(b)
	})
	if held < size-size/4 || held > size+size/4 {
		t.Errorf("measured %d MiB of 32", held>>20)
	}
}

// failures counts failures instead of failing.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Helper()                           {}
func (f *failures) Errorf(format string, args ...any) { f.n++; _ = fmt.Sprintf(format, args...) }

func TestWithin(t *testing.T) {
	for size, want := range map[int]int{0: 1, 40 << 20: 0} {
		f := &failures{}
		runs := 0
		Within(f, size, func() {
			sink = make([]byte, 100<<20)
			if runs++; runs > 1 {
				looked(2)
			}
			sink = nil
		})
		if f.n != want {
			t.Errorf("%d failures for 100 MiB of %d bytes", f.n, size)
		}
	}
	// Garbage does not count as memory.
	f, runs := &failures{}, 0
	Within(f, 0, func() {
		runs++
		for range 20 {
			sink = make([]byte, 5<<20)
		}
		sink = nil
	})
	if f.n > 0 || runs < 2 {
		t.Errorf("%d failures in %d runs", f.n, runs)
	}
}

var sink []byte

func TestCountdown(t *testing.T) {
	c := NewCountdown(t.Context(), 3)
	below, stop := context.WithCancel(c)
	defer stop()
	for range 2 {
		if err := c.Err(); err != nil {
			t.Error(err)
		}
	}
	if below.Err() != nil || c.Left() != 1 {
		t.Errorf("%v with %d checks left", c.Err(), c.Left())
	}
	if !errors.Is(c.Err(), context.Canceled) || c.Left() != 0 {
		t.Errorf("%v with %d checks left", c.Err(), c.Left())
	}
	<-c.Done()
	<-below.Done()
	if !errors.Is(c.Err(), context.Canceled) || c.Left() != -1 {
		t.Errorf("%v with %d checks left", c.Err(), c.Left())
	}
}
