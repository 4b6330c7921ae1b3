package ranktest

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// ErrUndefined is returned if there are fewer than two systems or data sets.
var ErrUndefined = errors.New("ranktest: undefined")

// ValueError reports a value that is NaN and cannot be ranked.
type ValueError struct {
	Row, Column int // data set and system, from 0; the error message counts from 1
	Value       float64
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("ranktest: row %d, column %d: %v has no rank", e.Row+1, e.Column+1, e.Value)
}

// Result is the result of a Friedman test of k systems on N data sets.
type Result struct {
	// Sets is N, and Systems is k.
	Sets, Systems int
	// Ranks contains the ranks of the systems on each data set (N×k). Average contains
	// their means over the data sets, R_j.
	Ranks   *mat.Dense
	Average []float64
	// StdErr is the standard error of a difference of two average ranks, √(k(k+1)/(6N)).
	StdErr float64
	// Q is Friedman's statistic without a correction for ties, as in the paper. P is its
	// p-value, from the χ² distribution with k−1 degrees of freedom.
	Q, P float64
	// QTies is Q divided by 1 − Σ(m³−m)/(N(k³−k)), where the sum is over all groups of m
	// systems that are tied on a data set. PTies is its p-value. If all systems are tied
	// on all data sets, QTies is 0 and PTies is 1.
	QTies, PTies float64
	// F is the statistic of Iman and Davenport (1980), (N−1)Q/(N(k−1) − Q). PF is its
	// p-value, from the F distribution with k−1 and (k−1)(N−1) degrees of freedom. If the
	// ranks are the same on all data sets, F is +Inf.
	F, PF float64
}

// Friedman tests whether k systems (columns of e) differ on N data sets (rows). Lower
// values are better, so e contains errors or negated areas under the curve. Values are
// compared only within a row.
//
// Friedman returns an error that wraps ErrUndefined if there are fewer than two rows or
// columns, and a *ValueError if a value is NaN. The p-values are approximations for about
// ten or more data sets and five or more systems. With fewer, the χ² test is too
// conservative and the F test is better.
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
	// Q is at most N(k−1), up to rounding errors.
	if rest := N*(K-1) - r.Q; rest > 1e-12*r.Q {
		r.F = (N - 1) * r.Q / rest
		// distuv.F computes 1 − CDF, which is inaccurate for small p-values.
		d1, d2 := K-1, (K-1)*(N-1)
		r.PF = mathext.RegIncBeta(d2/2, d1/2, d2/(d2+d1*r.F))
	} else {
		r.F = math.Inf(1)
	}
	return r, nil
}
