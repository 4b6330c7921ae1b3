package nbhelpers

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/opts"
)

// mark is something that a figure shows in a panel: a line, points, bars, ...
type mark interface {
	common() *base
	// series is the mark for ECharts; what common has is added. still says whether
	// pictures are in it.
	series(still int) seriesOption
	// draw draws the mark in the still picture.
	draw(p *painter, f *figure, x, y *scale)
	// key draws the symbol of the legend into the box at x, y (its middle), w×h.
	key(p *painter, x, y, w, h float64)
}

// base is what all marks have.
type base struct {
	name   string // in legend and tooltip
	panel  int
	z      int  // marks of a higher z lie above
	clip   bool // cut at the edges of the panel
	silent bool // does not answer the pointer
	// tip has the lines of the tooltip at a datum of the mark, nil for none. {2} is number 2 of the
	// datum, {0 in names} the text of tip.texts["names"] that number 0 counts to, {# in names} that of
	// the datum itself, {x} the text tip.texts["x"], {series} the name of the mark, {marker} its symbol,
	// {#0072b2} a square of that colour, and {away} says where the datum is, if it is not where the
	// first one is. What stands between stars is bold.
	tip []string
}

func (b *base) common() *base                                  { return b }
func (*base) key(*painter, float64, float64, float64, float64) {}

// point is a place, in the units of the axes or in pixels.
type point [2]float64

// line joins points, up to those that are not finite.
type line struct {
	base
	rows    []row // x, y and what the tooltip shows
	color   string
	width   float64
	dashed  bool
	opacity float64 // 0 means 1
	steps   bool    // y stays until the next x
	marker  symbol  // at each point; the zero symbol is none
	size    float64 // of the marker
	still   bool    // no tooltip
}

func (l *line) series(int) seriesOption {
	s := series{Type: "line", Symbol: "none", ShowSymbol: opts.Bool(l.marker.name != ""),
		LineStyle: &opts.LineStyle{Color: l.color, Width: float32(l.width)}, ItemStyle: &opts.ItemStyle{Color: l.color}}
	if l.dashed {
		s.LineStyle.Type = "dashed"
	}
	if l.opacity > 0 {
		s.LineStyle.Opacity = opts.Float(float32(l.opacity))
	}
	if l.steps {
		s.Step = "end"
	}
	if l.marker.name != "" {
		s.Symbol, s.SymbolSize, s.SymbolKeepAspect = l.marker.name, l.size, opts.Bool(true)
	}
	o := seriesOption{series: s, Data: listed(l.rows)}
	if l.still {
		o.Animation, o.Tooltip = opts.Bool(false), &showOption{false}
	}
	return o
}

func (l *line) draw(p *painter, _ *figure, x, y *scale) {
	var d path
	var run []point
	flush := func() {
		if l.steps {
			run = stepped(run)
		}
		d.polyline(simplified(run, .4))
		run = nil
	}
	places := places(l.rows, x, y)
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
	fmt.Fprintf(p, `<path d="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"%s%s/>`, d.String(), clean(l.color), xy(l.width), dashes[l.dashed], opacity(l.opacity))
	if l.marker.name != "" {
		p.symbols(present(places), l.marker, l.size, fmt.Sprintf(`fill="%s"`, clean(l.color)))
	}
}

func (l *line) key(p *painter, x, y, w, _ float64) {
	fmt.Fprintf(p, `<path d="M%s %sh%s" stroke="%s" stroke-width="%s"%s/>`, xy(x), xy(y), xy(w), clean(l.color), xy(l.width), dashes[l.dashed])
	if l.marker.name != "" {
		p.symbols([]point{{x + w/2, y}}, l.marker, 9, fmt.Sprintf(`fill="%s"`, clean(l.color)))
	}
}

// places are the pixels of rows; those that have none are NaN.
func places(rows []row, x, y *scale) []point {
	out := make([]point, len(rows))
	for i, r := range rows {
		out[i] = point{x.pos(r[0]), y.pos(r[1])}
		if s := out[i][0] + out[i][1]; math.IsNaN(s) || math.IsInf(s, 0) {
			out[i] = point{math.NaN(), math.NaN()}
		}
	}
	return out
}

// present leaves out the places that are NaN.
func present(places []point) []point {
	return slices.DeleteFunc(slices.Clone(places), func(q point) bool { return math.IsNaN(q[0]) })
}

