package search

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/mpcvm/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// calibrateByClass is fitting.Calibrate with a slope and an offset for each class; see Auto.ByClass.
func calibrateByClass(y *mat.Dense, t []int, w, mass []float64) fitting.Calibration {
	c := fitting.Calibrate(y, t, w, mass)
	slopes, offsets := byClass(y, t, w, c.Temperature)
	c = fitting.Calibrate(fitting.Calibration{Slopes: slopes, Offsets: offsets}.Scaled(y), t, w, mass)
	c.Slopes, c.Offsets = slopes, offsets
	return c
}

// byClass returns for potentials y (N×C) with labels t and weights w, nil for ones, the slope a_c and the
// offset b_c of each class with which the potentials a_c·y_c + b_c have the least log loss (vector scaling), plus
// Σ_c (log a_c + log T)²/(2s²) + b_c²/(2s²) with s = 0.25: the fewer samples, the nearer they are to the one
// temperature T. Rows with NaN are left out.
func byClass(y *mat.Dense, t []int, w []float64, T float64) (slopes, offsets []float64) {
	y, t, w = fitting.Judged(y, t, w)
	n, c := y.Dims()
	slopes, offsets = slices.Repeat([]float64{1 / T}, c), make([]float64, c)
	if len(t) == 0 {
		return slopes, offsets
	}
	scaled, means, logp := mat.NewDense(c, n, nil), mat.NewDense(c, n, nil), make([]float64, n)
	at := func(x []float64) {
		for k := range c {
			a, to := math.Exp(x[k])/T, scaled.RawRowView(k)
			for i := range to {
				to[i] = float64(a*y.At(i, k)) + x[c+k]
			}
		}
		probit.Batch{Tol: 1e-7}.Means(means, logp, scaled, t)
	}
	const prior = 1 / (fitting.Spread * fitting.Spread)
	problem := optimize.Problem{
		Func: func(x []float64) float64 {
			at(x)
			return -fitting.Sum(logp, w) + prior*floats.Dot(x, x)/2
		},
		Grad: func(grad, x []float64) {
			at(x)
			for k := range x {
				grad[k] = prior * x[k]
			}
			for k := range c {
				a := math.Exp(x[k]) / T
				for i, z := range means.RawRowView(k) {
					up := z - scaled.At(k, i) // the slope of log p
					if w != nil {
						up *= w[i]
					}
					grad[k] -= up * a * y.At(i, k)
					grad[c+k] -= up
				}
			}
		},
	}
	result, err := optimize.Minimize(problem, make([]float64, 2*c), &optimize.Settings{MajorIterations: 100}, &optimize.LBFGS{})
	if result == nil || err != nil && !fitting.IsFinite(result.F) {
		return slopes, offsets
	}
	for k := range c {
		slopes[k], offsets[k] = math.Exp(result.X[k])/T, result.X[c+k]
	}
	return slopes, offsets
}
