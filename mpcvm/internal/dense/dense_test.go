package dense

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// guard fills the space between and after the rows of test matrices. It must not be overwritten, and shows in
// a result if it is read.
const guard = 1e300

// levels runs a test at each level of this processor.
func levels(t *testing.T, f func(t *testing.T)) {
	for l := cpu.Portable; l <= cpu.Best; l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.Use(l)()
			f(t)
		})
	}
}

// random returns an m×n matrix of stride n+extra whose last row ends at the end of its memory.
func random(rng *rand.Rand, m, n, extra int) blas64.General {
	g := blas64.General{Rows: m, Cols: n, Stride: n + extra, Data: make([]float64, max(0, m*(n+extra)-extra))}
	for i := range g.Data {
		g.Data[i] = guard
	}
	for i := range m {
		for j := range n {
			g.Data[i*g.Stride+j] = rng.NormFloat64()
		}
	}
	return g
}

func narrow(a blas64.General) blas32.General {
	b := blas32.General{Rows: a.Rows, Cols: a.Cols, Stride: a.Stride, Data: make([]float32, len(a.Data))}
	for i, v := range a.Data {
		b.Data[i] = float32(v)
	}
	return b
}

func clone(a blas64.General) blas64.General { a.Data = slices.Clone(a.Data); return a }

func at(a blas64.General, i, j int) float64 { return a.Data[i*a.Stride+j] }

// plainT returns A·Bᵀ by plain loops, and the sum of the absolute terms, to which rounding errors are
// relative.
func plainT(a, b blas64.General, i, j int) (sum, size float64) {
	for k := range a.Cols {
		v := at(a, i, k) * at(b, j, k)
		sum += v
		size += math.Abs(v)
	}
	return sum, size
}

func near(got, want, size float64) bool { return math.Abs(got-want) <= 1e-13*(1+size) }

func guarded(t *testing.T, a blas64.General) {
	t.Helper()
	for i, v := range a.Data {
		if i%a.Stride >= a.Cols && v != guard {
			t.Fatalf("%d×%d, stride %d: element %d outside was overwritten", a.Rows, a.Cols, a.Stride, i)
		}
	}
}

// sizes returns m, n, k of products: all small ones, and those near block boundaries.
func sizes() [][3]int {
	var list [][3]int
	for k := range 71 {
		list = append(list, [3]int{k % 8, (k * 5) % 23, k}, [3]int{3 + k%3, 8 + k%8, k},
			[3]int{k, (71 - k) % 19, 1 + k%9})
	}
	return append(list, [3]int{1, 1, 1}, [3]int{2, 200, 700}, [3]int{5, 130, kBlock},
		[3]int{rowBlock + 1, 70, kBlock + 1},
		[3]int{100, 64, 2*kBlock + 9}, [3]int{1, 3, 3000}, [3]int{400, 9, 5})
}

func TestMulT(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, s := range sizes() {
			m, n, k := s[0], s[1], s[2]
			a, b, c := random(rng, m, k, k%3), random(rng, n, k, k%4), random(rng, m, n, m%3)
			narrowed := narrow(b)
			c32, fast := clone(c), clone(c)
			MulT(c, a, b)
			MulT32(c32, a, narrowed, false)
			MulT32(fast, a, narrowed, true)
			b32 := clone(b)
			for i, v := range narrowed.Data {
				b32.Data[i] = float64(v)
			}
			wide := clone(c)
			MulT(wide, a, b32)
			for i := range m {
				for j := range n {
					want, size := plainT(a, b, i, j)
					if got := at(c, i, j); !near(got, want, size) {
						t.Fatalf("%v: c[%d][%d] = %g, want %g", s, i, j, got, want)
					}
					if at(c32, i, j) != at(wide, i, j) {
						t.Fatalf("%v: MulT32 gives %g, MulT %g", s, at(c32, i, j), at(wide, i, j))
					}
					if got := at(fast, i, j); math.Abs(got-want) > 1e-6*(1+size) {
						t.Fatalf("%v: in float32, c[%d][%d] = %g, want %g", s, i, j, got, want)
					}
				}
			}
			guarded(t, c)
			guarded(t, c32)
			guarded(t, fast)
		}
	})
}

