package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
)

// Series is a curve of Lines, or a set of points.
type Series struct {
	// Name is shown in the legend. If empty, the series is not in the legend.
	Name string
	// X and Y are the coordinates, in the units of the axes. Values that are not finite, or not
	// positive on a log axis, leave a gap.
	X, Y []float64
	// Low and High are the ends of an error band, or of error bars with NoLine. If nil, there is no
	// band.
	Low, High []float64
	// Dashed draws a dashed line.
	Dashed bool
	// Dots marks the points. NoLine omits the line between them.
	Dots, NoLine bool
	// Size is the size of the points in CSS pixels. If it is zero, it is 7, or 5.5 in a chart of
	// more than 50 points without lines.
	Size float64
	// Color is "#rrggbb"; the points are then circles. If empty, a series named after a system has
	// the colour of that system, and other series take the colours and shapes of the
	// classes in turn (ClassColor).
	Color string

	marker chart.Symbol
	sizes  []float64 // of the individual points; nil if all have Size
	stem   bool      // upright lines from 0 to the points, which are not joined
}

// Mark is a vertical line in a chart of Lines, at X and labelled with Name.
type Mark struct {
	X    float64
	Name string
}

// LinesOptions are the options of Lines. The zero value has linear axes over the range of the data
// and no names.
type LinesOptions struct {
	// Title is the title of the chart, and Subtitle is the smaller line below it. Empty texts are
	// omitted.
	Title, Subtitle string
	// XName and YName are the names of the axes, with their units: "θ (1/cm²)".
	XName, YName string
	// LogX and LogY make an axis logarithmic.
	LogX, LogY bool
	// XRange and YRange are the ends of the axes. Curves are clipped to them. If both ends are 0,
	// the axis covers the data.
	XRange, YRange [2]float64
	// Marks are vertical lines.
	Marks []Mark
	// Height is the height in CSS pixels. The default is 380.
	Height int
}

const linesHeight = 380

// Lines draws curves on one pair of axes: functions, learning curves with error bands, points with
// error bars. The tooltip shows the values of all curves.
//
// Lines panics if the coordinates of a series differ in number, if a series has only one of Low and
// High, or if a range is empty or, on a log axis, not positive.
func Lines(series []Series, opt LinesOptions) Chart {
	defer chart.Readable()
	return newLines(series, opt).chart()
}

// lineChart holds the series of a chart of Lines with their colours, and the ranges they cover.
type lineChart struct {
	LinesOptions
	series        []Series
	x, y          *chart.Span
	dotted, stems bool // whether there are points, and stems
	points        int  // the number of points without lines
}

func newLines(series []Series, opt LinesOptions) *lineChart {
	l := &lineChart{LinesOptions: opt, series: slices.Clone(series), x: chart.NewSpan(), y: chart.NewSpan()}
	shape := 0
	for i := range l.series {
		s := &l.series[i]
		l.cover(s)
		switch {
		case s.Color != "":
		case chart.IsSystem(s.Name):
			look := chart.LooksOf([]string{s.Name})[0]
			s.Color, s.marker = look.Color, look.Shape
		default:
			s.Color, s.marker = ClassColor(shape), chart.ClassShape(shape)
			shape++
		}
	}
	for _, m := range opt.Marks {
		l.x.Add(chart.OnAxis(m.X, opt.LogX))
	}
	return l
}

