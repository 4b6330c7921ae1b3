package kernel

import "math"

// The exponential function of this package has the same bits in Go and in assembly,
// which math.Exp does not guarantee. Its error is below one unit in the last place.
//
//	x = n·ln 2 + r,   |r| ≤ ln 2 / 2,   exp(x) = 2ⁿ·(1 + r + r²·p(r))
//
// p is the polynomial of degree nine that minimises the maximum error of 1 + r + r²·p,
// which is 3.6e-18. It was computed by the Remez algorithm in exact arithmetic.
const (
	expLow   = -746                  // exp is 0 below
	expHigh  = 710                   // exp is infinite above
	log2e    = 1.4426950408889634    // 1 / ln 2
	expShift = 0x1.8p52 + 2046       // adding it rounds to an integer n and leaves n + 2046 in the low bits
	ln2hi    = 0x1.62e42feep-1       // ln 2 to 32 bits, so that n·ln2hi is exact
	ln2lo    = 0x1.a39ef35793c76p-33 // ln 2 − ln2hi
	expP0    = 0x1.000000000000ap-1  // about 1/2!
	expP1    = 0x1.55555555554f9p-3  // about 1/3!
	expP2    = 0x1.555555555083ep-5  // and so on
	expP3    = 0x1.1111111127d0ep-7
	expP4    = 0x1.6c16c18438b08p-10
	expP5    = 0x1.a01a012a0f351p-13
	expP6    = 0x1.a01999e2633fdp-16
	expP7    = 0x1.71df25b3100a2p-19
	expP8    = 0x1.28ad9b8551757p-22
	expP9    = 0x1.ad7f3ee016e7dp-26
)

// expConstants are the constants of exp for the assembly.
var expConstants = [...]float64{expLow, expHigh, log2e, expShift, ln2hi, ln2lo, 1,
	expP0, expP1, expP2, expP3, expP4, expP5, expP6, expP7, expP8, expP9}

// exp returns e^x. The conversions prevent the compiler from fusing products and sums.
func exp(x float64) float64 {
	x = min(max(x, expLow), expHigh)
	t := float64(x*log2e) + expShift
	n := t - expShift
	r := x - float64(n*ln2hi) - float64(n*ln2lo)
	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	a := (expP4 + float64(expP5*r)) + float64((expP6+float64(expP7*r))*r2)
	a += float64((expP8 + float64(expP9*r)) * r4)
	p := (expP0 + float64(expP1*r)) + float64((expP2+float64(expP3*r))*r2)
	p += float64(a * r4)
	y := 1 + (r + float64(p*r2))

	// 2ⁿ may overflow although the result does not, so the result is multiplied by two
	// factors. Only the second product is rounded.
	bits := math.Float64bits(t)
	half := bits >> 1
	return y * math.Float64frombits(half<<52) * math.Float64frombits((bits-half)<<52)
}

// times returns theta·d for a distance d. It is zero if either factor is zero, even if
// the other one is infinite.
func times(theta, d float64) float64 {
	if d == 0 || theta == 0 && !math.IsNaN(d) {
		return 0
	}
	return theta * d
}

// decay returns exp(−theta·d) for a distance d.
func decay(theta, d float64) float64 { return exp(-times(theta, d)) }

// decays replaces each distance in v by its decay.
func decays(theta float64, v []float64) {
	if theta != 0 && !math.IsNaN(theta) && !math.IsInf(theta, 0) { // otherwise 0·∞ may occur
		v = v[vectorDecays(-theta, v):]
		if len(v) > 1 && len(v) < block { // the remainder
			var last [block]float64
			copy(last[:], v)
			if vectorDecays(-theta, last[:]) == block {
				copy(v, last[:])
				return
			}
		}
	}
	for i, d := range v {
		v[i] = decay(theta, d)
	}
}
