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
	// series is the mark for ECharts, without what all marks have, and what go-echarts has no fields for.
	series() (charts.SingleSeries, Node)
}

// Base is what all marks have.
type Base struct {
	Name   string // in legend and tooltip
	Panel  int
	Z      int  // marks of a higher z lie above
	Clip   bool // cut at the edges of the panel
	Silent bool // does not answer the pointer
	// tip has the lines of the tooltip at a datum of the mark, nil for none. {2} is number 2 of the
	// datum, {0 in names} the text of Tip.Texts["names"] that number 0 counts to, {# in names} that of
	// the datum itself, {x} the text Tip.Texts["x"], {series} the name of the mark, {marker} its symbol,
	// {#0072b2} a square of that colour, and {away} the position of the datum, if it is not where the
	// first one is. What stands between stars is bold.
	Tip []string
}

// Common returns the base of a mark.
func (b *Base) Common() *Base { return b }

// Point is a place, in the units of the axes or in pixels.
type Point [2]float64

// Line joins points, up to those that are not finite.
type Line struct {
	Base
	Rows    []Row // x, y and what the tooltip shows
	Color   string
	Width   float64
	Dashed  bool
	Opacity float64 // 0 means 1
	Steps   bool    // y stays until the next x
	Marker  Symbol  // at each point; the zero symbol is none
	Size    float64 // of the marker
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

// untold keeps a series out of tooltips.
func untold() Node { return Node{"tooltip": Node{"show": false}} }

// Simplified drops points that are within tolerance of the line through those
// kept (Douglas and Peucker).
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
	Rows    []Row    // x, y and what the tooltip shows
	Colors  []string // of each point; nil means that all have color
	Color   string   // transparent is allowed
	Marker  Symbol
	Size    float64
	Sizes   []float64 // of each point; nil means that all have size
	Opacity float64   // 0 means 1
	Rim     string    // colour of the rim; empty means none
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

// ClassDots adds points of each class, without places, with rims of that width.
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

// Bars are bars that lie in the rows of a category axis.
type Bars struct {
	Base
	Rows  []Row   // number of the row, where the bar begins and ends, and what the tooltip shows
	Share float64 // of the height of the row
	Color string
}

func (b *Bars) series() (charts.SingleSeries, Node) {
	return charts.SingleSeries{Type: "custom", Color: b.Color, ItemStyle: &opts.ItemStyle{Color: b.Color},
			Encode: &opts.Encode{X: []int{1, 2}, Y: 0}, Data: listed(b.Rows)},
		Node{"renderItem": JS(fmt.Sprintf("show.bar(%v,%s)", b.Share, Quote(b.Color)))}
}

// NewBars makes bars without rows.
func NewBars(name, color string, share float64, tip ...string) *Bars {
	return &Bars{Base: Base{Name: name, Z: 2, Tip: tip}, Share: share, Color: color}
}

// Boxes is a box plot. The boxes stand if the x axis has the names, and lie otherwise.
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
	return charts.SingleSeries{Type: "boxplot", Data: items},
		Node{"boxWidth": []int{narrowestBox, widestBox}}
}

// Cells are the cells of a heat map.
type Cells struct {
	Base
	Cells  []Cell
	Border string // colour of their edges; empty means none
}

// Cell is a cell of a heat map.
type Cell struct {
	Row   Row    // numbers of column and row, value, and what the tooltip shows
	Fill  string // empty means the colour of the figure's scale
	Label string // empty means none
	Size  int    // of the label
	Ink   string // of the label
	Least int    // width of the chart from which on the label is shown
	Less  int    // and the shorter one, if there is one
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

// Groups are bars with names over neighbouring columns of a heat map.
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

// Color is the colour of a value, in 40 steps.
func (s *ColorScale) Color(v float64) string {
	u := math.Min(math.Max((v-s.Lo)/(s.Hi-s.Lo), 0), 1) * float64(len(s.Colors)-1)
	if n := 40 / float64(len(s.Colors)); n > 1 {
		u = math.Min((math.Floor(u*n)+.5)/n, float64(len(s.Colors)-1))
	}
	k := min(int(u), len(s.Colors)-2)
	return HexColor(Mix(ParseHex(s.Colors[k]), ParseHex(s.Colors[k+1]), u-float64(k)))
}

// ParseHex reads "#rrggbb".
func ParseHex(s string) color.RGBA {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return RGB(uint32(n))
}

// Picture is a PNG over a range of the axes.
type Picture struct {
	Base
	PNG            []byte
	Width, Height  int // in its own pixels
	X0, Y0, X1, Y1 float64
}

func (r *Picture) series() (charts.SingleSeries, Node) {
	return charts.SingleSeries{Type: "custom", CoordSystem: "cartesian2d", Animation: opts.Bool(false),
			Data: []Row{{0, 0}}},
		Node{"renderItem": JS(fmt.Sprintf("show.ground(%v,%v,%v,%v,%d,%d,%s)", r.X0, r.Y1, r.X1, r.Y0, r.Width,
			r.Height, Quote("data:image/png;base64,"+base64.StdEncoding.EncodeToString(r.PNG))))}
}

// Sketch is a drawing of lines, areas and texts at places in the units of the axes.
type Sketch struct {
	Base
	Strokes []Stroke
}

// Stroke is a part of a sketch: an area if it has a fill, a text if it has one,
// and else a line.
type Stroke struct {
	At      []Point // corners; of a text its place
	Color   string
	Width   float64 // of a line in CSS pixels
	Fill    string
	Opacity float64 // of the fill
	Text    string
	Shift   Point  // of a text in CSS pixels
	Align   string // of a text: left, center or right
}

// After writes a text so many pixels to the right of a place.
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

// rules are upright lines, with their names along them.
type rules struct {
	Base
	At     []Rule
	color  string
	dashed bool
}

// Rule is an upright line at x.
type Rule struct {
	X    float64
	Name string
}

// Ruled are dashed rules, whose names are cut to the height in CSS pixels.
func Ruled(all []Rule, height float64) *rules {
	r := &rules{Base: Base{Z: 5}, color: FaintInk, dashed: true}
	for _, m := range all {
		if !math.IsNaN(m.X) && !math.IsInf(m.X, 0) {
			r.At = append(r.At, Rule{m.X, Shortened(Plain(m.Name), 12, height-12)})
		}
	}
	return r
}

// Baseline is a rule where bars begin.
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
