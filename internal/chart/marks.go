package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/opts"
)

// Mark is something that a figure shows in a panel: a line, points, bars, ...
type Mark interface {
	Common() *Base
	// series is the mark for ECharts; what common has is added. still says whether
	// pictures are in it.
	series(still int) seriesOption
	// draw draws the mark in the still picture.
	draw(p *Painter, f *Figure, x, y *scale)
	// key draws the symbol of the legend into the box at x, y (its middle), w×h.
	key(p *Painter, x, y, w, h float64)
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
	// {#0072b2} a square of that colour, and {away} says where the datum is, if it is not where the
	// first one is. What stands between stars is bold.
	Tip []string
}

// Common returns the base of a mark.
func (b *Base) Common() *Base                                  { return b }
func (*Base) key(*Painter, float64, float64, float64, float64) {}

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

func (l *Line) series(int) seriesOption {
	s := series{Type: "line", Symbol: "none", ShowSymbol: opts.Bool(l.Marker.Name != ""),
		LineStyle: &opts.LineStyle{Color: l.Color, Width: float32(l.Width)},
		ItemStyle: &opts.ItemStyle{Color: l.Color}}
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
	o := seriesOption{series: s, Data: listed(l.Rows)}
	if l.Still {
		o.Animation, o.Tooltip = opts.Bool(false), &showOption{false}
	}
	return o
}

func (l *Line) draw(p *Painter, _ *Figure, x, y *scale) {
	var d path
	var run []Point
	flush := func() {
		if l.Steps {
			run = stepped(run)
		}
		d.polyline(Simplified(run, .4))
		run = nil
	}
	places := places(l.Rows, x, y)
	for _, q := range places {
		if math.IsNaN(q[0]) {
			flush()
		} else {
			run = append(run, q)
		}
	}
	flush()
	if d.String() == "" {
		return
	}
	fmt.Fprintf(p, `<path d="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"%s%s/>`,
		d.String(), clean(l.Color), XY(l.Width), dashes[l.Dashed], opacity(l.Opacity))
	if l.Marker.Name != "" {
		p.symbols(present(places), l.Marker, l.Size, fmt.Sprintf(`fill="%s"`, clean(l.Color)))
	}
}

func (l *Line) key(p *Painter, x, y, w, _ float64) {
	fmt.Fprintf(p, `<path d="M%s %sh%s" stroke="%s" stroke-width="%s"%s/>`, XY(x), XY(y), XY(w),
		clean(l.Color), XY(l.Width), dashes[l.Dashed])
	if l.Marker.Name != "" {
		p.symbols([]Point{{x + w/2, y}}, l.Marker, 9, fmt.Sprintf(`fill="%s"`, clean(l.Color)))
	}
}

// places are the pixels of rows; those that have none are NaN.
func places(rows []Row, x, y *scale) []Point {
	out := make([]Point, len(rows))
	for i, r := range rows {
		out[i] = Point{x.pos(r[0]), y.pos(r[1])}
		if s := out[i][0] + out[i][1]; math.IsNaN(s) || math.IsInf(s, 0) {
			out[i] = Point{math.NaN(), math.NaN()}
		}
	}
	return out
}

// present leaves out the places that are NaN.
func present(places []Point) []Point {
	return slices.DeleteFunc(slices.Clone(places), func(q Point) bool { return math.IsNaN(q[0]) })
}

var dashes = map[bool]string{true: ` stroke-dasharray="5 4"`}

func opacity(v float64) string {
	if v > 0 && v < 1 {
		return fmt.Sprintf(` opacity="%.2g"`, v)
	}
	return ""
}

// stepped inserts the corners of a line that keeps its value until the next point.
func stepped(pts []Point) []Point {
	var out []Point
	for i, q := range pts {
		if i > 0 {
			out = append(out, Point{q[0], pts[i-1][1]})
		}
		out = append(out, q)
	}
	return out
}

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

