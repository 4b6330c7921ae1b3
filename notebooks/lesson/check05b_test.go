package lesson_test

import (
	"math"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

func TestCheckPart(t *testing.T) {
	part := func(alpha, h, w float64) float64 {
		return -(alpha*w*w + math.Log(h+alpha) - math.Log(alpha)) / 2
	}
	for want, f := range map[string]func(alpha, h, w float64) float64{
		"right: three weights": part,
		"not yet":              func(_, _, _ float64) float64 { return 0 },
		"factor ½":             func(alpha, h, w float64) float64 { return 2 * part(alpha, h, w) },
		"cancel against":       func(alpha, h, w float64) float64 { return part(alpha, h, w) - 0.5 },
		"has a minus":          func(alpha, h, w float64) float64 { return -alpha*w*w - part(alpha, h, w) },
		"wᵀAw is missing":      func(alpha, h, _ float64) float64 { return part(alpha, h, 0) },
		"opposite signs":       func(alpha, h, w float64) float64 { return part(alpha, h, w) - math.Log(alpha) },
		"H is h + α": func(alpha, h, w float64) float64 {
			return -(alpha*w*w + math.Log(h) - math.Log(alpha)) / 2
		},
		"Add steps": func(alpha, h, w float64) float64 { return part(alpha, h, w) + 0.1 },
	} {
		holds(t, want, lesson.CheckPart(f), want)
	}
}

func TestCheckOneSide(t *testing.T) {
	l := func(alpha, s, q float64) float64 {
		return (math.Log(alpha) - math.Log(alpha+s) + q*q/(alpha+s)) / 2
	}
	plus := func(x func(alpha, s, q float64) float64, factor float64) func(alpha, s, q float64) float64 {
		return func(alpha, s, q float64) float64 {
			return l(alpha, s, q) + math.Log(factor*distuv.UnitNormal.CDF(x(alpha, s, q)))
		}
	}
	right := func(alpha, s, q float64) float64 { return q / math.Sqrt(alpha+s) }
	for want, f := range map[string]func(alpha, s, q float64) float64{
		"right: three cases": plus(right, 2),
		"not yet":            func(_, _, _ float64) float64 { return 0 },
		"both sides":         l,
		"factor 2":           plus(right, 1),
		"l(α) is missing":    func(alpha, s, q float64) float64 { return plus(right, 2)(alpha, s, q) - l(alpha, s, q) },
		"Divide the mean":    plus(func(alpha, s, q float64) float64 { return q / (alpha + s) }, 2),
		"The variance of":    plus(func(_, s, q float64) float64 { return q / math.Sqrt(s) }, 2),
		"the wrong sign":     plus(func(alpha, s, q float64) float64 { return -right(alpha, s, q) }, 2),
		"l₁ = l + log 2P":    plus(right, 3),
	} {
		holds(t, want, lesson.CheckOneSide(f), want)
	}
}

// With the signs, F never decreases on Line, and it is below the log evidence. As printed, F
// decreases.
func TestByHand(t *testing.T) {
	m := lesson.OnTen()
	f := m.EStep()
	evidence, right := m.BruteForce()
	if f > evidence || right < 0.125 || right > 1 {
		t.Errorf("F = %v, log evidence %v, right signs %v", f, evidence, right)
	}
	m.Alpha.Set(0, 8, 1e12) // the prior is nearly a point, and either sign is equally likely
	near, one := m.BruteForce()
	m.Alpha.Set(0, 8, math.Inf(1))
	without, two := m.BruteForce()
	if math.Abs(near-without) > 1e-4 || math.Abs(one-two/2) > 1e-4 {
		t.Errorf("α = 10¹²: %v, %v; α = ∞: %v, %v", near, one, without, two)
	}
	falls := func(m *lesson.ByHand) (n int) {
		m.Z.Apply(func(i, j int, _ float64) float64 { return math.Abs(math.Sin(float64(60*i + j))) }, m.Z)
		last := math.Inf(-1)
		for i := range 80 {
			f := m.Epoch()
			if i > 0 && f < last-1e-9 {
				n++
			}
			last = f
		}
		return n
	}
	printed := lesson.NewByHand(data.Line(data.LineSeed), 0.3)
	printed.AnySign, printed.Cut, printed.KeepIdle = true, true, true
	if falls(printed) == 0 {
		t.Error("as printed, F never decreases")
	}
	repaired := lesson.NewByHand(data.Line(data.LineSeed), 0.3)
	if n := falls(repaired); n > 0 || mat.Norm(repaired.W, 2) == 0 {
		t.Errorf("F decreases in %d epochs", n)
	}
}
