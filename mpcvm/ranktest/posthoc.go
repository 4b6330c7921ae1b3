package ranktest

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PostHoc reports which systems differ.
type PostHoc struct {
	// Alpha is the level: the probability that at least one pair is found to differ if
	// none does.
	Alpha float64
	// Critical is q_α, the limit of the statistics Z. CD = q_α·StdErr is the critical
	// difference, the limit of differences of average ranks.
	Critical, CD float64
	// Pairs are the comparisons made.
	Pairs []Pair
}

// Pair compares the systems I and J.
type Pair struct {
	I, J int
	// Difference is R_I − R_J, positive if J is better. Z is Difference/StdErr.
	Difference, Z float64
	// P is the probability of a difference as large by chance, adjusted for the number
	// of comparisons. If the systems differ, it is at most Alpha.
	P float64
	// Differs is |Difference| ≥ CD.
	Differs bool
}

// BonferroniDunn compares each system with the control at level alpha (0.10 in the
// paper). The pairs are in the order of the systems, with J the control. Use it only if
// Friedman's test finds a difference. It panics if control is not a system or alpha is
// not in (0, 1).
func (r Result) BonferroniDunn(control int, alpha float64) PostHoc {
	if control < 0 || control >= r.Systems {
		panic(fmt.Sprintf("ranktest: control %d of %d systems", control, r.Systems))
	}
	post := r.posthoc(alpha, BonferroniDunnCritical(r.Systems, alpha))
	for i := range r.Average {
		if i != control {
			tail := 2 * distuv.UnitNormal.Survival(r.z(i, control))
			post.Pairs = append(post.Pairs, r.pair(i, control, post.CD, min(1, float64(r.Systems-1)*tail)))
		}
	}
	return post
}

// Nemenyi compares every system with every other at level alpha. The pairs are in the
// order (0, 1), (0, 2), ..., (1, 2), .... Use it only if Friedman's test finds a
// difference. It panics if alpha is not in (0, 1).
func (r Result) Nemenyi(alpha float64) PostHoc {
	post := r.posthoc(alpha, NemenyiCritical(r.Systems, alpha))
	for i := range r.Average {
		for j := i + 1; j < r.Systems; j++ {
			post.Pairs = append(post.Pairs, r.pair(i, j, post.CD, rangeSurvival(r.z(i, j)*math.Sqrt2, r.Systems)))
		}
	}
	return post
}

func (r Result) posthoc(alpha, critical float64) PostHoc {
	return PostHoc{Alpha: alpha, Critical: critical, CD: critical * r.StdErr}
}

// z is |R_i − R_j| in units of the standard error.
func (r Result) z(i, j int) float64 { return math.Abs(r.Average[i]-r.Average[j]) / r.StdErr }

func (r Result) pair(i, j int, cd, p float64) Pair {
	d := r.Average[i] - r.Average[j]
	return Pair{I: i, J: j, Difference: d, Z: d / r.StdErr, P: p, Differs: math.Abs(d) >= cd}
}

// BonferroniDunnCritical returns q_α for one system compared with k−1 others: the normal
// quantile of 1 − alpha/(2(k−1)). It panics if k < 2 or alpha is not in (0, 1).
func BonferroniDunnCritical(k int, alpha float64) float64 {
	check(k, alpha)
	return -distuv.UnitNormal.Quantile(alpha / (2 * float64(k-1)))
}

// NemenyiCritical returns q_α for k systems that are all compared with each other: the
// quantile of 1 − alpha of the range of k independent standard normal variables (the
// studentized range with infinitely many degrees of freedom), divided by √2. It panics if
// k < 2 or alpha is not in (0, 1).
func NemenyiCritical(k int, alpha float64) float64 {
	check(k, alpha)
	return rangeQuantile(alpha, k) / math.Sqrt2
}

func check(k int, alpha float64) {
	if k < 2 {
		panic(fmt.Sprintf("ranktest: %d systems", k))
	}
	if !(alpha > 0 && alpha < 1) {
		panic(fmt.Sprintf("ranktest: level %v is not between 0 and 1", alpha))
	}
}