var dashes = map[bool]string{true: ` stroke-dasharray="5 4"`}

func opacity(v float64) string {
	if v > 0 && v < 1 {
		return fmt.Sprintf(` opacity="%.2g"`, v)
	}
	return ""
}

// stepped inserts the corners of a line that keeps its value until the next point.
func stepped(pts []point) []point {
	var out []point
	for i, q := range pts {
		if i > 0 {
			out = append(out, point{q[0], pts[i-1][1]})
		}
		out = append(out, q)
	}
	return out
}

// simplified drops points that are within tolerance of the line through those
// kept (Douglas and Peucker).
func simplified(pts []point, tolerance float64) []point {
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
	var out []point
	for i, k := range keep {
		if k {
			out = append(out, pts[i])
		}
	}
	return out
}

// dots are points.
type dots struct {
	base
	rows    []row    // x, y and what the tooltip shows
	colors  []string // of each point; nil means that all have color
	color   string   // transparent is allowed
	marker  symbol
	size    float64
	sizes   []float64 // of each point; nil means that all have size
	opacity float64   // 0 means 1
	rim     string    // colour of the rim; empty means none
	rimWide float64
}

func (d *dots) series(int) seriesOption {
	style := &opts.ItemStyle{Color: d.color, Opacity: opts.Float(1), BorderColor: d.rim, BorderWidth: float32(d.rimWide)}
	if d.opacity > 0 {
		style.Opacity = opts.Float(float32(d.opacity))
	}
	s := series{Type: "scatter", Symbol: d.marker.name, SymbolSize: d.size, SymbolKeepAspect: opts.Bool(true), ItemStyle: style}
	if d.colors == nil && d.sizes == nil {
		return seriesOption{series: s, Data: listed(d.rows)}
	}
	items := make([]itemOption, len(d.rows))
	for i, r := range d.rows {
		items[i] = itemOption{Value: r}
		if d.colors != nil {
			items[i].ItemStyle = &opts.ItemStyle{Color: d.colors[i]}
		}
		if d.sizes != nil {
			items[i].SymbolSize = d.sizes[i]
		}
	}
	return seriesOption{series: s, Data: items}
}

func (d *dots) draw(p *painter, _ *figure, x, y *scale) {
	var run []point
	now, size := d.color, d.size
	for i, q := range places(d.rows, x, y) {
		color, wide := now, size
		if d.colors != nil {
			color = d.colors[i]
		}
		if d.sizes != nil {
			wide = d.sizes[i]
		}
		if color != now || wide != size {
			p.symbols(run, d.marker, size, d.paint(now))
			run, now, size = nil, color, wide
		}
		run = append(run, present([]point{q})...)
	}
	p.symbols(run, d.marker, size, d.paint(now))
}

func (d *dots) key(p *painter, x, y, w, h float64) {
	p.symbols([]point{{x + w/2, y}}, d.marker, min(w, h, d.size), d.paint(d.color))
}

// paint is how symbols are filled and rimmed.
func (d *dots) paint(color string) string {
	if color == "transparent" {
		color = "none"
	}
	s := fmt.Sprintf(`fill="%s"%s`, clean(color), opacity(d.opacity))
	if d.rimWide > 0 {
		s += fmt.Sprintf(` stroke="%s" stroke-width="%s"`, clean(d.rim), xy(d.rimWide))
	}
	return s
}

// bars are bars that lie in the rows of a category axis.
type bars struct {
	base
	rows  []row   // number of the row, where the bar begins and ends, and what the tooltip shows
	share float64 // of the height of the row
	color string
}

func (b *bars) series(int) seriesOption {
	return seriesOption{
		series:     series{Type: "custom", Color: b.color, ItemStyle: &opts.ItemStyle{Color: b.color}, Encode: &opts.Encode{X: []int{1, 2}, Y: 0}},
		RenderItem: js(fmt.Sprintf("show.bar(%v,%s)", b.share, quote(b.color))), Data: listed(b.rows)}
}

func (b *bars) draw(p *painter, _ *figure, x, y *scale) {
	h := y.band() * b.share
	for _, r := range b.rows {
		row, from, to := y.pos(r[0]), x.pos(r[1]), x.pos(r[2])
		if !math.IsNaN(row+from+to) && from != to {
			p.rect(math.Min(from, to), row-h/2, math.Max(math.Abs(to-from), 1), h, b.color, ` stroke="#fff" stroke-width=".7"`)
		}
	}
}

