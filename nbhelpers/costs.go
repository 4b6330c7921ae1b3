package nbhelpers

import (
	"fmt"

	"github.com/mpcvm/mpcvm/tables/assess"
)

// Costs draws the mean cost of a row over the threshold on the probability of class 1 of two, as
// assess.CostCurve returns it, with a rule at the least cost and one at 0.5. It panics without
// points.
func Costs(points []assess.CostPoint) Chart {
	defer readable()
	if len(points) == 0 {
		fault("Costs", "there are no points")
	}
	s := Series{}
	best := points[0]
	for _, q := range points {
		s.X, s.Y = append(s.X, q.Threshold), append(s.Y, q.Cost)
		if q.Cost < best.Cost {
			best = q
		}
	}
	return Lines([]Series{s}, LinesOptions{Title: "Cost of a decision", Subtitle: fmt.Sprintf("least: %s at the threshold %.2f", nats(best.Cost), best.Threshold),
		XName: "threshold on the probability", YName: "mean cost of a row", XRange: [2]float64{0, 1},
		Marks: []Mark{{X: best.Threshold, Name: "least"}, {X: .5, Name: "0.5"}}})
}