// cover checks a series and widens the ranges to include it.
func (l *lineChart) cover(s *Series) {
	if len(s.X) != len(s.Y) || s.Low != nil && len(s.Low) != len(s.Y) || len(s.Low) != len(s.High) {
		panic(fmt.Sprintf("nbhelpers: series %q has %d values in X, %d in Y, %d in Low, %d in High",
			s.Name, len(s.X), len(s.Y), len(s.Low), len(s.High)))
	}
	if s.stem {
		if l.LogY {
			panic(fmt.Sprintf("nbhelpers: series %q has stems, but a log axis has no 0", s.Name))
		}
		s.NoLine, l.stems = true, true
		l.y.Add(0)
	}
	if l.dotted = l.dotted || s.Dots || s.NoLine; s.NoLine {
		l.points += len(s.X)
	}
	for k, v := range s.X {
		q := chart.Point{chart.OnAxis(v, l.LogX), chart.OnAxis(s.Y[k], l.LogY)}
		if math.IsNaN(q[0]) || l.XRange != [2]float64{} && (v < l.XRange[0] || v > l.XRange[1]) {
			continue
		}
		if !math.IsNaN(q[1]) {
			l.x.Add(q[0])
			l.y.Add(q[1])
		}
		if s.Low != nil {
			low := s.Low[k]
			if s.Y[k] >= 0 && strings.Contains(l.YName, "%") {
				low = max(low, 0) // the data are not negative, only their error bars
			}
			l.y.Add(chart.OnAxis(low, l.LogY), chart.OnAxis(s.High[k], l.LogY))
		}
	}
}

// chart draws the series.
func (l *lineChart) chart() Chart {
	f := &chart.Figure{Title: chart.Plain(l.Title), Subtitle: chart.Plain(l.Subtitle), KeyWidth: 25}
	sketch := func(name string, z int, strokes []chart.Stroke) {
		f.Add(&chart.Sketch{Base: chart.Base{Name: name, Z: z, Clip: true, Silent: true}, Strokes: strokes})
	}
	for i := range l.series {
		s := &l.series[i]
		name, tip := chart.Plain(s.Name), "{marker}"
		if name != "" {
			f.Legend, tip = append(f.Legend, name), "{marker}{series}: "
		}
		if tip += "*{1}*"; s.Low != nil {
			tip += " [{2}, {3}]"
		}
		f.Add(l.mark(s, chart.Base{Name: name, Z: 3, Clip: true, Tip: []string{tip + "{away}"}}))
		if s.Low != nil { // after the curve: the legend shows the first mark of a name
			sketch(name, 1, s.band(l.LinesOptions))
		}
		if s.stem {
			sketch(name, 2, s.stems(l.LinesOptions))
		}
	}
	xName, yName := chart.Plain(l.XName), chart.Plain(l.YName)
	x, y := l.x.Curve(xName, l.LogX, l.XRange, l.dotted, 8), l.y.Curve(yName, l.LogY, l.YRange, false, 5)
	if l.stems {
		sketch("", 1, []chart.Stroke{{At: []chart.Point{{x.Lo, 0}, {x.Hi, 0}}, Color: chart.AxisInk, Width: 1}})
	}
	height := cmp.Or(max(l.Height, 0), linesHeight)
	rules := make([]chart.Rule, len(l.Marks))
	for i, m := range l.Marks {
		rules[i] = chart.Rule(m)
	}
	if r := chart.Ruled(rules, float64(height)-136); r.At != nil {
		f.Add(r)
	}
	f.Panels = []chart.Panel{{X: x, Y: y}}
	f.Tip.Trigger, f.Tip.Head, f.Tip.Texts = "axis", "{x} {0}", chart.Node{"x": xName}
	alt := chart.JoinedBy(chart.JoinedBy("Line chart", ": ", f.Title), "; ", strings.Join(f.Legend, ", "))
	if yName != "" || xName != "" {
		alt += fmt.Sprintf("; %s over %s", yName, xName)
	}
	return f.Chart(alt+".", height)
}

