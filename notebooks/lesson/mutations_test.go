package lesson_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/mpcvm/probit"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// mistake is a function as a student may write it, and words of the verdict that name its mistake. They are
// empty if the function is right, and unnamed if the check only rejects it.
type mistake[F any] struct {
	kind string
	f    F
	want string
}

const unnamed = "should be"

// catalogue counts mistakes by check.
type catalogue struct {
	*testing.T
	total, unnamed int
}

// run runs mistakes through a check. Each must be rejected with its own name.
func run[F any](c *catalogue, name string, check func(F) string, tries []mistake[F]) {
	c.Helper()
	named, none := 0, 0
	for _, m := range tries {
		verdict := check(m.f)
		isRight := strings.HasPrefix(verdict, "right")
		switch {
		case m.want == "" && isRight:
		case m.want == "" || isRight || !strings.Contains(verdict, m.want):
			c.Errorf("%s, %s: %q, want %q", name, m.kind, verdict, m.want)
		case m.want == unnamed:
			none++
		default:
			named++
		}
	}
	c.Logf("%-14s%4d tried%4d named%4d unnamed", name, named+none, named, none)
	c.total, c.unnamed = c.total+named+none, c.unnamed+none
}

type (
	one   = mistake[func(x float64) float64]
	three = mistake[func(a, b, c float64) float64]
	four  = mistake[func(a, b, c, d float64) float64]
	six   = mistake[func(a, b, c, d, e, f float64) float64]
)

// TestMistakes runs a catalogue of mistakes through the checks; -v prints the table. A mistake without a name
// must not get the name of another.
func TestMistakes(t *testing.T) {
	c := &catalogue{T: t}
	priors(c)
	noise(c)
	losers(c)
	topDowns(c)
	bottomUps(c)
	bounds(c)
	counts(c)
	basics(c)
	classes(c)
	evidences(c)
	rules(c)
	tables(c)
	t.Logf("%d mistakes, %d named, %d unnamed", c.total, c.total-c.unnamed, c.unnamed)
	if c.total < 39 || c.unnamed > 3 {
		t.Error("too many mistakes are unnamed")
	}
}

func priors(c *catalogue) {
	run(c, "(24)", lesson.CheckPrecision, []three{
		{"right", func(w, u, v float64) float64 { return (2*u + 1) / (w*w + 2*v) }, ""},
		{"not written", func(_, _, _ float64) float64 { panic(lesson.Unwritten("precision")) }, "not yet"},
		{"lost ½", func(w, u, v float64) float64 { return (u + 0.5) / (v + w*w) }, "½ is missing"},
		{"lost ½", func(w, u, v float64) float64 { return (u + 0.5) / (w*w + 2*v) }, "half of the right"},
		{"lost ½", func(w, u, v float64) float64 { return (2*u + 1) / (w*w + v) }, "v is half"},
		{"forgotten", func(w, u, v float64) float64 { return u / (v + w*w/2) }, "½ to the shape"},
		{"forgotten", func(w, _, _ float64) float64 { return 1 / (w * w) }, "u and v are missing"},
		{"inverse", func(w, u, v float64) float64 { return (v + w*w/2) / (u + 0.5) }, "a variance"},
		{"mode", func(w, u, v float64) float64 { return (u - 0.5) / (v + w*w/2) }, "the mode"},
		{"square", func(w, u, v float64) float64 { return (u + 0.5) / (v + w/2) }, "square of w"},
		{"index", func(w, u, v float64) float64 { return (2*v + 1) / (w*w + 2*u) }, "u and v are swapped"},
	})
	price := func(two, power float64, gammas bool) func(w, u, v float64) float64 {
		return func(w, u, v float64) float64 {
			a, _ := math.Lgamma(u + 0.5)
			b, _ := math.Lgamma(u)
			if !gammas {
				a, b = 0, b-a
			}
			return math.Log(two/math.Pi)/2 + u*math.Log(v) + a - b - (u+power)*math.Log(v+w*w/2)
		}
	}
	right := price(2, 0.5, true)
	run(c, "(17)", lesson.CheckPrice, []three{
		{"right", right, ""},
		{"factor 2", price(0.5, 0.5, true), "factor 2 is missing"},
		{"lost ½", price(2, 0, true), "−(u + ½)"},
		{"sign", func(w, u, v float64) float64 { return -right(w, u, v) }, "sign is wrong"},
		{"logarithm", func(w, u, v float64) float64 { return math.Exp(right(w, u, v)) }, "take its logarithm"},
		{"forgotten", func(w, u, v float64) float64 { return right(w, u, v) - u*math.Log(v) }, "v^u"},
		{"forgotten", func(w, u, v float64) float64 {
			g, _ := math.Lgamma(u)
			return right(w, u, v) + g
		}, "1/Γ(u)"},
		{"square", func(w, u, v float64) float64 { return right(math.Sqrt(math.Abs(w)), u, v) }, "square of w"},
	})
	above := func(f func(z float64) float64) func(z float64) float64 {
		return func(z float64) float64 {
			if z*z <= 1 {
				return math.Inf(1)
			}
			return f(z)
		}
	}
	run(c, "one precision", lesson.CheckBestPrecision, []one{
		{"right", above(func(z float64) float64 { return 1 / (z*z - 1) }), ""},
		{"inverse", above(func(z float64) float64 { return z*z - 1 }), "its inverse"},
		{"noise", above(func(z float64) float64 { return 1 / (z * z) }), "whole variance"},
		{"square", above(func(z float64) float64 { return 1 / (math.Abs(z) - 1) }), "standard deviation"},
		{"case", func(z float64) float64 { return 1 / (z*z - 1) }, "not negative"},
		{"case", func(z float64) float64 { return max(0, 1/(z*z-1)) }, "not 0"},
		{"sign", func(z float64) float64 {
			if z <= 1 {
				return math.Inf(1)
			}
			return 1 / (z*z - 1)
		}, "only z² matters"},
	})
}

