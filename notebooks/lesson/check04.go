package lesson

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// differs reports whether two numbers differ by more than rounding.
func differs(a, b float64) bool { return !(math.Abs(a-b) <= 1e-6*(1+math.Abs(b))) }

// CheckBias describes the mistake in a function that returns the bias of a class, (29), for the targets z̄, the
// values Φw at the samples and the expected precision of the bias.
func CheckBias(bias func(z, phiW []float64, beta float64) float64) string {
	z, phiW, beta := []float64{5, 1, 3, -2}, []float64{1, 0.5, -1, 0.5}, 3.0
	got, left := bias(z, phiW, beta), floats.Sum(z)-floats.Sum(phiW)
	switch n := float64(len(z)); {
	case math.IsNaN(got):
		return notYet
	case !differs(got, left/(n+beta)):
		return "right: the mean residual, shrunk by β̄"
	case !differs(got, left/n):
		return "this is the mean residual; the prior of the bias adds β̄ to N"
	case !differs(got, floats.Sum(z)/(n+beta)):
		return "Φw is missing: the bias fits what the weights leave"
	case !differs(got, -left/(n+beta)):
		return "the sign is wrong: the residual is z̄ − Φw"
	default:
		return fmt.Sprintf("for z̄ = %g, Φw = %g and β̄ = %g it should be %.4f, not %.4f", z, phiW, beta,
			left/(n+beta), got)
	}
}

