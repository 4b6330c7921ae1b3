package lesson

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// classB returns class B of Line, see onLine, with the precisions of a model of two samples.
func classB() (phi *mat.Dense, z, signs, alpha []float64) {
	phi, z, signs = onLine()
	alpha = slices.Repeat([]float64{math.Inf(1)}, len(z))
	alpha[10], alpha[30] = 0.5, 2
	return phi, z, signs, alpha
}

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

// CheckCovariance reports what is wrong with a function that returns 𝒞, (33), for the N×N basis functions and
// the precisions of a class, which are infinite outside the model.
func CheckCovariance(covariance func(phi *mat.Dense, alpha []float64) *mat.SymDense) string {
	phi, _, _, alpha := classB()
	got := covariance(phi, slices.Clone(alpha))
	if got == nil {
		return notYet
	}
	if n := got.SymmetricDim(); n != len(alpha) {
		return fmt.Sprintf("𝒞 is %d×%d; there are %d samples", n, n, len(alpha))
	}
	same := func(noise float64, power func(float64) float64) bool {
		return mat.EqualApprox(got, covarianceOf(phi, alpha, noise, power), 1e-9)
	}
	for i := range alpha {
		for j := range alpha {
			if math.IsNaN(got.At(i, j)) || math.IsInf(got.At(i, j), 0) {
				return "𝒞 has an entry that is not finite: a sample with α = ∞ contributes nothing"
			}
		}
	}
	switch {
	case same(1, inverse):
		return "right: 𝒞 of 60 samples, two of them in the model"
	case same(0, inverse):
		return "the noise is missing: add I"
	case same(1, func(a float64) float64 { return a }):
		return "α is a precision: the variance of a weight is 1/α"
	case same(1, func(a float64) float64 { return 1 / math.Sqrt(a) }):
		return "1/√α is the standard deviation of a weight; 𝒞 has its variance"
	}
	want := covarianceOf(phi, alpha, 1, inverse)
	return fmt.Sprintf("𝒞₁₁ is %.4f and 𝒞₁₂ is %.4f; they should be %.4f and %.4f", got.At(0, 0), got.At(0, 1),
		want.At(0, 0), want.At(0, 1))
}

// solvedBy returns 𝒞⁻¹v.
func solvedBy(phi *mat.Dense, alpha []float64, v mat.Vector) (x *mat.VecDense) {
	var chol mat.Cholesky
	chol.Factorize(covarianceOf(phi, alpha, 1, inverse))
	x = new(mat.VecDense)
	Try(chol.SolveVecTo(x, v))
	return x
}

// evidenceOf is (32).
func evidenceOf(phi *mat.Dense, z, alpha []float64) float64 {
	target := mat.NewVecDense(len(z), z)
	logDet, _ := mat.LogDet(covarianceOf(phi, alpha, 1, inverse))
	return -(float64(len(z))*math.Log(2*math.Pi) + logDet + mat.Dot(target, solvedBy(phi, alpha, target))) / 2
}

// CheckGain reports what is wrong with a function that returns l(α), (36). It compares it with the difference
// of two values of (32), for each sample of a class with and without that sample.
func CheckGain(gain func(alpha, s, q float64) float64) string {
	phi, z, _, alpha := classB()
	worst, ever := 0.0, 0.0
	for n := range z {
		with, without := slices.Clone(alpha), slices.Clone(alpha)
		with[n], without[n] = 3, math.Inf(1)
		x := solvedBy(phi, without, phi.ColView(n)) // more precise than factorsOf
		s, q := mat.Dot(phi.ColView(n), x), mat.Dot(mat.NewVecDense(len(z), z), x)
		want := evidenceOf(phi, z, with) - evidenceOf(phi, z, without)
		got := gain(3, s, q)
		worst, ever = max(worst, math.Abs(got-want)), max(ever, math.Abs(got))
		if near(got, want, rounding) || got == 0 && ever == 0 {
			continue
		}
		logs, square := math.Log(3/(3+s)), q*q/(3+s)
		return fmt.Sprintf("sample %d, α = 3, s = %.4f, q = %.4f: ℒ changes by %.4f, and l is %.4f. ", n, s, q,
			want, got) + cmp.Or(named(got, rounding, []mistake{
			{2 * want, "The factor ½ of (32) is missing"},
			{(logs - square) / 2, "(35) subtracts q²/(α + s) from zᵀ𝒞⁻¹z, and (32) has a minus before it"},
			{(square - logs) / 2, "The logarithms have the wrong sign: |𝒞| grows, and (32) has −½ log|𝒞|"},
			{(logs + q/(3+s)) / 2, "q is squared"},
			{(math.Log(3) + square) / 2, "(34) has two logarithms: log(α + s) − log α"},
			{(square - math.Log(3+s)) / 2, "(34) has two logarithms: log(α + s) − log α"},
		}), "Put (34) and (35) into (32)")
	}
	if ever == 0 {
		return notYet
	}
	return fmt.Sprintf("right: with l the evidence (32) of 60 models is the same to %.0g", max(worst, 1e-15))
}

