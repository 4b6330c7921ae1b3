// Package fit computes the coefficients with which vector instructions evaluate Ψ and r, and knows the layout
// of their lanes.
package fit

import (
	"math"

	"github.com/mpcvm/mpcvm/internal/testkit/exact"
)

// Rows of the structure lanes in package probit, 64 bytes each, of which WebAssembly uses half.
const (
	RowOrigin = 64 * iota
	RowUnit
	RowTo
	RowCut
	RowOwn
	RowAlive
	RowAt
	RowWide
	RowBase
	RowExponent
	RowTop
	RowScale
	RowSum
	RowLead
	RowValue
)

// Chunk is the number of classes whose factors are multiplied before the exponent is normalized.
const Chunk = 32

// The coefficients are computed each time from exact values, by interpolation at Chebyshev points, whose
// error is within a small factor of the optimum.

// powers returns the powers of x with exponents below n, times scale.
func powers(x exact.Num, n int, scale exact.Num) []exact.Num {
	list := []exact.Num{scale}
	for len(list) < n {
		list = append(list, list[len(list)-1].Mul(x))
	}
	return list
}

// millsRational returns the coefficients of P (degree n−1) and Q (degree n) with Q(0) = 1 and R ≈ P/Q on
// [0, end]. It interpolates at Chebyshev points in (t−a)/(t+a).
func millsRational(n int, a, end float64) (p, q []exact.Num) {
	var rows [][]exact.Num
	var right []exact.Num
	for i := range 2 * n {
		x := -math.Cos((float64(i) + 0.5) * math.Pi / float64(2*n))
		s := -1 + (x+1)*end/(end+a)
		t := exact.Of(a * (1 + s) / (1 - s))
		r := exact.Mills(t) // P(t) − (Q(t) − 1) R = R
		rows = append(rows, append(powers(t, n, exact.Of(1)), powers(t, n, t.Mul(r).Neg())...))
		right = append(right, r)
	}
	x := exact.Solve(rows, right)[0]
	return x[:n], append([]exact.Num{exact.Of(1)}, x[n:]...)
}

// expPolynomial returns the coefficients of the polynomial of degree n in f that approximates exp(−f/2) for
// |f| ≤ ln 2.
func expPolynomial(n int) []exact.Num {
	var rows [][]exact.Num
	var right []exact.Num
	for i := range n + 1 {
		f := exact.Of(math.Ln2 * math.Cos((float64(i)+0.5)*math.Pi/float64(n+1)))
		rows = append(rows, powers(f, n+1, exact.Of(1)))
		right = append(right, exact.Exp(f.Shift(-1).Neg()))
	}
	return exact.Solve(rows, right)[0]
}

// floats returns the values scale·x, rounded to float64.
func floats(x []exact.Num, scale exact.Num) (list []float64) {
	for _, v := range x {
		list = append(list, v.Mul(scale).Float())
	}
	return list
}

// Low is the factor of P and Q, which are in [1e-7, 1e7], so products of 32 of them stay in range.
const Low = 1e-6

// Fit contains the coefficients for Ψ and r for a given accuracy.
type Fit struct{ P, Q, Exp []float64 }

func fit(n int, a, end float64, expDegree int) Fit {
	p, q := millsRational(n, a, end)
	f := Fit{
		P:   floats(p, exact.Of(Low).Mul(exact.Exp(exact.LogRoot.Neg()))), // P includes the 1/√2π of φ
		Q:   floats(q, exact.Of(Low)),
		Exp: floats(expPolynomial(expDegree), exact.Of(1)),
	}
	f.Exp[0] = 1 // so that exp(0) is exact
	return f
}

// Coefficients for three accuracies.
var (
	Full  = fit(10, 4, 37, 11) // relative error 1e-16
	Fast  = fit(8, 4, 37, 9)   // 3e-13, for tolerances of at least 1e-10
	Crude = fit(4, 3, 37, 5)   // 1e-6, enough to locate the mode
)

// Magic is the number whose sum with an integer has the integer in its low bits.
const Magic = 3 << 51

// 2·ln 2 in two parts. The product of High with an exponent is exact.
var (
	High = math.Float64frombits(math.Float64bits(2*math.Ln2) &^ (1<<24 - 1))
	Rest = exact.Log(exact.Of(4)).Sub(exact.Of(High)).Float()
)
