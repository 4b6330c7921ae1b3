package lesson

import "math/rand/v2"

// CheckRanks describes the mistake in a function that returns the variance of the difference of two average
// ranks of k equally good systems on n data sets. It compares it with all pairs of ranks.
var CheckRanks = checkOf(card{name: "(41)", args: "k, N", n: 4,
	ok:   "all pairs of different ranks give the same variance, for four k and N",
	draw: func(r *rand.Rand, i int) []any { return []any{3 + i + r.IntN(2), 4 + r.IntN(12)} },
}, func(k, n int) float64 { // the mean square of R_i − R_j over all pairs of different ranks, for N sets
	sum := 0
	for i := range k {
		for j := range k {
			sum += (i - j) * (i - j)
		}
	}
	return float64(sum) / float64(k*(k-1)*n)
})