// CheckRest describes the mistake in a function that returns the larger fixed point of w ← ρw²/(w² +
// 1), or 0 if zero is the only one.
func CheckRest(rest func(rho float64) float64) string {
	for _, rho := range []float64{1, 1.9, 2.1, 3} {
		got, want := rest(rho), 0.0
		if rho >= 2 {
			want = (rho + math.Sqrt(rho*rho-4)) / 2
		}
		switch {
		case math.IsNaN(got) && rho < 2:
			if math.IsNaN(rest(3)) {
				return notYet
			}
			return fmt.Sprintf("ρ = %g: the root of a negative number; below ρ = 2 the only fixed point is 0", rho)
		case !differs(got, want):
		case rho >= 2 && !differs(got, (rho-math.Sqrt(rho*rho-4))/2):
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
	const tol = 1e-6
	for _, c := range [][2][]float64{{{0.3, 1, -0.5}, {0, 0, 0}}, {{2, -1, 0}, {-1, 0.5, 1}}} {
		y, old := c[0], c[1]
		for t := range y {
			z, logp := probit.Means(nil, old, t)
			at := func(y []float64, scale float64) float64 {
				far, near := floats.Distance(z, y, 2), floats.Distance(z, old, 2)
				return logp - scale*(far*far-near*near)
			}
			far, far2 := floats.Distance(z, y, 2), floats.Distance(old, y, 2)
			got, touch := lower(slices.Clone(y), slices.Clone(old), t), lower(slices.Clone(old), slices.Clone(old), t)
			where := fmt.Sprintf("old = %g, y = %g, label %d: %.4f", old, y, t, got)
			near := func(v float64) bool { return math.Abs(got-v) < tol }
			switch {
			case math.IsNaN(got):
				return notYet
			case near(at(y, 0.5)):
			case near(logp - far*far/2):
				return where + "; at y = old it must equal log p(t | old): add ½‖z̄ − old‖²"
			case near(at(y, 1)):
				return where + "; the exponent of a normal density has a factor ½"
			case near(at(y, -0.5)):
				return where + "; the signs are swapped: the bound has its maximum at z̄"
			case near(logp - far2*far2/2):
				return where + "; this parabola has its maximum at old; it must be at z̄, the mean of z given the label"
			case near(probit.LogProb(y, t)):
				return where + " is log p(t | y), not a quadratic bound"
			case math.Abs(touch-logp) > tol:
				return fmt.Sprintf("old = y = %g, label %d: %.4f; there the bound touches log p(t | old) = %.4f", old, t,
					touch, logp)
			case got > probit.LogProb(y, t)+tol:
				return where + fmt.Sprintf(" is above log p(t | y) = %.4f", probit.LogProb(y, t))
			default:
				return where + fmt.Sprintf("; it should be %.4f", at(y, 0.5))
			}
		}
	}
	return "right: it touches log p(t | y) at old, and is nowhere above it"
}

// mistakeInTargets names the mistake that leads from the potentials y and the label t to z, or
// returns "" if it does not recognise it.
func mistakeInTargets(y, z []float64, t int) string {
	// shifted returns the targets with the differences times sign, with or without the factor Ψ of
	// j, and with or without the division by p.
	shifted := func(sign float64, keep bool) []float64 {
		p, shift, z := 0.0, make([]float64, len(y)), slices.Clone(y)
		for _, e := range Span(-8, 8, 321) {
			h := distuv.UnitNormal.Prob(e)
			for j := range y {
				if j != t {
					h *= distuv.UnitNormal.CDF(e + sign*(y[t]-y[j]))
				}
			}
			p += h
			for j := range y {
				u := e + sign*(y[t]-y[j])
				if d := h * distuv.UnitNormal.Prob(u); j != t && keep {
					shift[j] += d
				} else if j != t && h > 0 {
					shift[j] += d / distuv.UnitNormal.CDF(u)
				}
			}
		}
		floats.AddScaled(z, -1/p, shift)
		z[t] += floats.Sum(shift) / p
		return z
	}
	near := func(a []float64) bool { return floats.Distance(a, z, math.Inf(1)) < 1e-3 }
	switch right := shifted(1, false); {
	case near(right):
		return ""
	case near(shifted(-1, false)):
		return "The argument of Ψ is ε + y_t − y_j; here the difference has the wrong sign"
	case near(shifted(1, true)):
		return "The product of (22) leaves out j: its Ψ becomes a density"
	}
	return ""
}

// ascend improves the weights of a class one by one, for at most the given number of rounds.
func ascend(phi *mat.Dense, z, alpha, signs []float64, rounds int) []float64 {
	w, left := make([]float64, len(z)), slices.Clone(z)
	for moved := 1.0; moved > 1e-10 && rounds > 0; rounds-- {
		moved = 0
		for n := range w {
			if math.IsInf(alpha[n], 1) {
				continue
			}
			column := phi.RawRowView(n)
			h := floats.Dot(column, column)
			best := (floats.Dot(column, left) + h*w[n]) / (h + alpha[n])
			if signs != nil {
				best = signs[n] * max(0, signs[n]*best)
			}
			floats.AddScaled(left, w[n]-best, column)
			w[n], moved = best, max(moved, math.Abs(best-w[n]))
		}
	}
	return w
}

// mistakeInWeights names the mistake in the weights w of a class, or returns "" if it does not
// recognise it.
func mistakeInWeights(phi *mat.Dense, z, alpha, signs, w []float64) string {
	near := func(a []float64) bool { return floats.Distance(a, w, math.Inf(1)) < 1e-3 }
	// (28)
	h, p := mat.NewSymDense(len(z), nil), mat.NewVecDense(len(z), nil)
	h.SymOuterK(1, phi.T())
	for n, a := range alpha {
		h.SetSym(n, n, h.At(n, n)+a)
	}
	p.MulVec(phi.T(), mat.NewVecDense(len(z), z))
	var chol mat.Cholesky
	chol.Factorize(h)
	Try(chol.SolveVecTo(p, p))
	free, clipped := p.RawVector().Data, make([]float64, len(z))
	for n, v := range free {
		if v*signs[n] > 0 {
			clipped[n] = v
		}
	}
	switch {
	case near(free):
		return "this is (28), the maximum without the signs"
	case near(clipped):
		return "this is (28) with the wrong signs set to zero; Q is higher if the signs are enforced throughout"
	case near(ascend(phi, z, alpha, signs, 1)):
		return "this is one round; each change moves the optimum of the other weights, so repeat until none moves"
	}
	// Without the penalty, the slope of the squares alone is zero at free weights.
	left, slope := mat.NewVecDense(len(z), nil), mat.NewVecDense(len(z), nil)
	left.MulVec(phi, mat.NewVecDense(len(w), w))
	left.SubVec(mat.NewVecDense(len(z), z), left)
	slope.MulVec(phi.T(), left)
	squares, penalty, against := 0.0, 0.0, false
	for n, v := range w {
		against = against || v*signs[n] < 0
		if v != 0 {
			squares, penalty = squares+math.Abs(slope.AtVec(n)), penalty+math.Abs(alpha[n]*v)
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
	phi := kernel.Gram(nil, kernel.RBF{Theta: 0.5}, set.X)
	n, c := set.N(), set.C()
	near := func(m *mat.Dense) bool {
		for i := range c {
			if floats.Distance(m.RawRowView(i), w[i], math.Inf(1)) > 1e-3 {
				return false
			}
		}
		return true
	}
	// ends runs the steps in a given order: M and E for all classes, T for a class and then the
	// targets.
	ends := func(order string, iterations int, prune bool) *mat.Dense {
		s := newSteps(set, phi, prune)
		for range iterations {
			for _, step := range order {
				switch step {
				case 'M':
					for i := range c {
						s.maximise(i)
					}
				case 'E':
					s.expect()
				case 'T':
					for i := range c {
						s.maximise(i)
						s.expect()
					}
				}
			}
		}
		return s.w
	}
	switch {
	case n != len(w[0]):
		return ""
	case near(ends("M", iterations, true)):
		return "the targets never change: the E-step must set z̄"
	case near(ends("T", iterations, true)):
		return "the E-step runs after each class; it must run after the M-steps of all classes"
	case near(ends("ME", 1, true)):
		return "this is one iteration"
	case near(ends("ME", iterations, false)):
		return "nothing is pruned: a weight with ᾱ > 10⁴ is removed for good"
	}
	return ""
}

// steps is the state of Algorithm 1.
type steps struct {
	set            *data.Set
	phi            *mat.Dense
	prune          bool
	f, w, alpha, y *mat.Dense // a class in each row
	z              *mat.Dense
	b, beta        []float64
}

func newSteps(set *data.Set, phi *mat.Dense, prune bool) *steps {
	n, c := set.N(), set.C()
	empty := func() *mat.Dense { return mat.NewDense(c, n, nil) }
	s := &steps{set: set, phi: phi, prune: prune, f: empty(), w: empty(), alpha: empty(), y: empty(), z: empty(),
		b: make([]float64, c), beta: slices.Repeat([]float64{1}, c)}
	for i := range c {
		for m, t := range set.T {
			f := -1.0
			if t == i {
				f = 1
			}
			s.f.Set(i, m, f)
			s.z.Set(i, m, 3+2.5*f)
			s.alpha.Set(i, m, 1)
		}
	}
	return s
}

// maximise performs the M-step of a class.
func (s *steps) maximise(c int) {
	expected := func(w float64) float64 { return (2e-5 + 1) / (w*w + 2e-5) }
	target, alpha := slices.Clone(s.z.RawRowView(c)), s.alpha.RawRowView(c)
	floats.AddConst(-s.b[c], target)
	s.w.SetRow(c, ascend(s.phi, target, alpha, s.f.RawRowView(c), 10000))
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
func (s *steps) expect() {
	for n, t := range s.set.T {
		z, _ := probit.Means(nil, mat.Col(nil, n, s.y), t)
		s.z.SetCol(n, z)
	}
}
