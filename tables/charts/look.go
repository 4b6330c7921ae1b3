// Package charts draws tables, models of tables and their evaluation, with the charts of package nbhelpers.
// Like those, a chart or a page can be displayed in a notebook or written to a file:
//
//	charts.Look(birds).Display()
//	nbhelpers.WritePageFile("look.html", "Birds", charts.Look(birds))
//
//	contents of a table         [Look]
//	decisions of a model        [Regions], [Explanation]
//	role of the columns         [Permutation], [Dependence]
//	costs of decisions          [Costs]
//	comparison of systems       [Comparison]
//
// Programming errors panic with a message that starts with "charts: " or "nbhelpers: ". In a notebook, the
// cell then ends with this message on a single line.
package charts

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Limits of what Look shows.
const (
	lookColumns      = 100  // rows of the table of columns
	lookClasses      = 20   // classes in a chart, starting with the largest
	lookHistograms   = 6    // columns with a separate histogram
	lookPairs        = 4    // columns used for pairs
	lookPoints       = 2000 // rows in a chart of a pair
	lookCorrelations = 20   // columns in the chart of correlations
)

// LookOptions configures LookWith.
type LookOptions struct {
	// Target names the class column. If empty, it is the column that Table.Target chooses; a table without
	// such a column is shown without classes.
	Target string
	// Findings is the result of look.At for the table. If nil, LookWith calls look.At.
	Findings *look.Findings
	// Voice puts the findings into words; the default is table.Go.
	Voice *table.Voice
}

// Look shows the contents of a table before fitting a model:
//
//   - probable mistakes, and what to do about them,
//   - the number of rows of each class,
//   - the kind, missing cells, distinct values, and range or most frequent levels of each
//     column, with a small histogram in which the classes are stacked,
//   - larger histograms of the six columns with the most information about the class,
//   - scatter plots of the pairs of the four best numeric columns, each with a random sample of at
//     most 2,000 rows,
//   - the correlations of the best numeric columns, at most 20.
//
// The best columns are those with the highest mutual information with the class, computed from ten bins
// with equal numbers of rows or from the 50 most frequent levels, with the bias correction of Miller and
// Madow. Without classes they are the first columns. Charts show the 20 largest classes.
func Look(t *table.Table) nbhelpers.PageBlock {
	defer chart.Readable()
	b, err := LookWith(context.Background(), t, LookOptions{})
	if err != nil { // unreachable without a context or a target
		fault("Look", "%v", err)
	}
	return b
}

// LookWith is like Look, with options and a context. It returns the error of the context, or an error if
// the target is not a column.
func LookWith(ctx context.Context, t *table.Table, opt LookOptions) (nbhelpers.PageBlock, error) {
	f := opt.Findings
	if f == nil {
		var err error
		if f, err = look.At(ctx, t, opt.Target); err != nil {
			return nbhelpers.PageBlock{}, err
		}
	}
	v := newLookView(t, f)
	v.voice = cmp.Or(opt.Voice, table.Go)
	blocks := []nbhelpers.Block{nbhelpers.Text(v.summary())}
	for _, note := range f.Notes {
		blocks = append(blocks, nbhelpers.Text(chart.Plain(v.voice.Say(note))))
	}
	if len(f.Warnings) > 0 {
		blocks = append(blocks, nbhelpers.Heading(words.CountOf(len(f.Warnings), "warning")), v.warnings())
	}
	if len(f.Classes) > 0 {
		blocks = append(blocks, nbhelpers.Heading("Classes"), v.classChart())
	}
	if len(f.Columns) > 0 {
		blocks = append(blocks, nbhelpers.Heading("Columns"), v.columns())
	}
	var histograms []nbhelpers.Block
	for _, j := range v.alone[:min(len(v.alone), lookHistograms)] {
		if f.Columns[j].Histogram.Levels != nil {
			histograms = append(histograms, v.levels(j))
		} else {
			histograms = append(histograms, v.ridges(j))
		}
	}
	if histograms != nil {
		title := "Histograms"
		if v.split {
			title = "Most informative columns"
		}
		blocks = append(blocks, nbhelpers.Heading(title), nbhelpers.Grid(2, histograms...))
	}
	if charts := v.pairs(); len(charts) > 0 {
		blocks = append(blocks, nbhelpers.Heading("Pairs of columns"), nbhelpers.Text(v.pairsText()),
			nbhelpers.Grid(3, charts...))
	}
	if c, ok := v.correlations(); ok {
		blocks = append(blocks, nbhelpers.Heading("Correlations"), c)
	}
	return nbhelpers.Page(blocks...), ctx.Err()
}

