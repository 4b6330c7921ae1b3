package probit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// nodes returns the number of nodes that a rule evaluates for a sample.
func (q rule) nodes(y []float64, t int, w *workspace) int {
	m, _, narrow := w.center(y, t)
	top, logTop, _ := w.factors(m, 0, q.tails)
	n := 1
	for _, h := range [2]float64{q.step * narrow, -q.step * narrow} {
		for k, p := 1.0, 1.0; p > q.cut; k++ {
			prod, log, square := w.factors(m, k*h, q.tails)
			p = prod / top * math.Exp(log-logTop-square/2)
			n++
		}
	}
	return n
}

// benchmark runs f at every level with the potentials (N×C) of 800 samples.
func benchmark(b *testing.B, spread float64, f func(b *testing.B, y *mat.Dense, labels []int)) {
	const n = 800
	for _, c := range []int{3, 5, 11, 26, 100} {
		rng := rand.New(rand.NewPCG(5, 1))
		y, labels := mat.NewDense(n, c, nil), make([]int, n)
		for i := range labels {
			labels[i] = rng.IntN(c)
			for k := range c {
				y.Set(i, k, spread*rng.NormFloat64())
			}
		}
		for _, l := range levels() {
			b.Run(fmt.Sprintf("C=%d/%v", c, l), func(b *testing.B) {
				defer cpu.Use(l)()
				b.ReportAllocs()
				f(b, y, labels)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/sample")
			})
		}
	}
}

func BenchmarkMeans(b *testing.B) {
	benchmark(b, 1, func(b *testing.B, y *mat.Dense, labels []int) {
		n, c := y.Dims()
		nodes, w := 0, new(workspace)
		for i, t := range labels {
			nodes += accuracy(c, 1e-9).nodes(y.RawRowView(i), t, w)
		}
		y = mat.DenseCopyOf(y.T())
		zbar, logp := mat.NewDense(c, n, nil), make([]float64, n)
		for b.Loop() {
			Batch{}.Means(zbar, logp, y, labels)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes*c), "ns/(sample·node·class)")
	})
}

func BenchmarkBatchProba(b *testing.B) {
	benchmark(b, 2, func(b *testing.B, y *mat.Dense, _ []int) {
		p := new(mat.Dense)
		p.CloneFrom(y)
		for b.Loop() {
			Batch{}.Proba(p, y)
		}
	})
}

func BenchmarkLogProb(b *testing.B) {
	benchmark(b, 2, func(b *testing.B, y *mat.Dense, labels []int) {
		logp := make([]float64, len(labels))
		for b.Loop() {
			Batch{}.LogProb(logp, y, labels)
		}
	})
}

func BenchmarkProba(b *testing.B) {
	for _, c := range []int{3, 11, 26} {
		b.Run(fmt.Sprintf("C=%d", c), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(6, 1))
			y, p := make([]float64, c), make([]float64, c)
			for k := range y {
				y[k] = 2 * rng.NormFloat64()
			}
			b.ReportAllocs()
			for b.Loop() {
				Proba(p, y)
			}
		})
	}
}
