package openblas

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

func TestRegistered(t *testing.T) {
	if _, ok := blas64.Implementation().(Implementation); !ok {
		t.Errorf("%T is registered", blas64.Implementation())
	}
}

// random returns r×c numbers with some between the rows, and the stride. Its first
// 90 diagonal entries are near 20, so that one can divide by its triangles.
func random(rng *rand.Rand, r, c int) ([]float64, int) {
	ld := c + 3
	x := make([]float64, r*ld)
	for i := range x {
		x[i] = rng.NormFloat64() / 10
	}
	for i := range min(r, c) {
		x[i*ld+i] += 20
	}
	return x, ld
}

var (
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	uplos      = []blas.Uplo{blas.Upper, blas.Lower}
	sides      = []blas.Side{blas.Left, blas.Right}
	diags      = []blas.Diag{blas.NonUnit, blas.Unit}
	shapes     = [][3]int{{1, 1, 1}, {3, 4, 5}, {1, 90, 90}, {90, 1, 90}, {90, 90, 1}, {40, 33, 57}, {64, 80, 90}}
)

// compare calls a routine of both implementations and compares all they wrote.
func compare(t *testing.T, name string, c []float64, f func(b blas.Float64, c []float64)) {
	t.Helper()
	got, want := slices.Clone(c), slices.Clone(c)
	f(Implementation{}, got)
	f(gonum.Implementation{}, want)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-10*(1+math.Abs(want[i])) {
			t.Fatalf("%s: number %d is %.15g, gonum's %.15g", name, i, got[i], want[i])
		}
	}
}

func TestEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		for _, factors := range [][2]float64{{1, 0}, {-0.5, 1}, {0, 0.5}, {2, -3}} {
			alpha, beta := factors[0], factors[1]
			name := func(routine string, options ...any) string { return fmt.Sprint(routine, s, factors, options) }
			c, ldc := random(rng, m, n)
			for _, ta := range transposes {
				ar, ac := shape(ta, m, k)
				a, lda := random(rng, ar, ac)
				for _, tb := range transposes {
					br, bc := shape(tb, k, n)
					b, ldb := random(rng, br, bc)
					compare(t, name("Dgemm", ta, tb), c, func(i blas.Float64, c []float64) {
						i.Dgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
					})
				}
				for _, inc := range [][2]int{{1, 1}, {2, 3}, {-1, 2}} {
					toY, toX := shape(ta, m, n)
					x, _ := random(rng, 1, 3*toX)
					y, _ := random(rng, 1, 3*toY)
					compare(t, name("Dgemv", ta, inc), y, func(i blas.Float64, y []float64) {
						i.Dgemv(ta, m, n, alpha, c, ldc, x, inc[0], beta, y, inc[1])
					})
				}
				square, ld := random(rng, m, m)
				for _, ul := range uplos {
					compare(t, name("Dsyrk", ul, ta), square, func(i blas.Float64, c []float64) {
						i.Dsyrk(ul, ta, m, k, alpha, a, lda, beta, c, ld)
					})
				}
			}
			for _, sd := range sides {
				o := order(sd, m, n)
				a, lda := random(rng, o, o)
				b, ldb := random(rng, m, n)
				for _, ul := range uplos {
					compare(t, name("Dsymm", sd, ul), c, func(i blas.Float64, c []float64) {
						i.Dsymm(sd, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
					})
					x, _ := random(rng, 1, 2*o)
					y, _ := random(rng, 1, 2*o)
					compare(t, name("Dsymv", ul), y, func(i blas.Float64, y []float64) {
						i.Dsymv(ul, o, alpha, a, lda, x, 2, beta, y, 1)
					})
					for _, ta := range transposes {
						for _, d := range diags {
							small := slices.Clone(a) // a triangle of ones is hard to divide by
							if d == blas.Unit {
								for i := range small {
									small[i] /= 100
								}
							}
							compare(t, name("Dtrmm", sd, ul, ta, d), b, func(i blas.Float64, b []float64) {
								i.Dtrmm(sd, ul, ta, d, m, n, alpha, small, lda, b, ldb)
							})
							compare(t, name("Dtrsm", sd, ul, ta, d), b, func(i blas.Float64, b []float64) {
								i.Dtrsm(sd, ul, ta, d, m, n, alpha, small, lda, b, ldb)
							})
						}
					}
				}
			}
		}
	}
}

