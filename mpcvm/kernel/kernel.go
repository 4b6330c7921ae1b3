// Package kernel has the basis functions φ_m(x) = k(x, x_m) of kernel machines,
// and their matrices, computed in parallel.
//
//	RBF                exp(−t), t = θ‖x − y‖²              the usual choice
//	Laplacian          exp(−t), t = θ Σ_d|x_d − y_d|       rougher, robust to outlying features
//	Matern32           (1 + a)·exp(−a), a² = 6θ‖x − y‖²    between Laplacian and RBF
//	Matern52           (1 + a + a²/3)·exp(−a), a² = 10θ‖x − y‖²
//	RationalLaplacian  1/(1 + t), t = θ Σ_d|x_d − y_d|     a Laplacian with several widths at once
//	RationalQuadratic  (1 + θ‖x − y‖²/α)^−α                an RBF with several widths at once
//	Linear             xᵀy + offset
//	Polynomial         (scale·xᵀy + offset)^degree
//	Precomputed        K_ij                                a matrix computed elsewhere
//	Func               any Go function
//
// The first five are [Stationary]. With a width θ_d for each feature they are [StationaryARD]: ARD,
// LaplacianARD and so on.
//
// # Adding a kernel
//
// A [Stationary] kernel is a profile in one file. Any other is one type in one file. It needs the
// two methods of [Kernel]; what else it can do it says by implementing small interfaces, and
// nothing in this module asks for its type:
//
//   - [OfSum]: fast matrices, charts that compute the model in the browser
//   - [Tunable]: learners choose its width
//   - [PerFeature]: learners choose a width for each feature
//   - [Named], and a line in registry.go: model files and the command line
//
// # Exactness
//
// A value has the same bits from Value, [Rows], [Gram] and [Cross], in Go
// and in the assembly for AVX2 and AVX-512, on every machine. (The bits of a NaN may
// differ.) [Gram32] rounds the value to float32. For this reason no product is fused
// with a sum, and the exponential function is one of this package, accurate to one
// unit in the last place.
//
// The kernels of a distance are in [0, 1] for all finite samples, however large: a
// distance that overflows counts as infinite, where the kernel is 0. A feature that
// is NaN gives NaN.
package kernel

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Kernel is a symmetric function of two samples. An implementation must be safe for
// concurrent use. If it has a method Validate() error, [Validate] calls it.
type Kernel interface {
	// Value returns k(x, y) of two samples of equal length.
	Value(x, y []float64) float64
	// String returns the name of the kernel with its parameters.
	String() string
}

// Tunable is a kernel with one width parameter θ, which a learner can choose.
type Tunable interface {
	Kernel
	// Width returns θ. If it is zero, a learner takes MedianTheta, and search.Width chooses it.
	Width() float64
	// WithTheta returns the kernel with another θ.
	WithTheta(theta float64) Kernel
	// MedianTheta returns the θ where a search starts: the inverse of the median
	// distance between the samples (rows) of x, in the unit of θ.
	MedianTheta(x *mat.Dense) float64
}

// OfSum is a kernel that is a function of one sum over the features, such as the
// squared distance. [Rows] and [Gram] compute such sums many at a time.
type OfSum interface {
	Kernel
	// Sum returns the sum, and the weights w_d of its terms: nil if all are 1.
	// Products must not have weights.
	Sum() (Sum, []float64)
	// FromSums replaces each sum in v by the value of the kernel. Its results must
	// have the bits of Value, and it must not allocate.
	FromSums(v []float64)
	// Formula returns the value as an expression in the sum s. It has numbers,
	// + − * / and parentheses, and the functions exp(x), sqrt(x) and pow(x, y), so
	// that JavaScript, Python and C can evaluate it. Example: exp(-0.5*s).
	Formula() string
}

// Sum is the sum over the features that a kernel depends on.
type Sum int

// The sums of [OfSum].
const (
	Squares   Sum = iota // Σ_d w_d(x_d − y_d)²
	Absolutes            // Σ_d w_d|x_d − y_d|
	Products             // Σ_d x_d·y_d
)

func (s Sum) String() string {
	return [...]string{"squares", "absolutes", "products"}[s]
}

// PerFeature is a kernel of t = θ·s, where s is the sum of [Squares] or [Absolutes], that has a
// form with a width for each feature.
type PerFeature interface {
	Tunable
	OfSum
	// WithThetas returns the kernel of t = Σ_d θ_d·s_d, where s_d are the terms of the sum.
	WithThetas(theta []float64) Kernel
	// Fall returns −dk/dt where the kernel has the value k.
	Fall(k float64) float64
}

// Untuned returns the kernel if its width is still to be chosen: if k is a Tunable with width zero, or nil,
// which means an RBF. Otherwise ok is false.
func Untuned(k Kernel) (t Tunable, ok bool) {
	if k == nil {
		return RBF{}, true
	}
	t, ok = k.(Tunable)
	return t, ok && t.Width() == 0
}

// Validate returns an error that names the invalid parameter of k, or nil. Value does not check parameters.
func Validate(k Kernel) error {
	if k == nil {
		return errors.New("kernel: no kernel")
	}
	if v, ok := k.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// CheckFeatures returns an error that names both numbers if k is not a kernel for d features: if it has a
// width for each of another number of features, or if its method CheckFeatures(d int) error returns an
// error.
func CheckFeatures(k Kernel, d int) error {
	if k, ok := k.(interface{ CheckFeatures(d int) error }); ok {
		return k.CheckFeatures(d)
	}
	if k, ok := k.(OfSum); ok {
		if _, w := k.Sum(); w != nil && len(w) != d {
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

// notNegative checks a parameter of which negative values make a kernel indefinite.
func notNegative(kernel, name string, v float64) error {
	if v < 0 {
		return fmt.Errorf("kernel: %s: %s must not be negative, or the kernel is not positive semi-definite: %v",
			kernel, name, v)
	}
	return finite(kernel, name, v)
}