func (b *bars) key(p *painter, x, y, w, h float64) { p.rect(x, y-h/2, w, h, b.color, "") }

// boxes is a box plot; which axis has the names says whether the boxes stand or lie.
type boxes struct {
	base
	rows  []row // low, first quartile, median, third quartile, high
	fills []string
	rims  []string
}

// Widths of a box in CSS pixels.
const narrowestBox, widestBox = 10, 46

func (b *boxes) series(int) seriesOption {
	items := make([]itemOption, len(b.rows))
	for i, r := range b.rows {
		items[i] = itemOption{Value: r, ItemStyle: &opts.ItemStyle{Color: b.fills[i], BorderColor: b.rims[i], BorderWidth: 1.5}}
	}
	return seriesOption{series: series{Type: "boxplot"}, BoxWidth: []int{narrowestBox, widestBox}, Data: items}
}

func (b *boxes) draw(p *painter, _ *figure, x, y *scale) {
	category, value := x, y
	lies := y.kind == "category"
	if lies {
		category, value = y, x
	}
	half := math.Max(narrowestBox, math.Min(category.band()*.8, widestBox)) / 2
	for i, r := range b.rows {
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
				return xy(along) + " " + xy(across)
			}
			return xy(across) + " " + xy(along)
		}
		stroke := func(a, b, half float64) string { return "M" + at(a, c-half) + "L" + at(b, c+half) }
		fmt.Fprintf(p, `<path d="M%sL%sL%sL%sz%s%s%s%s%s" fill="%s" stroke="%s" stroke-width="1.5"/>`,
			at(v[1], c-half), at(v[3], c-half), at(v[3], c+half), at(v[1], c+half),
			stroke(v[2], v[2], half), stroke(v[0], v[1], 0), stroke(v[3], v[4], 0), stroke(v[0], v[0], half), stroke(v[4], v[4], half),
			clean(b.fills[i]), clean(b.rims[i]))
	}
}

// cells are the cells of a heat map.
type cells struct {
	base
	cells  []cell
	border string // colour of their edges; empty means none
}

// cell is a cell of a heat map.
type cell struct {
	row   row    // numbers of column and row, value, and what the tooltip shows
	fill  string // empty means the colour of the figure's scale
	label string // empty means none
	size  int    // of the label
	ink   string // of the label
	least int    // width of the chart from which on the label is shown
	less  int    // and the shorter one, if there is one
	short string
}

func (c *cells) series(int) seriesOption {
	o := seriesOption{series: series{Type: "heatmap", ItemStyle: &opts.ItemStyle{}}}
	if c.border != "" {
		o.ItemStyle.BorderColor, o.ItemStyle.BorderWidth = c.border, 1
	}
	data := make([]any, len(c.cells))
	for i, cell := range c.cells {
		if data[i] = cell.row; cell.fill == "" && cell.label == "" {
			continue
		}
		item := itemOption{Value: cell.row}
		if cell.fill != "" {
			item.ItemStyle = &opts.ItemStyle{Color: cell.fill}
		}
		if cell.label != "" {
			shorter := ""
			if cell.short != "" {
				shorter = fmt.Sprintf(",%d,%s", cell.less, quote(cell.short))
			}
			item.Label = &labelOption{true, cell.size, cell.ink, js(fmt.Sprintf("show.from(%d,%s%s)", cell.least, quote(cell.label), shorter))}
		}
		data[i] = item
	}
	o.Data = data
	return o
}

