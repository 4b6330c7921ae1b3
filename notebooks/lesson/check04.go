package lesson

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// CheckBias describes the mistake in a function that returns the bias of a class, (29), for the targets z̄,
// the values Φw at the samples and the expected precision of the bias.
func CheckBias(bias func(z, phiW []float64, beta float64) float64) string {
	z, phiW, beta := []float64{5, 1, 3, -2}, []float64{1, 0.5, -1, 0.5}, 3.0
	got, left, n := bias(z, phiW, beta), floats.Sum(z)-floats.Sum(phiW), float64(len(z))
	if math.IsNaN(got) {
		return notYet
	}
	return cmp.Or(named(got, rounding, []mistake{
		{left / (n + beta), "right: the mean residual, shrunk by β̄"},
		{left / n, "this is the mean residual; the prior of the bias adds β̄ to N"},
		{floats.Sum(z) / (n + beta), "Φw is missing: the bias fits what the weights leave"},
		{-left / (n + beta), "the sign is wrong: the residual is z̄ − Φw"},
	}), fmt.Sprintf("for z̄ = %g, Φw = %g and β̄ = %g it should be %.4f, not %.4f", z, phiW, beta, left/(n+beta),
		got))
}

// CheckRest describes the mistake in a function that returns the larger fixed point of w ← ρw²/(w² +
// 1), or 0 if zero is the only one.
func CheckRest(rest func(rho float64) float64) string {
	for _, rho := range []float64{1, 1.9, 2.1, 3} {
		got, root := rest(rho), math.Sqrt(max(rho*rho-4, 0))
		want := (rho + root) / 2
		if rho < 2 {
			want = 0
		}
		switch {
		case math.IsNaN(got) && rho < 2:
			if math.IsNaN(rest(3)) {
				return notYet
			}
			return fmt.Sprintf("ρ = %g: the root of a negative number; below ρ = 2 the only fixed point is 0", rho)
		case near(got, want, rounding):
		case rho >= 2 && near(got, (rho-root)/2, rounding):
			return fmt.Sprintf("ρ = %g: this is the smaller fixed point, and it is unstable", rho)
		default:
			return fmt.Sprintf("ρ = %g: %.4f, but it should be %.4f; a fixed point solves w² − ρw + 1 = 0", rho, got,
				want)
		}
	}
	return "right: from ρ = 2 on a weight survives, and not below it"
}

// CheckLower describes the mistake in a function that returns the lower bound of log p(t | y) that
// touches it at old, given the expected z at old.
func CheckLower(lower func(y, old []float64, t int) float64) string {
	square := func(a, b []float64) float64 { d := floats.Distance(a, b, 2); return d * d }
	for _, c := range [][2][]float64{{{0.3, 1, -0.5}, {0, 0, 0}}, {{2, -1, 0}, {-1, 0.5, 1}}} {
		y, old := c[0], c[1]
		for t := range y {
			z, logp := probit.Means(nil, old, t)
			at := func(scale float64) float64 { return logp - scale*(square(z, y)-square(z, old)) }
			got, touch := lower(slices.Clone(y), slices.Clone(old), t), lower(slices.Clone(old), slices.Clone(old), t)
			where := fmt.Sprintf("old = %g, y = %g, label %d: %.4f", old, y, t, got)
			mistakes := []mistake{
				{logp - square(z, y)/2, "; at y = old it must equal log p(t | old): add ½‖z̄ − old‖²"},
				{at(1), "; the exponent of a normal density has a factor ½"},
				{at(-0.5), "; the signs are swapped: the bound has its maximum at z̄"},
				{logp - square(old, y)/2,
					"; this parabola has its maximum at old; it must be at z̄, the mean of z given the label"},
				{probit.LogProb(y, t), " is log p(t | y), not a quadratic bound"},
			}
			if unnamed := named(got, rounding, mistakes) == ""; unnamed && !near(touch, logp, rounding) {
				where = fmt.Sprintf("old = y = %g, label %d: %.4f", old, t, touch)
				mistakes = []mistake{{got, fmt.Sprintf("; there the bound touches log p(t | old) = %.4f", logp)}}
			} else if unnamed && got > probit.LogProb(y, t)+rounding {
				mistakes = []mistake{{got, fmt.Sprintf(" is above log p(t | y) = %.4f", probit.LogProb(y, t))}}
			}
			if wrong := judge(where, got, at(0.5), rounding, mistakes); wrong != "" {
				return wrong
			}
		}
	}
	return "right: it touches log p(t | y) at old, and is nowhere above it"
}

// mistakeInTargets names the mistake that leads from the potentials y and the label t to z, or
// returns "" if it does not recognise it.
func mistakeInTargets(y, z []float64, t int) string {
	// same compares z with the targets for the differences times sign, with or without the factor Ψ of j.
	same := func(sign float64, keep bool) bool {
		wrong := slices.Clone(y)
		for j := range y {
			if j != t {
				shift := shiftOf(y, t, j, sign, keep)
				wrong[j] -= shift
				wrong[t] += shift
			}
		}
		return floats.Distance(wrong, z, math.Inf(1)) < 1e-3
	}
	switch {
	case same(1, false):
		return ""
	case same(-1, false):
		return "The argument of Ψ is ε + y_t − y_j; here the difference has the wrong sign"
	case same(1, true):
		return "The product of (22) leaves out j: its Ψ becomes a density"
	}
	return ""
}