// TestAddMul: C += A·B at all sizes and strides. A product in two parts, split by terms or by columns, has
// the same bits as the whole product.
func TestAddMul(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 2))
		for _, s := range append(sizes(), [3]int{13, 170, 300}, [3]int{26, 300, 3*kBlock + 5}) {
			m, n, k := s[0], s[1], s[2]
			a, b, c := random(rng, m, k, k%3), random(rng, k, n, n%4), random(rng, m, n, m%3)
			narrowed := narrow(b)
			for i, v := range narrowed.Data {
				b.Data[i] = float64(v)
			}
			before, c32, parts := clone(c), clone(c), clone(c)
			AddMul(c, a, b)
			AddMul32(c32, a, narrowed)
			first, left := k/3, n/2
			for _, side := range [][2]int{{0, left}, {left, n}} {
				to, from := columns(parts, side[0], side[1]), columns(b, side[0], side[1])
				AddMul(to, columns(a, 0, first), rows(from, 0, first))
				AddMul(to, columns(a, first, k), rows(from, first, k))
			}
			for i := range m {
				for j := range n {
					want, size := at(before, i, j), math.Abs(at(before, i, j))
					for p := range k {
						v := at(a, i, p) * at(b, p, j)
						want += v
						size += math.Abs(v)
					}
					if got := at(c, i, j); !near(got, want, size) {
						t.Fatalf("%v: c[%d][%d] = %g, want %g", s, i, j, got, want)
					}
					if at(c, i, j) != at(c32, i, j) || at(c, i, j) != at(parts, i, j) {
						t.Fatalf("%v: %g, float32 %g, in parts %g", s, at(c, i, j), at(c32, i, j), at(parts, i, j))
					}
				}
			}
			guarded(t, c)
			guarded(t, c32)
		}
	})
}

// TestAdd: products and Gram matrices accumulated over blocks of columns have the same bits as those computed
// at once.
func TestAdd(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 2))
		stretch := func(a blas64.General, lo int) blas64.General {
			a.Cols, a.Data = min(Columns*(1+lo%2), a.Cols-lo), a.Data[lo:]
			return a
		}
		for _, s := range [][3]int{{3, 5, 100}, {7, 80, 3*Columns + 5}, {rowBlock + 30, 90, 2 * Columns},
			{300, 4, 5 * Columns}} {
			a, b := random(rng, s[0], s[2], 3), random(rng, s[1], s[2], 1)
			narrowed := narrow(b)
			want, want32, gram := random(rng, s[0], s[1], 2), random(rng, s[0], s[1], 2), random(rng, s[0], s[0], 1)
			MulT(want, a, b)
			MulT32(want32, a, narrowed, s[0]%2 == 0)
			Gram(gram, a)
			got, got32, square := clone(want), clone(want32), clone(gram)
			for _, m := range []blas64.General{got, got32, square} {
				for i := range m.Rows {
					clear(m.Data[i*m.Stride : i*m.Stride+m.Cols])
				}
			}
			for lo := 0; lo < s[2]; {
				part := stretch(a, lo)
				AddMulT(got, part, stretch(b, lo))
				part32 := narrowed
				part32.Cols, part32.Data = part.Cols, part32.Data[lo:]
				AddMulT32(got32, part, part32, s[0]%2 == 0)
				for r := 0; r < s[0]; r += 100 {
					AddGramRows(square, part, r, min(r+100, s[0]))
				}
				lo += part.Cols
			}
			for name, pair := range map[string][2]blas64.General{"AddMulT": {got, want}, "AddMulT32": {got32, want32},
				"AddGramRows": {square, gram}} {
				if !slices.Equal(pair[0].Data, pair[1].Data) {
					t.Errorf("%v: %s gives different bits in blocks", s, name)
				}
			}
		}
	})
}

