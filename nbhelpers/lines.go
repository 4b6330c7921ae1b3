package nbhelpers

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Series is a curve of Lines, or a set of points.
type Series struct {
	// Name is shown in the legend. If it is empty, the series is not in the legend.
	Name string
	// X and Y are the coordinates, in the units that the axes name. A value that is not
	// finite, or not positive on a log axis, is a gap.
	X, Y []float64
	// Low and High are the ends of an error band, or of error bars with NoLine. If they
	// are nil, there is none.
	Low, High []float64
	// Dashed draws a dashed line.
	Dashed bool
	// Dots marks the points. NoLine leaves out the line between them.
	Dots, NoLine bool
	// Stem draws an upright line from 0 to each point, and marks the points, as for
	// weights. There is no line between them then.
	Stem bool
	// Size of the points in CSS pixels. If it is 0, it is 7, or 5.5 in a chart of more
	// than 50 points without lines.
	Size float64
	// Sizes are the sizes of the points. If it is nil, all have Size.
	Sizes []float64
	// Color is "#rrggbb"; marks are then circles. If it is empty, a series that is named
	// after a system has the colour of that system (SystemColor), and any other the next
	// colour and shape of the classes (ClassColor).
	Color string

	marker symbol
}

// Mark is an upright rule of Lines at X, with its name along it.
type Mark struct {
	X    float64
	Name string
}

// LinesOptions are the choices of Lines. The zero value has linear axes over the
// range of the data and no names.
type LinesOptions struct {
	// Title of the chart, and Subtitle, the smaller line below it. If they are empty,
	// there is none.
	Title, Subtitle string
	// XName and YName are the names of the axes, with their units: "θ (1/cm²)".
	XName, YName string
	// LogX and LogY make an axis logarithmic.
	LogX, LogY bool
	// XRange and YRange are the ends of the axes. What lies beyond is cut. If both ends
	// are 0, the range of the data is shown.
	XRange, YRange [2]float64
	// Marks are upright rules.
	Marks []Mark
	// Height in CSS pixels. If it is 0, it is 380.
	Height int
}

const linesHeight = 380

// Lines draws curves in one pair of axes: functions, learning curves with error bands,
// points with error bars. The pointer shows the values of all curves.
//
// It panics if the coordinates of a series differ in number, if a series has only one of
// Low and High, if it has Stem on a log y axis, or if a range is empty or, on a log axis,
// not positive.
func Lines(series []Series, opt LinesOptions) Chart {
	defer readable()
	x, y := newSpan(), newSpan()
	dotted, stems, points := false, false, 0
	series = slices.Clone(series)
	for i := range series {
		s := &series[i]
		if len(s.X) != len(s.Y) || s.Low != nil && len(s.Low) != len(s.Y) || len(s.Low) != len(s.High) {
			panic(fmt.Sprintf("nbhelpers: series %q has %d values in X, %d in Y, %d in Low, %d in High", s.Name, len(s.X), len(s.Y), len(s.Low), len(s.High)))
		}
		if s.Stem {
			if opt.LogY {
				panic(fmt.Sprintf("nbhelpers: series %q has stems, but a log axis has no 0", s.Name))
			}
			s.NoLine, stems = true, true
			y.add(0)
		}
		dotted = dotted || s.Dots || s.NoLine
		if s.NoLine {
			points += len(s.X)
		}
		for k, v := range s.X {
			q := point{onAxis(v, opt.LogX), onAxis(s.Y[k], opt.LogY)}
			if math.IsNaN(q[0]) || opt.XRange != [2]float64{} && (v < opt.XRange[0] || v > opt.XRange[1]) {
				continue
			}
			if !math.IsNaN(q[1]) {
				x.add(q[0])
				y.add(q[1])
			}
			if s.Low != nil {
				y.add(onAxis(s.Low[k], opt.LogY), onAxis(s.High[k], opt.LogY))
			}
		}
	}
	for _, m := range opt.Marks {
		x.add(onAxis(m.X, opt.LogX))
	}
	f := &figure{title: plain(opt.Title), subtitle: plain(opt.Subtitle), keyWidth: 25}
	shape := 0
	for _, s := range series {
		switch {
		case s.Color != "":
		case isSystem(s.Name):
			look := looksOf([]string{s.Name})[0]
			s.Color, s.marker = look.color, look.shape
		default:
			s.Color, s.marker = ClassColor(shape), classShape(shape)
			shape++
		}
		if s.Size <= 0 {
			if s.Size = 7; points > 50 {
				s.Size = 5.5
			}
		}
		name, line := plain(s.Name), "{marker}"
		if name != "" {
			f.legend, line = append(f.legend, name), "{marker}{series}: "
		}
		if line += "*{1}*"; s.Low != nil {
			line += " [{2}, {3}]"
		}
		curve := s.mark(name, opt)
		curve.common().tip = []string{line + "{away}"}
		f.add(curve) // before its band, as the legend shows the first of a name
		if s.Low != nil {
			f.add(&sketch{base{name: name, z: 1, clip: true, silent: true}, s.band(opt)})
		}
		if s.Stem {
			f.add(&sketch{base{name: name, z: 2, clip: true, silent: true}, s.stems(opt)})
		}
	}
	xName, yName := plain(opt.XName), plain(opt.YName)
	xAxis, yAxis := x.curve(xName, opt.LogX, opt.XRange, dotted, 8), y.curve(yName, opt.LogY, opt.YRange, false, 5)
	if stems {
		f.add(&sketch{base{z: 1, clip: true, silent: true}, []stroke{{at: []point{{xAxis.lo, 0}, {xAxis.hi, 0}}, color: axisInk, width: 1}}})
	}
	height := opt.Height
	if height <= 0 {
		height = linesHeight
	}
	rules := make([]rule, len(opt.Marks))
	for i, m := range opt.Marks {
		rules[i] = rule{x: m.X, name: m.Name}
	}
	if r := ruled(rules, float64(height)-136); r.at != nil {
		f.add(r)
	}
	f.panels = []panel{{x: xAxis, y: yAxis}}
	f.tip.trigger, f.tip.head, f.tip.texts = "axis", "{x} {0}", node{"x": xName}
	alt := joinedBy(joinedBy("Line chart", ": ", f.title), "; ", strings.Join(f.legend, ", "))
	if yName != "" || xName != "" {
		alt += fmt.Sprintf("; %s over %s", yName, xName)
	}
	return f.chart(alt+".", height)
}

