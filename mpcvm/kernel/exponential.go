package kernel

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// RBF is the Gaussian kernel k(x, y) = exp(−Theta·‖x − y‖²). Theta has the unit
// 1/(feature unit)²; it must be positive. With standardised features values from
// 0.01 to 3 are usual. Learners take zero as a request to choose by
// cross-validation; the function itself is then 1 everywhere.
type RBF struct{ Theta float64 }

// Value returns exp(−Theta·‖x − y‖²).
func (k RBF) Value(x, y []float64) float64 { return decay(k.Theta, squared(x, y)) }

func (k RBF) String() string { return fmt.Sprintf("rbf(theta=%g)", k.Theta) }

// Validate reports a Theta that is not positive and finite.
func (k RBF) Validate() error { return positive("rbf", "Theta", k.Theta) }

// Laplacian is the kernel k(x, y) = exp(−Theta·‖x − y‖₁) of the sum of absolute
// differences. Theta has the unit 1/(feature unit); it must be positive. With D
// standardised features 1/D is a usual value; [MedianLaplacian] guesses one from
// data.
type Laplacian struct{ Theta float64 }

// Value returns exp(−Theta·Σ_d|x_d − y_d|).
func (k Laplacian) Value(x, y []float64) float64 { return decay(k.Theta, absolute(x, y)) }

func (k Laplacian) String() string { return fmt.Sprintf("laplacian(theta=%g)", k.Theta) }

// Validate reports a Theta that is not positive and finite.
func (k Laplacian) Validate() error { return positive("laplacian", "Theta", k.Theta) }

// ARD is the Gaussian kernel with a width for each feature (automatic relevance
// determination), k(x, y) = exp(−Σ_d Theta_d(x_d − y_d)²). Theta has D entries of
// the unit 1/(feature unit)², none negative; a feature of Theta zero is ignored.
// All equal, they make an [RBF]. It panics if Theta has not the length of a sample.
type ARD struct{ Theta []float64 }

// Value returns exp(−Σ_d Theta_d(x_d − y_d)²).
func (k ARD) Value(x, y []float64) float64 {
	checkWidths("ard", k.Theta, len(x))
	d := weighted(k.Theta, x, y)
	if math.IsNaN(d) {
		d = limit(k.Theta, x, y, func(theta, d float64) float64 { return theta * d * d })
	}
	return exp(-d)
}

func (k ARD) String() string { return fmt.Sprintf("ard(theta=%v)", k.Theta) }

// Validate reports an entry of Theta that is negative or not finite, and a Theta
// that is empty or zero throughout.
func (k ARD) Validate() error { return validWidths("ard", k.Theta) }

// LaplacianARD is the Laplacian kernel with a width for each feature,
// k(x, y) = exp(−Σ_d Theta_d|x_d − y_d|). Theta has D entries of the unit 1/(feature
// unit), none negative; a feature of Theta zero is ignored. All equal, they make a
// [Laplacian]. It panics if Theta has not the length of a sample.
type LaplacianARD struct{ Theta []float64 }

// Value returns exp(−Σ_d Theta_d|x_d − y_d|).
func (k LaplacianARD) Value(x, y []float64) float64 {
	checkWidths("laplacian-ard", k.Theta, len(x))
	d := weightedAbsolute(k.Theta, x, y)
	if math.IsNaN(d) {
		d = limit(k.Theta, x, y, func(theta, d float64) float64 { return theta * math.Abs(d) })
	}
	return exp(-d)
}

func (k LaplacianARD) String() string { return fmt.Sprintf("laplacian-ard(theta=%v)", k.Theta) }

// Validate reports an entry of Theta that is negative or not finite, and a Theta
// that is empty or zero throughout.
func (k LaplacianARD) Validate() error { return validWidths("laplacian-ard", k.Theta) }

// validWidths checks the widths of the features.
func validWidths(kernel string, widths []float64) error {
	some := false
	for d, theta := range widths {
		if !(theta >= 0) || math.IsInf(theta, 0) {
			return fmt.Errorf("kernel: %s: Theta[%d] must be finite and not negative: %v", kernel, d, theta)
		}
		some = some || theta > 0
	}
	if !some {
		return fmt.Errorf("kernel: %s: Theta has no positive entry: %v", kernel, widths)
	}
	return nil
}

func checkWidths(kernel string, widths []float64, features int) {
	if len(widths) != features {
		panic(fmt.Sprintf("kernel: %s: %d entries of Theta for %d features", kernel, len(widths), features))
	}
}

// limit is the weighted distance where a product of zero and infinity made it no
// number: either factor of a term may be zero, whatever the other.
func limit(widths, x, y []float64, term func(theta, d float64) float64) float64 {
	var sum float64
	for i, v := range x {
		d := v - y[i]
		if math.IsNaN(d) || d != 0 && widths[i] != 0 {
			sum += float64(term(widths[i], d))
		}
	}
	return sum
}

// MedianTheta is a first guess at the width of an [RBF] kernel: the inverse of the
// median squared distance between samples (rows) of x that differ, over at most
// 1000 evenly chosen samples. It is 1 where all samples are the same.
func MedianTheta(x *mat.Dense) float64 { return inverseMedian(x, squared) }

// MedianLaplacian is the same guess for a [Laplacian] kernel: the inverse of the
// median sum of absolute differences.
func MedianLaplacian(x *mat.Dense) float64 { return inverseMedian(x, absolute) }

func inverseMedian(x *mat.Dense, distance func(x, y []float64) float64) float64 {
	const most = 1000
	n, _ := x.Dims()
	step := max(1, (n+most-1)/most)
	var all []float64
	for i := 0; i < n; i += step {
		for j := 0; j < i; j += step {
			if d := distance(x.RawRowView(i), x.RawRowView(j)); d > 0 {
				all = append(all, d)
			}
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return 1 / all[len(all)/2]
}
