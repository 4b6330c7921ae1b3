package lesson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"
)

// covarianceOf returns noise·I + Σ power(α)·φφᵀ.
func covarianceOf(phi *mat.Dense, alpha []float64, noise float64,
	power func(a float64) float64) *mat.SymDense {
	c := mat.NewSymDense(len(alpha), nil)
	for n, a := range alpha {
		c.SetSym(n, n, c.At(n, n)+noise)
		if !math.IsInf(a, 1) {
			c.SymRankOne(c, power(a), phi.ColView(n))
		}
	}
	return c
}

// inverse is the contribution of a precision to 𝒞.
func inverse(a float64) float64 { return 1 / a }

// smallModel draws the arguments of five samples, three of them in the model.
func smallModel(r *rand.Rand, _ int) []any {
	alpha := scalars(r, 5, 0.3, 3)
	alpha[1], alpha[4] = math.Inf(1), math.Inf(1)
	return []any{smallGram(r), scalars(r, 5, -2, 4), alpha}
}

// CheckCovariance reports what is wrong with a function that returns 𝒞, (33), for the N×N basis functions and
// the precisions of a class, which are infinite outside the model.
var CheckCovariance = checkOf(card{name: "(33)", args: "Φ, α", n: 3,
	ok:   "𝒞 of three models with three of five samples",
	draw: func(r *rand.Rand, i int) []any { m := smallModel(r, i); return []any{m[0], m[2]} },
	vars: func(args []any) (list []vars) {
		phi, alpha := args[0].(*mat.Dense), args[1].([]float64)
		is, has := covarianceOf(phi, alpha, 0, same), covarianceOf(phi, alpha, 0, func(a float64) float64 {
			return 1 / math.Sqrt(a)
		})
		for i := range alpha {
			for j := range alpha {
				list = append(list, vars{"alpha": is.At(i, j), "deviation": has.At(i, j),
					"unit": map[bool]float64{true: 1}[i == j]})
			}
		}
		return list
	}}, func(phi *mat.Dense, alpha []float64) *mat.SymDense { return covarianceOf(phi, alpha, 1, inverse) })

func same(v float64) float64 { return v }

// CheckEvidence reports what is wrong with a function that returns (32). It compares it with gonum.
var CheckEvidence = checkOf(card{name: "(32)", args: "𝒞, z", n: 3, ok: "the log density of three z",
	draw: func(r *rand.Rand, i int) []any {
		m := smallModel(r, i)
		return []any{covarianceOf(m[0].(*mat.Dense), m[2].([]float64), 1, inverse), m[1]}
	},
	vars: func(args []any) []vars {
		var x mat.VecDense
		c, z := args[0].(*mat.SymDense), mat.NewVecDense(5, args[1].([]float64))
		Try(x.SolveVec(c, z))
		return []vars{{"N": 5, "det": mat.Det(c), "square": mat.Dot(z, &x), "direct": mat.Inner(z, c, z)}}
	}}, func(c *mat.SymDense, z []float64) float64 {
	normal, _ := distmv.NewNormal(make([]float64, len(z)), c, nil)
	return normal.LogProb(z)
})

// solvedBy returns 𝒞⁻¹v.
func solvedBy(phi *mat.Dense, alpha []float64, v mat.Vector) (x *mat.VecDense) {
	var chol mat.Cholesky
	chol.Factorize(covarianceOf(phi, alpha, 1, inverse))
	x = new(mat.VecDense)
	Try(chol.SolveVecTo(x, v))
	return x
}

// alphaSQ are the arguments of the cards of a gain.
var alphaSQ = numbers([2]float64{0.4, 3}, [2]float64{0.5, 5}, [2]float64{-3, 3})

// CheckParts reports what is wrong with a function that returns by how much log|𝒞| and zᵀ𝒞⁻¹z change if a
// sample enters, (34) and (35).
var CheckParts = checkOf(card{name: "(34), (35)", args: "α, s, q", draw: alphaSQ, n: 4,
	ok: "|𝒞| and zᵀ𝒞⁻¹z change as (34) and (35) say",
}, func(alpha, s, q float64) (logDet, square float64) {
	// In the direction of φ, where 𝒞 without the sample is 1, the sample has the basis function √s and the
	// target q/√s.
	c := 1 + s/alpha
	return math.Log(c), q*q/s/c - q*q/s
})

