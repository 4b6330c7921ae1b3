package nbhelpers

import (
	"cmp"
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/tables/assess"
)

// mostImportances is how many columns Permutation shows.
const mostImportances = 40

// PermutationOptions are the choices of Permutation. The zero value suits most charts.
type PermutationOptions struct {
	// Title of the chart. The default is "Importance of columns".
	Title string
	// Error draws the increase of the error in percentage points instead of the increase of the
	// log loss. It is always drawn if there is no log loss.
	Error bool
}

// Permutation draws the importance of columns, such as assess.Results.Importance returns: a
// bar for the mean increase of the loss where the cells of the column are shuffled, and a line of
// one standard deviation over folds and permutations to each side. At most 40 columns are shown,
// in the given order.
func Permutation(list []assess.Importance, opt PermutationOptions) Chart {
	f := &figure{title: cmp.Or(plain(opt.Title), "Importance of columns")}
	opt.Error = opt.Error || len(list) > 0 && math.IsNaN(list[0].LogLoss.Mean)
	name, unit := "increase of the log loss (nats)", 1.
	if opt.Error {
		name, unit = "increase of the error (percentage points)", 100
	}
	runs := 0
	if len(list) > 0 {
		runs = len(list[0].Err.Values)
	}
	f.subtitle = fmt.Sprintf("what shuffling the column costs · line: standard deviation of %d runs", runs)
	if n := len(list); n > mostImportances {
		list = list[:mostImportances]
		f.subtitle = fmt.Sprintf("the first %d of %d columns · ", mostImportances, n) + f.subtitle
	}
	reach := newSpan()
	names, told := make([]string, len(list)), ""
	tip := []string{"{0 in names}", name, "*{2}*, standard deviation {3}"}
	up, down := &bars{base{name: "worse", z: 2, tip: tip}, nil, .66, ClassColor(0)}, &bars{base{name: "better", z: 2, tip: tip}, nil, .66, ClassColor(4)}
	spread := &sketch{base: base{z: 3, silent: true}}
	for r, column := range list {
		s := column.LogLoss
		if opt.Error {
			s = column.Err
		}
		names[r] = plain(column.Column)
		mean, sd := unit*s.Mean, unit*s.SD
		if math.IsNaN(sd) {
			sd = 0
		}
		if math.IsNaN(mean) {
			continue
		}
		reach.add(mean-sd, mean+sd)
		side := up
		if mean < 0 {
			side = down
		}
		side.rows = append(side.rows, row{float64(r), 0, rounded(mean, 5), rounded(sd, 4)})
		y := float64(r)
		spread.strokes = append(spread.strokes, stroke{at: []point{{mean - sd, y}, {mean + sd, y}}, color: ink, width: 1.5})
		if r < 5 {
			told = joinedBy(told, ", ", fmt.Sprintf("%s %s", names[r], nats(mean)))
		}
	}
	f.add(up, down, spread, baseline(0))
	f.rows(names, reach.fromZero(name, 6), 24, 0)
	f.tip.trigger, f.tip.texts = "item", node{"names": names}
	return f.chart(joinedBy(fmt.Sprintf("Bar chart, %s: %s, %s", f.title, plural(len(names), "column"), name), ": ", told)+".", 0)
}
