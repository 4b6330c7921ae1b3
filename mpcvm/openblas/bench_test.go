package openblas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
)

// measure benchmarks a routine of the learners without OpenBLAS and with it.
func measure(b *testing.B, name string, operations float64, f func()) {
	defer blas64.Use(Implementation{})
	for _, other := range []struct {
		name string
		blas blas.Float64
	}{{"own", gonum.Implementation{}}, {"openblas", Implementation{}}} {
		b.Run(name+"/"+other.name, func(b *testing.B) {
			blas64.Use(other.blas)
			for b.Loop() {
				f()
			}
			b.ReportMetric(operations*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
		})
	}
}

func general(rng *rand.Rand, m, n int) blas64.General {
	x, ld := random(rng, m, n)
	return blas64.General{Rows: m, Cols: n, Stride: ld, Data: x}
}

func BenchmarkProducts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range [][3]int{{3, 150, 150}, {10, 800, 800}, {10, 4000, 4000}, {100, 2000, 2000}, {600, 600, 600}} {
		m, n, k := s[0], s[1], s[2]
		x, y, c := general(rng, m, k), general(rng, n, k), general(rng, m, n)
		measure(b, fmt.Sprintf("MulT/%dx%dx%d", m, n, k), 2*float64(m*n*k), func() { dense.MulT(c, x, y) })
		measure(b, fmt.Sprintf("Gemm/%dx%dx%d", m, n, k), 2*float64(m*n*k), func() { blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, y, 0, c) })
	}
	for _, n := range []int{150, 800, 2000} {
		x, c := general(rng, n, n), general(rng, n, n)
		measure(b, fmt.Sprint("Gram/", n), float64(n)*float64(n)*float64(n), func() { dense.Gram(c, x) })
	}
}

func BenchmarkFactors(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{40, 100, 300, 1000, 2000} {
		x, h := general(rng, n, n), general(rng, n, n)
		dense.Gram(h, x)
		l, diag := h, make([]float64, n)
		l.Data = slices.Clone(h.Data)
		cube := float64(n) * float64(n) * float64(n) / 3
		measure(b, fmt.Sprint("Cholesky/", n), cube, func() { copy(l.Data, h.Data); dense.Cholesky(l) })
		v := general(rng, 64, n)
		kept := slices.Clone(v.Data)
		measure(b, fmt.Sprint("SolveLower/64x", n), 64*float64(n*n), func() { copy(v.Data, kept); dense.SolveLower(l, v) })
		measure(b, fmt.Sprint("InverseDiagonal/", n), cube, func() { dense.InverseDiagonal(diag, l) })
	}
}
