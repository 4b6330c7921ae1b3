package kernel

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// RationalQuadratic is the kernel k(x, y) = (1 + Theta·‖x − y‖²/Alpha)^−Alpha, a
// mixture of [RBF] kernels of different widths. For a large Alpha it is the RBF of
// the same Theta; a small Alpha lets distant samples count.
type RationalQuadratic struct {
	// Theta has the unit 1/(feature unit)² and must be positive. It is 1/(2ℓ²) of
	// the length scale ℓ. If it is zero, learners choose it by cross-validation.
	Theta float64 `json:"theta"`
	// Alpha has no unit and must be positive. If it is zero, 1 is used.
	Alpha float64 `json:"alpha"`
}

// Name returns "rational-quadratic".
func (RationalQuadratic) Name() string { return "rational-quadratic" }

func (k RationalQuadratic) String() string {
	return fmt.Sprintf("rational-quadratic(theta=%g, alpha=%g)", k.Theta, k.alpha())
}

// Validate reports a Theta or an Alpha that is not positive and finite.
func (k RationalQuadratic) Validate() error {
	return errors.Join(positive(k.Name(), "Theta", k.Theta), positive(k.Name(), "Alpha", k.alpha()))
}

func (k RationalQuadratic) alpha() float64 {
	if k.Alpha == 0 {
		return 1
	}
	return k.Alpha
}

func (k RationalQuadratic) withDefaults() Named { return RationalQuadratic{k.Theta, k.alpha()} }

// Value returns (1 + Theta·‖x − y‖²/Alpha)^−Alpha.
func (k RationalQuadratic) Value(x, y []float64) float64 {
	v := [1]float64{squared(x, y)}
	k.FromSums(v[:])
	return v[0]
}

// Sum implements [OfSum].
func (RationalQuadratic) Sum() (Sum, []float64) { return Squares, nil }

// FromSums implements [OfSum].
func (k RationalQuadratic) FromSums(v []float64) {
	alpha := k.alpha()
	for i, s := range v {
		v[i] = log1p(times(k.Theta, s) / alpha)
	}
	decays(alpha, v)
}

// Formula implements [OfSum].
func (k RationalQuadratic) Formula() string {
	return fmt.Sprintf("pow(1+%v*s/%v, -%[2]v)", k.Theta, k.alpha())
}

// Width returns Theta.
func (k RationalQuadratic) Width() float64 { return k.Theta }

// WithTheta returns the kernel with another Theta and the same Alpha.
func (k RationalQuadratic) WithTheta(theta float64) Kernel { return RationalQuadratic{theta, k.Alpha} }

// MedianTheta returns [MedianTheta] of x.
func (RationalQuadratic) MedianTheta(x *mat.Dense) float64 { return MedianTheta(x) }

// log1p returns ln(1 + u) for u ≥ 0, and NaN for other u, with the same bits on every
// machine, which math.Log1p does not promise.
//
// The rounding error of 1 + u is corrected to first order. ln(2ⁿ·(1 + f)) follows
// FreeBSD's e_log.c, as math.Log does: s = f/(2 + f), and a polynomial in s² for
// ln(1 + f) − 2s. The conversions keep a compiler from fusing products and sums.
func log1p(u float64) float64 {
	w := 1 + u
	switch {
	case !(u >= 0):
		return math.NaN()
	case w == 1 || math.IsInf(w, 1):
		return u
	}
	m, exponent := math.Frexp(w)
	if m < math.Sqrt2/2 {
		m *= 2
		exponent--
	}
	f, n := m-1, float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := 6.666666666666735130e-01 + float64(s4*(2.857142874366239149e-01+float64(s4*(1.818357216161805012e-01+float64(s4*1.479819860511658591e-01)))))
	even := 3.999999999940941908e-01 + float64(s4*(2.222219843214978396e-01+float64(s4*1.531383769920937332e-01)))
	r := float64(s2*odd) + float64(s4*even)
	half := float64(0.5 * f * f)
	tail := float64(s*(half+r)) + float64(n*1.90821492927058770002e-10) // the rest of ln 2
	return (float64(n*6.93147180369123816490e-01) - ((half - tail) - f)) * (u / (w - 1))
}
