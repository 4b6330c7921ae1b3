package kernel

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// atEnd returns n ones in a slice that ends at the end of accessible memory.
func atEnd(t *testing.T, n int) []float64 {
	page := os.Getpagesize()
	size := (8*n + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	if err := syscall.Mprotect(m[size:], syscall.PROT_NONE); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	v := unsafe.Slice((*float64)(unsafe.Pointer(&m[size-8*n])), n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// The assembly does not access memory beyond its slices.
func TestWithinBounds(t *testing.T) {
	for level := cpu.Portable; level <= cpu.Best; level++ {
		restore := cpu.Use(level)
		for _, d := range []int{1, 2, 3, 7, 8, 13} {
			for _, rows := range []int{1, 2, 3, 4, 5, 8} {
				for _, blocks := range []int{1, 2, 3, 4, 5, 9} {
					xstride := d + 2
					x, y, w := atEnd(t, (rows-1)*xstride+d), atEnd(t, block*blocks*d), atEnd(t, d)
					dst := atEnd(t, rows*block*blocks)
					for term := squares; term <= products; term++ {
						sums(term, dst, block*blocks, x, xstride, rows, unsafe.Slice((*octet)(unsafe.Pointer(&y[0])), blocks*d),
							d, blocks, w)
					}
					for _, v := range dst {
						if v != float64(d) { // a sum of d products of ones
							t.Fatalf("%v: %v, want %d", level, v, d)
						}
					}
					decays(1, dst)
				}
			}
		}
		for length := block; length <= tileSide; length += block {
			transpose(atEnd(t, (length-1)*tileSide+slabRows), atEnd(t, slabRows*length), length)
		}
		restore()
	}
}
