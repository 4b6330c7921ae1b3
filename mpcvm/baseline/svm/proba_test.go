package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// randomPairs returns random probabilities of the pairs of c classes, some of them extreme.
func randomPairs(rng *rand.Rand, c int) []float64 {
	r := make([]float64, c*(c-1)/2)
	for k := range r {
		r[k] = min(max(logistic(20*rng.Float64()*rng.NormFloat64()), minPairwise), 1-minPairwise)
	}
	return r
}

// quadratic returns Q by definition.
func quadratic(r []float64, c int) *mat.SymDense {
	q := mat.NewSymDense(c, nil)
	for k, pair := range pairs(c) {
		i, j := pair.low, pair.high
		q.SetSym(i, i, q.At(i, i)+(1-r[k])*(1-r[k]))
		q.SetSym(j, j, q.At(j, j)+r[k]*r[k])
		q.SetSym(i, j, -r[k]*(1-r[k]))
	}
	return q
}

// TestCouple: at the minimum with Σp = 1 the gradient is the same for all classes.
func TestCouple(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		c := 2 + rng.IntN(12)
		r, p, scratch := randomPairs(rng, c), make([]float64, c), make([]float64, c*c)
		for i := range scratch {
			scratch[i] = math.NaN() // old values must not be used
		}
		couple(p, r, scratch)
		if math.Abs(floats.Sum(p)-1) > 1e-14 || floats.Min(p) < 0 {
			t.Fatalf("%v gives %v", r, p)
		}
		var g mat.VecDense
		g.MulVec(quadratic(r, c), mat.NewVecDense(c, p))
		if mat.Max(&g)-mat.Min(&g) > 1e-13 {
			t.Errorf("C %d: gradient from %v to %v", c, mat.Min(&g), mat.Max(&g))
		}
	}
}

// TestSigmoid: the derivatives of the cross-entropy vanish for any kind of decision values.
func TestSigmoid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, tt := range []struct {
		name   string
		n      int
		signal float64 // effect of the class on the decision value
		scale  float64
	}{
		{"overlap", 200, 1, 1}, {"separable", 50, 30, 0.1}, {"wrong way", 100, -2, 1},
		{"nothing", 300, 0, 1}, {"large", 80, 1e6, 1e6}, {"small", 80, 1e-3, 1e-3},
		{"few", 3, 1, 1}, {"constant", 20, 0, 0}, {"one class", 20, 0, 1},
	} {
		f, positive := make([]float64, tt.n), make([]bool, tt.n)
		plus := 0.0
		for i := range f {
			positive[i] = i%3 == 0 && tt.name != "one class"
			f[i] = tt.scale * rng.NormFloat64()
			if positive[i] {
				plus++
				f[i] += tt.signal
			} else {
				f[i] -= tt.signal
			}
		}
		minus := float64(tt.n) - plus
		s := fitSigmoid(f, positive)
		var ga, gb float64
		for i, v := range f {
			target := 1 / (minus + 2)
			if positive[i] {
				target = (plus + 1) / (plus + 2)
			}
			d := target - 1/(1+math.Exp(s.a*v+s.b))
			ga += d * v
			gb += d
		}
		if !(math.Abs(ga) < 1e-4*max(tt.scale, 1) && math.Abs(gb) < 1e-4) {
			t.Errorf("%s: sigmoid %+v, derivatives %v and %v", tt.name, s, ga, gb)
		}
		if tt.signal > 0 && !(s.a < 0) || tt.signal < 0 && !(s.a > 0) {
			t.Errorf("%s: sigmoid %+v has the wrong slope", tt.name, s)
		}
	}
}

func TestLogistic(t *testing.T) {
	for x, want := range map[float64]float64{0: 0.5, 800: 1, -800: 0, math.Inf(1): 1, math.Inf(-1): 0,
		1: 0.7310585786300049} {
		if got := logistic(x); math.Abs(got-want) > 1e-16 {
			t.Errorf("logistic(%v) = %v, want %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: math.Ln2, 800: 800, -800: 0, -40: 4.248354255291589e-18} {
		if got := softplus(x); math.Abs(got-want) > 1e-15*max(want, 1e-17) {
			t.Errorf("softplus(%v) = %v, want %v", x, got, want)
		}
	}
}
