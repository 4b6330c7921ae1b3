package nbhelpers

import (
	"cmp"
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// Calibration is a curve of Reliability.
type Calibration struct {
	Name string      // such as "T = 1"; shown in the legend
	Bins []score.Bin // of score.Reliability or score.ClassReliability
}

// ReliabilityOptions are the choices of Reliability. The zero value suits most charts.
type ReliabilityOptions struct {
	// Title of the chart. If it is empty, it is "Reliability". Subtitle is the smaller
	// line below it. If it is empty, it says what the error bars are.
	Title, Subtitle string
	// Height in CSS pixels. If it is 0, it is 520.
	Height int
}

// Reliability draws how often predictions come true against the probability that they
// were given, with a point for each bin, and the number of samples in the bins below. On
// the dashed diagonal the probabilities are right; below it they are too high. The error
// bars are intervals of Wilson at 95 %. The legend shows the expected calibration error
// (ECE) of each curve: the mean distance of the bins from the diagonal, weighted by
// their samples. Empty bins are left out.
func Reliability(curves []Calibration, opt ReliabilityOptions) Chart {
	f := &figure{title: cmp.Or(plain(opt.Title), "Reliability"), keyWidth: 25,
		subtitle: cmp.Or(plain(opt.Subtitle), "below the diagonal: too confident · error bars: 95 % for what comes true")}
	f.add(&line{base: base{z: 1, silent: true}, rows: []row{{0, 0}, {1, 1}}, color: axisInk, width: 1.5, dashed: true, still: true})
	most := newSpan()
	alt := ""
	names := make([]string, len(curves))
	for i, c := range curves {
		names[i] = c.Name
	}
	looks := looksOf(names)
	for i, c := range curves {
		color := looks[i].color
		curve := &line{base: base{z: 3, tip: []string{"{marker}{series}", "given {5} to {6}, samples: {2}", "mean probability *{0}*", "came true *{1}* [{3}, {4}]"}}, color: color, width: 2, marker: looks[i].shape, size: looks[i].shape.sized(8)}
		var intervals, columns []stroke
		total, off := 0, 0.0
		for _, b := range c.Bins {
			if b.Count == 0 {
				continue
			}
			n := float64(b.Count)
			total += b.Count
			off += n * math.Abs(b.Accuracy-b.Confidence)
			lo, hi := b.Interval()
			curve.rows = append(curve.rows, row{rounded(b.Confidence, 5), rounded(b.Accuracy, 5), n, rounded(lo, 3), rounded(hi, 3), rounded(b.Low, 3), rounded(b.High, 3)})
			intervals = append(intervals, stroke{at: []point{{b.Confidence, lo}, {b.Confidence, hi}}, color: color, width: 1.3})
			wide := (b.High - b.Low) / float64(len(curves)) // side by side
			x0 := b.Low + wide*(float64(i)+.08)
			x1 := x0 + wide*.84
			columns = append(columns, stroke{at: []point{{x0, 0}, {x0, n}, {x1, n}, {x1, 0}}, fill: color, opacity: .75})
			most.add(n)
		}
		curve.name = joinedBy(plain(c.Name), "\u2002", fmt.Sprintf("ECE %.3f", off/math.Max(float64(total), 1)))
		f.legend = append(f.legend, curve.name)
		alt = joinedBy(alt, ", ", fmt.Sprintf("%s over %s", curve.name, plural(total, "sample")))
		f.add(curve, &sketch{base{z: 2, silent: true}, intervals}, &sketch{base{panel: 1, z: 2, silent: true}, columns})
	}
	height := opt.Height
	if height <= 0 {
		height = 520
	}
	counts := span{lo: 0, hi: math.Max(most.hi, 2)}.linear("samples", 3)
	x, y := valueAxis("probability that was given", 0, 1, .2), valueAxis("fraction that came true", 0, 1, .2)
	above := x
	above.name, above.noLabels = "", true
	f.panels = []panel{{x: above, y: y, share: 4}, {x: x, y: counts, share: 1, gap: 24}}
	f.tip.trigger = "item"
	return f.chart(fmt.Sprintf("Reliability diagram: %s.", joinedBy(f.title, "; ", alt)), height)
}