// TestMisuse: wrong arguments panic as gonum's do, and C sees none of them.
func TestMisuse(t *testing.T) {
	const n = 40
	x := make([]float64, n*n)
	short := x[:n*n-1]
	huge := n
	huge <<= 26 // beyond the integers of C
	calls := map[string]func(b blas.Float64){
		"Dgemm, negative":   func(b blas.Float64) { b.Dgemm('N', 'N', n, -1, n, 1, x, n, x, n, 0, x, n) },
		"Dgemm, option":     func(b blas.Float64) { b.Dgemm('X', 'N', n, n, n, 1, x, n, x, n, 0, x, n) },
		"Dgemm, short A":    func(b blas.Float64) { b.Dgemm('N', 'T', n, n, n, 1, short, n, x, n, 0, x, n) },
		"Dgemm, short B":    func(b blas.Float64) { b.Dgemm('N', 'T', n, n, n, 1, x, n, short, n, 0, x, n) },
		"Dgemm, short C":    func(b blas.Float64) { b.Dgemm('N', 'T', n, n, n, 1, x, n, x, n, 0, short, n) },
		"Dgemm, stride":     func(b blas.Float64) { b.Dgemm('N', 'T', n, n, n, 1, x, n-1, x, n, 0, x, n) },
		"Dsyrk, short":      func(b blas.Float64) { b.Dsyrk('U', 'N', n, n, 1, short, n, 0, x, n) },
		"Dsyrk, option":     func(b blas.Float64) { b.Dsyrk('X', 'N', n, n, 1, x, n, 0, x, n) },
		"Dsymm, short":      func(b blas.Float64) { b.Dsymm('L', 'U', n, n, 1, x, n, short, n, 0, x, n) },
		"Dtrmm, short":      func(b blas.Float64) { b.Dtrmm('L', 'U', 'N', 'N', n, n, 1, x, n, short, n) },
		"Dtrsm, short":      func(b blas.Float64) { b.Dtrsm('L', 'U', 'N', 'N', n, n, 1, short, n, x, n) },
		"Dtrsm, option":     func(b blas.Float64) { b.Dtrsm('L', 'U', 'N', 'X', n, n, 1, x, n, x, n) },
		"Dgemv, short x":    func(b blas.Float64) { b.Dgemv('N', n, n, 1, x, n, x[:n-1], 1, 0, x, 1) },
		"Dgemv, short y":    func(b blas.Float64) { b.Dgemv('N', n, n, 1, x, n, x, 1, 0, x[:2*n-2], 2) },
		"Dgemv, increment":  func(b blas.Float64) { b.Dgemv('N', n, n, 1, x, n, x, 0, 0, x, 1) },
		"Dsymv, short":      func(b blas.Float64) { b.Dsymv('U', n, 1, short, n, x, 1, 0, x, 1) },
		"Dsymv, huge":       func(b blas.Float64) { b.Dsymv('U', huge, 1, x, huge, x, 1, 0, x, 1) },
		"Threads, negative": func(b blas.Float64) { Threads(0) },
	}
	for name, call := range calls {
		panicked := func(b blas.Float64) (what any) {
			defer func() { what = recover() }()
			call(b)
			return nil
		}
		if got, want := panicked(Implementation{}), panicked(gonum.Implementation{}); got == nil || got != want {
			t.Errorf("%s: panic %v, gonum's %v", name, got, want)
		}
	}
}

// TestFit: whole fits come out the same with OpenBLAS and without.
func TestFit(t *testing.T) {
	defer blas64.Use(Implementation{})
	for _, name := range []string{"iris", "glass"} {
		set, err := data.Load(name)
		if err != nil {
			t.Logf("SKIPPED %s: %v", name, err)
			continue
		}
		scale := data.FitStandardizer(set.X)
		x := scale.Apply(nil, set.X)
		k := kernel.RBF{Theta: 0.2}
		for _, l := range []interface {
			Fit(context.Context, mat.Matrix, []int, ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result, error)
		}{mpcvm.TopDown{Kernel: k}, mpcvm.BottomUp{Kernel: k, Epochs: 60}} {
			var p [2]*mat.Dense
			for i, b := range []blas.Float64{Implementation{}, gonum.Implementation{}} {
				blas64.Use(b)
				m, _, err := l.Fit(t.Context(), x, set.T)
				if err != nil {
					t.Fatalf("%s: %T: %v", name, l, err)
				}
				p[i] = m.Proba(nil, x)
			}
			if !mat.EqualApprox(p[0], p[1], 1e-10) {
				t.Errorf("%s: %T: probabilities differ", name, l)
			}
		}
	}
}
