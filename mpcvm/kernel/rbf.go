package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// RBF is the Gaussian kernel k(x, y) = exp(−Theta·‖x − y‖²). Theta has the unit
// 1/(feature unit)² and must be positive; it is 1/(2ℓ²) of the length scale ℓ. With
// standardised features values from 0.01 to 3 are usual. If Theta is zero, learners
// choose it by cross-validation.
type RBF struct {
	Theta float64 `json:"theta"`
}

// Name returns "rbf".
func (RBF) Name() string { return "rbf" }

func (k RBF) String() string { return fmt.Sprintf("rbf(theta=%g)", k.Theta) }

// Validate reports a Theta that is not positive and finite.
func (k RBF) Validate() error { return positive("rbf", "Theta", k.Theta) }

// Value returns exp(−Theta·‖x − y‖²).
func (k RBF) Value(x, y []float64) float64 { return decay(k.Theta, squared(x, y)) }

// Sum implements [OfSum].
func (RBF) Sum() (Sum, []float64) { return Squares, nil }

// FromSums implements [OfSum].
func (k RBF) FromSums(v []float64) { decays(k.Theta, v) }

// Formula implements [OfSum].
func (k RBF) Formula() string { return fmt.Sprintf("exp(-%v*s)", k.Theta) }

// Width returns Theta.
func (k RBF) Width() float64 { return k.Theta }

// WithTheta returns the kernel with another Theta.
func (RBF) WithTheta(theta float64) Kernel { return RBF{theta} }

// MedianTheta returns [MedianTheta] of x.
func (RBF) MedianTheta(x *mat.Dense) float64 { return MedianTheta(x) }

// WithThetas returns an [ARD] kernel.
func (RBF) WithThetas(theta []float64) Kernel { return ARD{theta} }

// Fall is k, as dk/dt = −k for k = exp(−t).
func (RBF) Fall(k float64) float64 { return k }

// ARD is the Gaussian kernel with a width for each feature (automatic relevance
// determination), k(x, y) = exp(−Σ_d Theta_d(x_d − y_d)²). Theta has D entries of
// the unit 1/(feature unit)², none negative; a feature of Theta zero is ignored. If
// all are equal, it is an [RBF]. Value panics if len(Theta) is not the number of
// features.
type ARD struct {
	Theta []float64 `json:"thetas"`
}

// Name returns "ard".
func (ARD) Name() string { return "ard" }

func (k ARD) String() string { return fmt.Sprintf("ard(theta=%v)", k.Theta) }

// Validate reports an entry of Theta that is negative or not finite, and a Theta
// without a positive entry.
func (k ARD) Validate() error { return validWidths("ard", k.Theta) }

// Value returns exp(−Σ_d Theta_d(x_d − y_d)²).
func (k ARD) Value(x, y []float64) float64 {
	checkWidths("ard", k.Theta, len(x))
	return exp(-weighted(k.Theta, x, y))
}

// Sum implements [OfSum].
func (k ARD) Sum() (Sum, []float64) { return Squares, notNil(k.Theta) }

// FromSums implements [OfSum].
func (ARD) FromSums(v []float64) { decays(1, v) }

// Formula implements [OfSum].
func (ARD) Formula() string { return "exp(-s)" }