// TestOrder: a row of a product or a solution does not depend on the other rows or on the order of the
// factors.
func TestOrder(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		const n, k = 77, 1111
		a, b := random(rng, n, k, 3), random(rng, n, k, 0)
		c, d := random(rng, n, n, 0), random(rng, n, n, 0)
		MulT(c, a, b)
		MulT(d, b, a)
		one := random(rng, 1, n, 0)
		l := factor(t, rng, n)
		v := random(rng, n, n, 5)
		solved := clone(v)
		SolveLower(l, solved)
		for i := range n {
			MulT(one, rows(a, i, i+1), b)
			for j := range n {
				if at(one, 0, j) != at(c, i, j) || at(d, j, i) != at(c, i, j) {
					t.Fatalf("entry %d, %d: %g alone, %g transposed, %g in the matrix", i, j, at(one, 0, j), at(d, j, i),
						at(c, i, j))
				}
			}
			alone := clone(rows(v, i, i+1))
			SolveLower(l, alone)
			if !slices.Equal(alone.Data[:n], solved.Data[i*solved.Stride:i*solved.Stride+n]) {
				t.Fatalf("solution %d differs if solved alone", i)
			}
		}
	})
}

func TestGram(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, s := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {2, 5}, {7, 9}, {17, 16}, {63, 5}, {70, 70},
			{210, 90}, {rowBlock + 9, 300}, {333, 20}} {
			n, k := s[0], s[1]
			a, c := random(rng, n, k, 2), random(rng, n, n, 1)
			panels := clone(c)
			Gram(c, a)
			for lo := 0; lo < n; lo += 50 {
				GramRows(panels, a, lo, min(n, lo+50))
			}
			for i := range n {
				for j := range i + 1 {
					want, size := plainT(a, a, i, j)
					if !near(at(c, i, j), want, size) || at(c, i, j) != at(c, j, i) || at(panels, i, j) != at(c, i, j) ||
						at(panels, j, i) != at(c, i, j) {
						t.Fatalf("%v: entry %d, %d is %g, in panels %g, mirrored %g, want %g", s, i, j, at(c, i, j),
							at(panels, i, j), at(c, j, i), want)
					}
				}
			}
			guarded(t, c)
			guarded(t, panels)
		}
	})
}

// definite returns a positive definite matrix with guards in its upper triangle.
func definite(rng *rand.Rand, n int) blas64.General {
	a, h := random(rng, n, n+3, 0), random(rng, n, n, n%3)
	Gram(h, a)
	for i := range n {
		for j := i + 1; j < n; j++ {
			h.Data[i*h.Stride+j] = guard
		}
	}
	return h
}

func factor(t *testing.T, rng *rand.Rand, n int) blas64.General {
	t.Helper()
	l := definite(rng, n)
	if !Cholesky(l) {
		t.Fatalf("n = %d: not positive definite", n)
	}
	return l
}

func TestCholesky(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for n := range 76 {
			if n > 70 {
				n = []int{95, 96, 97, 192, 203}[n-71]
			}
			h := definite(rng, n)
			l := clone(h)
			if !Cholesky(l) {
				t.Fatalf("n = %d: not positive definite", n)
			}
			guarded(t, l)
			logDet := 0.0
			for i := range n {
				for j := range n {
					if j > i {
						if at(l, i, j) != guard {
							t.Fatalf("n = %d: entry %d, %d above the diagonal was written", n, i, j)
						}
						continue
					}
					want, got := at(h, i, j), 0.0
					for k := range j + 1 {
						got += at(l, i, k) * at(l, j, k)
					}
					if !near(got, want, float64(n)) {
						t.Fatalf("n = %d: (LLᵀ)[%d][%d] = %g, H has %g", n, i, j, got, want)
					}
				}
				logDet += 2 * math.Log(at(l, i, i))
			}
			if got := LogDet(l); got != logDet {
				t.Fatalf("n = %d: log determinant %g, want %g", n, got, logDet)
			}
			checkSolutions(t, rng, l)
		}
	})
}

