package mpcvm_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// handmade returns a model with m vectors, d features and c classes, and n samples for it.
func handmade(k kernel.Kernel, m, d, c, n int) (*mpcvm.Model, *mat.Dense) {
	value := func(i, j int) float64 { return math.Sin(float64(1 + 7*i + 3*j*j)) }
	x, t := mat.NewDense(m, d, nil), make([]int, m)
	bases, w := make([][]int, c), make([][]float64, c)
	for i := range m {
		t[i] = i % c
		for j := range d {
			x.Set(i, j, value(i, j))
		}
		for class := range c {
			weight := -0.5 - math.Abs(value(i, class))
			if class == t[i] {
				weight = -weight
			}
			bases[class], w[class] = append(bases[class], i), append(w[class], weight)
		}
	}
	samples := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			samples.Set(i, j, value(i+m, j))
		}
	}
	return mpcvm.NewModel(k, x, t, bases, w, make([]float64, c)), samples
}

// ProbaOne gives the same bits as Proba and does not allocate, for any kernel and calibration, also from
// several goroutines.
func TestProbaOne(t *testing.T) {
	for _, k := range []kernel.Kernel{
		kernel.RBF{Theta: 0.05}, kernel.Laplacian{Theta: 0.05}, kernel.ARD{Theta: []float64{0, 0.1, 0.2, 0.1,
			0.05}},
		kernel.Polynomial{Degree: 2, Scale: 1, Offset: 1},
	} {
		for _, c := range []int{2, 3, 11} {
			plain, x := handmade(k, 13, 5, c, 70)
			x.Set(3, 2, math.NaN())
			floor := make([]float64, c)
			floor[1] = 0.1
			scaled := plain.WithScaling([]float64{1, 0, 0, 0, -1}, []float64{2, 1, 1, 1, 3})
			empty := mpcvm.NewModel(k, mat.NewDense(1, 5, nil), []int{0}, make([][]int, c), make([][]float64, c),
				floor)
			models := []*mpcvm.Model{plain, plain.WithTemperature(2).WithFloor(floor), scaled, empty}
			for i, m := range models {
				t.Run(fmt.Sprintf("%v/%d classes/%d", k, c, i), func(t *testing.T) {
					want := m.Proba(nil, x)
					if fault := sameBits(m.ProbaOne(nil, x.RawRowView(5)), want.RawRowView(5)); fault != "" {
						t.Error("without dst: " + fault)
					}
					var wg sync.WaitGroup
					for range 4 {
						wg.Go(func() {
							dst, row := make([]float64, c), make([]float64, 5)
							for n := range 70 {
								copy(row, x.RawRowView(n))
								if fault := sameBits(m.ProbaOne(dst, row), want.RawRowView(n)); fault != "" {
									t.Errorf("row %d: %s", n, fault)
								}
								if fault := sameBits(row, x.RawRowView(n)); fault != "" {
									t.Errorf("row %d has changed: %s", n, fault)
								}
							}
						})
					}
					wg.Wait()
				})
			}
		}
	}
}

func TestProbaOnePanics(t *testing.T) {
	m, x := handmade(kernel.RBF{Theta: 0.05}, 7, 5, 3, 1)
	must.Panic(t, "4 of 5 features", func() { m.ProbaOne(nil, x.RawRowView(0)[:4]) })
	must.Panic(t, "2 of 3 classes", func() { m.ProbaOne(make([]float64, 2), x.RawRowView(0)) })
	must.Panic(t, "an empty destination", func() { m.ProbaOne([]float64{}, x.RawRowView(0)) })
}

// BenchmarkPredictOne predicts one row at a time with a model of 7 vectors, 25 features and 3 classes.
func BenchmarkPredictOne(b *testing.B) {
	m, x := handmade(kernel.RBF{Theta: 0.05}, 7, 25, 3, 64)
	b.Run("ProbaOne", func(b *testing.B) {
		b.ReportAllocs()
		dst := make([]float64, 3)
		for i := 0; b.Loop(); i++ {
			m.ProbaOne(dst, x.RawRowView(i%64))
		}
	})
}