// CheckGain reports what is wrong with a function that returns l(α), (36). It compares it with the difference
// of two values of (32).
var CheckGain = checkOf(card{name: "(36)", args: "α, s, q", draw: alphaSQ, n: 4,
	ok: "it is the difference of the evidence (32) with and without a sample"}, evidenceGain)

// evidenceGain returns the difference of two values of (32), in the direction of φ as in CheckParts.
func evidenceGain(alpha, s, q float64) float64 {
	with := distuv.Normal{Sigma: math.Sqrt(1 + s/alpha)}
	return with.LogProb(q/math.Sqrt(s)) - distuv.UnitNormal.LogProb(q/math.Sqrt(s))
}

// CheckFactors reports what is wrong with a function that returns s and q, (37) and (38), of all samples, for
// the N×N basis functions, z and the precisions of a class, which are infinite outside the model.
var CheckFactors = checkOf(card{name: "(37), (38)", args: "Φ, z, α", draw: smallModel, n: 3, tol: 1e-5,
	ok: "s and q of 15 samples, nine of them in the model",
	vars: func(args []any) []vars {
		phi, z, alpha := args[0].(*mat.Dense), args[1].([]float64), args[2].([]float64)
		s, q := factorsOf(phi, z, alpha)
		s0, q0 := factorsOf(phi, z, EmptyModel(len(z)))
		list := make([]vars, 2*len(z))
		for n, a := range alpha {
			inside, share := 1.0, a/(a+s[n])
			if math.IsInf(a, 1) {
				inside, share = 0, 1
			}
			list[n] = vars{"second": 0, "inside": inside, "α": a, "S": share * s[n], "whole": share * s[n],
				"empty": s0[n]}
			list[len(z)+n] = vars{"second": 1, "inside": inside, "α": a, "S": share * s[n], "whole": share * q[n],
				"empty": q0[n]}
		}
		return list
	}}, func(phi *mat.Dense, z, alpha []float64) (s, q []float64) {
	for n := range alpha { // 𝒞 without sample n
		without, column := slices.Clone(alpha), phi.ColView(n)
		without[n] = math.Inf(1)
		x := solvedBy(phi, without, column)
		s, q = append(s, mat.Dot(column, x)), append(q, mat.Dot(mat.NewVecDense(len(z), z), x))
	}
	return s, q
})

// CheckBest reports what is wrong with a function that returns the precision with the highest evidence, (39).
var CheckBest = checkOf(card{name: "(39)", args: "s, q",
	ok: "6 cases, with finite α in three of them"}, func(s, q float64) float64 {
	if q*q <= s {
		return math.Inf(1)
	}
	return s * s / (q*q - s)
}, []any{5.0, 3.0}, []any{5.0, -3.0}, []any{2.0, 4.0}, []any{5.0, 2.0}, []any{4.0, 2.0}, []any{5.0, 0.0})

// CheckPosterior reports what is wrong with a function that returns the mean of the Gaussian of (30), which
// ignores the signs: a weight for each sample, zero outside the model.
func CheckPosterior(mean func(phi *mat.Dense, z, alpha []float64) []float64) string {
	phi, z, signs := onLine()
	alpha := EmptyModel(len(z))
	alpha[10], alpha[11], alpha[12], alpha[30] = 0.5, 1, 0.1, 2
	// with returns the mean for changed precisions in the model, and others outside.
	with := func(change func(a float64) float64, outside float64) []float64 {
		changed := slices.Clone(alpha)
		for n, a := range alpha {
			if changed[n] = outside; !math.IsInf(a, 1) {
				changed[n] = change(a)
			}
		}
		return FreeWeights(phi, z, changed)
	}
	return checkOf(card{name: "(30)", args: "Φ, z, α",
		ok: "4 weights on Line; 1 has a sign that the model forbids",
		vars: func([]any) (list []vars) {
			out := math.Inf(1)
			w, flat, all := with(same, out), with(func(float64) float64 { return 0 }, out), with(same, 1)
			variances, unit := with(inverse, out), with(one, out)
			for n, a := range alpha {
				product := 0.0
				if !math.IsInf(a, 1) {
					product = floats.Dot(phi.RawRowView(n), z)
				}
				list = append(list, vars{"cut": signs[n] * max(0, signs[n]*w[n]), "flat": flat[n], "all": all[n],
					"inverse": variances[n], "unit": unit[n], "product": product})
			}
			return list
		}}, FreeWeights, []any{phi, z, alpha})(mean)
}

