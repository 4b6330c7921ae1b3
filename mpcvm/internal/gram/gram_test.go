package gram

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestPhi compares the methods with plain sums for a stored Φ, and checks that a recomputed Φ gives the same
// bits.
func TestPhi(t *testing.T) {
	const n, k, c = segment + 300, 300, 3
	rng := rand.New(rand.NewPCG(3, 1))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	of := make([]int, k)
	for j := range of {
		of[j] = 100*j + j%7
	}
	z := mat.NewDense(c, n, nil)
	for i := range c {
		for j := range n {
			z.Set(i, j, rng.NormFloat64())
		}
	}
	rbf := kernel.RBF{Theta: 0.7}
	some := []int{3, 299, 17, 120}
	lists := [][]int{{5, 9, 250, 31, 77}, nil, {250, 2}}
	weights := [][]float64{{1, -2, 3, 0.5, -1}, nil, {4, -3}}
	for _, single := range []bool{false, true} {
		var results [2][]float64
		for i, stored := range []bool{true, false} {
			p := New(t.Context(), rbf, x, of, Options{Float32: single, Recompute: !stored})
			product := blas64.General{Rows: c + 9, Cols: k, Stride: k, Data: make([]float64, (c+9)*k)}
			p.Multiply(product, z.RawMatrix(), some)
			at := mat.NewDense(c, k, nil)
			p.TimesAt(at, z, func(c int) []int { return lists[c] })
			y := mat.DenseCopyOf(z)
			p.AddTo(y, func(c int) ([]int, []float64) { return lists[c], weights[c] })
			norms, sums := p.Norms()
			first := mat.NewDense(c, k, nil) // of Z
			first.Copy(z)
			passed, back := mat.NewDense(c, n, nil), mat.NewDense(c, k, nil)
			p.Pass(passed, first, back, passed, func(lo, hi int) {
				for r := range c {
					floats.Add(passed.RawRowView(r)[lo:hi], z.RawRowView(r)[lo:hi])
				}
			})
			all := slices.Concat(passed.RawMatrix().Data, back.RawMatrix().Data, product.Data, at.RawMatrix().Data,
				y.RawMatrix().Data, norms, sums)
			for _, rows := range [][][]float64{p.Gram(some), p.Pairs(some), p.Square()} {
				all = slices.Concat(append(rows, all)...)
			}
			results[i] = all
			if !stored {
				break
			}

			value := func(j, n int) float64 {
				v := rbf.Value(x.RawRowView(of[j]), x.RawRowView(n))
				if single {
					v = float64(float32(v))
				}
				return v
			}
			near := func(what string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
					t.Errorf("single %v: %s: %g, want %g", single, what, got, want)
				}
			}
			for _, at := range []int{0, 1023, 1024, segment, n - 1} {
				want := z.At(1, at)
				for j := range k {
					want += first.At(1, j) * value(j, at)
				}
				near("pass", passed.At(1, at), want)
			}
			want := 0.0
			for at := range n {
				want += passed.At(2, at) * value(7, at)
			}
			near("product of the pass", back.At(2, 7), want)
			row := make([]float64, n)
			square := p.Square()
			for _, j := range []int{0, 3, 255, 256, 299} {
				for i := range row {
					row[i] = value(j, i)
				}
				near("norm", norms[j], floats.Dot(row, row))
				near("sum", sums[j], floats.Sum(row))
				near("square", square[j][j], norms[j])
				for c := range c {
					near("product", product.Data[c*k+j], floats.Dot(row, z.RawRowView(c)))
				}
				for r, b := range some {
					sum := 0.0
					for i, v := range row {
						sum += v * value(b, i)
					}
					near("row of ΦΦᵀ", product.Data[(c+r)*k+j], sum)
					near("gram", p.Gram(some)[r][j], sum)
					near("square", square[b][j], sum)
				}
			}
			for c, list := range lists {
				for _, i := range []int{0, 4095, 4096, segment, n - 1} {
					sum := z.At(c, i)
					for m, j := range list {
						sum += weights[c][m] * value(j, i)
					}
					near("potential", y.At(c, i), sum)
				}
				for _, j := range list {
					near("product at some", at.At(c, j), product.Data[c*k+j])
				}
			}
			for i, products := range p.Pairs(some) {
				for j, v := range products {
					near("pair", v, square[some[i]][some[j]])
				}
			}
		}
		if !slices.Equal(results[0], results[1]) {
			t.Errorf("single %v: stored and recomputed differ", single)
		}
	}
}

// TestWeights: a sample with the weight 2 is two equal samples.
func TestWeights(t *testing.T) {
	const n, c = 40, 3
	rng := rand.New(rand.NewPCG(3, 2))
	once, twice := mat.NewDense(n, 2, nil), mat.NewDense(n+n/2, 2, nil) // the last n/2 samples are there again
	z, zz := mat.NewDense(c, n, nil), mat.NewDense(c, n+n/2, nil)
	weight := make([]float64, n)
	for i := range n + n/2 {
		from := i
		if i < n {
			once.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
			weight[i] = float64(1 + i/(n/2))
		} else {
			from = i - n/2
		}
		twice.SetRow(i, once.RawRowView(from))
		for class := range c {
			if i < n {
				z.Set(class, i, rng.NormFloat64())
			}
			zz.Set(class, i, z.At(class, from))
		}
	}
	bases := []int{0, 7, 19, 20, 33}
	k := len(bases)
	products := func(x, z *mat.Dense, weights []float64) []float64 {
		p := New(t.Context(), kernel.RBF{Theta: 0.7}, x, bases, Options{Weights: weights})
		all, at := mat.NewDense(c, k, nil), mat.NewDense(c, k, nil)
		p.Times(all, z)
		p.TimesAt(at, z, func(class int) []int { return []int{class, 4} })
		norms, sums := p.Norms()
		list := slices.Concat(all.RawMatrix().Data, at.RawMatrix().Data, norms, sums)
		for _, rows := range [][][]float64{p.Square(), p.Pairs([]int{3, 1})} {
			list = slices.Concat(append(rows, list)...)
		}
		return list
	}
	got, want := products(once, z, weight), products(twice, zz, nil)
	if !floats.EqualApprox(got, want, 1e-12) {
		t.Errorf("weighted: %v\ntwice: %v", got, want)
	}
}

// TestReserve: Φ is stored if the memory suffices, recomputed if it does not and the bases are candidates,
// and refused otherwise.
func TestReserve(t *testing.T) {
	const k, n, other = 2000, 1000000, 500
	const stored, less = 8 * k * n, WorkBytes
	for _, tt := range []struct {
		have                float64
		float32, candidates bool
		recompute           bool
		need                float64 // 0 if granted
	}{
		{stored + other, false, false, false, 0},
		{stored + other, false, true, false, 0},
		{stored + other - 1, false, false, false, stored + other},
		{stored + other - 1, false, true, true, 0},
		{stored/2 + other, true, true, false, 0},
		{stored/2 + other - 1, true, false, false, stored/2 + other},
		{less + other, true, true, true, 0},
		{less + other - 1, false, true, true, less + other},
	} {
		restore := memory.Pretend(tt.have)
		o := Options{Float32: tt.float32}
		release, err := o.Reserve(t.Context(), "test: learner", k, n, other, tt.candidates)
		if err == nil {
			release()
		}
		restore()
		var refused *memory.Error
		if tt.need > 0 != errors.As(err, &refused) || refused != nil && refused.Need != tt.need ||
			o.Recompute != tt.recompute {
			t.Errorf("%+v: %+v, error %v", tt, o, err)
		}
	}
}
