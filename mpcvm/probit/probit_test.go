package probit

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	truth "github.com/mpcvm/mpcvm/internal/testkit/exact"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
)

// TestNormalAgainstBig compares the tables with 192-bit arithmetic, at and between the
// tabulated points.
func TestNormalAgainstBig(t *testing.T) {
	worst := 0.0
	for x := 0.0; x < 18; x += 0.137 {
		r := truth.Mills(truth.Of(x)).Float()
		worst = max(worst, math.Abs(mills(x)/r-1), math.Abs(ratio(-x)*r-1))
		pdf := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		psi, pr := 1.0, ratio(x)
		if x < psiEnd {
			psi, _ = psiRatio(x)
		}
		worst = max(worst, math.Abs(psi-(1-pdf*r)), math.Abs(pr-pdf/(1-pdf*r)))
	}
	t.Logf("largest error %.1e", worst)
	if !(worst < 4e-15) {
		t.Errorf("error %g of R, Ψ or φ/Ψ", worst)
	}
	for _, x := range []float64{20, 1e3, 1e8, 1e200} { // R(t)·t → 1
		if r := mills(x) * x; math.Abs(r-1) > 1/(x*x)+1e-15 || math.IsNaN(r) {
			t.Errorf("R(%g)·t = %g", x, r)
		}
	}
}

// random returns C potentials of varying spread and a class, which is sometimes far above
// or below the others.
func random(rng *rand.Rand, c int) ([]float64, int) {
	y := make([]float64, c)
	scale := []float64{0, 0.1, 0.3, 1, 3, 10}[rng.IntN(6)]
	for j := range y {
		y[j] = scale * rng.NormFloat64()
	}
	t := rng.IntN(c)
	switch rng.IntN(3) {
	case 0:
		y[t] += 8 * rng.Float64()
	case 1:
		y[t] -= 8 * rng.Float64()
	}
	return y, t
}

// TestAccuracy checks that the error of a rule is about its tolerance.
func TestAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, c := range []int{3, 5, 11, 26, 100, 300} {
		for _, tol := range []float64{1e-4, 1e-6, 1e-9, 1e-12} {
			worst := 0.0
			w, zbar := new(workspace), make([]float64, c)
			for range 20 + 800/c {
				y, i := random(rng, c)
				want, lwant := Means(nil, y, i)
				got := accuracy(c, tol).expect(zbar, y, i, w)
				worst = max(worst, math.Abs(got-lwant))
				for j := range y {
					worst = max(worst, math.Abs(zbar[j]-want[j]))
				}
			}
			t.Logf("C = %3d: tolerance %.0e, largest error %.1e", c, tol, worst)
			if worst > 10*tol+1e-12 {
				t.Errorf("C = %d: error %g for a tolerance of %g", c, worst, tol)
			}
		}
	}
}

func TestLaws(t *testing.T) {
	watch.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := range 400 {
		c := 2 + rng.IntN(12)
		y, i := random(rng, c)
		p := Proba(nil, y)
		sum := 0.0
		for j, v := range p {
			sum += v
			if lp := LogProb(y, j); !(math.Abs(math.Exp(lp)-v) <= 1e-12+1e-10*v) {
				t.Fatalf("%v: p(%d) = %v, exp(log p) = %v", y, j, v, math.Exp(lp))
			}
		}
		if math.Abs(sum-1) > 1e-14*float64(c) {
			t.Fatalf("%v: probabilities sum to 1 + %g", y, sum-1)
		}
		// A higher potential gives a higher probability.
		for j := range y {
			for k := range y {
				if y[j] > y[k] && p[j] < p[k] {
					t.Fatalf("%v: p %v", y, p)
				}
			}
		}
		zbar, _ := Means(nil, y, i)
		dz := 0.0
		for j := range y {
			dz += zbar[j] - y[j]
			if j != i && zbar[j] > y[j] || j == i && zbar[j] < y[j] {
				t.Fatalf("trial %d: %v given %d has means %v", trial, y, i, zbar)
			}
			if zbar[j] > zbar[i] {
				t.Fatalf("trial %d: the mean of class %d is above the mean of the label", trial, j)
			}
		}
		if math.Abs(dz) > 1e-10 { // Stein's identity
			t.Fatalf("the sum of the means differs by %g", dz)
		}
		// Permuted classes and shifted potentials.
		perm := rng.Perm(c)
		z := make([]float64, c)
		for j, k := range perm {
			z[k] = y[j] + 3
		}
		q := Proba(nil, z)
		for j, k := range perm {
			if math.Abs(q[k]-p[j]) > 1e-13 {
				t.Fatalf("permuted p differs by %g", q[k]-p[j])
			}
		}
	}
}

