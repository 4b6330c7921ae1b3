package probit

import "math"

// This file computes the standard normal distribution function Ψ, its density φ and
// their ratio r = φ/Ψ from tables of Taylor polynomials.
//
// Below zero, they follow from Mills' ratio R(t) = Ψ(−t)/φ(t), which neither underflows
// nor overflows: Ψ(u) = φ(u)·R(−u) and r(u) = 1/R(−u). Its derivatives obey R′ = tR − 1
// and R⁽ᵏ⁺¹⁾ = tR⁽ᵏ⁾ + kR⁽ᵏ⁻¹⁾. Above zero, the table contains Ψ itself, whose derivatives
// follow from the Hermite polynomials He: Ψ⁽ᵏ⁺¹⁾ = (−1)ᵏ He_k φ.
//
// The error of R, Ψ and r is below 4e-15 (TestNormalAgainstBig).

const (
	perUnit = 32 // table entries per unit of t or u
	// R is tabulated on [0, millsEnd); an asymptotic series is used beyond.
	millsEnd = 16
	// Ψ is tabulated on [0, psiEnd); 1 − Ψ(9) = 1e-19.
	psiEnd     = 9
	degree     = 7                                                      // of the polynomials
	log2PiBy2  = 0.9189385332046727417803297364056176398613974736377834 // ½ log 2π
	invSqrt2Pi = 0.3989422804014326779399460599343818684758586311649347 // 1/√(2π)
)

type taylor [degree + 1]float64

var (
	millsTable [millsEnd*perUnit + 1]taylor // around t = i/perUnit
	psiTable   [psiEnd*perUnit + 1]taylor   // around u = i/perUnit
	ratioTable [psiEnd*perUnit + 1]taylor   // r, around the same u
)

//go:generate go test -run ^TestValues$ -update

// init computes the tables from millsValues and densityValues by recurrences, in about
// 25 µs. The conversions to float64 prevent fused multiply-adds, so the tables have the
// same bits on every processor.
func init() {
	for i := range millsTable {
		t := float64(i) / perUnit
		r := millsValues[i]
		d0, d1 := r, float64(t*r)-1
		c := &millsTable[i]
		c[0], c[1] = d0, d1
		factorial := 1.0
		for k := 1; k < degree; k++ {
			d0, d1 = d1, float64(t*d1)+float64(float64(k)*d0)
			factorial *= float64(k + 1)
			c[k+1] = d1 / factorial
		}
	}
	for i := range psiTable {
		u := float64(i) / perUnit
		pdf := densityValues[i]
		c := &psiTable[i]
		c[0] = 1 - float64(pdf*millsValues[i])
		h0, h1 := 0.0, 1.0 // He_{k−1}, He_k
		scale := pdf       // (−1)ᵏ φ/(k+1)!
		for k := range degree {
			c[k+1] = scale * h1
			h0, h1 = h1, float64(u*h1)-float64(float64(k)*h0)
			scale /= -float64(k + 2)
		}
		// r = Ψ′/Ψ as a quotient of power series. The last coefficient would require
		// another coefficient of Ψ; it remains zero.
		r := &ratioTable[i]
		for k := range degree {
			r[k] = float64(k+1) * c[k+1]
			for j := range k {
				r[k] -= float64(r[j] * c[k-j])
			}
			r[k] /= c[0]
		}
	}
}

// mills returns R(t) = Ψ(−t)/φ(t) for t ≥ 0.
func mills(t float64) float64 {
	if t >= millsEnd {
		return millsFar(t)
	}
	i := int(t*perUnit + 0.5)
	d := t - float64(i)*(1.0/perUnit)
	c := &millsTable[i]
	return c[0] + d*(c[1]+d*(c[2]+d*(c[3]+d*(c[4]+d*(c[5]+d*(c[6]+d*c[7]))))))
}

// millsFar returns R(t) for t ≥ millsEnd by the asymptotic series
// R = (1 − 1/t² + 1·3/t⁴ − …)/t. The first omitted term is below 1e-15.
func millsFar(t float64) float64 {
	v := 1 / (t * t)
	sum := 1.0
	for k := 19; k >= 1; k -= 2 {
		sum = 1 - float64(k)*v*sum
	}
	return sum / t
}

// psiRatio returns Ψ(u) and r(u) = φ(u)/Ψ(u) for 0 ≤ u < psiEnd.
func psiRatio(u float64) (psi, r float64) {
	i := int(u*perUnit + 0.5)
	d := u - float64(i)*(1.0/perUnit)
	c := &psiTable[i]
	psi = c[0] + d*(c[1]+d*(c[2]+d*(c[3]+d*(c[4]+d*(c[5]+d*(c[6]+d*c[7]))))))
	q := &ratioTable[i]
	r = q[0] + d*(q[1]+d*(q[2]+d*(q[3]+d*(q[4]+d*(q[5]+d*q[6])))))
	return psi, r
}

// far returns r(u) for u ≥ psiEnd, where Ψ(u) = 1 in float64.
func far(u float64) float64 { return invSqrt2Pi * math.Exp(-u*u/2) }

// ratio returns r(u) = φ(u)/Ψ(u).
func ratio(u float64) float64 {
	if u < 0 {
		return 1 / mills(-u)
	}
	if u >= psiEnd {
		return far(u)
	}
	_, r := psiRatio(u)
	return r
}

// logPsi returns log Ψ(u). It is accurate even if Ψ(u) is near one.
func logPsi(u float64) float64 {
	if u < 0 {
		return -u*u/2 - log2PiBy2 + math.Log(mills(-u))
	}
	return math.Log1p(-invSqrt2Pi * math.Exp(-u*u/2) * mills(u))
}
