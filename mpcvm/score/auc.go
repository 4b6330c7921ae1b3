package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Pair holds the areas that tell the classes I < J apart.
type Pair struct {
	I, J int
	IJ   float64 // A(I|J): a member of I gets a higher score I than a member of J
	JI   float64 // A(J|I): a member of J gets a higher score J than a member of I
	Mean float64 // (IJ + JI)/2
}

// AUC returns the generalised area under the ROC curve of Hand and Till (2001,
// DOI 10.1023/A:1010920819831),
//
//	M = 2/(C(C−1)) Σ_{i<j} (A(i|j) + A(j|i))/2,
//
// over the C classes present in t. p holds the probabilities of the classes, or any
// scores; only the order within each column matters. 1 is a perfect order, ½ is the
// order of chance. With two columns that sum to one it is the ordinary AUC. If fewer than
// two classes are present, the error is ErrUndefined.
func AUC(p mat.Matrix, t []int) (float64, error) {
	pairs, err := AUCPairs(p, t)
	if err != nil {
		return math.NaN(), err
	}
	sum := 0.0
	for _, pair := range pairs {
		sum += pair.Mean
	}
	return sum / float64(len(pairs)), nil
}

// AUCPairs returns the areas that AUC is the mean of, for the pairs of classes present in
// t in the order (0, 1), (0, 2), ..., (1, 2), ... With mid-ranks of score i among the
// members of i and j,
//
//	A(i|j) = (Σ ranks of the members of i − n_i(n_i+1)/2)/(n_i n_j)
//
// is the probability that a random member of i gets a higher score i than a random
// member of j, where a tie counts one half. (The mPCVM paper calls it the probability of a
// misclassification; it is the opposite.)
func AUCPairs(p mat.Matrix, t []int) ([]Pair, error) {
	classes := columns(p, t)
	if err := checkLabels(t, classes); err != nil {
		return nil, err
	}
	for row := range t {
		for column := range classes {
			if v := p.At(row, column); math.IsNaN(v) {
				return nil, &ValueError{row, column, v}
			}
		}
	}
	size := make([]int, classes)
	for _, label := range t {
		size[label]++
	}
	var present []int
	wins := make([][]int, classes)
	for c, n := range size {
		if n > 0 {
			present = append(present, c)
			wins[c] = doubleWins(p, t, c, classes)
		}
	}
	if len(present) < 2 {
		return nil, fmt.Errorf("%w: AUC of %d classes", ErrUndefined, len(present))
	}

	pairs := make([]Pair, 0, len(present)*(len(present)-1)/2)
	for k, i := range present {
		for _, j := range present[k+1:] {
			all := 2 * float64(size[i]) * float64(size[j])
			pairs = append(pairs, Pair{
				I: i, J: j,
				IJ:   float64(wins[i][j]) / all,
				JI:   float64(wins[j][i]) / all,
				Mean: float64(wins[i][j]+wins[j][i]) / (2 * all),
			})
		}
	}
	return pairs, nil
}

// doubleWins returns 2 n_i n_j A(i|j) for every class j. It counts the pairs of a member
// of class i and one of j: twice if the former has the higher score i, once if they tie.
// One sort serves all j. gonum's stat.ROC needs a sort for each pair, takes 1.2 to 1.9
// times as long, and has rounding errors; these counts have none.
func doubleWins(p mat.Matrix, t []int, i, classes int) []int {
	order := make([]int, len(t))
	scores := make([]float64, len(t))
	for n := range order {
		order[n], scores[n] = n, p.At(n, i)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })

	wins := make([]int, classes)
	below := make([]int, classes) // members with a score lower than this tie
	equal := make([]int, classes) // members in this tie
	for len(order) > 0 {
		end := 1
		for end < len(order) && scores[order[end]] == scores[order[0]] {
			end++
		}
		tie := order[:end]
		order = order[end:]
		for _, n := range tie {
			equal[t[n]]++
		}
		if own := equal[i]; own > 0 {
			for j := range wins {
				wins[j] += own * (2*below[j] + equal[j])
			}
		}
		for _, n := range tie {
			below[t[n]]++
			equal[t[n]] = 0
		}
	}
	return wins
}
