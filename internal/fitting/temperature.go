package fitting

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Temperature returns the temperature T from 1/20 to 20 that minimises the log loss of the
// probabilities of y/T, for potentials y (N×C), labels t and weights w (nil for ones). As in Platt's
// scaling, a label counts 1 − ε for its class, with ε = 1/(N+2) shared by the other classes, because
// a model without errors on these samples may still err on others; N is the sum of the weights. Rows
// with NaN are skipped. Temperature panics if len(t) is not the number of rows of y.
func Temperature(y *mat.Dense, t []int, w []float64) float64 {
	y, t, w = checked(y, t, w)
	n := float64(len(t))
	if w != nil {
		n = floats.Sum(w)
	}
	return temperature(y, t, w, 1/(n+2))
}

// AtBestTemperature returns y/T for the T of [Temperature] with ε = 0, for comparing settings at
// their best temperatures.
func AtBestTemperature(y *mat.Dense, t []int, w []float64) *mat.Dense {
	scaled := mat.DenseCopyOf(y)
	part, labels, weights := checked(y, t, w)
	scaled.Scale(1/temperature(part, labels, weights, 0), y)
	return scaled
}

func checked(y *mat.Dense, t []int, w []float64) (*mat.Dense, []int, []float64) {
	if n, _ := y.Dims(); n != len(t) {
		panic(fmt.Sprintf("mpcvm: potentials of %d samples and %d labels", n, len(t)))
	}
	return WithoutNaN(y, t, w)
}

func temperature(y *mat.Dense, t []int, w []float64, eps float64) float64 {
	if len(t) == 0 {
		return 1
	}
	n, c := y.Dims()
	logp, p := make([]float64, n), mat.NewDense(n, c, nil)
	probability := probit.Batch{Tol: 1e-7} // three times as fast as the default
	loss := func(logT float64) float64 {
		p.Scale(math.Exp(-logT), y)
		probability.LogProb(logp, p, t)
		sum := (1 - eps) * Sum(logp, w)
		if eps == 0 {
			return -sum
		}
		probability.Proba(p, p)
		for i, label := range t {
			share := eps / float64(c-1)
			if w != nil {
				share *= w[i]
			}
			for k, v := range p.RawRowView(i) {
				if k != label {
					sum += share * math.Log(max(v, 1e-300))
				}
			}
		}
		return -sum
	}
	return math.Exp(golden(-math.Log(20), math.Log(20), loss))
}

// golden returns the minimum of f between a and b by golden-section search. In practice the log loss
// is a smooth function of the temperature with one minimum.
func golden(a, b float64, f func(x float64) float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	u, v := b-ratio*(b-a), a+ratio*(b-a)
	fu, fv := f(u), f(v)
	for b-a > 1e-4 {
		if fu <= fv {
			b, v, fv = v, u, fu
			u = b - ratio*(b-a)
			fu = f(u)
		} else {
			a, u, fu = u, v, fv
			v = a + ratio*(b-a)
			fv = f(v)
		}
	}
	return (a + b) / 2
}