func (c *cells) draw(p *painter, f *figure, x, y *scale) {
	w, h := x.band(), y.band()
	border := ""
	if c.border != "" {
		border = fmt.Sprintf(` stroke="%s" stroke-width="1"`, clean(c.border))
	}
	fmt.Fprintf(p, "<g%s>", border)
	paths := map[string]*strings.Builder{} // a path for each colour: cells are many
	var fills []string
	for _, cell := range c.cells {
		fill := cell.fill
		if fill == "" {
			fill = f.scale.color(cell.row[2])
		}
		if paths[fill] == nil {
			paths[fill] = new(strings.Builder)
			fills = append(fills, fill)
		}
		fmt.Fprintf(paths[fill], "M%s %sh%sv%sh-%[3]sz", xy(x.pos(cell.row[0])-w/2), xy(y.pos(cell.row[1])-h/2), xy(w), xy(h))
	}
	for _, fill := range fills {
		fmt.Fprintf(p, `<path fill="%s" d="%s"/>`, clean(fill), paths[fill])
	}
	p.WriteString("</g>")
	for _, cell := range c.cells {
		if p.w < float64(cell.least) {
			continue
		}
		p.text(x.pos(cell.row[0]), y.pos(cell.row[1])+4, cell.label, textStyle{size: float64(cell.size), color: cell.ink, anchor: "middle"})
	}
}

// groups are bars with names over neighbouring columns of a heat map.
type groups struct {
	base
	groups []group
}

type group struct {
	first, last int // columns
	row         int
	name        string
	fill, ink   string
}

const groupText = 11 // size of the names

func (g *groups) series(int) seriesOption {
	rows, looks := make([]row, len(g.groups)), make([][3]string, len(g.groups))
	for i, one := range g.groups {
		rows[i], looks[i] = row{float64(one.first), float64(one.last), float64(one.row)}, [3]string{one.name, one.fill, one.ink}
	}
	return seriesOption{
		series:     series{Type: "custom", Encode: &opts.Encode{X: []int{0, 1}, Y: 2}, Animation: opts.Bool(false)},
		RenderItem: js(fmt.Sprintf("show.group(%s,%d,%s)", quote(looks), groupText, quote(fontFamily))), Data: rows}
}

func (g *groups) draw(p *painter, _ *figure, x, y *scale) {
	h := y.band()
	for _, one := range g.groups {
		left, right := x.pos(float64(one.first))-x.band()/2, x.pos(float64(one.last))+x.band()/2
		at := y.pos(float64(one.row))
		p.rect(left, at-h/2, right-left, h, one.fill, ` stroke="#fff"`)
		if name := shortened(one.name, groupText, right-left-4); name == one.name || len([]rune(name)) > 3 {
			p.text((left+right)/2, at+4, name, textStyle{size: groupText, color: one.ink, anchor: "middle"})
		}
	}
}

// color is the colour of a value, in 40 steps.
func (s *colorScale) color(v float64) string {
	u := math.Min(math.Max((v-s.lo)/(s.hi-s.lo), 0), 1) * float64(len(s.colors)-1)
	if n := 40 / float64(len(s.colors)); n > 1 {
		u = math.Min((math.Floor(u*n)+.5)/n, float64(len(s.colors)-1))
	}
	k := min(int(u), len(s.colors)-2)
	return hexColor(mix(parseHex(s.colors[k]), parseHex(s.colors[k+1]), u-float64(k)))
}

// parseHex reads "#rrggbb".
func parseHex(s string) color.RGBA {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return rgb(uint32(n))
}

// picture is a PNG over a range of the axes.
type picture struct {
	base
	png            []byte
	width, height  int // in its own pixels
	x0, y0, x1, y1 float64
}

func (r *picture) series(still int) seriesOption {
	from := strconv.Itoa(still)
	if still == ownPictures {
		from = quote(pngURL(r.png))
	}
	return seriesOption{
		series:     series{Type: "custom", CoordSystem: "cartesian2d", Animation: opts.Bool(false)},
		RenderItem: js(fmt.Sprintf("show.ground(%v,%v,%v,%v,%d,%d,%s)", r.x0, r.y1, r.x1, r.y0, r.width, r.height, from)), Data: []row{{0, 0}}}
}

