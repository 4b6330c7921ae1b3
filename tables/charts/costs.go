package charts

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// Costs draws the mean cost per row of a two-class problem as a function of the threshold from which class 1
// is predicted. p contains N×2 probabilities, t the N labels, and costs is a 2×2 matrix as in
// [eval.Matrix.Cost]. Rules mark the lowest cost and the threshold 0.5. If the probabilities are calibrated,
// the cost is lowest near the threshold (c01 − c00)/(c01 − c00 + c10 − c11). Costs panics if the shapes do not
// match.
func Costs(p mat.Matrix, t []int, costs mat.Matrix) nbhelpers.Chart {
	defer chart.Readable()
	n, c := p.Dims()
	if rows, columns := costs.Dims(); n != len(t) || n == 0 || c != 2 || rows != 2 || columns != 2 {
		fault("Costs", "%d×%d probabilities and %d×%d costs for %d labels of two classes", n, c, rows, columns,
			len(t))
	}
	const steps = 100
	s, best := nbhelpers.Series{X: make([]float64, steps+1), Y: make([]float64, steps+1)}, 0
	for k := range s.X {
		s.X[k] = float64(k) / steps
		for i, label := range t {
			decision := 0
			if p.At(i, 1) >= s.X[k] {
				decision = 1
			}
			s.Y[k] += costs.At(label, decision) / float64(n)
		}
		if s.Y[k] < s.Y[best] {
			best = k
		}
	}
	return nbhelpers.Lines([]nbhelpers.Series{s}, nbhelpers.LinesOptions{Title: "Cost of decisions",
		Subtitle: fmt.Sprintf("lowest: %s at the threshold %.2f", chart.Nats(s.Y[best]), s.X[best]),
		XName:    "threshold on the probability", YName: "mean cost per row", XRange: [2]float64{0, 1},
		Marks: []nbhelpers.Mark{{X: s.X[best], Name: "lowest"}, {X: .5, Name: "0.5"}}})
}
