package lesson

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// BruteForce integrates p(t | W) over the two-sided prior of the weights in the model, on a grid of
// 40 points per weight that is finer near zero. It returns the log evidence and the probability of
// the right signs, given the labels. It is limited to models with at most three weights.
func (m *ByHand) BruteForce() (evidence, right float64) {
	const points, end = 40, 6.5
	total, y := 0.0, mat.NewDense(m.Set.N(), m.Set.C(), nil)
	type place struct{ c, n int }
	var in []place
	for c := range m.Set.C() {
		for n, a := range m.Alpha.RawRowView(c) {
			if !math.IsInf(a, 1) {
				in = append(in, place{c, n})
			}
		}
	}
	logp := make([]float64, m.Set.N())
	var sum func(i int, p float64, signs bool) // over the weights from i on
	sum = func(i int, p float64, signs bool) {
		if i == len(in) {
			probit.Batch{Tol: 1e-7}.LogProb(logp, y, m.Set.T)
			p *= math.Exp(floats.Sum(logp))
			if total += p; signs {
				right += p
			}
			return
		}
		at := in[i]
		phi, a := m.Phi.RawRowView(at.n), m.Alpha.At(at.c, at.n)
		before := mat.Col(nil, at.c, y)
		scale := min(1, 0.5/math.Sqrt(a)) // w = scale·sinh x
		limit := math.Asinh(end / math.Sqrt(a) / scale)
		step := 2 * limit / points
		for k := range points {
			x := -limit + (float64(k)+0.5)*step
			w := scale * math.Sinh(x)
			density := math.Sqrt(a/(2*math.Pi)) * math.Exp(-a*w*w/2) * scale * math.Cosh(x) * step
			y.SetCol(at.c, floats.AddScaledTo(make([]float64, len(phi)), before, w, phi))
			sum(i+1, p*density, signs && w*m.F.At(at.c, at.n) > 0)
		}
		y.SetCol(at.c, before)
	}
	sum(0, 1, true)
	return math.Log(total), right / total
}

// BeneathEvidence draws F and the log evidence over one of the precisions of OnTen.
func BeneathEvidence() nb.Chart {
	m := OnTen()
	found, gap := m.Alpha.At(0, 8), math.Inf(1)
	lines := []nb.Series{{Name: "F"}, {Name: "log evidence, two sides"}, {Name: "log evidence, right signs"}}
	for _, alpha := range LogSpan(found/100, found*100, 13) {
		m.Alpha.Set(0, 8, alpha)
		f := m.Refit()
		evidence, right := m.BruteForce()
		gap = min(gap, evidence-f)
		for i, y := range []float64{f, evidence, evidence + math.Log(8*right)} {
			lines[i].X, lines[i].Y = append(lines[i].X, alpha), append(lines[i].Y, y)
		}
	}
	top := func(s nb.Series) float64 { return s.X[floats.MaxIdx(s.Y)] }
	fmt.Printf("F is below the evidence by %.2f nats or more\n", gap)
	fmt.Printf("tops at α = %.2g (F), %.2g and %.2g (evidences)\n", top(lines[0]), top(lines[1]), top(lines[2]))
	return nb.Lines(lines, nb.LinesOptions{Title: "F beneath the evidence", XName: "α of one weight",
		YName: "nats", LogX: true, Marks: []nb.Mark{{X: found, Name: "found"}}})
}

// OnTen returns a model of ten samples of Line after 200 epochs.
func OnTen() *ByHand {
	m := NewByHand(data.Line(data.LineSeed).Subset([]int{1, 7, 13, 19, 25, 31, 37, 43, 49, 55}), 0.5)
	for range 200 {
		m.Epoch()
	}
	return m
}

// Refit finds the weights and Z̄ for the current precisions, and returns F.
func (m *ByHand) Refit() (f float64) {
	for range 100 {
		m.Weights()
		f = m.EStep()
	}
	return f
}