// TestCholeskyRows: computed in panels of rows of any size, the factor is the same.
func TestCholeskyRows(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(17, 18))
		for _, n := range []int{0, 1, 30, 203} {
			h := definite(rng, n)
			want := clone(h)
			if !Cholesky(want) {
				t.Fatalf("n = %d: not positive definite", n)
			}
			for _, size := range []int{1, 7, 64, 100, 300} {
				l := clone(h)
				for lo := 0; lo < n; lo += size {
					if !CholeskyRows(l, lo, min(lo+size, n)) || !CholeskyRows(l, lo, lo) {
						t.Fatalf("n = %d, rows from %d: not positive definite", n, lo)
					}
				}
				for i, v := range l.Data {
					if v == guard != (want.Data[i] == guard) || !near(v, want.Data[i], 10*float64(n)) {
						t.Fatalf("n = %d, panels of %d: element %d is %g, want %g", n, size, i, v, want.Data[i])
					}
				}
			}
			if n > 0 {
				h.Data[(n-1)*h.Stride+n-1] = math.NaN()
				if CholeskyRows(h, 0, n-1) && CholeskyRows(h, n-1, n) {
					t.Errorf("n = %d: NaN on the diagonal was accepted", n)
				}
			}
		}
	})
}

// checkSolutions compares the substitutions with plain ones.
func checkSolutions(t *testing.T, rng *rand.Rand, l blas64.General) {
	t.Helper()
	n := l.Rows
	kept := clone(l)
	lower := func(b []float64) {
		for i := range b {
			for k := range i {
				b[i] -= at(l, i, k) * b[k]
			}
			b[i] /= at(l, i, i)
		}
	}
	equal := func(what string, got, want []float64) {
		t.Helper()
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-9*(1+math.Abs(want[i])) {
				t.Fatalf("n = %d: %s: [%d] = %.15g, want %.15g", n, what, i, got[i], want[i])
			}
		}
	}
	for _, m := range []int{0, 1, 2, 9, 40} {
		v := random(rng, m, n, m%3)
		got := clone(v)
		SolveLower(l, got)
		guarded(t, got)
		for i := range m {
			want := v.Data[i*v.Stride : i*v.Stride+n]
			lower(want)
			equal("SolveLower", got.Data[i*got.Stride:], want)
		}
	}
	b := random(rng, 1, n, 0).Data
	want := slices.Clone(b)
	lower(want)
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			want[i] -= at(l, k, i) * want[k]
		}
		want[i] /= at(l, i, i)
	}
	Solve(l, b)
	equal("Solve", b, want)
	diag := make([]float64, n)
	for k := range n {
		column := make([]float64, n)
		column[k] = 1
		lower(column)
		for _, v := range column {
			diag[k] += v * v
		}
	}
	InverseDiagonal(b, l)
	equal("InverseDiagonal", b, diag)
	if !slices.Equal(l.Data, kept.Data) {
		t.Fatalf("n = %d: the factor was changed", n)
	}
}

// TestSolveUpper: after SolveLower it gives the same result as Solve, row by row.
func TestSolveUpper(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(6, 2))
		for _, n := range []int{1, 5, 63, 64, 65, 200} {
			l := factor(t, rng, n)
			v := random(rng, 7, n, n%3)
			want := clone(v)
			SolveLower(l, v)
			SolveUpper(l, v)
			for i := range v.Rows {
				row := want.Data[i*want.Stride:][:n]
				Solve(l, row)
				for j, x := range row {
					if got := at(v, i, j); math.Abs(got-x) > 1e-10*(1+math.Abs(x)) {
						t.Fatalf("n = %d: v[%d][%d] = %g, Solve gives %g", n, i, j, got, x)
					}
				}
			}
			guarded(t, v)
		}
	})
}