// mark returns the curve or its points.
func (l *lineChart) mark(s *Series, b chart.Base) chart.Mark {
	rows := make([]chart.Row, len(s.X))
	for k := range rows {
		rows[k] = chart.RoundedAll([]float64{chart.OnAxis(s.X[k], l.LogX), chart.OnAxis(s.Y[k], l.LogY)}, 6)
		if s.Low != nil {
			rows[k] = append(rows[k], chart.Rounded(s.Low[k], 6), chart.Rounded(s.High[k], 6))
		}
	}
	if s.marker.Name == "" {
		s.marker = chart.Symbols[0]
	}
	size := s.Size
	if size <= 0 {
		if size = 7; l.points > 50 {
			size = 5.5
		}
	}
	size = s.marker.Sized(size)
	if s.NoLine {
		d := &chart.Dots{Base: b, Rows: rows, Color: s.Color, Marker: s.marker, Size: size, Opacity: .85,
			Rim: "#ffffff", RimWide: .5}
		for _, v := range s.sizes {
			d.Sizes = append(d.Sizes, s.marker.Sized(v))
		}
		return d
	}
	line := &chart.Line{Base: b, Rows: rows, Color: s.Color, Width: 2, Dashed: s.Dashed}
	if s.Dots {
		line.Marker, line.Size = s.marker, size
	}
	return line
}

// band returns the error band, in pieces if there are gaps, or the error bars.
func (s *Series) band(opt LinesOptions) []chart.Stroke {
	var parts []chart.Stroke
	var low, high []chart.Point
	flush := func() {
		if len(low) > 1 {
			slices.Reverse(high)
			parts = append(parts, chart.Stroke{At: append(low, high...), Fill: s.Color, Opacity: .18})
		}
		low, high = nil, nil
	}
	for k, v := range s.X {
		v = chart.OnAxis(v, opt.LogX)
		a, b := chart.OnAxis(s.Low[k], opt.LogY), chart.OnAxis(s.High[k], opt.LogY)
		switch {
		case math.IsNaN(v + a + b):
			flush()
		case s.NoLine:
			parts = append(parts, chart.Stroke{At: []chart.Point{{v, a}, {v, b}}, Color: s.Color, Width: 1.5})
		default:
			low, high = append(low, chart.Point{v, a}), append(high, chart.Point{v, b})
		}
	}
	flush()
	return parts
}

// stems returns lines from 0 to the points.
func (s *Series) stems(opt LinesOptions) []chart.Stroke {
	var parts []chart.Stroke
	for k, v := range s.X {
		if v, y := chart.OnAxis(v, opt.LogX), chart.OnAxis(s.Y[k], false); !math.IsNaN(v + y) {
			parts = append(parts, chart.Stroke{At: []chart.Point{{v, 0}, {v, y}}, Color: s.Color, Width: 1.5})
		}
	}
	return parts
}

// Curve returns the series of f over x. Its other fields can be set afterwards.
func Curve(name string, x []float64, f func(float64) float64) Series {
	defer chart.Readable()
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return Series{Name: name, X: x, Y: y}
}

// Stems draws the weights of a set with one feature: a vertical line at each sample whose weight is
// not zero. w has a row for each potential and a column for each sample. With one row, the lines are
// coloured by the class of the sample; with several rows, by the class of the potential.
//
// Stems panics if the set does not have exactly one feature, if the number of rows of w is neither 1
// nor the number of classes, if the number of columns is not the number of samples, or if opt.LogY is set.
func Stems(set *data.Set, w [][]float64, opt LinesOptions) Chart {
	defer chart.Readable()
	if set.D() != 1 || len(w) != 1 && len(w) != set.C() {
		panic(fmt.Sprintf("nbhelpers: Stems has %d rows of weights for %d features and %d classes", len(w),
			set.D(), set.C()))
	}
	series := make([]Series, set.C())
	for c, class := range set.Classes {
		series[c] = Series{Name: "for " + class, stem: true, Color: ClassColor(c)}
		if len(w) == 1 {
			series[c].Name = "of " + class
		}
	}
	for c, row := range w {
		if len(row) != set.N() {
			panic(fmt.Sprintf("nbhelpers: Stems has %d weights for %d samples", len(row), set.N()))
		}
		for n, v := range row {
			s := &series[c]
			if len(w) == 1 {
				s = &series[set.T[n]]
			}
			if v != 0 {
				s.X, s.Y = append(s.X, set.X.At(n, 0)), append(s.Y, v)
			}
		}
	}
	return Lines(series, opt)
}