func (r *picture) draw(p *painter, _ *figure, x, y *scale) {
	x0, y0 := x.pos(r.x0), y.pos(r.y1)
	fmt.Fprintf(p, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="%s"/>`,
		xy(x0), xy(y0), xy(x.pos(r.x1)-x0), xy(y.pos(r.y0)-y0), pngURL(r.png))
}

// sketch is a drawing of lines, areas and texts at places in the units of the axes.
type sketch struct {
	base
	strokes []stroke
}

// stroke is a part of a sketch: an area if it has a fill, a text if it has one,
// and else a line.
type stroke struct {
	at      []point // corners; of a text its place
	color   string
	width   float64 // of a line in CSS pixels
	fill    string
	opacity float64 // of the fill
	text    string
	shift   point  // of a text in CSS pixels
	align   string // of a text: left, center or right
}

func (s *sketch) series(int) seriesOption {
	parts := make([]map[string]any, len(s.strokes))
	for i, t := range s.strokes {
		at := make([]row, len(t.at))
		for k, q := range t.at {
			at[k] = roundedAll([]float64{q[0], q[1]}, 6)
		}
		parts[i] = map[string]any{"p": at}
		switch {
		case t.text != "":
			parts[i]["s"] = map[string]any{"text": t.text, "fill": t.color, "align": t.align, "verticalAlign": "middle", "fontSize": 12, "fontFamily": fontFamily}
			parts[i]["d"] = row{t.shift[0], t.shift[1]}
		case t.fill != "":
			parts[i]["s"] = map[string]any{"fill": t.fill, "opacity": t.opacity}
		default:
			parts[i]["s"] = map[string]any{"fill": "none", "stroke": t.color, "lineWidth": t.width}
		}
	}
	return seriesOption{
		series: series{Type: "custom", Animation: opts.Bool(false)}, Tooltip: &showOption{false},
		RenderItem: js(fmt.Sprintf("show.strokes(%s)", quote(parts))), Data: []row{{0, 0}}}
}

func (s *sketch) draw(p *painter, _ *figure, x, y *scale) {
	for _, t := range s.strokes {
		var d strings.Builder
		for i, q := range t.at {
			fmt.Fprintf(&d, "%s%s %s", []string{"M", "L"}[min(i, 1)], xy(x.pos(q[0])), xy(y.pos(q[1])))
		}
		switch {
		case t.text != "":
			p.text(x.pos(t.at[0][0])+t.shift[0], y.pos(t.at[0][1])+t.shift[1]+12*.36, t.text,
				textStyle{color: t.color, anchor: map[string]string{"center": "middle", "right": "end"}[t.align]})
		case t.fill != "":
			fmt.Fprintf(p, `<path d="%sz" fill="%s" opacity="%.2g"/>`, d.String(), clean(t.fill), t.opacity)
		default:
			fmt.Fprintf(p, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"/>`, d.String(), clean(t.color), xy(t.width))
		}
	}
}

// rules are upright lines, with their names along them.
type rules struct {
	base
	at     []rule
	color  string
	dashed bool
}

// rule is an upright line at x.
type rule struct {
	x    float64
	name string
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

// ruled are dashed rules, whose names are cut to the height in CSS pixels.
func ruled(all []rule, height float64) *rules {
	r := &rules{base: base{z: 5}, color: faintInk, dashed: true}
	for _, m := range all {
		if !math.IsNaN(m.x) && !math.IsInf(m.x, 0) {
			r.at = append(r.at, rule{m.x, shortened(plain(m.name), 12, height-12)})
		}
	}
	return r
}

// baseline is a rule where bars begin.
func baseline(x float64) *rules { return &rules{base: base{z: 2}, at: []rule{{x: x}}, color: axisInk} }

func (r *rules) series(int) seriesOption {
	o := &rulesOption{Symbol: "none", Silent: true, Z: r.z, LineStyle: opts.LineStyle{Color: r.color, Type: "solid", Width: 1},
		Label: opts.Label{Position: "insideEndTop", Color: faintInk, FontSize: 12}}
	if r.dashed {
		o.LineStyle.Type = "dashed"
	}
	for _, m := range r.at {
		o.Data = append(o.Data, ruleOption{m.x, labelOption{Show: m.name != "", Formatter: js("show.from(0," + quote(m.name) + ")")}})
	}
	return seriesOption{series: series{Type: "line"}, MarkLine: o, Data: []row{}}
}

func (r *rules) draw(p *painter, _ *figure, x, y *scale) {
	for _, m := range r.at {
		v := x.pos(m.x)
		if math.IsNaN(v) || v < math.Min(x.from, x.to)-.5 || v > math.Max(x.from, x.to)+.5 {
			continue
		}
		fmt.Fprintf(p, `<path d="M%s %sV%s" stroke="%s"%s/>`, xy(v), xy(y.from), xy(y.to), clean(r.color), dashes[r.dashed])
		p.text(v-5, y.to+5, m.name, textStyle{color: faintInk, anchor: "end", rotate: -90})
	}
}
