package kernel

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// inverseMedian returns an initial guess for the width of a kernel: the inverse of the median distance
// between distinct samples (rows) of x, computed from at most 1000 evenly spaced rows. If all samples are
// equal, it
// returns 1.
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

// notNil returns widths, or an empty slice if widths is nil, which would mean a kernel without weights.
func notNil(widths []float64) []float64 {
	if widths == nil {
		return []float64{}
	}
	return widths
}

// bounded reports whether all differences of the numbers in v are finite.
func bounded(v []float64) bool {
	for _, v := range v {
		if !(math.Abs(v) <= math.MaxFloat64/2) {
			return false
		}
	}
	return true
}

// limit returns the weighted sum with 0·∞ = 0: a term is zero if either factor is zero.
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