func TestIndefinite(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, n := range []int{1, 4, 8, 9, 50, 150} {
			for _, wrong := range []float64{0, -1, math.NaN()} {
				for _, i := range []int{0, n / 2, n - 1} {
					h := definite(rng, n)
					h.Data[i*h.Stride+i] = wrong
					if Cholesky(h) {
						t.Errorf("n = %d: %g on the diagonal was accepted", n, wrong)
					}
				}
			}
		}
	})
}

func TestVectors(t *testing.T) {
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 12))
		for n := range 140 {
			if n >= 130 {
				n = 1000 + 37*n
			}
			a, y := random(rng, n%40, n, n%3), random(rng, 1, n, 0).Data
			a32 := narrow(a)
			var lines [][]float64
			var lines32 [][]float32
			for i := range a.Rows {
				lines = append(lines, a.Data[i*a.Stride:i*a.Stride+n])
				lines32 = append(lines32, a32.Data[i*a.Stride:i*a.Stride+n])
			}
			w := random(rng, 1, a.Rows, 0).Data
			padded := append(slices.Clone(y), guard, guard)
			got, got32 := padded[:n], slices.Clone(y)
			Combine(got, w, lines)
			Combine(got32, w, lines32)
			if padded[n] != guard || padded[n+1] != guard {
				t.Fatalf("n = %d: Combine wrote beyond y", n)
			}
			for k := range n {
				want, want32, size := y[k], y[k], math.Abs(y[k])
				for i := range w {
					want += w[i] * lines[i][k]
					want32 += w[i] * float64(lines32[i][k])
					size += math.Abs(w[i] * lines[i][k])
				}
				if !near(got[k], want, size) || !near(got32[k], want32, size) {
					t.Fatalf("n = %d, %d rows: y[%d] = %g and %g, want %g and %g", n, a.Rows, k, got[k], got32[k], want,
						want32)
				}
			}
			for i := range lines {
				want, size := 0.0, 0.0
				for k := range n {
					want += y[k] * lines[i][k]
					size += math.Abs(y[k] * lines[i][k])
				}
				if d := Dot(y, lines[i]); !near(d, want, size) {
					t.Fatalf("n = %d: dot %g, want %g", n, d, want)
				}
			}
		}
	})
}

