package score

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// smallestNormal is the smallest positive normal float64. LogLoss replaces lower
// probabilities by it.
const smallestNormal = 0x1p-1022

// LogLoss returns the mean of −ln p(t_n) in nats. It is 0 if all true classes have
// probability one, and ln C for uniform probabilities. Probabilities below 2^−1022 (about
// 2.2e−308) are replaced by 2^−1022, so the loss of a sample is at most 708.4. LogLoss
// returns NaN and an error if t is empty, if p does not have a row for each label, or if a label
// or a probability is invalid.
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
// classes. It is between 0 (best) and 2, and 1 − 1/C for uniform probabilities. With two
// classes, it is twice the score of one class. Brier returns the same errors as LogLoss.
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
