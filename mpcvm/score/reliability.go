package score

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// Bin describes the samples with a probability in [Low, High), or in [Low, High] for the
// last bin. Confidence and Accuracy are 0 in an empty bin.
type Bin struct {
	Low, High  float64
	Count      int
	Confidence float64 // mean probability
	Accuracy   float64 // fraction of correctly predicted samples
}

// Interval returns the 95 % confidence interval of Wilson (1927) for the fraction that
// Accuracy estimates. If a classifier is calibrated, Confidence lies in the interval for
// about 95 % of the bins. For an empty bin, the interval is 0 to 1.
func (b Bin) Interval() (low, high float64) {
	if b.Count == 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // normal quantile of 0.975
	m := float64(b.Count)
	centre := (b.Accuracy + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(b.Accuracy*(1-b.Accuracy)/m+z*z/(4*m*m))
	return math.Max(centre-half, 0), math.Min(centre+half, 1)
}

// Reliability compares predicted probabilities with observed frequencies. It sorts the
// samples into bins of equal width by the probability of the predicted class, which is the
// most probable class (the first one if there is a tie). ece is the expected calibration
// error, the mean of |Accuracy − Confidence| over the samples. It is near 0 for a
// calibrated classifier. Reliability returns the same errors as LogLoss, and panics if
// bins < 1.
func Reliability(p mat.Matrix, t []int, bins int) (table []Bin, ece float64, err error) {
	classes, err := checkProbabilities(p, t)
	if err != nil {
		return nil, math.NaN(), err
	}
	table = newBins(bins)
	for n, label := range t {
		best := 0
		for c := range classes {
			if p.At(n, c) > p.At(n, best) {
				best = c
			}
		}
		b := &table[find(table, p.At(n, best))]
		b.Count++
		b.Confidence += p.At(n, best)
		if best == label {
			b.Accuracy++
		}
	}
	for k := range table {
		b := &table[k]
		if b.Count == 0 {
			continue
		}
		ece += math.Abs(b.Accuracy-b.Confidence) / float64(len(t))
		b.Confidence /= float64(b.Count)
		b.Accuracy /= float64(b.Count)
	}
	return table, ece, nil
}

func newBins(n int) []Bin {
	if n < 1 {
		panic(fmt.Sprintf("score: bins is %d; want at least 1", n))
	}
	table := make([]Bin, n)
	for k := range table {
		table[k].Low, table[k].High = float64(k)/float64(n), float64(k+1)/float64(n)
	}
	return table
}

// find returns the bin of a confidence, which may be slightly below 0 or above 1.
func find(table []Bin, confidence float64) int {
	return max(0, sort.Search(len(table), func(k int) bool { return table[k].Low > confidence })-1)
}
