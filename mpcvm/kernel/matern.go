package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Matern32 is the Matérn kernel of smoothness ν = 3/2, k(x, y) = (1 + a)·exp(−a) with
// a = √(6·Theta)·‖x − y‖. Its functions can be differentiated once. Theta has the
// unit 1/(feature unit)² and must be positive. As of an [RBF], it is 1/(2ℓ²) of the
// length scale ℓ, so a = √3·‖x − y‖/ℓ. If Theta is zero, learners choose it by
// cross-validation.
type Matern32 struct {
	Theta float64 `json:"theta"`
}

// Name returns "matern32".
func (Matern32) Name() string { return "matern32" }

func (k Matern32) String() string { return fmt.Sprintf("matern32(theta=%g)", k.Theta) }

// Validate reports a Theta that is not positive and finite.
func (k Matern32) Validate() error { return positive("matern32", "Theta", k.Theta) }

// Value returns (1 + a)·exp(−a), a = √(6·Theta)·‖x − y‖.
func (k Matern32) Value(x, y []float64) float64 {
	v := [1]float64{squared(x, y)}
	k.FromSums(v[:])
	return v[0]
}

// Sum implements [OfSum].
func (Matern32) Sum() (Sum, []float64) { return Squares, nil }

// FromSums implements [OfSum].
func (k Matern32) FromSums(v []float64) {
	var e [maternChunk]float64
	for len(v) > 0 {
		n := min(len(v), maternChunk)
		maternDecays(6, k.Theta, v[:n], e[:n])
		for i, a := range v[:n] {
			v[i] = (1 + a) * e[i]
		}
		v = v[n:]
	}
}

// Formula implements [OfSum].
func (k Matern32) Formula() string {
	return fmt.Sprintf("(1+sqrt(%[1]v*s))*exp(-sqrt(%[1]v*s))", 6*k.Theta)
}

// Width returns Theta.
func (k Matern32) Width() float64 { return k.Theta }

// WithTheta returns the kernel with another Theta.
func (Matern32) WithTheta(theta float64) Kernel { return Matern32{theta} }

// MedianTheta returns [MedianTheta] of x.
func (Matern32) MedianTheta(x *mat.Dense) float64 { return MedianTheta(x) }

// Matern52 is the Matérn kernel of smoothness ν = 5/2,
// k(x, y) = (1 + a + a²/3)·exp(−a) with a = √(10·Theta)·‖x − y‖. Its functions can be
// differentiated twice. Theta has the unit 1/(feature unit)² and must be positive. As
// of an [RBF], it is 1/(2ℓ²) of the length scale ℓ, so a = √5·‖x − y‖/ℓ. If Theta is
// zero, learners choose it by cross-validation.
type Matern52 struct {
	Theta float64 `json:"theta"`
}

// Name returns "matern52".
func (Matern52) Name() string { return "matern52" }

func (k Matern52) String() string { return fmt.Sprintf("matern52(theta=%g)", k.Theta) }

// Validate reports a Theta that is not positive and finite.
func (k Matern52) Validate() error { return positive("matern52", "Theta", k.Theta) }

// Value returns (1 + a + a²/3)·exp(−a), a = √(10·Theta)·‖x − y‖.
func (k Matern52) Value(x, y []float64) float64 {
	v := [1]float64{squared(x, y)}
	k.FromSums(v[:])
	return v[0]
}

// Sum implements [OfSum].
func (Matern52) Sum() (Sum, []float64) { return Squares, nil }

// FromSums implements [OfSum].
func (k Matern52) FromSums(v []float64) {
	var e [maternChunk]float64
	for len(v) > 0 {
		n := min(len(v), maternChunk)
		maternDecays(10, k.Theta, v[:n], e[:n])
		for i, a := range v[:n] {
			v[i] = (1 + a + float64(a*a)/3) * e[i]
		}
		v = v[n:]
	}
}

// Formula implements [OfSum].
func (k Matern52) Formula() string {
	return fmt.Sprintf("(1+sqrt(%[1]v*s)+%[1]v*s/3)*exp(-sqrt(%[1]v*s))", 10*k.Theta)
}

// Width returns Theta.
func (k Matern52) Width() float64 { return k.Theta }

// WithTheta returns the kernel with another Theta.
func (Matern52) WithTheta(theta float64) Kernel { return Matern52{theta} }

// MedianTheta returns [MedianTheta] of x.
func (Matern52) MedianTheta(x *mat.Dense) float64 { return MedianTheta(x) }

const maternChunk = 64 // numbers that are worked on together

// maternDecays replaces each squared distance s in v by a = √(factor·theta·s), and
// writes exp(−a) to e. Where exp(−a) is zero, a is cut to a finite number, so that
// its product with exp(−a) is zero as well.
func maternDecays(factor, theta float64, v, e []float64) {
	for i, s := range v {
		v[i] = min(math.Sqrt(factor*times(theta, s)), 1000)
	}
	copy(e, v)
	decays(1, e)
}