// CheckFactors reports what is wrong with a function that returns s and q, (37) and (38), of all samples, for
// the N×N basis functions, z and the precisions of a class, which are infinite outside the model.
func CheckFactors(factors func(phi *mat.Dense, z, alpha []float64) (s, q []float64)) string {
	phi, z, _, alpha := classB()
	s, q := factors(phi, slices.Clone(z), slices.Clone(alpha))
	if s == nil && q == nil {
		return notYet
	}
	if len(s) != len(z) || len(q) != len(z) {
		return fmt.Sprintf("there are %d samples, %d values of s and %d of q", len(z), len(s), len(q))
	}
	rightS, rightQ := factorsOf(phi, z, alpha)
	for n, a := range alpha {
		wantS, wantQ := rightS[n], rightQ[n]
		S, Q, in := wantS, wantQ, !math.IsInf(a, 1)
		if in {
			S, Q = a*S/(a+S), a*Q/(a+S)
		}
		sIs, qIs := func(v float64) bool { return near(s[n], v, rounding) },
			func(v float64) bool { return near(q[n], v, rounding) }
		switch {
		case sIs(wantS) && qIs(wantQ):
		case math.IsNaN(s[n]) || math.IsNaN(q[n]):
			return fmt.Sprintf("sample %d: s = %v and q = %v. Outside the model α = ∞, and s = S, q = Q", n, s[n],
				q[n])
		case in && sIs(S) && qIs(Q):
			return fmt.Sprintf("sample %d is in the model: this is S, with its own term in 𝒞; remove it by s = "+
				"αS/(α − S)", n)
		case in && sIs(a*S/(a+S)):
			return fmt.Sprintf("sample %d is in the model: solve S = αs/(α + s) for s; the result has α − S", n)
		case sIs(wantS) && qIs(Q):
			return fmt.Sprintf("sample %d: s is right, and this is Q; q = αQ/(α − S)", n)
		case sIs(wantS) && qIs(-wantQ):
			return fmt.Sprintf("q of sample %d is %.4f: the sign is wrong", n, q[n])
		case sIs(mat.Dot(phi.ColView(n), phi.ColView(n))):
			return fmt.Sprintf("sample %d: this is φᵀφ, which is s of the empty model only; use 𝒞⁻¹", n)
		default:
			return fmt.Sprintf("sample %d: s = %.4f and q = %.4f; they should be %.4f and %.4f", n, s[n], q[n],
				wantS, wantQ)
		}
	}
	return fmt.Sprintf("right: s and q of %d samples, two of them in the model", len(z))
}

// CheckBest reports what is wrong with a function that returns the precision with the highest evidence, (39).
func CheckBest(best func(s, q float64) float64) string {
	cases := [][2]float64{{5, 3}, {5, -3}, {2, 4}, {5, 2}, {4, 2}, {5, 0}}
	if !slices.ContainsFunc(cases, func(c [2]float64) bool { return best(c[0], c[1]) != 0 }) {
		return notYet
	}
	for _, c := range cases {
		s, q := c[0], c[1]
		got, want := best(s, q), math.Inf(1)
		if q*q > s {
			want = s * s / (q*q - s)
		}
		if near(got, want, rounding) {
			continue
		}
		head := fmt.Sprintf("s = %g, q = %g: α = %.4g. ", s, q, got)
		switch {
		case math.IsInf(want, 1) && q*q == s:
			return head + "With q² = s the numerator is s² > 0 for every α: l still rises towards α = ∞"
		case math.IsInf(want, 1):
			return head + "The numerator is positive for every α > 0, so l rises towards α = ∞: return math.Inf(1)"
		case math.IsInf(got, 1) && q < 0:
			return head + "l has q², so the sign of q does not matter here"
		case math.IsInf(got, 1):
			return head + "q² > s: there the derivative has a zero at a finite α"
		}
		return head + cmp.Or(named(got, rounding, []mistake{{1 / want, "This is 1/α, the variance"},
			{s / (q*q - s), "The numerator is s², not s"}, {-want, "The sign is wrong: α is positive"},
		}), fmt.Sprintf("The derivative of l is zero at %.4g", want))
	}
	return fmt.Sprintf("right: %d cases, with finite α in three of them", len(cases))
}

// CheckPosterior reports what is wrong with a function that returns the mean of the Gaussian of (30), which
// ignores the signs: a weight for each sample, zero outside the model.
func CheckPosterior(mean func(phi *mat.Dense, z, alpha []float64) []float64) string {
	phi, z, signs, alpha := classB()
	alpha[11], alpha[12] = 1, 0.1
	w := mean(phi, slices.Clone(z), slices.Clone(alpha))
	if w == nil {
		return notYet
	}
	if len(w) != len(z) {
		return fmt.Sprintf("there are %d samples, but %d weights", len(z), len(w))
	}
	flat, want, cut := slices.Clone(alpha), FreeWeights(phi, z, alpha), true
	for n := range w {
		cut = cut && near(w[n], signs[n]*max(0, signs[n]*want[n]), rounding)
		if !math.IsInf(alpha[n], 1) {
			flat[n] = 0
		}
	}
	free := FreeWeights(phi, z, flat)
	for n := range w {
		switch {
		case near(w[n], want[n], rounding):
		case cut:
			return fmt.Sprintf("weight %d is 0: the mean of the Gaussian ignores the signs; (31) cuts it later", n)
		case near(w[n], free[n], rounding):
			return fmt.Sprintf("weight %d is %+.4f, as by least squares without a prior: H = ΦᵀΦ + A", n, w[n])
		case math.IsInf(alpha[n], 1):
			return fmt.Sprintf("weight %d is %+.4f, but that sample is outside the model", n, w[n])
		default:
			return fmt.Sprintf("weight %d is %+.4f; it should be %+.4f", n, w[n], want[n])
		}
	}
	return "right: four weights; one has a sign that the model forbids"
}

// CheckChange reports what is wrong with a function that chooses one change of a class by Algorithm 2, with
// the sign test: the sample n and its new precision α, or n = −1 if there is nothing to change.
func CheckChange(change func(s, q, alpha, f []float64, turn int) (n int, a float64)) string {
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
	for i, c := range cases {
		n, a := change(c.s, c.q, slices.Clone(c.alpha), c.f, c.turn)
		if i == 0 && n == -1 {
			return notYet
		}
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