// CheckChange reports what is wrong with a function that chooses one change of a class by Algorithm 2, with
// the sign test: the sample n and its new precision α, or n = −1 if there is nothing to change.
func CheckChange(change func(s, q, alpha, f []float64, turn int) (n int, a float64)) string {
	return checked(func() string { return checkChange(change) })
}

func checkChange(change func(s, q, alpha, f []float64, turn int) (n int, a float64)) string {
	out := math.Inf(1)
	cases := []struct {
		what           string
		s, q, alpha, f []float64
		turn, n        int
		a              float64
		wrong          map[int]string
	}{
		{what: "three samples outside, (s, q) = (2, 2), (4, 4), (1, −5), signs +, +, +",
			s: []float64{2, 4, 1}, q: []float64{2, 4, -5}, alpha: []float64{out, out, out}, f: []float64{1, 1, 1},
			n: 1, a: 16.0 / 12, wrong: map[int]string{2: "Its q has the wrong sign for its weight",
				0: "Another sample has a larger q² − s", -1: "Two samples may enter"}},
		{what: "sample 0 in the model with (2, 1), sample 1 outside with (1, −3), sign −",
			s: []float64{2, 1}, q: []float64{1, -3}, alpha: []float64{1, out}, f: []float64{1, -1}, n: 1, a: 1.0 / 8,
			wrong: map[int]string{0: "An addition comes before a deletion",
				-1: "A weight of sign − needs f q > 0, and here f q = 3"}},
		{what: "two samples in the model with (2, 4) and (4, 1), one outside with (3, 1)",
			s: []float64{2, 4, 3}, q: []float64{4, 1, 1}, alpha: []float64{1, 1, out}, f: []float64{1, 1, 1}, n: 1,
			a: out, wrong: map[int]string{0: "A deletion comes before a re-estimate",
				2: "That sample fails the test q² > s", -1: "Sample 1 is in the model and fails the test"}},
		{what: "two samples in the model with (2, 4) and (1, −4), signs +, +",
			s: []float64{2, 1}, q: []float64{4, -4}, alpha: []float64{1, 1}, f: []float64{1, 1}, n: 1, a: out,
			wrong: map[int]string{0: "q of sample 1 has the wrong sign: delete it first",
				-1: "q of sample 1 has the wrong sign: delete it"}},
		{what: "samples 0 and 2 in the model with (2, 4) and (1, 3), turn 3",
			s: []float64{2, 9, 1}, q: []float64{4, 1, 3}, alpha: []float64{1, out, 1}, f: []float64{1, 1, 1}, turn: 3,
			n: 2, a: 1.0 / 8, wrong: map[int]string{0: "Turn 3 of two samples is the second one: turn % 2",
				1: "Sample 1 is outside and fails the test", -1: "There is a precision to re-estimate"}},
		{what: "nothing in the model, and one sample outside with (4, 1)",
			s: []float64{4}, q: []float64{1}, alpha: []float64{out}, f: []float64{1}, n: -1,
			wrong: map[int]string{0: "It fails the test q² > s"}},
	}
	for _, c := range cases {
		n, a := change(c.s, c.q, slices.Clone(c.alpha), c.f, c.turn)
		head := fmt.Sprintf("%s: sample %d, α = %.4g. ", c.what, n, a)
		if n != c.n {
			if c.wrong[n] == "" {
				return head + fmt.Sprintf("There are %d samples", len(c.s))
			}
			return head + c.wrong[n]
		}
		if n >= 0 && !near(a, c.a, rounding) {
			return head + fmt.Sprintf("The sample is right; α should be %.4g", c.a)
		}
	}
	return "right: additions, deletions and re-estimates in six cases"
}
