package ranktest

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PostHoc is the result of a post-hoc test.
type PostHoc struct {
	// Alpha is the level: the probability that at least one pair is significant although
	// the systems do not differ.
	Alpha float64
	// Critical is q_α, the critical value of |Z|. CD = q_α·StdErr is the critical
	// difference of average ranks.
	Critical, CD float64
	// Pairs contains the comparisons.
	Pairs []Pair
}

// Pair is the comparison of the systems I and J.
type Pair struct {
	I, J int
	// Difference is R_I − R_J, which is positive if J is better. Z is Difference/StdErr.
	Difference, Z float64
	// P is the p-value of the difference, adjusted for the number of comparisons. If
	// Differs is true, P is at most Alpha.
	P float64
	// Differs reports whether |Difference| ≥ CD.
	Differs bool
}

// BonferroniDunn compares each system with the control at level alpha (0.10 in the
// paper). The pairs are in the order of the systems, and J is the control. Use this test
// only if Friedman's test is significant. It panics if control is not a system or alpha
// is not in (0, 1).
func (r Result) BonferroniDunn(control int, alpha float64) PostHoc {
	if control < 0 || control >= r.Systems {
		panic(fmt.Sprintf("ranktest: control is %d, but there are %d systems", control, r.Systems))
	}
	post := r.posthoc(alpha, bonferroniDunnCritical(r.Systems, alpha))
	for i := range r.Average {
		if i != control {
			tail := 2 * distuv.UnitNormal.Survival(r.z(i, control))
			post.Pairs = append(post.Pairs, r.pair(i, control, post.CD, min(1, float64(r.Systems-1)*tail)))
		}
	}
	return post
}

// Nemenyi compares all pairs of systems at level alpha, in the order (0, 1), (0, 2), ...,
// (1, 2), .... Use this test only if Friedman's test is significant. It panics if alpha is
// not in (0, 1).
func (r Result) Nemenyi(alpha float64) PostHoc {
	post := r.posthoc(alpha, nemenyiCritical(r.Systems, alpha))
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

// z returns |R_i − R_j|/StdErr.
func (r Result) z(i, j int) float64 { return math.Abs(r.Average[i]-r.Average[j]) / r.StdErr }

func (r Result) pair(i, j int, cd, p float64) Pair {
	d := r.Average[i] - r.Average[j]
	return Pair{I: i, J: j, Difference: d, Z: d / r.StdErr, P: p, Differs: math.Abs(d) >= cd}
}

// bonferroniDunnCritical returns q_α for the comparison of one system with k−1 others, the
// normal quantile of 1 − alpha/(2(k−1)). It panics if k < 2 or alpha is not in (0, 1).
func bonferroniDunnCritical(k int, alpha float64) float64 {
	check(k, alpha)
	return -distuv.UnitNormal.Quantile(alpha / (2 * float64(k-1)))
}

// nemenyiCritical returns q_α for all pairwise comparisons of k systems, the 1 − alpha
// quantile of the range of k independent standard normal variables (the studentized range
// with infinitely many degrees of freedom), divided by √2. It panics if k < 2 or alpha is
// not in (0, 1).
func nemenyiCritical(k int, alpha float64) float64 {
	check(k, alpha)
	return rangeQuantile(alpha, k) / math.Sqrt2
}

func check(k int, alpha float64) {
	if k < 2 {
		panic(fmt.Sprintf("ranktest: k is %d; want at least 2 systems", k))
	}
	if !(alpha > 0 && alpha < 1) {
		panic(fmt.Sprintf("ranktest: alpha is %v; want a level between 0 and 1", alpha))
	}
}
