package score

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// smallestNormal is the lowest probability that LogLoss takes the logarithm of: the
// smallest positive normal float64.
const smallestNormal = 0x1p-1022

// LogLoss returns the mean of −ln p(t_n), in nats: 0 if the true classes are certain,
// ln C for uniform probabilities. A probability below 2^−1022 (about 2.2e−308) counts as
// 2^−1022, so one sample costs at most 708.4 and the mean is finite.
func LogLoss(p mat.Matrix, t []int) (float64, error) {
	if _, err := checkProbabilities(p, t); err != nil {
		return math.NaN(), err
	}
	sum := 0.0
	for n, label := range t {
		sum -= math.Log(min(max(p.At(n, label), smallestNormal), 1))
	}
	return sum / float64(len(t)), nil
}

// Brier returns the mean of Σ_c (p_nc − [t_n = c])², Brier's original score over all
// classes: 0 at best, 2 at worst, 1 − 1/C for uniform probabilities. With two classes it
// is twice the score of one class.
func Brier(p mat.Matrix, t []int) (float64, error) {
	classes, err := checkProbabilities(p, t)
	if err != nil {
		return math.NaN(), err
	}
	sum := 0.0
	for n, label := range t {
		for c := range classes {
			d := p.At(n, c)
			if c == label {
				d--
			}
			sum += d * d
		}
	}
	return sum / float64(len(t)), nil
}
