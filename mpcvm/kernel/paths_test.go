package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

var inf, nan = math.Inf(1), math.NaN()

// harsh returns n samples with d features, a share of which are extreme or special numbers.
func harsh(n, d int, share float64, seed uint64) *mat.Dense {
	limits := []float64{1e300, -1e300, 1.7e308, -1.7e308, 1e-300, -1e-300, 5e-324, 0, math.Copysign(0, -1),
		1e154, inf, -inf, nan}
	rng := rand.New(rand.NewPCG(seed, 1))
	x := random(n, d, seed)
	for i := range n {
		for j := range d {
			if rng.Float64() < share {
				x.Set(i, j, limits[rng.IntN(len(limits))])
			}
		}
	}
	return x
}

// sameBits reports whether two numbers have the same bits. All NaNs are the same.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// Gram, Cross and Rows have the same bits as Value with all vector instructions
// and for all numbers, and do not write outside their destinations.
func TestSameBitsOnEveryPath(t *testing.T) {
	watch.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(7, 7))
	dims := []int{400}
	for d := 1; d <= 40; d++ {
		dims = append(dims, d)
	}
	for _, d := range dims {
		n, m := 1+rng.IntN(40), 1+rng.IntN(40)
		all := kernels(d)
		switch d {
		case 1, 5:
			all = append(all, strange(d)...)
		case 3:
			n, m = 301, 135 // several tiles
		case 4:
			n, m = 128, 256
		}
		for _, share := range []float64{0, 0.5 / float64(d)} {
			x, y := harsh(n, d, share, uint64(d)), harsh(m, d, share, uint64(d+1000))
			for _, k := range all {
				gram, cross := values(k, x, x), values(k, x, y)
				for i := range n { // Gram evaluates pairs in this order
					for j := i + 1; j < n; j++ {
						gram.Set(i, j, gram.At(j, i))
					}
				}
				for level := cpu.Portable; level <= cpu.Best; level++ {
					where := fmt.Sprintf("%v, %v, D=%d N=%d M=%d, %v at the limits", k, level, d, n, m, share)
					restore := cpu.Use(level)
					checkPaths(t, where, k, x, y, gram, cross)
					restore()
				}
			}
		}
	}
}

// strange returns kernels with parameters that Validate rejects.
func strange(d int) (list []kernel.Kernel) {
	for _, theta := range []float64{0, -0.1, inf, nan, 5e-324, 1e300} {
		all := make([]float64, d)
		all[d-1] = theta
		list = append(list, kernel.RBF{Theta: theta}, kernel.Laplacian{Theta: theta}, kernel.ARD{Theta: all},
			kernel.LaplacianARD{Theta: all}, kernel.RationalLaplacianARD{Theta: all},
			kernel.Matern32{Theta: theta}, kernel.Matern52{Theta: theta}, kernel.RationalQuadratic{
				Theta: theta}, kernel.RationalQuadratic{Theta: 1, Alpha: theta},
			kernel.RationalLaplacian{Theta: theta})
	}
	return list
}

func values(k kernel.Kernel, x, y *mat.Dense) *mat.Dense {
	n, m := x.RawMatrix().Rows, y.RawMatrix().Rows
	v := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			v.Set(i, j, k.Value(x.RawRowView(i), y.RawRowView(j)))
		}
	}
	return v
}

func checkPaths(t *testing.T, where string, k kernel.Kernel, x, y, gram, cross *mat.Dense) {
	t.Helper()
	n, _ := cross.Dims()
	same := func(path string, want *mat.Dense, f func(dst *mat.Dense)) {
		t.Helper()
		r, c := want.Dims()
		frame := mat.NewDense(r+2, c+2, nil) // dst with a frame of guards
		for i := range frame.RawMatrix().Data {
			frame.RawMatrix().Data[i] = 77
		}
		f(frame.Slice(1, r+1, 1, c+1).(*mat.Dense))
		for i := range r + 2 {
			for j := range c + 2 {
				v := frame.At(i, j)
				if i == 0 || j == 0 || i > r || j > c {
					if v != 77 {
						t.Fatalf("%s: %s writes beyond its destination at %d, %d", where, path, i-1, j-1)
					}
				} else if !sameBits(v, want.At(i-1, j-1)) {
					t.Fatalf("%s: %s has %v at %d, %d, Value %v", where, path, v, i-1, j-1, want.At(i-1, j-1))
				}
			}
		}
	}
	same("Gram", gram, func(dst *mat.Dense) { kernel.Gram(dst, k, x) })
	same("Cross", cross, func(dst *mat.Dense) { kernel.Cross(dst, k, x, y) })
	rows := kernel.NewRows(k, y)
	same("At", cross, func(dst *mat.Dense) {
		for i := range n {
			rows.At(dst.RawRowView(i), x.RawRowView(i))
		}
	})
}

