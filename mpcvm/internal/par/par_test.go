package par

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestFor: every index once, in the same pieces on any number of cores.
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

// TestPanic: a panic of a piece reaches the caller.
func TestPanic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer func() {
		if r := recover(); fmt.Sprint(r) != "piece 64" {
			t.Errorf("recovered %v", r)
		}
	}()
	For(100, 16, func(lo, _ int) {
		if lo == 64 {
			panic(fmt.Sprintf("piece %d", lo))
		}
	})
}