func (d *Dots) series(int) seriesOption {
	style := &opts.ItemStyle{Color: d.Color, Opacity: opts.Float(1), BorderColor: d.Rim,
		BorderWidth: float32(d.RimWide)}
	if d.Opacity > 0 {
		style.Opacity = opts.Float(float32(d.Opacity))
	}
	s := series{Type: "scatter", Symbol: d.Marker.Name, SymbolSize: d.Size, SymbolKeepAspect: opts.Bool(true),
		ItemStyle: style}
	if d.Colors == nil && d.Sizes == nil {
		return seriesOption{series: s, Data: listed(d.Rows)}
	}
	items := make([]itemOption, len(d.Rows))
	for i, r := range d.Rows {
		items[i] = itemOption{Value: r}
		if d.Colors != nil {
			items[i].ItemStyle = &opts.ItemStyle{Color: d.Colors[i]}
		}
		if d.Sizes != nil {
			items[i].SymbolSize = d.Sizes[i]
		}
	}
	return seriesOption{series: s, Data: items}
}

func (d *Dots) draw(p *Painter, _ *Figure, x, y *scale) {
	var run []Point
	now, size := d.Color, d.Size
	for i, q := range places(d.Rows, x, y) {
		color, wide := now, size
		if d.Colors != nil {
			color = d.Colors[i]
		}
		if d.Sizes != nil {
			wide = d.Sizes[i]
		}
		if color != now || wide != size {
			p.symbols(run, d.Marker, size, d.paint(now))
			run, now, size = nil, color, wide
		}
		run = append(run, present([]Point{q})...)
	}
	p.symbols(run, d.Marker, size, d.paint(now))
}

func (d *Dots) key(p *Painter, x, y, w, h float64) {
	p.symbols([]Point{{x + w/2, y}}, d.Marker, min(w, h, d.Size), d.paint(d.Color))
}

// paint is how symbols are filled and rimmed.
func (d *Dots) paint(color string) string {
	if color == "transparent" {
		color = "none"
	}
	s := fmt.Sprintf(`fill="%s"%s`, clean(color), opacity(d.Opacity))
	if d.RimWide > 0 {
		s += fmt.Sprintf(` stroke="%s" stroke-width="%s"`, clean(d.Rim), XY(d.RimWide))
	}
	return s
}

// Bars are bars that lie in the rows of a category axis.
type Bars struct {
	Base
	Rows  []Row   // number of the row, where the bar begins and ends, and what the tooltip shows
	Share float64 // of the height of the row
	Color string
}

func (b *Bars) series(int) seriesOption {
	return seriesOption{
		series: series{Type: "custom", Color: b.Color, ItemStyle: &opts.ItemStyle{Color: b.Color},
			Encode: &opts.Encode{X: []int{1, 2}, Y: 0}},
		RenderItem: JS(fmt.Sprintf("show.bar(%v,%s)", b.Share, Quote(b.Color))), Data: listed(b.Rows)}
}

func (b *Bars) draw(p *Painter, _ *Figure, x, y *scale) {
	h := y.band() * b.Share
	for _, r := range b.Rows {
		row, from, to := y.pos(r[0]), x.pos(r[1]), x.pos(r[2])
		if !math.IsNaN(row+from+to) && from != to {
			p.Rect(math.Min(from, to), row-h/2, math.Max(math.Abs(to-from), 1), h, b.Color,
				` stroke="#fff" stroke-width=".7"`)
		}
	}
}

func (b *Bars) key(p *Painter, x, y, w, h float64) { p.Rect(x, y-h/2, w, h, b.Color, "") }

// Boxes is a box plot; which axis has the names says whether the boxes stand or lie.
type Boxes struct {
	Base
	Rows  []Row // low, first quartile, median, third quartile, high
	Fills []string
	Rims  []string
}

// Widths of a box in CSS pixels.
const narrowestBox, widestBox = 10, 46

func (b *Boxes) series(int) seriesOption {
	items := make([]itemOption, len(b.Rows))
	for i, r := range b.Rows {
		items[i] = itemOption{Value: r,
			ItemStyle: &opts.ItemStyle{Color: b.Fills[i], BorderColor: b.Rims[i], BorderWidth: 1.5}}
	}
	return seriesOption{series: series{Type: "boxplot"}, BoxWidth: []int{narrowestBox, widestBox},
		Data: items}
}

