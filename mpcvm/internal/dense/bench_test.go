package dense

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// measure benchmarks a routine at each level of this processor, and the equivalent of the registered BLAS if
// other is not nil. It reports GF/s for the given number of operations and GB/s for the given number of
// bytes, unless they are zero.
func measure(b *testing.B, name string, operations, bytes float64, routine, other func()) {
	run := func(b *testing.B, f func()) {
		f()
		for b.Loop() {
			f()
		}
		seconds := b.Elapsed().Seconds() / float64(b.N)
		b.ReportMetric(operations/seconds/1e9, "GF/s")
		if bytes > 0 {
			b.ReportMetric(bytes/seconds/1e9, "GB/s")
		}
	}
	if other != nil {
		b.Run(name+"/gonum", func(b *testing.B) { run(b, other) })
	}
	for l := cpu.Portable; l <= cpu.Best; l++ {
		b.Run(name+"/"+l.String(), func(b *testing.B) {
			defer cpu.Use(l)()
			run(b, routine)
		})
	}
}

func BenchmarkMulT(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range [][3]int{{3, 150, 150}, {1, 800, 800}, {11, 800, 800}, {1, 4000, 4000}, {10, 4000, 4000},
		{100, 2000, 2000}, {600, 600, 600}} {
		m, n, k := s[0], s[1], s[2]
		a, x, c := random(rng, m, k, 0), random(rng, n, k, 0), random(rng, m, n, 0)
		measure(b, fmt.Sprintf("%dx%dx%d", m, n, k), 2*float64(m*n*k), 8*float64(n*k),
			func() { MulT(c, a, x) },
			func() { blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, x, 0, c) })
	}
}

func BenchmarkGram(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{150, 800, 2000} {
		a, c := random(rng, n, n, 0), random(rng, n, n, 0)
		s := blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: c.Data}
		measure(b, fmt.Sprint(n), float64(n*n*n), 0, func() { Gram(c, a) },
			func() { blas64.Syrk(blas.NoTrans, 1, a, 0, s) })
	}
}

func BenchmarkCholesky(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{5, 10, 20, 40, 100, 300, 1000, 2000} {
		h := definite(rng, n)
		l := clone(h)
		measure(b, fmt.Sprint(n), float64(n*n*n)/3, 0, func() { copy(l.Data, h.Data); Cholesky(l) }, func() {
			copy(l.Data, h.Data)
			lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: l.Stride, Data: l.Data})
		})
	}
}

func BenchmarkDot(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{10, 150, 800, 8000} {
		x, y := random(rng, 1, n, 0), random(rng, 1, n, 0)
		v, w := blas64.Vector{N: n, Inc: 1, Data: x.Data}, blas64.Vector{N: n, Inc: 1, Data: y.Data}
		sum := 0.0
		measure(b, fmt.Sprint(n), 2*float64(n), 16*float64(n), func() { sum += Dot(x.Data, y.Data) },
			func() { sum += blas64.Dot(v, w) })
	}
}