// area sums a function of ε and of the product of Ψ for the classes other than those left out.
func area(y []float64, i int, f func(e float64) float64, h, sign float64, without ...int) (sum float64) {
	for _, e := range lesson.Span(-8, 8, 161) {
		p := h * distuv.UnitNormal.Prob(e) * f(e)
		for k := range y {
			if !slices.Contains(without, k) {
				p *= distuv.UnitNormal.CDF(e + sign*(y[i]-y[k]))
			}
		}
		sum += p
	}
	return sum
}

func unity(float64) float64 { return 1 }

// step is (22) as a student would write it: the differences times sign, the product with the factor Ψ of j or
// of i, and the distance of the points in the numerator.
func step(sign float64, keep, own bool, distance float64) func(y []float64, i, j int) float64 {
	return func(y []float64, i, j int) float64 {
		density := func(e float64) float64 { return distuv.UnitNormal.Prob(e + sign*(y[i]-y[j])) }
		without, all := []int{i, j}, []int{i}
		if keep {
			without = []int{i}
		}
		if own {
			without, all = []int{j}, nil
		}
		return y[j] - area(y, i, density, distance, sign, without...)/area(y, i, unity, 0.1, sign, all...)
	}
}

func noise(c *catalogue) {
	type proba = mistake[func(y []float64, i int) float64]
	run(c, "(10)", lesson.CheckProba, []proba{
		{"right", func(y []float64, i int) float64 { return area(y, i, unity, 0.1, 1, i) }, ""},
		{"own class", func(y []float64, i int) float64 { return area(y, i, unity, 0.1, 1) }, "other classes only"},
		{"step width", func(y []float64, i int) float64 { return area(y, i, unity, 1, 1, i) }, "distance"},
		{"sign", func(y []float64, i int) float64 { return area(y, i, unity, 0.1, -1, i) }, "wrong sign"},
		{"forgotten", func(y []float64, i int) float64 {
			y = slices.Clone(y)
			y[i] = 0
			return area(y, i, unity, 0.1, 1, i)
		}, "y_i is missing"},
		{"forgotten", func(y []float64, i int) float64 {
			return area(y, i, func(e float64) float64 { return 1 / distuv.UnitNormal.Prob(e) }, 0.1, 1, i)
		}, "density of ε is missing"},
		{"logarithm", probit.LogProb, "this is the logarithm"},
		{"softmax", func(y []float64, i int) float64 { return math.Exp(y[i] - floats.LogSumExp(y)) }, "softmax"},
		{"overwritten", func(y []float64, i int) float64 { y[i] -= 1; return y[i] }, "overwrites y"},
	})
}

