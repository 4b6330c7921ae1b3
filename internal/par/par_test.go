package par

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// TestFor checks that every index is visited once, in the same ranges on any number of cores.
func TestFor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(cores)
		for _, n := range []int{0, 1, 15, 16, 17, 1000} {
			seen := make([]atomic.Int32, n)
			For(n, 16, func(lo, hi int) {
				if lo%16 != 0 || hi-lo > 16 || hi <= lo || hi > n {
					t.Errorf("n = %d: piece [%d, %d)", n, lo, hi)
				}
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
			})
			for i := range seen {
				if c := seen[i].Load(); c != 1 {
					t.Fatalf("%d cores, n = %d: index %d was visited %d times", cores, n, i, c)
				}
			}
		}
	}
}

// culprit is a function to look for in a stack.
func culprit(v any) { panic(v) }

// TestPanic checks that a panic reaches the caller with its value and the stack of its own
// goroutine, on any number of cores and from nested loops.
func TestPanic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	caught := func(cores int, f func()) (p *Panic) {
		runtime.GOMAXPROCS(cores)
		defer func() {
			var ok bool
			if p, ok = recover().(*Panic); !ok {
				t.Fatalf("%d cores: no *Panic", cores)
			}
			if !strings.Contains(p.Error(), "par.culprit(") {
				t.Errorf("%d cores: the stack lacks the function that panicked:\n%v", cores, p)
			}
		}()
		f()
		return nil
	}
	fail := func(v any) func(lo, hi int) {
		return func(lo, _ int) {
			if lo == 64 {
				culprit(v)
			}
		}
	}
	for _, cores := range []int{1, 4} {
		p := caught(cores, func() { For(100, 16, fail("piece 64")) })
		if p.Value != "piece 64" || !strings.HasPrefix(p.Error(), "piece 64\n") || p.Unwrap() != nil {
			t.Errorf("%d cores: value %v, text %v", cores, p.Value, p)
		}
		p = caught(cores, func() { For(3, 1, func(_, _ int) { For(100, 16, fail(io.EOF)) }) })
		if p.Value != io.EOF || !errors.Is(p, io.EOF) {
			t.Errorf("%d cores, inner loop: value %v", cores, p.Value)
		}
	}
}