// The Gram matrix of an exponential kernel is symmetric with ones on the diagonal.
func TestUnitDiagonal(t *testing.T) {
	x := random(150, 7, 3)
	for i := range 150 {
		x.Set(i, 2, x.At(i, 2)*1e8+1e9) // too large for |x|² + |y|² − 2xᵀy
	}
	for _, k := range append(kernels(7)[:4], smooth(0.3)...) {
		g := kernel.Gram(nil, k, x)
		for i := range 150 {
			if g.At(i, i) != 1 {
				t.Errorf("%v: %v at %d on the diagonal", k, g.At(i, i), i)
			}
			for j := range i {
				if g.At(i, j) != g.At(j, i) {
					t.Errorf("%v: %v and %v at %d, %d", k, g.At(i, j), g.At(j, i), i, j)
				}
			}
		}
	}
}

// Gram calls a Func once for each pair, with the later sample first.
func TestGramAsksHalf(t *testing.T) {
	const n = 150
	var calls atomic.Int64
	k := kernel.Func{F: func(x, y []float64) float64 {
		calls.Add(1)
		if x[0] < y[0] {
			t.Errorf("called with %v, %v", x[0], y[0])
		}
		return x[0]*1000 + y[0]
	}}
	g := kernel.Gram(nil, k, kernel.Indices(n))
	if calls.Load() != n*(n+1)/2 {
		t.Errorf("%d calls for %d samples", calls.Load(), n)
	}
	for i := range n {
		for j := range i + 1 {
			if want := float64(i*1000 + j); g.At(i, j) != want || g.At(j, i) != want {
				t.Fatalf("%v and %v at %d, %d", g.At(i, j), g.At(j, i), i, j)
			}
		}
	}
}

// Rows calls an unknown kernel with x first, and is safe for concurrent use.
func TestRows(t *testing.T) {
	table := random(9, 6, 1)
	k := kernel.Precomputed{K: table}
	rows := kernel.NewRows(k, kernel.Indices(6))
	for i := range 9 {
		if got := rows.At(nil, []float64{float64(i)}); !mat.Equal(mat.NewVecDense(6, got),
			mat.NewVecDense(6, table.RawRowView(i))) {
			t.Errorf("row %d: %v", i, got)
		}
	}
	x := random(300, 5, 2)
	for _, k := range kernels(5) {
		rows, want := kernel.NewRows(k, x), kernel.Gram(nil, k, x)
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				dst := make([]float64, 300)
				for i := w; i < 300; i += 4 {
					rows.At(dst, x.RawRowView(i))
					for j, v := range dst {
						if v != want.At(i, j) {
							t.Errorf("%v: %v at %d, %d, want %v", k, v, i, j, want.At(i, j))
							return
						}
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestRowsDoNotAllocate(t *testing.T) {
	y := random(101, 4, 9)
	dst := make([]float64, 101)
	for level := cpu.Portable; level <= cpu.Best; level++ {
		restore := cpu.Use(level)
		for _, k := range append(kernels(4), strange(4)...) {
			rows := kernel.NewRows(k, y)
			if n := testing.AllocsPerRun(20, func() { rows.At(dst, y.RawRowView(0)) }); n != 0 {
				t.Errorf("%v, %v: %v allocations", k, level, n)
			}
		}
		restore()
	}
}

// Without samples, the functions do not panic if a destination is given.
func TestEmpty(t *testing.T) {
	for _, k := range kernels(3) {
		kernel.Gram(&mat.Dense{}, k, &mat.Dense{})
		kernel.NewRows(k, &mat.Dense{}).At(nil, nil)
	}
}