// TestExtremes: results are finite for all finite potentials.
func TestExtremes(t *testing.T) {
	for _, y := range [][]float64{
		{0, 1e3, -1e3}, {1e6, 0, 0, 0}, {-1e6, 0, 0, 0}, {0, 1e8, 1e8}, {1e-300, 0, -1e-300},
		{1e15, -1e15}, {0, -1e7, -1e7 / 3}, {1e300, 0, -1e300}, {1e17, 1e17, 1e17 - 100}, {5e3, 1, 0, -1, -5e3, 12},
	} {
		sum := 0.0
		for j, p := range Proba(nil, y) {
			sum += p
			zbar, logp := Means(nil, y, j)
			if math.IsNaN(logp) || logp > 0 {
				t.Errorf("log p(%d | %v) = %v", j, y, logp)
			}
			for _, z := range zbar {
				if math.IsNaN(z) || math.IsInf(z, 0) {
					t.Errorf("E[z | %d, %v] = %v", j, y, zbar)
				}
			}
		}
		if !(math.Abs(sum-1) < 1e-12) {
			t.Errorf("p(%v) sum to %v", y, sum)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		y := []float64{0, bad, 1}
		if p := Proba(nil, y); !math.IsNaN(p[0]) || !math.IsNaN(p[1]) {
			t.Errorf("p(%v) = %v", y, p)
		}
		if z, lp := Means(nil, y, 0); !math.IsNaN(lp) || !math.IsNaN(z[2]) {
			t.Errorf("means of %v: %v, %v", y, z, lp)
		}
	}
}

// TestFarGaps: for large gaps, the means approach the closest point at which z_t is the
// largest, without a loss of digits.
func TestFarGaps(t *testing.T) {
	for _, gap := range []float64{1e3, 1e5, 1e7, 9e8, 2e9, 1e12} {
		y := []float64{0, gap, gap, -gap}
		zbar, logp := Means(nil, y, 0)
		want := []float64{gap * 2 / 3, gap * 2 / 3, gap * 2 / 3, -gap}
		for j := range y {
			if d := math.Abs(zbar[j] - want[j]); !(d < 10/gap+1e-13*gap) {
				t.Errorf("gap %g: E[z_%d] = %v, want about %v", gap, j, zbar[j], want[j])
			}
		}
		if want := -gap * gap / 3; math.Abs(logp/want-1) > 20*math.Log(gap)/(gap*gap)+1e-14 {
			t.Errorf("gap %g: log p = %v, want about %v", gap, logp, want)
		}
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"class":  func() { LogProb([]float64{0, 1}, 2) },
		"minus":  func() { Means(nil, []float64{0, 1, 2}, -1) },
		"length": func() { Proba(make([]float64, 2), []float64{0, 1, 2}) },
		"batch": func() {
			Batch{}.Means(mat.NewDense(2, 3, nil), make([]float64, 2), mat.NewDense(2, 3, nil), make([]int, 3))
		},
		"label":  func() { Batch{}.LogProb(make([]float64, 1), mat.NewDense(1, 3, nil), []int{3}) },
		"labels": func() { Batch{}.LogProb(make([]float64, 1), mat.NewDense(1, 3, nil), make([]int, 2)) },
		"shapes": func() { Batch{}.Proba(mat.NewDense(3, 1, nil), mat.NewDense(1, 3, nil)) },
	} {
		must.Panic(t, name, f)
	}
}
