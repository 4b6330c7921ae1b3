package charts

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/eval"
)

// mostImportances is the maximum number of columns that Permutation shows.
const mostImportances = 40

// Permutation draws the permutation importance of columns, for example the result of
// eval.Matrix.Importance. A bar is the mean increase of the log loss when the cells of the column are
// shuffled, with a line of one standard deviation over folds and permutations to each side. Without a log
// loss, it is the increase of the error in percentage points. At most 40 columns are shown, in the given
// order.
func Permutation(list []eval.Importance) nbhelpers.Chart {
	f := &chart.Figure{Title: "Importance of columns"}
	hard := len(list) > 0 && math.IsNaN(list[0].LogLoss.Mean) // the systems have no probabilities
	name, unit := "increase of the log loss (nats)", 1.
	if hard {
		name, unit = "increase of the error (percentage points)", 100
	}
	runs := 0
	if len(list) > 0 {
		runs = len(list[0].Err.Values)
	}
	f.Subtitle = fmt.Sprintf("effect of shuffling the column · line: standard deviation of %d runs", runs)
	if n := len(list); n > mostImportances {
		list = list[:mostImportances]
		f.Subtitle = fmt.Sprintf("the first %d of %d columns · ", mostImportances, n) + f.Subtitle
	}
	reach := chart.NewSpan()
	names, told := make([]string, len(list)), ""
	tip := []string{"{0 in names}", name, "*{2}*, standard deviation {3}"}
	up := chart.NewBars("worse", nbhelpers.ClassColor(0), .66, tip...)
	down := chart.NewBars("better", nbhelpers.ClassColor(4), .66, tip...)
	spread := &chart.Sketch{Base: chart.Base{Z: 3, Silent: true}}
	for r, column := range list {
		s := column.LogLoss
		if hard {
			s = column.Err
		}
		names[r] = chart.Plain(column.Column)
		mean, sd := unit*s.Mean, unit*s.SD
		if math.IsNaN(sd) {
			sd = 0
		}
		if math.IsNaN(mean) {
			continue
		}
		reach.Add(mean-sd, mean+sd)
		side := up
		if mean < 0 {
			side = down
		}
		side.Rows = append(side.Rows, chart.Row{float64(r), 0, chart.Rounded(mean, 5), chart.Rounded(sd, 4)})
		y := float64(r)
		spread.Strokes = append(spread.Strokes,
			chart.Stroke{At: []chart.Point{{mean - sd, y}, {mean + sd, y}}, Color: chart.Ink, Width: 1.5})
		if r < 5 {
			told = chart.JoinedBy(told, ", ", fmt.Sprintf("%s %s", names[r], chart.Nats(mean)))
		}
	}
	f.Add(up, down, spread, chart.Baseline(0))
	f.Rows(names, reach.FromZero(name, 6), 24, 0)
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": names}
	return f.Chart(chart.JoinedBy(fmt.Sprintf("Bar chart, %s: %s, %s", f.Title,
		words.CountOf(len(names), "column"), name), ": ", told)+".", 0)
}
