package charts

import (
	"fmt"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/assess"
)

// Costs draws the mean cost per row as a function of the threshold on the probability of class 1, as
// returned by assess.CostCurve. Rules mark the lowest cost and the threshold 0.5. It panics if points is
// empty.
func Costs(points []assess.CostPoint) nbhelpers.Chart {
	defer chart.Readable()
	if len(points) == 0 {
		fault("Costs", "no points")
	}
	s := nbhelpers.Series{}
	best := points[0]
	for _, q := range points {
		s.X, s.Y = append(s.X, q.Threshold), append(s.Y, q.Cost)
		if q.Cost < best.Cost {
			best = q
		}
	}
	return nbhelpers.Lines([]nbhelpers.Series{s}, nbhelpers.LinesOptions{Title: "Cost of decisions",
		Subtitle: fmt.Sprintf("lowest: %s at the threshold %.2f", chart.Nats(best.Cost), best.Threshold),
		XName:    "threshold on the probability", YName: "mean cost per row", XRange: [2]float64{0, 1},
		Marks: []nbhelpers.Mark{{X: best.Threshold, Name: "lowest"}, {X: .5, Name: "0.5"}}})
}
