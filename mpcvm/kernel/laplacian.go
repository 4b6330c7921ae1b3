package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Laplacian is the kernel k(x, y) = exp(−Theta·‖x − y‖₁) of the sum of absolute
// differences. Theta has the unit 1/(feature unit) and must be positive. With D
// standardised features 1/D is usual. If Theta is zero, learners choose it by
// cross-validation.
type Laplacian struct {
	Theta float64 `json:"theta"`
}

// Name returns "laplacian".
func (Laplacian) Name() string { return "laplacian" }

func (k Laplacian) String() string { return fmt.Sprintf("laplacian(theta=%g)", k.Theta) }

// Validate reports a Theta that is not positive and finite.
func (k Laplacian) Validate() error { return positive("laplacian", "Theta", k.Theta) }

// Value returns exp(−Theta·Σ_d|x_d − y_d|).
func (k Laplacian) Value(x, y []float64) float64 { return decay(k.Theta, absolute(x, y)) }

// Sum implements [OfSum].
func (Laplacian) Sum() (Sum, []float64) { return Absolutes, nil }

// FromSums implements [OfSum].
func (k Laplacian) FromSums(v []float64) { decays(k.Theta, v) }

// Formula implements [OfSum].
func (k Laplacian) Formula() string { return fmt.Sprintf("exp(-%v*s)", k.Theta) }

// Width returns Theta.
func (k Laplacian) Width() float64 { return k.Theta }

// WithTheta returns the kernel with another Theta.
func (Laplacian) WithTheta(theta float64) Kernel { return Laplacian{theta} }

// MedianTheta returns [MedianLaplacian] of x.
func (Laplacian) MedianTheta(x *mat.Dense) float64 { return MedianLaplacian(x) }

// WithThetas returns a [LaplacianARD] kernel.
func (Laplacian) WithThetas(theta []float64) Kernel { return LaplacianARD{theta} }

// Fall is k, as dk/dt = −k for k = exp(−t).
func (Laplacian) Fall(k float64) float64 { return k }

// LaplacianARD is the Laplacian kernel with a width for each feature,
// k(x, y) = exp(−Σ_d Theta_d|x_d − y_d|). Theta has D entries of the unit 1/(feature
// unit), none negative; a feature of Theta zero is ignored. If all are equal, it is a
// [Laplacian]. Value panics if len(Theta) is not the number of features.
type LaplacianARD struct {
	Theta []float64 `json:"thetas"`
}

// Name returns "laplacian-ard".
func (LaplacianARD) Name() string { return "laplacian-ard" }

func (k LaplacianARD) String() string { return fmt.Sprintf("laplacian-ard(theta=%v)", k.Theta) }

// Validate reports an entry of Theta that is negative or not finite, and a Theta
// without a positive entry.
func (k LaplacianARD) Validate() error { return validWidths("laplacian-ard", k.Theta) }

// Value returns exp(−Σ_d Theta_d|x_d − y_d|).
func (k LaplacianARD) Value(x, y []float64) float64 {
	checkWidths("laplacian-ard", k.Theta, len(x))
	return exp(-weightedAbsolute(k.Theta, x, y))
}

// Sum implements [OfSum].
func (k LaplacianARD) Sum() (Sum, []float64) { return Absolutes, notNil(k.Theta) }

// FromSums implements [OfSum].
func (LaplacianARD) FromSums(v []float64) { decays(1, v) }

// Formula implements [OfSum].
func (LaplacianARD) Formula() string { return "exp(-s)" }