// losers are the mistakes in the posterior means.
func losers(c *catalogue) {
	type proba = mistake[func(y []float64, i int) float64]
	right := step(1, false, false, 0.1)
	type loser = mistake[func(y []float64, i, j int) float64]
	run(c, "(22)", lesson.CheckLoser, []loser{
		{"right", right, ""},
		{"sign", func(y []float64, i, j int) float64 { return 2*y[j] - right(y, i, j) }, "a minus"},
		{"forgotten", func(y []float64, i, j int) float64 {
			return y[j] - (y[j]-right(y, i, j))*probit.Proba(nil, y)[i]
		}, "divide"},
		{"forgotten", func(y []float64, i, j int) float64 { return y[j] - right(y, i, j) }, "alone"},
		{"product", step(1, true, false, 0.1), "leaves out j"},
		{"sign", step(-1, false, false, 0.1), "winner's potential first"},
		{"step width", step(1, false, false, 1), "the distance 0.1"},
		{"index", func(y []float64, i, j int) float64 { return right(y, j, i) }, "swapped"},
		{"index", func(y []float64, i, j int) float64 { return y[i] - y[j] + right(y, i, j) }, "not from the"},
	})
	sum := func(y []float64, i int, f func(j int) float64) (sum float64) {
		for j := range y {
			if j != i {
				sum += f(j)
			}
		}
		return sum
	}
	rise := func(y []float64, i int) float64 {
		return sum(y, i, func(j int) float64 { return y[j] - right(y, i, j) })
	}
	run(c, "(23)", lesson.CheckWinner, []proba{
		{"right", func(y []float64, i int) float64 { return y[i] + rise(y, i) }, ""},
		{"sign", func(y []float64, i int) float64 { return y[i] - rise(y, i) }, "goes down"},
		{"forgotten", rise, "alone"},
		{"forgotten", func(y []float64, i int) float64 { return y[i] }, "has not moved"},
		{"mean", func(y []float64, i int) float64 { return y[i] + rise(y, i)/2 }, "has their sum"},
		{"own class", func(y []float64, i int) float64 { return 2*y[i] + rise(y, i) - right(y, i, i) }, "itself"},
		{"forgotten", func(y []float64, i int) float64 {
			return y[i] + sum(y, i, func(j int) float64 { return right(y, i, j) })
		}, "not z̄_j"},
	})
	type eStep = mistake[func(y []float64, t int) []float64]
	// all applies (22) and gives the label's class gain times what the losers lose.
	all := func(loser func(y []float64, i, j int) float64, gain float64) func(y []float64, t int) []float64 {
		return func(y []float64, t int) []float64 {
			z := slices.Clone(y)
			for j := range y {
				if j != t {
					z[j] = loser(y, t, j)
					z[t] += gain * (y[j] - z[j])
				}
			}
			return z
		}
	}
	rightAll := all(right, 1)
	run(c, "E-step", lesson.CheckEStep, []eStep{
		{"right", rightAll, ""},
		{"forgotten", all(right, 0), "takes what they lose"},
		{"sign", all(right, -1), "winner goes up"},
		{"sign", all(func(y []float64, i, j int) float64 { return 2*y[j] - right(y, i, j) }, 1), "has a minus"},
		{"sign", all(step(-1, false, false, 0.1), 1), "the difference has the wrong sign"},
		{"product", all(step(1, true, false, 0.1), 1), "leaves out j"},
		{"own class", all(step(1, false, true, 0.1), 1), "a Ψ(ε) too many"},
		{"step width", all(step(1, false, false, 0.2*0.1), 1), "distance of two points"},
		{"forgotten", all(func(y []float64, i, j int) float64 {
			return y[j] - (y[j]-right(y, i, j))*probit.Proba(nil, y)[i]
		}, 1), "divide by the probability"},
		{"softmax", func(y []float64, t int) []float64 {
			z := slices.Clone(y)
			for j := range z {
				z[j] -= math.Exp(y[j] - floats.LogSumExp(y))
			}
			z[t]++
			return z
		}, "softmax"},
		{"argument", func(y []float64, t int) []float64 { return rightAll(rightAll(y, t), t) }, "upon E-step"},
		{"forgotten", func(y []float64, t int) []float64 {
			return floats.SubTo(make([]float64, len(y)), rightAll(y, t), y)
		}, "add y"},
		{"empty", func(y []float64, _ int) []float64 { return y }, "nothing is learnt"},
		{"index", func(y []float64, t int) []float64 { return rightAll(y, (t+1)%3) }, unnamed},
		{"overwritten", func(y []float64, t int) []float64 { return append(y[:0], rightAll(y, t)...) },
			"overwrites"},
		{"length", func(y []float64, t int) []float64 { return rightAll(y, t)[:2] }, "it should have 3"},
	})
}
