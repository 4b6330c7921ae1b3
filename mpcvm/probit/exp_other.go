//go:build !wasm

package probit

import "math"

func exp(x float64) float64 { return math.Exp(x) }
