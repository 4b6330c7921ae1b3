package probit

import "math"

// exp returns math.Exp(x), to the last bit. In WebAssembly, math.Exp spends most of its time in math.Ldexp,
// which a result in the normal range does not need.
func exp(x float64) float64 {
	if !(x > -700 && x < 700) || x > -0x1p-28 && x < 0x1p-28 {
		return math.Exp(x)
	}
	n := 0.5
	if x < 0 {
		n = -0.5
	}
	k := int(math.Log2E*x + n)
	hi, lo := x-float64(k)*6.93147180369123816490e-01, float64(k)*1.90821492927058770002e-10 // ln 2 in two parts
	r := hi - lo
	t := r * r
	c := r - t*(1.66666666666666657415e-01+t*(-2.77777777770155933842e-03+t*(6.61375632143793436117e-05+
		t*(-1.65339022054652515390e-06+t*4.13813679705723846039e-08))))
	y := 1 - ((lo - (r*c)/(2-c)) - hi)
	return y * math.Float64frombits(uint64(k+1023)<<52)
}
