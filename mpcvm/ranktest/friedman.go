package ranktest

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// ErrUndefined is the error where there are fewer than two systems or data sets.
var ErrUndefined = errors.New("ranktest: undefined")

// ValueError is a measure that is NaN, which has no rank.
type ValueError struct {
	Row, Column int // data set and system, from 0; the text of the error counts from 1
	Value       float64
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("ranktest: row %d, column %d: %v has no rank", e.Row+1, e.Column+1, e.Value)
}

// Result is a Friedman test of k systems on N data sets.
type Result struct {
	// Sets is N, Systems is k.
	Sets, Systems int
	// Ranks are the ranks of the systems on each data set, N×k. Average is their mean
	// over the data sets, R_j.
	Ranks   *mat.Dense
	Average []float64
	// StdErr is the standard error of a difference of two average ranks, √(k(k+1)/(6N)).
	StdErr float64
	// Q is Friedman's statistic without a correction for ties, as in the paper. P is the
	// probability of a value as large by chance: χ² with k−1 degrees of freedom.
	Q, P float64
	// QTies is Q divided by 1 − Σ(m³−m)/(N(k³−k)), where the sum is over all groups of m
	// systems that tie on a data set. PTies is its probability. If all systems tie on all
	// data sets, they are 0 and 1.
	QTies, PTies float64
	// F is the statistic of Iman and Davenport (1980), (N−1)Q/(N(k−1) − Q). PF is its
	// probability: F with k−1 and (k−1)(N−1) degrees of freedom. If all data sets rank
	// the systems alike, F is +Inf.
	F, PF float64
}

// Friedman tests whether k systems (columns of e) differ over N data sets (rows). Lower
// values are better: e holds errors, or negated areas under the curve. Values of
// different rows are not compared.
//
// If there are fewer than two rows or columns, the error is ErrUndefined; if a value is
// NaN, a *ValueError. The probabilities are approximations, good from about ten data sets
// and five systems on. With fewer the χ² is too cautious and F is better.
func Friedman(e mat.Matrix) (Result, error) {
	n, k := e.Dims()
	if n < 2 || k < 2 {
		return Result{}, fmt.Errorf("%w: %d systems on %d data sets", ErrUndefined, k, n)
	}
	N, K := float64(n), float64(k)
	r := Result{
		Sets: n, Systems: k, Ranks: mat.NewDense(n, k, nil), Average: make([]float64, k),
		StdErr: math.Sqrt(K * (K + 1) / (6 * N)),
	}
	tied := 0.0
	for i := range n {
		row := mat.Row(r.Ranks.RawRowView(i), i, e)
		for j, v := range row {
			if math.IsNaN(v) {
				return Result{}, &ValueError{i, j, v}
			}
		}
		Ranks(row, row)
		tied += ties(row)
		for j, rank := range row {
			r.Average[j] += rank
		}
	}
	for j, sum := range r.Average {
		r.Average[j] = sum / N
		d := r.Average[j] - (K+1)/2
		r.Q += 12 * N / (K * (K + 1)) * d * d
	}
	chi := distuv.ChiSquared{K: K - 1}
	r.P = chi.Survival(r.Q)
	r.PTies = 1
	if share := 1 - tied/(N*(K*K*K-K)); share > 0 {
		r.QTies = r.Q / share
		r.PTies = chi.Survival(r.QTies)
	}
	// Q is at most N(k−1), up to rounding.
	if rest := N*(K-1) - r.Q; rest > 1e-12*r.Q {
		r.F = (N - 1) * r.Q / rest
		// distuv.F has only 1 − CDF, which loses the digits of a small probability.
		d1, d2 := K-1, (K-1)*(N-1)
		r.PF = mathext.RegIncBeta(d2/2, d1/2, d2/(d2+d1*r.F))
	} else {
		r.F = math.Inf(1)
	}
	return r, nil
}
