package exact

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// Digits from tables.
func TestConstants(t *testing.T) {
	known := func(name string, got Num, text string) {
		if e := got.Div(digits(text)).Sub(one).Abs().Float(); e > 1e-48 {
			t.Errorf("%s = %v, error %.1g", name, got.v.Text('g', 55), e)
		}
	}
	leibniz := Of(0) // π = 16 arctan(1/5) − 4 arctan(1/239)
	for k, sign := 1, 4; k < 200; k, sign = k+2, -sign {
		power := func(n int) Num { return Exp(Log(Of(float64(n))).Times(-k)).Div(Of(float64(k))) }
		leibniz = leibniz.Add(power(5).Times(4).Sub(power(239)).Times(sign))
	}
	known("π", leibniz, pi.v.Text('g', 55))
	known("e", Exp(one), "2.71828182845904523536028747135266249775724709369995957")
	known("ln 10", Log(Of(10)), "2.30258509299404568401799145468436420760110148862877298")
	known("e^−1000", Log(Exp(Of(-1000))).Neg(), "1000")
	known("ln 1e-300", Log(Exp(Log(Of(1e300)))).Add(one), Log(Of(1e300)).Add(one).v.Text('g', 60))
}

// The series and the continued fraction agree, and the derivative is tR − 1.
func TestMills(t *testing.T) {
	series := Mills(Of(math.Nextafter(4, 0)))
	fraction := Mills(Of(4))
	slope := Of(4).Mul(fraction).Sub(one)
	linear := fraction.Sub(slope.Mul(Of(4 - math.Nextafter(4, 0))))
	if e := series.Sub(linear).Div(linear).Abs().Float(); e > 1e-29 { // error of order h²
		t.Errorf("R(4) by series and fraction differ by %.1g", e)
	}
	if e := Mills(Of(0)).Sub(root.Shift(-1)).Abs().Float(); e > 1e-50 {
		t.Errorf("R(0) has error %.1g", e)
	}
	for _, u := range []float64{-6, -3, -0.5, 0, 2, 5} {
		if want := 0.5 * math.Erfc(-u/math.Sqrt2); Psi(Of(u)).Error(want) > 1e-14 {
			t.Errorf("Ψ(%v) = %v, want %v", u, Psi(Of(u)), want)
		}
		if sum := Psi(Of(u)).Add(Psi(Of(-u))).Sub(one).Abs().Float(); sum > 1e-33 {
			t.Errorf("Ψ(%v) + Ψ(−%v) differs from 1 by %.1g", u, u, sum)
		}
	}
}

// Vectors computed with other software.
func TestGolden(t *testing.T) {
	file := must.Get(os.ReadFile("../../../mpcvm/probit/testdata/probit_probabilities.json"))(t)
	var golden struct {
		Cases []struct {
			C       int
			Name    string
			Y       []float64
			Targets []int
			LogP    []float64 `json:"log_p"`
		}
	}
	must.OK(t, json.Unmarshal(file, &golden))
	checked := 0
	for _, c := range golden.Cases {
		if c.C > 5 {
			continue // slow
		}
		for k, target := range c.Targets {
			logp, _ := Probit(All(c.Y), target)
			if math.Abs(c.LogP[k]) > 1e-26 && logp.Error(c.LogP[k]) > 1.2e-16 {
				t.Errorf("%s: log p(%d) = %v, want %v", c.Name, target, logp, c.LogP[k])
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("%d vectors", checked)
	}
}

// Probabilities sum to one, agree with a normal difference for two classes, and the means sum to the
// potentials.
func TestProbit(t *testing.T) {
	y := All([]float64{0.5, -1, 2, 0.5, 30})
	sum := Of(0)
	for t := range y {
		logp, _ := Probit(y, t)
		sum = sum.Add(Exp(logp))
	}
	if e := sum.Sub(one).Abs().Float(); e > 1e-33 {
		t.Errorf("the sum differs from one by %.1g", e)
	}
	_, means := Probit(y, 1)
	for c, m := range means {
		y[0] = y[0].Add(m)
		if c > 0 {
			y[0] = y[0].Sub(y[c])
		}
	}
	if e := y[0].Sub(Of(1)).Abs().Float(); e > 1e-33 { // 0.5 twice
		t.Errorf("the means do not sum to the potentials: %.1g", e)
	}
	for _, gap := range []float64{-1e8, -40, 1e-8, 3} {
		logp, _ := Probit(All([]float64{gap, 0}), 0)
		if want := Psi(Of(gap).Div(Of(2).Sqrt())); gap > -1e3 &&
			Exp(logp).Sub(want).Div(want).Abs().Float() > 1e-32 {
			t.Errorf("gap %v: p = %v, want %v", gap, Exp(logp), want)
		}
		if want := -gap * gap / 4; gap < -1e3 && logp.Error(want) > 1e-14 {
			t.Errorf("gap %v: log p = %v, near %v", gap, logp, want)
		}
	}
}

func TestSolve(t *testing.T) {
	a := [][]Num{All([]float64{0, 2, 1}), All([]float64{1, 1e-20, 0}), All([]float64{3, 1, 1e20})}
	inverse := Inverse(a)
	for i := range a {
		for j := range a {
			sum, want := Of(0), Of(0)
			for k := range a {
				sum = sum.Add(a[i][k].Mul(inverse[j][k]))
			}
			if i == j {
				want = one
			}
			if e := sum.Sub(want).Abs().Float(); e > 1e-50 {
				t.Errorf("AA⁻¹ at %d, %d has error %.1g", i, j, e)
			}
		}
	}
}