// TestCores: the same bits on any number of cores.
func TestCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	levels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		a, b := random(rng, 30, 300, 0), random(rng, 310, 300, 1)
		var first []float64
		for _, cores := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(cores)
			c, g, c32 := random(rng, 30, 310, 0), random(rng, 310, 310, 0), random(rng, 30, 310, 0)
			MulT(c, a, b)
			Gram(g, b)
			MulT32(c32, a, narrow(b), true)
			rng := rand.New(rand.NewPCG(19, 20))
			l := definite(rng, 200)
			if !CholeskyRows(l, 0, 80) || !CholeskyRows(l, 80, 200) {
				t.Fatal("not positive definite")
			}
			all := slices.Concat(c.Data, g.Data, c32.Data, l.Data)
			if first == nil {
				first = all
			}
			if !slices.Equal(all, first) {
				t.Errorf("%d cores give different bits than one", cores)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	if watch.Race {
		t.Skip("with the race detector, sync.Pool drops items")
	}
	rng := rand.New(rand.NewPCG(15, 16))
	h, v := definite(rng, 60), random(rng, 20, 60, 0)
	l := clone(h)
	b, c, y := make([]float64, 60), random(rng, 20, 20, 0), make([]float64, 60)
	lines := [][]float64{b, b, b, b, b, b, b, b, b}
	n := testing.AllocsPerRun(20, func() {
		copy(l.Data, h.Data)
		Cholesky(l)
		SolveLower(l, v)
		Solve(l, b)
		InverseDiagonal(b, l)
		MulT(c, v, v)
		Gram(c, v)
		Combine(y, b[:9], lines)
		Dot(b, y)
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMisuse: matrices of wrong sizes panic.
func TestMisuse(t *testing.T) {
	g := func(m, n int) blas64.General {
		return blas64.General{Rows: m, Cols: n, Stride: n, Data: make([]float64, m*n)}
	}
	short := g(4, 4)
	short.Data = short.Data[:15]
	for i, f := range []func(){
		func() { MulT(g(2, 3), g(2, 5), g(3, 4)) },
		func() { MulT(g(3, 3), g(2, 5), g(3, 5)) },
		func() { MulT(short, g(4, 4), g(4, 4)) },
		func() {
			MulT32(g(2, 3), g(2, 5), blas32.General{Rows: 3, Cols: 5, Stride: 4, Data: make([]float32, 15)}, false)
		},
		func() { GramRows(g(4, 4), g(4, 4), 2, 5) },
		func() { Cholesky(g(3, 4)) },
		func() { Cholesky(short) },
		func() { CholeskyRows(g(4, 4), 2, 5) },
		func() { CholeskyRows(g(3, 4), 0, 3) },
		func() { SolveLower(g(3, 3), g(2, 4)) },
		func() { Solve(g(3, 3), make([]float64, 2)) },
		func() { InverseDiagonal(make([]float64, 2), g(3, 3)) },
		func() { Dot(make([]float64, 2), make([]float64, 3)) },
		func() { Combine(make([]float64, 2), make([]float64, 1), [][]float64{{1}}) },
		func() { Combine(make([]float64, 2), make([]float64, 2), [][]float64{{1, 2}}) },
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// TestCholeskyJitter: a definite matrix has the same factor as with Cholesky, a matrix that only rounding
// makes singular is tried again, and an indefinite matrix is an error.
func TestCholeskyJitter(t *testing.T) {
	ctx, fills := t.Context(), 0
	run := func(ctx context.Context, h blas64.General, panel int) (blas64.General, error) {
		l := clone(h)
		fills = 0
		return l, CholeskyJitter(ctx, l, panel, 1e-7, func() { fills++; copy(l.Data, h.Data) })
	}
	h := definite(rand.New(rand.NewPCG(5, 5)), 70)
	want := clone(h)
	if !Cholesky(want) {
		t.Fatal("not positive definite")
	}
	if l, err := run(ctx, h, 70); err != nil || fills != 1 || !slices.Equal(l.Data, want.Data) {
		t.Errorf("definite: %d fills, error %v, or a different factor", fills, err)
	}
	if l, err := run(ctx, h, 30); err != nil || math.Abs(at(l, 69, 69)-at(want, 69, 69)) > 1e-12 {
		t.Errorf("definite, in panels: error %v, or a different factor", err)
	}
	square := func(v ...float64) blas64.General { return blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: v} }
	if l, err := run(ctx, square(4, 0, 4, 4), 1); err != nil || fills != 2 ||
		!(at(l, 1, 1) > 0 && at(l, 1, 1) < 1e-6) {
		t.Errorf("singular: %d fills, factor %v, error %v", fills, l.Data, err)
	}
	for name, h := range map[string]blas64.General{"indefinite": square(1, 0, 2, 1),
		"NaN": square(1, 0, math.NaN(), 1)} {
		if _, err := run(ctx, h, 1); err != ErrIndefinite || fills != 5 { // 0, 1e-14, …, 1e-8
			t.Errorf("%s: error %v after %d fills", name, err, fills)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := run(ended, h, 30); err != context.Canceled {
		t.Errorf("cancelled: error %v", err)
	}
}

// MulT32 sets C = A·Bᵀ, with B in float32.
func MulT32(c, a blas64.General, b blas32.General, fast bool) {
	for i := range c.Rows {
		clear(c.Data[i*c.Stride : i*c.Stride+c.Cols])
	}
	AddMulT32(c, a, b, fast)
}