// lookView contains the data shared by the sections of the page.
type lookView struct {
	t      *table.Table
	f      *look.Findings
	voice  *table.Voice
	names  []string // of the classes
	colors chart.ClassPalette
	shown  []int // classes in charts, in the order of their labels
	split  bool  // whether histograms are split by class
	labels []int // of the rows
	best   []int // best columns
	alone  []int // best columns that are shown alone or in pairs
}

func newLookView(t *table.Table, f *look.Findings) *lookView {
	v := &lookView{t: t, f: f, shown: f.Largest(lookClasses), best: f.Best(), alone: f.Best()}
	for _, c := range f.Classes {
		v.names = append(v.names, chart.Plain(c.Name))
	}
	v.colors = chart.PaletteOf(v.names)
	if len(v.names) > 0 {
		v.labels, _ = t.Labels(f.TargetColumn)
	}
	for _, j := range v.best {
		v.split = v.split || len(f.Columns[j].Histogram.Counts) > 1
	}
	if v.split { // omit columns without information, but keep at least two
		n := slices.IndexFunc(v.best, func(j int) bool { return f.Columns[j].Information < .005 })
		if n >= 0 {
			v.alone = v.best[:min(max(n, 2), len(v.best))]
		}
	}
	return v
}

func (v *lookView) summary() string {
	f := v.f
	s := fmt.Sprintf("%s, %s", words.CountOf(f.Rows, "row"), words.CountOf(len(f.Columns), "column"))
	if f.Name != "" {
		s = chart.Plain(f.Name) + ": " + s
	}
	if f.Reading != "" {
		s += " (" + chart.Plain(f.Reading) + ")"
	}
	switch {
	case f.Target == nil:
		s += ". The class column could not be determined."
	case f.Refused != nil:
		s += fmt.Sprintf(". Column %q cannot be used as classes: %s.", chart.Plain(*f.Target),
			chart.Plain(v.voice.Explain(f.Refused)))
	default:
		s += fmt.Sprintf(". Column %q has the %d classes", chart.Plain(*f.Target), len(f.Classes))
		if reason := v.voice.Say(f.TargetWhy); reason != "" {
			s += " (reason: " + reason + ")"
		}
		s += "."
	}
	return s
}

func (v *lookView) warnings() nbhelpers.Block {
	var b strings.Builder
	b.WriteString(`<ul style="padding-left:1.3em;max-width:46em">`)
	for _, w := range v.f.Warnings {
		fmt.Fprintf(&b, `<li style="margin:.4em 0;overflow-wrap:anywhere">%s</li>`,
			flagOf.ReplaceAllString(html.EscapeString(chart.Plain(v.voice.Say(w))),
				`<span style="white-space:nowrap">$0</span>`))
	}
	return chart.Markup(b.String() + "</ul>\n")
}

// flagOf matches flags of the command, to avoid line breaks at their hyphens.
var flagOf = regexp.MustCompile(`--[a-z]+`)

func (v *lookView) classChart() nbhelpers.Chart {
	shown := make([]string, len(v.shown))
	ends := &chart.Sketch{Base: chart.Base{Z: 3, Silent: true}}
	most := chart.NewSpan()
	most.Add(0, 1)
	f := &chart.Figure{Title: "Rows of each class",
		Subtitle: fmt.Sprintf("%s classes of column %s", words.Count(len(v.names)), chart.Plain(*v.f.Target))}
	if len(v.names) > len(v.shown) {
		f.Subtitle = fmt.Sprintf("the %d largest of %s", len(v.shown), f.Subtitle)
	}
	told := ""
	for r, k := range v.shown {
		c := v.f.Classes[k]
		shown[r] = v.names[k]
		most.Add(float64(c.Rows))
		label := fmt.Sprintf("%s (%s)", words.Count(c.Rows), chart.Percent(c.Rows, v.f.Rows-v.f.Unlabelled))
		f.Add(&chart.Bars{Base: chart.Base{Name: v.names[k], Z: 2, Tip: []string{"{series}", "rows *{2}*"}},
			Rows: []chart.Row{{float64(r), 0, float64(c.Rows)}}, Share: .62, Color: v.colors.Hex(k)})
		ends.After(float64(c.Rows), float64(r), 5, label, chart.FaintInk)
		told = chart.JoinedBy(told, ", ", fmt.Sprintf("%s %s", v.names[k], label))
	}
	f.Add(ends)
	x := countAxis(most.Hi, 6)
	x.NoSplit = true
	f.Rows(shown, x, 24, 110)
	f.Tip.Trigger = "item"
	return f.Chart("Bar chart of the rows of each class: "+told+".", 0)
}