// mark is the curve or its points.
func (s *Series) mark(name string, opt LinesOptions) mark {
	rows := make([]row, len(s.X))
	for k := range rows {
		rows[k] = roundedAll([]float64{onAxis(s.X[k], opt.LogX), onAxis(s.Y[k], opt.LogY)}, 6)
		if s.Low != nil {
			rows[k] = append(rows[k], rounded(s.Low[k], 6), rounded(s.High[k], 6))
		}
	}
	b := base{name: name, z: 3, clip: true}
	if s.marker.name == "" {
		s.marker = symbols[0]
	}
	size := s.marker.sized(s.Size)
	if s.NoLine {
		d := &dots{base: b, rows: rows, color: s.Color, marker: s.marker, size: size, opacity: .85, rim: "#ffffff", rimWide: .5}
		for _, v := range s.Sizes {
			d.sizes = append(d.sizes, s.marker.sized(v))
		}
		return d
	}
	l := &line{base: b, rows: rows, color: s.Color, width: 2, dashed: s.Dashed}
	if s.Dots {
		l.marker, l.size = s.marker, size
	}
	return l
}

// band is the error band, in pieces where there are gaps, or the error bars.
func (s *Series) band(opt LinesOptions) []stroke {
	var parts []stroke
	var low, high []point
	flush := func() {
		if len(low) > 1 {
			slices.Reverse(high)
			parts = append(parts, stroke{at: append(low, high...), fill: s.Color, opacity: .18})
		}
		low, high = nil, nil
	}
	for k, v := range s.X {
		v = onAxis(v, opt.LogX)
		a, b := onAxis(s.Low[k], opt.LogY), onAxis(s.High[k], opt.LogY)
		switch {
		case math.IsNaN(v + a + b):
			flush()
		case s.NoLine:
			parts = append(parts, stroke{at: []point{{v, a}, {v, b}}, color: s.Color, width: 1.5})
		default:
			low, high = append(low, point{v, a}), append(high, point{v, b})
		}
	}
	flush()
	return parts
}

// stems are lines from 0 to the points.
func (s *Series) stems(opt LinesOptions) []stroke {
	var parts []stroke
	for k, v := range s.X {
		if v, y := onAxis(v, opt.LogX), onAxis(s.Y[k], false); !math.IsNaN(v + y) {
			parts = append(parts, stroke{at: []point{{v, 0}, {v, y}}, color: s.Color, width: 1.5})
		}
	}
	return parts
}

// Curve is the series of f over x. Its other fields may be set afterwards.
func Curve(name string, x []float64, f func(float64) float64) Series {
	defer readable()
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return Series{Name: name, X: x, Y: y}
}
