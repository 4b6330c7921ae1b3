package nbhelpers

import (
	"context"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Limits of what Look shows.
const (
	lookColumns      = 100  // rows of the table of columns
	lookClasses      = 20   // classes in a chart, the largest ones
	lookHistograms   = 6    // columns with a histogram of their own
	lookPairs        = 4    // columns that are paired
	lookPoints       = 2000 // rows in a chart of a pair
	lookCorrelations = 20   // columns in the chart of correlations
)

// LookOptions are the choices of LookWith.
type LookOptions struct {
	// Target names the column of the classes. If it is empty, it is the one that
	// Table.Target finds; a table without one is shown without classes.
	Target string
}

// Look shows what is in a table before anything is fitted to it:
//
//   - what is likely to be a mistake, and what to do,
//   - how many rows each class has,
//   - the kind, missing cells, distinct values, range or most frequent levels of each
//     column, with a small histogram in which the classes are stacked,
//   - larger histograms of the six columns with the most information about the class,
//   - pairs of the four best columns of numbers, each with at most 2,000 rows, which are
//     drawn at random,
//   - the correlations of at most 20 columns of numbers, the best ones.
//
// The best columns are those with the most mutual information with the class, of ten bins
// with as many rows each or of the 50 most frequent levels, less its bias (Miller and
// Madow). Without classes they are the first ones. Charts have the 20 largest classes.
func Look(t *table.Table) PageBlock {
	defer readable()
	b, err := LookWith(context.Background(), t, LookOptions{})
	if err != nil { // only a context or a target could
		fault("Look", "%v", err)
	}
	return b
}

// LookWith is Look with options and a context. It returns the error of the context, or of a
// target that is no column.
func LookWith(ctx context.Context, t *table.Table, opt LookOptions) (PageBlock, error) {
	f, err := look.At(ctx, t, opt.Target)
	if err != nil {
		return PageBlock{}, err
	}
	v := newLookView(t, f)
	blocks := []Block{Text(v.summary())}
	for _, note := range f.Notes {
		blocks = append(blocks, Text(plain(note)))
	}
	if len(f.Warnings) > 0 {
		blocks = append(blocks, Heading(plural(len(f.Warnings), "warning")), v.warnings())
	}
	if len(f.Classes) > 0 {
		blocks = append(blocks, Heading("Classes"), v.classChart())
	}
	if len(f.Columns) > 0 {
		blocks = append(blocks, Heading("Columns"), v.columns())
	}
	if charts := v.histograms(); len(charts) > 0 {
		title := "Histograms"
		if v.split {
			title = "Columns that tell most about the class"
		}
		blocks = append(blocks, Heading(title), Grid(2, charts...))
	}
	if charts := v.pairs(); len(charts) > 0 {
		blocks = append(blocks, Heading("Pairs of columns"), Text(v.pairsText()), Grid(3, charts...))
	}
	if c, ok := v.correlations(); ok {
		blocks = append(blocks, Heading("Correlations"), c)
	}
	return Page(blocks...), ctx.Err()
}

// lookView has what the parts of a PageBlock share.
type lookView struct {
	t      *table.Table
	f      *look.Findings
	names  []string // of the classes
	colors classPalette
	shown  []int // classes in charts, in the order of their labels
	split  bool  // histograms are split by class
	labels []int // of the rows
	best   []int // columns
	told   int   // of best that are shown alone or in pairs; 0 means all
}

func newLookView(t *table.Table, f *look.Findings) *lookView {
	v := &lookView{t: t, f: f, best: f.Best()}
	for k, c := range f.Classes {
		v.names, v.shown = append(v.names, plain(c.Name)), append(v.shown, k)
	}
	v.colors = paletteOf(v.names)
	slices.SortStableFunc(v.shown, func(a, b int) int { return f.Classes[b].Rows - f.Classes[a].Rows })
	v.shown = v.shown[:min(len(v.shown), lookClasses)]
	slices.Sort(v.shown)
	if len(v.names) > 0 {
		v.labels, _ = t.Labels(f.TargetColumn)
	}
	for _, j := range v.best {
		v.split = v.split || len(f.Columns[j].Histogram.Counts) > 1
	}
	if v.split { // without those that tell nothing, if two or more are left
		told := slices.IndexFunc(v.best, func(j int) bool { return f.Columns[j].Information < .005 })
		if told >= 0 {
			v.told = max(told, 2)
		}
	}
	return v
}

// summary says in words what the table is.
func (v *lookView) summary() string {
	f := v.f
	s := fmt.Sprintf("%s, %s", plural(f.Rows, "row"), plural(len(f.Columns), "column"))
	if f.Name != "" {
		s = plain(f.Name) + ": " + s
	}
	if f.Reading != "" {
		s += " (" + plain(f.Reading) + ")"
	}
	switch {
	case f.Target == nil:
		s += ". No column has the classes for certain."
	case f.Refused != "":
		s += fmt.Sprintf(". Column %q cannot be the classes: %s.", plain(*f.Target), f.Refused)
	default:
		s += fmt.Sprintf(". Column %q has the %d classes", plain(*f.Target), len(f.Classes))
		if f.TargetWhy != "" {
			s += " (reason: " + f.TargetWhy + ")"
		}
		s += "."
	}
	return s
}

// warnings is a list of them.
func (v *lookView) warnings() Block {
	var b strings.Builder
	b.WriteString(`<ul style="padding-left:1.3em;max-width:46em">`)
	for _, w := range v.f.Warnings {
		fmt.Fprintf(&b, `<li style="margin:.4em 0;overflow-wrap:anywhere">%s <span style="opacity:.75">%s</span></li>`, html.EscapeString(plain(w.Text)),
			flagOf.ReplaceAllString(html.EscapeString(plain(w.Do)), `<span style="white-space:nowrap">$0</span>`))
	}
	return Markup(b.String() + "</ul>\n")
}

// flagOf finds flags of the command, which are not broken at their hyphens.
var flagOf = regexp.MustCompile(`--[a-z]+`)

// classChart has a bar for each class.
func (v *lookView) classChart() Chart {
	shown := make([]string, len(v.shown))
	ends := &sketch{base: base{z: 3, silent: true}}
	most := newSpan()
	most.add(0, 1)
	f := &figure{title: "Rows of each class", subtitle: fmt.Sprintf("%s classes of column %s", count(len(v.names)), plain(*v.f.Target))}
	if len(v.names) > len(v.shown) {
		f.subtitle = fmt.Sprintf("the %d largest of %s", len(v.shown), f.subtitle)
	}
	told := ""
	for r, k := range v.shown {
		c := v.f.Classes[k]
		shown[r] = v.names[k]
		most.add(float64(c.Rows))
		label := fmt.Sprintf("%s (%s)", count(c.Rows), percent(c.Rows, v.f.Rows-v.f.Unlabelled))
		f.add(&bars{base{name: v.names[k], z: 2, tip: []string{"{series}", "rows *{2}*"}}, []row{{float64(r), 0, float64(c.Rows)}}, .62, v.colors.hex(k)})
		ends.strokes = append(ends.strokes, stroke{at: []point{{float64(c.Rows), float64(r)}}, text: label, color: faintInk, align: "left", shift: point{5, 0}})
		told = joinedBy(told, ", ", fmt.Sprintf("%s %s", v.names[k], label))
	}
	f.add(ends)
	x := countAxis(most.hi, 6)
	x.noSplit = true
	f.rows(shown, x, 24, 110)
	f.tip.trigger = "item"
	return f.chart("Bar chart of the rows of each class: "+told+".", 0)
}

// countAxis is an axis of about n steps for counts of rows.
func countAxis(most float64, n int) axis {
	_, hi, step := niceRange(0, most, n)
	if step < 1 {
		hi, step = math.Max(most, 2), 1
	}
	return valueAxis("rows", 0, hi, step)
}

// lookNames is the room for names at the left, also in a font wider than Arial.
func lookNames(names []string) float64 { return math.Round(1.1*nameColumn(names) + 14) }

// columns is the table with a row for each column.
func (v *lookView) columns() Block {
	var pictures []string
	b := TableBlock{Header: []string{"column", "", "kind", "missing", "distinct", "values"}}
	if len(v.f.Columns) > lookColumns {
		b.Caption = fmt.Sprintf("The first %d of %d columns", lookColumns, len(v.f.Columns))
	}
	for j := range v.f.Columns[:min(len(v.f.Columns), lookColumns)] {
		c := &v.f.Columns[j]
		missing := count(c.Missing)
		if c.Missing > 0 {
			missing += strings.ReplaceAll(" ("+percent(c.Missing, v.f.Rows)+")", " ", "\u00a0") // on one line
		}
		distinct := count(c.Distinct)
		if c.AtLeast && c.Distinct > 0 {
			distinct = "≥ " + distinct
		}
		b.Rows = append(b.Rows, []string{shortened(plain(c.Name), 14, 160), "", c.Kind, missing, distinct, together(plain(c.Values()))})
		pictures = append(pictures, v.small(j))
	}
	return withPictures(b, pictures)
}

// together keeps quartiles on one line.
func together(values string) string {
	if before, rest, ok := strings.Cut(values, " ["); ok {
		quartiles, last, _ := strings.Cut(rest, "]")
		return before + " [" + strings.ReplaceAll(quartiles, " ", "\u00a0") + "]" + last
	}
	return values
}

// small is the histogram of a column as a small picture, the classes stacked.
func (v *lookView) small(j int) string {
	const width, height = 120, 30
	h := &v.f.Columns[j].Histogram
	total := h.Total()
	if len(total) == 0 {
		return ""
	}
	most := float64(max(slices.Max(total), 1))
	each := math.Min(width/float64(len(total)), 24)
	bottoms := make([]float64, len(total))
	var p strings.Builder
	fmt.Fprintf(&p, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`, width, height)
	for k, counts := range h.Counts {
		var d strings.Builder
		for b, n := range counts {
			if n > 0 {
				tall := float64(n) / most * (height - 1)
				bottoms[b] += tall
				fmt.Fprintf(&d, "M%s %sh%sv%sh-%[3]sz", xy(float64(b)*each), xy(height-1-bottoms[b]), xy(math.Max(each-1, .8)), xy(math.Max(tall, .3)))
			}
		}
		color := axisInk
		switch {
		case len(h.Counts) > 1:
			color = v.colors.hex(k)
		case j == v.f.TargetColumn:
			color = faintInk
		}
		if d.Len() > 0 {
			fmt.Fprintf(&p, `<path fill="%s" d="%s"/>`, color, d.String())
		}
	}
	fmt.Fprintf(&p, `<path stroke="%s" d="M0 %s.5H%d"/></svg>`, axisInk, xy(height-1), width)
	return fmt.Sprintf(`<img alt="histogram" width="%d" height="%d" style="display:block;min-width:%[1]dpx" src="%[3]s">`, width, height, svgURL(p.String()))
}

// telling are the best columns.
func (v *lookView) telling() []int {
	if v.told == 0 {
		return v.best
	}
	return v.best[:min(v.told, len(v.best))]
}

// histograms are charts of the best columns.
func (v *lookView) histograms() (charts []Block) {
	for _, j := range v.telling()[:min(len(v.telling()), lookHistograms)] {
		if v.f.Columns[j].Histogram.Levels != nil {
			charts = append(charts, v.levels(j))
		} else {
			charts = append(charts, v.ridges(j))
		}
	}
	return charts
}

// parts are the parts of a histogram that are shown, with their names and colours.
func (v *lookView) parts(h *look.Histogram) (parts [][]int, names, colors []string) {
	if len(h.Counts) < 2 {
		return [][]int{h.Total()}, []string{"all rows"}, []string{faintInk}
	}
	for _, k := range v.shown {
		parts, names, colors = append(parts, h.Counts[k]), append(names, v.names[k]), append(colors, v.colors.hex(k))
	}
	return parts, names, colors
}

// about says how much a column tells about the class.
func (v *lookView) about(c *look.Column) string {
	if !v.split {
		return ""
	}
	return fmt.Sprintf("information about the class: %.2f nats", c.Information)
}

// ridges is the histogram of a column of numbers, one above another for the classes.
func (v *lookView) ridges(j int) Chart {
	c := &v.f.Columns[j]
	h := &c.Histogram
	parts, names, colors := v.parts(h)
	n := float64(len(parts))
	left := lookNames(names)
	width := (h.High - h.Low) / float64(len(parts[0]))
	drawn := &sketch{base: base{z: 2, silent: true}}
	for k, counts := range parts {
		floor := n - 1 - float64(k)
		most := math.Max(float64(slices.Max(counts)), 1)
		area := []point{{h.Low, floor}}
		for b, rows := range counts {
			tall := floor + .9*float64(rows)/most
			x := h.Low + width*float64(b)
			if last := area[len(area)-1]; last[1] == tall { // as high as the one before
				area = append(area[:len(area)-1], point{x + width, tall})
				continue
			}
			area = append(area, point{x, tall}, point{x + width, tall})
		}
		drawn.strokes = append(drawn.strokes,
			stroke{at: append(area, point{h.High, floor}), fill: colors[k], opacity: .85},
			stroke{at: []point{{h.Low, floor}, {h.High, floor}}, color: axisInk, width: 1},
			stroke{at: []point{{h.Low, floor + .25}}, text: shortened(names[k], 12, (left-14)/1.2), color: ink, align: "right", shift: point{-8, 0}})
	}
	f := &figure{title: shortened(plain(c.Name), 15, 300), subtitle: v.about(c)}
	name := shortened(plain(c.Name), 12, 260)
	if h.Cut {
		name = shortened(plain(c.Name), 12, 150) + " (ends: all beyond)"
	}
	x := valueAxis(name, h.Low, h.High, niceStep(h.High-h.Low, 5))
	if c.Kind == table.Date.String() {
		dates(&x)
	}
	y := axis{kind: "value", hi: n, step: 1, hidden: true, noLabels: true, noSplit: true}
	f.add(drawn)
	f.panels, f.high = []panel{{x: x, y: y, before: left}}, math.Max(30*n, 90)
	alt := fmt.Sprintf("Histogram of %s", plain(c.Name))
	if v.split {
		alt += " for each of " + strings.Join(names, ", ")
	}
	return f.chart(alt+": "+plain(c.Values())+".", 0)
}

// dates puts three ticks on an axis of seconds since 1970, with dates.
func dates(a *axis) {
	const day = 24 * 3600
	span := a.hi - a.lo
	length := len("2006-01-02")
	switch {
	case span < 3*day:
		length = len("2006-01-02T15:04")
	case span > 4*365*day:
		length = len("2006")
	}
	a.step = span / 3
	a.ticks, a.labels = nil, nil
	for k := range 3 {
		at := a.lo + span*(float64(k)+.5)/3
		text := table.FormatDate(at)
		a.ticks, a.labels = append(a.ticks, at), append(a.labels, text[:min(length, len(text))])
	}
}

// levels is the histogram of a category: a bar for each level, the classes side by side.
func (v *lookView) levels(j int) Chart {
	c := &v.f.Columns[j]
	h := &c.Histogram
	parts, names, colors := v.parts(h)
	levels := plainAll(h.Levels)
	total := h.Total()
	most := math.Max(float64(slices.Max(total)), 1)
	f := &figure{title: shortened(plain(c.Name), 15, 300), subtitle: "rows of each level", keyWidth: symbolSide}
	if v.split {
		f.legend, f.subtitle = names, v.about(c)
	}
	ends := make([]float64, len(levels))
	for k, counts := range parts {
		bar := &bars{base{name: names[k], z: 2, tip: []string{"{marker}{series}", "{0 in levels}: *{3}*"}}, nil, .66, colors[k]}
		for b, n := range counts {
			if n > 0 {
				bar.rows = append(bar.rows, row{float64(b), ends[b], ends[b] + float64(n), float64(n)})
				ends[b] += float64(n)
			}
		}
		f.add(bar)
	}
	told := &sketch{base: base{z: 3, silent: true}}
	for b, n := range total {
		told.strokes = append(told.strokes, stroke{at: []point{{ends[b], float64(b)}}, text: count(n), color: faintInk, align: "left", shift: point{5, 0}})
	}
	f.add(told)
	x := countAxis(most, 4)
	x.noSplit = true
	f.rows(levels, x, 24, 60)
	f.tip.trigger, f.tip.texts = "item", node{"levels": levels}
	return f.chart(fmt.Sprintf("Bar chart of %s: %s.", plain(c.Name), plain(c.Values())), 0)
}

// paired are the best columns of numbers.
func (v *lookView) paired() (columns []int) {
	for _, j := range v.telling() {
		if k := v.f.Columns[j].Kind; (k == table.Number.String() || k == table.Date.String()) && len(columns) < lookPairs {
			columns = append(columns, j)
		}
	}
	return columns
}

func (v *lookView) pairsText() string {
	s := "The " + count(len(v.paired())) + " columns of numbers that tell most about the class."
	if !v.split {
		s = "The first columns of numbers."
	}
	if v.t.Rows > lookPoints {
		s += fmt.Sprintf(" The points are %s of %s rows, drawn at random.", count(lookPoints), count(v.t.Rows))
	}
	if len(v.names) > len(v.shown) {
		s += fmt.Sprintf(" They are of the %d largest classes.", len(v.shown))
	}
	return s
}

// pairs are charts of two columns of numbers each.
func (v *lookView) pairs() (charts []Block) {
	columns := v.paired()
	for b := range columns {
		for a := range b {
			charts = append(charts, v.pair(columns[a], columns[b]))
		}
	}
	return charts
}

// pair has a point for each row, by the values of two columns.
func (v *lookView) pair(a, b int) Chart {
	of := map[int]*dots{} // by class, −1 without
	f := &figure{keyWidth: symbolSide}
	size := 7.0
	if v.t.Rows > 300 {
		size = 5
	}
	mark := func(k int, name, color string, marker symbol, size float64) {
		of[k] = &dots{base: base{name: name, z: 2}, rows: []row{}, color: color, marker: marker, size: size, opacity: .7}
		f.add(of[k])
	}
	for _, k := range v.shown {
		mark(k, v.names[k], v.colors.hex(k), classShape(k), symbolSize(k, size))
		f.legend = append(f.legend, v.names[k])
	}
	if len(v.shown) == 0 {
		mark(-1, "", ClassColor(0), classShape(0), size)
	}
	xs, ys := v.t.Columns[a].Numbers, v.t.Columns[b].Numbers
	x, y := newSpan(), newSpan()
	rows := look.Draw(v.t.Rows, lookPoints)
	for k := range min(v.t.Rows, lookPoints) {
		i := k
		if rows != nil {
			i = int(rows[k])
		}
		label := -1
		if v.labels != nil {
			label = v.labels[i]
		}
		d := of[label]
		if d != nil && math.Abs(xs[i]) < 1e300 && math.Abs(ys[i]) < 1e300 { // neither NaN
			d.rows = append(d.rows, row{xs[i], ys[i]})
			x.add(xs[i])
			y.add(ys[i])
		}
	}
	for _, s := range []*span{x, y} {
		if s.hi-s.lo < 1e-290 { // too small for an axis
			s.hi = s.lo
		}
	}
	for _, d := range of {
		for i, r := range d.rows {
			d.rows[i] = row{toPixels(r[0], *x), toPixels(r[1], *y)}
		}
	}
	const height = 300
	if row, _ := legendWidth(f.legend, f.keyWidth); row > 3*defaultWidth || len(f.legend) == 0 {
		f.legend = nil
	}
	name := func(j int, room float64) string { return shortened(plain(v.f.Columns[j].Name), 12, room) }
	xAxis, yAxis := x.linear(name(a, 240), 5), y.linear(plain(v.f.Columns[b].Name), 5)
	if v.t.Columns[a].Kind == table.Date {
		dates(&xAxis)
	}
	if v.t.Columns[b].Kind == table.Date {
		dates(&yAxis)
	}
	f.panels = []panel{{x: xAxis, y: yAxis}}
	lines := []string{"{x}: *{0}*", "{y}: *{1}*"}
	if len(v.shown) > 0 {
		lines = append([]string{"{marker}{series}"}, lines...)
	}
	for _, d := range of {
		d.tip = lines
	}
	f.tip.trigger, f.tip.texts = "item", node{"x": xAxis.name, "y": yAxis.name}
	alt := fmt.Sprintf("Scatter plot: %s over %s", yAxis.name, xAxis.name)
	if len(v.shown) > 0 {
		alt += " for " + strings.Join(f.legend, ", ")
	}
	return f.chart(alt+".", height)
}

// toPixels rounds a value to less than a thousandth of the span.
func toPixels(v float64, s span) float64 {
	one := math.Pow(10, math.Ceil(math.Log10(1000/math.Max(s.hi-s.lo, 1e-300))))
	if one > 1e300 {
		return v
	}
	return rounded(math.Round(v*one)/one, 15)
}

// correlations is the chart of the correlations of the best columns; ok is false if there are
// fewer than two.
func (v *lookView) correlations() (c Chart, ok bool) {
	r := &v.f.Correlations
	var at []int // indices in r
	for _, j := range v.best {
		if k := slices.Index(r.Columns, j); k >= 0 && len(at) < lookCorrelations {
			at = append(at, k)
		}
	}
	if len(at) < 2 {
		return Chart{}, false
	}
	slices.Sort(at)
	names := make([]string, len(at))
	for i, k := range at {
		names[i] = plain(v.f.Columns[r.Columns[k]].Name)
	}
	left := nameColumn(names)
	n := float64(len(at))
	width := math.Min(math.Max(left+22+64*n, 340), defaultWidth)
	cellW := (width - left - 22) / n
	const cellH = 26.0
	heat := &cells{base: base{name: "correlation", z: 2, tip: []string{"{1 in names}", "{0 in names}", "{marker}r = *{2}*"}}, border: "#ffffff"}
	strongest, pair := 0.0, ""
	for i, a := range at {
		for j, b := range at {
			value := r.R[a][b]
			one := cell{row: row{float64(j), float64(i), rounded(value, 3)}, fill: gridInk, size: 11, ink: ink}
			if !math.IsNaN(value) {
				hue := rgb(0xe08214)
				if value < 0 {
					hue = rgb(0x8073ac)
				}
				fill := mix(rgb(0xffffff), hue, math.Abs(value))
				one.fill, one.ink = hexColor(fill), inkOn(fill)
				label := strings.NewReplacer("-0.00", "0", "0.00", "0", "-0.", "−.", "0.", ".", "-", "−").Replace(fmt.Sprintf("%.2f", value))
				if need := textWidth("−.88", 11) + 2; i != j && need < cellW {
					one.label, one.least = label, int(math.Ceil(left+22+need*n))
				}
				if i > j && math.Abs(value) > math.Abs(strongest) {
					strongest, pair = value, names[i]+" and "+names[j]
				}
			}
			heat.cells = append(heat.cells, one)
		}
	}
	f := &figure{title: "Correlation (Pearson's r)", subtitle: "orange +1, white 0, purple −1"}
	if len(at) < len(r.Columns) {
		f.title += fmt.Sprintf(" of %d of %s columns", len(at), count(len(r.Columns)))
	}
	if r.Rows < v.t.Rows {
		f.subtitle += fmt.Sprintf(" · %s random rows", count(r.Rows))
	}
	f.add(heat)
	x, y := axis{kind: "category", categories: names, noLine: true, turned: true, sparse: true, room: 110}, nameAxis(names)
	y.noLine = true
	f.panels, f.high = []panel{{x: x, y: y}}, cellH*n
	// ECharts demands a scale for a heat map; the cells have their own colours.
	f.scale = &colorScale{hi: 1, series: 9}
	f.tip.trigger, f.tip.texts = "item", node{"names": names}
	alt := fmt.Sprintf("Correlations of %s", strings.Join(names, ", "))
	if pair != "" {
		alt += fmt.Sprintf(", strongest %.2f of %s", strongest, pair)
	}
	c = f.chart(alt+".", 0)
	c.Width = int(width)
	return c, true
}