// oneRound improves the weights of a class one by one, once.
func oneRound(phi *mat.Dense, z, alpha, signs []float64) []float64 {
	w, left := make([]float64, len(z)), slices.Clone(z)
	for n := range w {
		column := phi.RawRowView(n)
		w[n] = signs[n] * max(0, signs[n]*floats.Dot(column, left)/(floats.Dot(column, column)+alpha[n]))
		floats.AddScaled(left, -w[n], column)
	}
	return w
}

// slopeOf returns Φᵀ(z − Φw), the slope of minus half the squares.
func slopeOf(phi *mat.Dense, z, w []float64) []float64 {
	left, slope := mat.NewVecDense(len(z), slices.Clone(z)), mat.NewVecDense(len(z), nil)
	slope.MulVec(phi, mat.NewVecDense(len(w), w))
	left.SubVec(left, slope)
	slope.MulVec(phi.T(), left)
	return slope.RawVector().Data
}

// mistakeInWeights names the mistake in the weights w of a class, or returns "" if it does not
// recognise it.
func mistakeInWeights(phi *mat.Dense, z, alpha, signs, w []float64) string {
	same := func(a []float64) bool { return floats.Distance(a, w, math.Inf(1)) < 1e-3 }
	free, clipped := FreeWeights(phi, z, alpha), make([]float64, len(z))
	for n, v := range free {
		if v*signs[n] > 0 {
			clipped[n] = v
		}
	}
	switch {
	case same(free):
		return "this is (28), the maximum without the signs"
	case same(clipped):
		return "this is (28) with the wrong signs set to zero; Q is higher if the signs are enforced throughout"
	case same(oneRound(phi, z, alpha, signs)):
		return "this is one round; each change moves the optimum of the other weights, so repeat until none moves"
	}
	// Without the penalty, the slope of the squares alone is zero at free weights.
	slope, squares, penalty, against := slopeOf(phi, z, w), 0.0, 0.0, false
	for n, v := range w {
		against = against || v*signs[n] < 0
		if v != 0 {
			squares, penalty = squares+math.Abs(slope[n]), penalty+math.Abs(alpha[n]*v)
		}
	}
	if !against && squares < 0.05*penalty {
		return "the penalty is missing: divide by φᵀφ + ᾱ, not by φᵀφ"
	}
	return ""
}

// mistakeInOrder names the mistake with which Algorithm 1 gives the weights w on a set at θ = 0.5,
// or returns "" if it does not recognise it.
func mistakeInOrder(set *data.Set, w [][]float64, iterations int) string {
	given, phi := slices.Concat(w...), kernel.Gram(nil, kernel.RBF{Theta: 0.5}, set.X)
	if len(given) != set.C()*set.N() {
		return ""
	}
	// ends runs iterations and compares the weights. An E-step follows the M-step of each class, or the M-steps of
	// all classes, or there is none.
	ends := func(iterations int, prune, afterEach, afterAll bool) bool {
		s := newSteps(set, phi, prune)
		for range iterations {
			for c := range set.C() {
				s.maximise(c)
				if afterEach {
					s.expect()
				}
			}
			if afterAll {
				s.expect()
			}
		}
		return floats.Distance(s.w.RawMatrix().Data, given, math.Inf(1)) <= 1e-3
	}
	switch {
	case ends(iterations, true, false, false):
		return "the targets never change: the E-step must set z̄"
	case ends(iterations, true, true, false):
		return "the E-step runs after each class; it must run after the M-steps of all classes"
	case ends(1, true, false, true):
		return "this is one iteration"
	case ends(iterations, false, false, true):
		return "nothing is pruned: a weight with ᾱ > 10⁴ is removed for good"
	}
	return ""
}

// steps is the state of Algorithm 1.
type steps struct {
	set               *data.Set
	phi               *mat.Dense
	prune             bool
	f, w, alpha, y, z *mat.Dense // a class in each row
	b, beta           []float64
}

func newSteps(set *data.Set, phi *mat.Dense, prune bool) *steps {
	n, c := set.N(), set.C()
	s := &steps{set: set, phi: phi, prune: prune, f: SignsOf(set), w: mat.NewDense(c, n, nil),
		alpha: mat.NewDense(c, n, slices.Repeat([]float64{1}, c*n)), y: mat.NewDense(c, n, nil),
		z: mat.NewDense(c, n, nil), b: make([]float64, c), beta: slices.Repeat([]float64{1}, c)}
	s.z.Apply(func(_, _ int, f float64) float64 { return 3 + 2.5*f }, s.f)
	return s
}

// maximise performs the M-step of a class.
func (s *steps) maximise(c int) {
	expected := func(w float64) float64 { return (2e-5 + 1) / (w*w + 2e-5) }
	target, alpha := slices.Clone(s.z.RawRowView(c)), s.alpha.RawRowView(c)
	floats.AddConst(-s.b[c], target)
	s.w.SetRow(c, SignedWeights(s.phi, target, alpha, s.f.RawRowView(c)))
	y := mat.NewVecDense(len(target), s.y.RawRowView(c))
	y.MulVec(s.phi, s.w.RowView(c))
	s.b[c] = (floats.Sum(s.z.RawRowView(c)) - mat.Sum(y)) / (float64(len(target)) + s.beta[c])
	s.beta[c] = expected(s.b[c])
	for n, w := range s.w.RawRowView(c) {
		if alpha[n] = expected(w); s.prune && (w == 0 || alpha[n] > 1e4) {
			s.w.Set(c, n, 0)
			alpha[n] = math.Inf(1)
		}
	}
	y.MulVec(s.phi, s.w.RowView(c))
	floats.AddConst(s.b[c], s.y.RawRowView(c))
}

// expect performs the E-step.
func (s *steps) expect() { probit.Batch{}.Means(s.z, make([]float64, s.set.N()), s.y, s.set.T) }