// countAxis returns an axis for numbers of rows with about n steps.
func countAxis(most float64, n int) chart.Axis {
	_, hi, step := chart.NiceRange(0, most, n)
	if step < 1 {
		hi, step = math.Max(most, 2), 1
	}
	return chart.ValueAxis("rows", 0, hi, step)
}

// columns returns the table with a row for each column.
func (v *lookView) columns() nbhelpers.Block {
	var pictures []string
	b := nbhelpers.TableBlock{Header: []string{"column", "", "kind", "missing", "distinct", "values"}}
	if len(v.f.Columns) > lookColumns {
		b.Caption = fmt.Sprintf("The first %d of %d columns", lookColumns, len(v.f.Columns))
	}
	for j := range v.f.Columns[:min(len(v.f.Columns), lookColumns)] {
		c := &v.f.Columns[j]
		missing := words.Count(c.Missing)
		if c.Missing > 0 {
			// on one line
			missing += strings.ReplaceAll(" ("+chart.Percent(c.Missing, v.f.Rows)+")", " ", "\u00a0")
		}
		distinct := words.Count(c.Distinct)
		if c.AtLeast && c.Distinct > 0 {
			distinct = "≥ " + distinct
		}
		b.Rows = append(b.Rows, []string{chart.Shortened(chart.Plain(c.Name), 14, 160), "", c.Kind, missing,
			distinct, together(chart.Plain(c.Values()))})
		pictures = append(pictures, v.small(j))
	}
	return chart.WithPictures(b, pictures)
}

// together prevents line breaks within the quartiles.
func together(values string) string {
	if before, rest, ok := strings.Cut(values, " ["); ok {
		quartiles, last, _ := strings.Cut(rest, "]")
		return before + " [" + strings.ReplaceAll(quartiles, " ", "\u00a0") + "]" + last
	}
	return values
}

