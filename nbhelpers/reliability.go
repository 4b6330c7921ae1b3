package nbhelpers

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// Calibration is a curve of Reliability.
type Calibration struct {
	Name string      // such as "T = 1"; shown in the legend
	Bins []score.Bin // of score.Reliability or score.ClassReliability
}

// ReliabilityOptions are the choices of Reliability.
type ReliabilityOptions struct {
	// Title; the default is "Reliability". Subtitle is the smaller line below it; by
	// default it says what the error bars are.
	Title, Subtitle string
	// Height in CSS pixels; 0 means 520.
	Height int
}

// Reliability draws how often predictions come true over how probable they were
// said to be, a point for each bin, with the samples of the bins below. On the
// dashed diagonal probabilities are right; below it they are too confident. The
// error bars are Wilson's intervals of 95 % for the fraction. The legend has the
// expected calibration error (ECE) of each curve: how far on average the samples'
// bins are from the diagonal. Empty bins are left out.
func Reliability(opt ReliabilityOptions, curves ...Calibration) Chart {
	title := or(plain(opt.Title), "Reliability")
	subtitle := or(plain(opt.Subtitle), "below the diagonal: too confident · error bars: 95 % for what comes true")
	series := []any{node{"type": "line", "data": []any{[]any{0, 0}, []any{1, 1}}, "symbol": "none", "silent": true, "z": 1,
		"lineStyle": node{"color": axisInk, "width": 1.5, "type": "dashed"}, "itemStyle": node{"color": axisInk}, "tooltip": node{"show": false}}}
	var legend []string
	most := newSpan()
	alt := ""
	for i, c := range curves {
		color := ClassColor(i)
		var points []any
		var bars, columns sketch
		total, off := 0, 0.0
		for _, b := range c.Bins {
			if b.Count == 0 {
				continue
			}
			total += b.Count
			off += float64(b.Count) * math.Abs(b.Accuracy-b.Confidence)
			lo, hi := wilson(b.Accuracy, b.Count)
			points = append(points, []any{rounded(b.Confidence, 5), rounded(b.Accuracy, 5), b.Count, rounded(lo, 3), rounded(hi, 3), rounded(b.Low, 3), rounded(b.High, 3)})
			bars = append(bars, stroke{at: []point{{b.Confidence, lo}, {b.Confidence, hi}}, color: color, width: 1.3})
			wide := (b.High - b.Low) / float64(len(curves)) // side by side
			x0 := b.Low + wide*(float64(i)+.08)
			x1 := x0 + wide*.84
			n := float64(b.Count)
			columns = append(columns, stroke{at: []point{{x0, 0}, {x0, n}, {x1, n}, {x1, 0}}, fill: color, opacity: .75})
			most.add(n)
		}
		name := joinedBy(plain(c.Name), "\u2002", fmt.Sprintf("ECE %.3f", off/math.Max(float64(total), 1)))
		legend = append(legend, name)
		alt = joinedBy(alt, ", ", fmt.Sprintf("%s over %s", name, plural(total, "sample")))
		histogram := columns.series("")
		histogram["xAxisIndex"], histogram["yAxisIndex"] = 1, 1
		series = append(series,
			node{"type": "line", "name": name, "data": points, "symbol": "circle", "symbolSize": 8, "showSymbol": true, "z": 3,
				"lineStyle": node{"color": color, "width": 2}, "itemStyle": node{"color": color}},
			bars.series(""), histogram)
	}
	height := opt.Height
	if height <= 0 {
		height = 520
	}
	o := headed(title, subtitle, legend, 25)
	most.lo, most.hi = 0, math.Max(most.hi, 2)
	counts, wide := most.linearAxis("samples", 3)
	counts = only(counts, ticks(0, number(0, counts, "max"), number(1, counts, "interval")))
	left := math.Max(wide, 22) + 36
	const under = 78.0
	top := below(legend)
	upper := height - int(top) - int(under) - plotBottom - 24
	o["grid"] = []any{grid(left, top, 22, float64(height)-top-float64(upper)), grid(left, float64(height)-plotBottom-under, 22, plotBottom)}
	unit := func(name string) node {
		return only(spanned(axisNode("value", name, 0), 0, 1, .2), ticks(0, 1, .2))
	}
	above, x, y := unit(""), unit("probability that was given"), unit("fraction that came true")
	at(above, "axisLabel").(node)["show"] = false
	x["nameGap"], y["nameGap"], counts["nameGap"] = 30, left-22, left-22
	x["gridIndex"], counts["gridIndex"] = 1, 1
	o["xAxis"], o["yAxis"], o["series"] = []any{above, x}, []any{y, counts}, series
	o["tooltip"] = tooltip("item", `var v=p.value;if(v.length<7)return"";return p.marker+e(p.seriesName)+"<br>given "+v[5]+" to "+v[6]+": "+v[2]+(v[2]==1?" sample":" samples")+"<br>mean probability <b>"+v[0].toFixed(3)+"</b><br>came true <b>"+v[1].toFixed(3)+"</b> ["+v[3]+", "+v[4]+"]"`, nil)
	return newChart(o, fmt.Sprintf("Reliability diagram: %s.", joinedBy(title, "; ", alt)), height)
}

// joinedBy joins two texts, of which one may be empty.
func joinedBy(a, by, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + by + b
}

// wilson is the interval of Wilson (1927) for a fraction f of n, at 95 %.
func wilson(f float64, n int) (lo, hi float64) {
	const z = 1.959963984540054 // normal quantile of 0.975
	m := float64(n)
	centre := (f + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(f*(1-f)/m+z*z/(4*m*m))
	return math.Max(centre-half, 0), math.Min(centre+half, 1)
}
