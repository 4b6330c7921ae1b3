package nbhelpers

import (
	"cmp"
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// Calibration is a curve of Reliability.
type Calibration struct {
	Name string      // shown in the legend, such as "T = 1"
	Bins []score.Bin // from score.Reliability
}

// ReliabilityOptions are the options of Reliability. The zero value suits most charts.
type ReliabilityOptions struct {
	// Title is the title of the chart. The default is "Reliability".
	Title string
}

// Reliability draws a reliability diagram: the observed frequency against the predicted probability,
// with a point for each bin. A second panel below shows the number of samples in each bin. On the
// dashed diagonal the probabilities are calibrated; below it they are too high. Error bars are 95 %
// Wilson intervals. The legend shows the expected calibration error (ECE) of each curve: the mean
// distance of the bins from the diagonal, weighted by their number of samples. Empty bins are
// omitted.
func Reliability(curves []Calibration, opt ReliabilityOptions) Chart {
	f := &chart.Figure{Title: cmp.Or(chart.Plain(opt.Title), "Reliability"), KeyWidth: 25,
		Subtitle: "below the diagonal: too confident · error bars: 95 % for what comes true"}
	f.Add(&chart.Line{Base: chart.Base{Z: 1, Silent: true}, Rows: []chart.Row{{0, 0}, {1, 1}},
		Color: chart.AxisInk, Width: 1.5, Dashed: true, Still: true})
	most := chart.NewSpan()
	alt := ""
	names := make([]string, len(curves))
	for i, c := range curves {
		names[i] = c.Name
	}
	looks := chart.LooksOf(names)
	for i, c := range curves {
		color := looks[i].Color
		curve := &chart.Line{Base: chart.Base{Z: 3, Tip: []string{"{marker}{series}",
			"given {5} to {6}, samples: {2}", "mean probability *{0}*", "came true *{1}* [{3}, {4}]"}},
			Color: color, Width: 2, Marker: looks[i].Shape, Size: looks[i].Shape.Sized(8)}
		var intervals, columns []chart.Stroke
		total, off := 0, 0.0
		for _, b := range c.Bins {
			if b.Count == 0 {
				continue
			}
			n := float64(b.Count)
			total += b.Count
			off += n * math.Abs(b.Accuracy-b.Confidence)
			lo, hi := b.Interval()
			curve.Rows = append(curve.Rows, chart.Row{chart.Rounded(b.Confidence, 5),
				chart.Rounded(b.Accuracy, 5), n, chart.Rounded(lo, 3), chart.Rounded(hi, 3),
				chart.Rounded(b.Low, 3), chart.Rounded(b.High, 3)})
			intervals = append(intervals, chart.Stroke{At: []chart.Point{{b.Confidence, lo},
				{b.Confidence, hi}}, Color: color, Width: 1.3})
			wide := (b.High - b.Low) / float64(len(curves)) // next to each other
			x0 := b.Low + wide*(float64(i)+.08)
			x1 := x0 + wide*.84
			columns = append(columns, chart.Stroke{At: []chart.Point{{x0, 0}, {x0, n}, {x1, n}, {x1, 0}},
				Fill: color, Opacity: .75})
			most.Add(n)
		}
		curve.Name = chart.JoinedBy(chart.Plain(c.Name), "\u2002",
			fmt.Sprintf("ECE %.3f", off/math.Max(float64(total), 1)))
		f.Legend = append(f.Legend, curve.Name)
		alt = chart.JoinedBy(alt, ", ", fmt.Sprintf("%s over %s", curve.Name, words.CountOf(total, "sample")))
		f.Add(curve, &chart.Sketch{Base: chart.Base{Z: 2, Silent: true}, Strokes: intervals},
			&chart.Sketch{Base: chart.Base{Panel: 1, Z: 2, Silent: true}, Strokes: columns})
	}
	counts := chart.Span{Lo: 0, Hi: math.Max(most.Hi, 2)}.Linear("samples", 3)
	x, y := chart.ValueAxis("probability that was given", 0, 1, .2),
		chart.ValueAxis("fraction that came true", 0, 1, .2)
	f.Panels = []chart.Panel{{X: x.Inner(), Y: y, Share: 4}, {X: x, Y: counts, Share: 1, Gap: 24}}
	f.Tip.Trigger = "item"
	return f.Chart(fmt.Sprintf("Reliability diagram: %s.", chart.JoinedBy(f.Title, "; ", alt)), 520)
}
