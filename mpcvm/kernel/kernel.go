// Package kernel provides kernels k(x, y), whose basis functions are φ_m(x) = k(x, x_m),
// and computes their matrices in parallel.
//
//	RBF                exp(−t), t = θ‖x − y‖²              the usual choice
//	Laplacian          exp(−t), t = θ Σ_d|x_d − y_d|       rougher, robust to outlying features
//	Matern32           (1 + a)·exp(−a), a² = 6θ‖x − y‖²    between Laplacian and RBF
//	Matern52           (1 + a + a²/3)·exp(−a), a² = 10θ‖x − y‖²
//	RationalLaplacian  1/(1 + t), t = θ Σ_d|x_d − y_d|     a mixture of Laplacians of different widths
//	RationalQuadratic  (1 + θ‖x − y‖²/α)^−α                a mixture of RBFs of different widths
//	Linear             xᵀy + offset
//	Polynomial         (scale·xᵀy + offset)^degree
//	Precomputed        K_ij                                a matrix computed elsewhere
//	Func               any Go function
//
// The first five are of type [Stationary]. Each has a variant of type [StationaryARD] with a
// width θ_d for each feature: ARD, LaplacianARD and so on.
//
// # Adding a kernel
//
// A new [Stationary] kernel is a profile in one file. Any other kernel is a type in one file,
// with the two methods of [Kernel]. Further capabilities are small optional interfaces:
//
//   - [OfSum]: fast matrices, and charts that compute the model in the browser
//   - [Tunable]: learners can choose the width
//   - [PerFeature]: learners can choose a width for each feature
//   - a line in registry.go: model files and the command line
//
// # Reproducibility
//
// Value, [Rows], [Gram] and [Cross] return the same bits on every machine, in Go and in
// the assembly for AVX2 and AVX-512, except that the bits of a NaN may differ. For this
// reason, products and sums are never fused, and the package has its own exponential
// function, whose error is below one unit in the last place.
//
// Kernels that depend on a distance are in [0, 1] for all finite samples. If the distance
// overflows, the kernel is 0. If a feature is NaN, the kernel is NaN.
package kernel

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Kernel is a symmetric function of two samples. Implementations must be safe for
// concurrent use. If a kernel has a method Validate() error, [Validate] calls it.
type Kernel interface {
	// Value returns k(x, y) for two samples of equal length.
	Value(x, y []float64) float64
	// String returns the name of the kernel with its parameters.
	String() string
}

// Tunable is a kernel with a width parameter θ that a learner can choose.
type Tunable interface {
	Kernel
	// Width returns θ. If it is zero, learners use MedianTheta, and search.Width
	// chooses θ by cross-validation.
	Width() float64
	// WithTheta returns the kernel with another θ.
	WithTheta(theta float64) Kernel
	// MedianTheta returns the inverse of the median distance between the samples
	// (rows) of x, in the unit of θ. Searches start from this value.
	MedianTheta(x *mat.Dense) float64
}

// OfSum is a kernel that is a function of a sum over the features, such as the
// squared distance. [Rows] and [Gram] compute many such sums at a time.
type OfSum interface {
	Kernel
	Sum() Sum
}

// Sum describes a kernel as a function of a sum over the features.
type Sum struct {
	Kind SumKind
	// Weights are the weights w_d of the terms. They are nil if all weights are 1 or
	// the sum is Products.
	Weights []float64
	// Values replaces each sum in v by the value of the kernel. The results must have
	// the same bits as Value. Values must not allocate.
	Values func(v []float64)
	// Formula is the kernel as an expression in the sum s, for example exp(-0.5*s). It
	// consists of numbers, + − * /, parentheses, and the functions exp(x), sqrt(x) and
	// pow(x, y), so that JavaScript, Python and C can evaluate it.
	Formula string
}

// SumKind is a kind of sum over the features.
type SumKind int

// The kinds of sums.
const (
	Squares   SumKind = iota // Σ_d w_d(x_d − y_d)²
	Absolutes                // Σ_d w_d|x_d − y_d|
	Products                 // Σ_d x_d·y_d
)

func (s SumKind) String() string {
	return [...]string{"squares", "absolutes", "products"}[s]
}

// PerFeature is a kernel that is a function of t = θ·s, where s is the sum of [Squares] or [Absolutes],
// and that has a variant with a width for each feature.
type PerFeature interface {
	Tunable
	OfSum
	// WithThetas returns the same function of t = Σ_d θ_d·s_d, where s_d are the terms of the sum.
	WithThetas(theta []float64) Kernel
	// Fall returns −dk/dt at the point where the kernel has the value k.
	Fall(k float64) float64
}

// Untuned returns k and true if k is a Tunable whose width is zero, that is, still to be chosen. If k is nil,
// it returns an RBF and true. Otherwise ok is false.
func Untuned(k Kernel) (t Tunable, ok bool) {
	if k == nil {
		return RBF{}, true
	}
	t, ok = k.(Tunable)
	return t, ok && t.Width() == 0
}

// Validate returns an error if a parameter of k is invalid or k is nil. Value does not check parameters.
func Validate(k Kernel) error {
	if k == nil {
		return errors.New("kernel: kernel is nil")
	}
	switch k := k.(type) {
	case interface{ Validate() error }: // of another package, which may embed a kernel of this one
		return k.Validate()
	case interface{ validate() error }:
		return k.validate()
	}
	return nil
}

// CheckFeatures returns an error if k cannot be used with d features, because it has widths for another
// number of features or because its optional method CheckFeatures(d int) error returns an error.
func CheckFeatures(k Kernel, d int) error {
	if k, ok := k.(interface{ CheckFeatures(d int) error }); ok {
		return k.CheckFeatures(d)
	}
	if k, ok := k.(OfSum); ok {
		if w := k.Sum().Weights; w != nil && len(w) != d {
			return fmt.Errorf("kernel.thetas: %d widths for %d features", len(w), d)
		}
	}
	return nil
}

// positive checks a parameter that must be positive and finite.
func positive(kernel, name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 0) {
		return fmt.Errorf("kernel: %s: %s must be positive and finite: %v", kernel, name, v)
	}
	return nil
}

// finite checks a parameter that must be finite.
func finite(kernel, name string, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("kernel: %s: %s must be finite: %v", kernel, name, v)
	}
	return nil
}

// notNegative checks a parameter that must be finite and not negative, because a negative value would make
// the kernel indefinite.
func notNegative(kernel, name string, v float64) error {
	if v < 0 {
		return fmt.Errorf("kernel: %s: %s must not be negative: %v "+
			"(the kernel would not be positive semi-definite)", kernel, name, v)
	}
	return finite(kernel, name, v)
}
