package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// RationalLaplacian is the kernel k(x, y) = 1/(1 + Theta·Σ|x_d − y_d|), the mixture of
// [Laplacian] kernels exp(−u·Theta·Σ|x_d − y_d|) over u with the density exp(−u). So it is
// positive definite. It has a sharp peak, which remembers a sample, and a long tail, which is
// smooth far away.
type RationalLaplacian struct {
	// Theta has the unit 1/(feature unit) and must be positive. If it is zero, learners choose
	// it by cross-validation.
	Theta float64 `json:"theta"`
}

// Name returns "rational-laplacian".
func (RationalLaplacian) Name() string { return "rational-laplacian" }

func (k RationalLaplacian) String() string {
	return fmt.Sprintf("rational-laplacian(theta=%g)", k.Theta)
}

// Validate reports a Theta that is not positive and finite.
func (k RationalLaplacian) Validate() error { return positive(k.Name(), "Theta", k.Theta) }

// Value returns 1/(1 + Theta·Σ|x_d − y_d|).
func (k RationalLaplacian) Value(x, y []float64) float64 {
	v := [1]float64{absolute(x, y)}
	k.FromSums(v[:])
	return v[0]
}

// Sum implements [OfSum].
func (RationalLaplacian) Sum() (Sum, []float64) { return Absolutes, nil }

// FromSums implements [OfSum]. The conversion keeps a compiler from fusing product and sum.
func (k RationalLaplacian) FromSums(v []float64) {
	for i, s := range v {
		v[i] = 1 / (1 + float64(times(k.Theta, s)))
	}
}

// Formula implements [OfSum].
func (k RationalLaplacian) Formula() string { return fmt.Sprintf("1/(1+%v*s)", k.Theta) }

// Width returns Theta.
func (k RationalLaplacian) Width() float64 { return k.Theta }

// WithTheta returns the kernel with another Theta.
func (RationalLaplacian) WithTheta(theta float64) Kernel { return RationalLaplacian{theta} }

// MedianTheta returns [MedianLaplacian] of x.
func (RationalLaplacian) MedianTheta(x *mat.Dense) float64 { return MedianLaplacian(x) }

// WithThetas returns a [RationalLaplacianARD] kernel.
func (RationalLaplacian) WithThetas(theta []float64) Kernel { return RationalLaplacianARD{theta} }

// Fall is k², as dk/dt = −1/(1+t)² for k = 1/(1+t).
func (RationalLaplacian) Fall(k float64) float64 { return k * k }

// RationalLaplacianARD is the rational Laplacian kernel with a width for each feature,
// k(x, y) = 1/(1 + Σ_d Theta_d|x_d − y_d|). Theta is as for [LaplacianARD]. If all are equal, it
// is a [RationalLaplacian]. Value panics if len(Theta) is not the number of features.
type RationalLaplacianARD struct {
	Theta []float64 `json:"thetas"`
}

// Name returns "rational-laplacian-ard".
func (RationalLaplacianARD) Name() string { return "rational-laplacian-ard" }

func (k RationalLaplacianARD) String() string {
	return fmt.Sprintf("rational-laplacian-ard(theta=%v)", k.Theta)
}

// Validate reports an entry of Theta that is negative or not finite, and a Theta without a
// positive entry.
func (k RationalLaplacianARD) Validate() error { return validWidths(k.Name(), k.Theta) }

// Value returns 1/(1 + Σ_d Theta_d|x_d − y_d|).
func (k RationalLaplacianARD) Value(x, y []float64) float64 {
	checkWidths(k.Name(), k.Theta, len(x))
	return 1 / (1 + weightedAbsolute(k.Theta, x, y))
}

// Sum implements [OfSum].
func (k RationalLaplacianARD) Sum() (Sum, []float64) { return Absolutes, notNil(k.Theta) }

// FromSums implements [OfSum].
func (RationalLaplacianARD) FromSums(v []float64) {
	for i, s := range v {
		v[i] = 1 / (1 + s)
	}
}

// Formula implements [OfSum].
func (RationalLaplacianARD) Formula() string { return "1/(1+s)" }
