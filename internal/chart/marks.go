package chart

import (
	"encoding/base64"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Mark is something that a figure shows in a panel: a line, points, bars, ...
type Mark interface {
	Common() *Base
	// series returns the mark for ECharts, without the common options, and the options that
	// go-echarts has no fields for.
	series() (charts.SingleSeries, Node)
}

// Base holds the common fields of all marks.
type Base struct {
	Name   string // shown in the legend and the tooltip
	Panel  int
	Z      int  // marks with a higher z are drawn above
	Clip   bool // clipped at the edges of the panel
	Silent bool // does not react to the pointer
	// Tip holds the lines of the tooltip at a datum of the mark, nil for none. Fields are {2},
	// number 2 of the datum; {0 in names}, the element of Tip.Texts["names"] whose index is number
	// 0; {# in names}, the same for the index of the datum; {x}, the text Tip.Texts["x"]; {series},
	// the name of the mark; {marker}, its symbol; {#0072b2}, a square of that colour; and {away},
	// the position of the datum if it differs from the first datum shown. Text between stars is
	// bold.
	Tip []string
}

// Common returns the base of a mark.
func (b *Base) Common() *Base { return b }

// Point is a point, in the units of the axes or in pixels.
type Point [2]float64

// Line joins points, with gaps at points that are not finite.
type Line struct {
	Base
	Rows    []Row // x, y and values for the tooltip
	Color   string
	Width   float64
	Dashed  bool
	Opacity float64 // default 1
	Steps   bool    // y is constant until the next x
	Marker  Symbol  // at each point; none if zero
	Size    float64 // size of the marker
	Still   bool    // no tooltip
}

func (l *Line) series() (charts.SingleSeries, Node) {
	s := charts.SingleSeries{Type: "line", Data: listed(l.Rows), Symbol: "none",
		ShowSymbol: opts.Bool(l.Marker.Name != ""),
		LineStyle:  &opts.LineStyle{Color: l.Color, Width: float32(l.Width)},
		ItemStyle:  &opts.ItemStyle{Color: l.Color}}
	if l.Dashed {
		s.LineStyle.Type = "dashed"
	}
	if l.Opacity > 0 {
		s.LineStyle.Opacity = opts.Float(float32(l.Opacity))
	}
	if l.Steps {
		s.Step = "end"
	}
	if l.Marker.Name != "" {
		s.Symbol, s.SymbolSize, s.SymbolKeepAspect = l.Marker.Name, l.Size, opts.Bool(true)
	}
	if l.Still {
		s.Animation = opts.Bool(false)
		return s, untold()
	}
	return s, nil
}

// untold excludes a series from tooltips.
func untold() Node { return Node{"tooltip": Node{"show": false}} }

// Simplified drops points that are within tolerance of the line through the remaining points
// (Douglas and Peucker).
func Simplified(pts []Point, tolerance float64) []Point {
	if len(pts) < 3 {
		return pts
	}
	keep := make([]bool, len(pts))
	keep[0], keep[len(pts)-1] = true, true
	var split func(a, b int)
	split = func(a, b int) {
		worst, far := -1, tolerance
		dx, dy := pts[b][0]-pts[a][0], pts[b][1]-pts[a][1]
		l := math.Hypot(dx, dy)
		for i := a + 1; i < b; i++ {
			ex, ey := pts[i][0]-pts[a][0], pts[i][1]-pts[a][1]
			dist := math.Hypot(ex, ey)
			if l > 0 {
				dist = math.Abs(dx*ey-dy*ex) / l
			}
			if dist > far {
				worst, far = i, dist
			}
		}
		if worst > 0 {
			keep[worst] = true
			split(a, worst)
			split(worst, b)
		}
	}
	split(0, len(pts)-1)
	var out []Point
	for i, k := range keep {
		if k {
			out = append(out, pts[i])
		}
	}
	return out
}

// Dots are points.
type Dots struct {
	Base
	Rows    []Row    // x, y and values for the tooltip
	Colors  []string // of each point; nil if all have Color
	Color   string   // transparent is allowed
	Marker  Symbol
	Size    float64
	Sizes   []float64 // of each point; nil if all have Size
	Opacity float64   // default 1
	Rim     string    // colour of the rim; none if empty
	RimWide float64
}

func (d *Dots) series() (charts.SingleSeries, Node) {
	style := &opts.ItemStyle{Color: d.Color, Opacity: opts.Float(1), BorderColor: d.Rim,
		BorderWidth: float32(d.RimWide)}
	if d.Opacity > 0 {
		style.Opacity = opts.Float(float32(d.Opacity))
	}
	s := charts.SingleSeries{Type: "scatter", Data: listed(d.Rows), Symbol: d.Marker.Name, SymbolSize: d.Size,
		SymbolKeepAspect: opts.Bool(true),
		ItemStyle:        style}
	if d.Colors == nil && d.Sizes == nil {
		return s, nil
	}
	items := make([]Node, len(d.Rows))
	for i, r := range d.Rows {
		items[i] = Node{"value": r}
		if d.Colors != nil {
			items[i]["itemStyle"] = Node{"color": d.Colors[i]}
		}
		if d.Sizes != nil {
			items[i]["symbolSize"] = d.Sizes[i]
		}
	}
	s.Data = items
	return s, nil
}

// ClassDots adds empty Dots for each class, with rims of the given width.
func (f *Figure) ClassDots(base Base, classes []string, colors ClassPalette, size, rim float64) []*Dots {
	all := make([]*Dots, len(classes))
	for k, name := range classes {
		base.Name = name
		all[k] = &Dots{Base: base, Color: colors.Hex(k), Marker: ClassShape(k), Size: SymbolSize(k, size),
			Rim: colors.Rim(k), RimWide: rim}
		f.Add(all[k])
	}
	return all
}

// Bars are horizontal bars in the rows of a category axis.
type Bars struct {
	Base
	Rows  []Row   // index of the row, ends of the bar, and values for the tooltip
	Share float64 // share of the height of the row
	Color string
}

func (b *Bars) series() (charts.SingleSeries, Node) {
	return charts.SingleSeries{Type: "custom", Color: b.Color, ItemStyle: &opts.ItemStyle{Color: b.Color},
			Encode: &opts.Encode{X: []int{1, 2}, Y: 0}, Data: listed(b.Rows)},
		Node{"renderItem": JS(fmt.Sprintf("show.bar(%v,%s)", b.Share, Quote(b.Color)))}
}

// NewBars returns bars without rows.
func NewBars(name, color string, share float64, tip ...string) *Bars {
	return &Bars{Base: Base{Name: name, Z: 2, Tip: tip}, Share: share, Color: color}
}

// Boxes is a box plot. The boxes are upright if the names are on the x axis, and horizontal
// otherwise.
type Boxes struct {
	Base
	Rows  []Row // low, first quartile, median, third quartile, high
	Fills []string
	Rims  []string
}

// Widths of a box in CSS pixels.
const narrowestBox, widestBox = 10, 46

func (b *Boxes) series() (charts.SingleSeries, Node) {
	items := make([]Node, len(b.Rows))
	for i, r := range b.Rows {
		items[i] = Node{"value": r,
			"itemStyle": Node{"color": b.Fills[i], "borderColor": b.Rims[i], "borderWidth": 1.5}}
	}
	return charts.SingleSeries{Type: "boxplot", Data: items}, Node{"boxWidth": []int{narrowestBox, widestBox}}
}

// Cells are the cells of a heat map.
type Cells struct {
	Base
	Cells  []Cell
	Border string // colour of their edges; none if empty
}

// Cell is a cell of a heat map.
type Cell struct {
	Row   Row    // column, row, value, and values for the tooltip
	Fill  string // colour; from the scale of the figure if empty
	Label string // none if empty
	Size  int    // font size of the label
	Ink   string // colour of the label
	Least int    // smallest width of the chart at which the label is shown
	Less  int    // the same for a shorter label, if any
	Short string
}

func (c *Cells) series() (charts.SingleSeries, Node) {
	o := charts.SingleSeries{Type: "heatmap", ItemStyle: &opts.ItemStyle{}}
	if c.Border != "" {
		o.ItemStyle.BorderColor, o.ItemStyle.BorderWidth = c.Border, 1
	}
	data := make([]any, len(c.Cells))
	for i, cell := range c.Cells {
		if data[i] = cell.Row; cell.Fill == "" && cell.Label == "" {
			continue
		}
		item := Node{"value": cell.Row}
		if cell.Fill != "" {
			item["itemStyle"] = Node{"color": cell.Fill}
		}
		if cell.Label != "" {
			shorter := ""
			if cell.Short != "" {
				shorter = fmt.Sprintf(",%d,%s", cell.Less, Quote(cell.Short))
			}
			item["label"] = Node{"show": true, "fontSize": cell.Size, "color": cell.Ink,
				"formatter": JS(fmt.Sprintf("show.from(%d,%s%s)", cell.Least, Quote(cell.Label), shorter))}
		}
		data[i] = item
	}
	o.Data = data
	return o, nil
}

// Groups are bars with names over adjacent columns of a heat map.
type Groups struct {
	Base
	Groups []Group
}

// Group is one of the bars of Groups.
type Group struct {
	First, Last int // columns
	Row         int
	Name        string
	Fill, Ink   string
}

const groupText = 11 // size of the names

func (g *Groups) series() (charts.SingleSeries, Node) {
	rows, looks := make([]Row, len(g.Groups)), make([][3]string, len(g.Groups))
	for i, one := range g.Groups {
		rows[i], looks[i] = Row{float64(one.First), float64(one.Last), float64(one.Row)},
			[3]string{one.Name, one.Fill, one.Ink}
	}
	return charts.SingleSeries{Type: "custom", Encode: &opts.Encode{X: []int{0, 1}, Y: 2},
			Animation: opts.Bool(false), Data: rows},
		Node{"renderItem": JS(fmt.Sprintf("show.group(%s,%d,%s)", Quote(looks), groupText, Quote(fontFamily)))}
}

// Color returns the colour of a value, in 40 steps.
func (s *ColorScale) Color(v float64) string {
	u := math.Min(math.Max((v-s.Lo)/(s.Hi-s.Lo), 0), 1) * float64(len(s.Colors)-1)
	if n := 40 / float64(len(s.Colors)); n > 1 {
		u = math.Min((math.Floor(u*n)+.5)/n, float64(len(s.Colors)-1))
	}
	k := min(int(u), len(s.Colors)-2)
	return HexColor(Mix(ParseHex(s.Colors[k]), ParseHex(s.Colors[k+1]), u-float64(k)))
}

// ParseHex parses "#rrggbb".
func ParseHex(s string) color.RGBA {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return RGB(uint32(n))
}

// Picture is a PNG image over a range of the axes.
type Picture struct {
	Base
	PNG            []byte
	Width, Height  int // in pixels of the image
	X0, Y0, X1, Y1 float64
}

func (r *Picture) series() (charts.SingleSeries, Node) {
	return charts.SingleSeries{Type: "custom", CoordSystem: "cartesian2d", Animation: opts.Bool(false),
			Data: []Row{{0, 0}}},
		Node{"renderItem": JS(fmt.Sprintf("show.ground(%v,%v,%v,%v,%d,%d,%s)", r.X0, r.Y1, r.X1, r.Y0, r.Width,
			r.Height, Quote("data:image/png;base64,"+base64.StdEncoding.EncodeToString(r.PNG))))}
}

// Sketch is a drawing of lines, areas and texts in the units of the axes.
type Sketch struct {
	Base
	Strokes []Stroke
}

// Stroke is an element of a sketch: an area if it has a fill, a text if it has a text, and otherwise
// a line.
type Stroke struct {
	At      []Point // corners, or the position of a text
	Color   string
	Width   float64 // width of a line in CSS pixels
	Fill    string
	Opacity float64 // opacity of the fill
	Text    string
	Shift   Point  // offset of a text in CSS pixels
	Align   string // alignment of a text: left, center or right
}

// After writes a text at the given number of pixels to the right of a point.
func (s *Sketch) After(x, y, shift float64, text, color string) {
	s.Strokes = append(s.Strokes,
		Stroke{At: []Point{{x, y}}, Text: text, Color: color, Align: "left", Shift: Point{shift, 0}})
}

func (s *Sketch) series() (charts.SingleSeries, Node) {
	parts := make([]map[string]any, len(s.Strokes))
	for i, t := range s.Strokes {
		at := make([]Row, len(t.At))
		for k, q := range t.At {
			at[k] = RoundedAll([]float64{q[0], q[1]}, 6)
		}
		parts[i] = map[string]any{"p": at}
		switch {
		case t.Text != "":
			parts[i]["s"] = map[string]any{"text": t.Text, "fill": t.Color, "align": t.Align,
				"verticalAlign": "middle", "fontSize": 12, "fontFamily": fontFamily}
			parts[i]["d"] = Row{t.Shift[0], t.Shift[1]}
		case t.Fill != "":
			parts[i]["s"] = map[string]any{"fill": t.Fill, "opacity": t.Opacity}
		default:
			parts[i]["s"] = map[string]any{"fill": "none", "stroke": t.Color, "lineWidth": t.Width}
		}
	}
	more := untold()
	more["renderItem"] = JS(fmt.Sprintf("show.strokes(%s)", Quote(parts)))
	return charts.SingleSeries{Type: "custom", Animation: opts.Bool(false), Data: []Row{{0, 0}}}, more
}

// rules are vertical lines, with their names along them.
type rules struct {
	Base
	At     []Rule
	color  string
	dashed bool
}

// Rule is a vertical line at x.
type Rule struct {
	X    float64
	Name string
}

// Ruled returns dashed rules, whose names are truncated to the height in CSS pixels.
func Ruled(all []Rule, height float64) *rules {
	r := &rules{Base: Base{Z: 5}, color: FaintInk, dashed: true}
	for _, m := range all {
		if !math.IsNaN(m.X) && !math.IsInf(m.X, 0) {
			r.At = append(r.At, Rule{m.X, Shortened(Plain(m.Name), 12, height-12)})
		}
	}
	return r
}

// Baseline returns a rule where bars begin.
func Baseline(x float64) *rules { return &rules{Base: Base{Z: 2}, At: []Rule{{X: x}}, color: AxisInk} }

func (r *rules) series() (charts.SingleSeries, Node) {
	kind := "solid"
	if r.dashed {
		kind = "dashed"
	}
	data := make([]any, len(r.At))
	for i, m := range r.At {
		data[i] = Node{"xAxis": m.X,
			"label": Node{"show": m.Name != "", "formatter": JS("show.from(0," + Quote(m.Name) + ")")}}
	}
	return charts.SingleSeries{Type: "line", Data: []Row{}}, Node{"markLine": Node{"symbol": "none",
		"silent": true, "animation": false, "z": r.Z, "data": data,
		"lineStyle": Node{"color": r.color, "type": kind, "width": 1},
		"label":     Node{"position": "insideEndTop", "color": FaintInk, "fontSize": 12}}}
}
