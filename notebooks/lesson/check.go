package lesson

import (
	"cmp"
	"fmt"
	"math"
)

// notYet is the result of a check for a function that is not written yet.
const notYet = "not yet: write the function, then run the cell again"

// mistake is a wrong value that a function may return, with the words that point out why.
type mistake struct {
	value float64
	text  string
}

// near reports whether two numbers agree to a tolerance, which is relative for numbers above 1, or are both
// infinite.
func near(a, b, tol float64) bool { return a == b || math.Abs(a-b) < tol*max(1, math.Abs(b)) }

// rounding is the tolerance for numbers that may differ only by rounding.
const rounding = 1e-6

// named returns the text of the first mistake with the value got, or "" if there is none.
func named(got, tol float64, mistakes []mistake) string {
	for _, m := range mistakes {
		if near(got, m.value, tol) {
			return m.text
		}
	}
	return ""
}

// judge compares what a function returned with the right value. It returns "" if they agree, and otherwise
// notYet for NaN, or where followed by the mistake or the right value.
func judge(where string, got, want, tol float64, mistakes []mistake) string {
	switch {
	case math.IsNaN(got):
		return notYet
	case near(got, want, tol):
		return ""
	}
	return where + cmp.Or(named(got, tol, mistakes), fmt.Sprintf("; it should be %.4f", want))
}
