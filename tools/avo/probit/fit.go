package main

import (
	"math"
	"math/big"
)

// The coefficients are computed each time in 500-bit arithmetic, by interpolation at Chebyshev points,
// whose error is within a small factor of the optimum.

const bits = 500

func number(v float64) *big.Float { return zero().SetFloat64(v) }
func zero() *big.Float            { return new(big.Float).SetPrec(bits) }

func parsed(digits string) *big.Float {
	v, ok := zero().SetString(digits)
	if !ok {
		panic(digits)
	}
	return v
}

var (
	piBig = parsed(
		"3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709384461")
	ln2Big = parsed(
		"0.69314718055994530941723212145817656807550013436025525412068000949339362196969471560586332699641868754200148102057068573368552024")
)

// expBig returns exp(x), computed from its power series.
func expBig(x *big.Float) *big.Float {
	sum, term := number(1), number(1)
	for k := 1; k < 600; k++ {
		term.Mul(term, x).Quo(term, number(float64(k)))
		sum.Add(sum, term)
	}
	return sum
}

// millsBig returns Mills' ratio R(t) = Ψ(−t)/φ(t) for t ≥ 0: up to t = 8 as √(π/2) exp(t²/2) − Σ
// t^(2k+1)/(2k+1)!!, where about 90 bits cancel, and beyond as Laplace's continued fraction 1/(t + 1/(t +
// 2/(t + …))).
func millsBig(t *big.Float) *big.Float {
	if t.Cmp(number(8)) < 0 {
		square := zero().Mul(t, t)
		r := zero().Quo(piBig, number(2))
		r.Sqrt(r).Mul(r, expBig(zero().Quo(square, number(2))))
		term := zero().Set(t)
		for k := 1; k < 1200; k += 2 {
			r.Sub(r, term)
			term.Mul(term, square).Quo(term, number(float64(k+2)))
		}
		return r
	}
	f := zero().Set(t)
	for k := 400; k >= 1; k-- {
		f.Quo(number(float64(k)), f).Add(f, t)
	}
	return f.Quo(number(1), f)
}

// millsRational returns the coefficients of P (degree n−1) and Q (degree n) with Q(0) = 1 and R ≈ P/Q on
// [0, end]. It interpolates at Chebyshev points in (t−a)/(t+a).
func millsRational(n int, a, end float64) (p, q []*big.Float) {
	rows := make([][]*big.Float, 2*n)
	for i := range rows {
		x := -math.Cos((float64(i) + 0.5) * math.Pi / float64(len(rows)))
		s := -1 + (x+1)*end/(end+a)
		t := number(a * (1 + s) / (1 - s))
		r := millsBig(t)
		row := make([]*big.Float, 2*n+1) // P(t) − (Q(t) − 1) R = R
		power := number(1)
		for k := range n {
			row[k] = zero().Set(power)
			power.Mul(power, t)
			row[n+k] = zero().Mul(power, r)
			row[n+k].Neg(row[n+k])
		}
		row[2*n] = r
		rows[i] = row
	}
	x := solve(rows)
	return x[:n], append([]*big.Float{number(1)}, x[n:]...)
}

// expPolynomial returns the coefficients of the polynomial of degree n in f that approximates exp(−f/2) for
// |f| ≤ ln 2.
func expPolynomial(n int) []*big.Float {
	rows := make([][]*big.Float, n+1)
	for i := range rows {
		f := number(math.Ln2 * math.Cos((float64(i)+0.5)*math.Pi/float64(n+1)))
		row := make([]*big.Float, n+2)
		power := number(1)
		for k := range n + 1 {
			row[k] = zero().Set(power)
			power.Mul(power, f)
		}
		row[n+1] = expBig(zero().Quo(f, number(-2)))
		rows[i] = row
	}
	return solve(rows)
}

// solve solves linear equations, with the right-hand side in the last column, by Gauss–Jordan elimination.
func solve(a [][]*big.Float) []*big.Float {
	n := len(a)
	for i := range n {
		pivot := i
		for r := i; r < n; r++ {
			if zero().Abs(a[r][i]).Cmp(zero().Abs(a[pivot][i])) > 0 {
				pivot = r
			}
		}
		a[i], a[pivot] = a[pivot], a[i]
		for r := range n {
			if r == i {
				continue
			}
			f := zero().Quo(a[r][i], a[i][i])
			for c := i; c <= n; c++ {
				a[r][c].Sub(a[r][c], zero().Mul(f, a[i][c]))
			}
		}
	}
	x := make([]*big.Float, n)
	for i := range n {
		x[i] = zero().Quo(a[i][n], a[i][i])
	}
	return x
}

// floats returns the values scale·x, rounded to float64.
func floats(x []*big.Float, scale *big.Float) []float64 {
	f := make([]float64, len(x))
	for i, v := range x {
		f[i], _ = zero().Mul(v, scale).Float64()
	}
	return f
}
