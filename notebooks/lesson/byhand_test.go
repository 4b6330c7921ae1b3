package lesson_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
	"gonum.org/v1/gonum/mat"
)

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

// holds fails if the verdict does not contain the expected text.
func holds(t *testing.T, name, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}
