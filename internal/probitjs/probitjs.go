// Package probitjs provides the multinomial probit in JavaScript, for charts, reports and exported
// models.
package probitjs

import _ "embed"

// Source defines the function probit, which returns the probabilities of an array of potentials within 1e-12.
//
//go:embed probit.js
var Source string
