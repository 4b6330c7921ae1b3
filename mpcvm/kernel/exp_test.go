package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// bigExp returns e^x to about 200 bits, as the series for x/2ᵏ, squared k times.
func bigExp(x float64) *big.Float {
	const prec, halvings = 240, 16
	r := new(big.Float).SetPrec(prec).SetMantExp(big.NewFloat(x).SetPrec(prec), -halvings)
	sum, power := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for i := 1; i <= 30; i++ {
		power.Mul(power, r).Quo(power, big.NewFloat(float64(i)))
		sum.Add(sum, power)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulps returns the error of y in units in the last place.
func ulps(y float64, want *big.Float) float64 {
	near, _ := want.Float64()
	unit := math.Nextafter(math.Abs(near), math.Inf(1)) - math.Abs(near)
	d := new(big.Float).Sub(new(big.Float).SetPrec(240).SetFloat64(y), want)
	e, _ := d.Quo(d, big.NewFloat(unit)).Float64()
	return math.Abs(e)
}

// The error of exp is at most one unit in the last place, also for subnormal results.
func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst, at := 0.0, 0.0
	for i := range 6000 {
		var x float64
		switch i % 4 {
		case 0:
			x = -745 + 1454*rng.Float64()
		case 1:
			x = -20 * rng.Float64()
		case 2:
			x = -740 - 5*rng.Float64()
		default:
			x = -math.Exp(-40 * rng.Float64())
		}
		if e := ulps(exp(x), bigExp(x)); e > worst {
			worst, at = e, x
		}
	}
	if worst > 0.95 {
		t.Errorf("error of %.3f units in the last place at %v", worst, at)
	}
	t.Logf("largest error %.3f units in the last place, at %v", worst, at)
}

func TestExpLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct{ x, want float64 }{
		{0, 1}, {math.Copysign(0, -1), 1}, {-5e-324, 1}, {5e-324, 1}, {-1e-300, 1},
		{-inf, 0}, {-1e308, 0}, {-746.1, 0}, {-745.14, 0}, {-745.13, 5e-324},
		{inf, inf}, {1e308, inf}, {709.79, inf},
	} {
		if got := exp(tt.x); got != tt.want {
			t.Errorf("exp(%v) = %v, want %v", tt.x, got, tt.want)
		}
	}
	if got := exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("exp(NaN) = %v", got)
	}
	if e := ulps(exp(709.78), bigExp(709.78)); !(e < 1) {
		t.Errorf("exp(709.78) has an error of %v units in the last place", e)
	}
}

// exp is monotone, so a nearer sample never has a smaller kernel value.
func TestExpMonotone(t *testing.T) {
	for _, start := range []float64{-1e-3, -0.34, -0.35, -1.03, -1.05, -37, -708.5} {
		before := exp(start)
		for x := start; x > start-1e-10*math.Abs(start) && before > 0; {
			x = math.Nextafter(x, math.Inf(-1))
			now := exp(x)
			if now > before {
				t.Fatalf("exp(%v) = %v is larger than the previous value, %v", x, now, before)
			}
			before = now
			if x < start-1e-13*math.Abs(start) {
				break
			}
		}
	}
}

// The exponential function in assembly has the same bits as the one in Go, for all
// arguments and lengths, and does not write outside its slice.
func TestDecaysBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	inf := math.Inf(1)
	special := []float64{0, math.Copysign(0, -1), 5e-324, 1e-310, 1e-300, 1e300, inf, -inf, math.NaN(),
		math.MaxFloat64,
		708, 709.7, 709.79, 744, 745.13, 745.14, 746, 750, -708, -709.7, -709.79, -745, -750, -1e300}
	for level := cpu.Portable; level <= cpu.Best; level++ {
		for _, theta := range []float64{1, 0.3, 1e-300, 1e300, 5e-324, -0.7} {
			for n := 0; n <= 200; n += block {
				v := make([]float64, n+2)
				for i := range v {
					switch rng.IntN(3) {
					case 0:
						v[i] = special[rng.IntN(len(special))]
					case 1:
						v[i] = 800 * rng.Float64()
					default:
						v[i] = rng.ExpFloat64()
					}
				}
				want := append([]float64(nil), v...)
				for i, d := range want[1 : n+1] {
					want[i+1] = exp(-theta * d)
				}
				restore := cpu.Use(level)
				decays(theta, v[1:n+1:n+1])
				restore()
				for i := range v {
					if !sameBits(v[i], want[i]) {
						t.Fatalf("%v, theta %v, %d of %d: %v, want %v", level, theta, i-1, n, v[i], want[i])
					}
				}
			}
		}
	}
}

// sameBits reports whether two numbers have the same bits. All NaNs are the same.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// BenchmarkExp measures the exponential function alone.
func BenchmarkExp(b *testing.B) {
	v := make([]float64, 1024)
	for level := cpu.Portable; level <= cpu.Best; level++ {
		b.Run(level.String(), func(b *testing.B) {
			defer cpu.Use(level)()
			for b.Loop() {
				for i := range v {
					v[i] = float64(i) / 100
				}
				decays(1, v)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/element")
		})
	}
}
