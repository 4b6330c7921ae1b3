package kernel_test

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

var levels = []cpu.Level{cpu.Portable, cpu.AVX2, cpu.AVX512}

func BenchmarkGram(b *testing.B) {
	benchmark(b, []int{792, 2000, 4000}, func(k kernel.Kernel, x *mat.Dense) func() {
		dst := mat.NewDense(x.RawMatrix().Rows, x.RawMatrix().Rows, nil)
		return func() { kernel.Gram(dst, k, x) }
	})
}

func BenchmarkCross(b *testing.B) {
	benchmark(b, []int{792, 2000}, func(k kernel.Kernel, x *mat.Dense) func() {
		dst := mat.NewDense(x.RawMatrix().Rows, x.RawMatrix().Rows, nil)
		return func() { kernel.Cross(dst, k, x, x) }
	})
}

// BenchmarkRows computes the values of each sample with all samples.
func BenchmarkRows(b *testing.B) {
	benchmark(b, []int{100, 792}, func(k kernel.Kernel, x *mat.Dense) func() {
		rows, dst := kernel.NewRows(k, x), make([]float64, x.RawMatrix().Rows)
		return func() {
			for i := range dst {
				rows.At(dst, x.RawRowView(i))
			}
		}
	})
}

// benchmark runs the function that work returns for N samples with D features, and
// reports the time per element of an N×N matrix.
func benchmark(b *testing.B, sizes []int, work func(k kernel.Kernel, x *mat.Dense) func()) {
	for _, n := range sizes {
		for _, d := range []int{4, 13, 16, 64, 400} {
			x := mat.DenseCopyOf(random(n, d, 10))
			for _, k := range kernels(d)[:6] {
				name, _, _ := strings.Cut(k.String(), "(")
				run := work(k, x)
				for _, level := range levels[:cpu.Best+1] {
					b.Run(fmt.Sprintf("%s/N=%d/D=%d/%v", name, n, d, level), func(b *testing.B) {
						defer cpu.Use(level)()
						b.ReportAllocs()
						for b.Loop() {
							run()
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n), "ns/element")
					})
				}
			}
		}
	}
}
