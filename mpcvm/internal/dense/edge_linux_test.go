package dense

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// edge returns a function that returns n numbers of value one at the end of a memory region; accessing the
// memory behind it fails.
func edge[T float32 | float64](t *testing.T) func(n int) []T {
	page := os.Getpagesize()
	const pages = 16
	memory, err := syscall.Mmap(-1, 0, (pages+1)*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	must.OK(t, err)
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	must.OK(t, syscall.Mprotect(memory[pages*page:], syscall.PROT_NONE))
	all := unsafe.Slice((*T)(unsafe.Pointer(&memory[0])), pages*page/int(unsafe.Sizeof(T(0))))
	for i := range all {
		all[i] = 1
	}
	return func(n int) []T { return all[len(all)-n:] }
}

// TestEdge: nothing is read or written beyond the last element.
func TestEdge(t *testing.T) {
	levels(t, func(t *testing.T) {
		a, b, c, b32 := edge[float64](t), edge[float64](t), edge[float64](t), edge[float32](t)
		general := func(from func(int) []float64, m, n int) blas64.General {
			return blas64.General{Rows: m, Cols: n, Stride: n, Data: from(m * n)}
		}
		for k := 1; k < 40; k++ {
			for _, s := range [][2]int{{1, 1}, {2, 3}, {3, 8}, {4, 9}, {5, 15}} {
				m, n := s[0], s[1]
				MulT32(general(c, m, n), general(a, m, k),
					blas32.General{Rows: n, Cols: k, Stride: k, Data: b32(n * k)}, m%2 == 0)
				AddMul(general(c, m, n), general(a, m, k), general(b, k, n))
				AddMul32(general(c, m, n), general(a, m, k), blas32.General{Rows: k, Cols: n, Stride: n,
					Data: b32(k * n)})
				MulT(general(c, m, n), general(a, m, k), general(b, n, k))
				if got := c(1)[0]; got != float64(k) {
					t.Fatalf("%d×%d×%d: %g", m, n, k, got)
				}
			}
			Dot(a(k), b(k))
			Combine(c(k), []float64{1, 2, 3, 4, 5}, [][]float64{a(k), b(k), a(k), b(k), a(k)})
			Combine(c(k), []float64{1, 2, 3, 4, 5}, [][]float32{b32(k), b32(k), b32(k), b32(k), b32(k)})
		}
		for n := range 60 {
			h := general(c, n, n)
			for i := range h.Data {
				h.Data[i] = 0
			}
			for i := range n {
				h.Data[i*n+i] = 4
			}
			if !Cholesky(h) {
				t.Fatalf("n = %d: not positive definite", n)
			}
			v := general(a, 3, n)
			SolveLower(h, v)
			for i := range v.Data {
				v.Data[i] = 1
			}
		}
	})
}
