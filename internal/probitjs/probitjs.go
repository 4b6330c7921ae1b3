// Package probitjs provides the multinomial probit and the formulas of kernels in JavaScript, for charts,
// reports and exported models.
package probitjs

import _ "embed"

var (
	//go:embed probit.js
	probit string
	//go:embed kernel.js
	kernel string
)

// Source defines the function probit, which returns the probabilities of an array of potentials within 1e-12,
// and the function kernelOf, which makes a function of the formula of a kernel.OfSum.
var Source = probit + "\n" + kernel
