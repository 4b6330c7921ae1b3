package fitting

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Scores has the lists of mpcvm.Scores. They are conformal scores of the true classes of samples on
// which the model was not trained. The score of class c for potentials y is the margin y_c −
// max_{j≠c} y_j. There is one list for each class, or one list for all samples. For their use see
// mpcvm.Model.PredictSet.
type Scores []ScoreList

// ScoreList holds the scores of a number of samples, ascending. A list for more than 256 samples is
// thinned.
type ScoreList = struct {
	Count  int       `json:"count"`
	Values []float64 `json:"values"`
}

const (
	// Up to mostByClass classes have a list of their own if each has at least leastOfClass samples.
	mostByClass  = 10
	leastOfClass = 20
	// mostScores is the largest length of a list.
	mostScores = 256
)

// NewScores returns the scores of potentials y (N×C), with labels t, of samples on which the model
// was not trained. Each class has a list of its own if there are at most 10 classes with at least 20
// samples each. Rows with NaN are skipped; if no row remains, the result is nil.
func NewScores(y *mat.Dense, t []int) Scores {
	y, t, _ = checked(y, t, nil)
	if len(t) == 0 {
		return nil
	}
	_, classes := y.Dims()
	counts := (&Data{T: t, C: classes}).Counts()
	byClass := classes <= mostByClass && slices.Min(counts) >= leastOfClass
	lists := make([][]float64, 1)
	if byClass {
		lists = make([][]float64, classes)
	}
	for n, label := range t {
		list := 0
		if byClass {
			list = label
		}
		lists[list] = append(lists[list], Margin(y.RawRowView(n), label))
	}
	var s Scores
	for _, list := range lists {
		slices.Sort(list)
		s = append(s, ScoreList{len(list), thinned(list)})
	}
	return s
}

// Margin returns the score of a class: y_c − max_{j≠c} y_j.
func Margin(y []float64, class int) float64 {
	other := math.Inf(-1)
	for j, v := range y {
		if j != class {
			other = max(other, v)
		}
	}
	return y[class] - other
}

// rank returns the rank, from 1, of the j-th (from 0) stored score of n. Low ranks are denser,
// because high coverages need them.
func rank(j, kept, n int) int {
	if kept == n {
		return j + 1
	}
	share := float64(j+1) / float64(kept)
	return max(j+1, int(math.Ceil(float64(n)*share*share)))
}

// thinned returns at most 256 of ascending values.
func thinned(values []float64) []float64 {
	n, kept := len(values), min(len(values), mostScores)
	list := make([]float64, kept)
	for j := range list {
		list[j] = values[rank(j, kept, n)-1]
	}
	return list
}

// ByClass reports whether each class has a list of its own, so that the coverage holds for each
// class separately.
func (s Scores) ByClass() bool { return len(s) > 1 }

// Thresholds returns the lowest score with which each class is in a prediction set of the given
// coverage. It is −Inf if there are not enough samples to exclude the class from any set.
func (s Scores) Thresholds(coverage float64, classes int) []float64 {
	if !(coverage > 0 && coverage < 1) {
		panic(fmt.Sprintf("mpcvm: the coverage must be between 0 and 1, not %v", coverage))
	}
	least := make([]float64, classes)
	for c := range least {
		list := 0
		if s.ByClass() {
			list = c
		}
		least[c] = threshold(s[list], coverage)
	}
	return least
}

// threshold returns the k-th smallest of the n scores of a list, k = n + 1 − ⌈coverage·(n + 1)⌉, or
// the next smaller one that is stored. At least the share coverage of n + 1 exchangeable scores is
// at or above it.
func threshold(s ScoreList, coverage float64) float64 {
	n, values := s.Count, s.Values
	k := n + 1 - int(math.Ceil(coverage*float64(n+1)-1e-9)) // tolerates rounding in the product
	least := math.Inf(-1)
	for j, v := range values {
		if rank(j, len(values), n) > k {
			break
		}
		least = v
	}
	return least
}

// Check returns an error if the scores are not valid for the given number of classes.
func (s Scores) Check(classes int) error {
	if len(s) != 1 && len(s) != classes {
		return fmt.Errorf("scores: %d lists for %d classes", len(s), classes)
	}
	for i, list := range s {
		if n := len(list.Values); n < 1 || n != min(list.Count, mostScores) {
			return fmt.Errorf("scores[%d]: %d values for %d samples; want min(samples, %d) values",
				i, n, list.Count, mostScores)
		}
		for j, v := range list.Values {
			if !IsFinite(v) || j > 0 && v < list.Values[j-1] {
				return fmt.Errorf("scores[%d].values[%d]: %v is not finite or is less than the preceding value", i, j, v)
			}
		}
	}
	return nil
}
