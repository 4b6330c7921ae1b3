package main

import (
	"math"

	"github.com/mpcvm/mpcvm/internal/testkit/exact"
)

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
