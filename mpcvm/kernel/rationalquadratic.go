package kernel

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// RationalQuadratic is the kernel k(x, y) = (1 + Theta·‖x − y‖²/Alpha)^−Alpha, a
// mixture of [RBF] kernels of different widths. It approaches the RBF of the same Theta
// for large Alpha; a small Alpha gives more weight to distant samples.
type RationalQuadratic struct {
	// Theta has the unit 1/(feature unit)². It is 1/(2ℓ²) for the length scale ℓ. If it
	// is zero, learners use MedianTheta, and search.Width chooses it by
	// cross-validation.
	Theta float64 `json:"theta"`
	// Alpha has no unit and must be positive. If it is zero, 1 is used.
	Alpha float64 `json:"alpha"`
}

func (RationalQuadratic) name() string { return "rational-quadratic" }

func (k RationalQuadratic) String() string {
	return fmt.Sprintf("rational-quadratic(theta=%g, alpha=%g)", k.Theta, k.alpha())
}

// validate returns an error if Theta or Alpha is not positive and finite.
func (k RationalQuadratic) validate() error {
	return errors.Join(positive(k.name(), "Theta", k.Theta), positive(k.name(), "Alpha", k.alpha()))
}

func (k RationalQuadratic) alpha() float64 { return cmp.Or(k.Alpha, 1) }

func (k RationalQuadratic) withDefaults() named { return RationalQuadratic{k.Theta, k.alpha()} }

// Value returns (1 + Theta·‖x − y‖²/Alpha)^−Alpha.
func (k RationalQuadratic) Value(x, y []float64) float64 {
	v := [1]float64{squared(x, y)}
	k.fromSums(v[:])
	return v[0]
}

// Sum implements [OfSum].
func (k RationalQuadratic) Sum() Sum {
	return Sum{Kind: Squares, Values: k.fromSums,
		Formula: fmt.Sprintf("pow(1+%v*s/%v, -%[2]v)", k.Theta, k.alpha())}
}

func (k RationalQuadratic) fromSums(v []float64) {
	alpha := k.alpha()
	for i, s := range v {
		v[i] = log1p(times(k.Theta, s) / alpha)
	}
	decays(alpha, v)
}

// Width returns Theta.
func (k RationalQuadratic) Width() float64 { return k.Theta }

// WithTheta returns the kernel with another Theta and the same Alpha.
func (k RationalQuadratic) WithTheta(theta float64) Kernel { return RationalQuadratic{theta, k.Alpha} }

// MedianTheta implements [Tunable].
func (RationalQuadratic) MedianTheta(x *mat.Dense) float64 { return inverseMedian(x, squared) }

// log1p returns ln(1 + u) for u ≥ 0 and NaN otherwise. It has the same bits on every
// machine, which math.Log1p does not guarantee.
//
// With 1 + u = 2ⁿ·(1 + f) and s = f/(2 + f), ln(1 + f) = 2(s + s³/3 + s⁵/5 + …), where
// |s| ≤ 0.172. The rounding error of 1 + u is corrected to first order. The conversions
// prevent the compiler from fusing products and sums.
func log1p(u float64) float64 {
	w := 1 + u
	switch {
	case !(u >= 0):
		return math.NaN()
	case w == 1 || math.IsInf(w, 1):
		return u
	}
	m, n := math.Frexp(w)
	if m < math.Sqrt2/2 {
		m *= 2
		n--
	}
	s := (m - 1) / (m + 1)
	s2, series := float64(s*s), 0.0
	for _, c := range [...]float64{1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5,
		1. / 3} {
		series = float64(s2 * (c + series))
	}
	ln := float64(float64(n)*math.Ln2) + float64(2*(s+float64(s*series)))
	return ln + (u-(w-1))/w
}