func (b *Boxes) draw(p *Painter, _ *Figure, x, y *scale) {
	category, value := x, y
	lies := y.Kind == "category"
	if lies {
		category, value = y, x
	}
	half := math.Max(narrowestBox, math.Min(category.band()*.8, widestBox)) / 2
	for i, r := range b.Rows {
		var v [5]float64
		sum := 0.0
		for k := range v {
			v[k] = value.pos(r[k])
			sum += v[k]
		}
		if math.IsNaN(sum) {
			continue
		}
		c := category.pos(float64(i))
		at := func(along, across float64) string { // a place on the box
			if lies {
				return XY(along) + " " + XY(across)
			}
			return XY(across) + " " + XY(along)
		}
		stroke := func(a, b, half float64) string { return "M" + at(a, c-half) + "L" + at(b, c+half) }
		fmt.Fprintf(p, `<path d="M%sL%sL%sL%sz%s%s%s%s%s" fill="%s" stroke="%s" stroke-width="1.5"/>`,
			at(v[1], c-half), at(v[3], c-half), at(v[3], c+half), at(v[1], c+half),
			stroke(v[2], v[2], half), stroke(v[0], v[1], 0), stroke(v[3], v[4], 0), stroke(v[0], v[0], half),
			stroke(v[4], v[4], half),
			clean(b.Fills[i]), clean(b.Rims[i]))
	}
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

func (c *Cells) series(int) seriesOption {
	o := seriesOption{series: series{Type: "heatmap", ItemStyle: &opts.ItemStyle{}}}
	if c.Border != "" {
		o.ItemStyle.BorderColor, o.ItemStyle.BorderWidth = c.Border, 1
	}
	data := make([]any, len(c.Cells))
	for i, cell := range c.Cells {
		if data[i] = cell.Row; cell.Fill == "" && cell.Label == "" {
			continue
		}
		item := itemOption{Value: cell.Row}
		if cell.Fill != "" {
			item.ItemStyle = &opts.ItemStyle{Color: cell.Fill}
		}
		if cell.Label != "" {
			shorter := ""
			if cell.Short != "" {
				shorter = fmt.Sprintf(",%d,%s", cell.Less, Quote(cell.Short))
			}
			item.Label = &labelOption{true, cell.Size, cell.Ink,
				JS(fmt.Sprintf("show.from(%d,%s%s)", cell.Least, Quote(cell.Label), shorter))}
		}
		data[i] = item
	}
	o.Data = data
	return o
}

func (c *Cells) draw(p *Painter, f *Figure, x, y *scale) {
	w, h := x.band(), y.band()
	border := ""
	if c.Border != "" {
		border = fmt.Sprintf(` stroke="%s" stroke-width="1"`, clean(c.Border))
	}
	fmt.Fprintf(p, "<g%s>", border)
	paths := map[string]*strings.Builder{} // a path for each colour: cells are many
	var fills []string
	for _, cell := range c.Cells {
		fill := cell.Fill
		if fill == "" {
			fill = f.Scale.Color(cell.Row[2])
		}
		if paths[fill] == nil {
			paths[fill] = new(strings.Builder)
			fills = append(fills, fill)
		}
		fmt.Fprintf(paths[fill], "M%s %sh%sv%sh-%[3]sz", XY(x.pos(cell.Row[0])-w/2),
			XY(y.pos(cell.Row[1])-h/2), XY(w), XY(h))
	}
	for _, fill := range fills {
		fmt.Fprintf(p, `<path fill="%s" d="%s"/>`, clean(fill), paths[fill])
	}
	p.WriteString("</g>")
	for _, cell := range c.Cells {
		if p.w < float64(cell.Least) {
			continue
		}
		p.Text(x.pos(cell.Row[0]), y.pos(cell.Row[1])+4, cell.Label,
			TextStyle{Size: float64(cell.Size), Color: cell.Ink, Anchor: "middle"})
	}
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

func (g *Groups) series(int) seriesOption {
	rows, looks := make([]Row, len(g.Groups)), make([][3]string, len(g.Groups))
	for i, one := range g.Groups {
		rows[i], looks[i] = Row{float64(one.First), float64(one.Last), float64(one.Row)},
			[3]string{one.Name, one.Fill, one.Ink}
	}
	return seriesOption{
		series: series{Type: "custom", Encode: &opts.Encode{X: []int{0, 1}, Y: 2},
			Animation: opts.Bool(false)},
		RenderItem: JS(fmt.Sprintf("show.group(%s,%d,%s)", Quote(looks), groupText, Quote(fontFamily))),
		Data:       rows}
}

func (g *Groups) draw(p *Painter, _ *Figure, x, y *scale) {
	h := y.band()
	for _, one := range g.Groups {
		left, right := x.pos(float64(one.First))-x.band()/2, x.pos(float64(one.Last))+x.band()/2
		at := y.pos(float64(one.Row))
		p.Rect(left, at-h/2, right-left, h, one.Fill, ` stroke="#fff"`)
		if name := Shortened(one.Name, groupText, right-left-4); name == one.Name || len([]rune(name)) > 3 {
			p.Text((left+right)/2, at+4, name, TextStyle{Size: groupText, Color: one.Ink, Anchor: "middle"})
		}
	}
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

func (r *Picture) series(still int) seriesOption {
	from := strconv.Itoa(still)
	if still == ownPictures {
		from = Quote(pngURL(r.PNG))
	}
	return seriesOption{
		series: series{Type: "custom", CoordSystem: "cartesian2d", Animation: opts.Bool(false)},
		RenderItem: JS(fmt.Sprintf("show.ground(%v,%v,%v,%v,%d,%d,%s)", r.X0, r.Y1, r.X1, r.Y0, r.Width,
			r.Height, from)), Data: []Row{{0, 0}}}
}

func (r *Picture) draw(p *Painter, _ *Figure, x, y *scale) {
	x0, y0 := x.pos(r.X0), y.pos(r.Y1)
	fmt.Fprintf(p, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="%s"/>`,
		XY(x0), XY(y0), XY(x.pos(r.X1)-x0), XY(y.pos(r.Y0)-y0), pngURL(r.PNG))
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

func (s *Sketch) series(int) seriesOption {
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
	return seriesOption{
		series: series{Type: "custom", Animation: opts.Bool(false)}, Tooltip: &showOption{false},
		RenderItem: JS(fmt.Sprintf("show.strokes(%s)", Quote(parts))), Data: []Row{{0, 0}}}
}

func (s *Sketch) draw(p *Painter, _ *Figure, x, y *scale) {
	for _, t := range s.Strokes {
		var d strings.Builder
		for i, q := range t.At {
			fmt.Fprintf(&d, "%s%s %s", []string{"M", "L"}[min(i, 1)], XY(x.pos(q[0])), XY(y.pos(q[1])))
		}
		switch {
		case t.Text != "":
			p.Text(x.pos(t.At[0][0])+t.Shift[0], y.pos(t.At[0][1])+t.Shift[1]+12*.36, t.Text,
				TextStyle{Color: t.Color,
					Anchor: map[string]string{"center": "middle", "right": "end"}[t.Align]})
		case t.Fill != "":
			fmt.Fprintf(p, `<path d="%sz" fill="%s" opacity="%.2g"/>`, d.String(), clean(t.Fill), t.Opacity)
		default:
			fmt.Fprintf(p, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"/>`, d.String(),
				clean(t.Color), XY(t.Width))
		}
	}
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

type rulesOption struct {
	Symbol    string         `json:"symbol"`
	Silent    bool           `json:"silent"`
	Animation bool           `json:"animation"`
	Z         int            `json:"z"`
	Data      []ruleOption   `json:"data"`
	LineStyle opts.LineStyle `json:"lineStyle"`
	Label     opts.Label     `json:"label"`
}

type ruleOption struct {
	XAxis float64     `json:"xAxis"`
	Label labelOption `json:"label"`
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

func (r *rules) series(int) seriesOption {
	o := &rulesOption{Symbol: "none", Silent: true, Z: r.Z,
		LineStyle: opts.LineStyle{Color: r.color, Type: "solid", Width: 1},
		Label:     opts.Label{Position: "insideEndTop", Color: FaintInk, FontSize: 12}}
	if r.dashed {
		o.LineStyle.Type = "dashed"
	}
	for _, m := range r.At {
		o.Data = append(o.Data, ruleOption{m.X,
			labelOption{Show: m.Name != "", Formatter: JS("show.from(0," + Quote(m.Name) + ")")}})
	}
	return seriesOption{series: series{Type: "line"}, MarkLine: o, Data: []Row{}}
}

func (r *rules) draw(p *Painter, _ *Figure, x, y *scale) {
	for _, m := range r.At {
		v := x.pos(m.X)
		if math.IsNaN(v) || v < math.Min(x.from, x.to)-.5 || v > math.Max(x.from, x.to)+.5 {
			continue
		}
		fmt.Fprintf(p, `<path d="M%s %sV%s" stroke="%s"%s/>`, XY(v), XY(y.from), XY(y.to), clean(r.color),
			dashes[r.dashed])
		p.Text(v-5, y.to+5, m.Name, TextStyle{Color: FaintInk, Anchor: "end", rotate: -90})
	}
}
