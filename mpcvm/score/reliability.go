package score

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Bin gathers the samples with a probability in [Low, High); the last bin has
// its upper end as well. Confidence and Accuracy are 0 in an empty bin.
type Bin struct {
	Low, High  float64
	Count      int
	Confidence float64 // mean probability
	Accuracy   float64 // fraction of samples for which the prediction is true
}

// Reliability compares what the classifier believes with what comes true. It
// puts the samples into equally wide bins by the probability of the most probable
// class (of equals, the first), which is true for Accuracy of them. ece is the
// expected calibration error, the mean of |Accuracy − Confidence| over the
// samples: 0 for a calibrated classifier.
func Reliability(p mat.Matrix, t []int, bins int) (table []Bin, ece float64, err error) {
	classes, err := checkProbabilities(p, t)
	if err != nil {
		return nil, math.NaN(), err
	}
	return reliability(len(t), bins, func(n int) (float64, bool) {
		best := 0
		for c := range classes {
			if p.At(n, c) > p.At(n, best) {
				best = c
			}
		}
		return p.At(n, best), t[n] == best
	})
}

// ClassReliability is Reliability for one class: bins by its probability,
// whether it is the most probable or not; Accuracy is the fraction of samples
// that belong to the class.
func ClassReliability(p mat.Matrix, t []int, class, bins int) (table []Bin, ece float64, err error) {
	if classes := columns(p, t); class < 0 || class >= classes {
		panic(fmt.Sprintf("score: class %d of %d", class, classes))
	}
	if _, err := checkProbabilities(p, t); err != nil {
		return nil, math.NaN(), err
	}
	return reliability(len(t), bins, func(n int) (float64, bool) {
		return p.At(n, class), t[n] == class
	})
}

// reliability bins n samples, of which each has a confidence and comes true or
// does not.
func reliability(n, bins int, sample func(n int) (confidence float64, hit bool)) ([]Bin, float64, error) {
	if bins < 1 {
		panic(fmt.Sprintf("score: %d bins", bins))
	}
	table := make([]Bin, bins)
	for k := range table {
		table[k].Low = float64(k) / float64(bins)
		table[k].High = float64(k+1) / float64(bins)
	}
	for i := range n {
		confidence, hit := sample(i)
		b := &table[find(table, confidence)]
		b.Count++
		b.Confidence += confidence
		if hit {
			b.Accuracy++
		}
	}
	ece := 0.0
	for k := range table {
		b := &table[k]
		if b.Count == 0 {
			continue
		}
		ece += math.Abs(b.Accuracy-b.Confidence) / float64(n)
		b.Confidence /= float64(b.Count)
		b.Accuracy /= float64(b.Count)
	}
	return table, ece, nil
}

// find returns the bin of a confidence. The product may be rounded across a
// bound (0.29·100 is below 29), which the comparisons put right.
func find(table []Bin, confidence float64) int {
	last := len(table) - 1
	k := min(max(int(confidence*float64(len(table))), 0), last)
	switch {
	case k < last && confidence >= table[k].High:
		return k + 1
	case k > 0 && confidence < table[k].Low:
		return k - 1
	}
	return k
}