// small returns the histogram of a column, with stacked classes, as a small picture.
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
	fmt.Fprintf(&p,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`, width,
		height)
	for k, counts := range h.Counts {
		var d strings.Builder
		for b, n := range counts {
			if n > 0 {
				tall := float64(n) / most * (height - 1)
				bottoms[b] += tall
				fmt.Fprintf(&d, "M%s %sh%sv%sh-%[3]sz", chart.XY(float64(b)*each),
					chart.XY(height-1-bottoms[b]), chart.XY(math.Max(each-1, .8)),
					chart.XY(math.Max(tall, .3)))
			}
		}
		color := chart.AxisInk
		switch {
		case len(h.Counts) > 1:
			color = v.colors.Hex(k)
		case j == v.f.TargetColumn:
			color = chart.FaintInk
		}
		if d.Len() > 0 {
			fmt.Fprintf(&p, `<path fill="%s" d="%s"/>`, color, d.String())
		}
	}
	fmt.Fprintf(&p, `<path stroke="%s" d="M0 %s.5H%d"/></svg>`, chart.AxisInk, chart.XY(height-1), width)
	return fmt.Sprintf(
		`<img alt="histogram" width="%d" height="%d" style="display:block;min-width:%[1]dpx" src="%[3]s">`, width,
		height, chart.SVGURL(p.String()))
}

// parts returns the parts of a histogram that are shown, with their names and colours.
func (v *lookView) parts(h *look.Histogram) (parts [][]int, names, colors []string) {
	if len(h.Counts) < 2 {
		return [][]int{h.Total()}, []string{"all rows"}, []string{chart.FaintInk}
	}
	for _, k := range v.shown {
		parts, names, colors = append(parts, h.Counts[k]), append(names, v.names[k]),
			append(colors, v.colors.Hex(k))
	}
	return parts, names, colors
}

// about describes how much information a column has about the class.
func (v *lookView) about(c *look.Column) string {
	if !v.split {
		return ""
	}
	return fmt.Sprintf("information about the class: %.2f nats", c.Information)
}

// ridges returns the histograms of a numeric column for the classes, one above another.
func (v *lookView) ridges(j int) nbhelpers.Chart {
	c := &v.f.Columns[j]
	h := &c.Histogram
	parts, names, colors := v.parts(h)
	n := float64(len(parts))
	left := math.Round(1.1*chart.NameColumn(names) + 14) // for fonts wider than Arial
	width := (h.High - h.Low) / float64(len(parts[0]))
	drawn := &chart.Sketch{Base: chart.Base{Z: 2, Silent: true}}
	for k, counts := range parts {
		floor := n - 1 - float64(k)
		most := math.Max(float64(slices.Max(counts)), 1)
		area := []chart.Point{{h.Low, floor}}
		for b, rows := range counts {
			tall := floor + .9*float64(rows)/most
			x := h.Low + width*float64(b)
			if last := area[len(area)-1]; last[1] == tall { // as high as the one before
				area = append(area[:len(area)-1], chart.Point{x + width, tall})
				continue
			}
			area = append(area, chart.Point{x, tall}, chart.Point{x + width, tall})
		}
		drawn.Strokes = append(drawn.Strokes,
			chart.Stroke{At: append(area, chart.Point{h.High, floor}), Fill: colors[k], Opacity: .85},
			chart.Stroke{At: []chart.Point{{h.Low, floor}, {h.High, floor}}, Color: chart.AxisInk, Width: 1},
			chart.Stroke{At: []chart.Point{{h.Low, floor + .25}}, Text: chart.Shortened(names[k], 12,
				(left-14)/1.2), Color: chart.Ink, Align: "right", Shift: chart.Point{-8, 0}})
	}
	f := &chart.Figure{Title: chart.Shortened(chart.Plain(c.Name), 15, 300), Subtitle: v.about(c)}
	name := chart.Shortened(chart.Plain(c.Name), 12, 260)
	if h.Cut {
		name = chart.Shortened(chart.Plain(c.Name), 12, 150) + " (end bins include all values beyond)"
	}
	x := chart.ValueAxis(name, h.Low, h.High, chart.NiceStep(h.High-h.Low, 5))
	if c.Kind == table.Date.String() {
		dates(&x)
	}
	y := chart.Axis{Kind: "value", Hi: n, Step: 1, Hidden: true, NoLabels: true, NoSplit: true}
	f.Add(drawn)
	f.Panels, f.High = []chart.Panel{{X: x, Y: y, Before: left}}, math.Max(30*n, 90)
	alt := fmt.Sprintf("Histogram of %s", chart.Plain(c.Name))
	if v.split {
		alt += " for each of " + strings.Join(names, ", ")
	}
	return f.Chart(alt+": "+chart.Plain(c.Values())+".", 0)
}

// dates sets three ticks with dates on an axis of seconds since 1970.
func dates(a *chart.Axis) {
	const day = 24 * 3600
	span := a.Hi - a.Lo
	length := len("2006-01-02")
	switch {
	case span < 3*day:
		length = len("2006-01-02T15:04")
	case span > 4*365*day:
		length = len("2006")
	}
	a.Step = span / 3
	a.Ticks, a.Labels = nil, nil
	for k := range 3 {
		at := a.Lo + span*(float64(k)+.5)/3
		text := table.FormatDate(at)
		a.Ticks, a.Labels = append(a.Ticks, at), append(a.Labels, text[:min(length, len(text))])
	}
}

// levels returns the histogram of a category: a bar for each level, with the classes side by side.
func (v *lookView) levels(j int) nbhelpers.Chart {
	c := &v.f.Columns[j]
	h := &c.Histogram
	parts, names, colors := v.parts(h)
	levels := chart.PlainAll(h.Levels)
	total := h.Total()
	most := math.Max(float64(slices.Max(total)), 1)
	f := &chart.Figure{Title: chart.Shortened(chart.Plain(c.Name), 15, 300), Subtitle: "rows of each level",
		KeyWidth: chart.SymbolSide}
	if v.split {
		f.Legend, f.Subtitle = names, v.about(c)
	}
	ends := make([]float64, len(levels))
	for k, counts := range parts {
		bar := chart.NewBars(names[k], colors[k], .66, "{marker}{series}", "{0 in levels}: *{3}*")
		for b, n := range counts {
			if n > 0 {
				bar.Rows = append(bar.Rows, chart.Row{float64(b), ends[b], ends[b] + float64(n), float64(n)})
				ends[b] += float64(n)
			}
		}
		f.Add(bar)
	}
	told := &chart.Sketch{Base: chart.Base{Z: 3, Silent: true}}
	for b, n := range total {
		told.After(ends[b], float64(b), 5, words.Count(n), chart.FaintInk)
	}
	f.Add(told)
	x := countAxis(most, 4)
	x.NoSplit = true
	f.Rows(levels, x, 24, 60)
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"levels": levels}
	return f.Chart(fmt.Sprintf("Bar chart of %s: %s.", chart.Plain(c.Name), chart.Plain(c.Values())), 0)
}

// paired returns the best numeric columns.
func (v *lookView) paired() (columns []int) {
	for _, j := range v.alone {
		if k := v.f.Columns[j].Kind; (k == table.Number.String() || k == table.Date.String()) &&
			len(columns) < lookPairs {
			columns = append(columns, j)
		}
	}
	return columns
}

func (v *lookView) pairsText() string {
	s := "The " + words.Count(len(v.paired())) + " most informative columns of numbers."
	if !v.split {
		s = "The first numeric columns."
	}
	if v.t.Rows > lookPoints {
		s += fmt.Sprintf(" The points are a random sample of %s of %s rows.", words.Count(lookPoints),
			words.Count(v.t.Rows))
	}
	if len(v.names) > len(v.shown) {
		s += fmt.Sprintf(" Only the %d largest classes are shown.", len(v.shown))
	}
	return s
}

func (v *lookView) pairs() (charts []nbhelpers.Block) {
	columns := v.paired()
	for b := range columns {
		for a := range b {
			charts = append(charts, v.pair(columns[a], columns[b]))
		}
	}
	return charts
}

func (v *lookView) pair(a, b int) nbhelpers.Chart {
	of := map[int]*chart.Dots{} // by class; −1 without classes
	f := &chart.Figure{KeyWidth: chart.SymbolSide}
	size := 7.0
	if v.t.Rows > 300 {
		size = 5
	}
	mark := func(k int, name, color string, marker chart.Symbol, size float64) {
		of[k] = &chart.Dots{Base: chart.Base{Name: name, Z: 2}, Rows: []chart.Row{}, Color: color,
			Marker: marker, Size: size, Opacity: .7}
		f.Add(of[k])
	}
	for _, k := range v.shown {
		mark(k, v.names[k], v.colors.Hex(k), chart.ClassShape(k), chart.SymbolSize(k, size))
		f.Legend = append(f.Legend, v.names[k])
	}
	if len(v.shown) == 0 {
		mark(-1, "", nbhelpers.ClassColor(0), chart.ClassShape(0), size)
	}
	xs, ys := v.t.Columns[a].Numbers, v.t.Columns[b].Numbers
	x, y := chart.NewSpan(), chart.NewSpan()
	rows := look.Draw(v.t.Rows, lookPoints)
	for _, i := range rows {
		label := -1
		if v.labels != nil {
			label = v.labels[i]
		}
		d := of[label]
		if d != nil && math.Abs(xs[i]) < 1e300 && math.Abs(ys[i]) < 1e300 { // excludes NaN
			d.Rows = append(d.Rows, chart.Row{xs[i], ys[i]})
			x.Add(xs[i])
			y.Add(ys[i])
		}
	}
	for _, s := range []*chart.Span{x, y} {
		if s.Hi-s.Lo < 1e-290 { // too small for an axis
			s.Hi = s.Lo
		}
	}
	for _, d := range of {
		for i, r := range d.Rows {
			d.Rows[i] = chart.Row{toPixels(r[0], *x), toPixels(r[1], *y)}
		}
	}
	const height = 300
	if row, _ := chart.LegendWidth(f.Legend, f.KeyWidth); row > 3*chart.DefaultWidth || len(f.Legend) == 0 {
		f.Legend = nil
	}
	xAxis := x.Linear(chart.Shortened(chart.Plain(v.f.Columns[a].Name), 12, 240), 5)
	yAxis := y.Linear(chart.Plain(v.f.Columns[b].Name), 5)
	if v.t.Columns[a].Kind == table.Date {
		dates(&xAxis)
	}
	if v.t.Columns[b].Kind == table.Date {
		dates(&yAxis)
	}
	f.Panels = []chart.Panel{{X: xAxis, Y: yAxis}}
	lines := []string{"{x}: *{0}*", "{y}: *{1}*"}
	if len(v.shown) > 0 {
		lines = append([]string{"{marker}{series}"}, lines...)
	}
	for _, d := range of {
		d.Tip = lines
	}
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"x": xAxis.Name, "y": yAxis.Name}
	alt := fmt.Sprintf("Scatter plot: %s over %s", yAxis.Name, xAxis.Name)
	if len(v.shown) > 0 {
		alt += " for " + strings.Join(f.Legend, ", ")
	}
	return f.Chart(alt+".", height)
}

// toPixels rounds a value to less than a thousandth of the span.
func toPixels(v float64, s chart.Span) float64 {
	one := math.Pow(10, math.Ceil(math.Log10(1000/math.Max(s.Hi-s.Lo, 1e-300))))
	if one > 1e300 {
		return v
	}
	return chart.Rounded(math.Round(v*one)/one, 15)
}

// correlations returns the chart of the correlations of the best columns; ok is false for fewer than two.
func (v *lookView) correlations() (c nbhelpers.Chart, ok bool) {
	r := &v.f.Correlations
	var at []int // indices in r
	for _, j := range v.best {
		if k := slices.Index(r.Columns, j); k >= 0 && len(at) < lookCorrelations {
			at = append(at, k)
		}
	}
	if len(at) < 2 {
		return nbhelpers.Chart{}, false
	}
	slices.Sort(at)
	names := make([]string, len(at))
	for i, k := range at {
		names[i] = chart.Plain(v.f.Columns[r.Columns[k]].Name)
	}
	left := chart.NameColumn(names)
	n := float64(len(at))
	width := math.Min(math.Max(left+22+64*n, 340), chart.DefaultWidth)
	cellW := (width - left - 22) / n
	const cellH = 26.0
	heat := &chart.Cells{Base: chart.Base{Name: "correlation", Z: 2,
		Tip: []string{"{1 in names}", "{0 in names}", "{marker}r = *{2}*"}}, Border: "#ffffff"}
	strongest, pair := 0.0, ""
	for i, a := range at {
		for j, b := range at {
			value := r.R[a][b]
			one := chart.Cell{Row: chart.Row{float64(j), float64(i), chart.Rounded(value, 3)},
				Fill: chart.GridInk, Size: 11, Ink: chart.Ink}
			if !math.IsNaN(value) {
				hue := chart.RGB(0xe08214)
				if value < 0 {
					hue = chart.RGB(0x8073ac)
				}
				fill := chart.Mix(chart.RGB(0xffffff), hue, math.Abs(value))
				one.Fill, one.Ink = chart.HexColor(fill), chart.InkOn(fill)
				label := strings.NewReplacer("-0.00", "0", "0.00", "0", "-0.", "−.", "0.", ".", "-",
					"−").Replace(fmt.Sprintf("%.2f", value))
				if need := chart.TextWidth("−.88", 11) + 2; i != j && need < cellW {
					one.Label, one.Least = label, int(math.Ceil(left+22+need*n))
				}
				if i > j && math.Abs(value) > math.Abs(strongest) {
					strongest, pair = value, names[i]+" and "+names[j]
				}
			}
			heat.Cells = append(heat.Cells, one)
		}
	}
	f := &chart.Figure{Title: "Correlation (Pearson's r)", Subtitle: "orange +1, white 0, purple −1"}
	if len(at) < len(r.Columns) {
		f.Title += fmt.Sprintf(" of %d of %s columns", len(at), words.Count(len(r.Columns)))
	}
	if r.Rows < v.t.Rows {
		f.Subtitle += fmt.Sprintf(" · %s random rows", words.Count(r.Rows))
	}
	f.Add(heat)
	x, y := chart.Axis{Kind: "category", Categories: names, NoLine: true, Turned: true, Sparse: true,
		Room: 110}, chart.NameAxis(names)
	y.NoLine = true
	f.Panels, f.High = []chart.Panel{{X: x, Y: y}}, cellH*n
	// ECharts requires a scale for a heat map, although the cells have their own colours.
	f.Scale = &chart.ColorScale{Hi: 1, Series: 9}
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": names}
	alt := fmt.Sprintf("Correlations of %s", strings.Join(names, ", "))
	if pair != "" {
		alt += fmt.Sprintf(", strongest %.2f of %s", strongest, pair)
	}
	c = f.Chart(alt+".", 0)
	c.Width = int(width)
	return c, true
}
