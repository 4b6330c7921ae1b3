package chart

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// GridBlock is blocks side by side; see Grid.
type GridBlock struct {
	Columns int
	Blocks  []Block
	room    int // available width, if it is in another grid
}

const gridGap = 16 // CSS pixels between the columns and between the rows

// Grid implements nbhelpers.Grid.
func Grid(columns int, blocks ...Block) GridBlock {
	defer Readable()
	if columns < 1 {
		panic(fmt.Sprintf("nbhelpers: a grid cannot have %d columns", columns))
	}
	return GridBlock{Columns: columns, Blocks: blocks}
}

// Display shows the grid as output of the notebook cell. It does nothing outside a notebook.
func (g GridBlock) Display() { Display(g) }

// HTML returns the grid as an HTML fragment, like Chart.HTML.
func (g GridBlock) HTML() string { return g.block(digest).whole() }

// width returns the width of a column on a wide page.
func (g GridBlock) width() int {
	n := max(g.Columns, 1)
	wide := []int{DefaultWidth, 560, 360, 300}[min(n, 4)-1]
	if g.room > 0 {
		wide = min(wide, max((g.room-(n-1)*gridGap)/n, 1))
	}
	return wide
}

// within returns the grid for the given width.
func (g GridBlock) within(width int) Block {
	g.room = width
	return g
}

// The grid is a table, so that its columns remain if styles are stripped. Otherwise it is displayed
// as a CSS grid: on a narrow page it has fewer columns. A column has its share of the width, but at
// least narrowest pixels if it is that wide. The table itself claims no width, because it would
// widen a notebook exported to HTML, where outputs are table cells.
const gridTable = `<div class="mpcvm-grid" style="max-width:%dpx">` +
	`<table role="presentation" style="display:grid;width:0;min-width:100%%;max-width:none;gap:%dpx;` +
	`grid-template-columns:repeat(auto-fill,minmax(min(100%%,max(%dpx,calc((100%% - %dpx) / %d))),1fr));` +
	`align-items:start;margin:0;border:0;font-size:inherit;color:inherit">` +
	`<tbody style="display:contents">`

func (g GridBlock) block(id func(Chart) string) (all part) {
	n, wide := max(g.Columns, 1), g.width()
	narrowest := 300
	if n == 2 {
		narrowest = 340
	}
	blocks, legend := g.shared()
	blocks = slices.Clone(blocks)
	for i := range blocks {
		if f, ok := blocks[i].(interface{ within(width int) Block }); ok {
			blocks[i] = f.within(wide)
		}
	}
	for row := range slices.Chunk(blocks, n) {
		align(row)
	}
	var b strings.Builder
	b.WriteString(legend)
	fmt.Fprintf(&b, gridTable, n*wide+(n-1)*gridGap, gridGap, min(wide, narrowest), (n-1)*gridGap, n)
	for i, block := range blocks {
		if i%n == 0 {
			b.WriteString(`<tr style="display:contents">`)
		}
		p := partOf(block, id)
		fmt.Fprintf(&b,
			`<td align="left" valign="top" width="%d%%" style="display:block;width:auto;min-width:0;`+
				`max-width:none;padding:0;border:0;text-align:left;white-space:normal">%s</td>`, 100/n, p.html)
		all = all.and(part{code: p.code, modules: p.modules})
		if i%n == n-1 || i == len(blocks)-1 {
			b.WriteString("</tr>")
		}
	}
	b.WriteString("</tbody></table></div>\n")
	all.html = b.String()
	return all
}

// align gives the charts in a row of the grid the same space for the subtitle and the legend, so
// that their panels line up.
func align(row []Block) {
	two, rows := false, 1
	for _, b := range row {
		if c, ok := b.(Chart); ok && c.figure != nil {
			two, rows = two || c.wraps(), max(rows, c.figure.legendRows(float64(c.Width)))
		}
	}
	for i, b := range row {
		if c, ok := b.(Chart); ok && c.figure != nil {
			c.twoLines, c.legendRows = two && c.figure.Subtitle != "", rows
			row[i] = c
		}
	}
}

// shared returns the blocks, and the common legend of the charts if their legends are equal, or if
// each has at least two entries in common with the longest. The charts are then returned without
// their legends.
func (g GridBlock) shared() (blocks []Block, legend string) {
	keys := map[string]string{} // HTML of the entries by name
	var names []string          // names of the entries
	var legends [][]string
	for _, block := range g.Blocks {
		c, ok := block.(Chart)
		if !ok || !c.hasLegend() {
			continue
		}
		legends = append(legends, c.figure.Legend)
		for _, name := range c.figure.Legend {
			key := c.figure.keyHTML(name)
			if there, ok := keys[name]; ok && there != key {
				return g.Blocks, ""
			}
			keys[name] = key
		}
	}
	slices.SortStableFunc(legends, func(a, b []string) int { return len(b) - len(a) })
	if len(legends) < 2 || len(legends[0]) < 2 {
		return g.Blocks, ""
	}
	for _, entries := range legends {
		common := 0
		for _, name := range entries {
			if slices.Contains(legends[0], name) {
				common++
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if common < min(2, len(entries)) {
			return g.Blocks, ""
		}
	}
	blocks = slices.Clone(g.Blocks)
	for i, block := range blocks {
		if c, ok := block.(Chart); ok && c.hasLegend() {
			blocks[i] = c.withoutLegend()
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		`<div class="mpcvm-legend" style="display:flex;flex-wrap:wrap;gap:4px 14px;max-width:%dpx;`+
			`padding:6px 8px 2px;background:#fff;color:%s;font:12px/1.4 %s">`,
		g.Columns*g.width()+(g.Columns-1)*gridGap-16, Ink, html.EscapeString(fontFamily))
	for _, name := range names {
		b.WriteString(keys[name])
	}
	b.WriteString("</div>\n")
	return blocks, b.String()
}

func (c Chart) hasLegend() bool {
	return c.figure != nil && len(c.added()) == 0 && len(c.figure.Legend) > 0
}

// keyHTML returns an entry of the legend as HTML.
func (f *Figure) keyHTML(name string) string {
	const high = SymbolSide + 4
	wide := int(f.KeyWidth)
	svg := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" `+
		`viewBox="%d %d %[1]d %[2]d">%[5]s</svg>`, wide, high, -wide/2, -high/2, key(f.Named(name), f.KeyWidth-2))
	return fmt.Sprintf(`<span style="display:inline-flex;align-items:center;gap:5px;overflow-wrap:anywhere">`+
		`<img alt="" width="%d" height="%d" style="flex:none;margin:0" src="%s"> %s </span>`,
		wide, high, SVGURL(svg), html.EscapeString(Shortened(name, 12, 240)))
}

// key returns the symbol of a mark in a legend as SVG, with the given width and centred at the
// origin.
func key(m Mark, wide float64) string {
	switch m := m.(type) {
	case *Line:
		dashes := ""
		if m.Dashed {
			dashes = ` stroke-dasharray="5 4"`
		}
		svg := fmt.Sprintf(`<path d="M%s 0h%s" stroke="%s" stroke-width="%s"%s/>`, XY(-wide/2), XY(wide),
			clean(m.Color), XY(m.Width), dashes)
		if m.Marker.Name != "" {
			svg += m.Marker.svg(9, m.Color, "none", 0)
		}
		return svg
	case *Dots:
		return m.Marker.svg(min(wide, SymbolSide, m.Size), m.Color, cmp.Or(m.Rim, "none"), m.RimWide)
	case *Bars:
		return fmt.Sprintf(`<path d="M%s -%dh%sv%dH%[1]sz" fill="%[5]s"/>`, XY(-wide/2), SymbolSide/2, XY(wide),
			SymbolSide, clean(m.Color))
	}
	return ""
}

// svg returns the symbol with the given size, centred at the origin.
func (s Symbol) svg(size float64, fill, rim string, rimWide float64) string {
	if fill == "transparent" {
		fill = "none"
	}
	d, polygon := strings.CutPrefix(s.Name, "path://")
	if !polygon {
		d = "M-1 0a1 1 0 0 1 2 0a1 1 0 0 1-2 0"
	}
	return fmt.Sprintf(`<path d="%s" transform="scale(%s)" fill="%s" stroke="%s" stroke-width="%.2f"/>`,
		d, XY(size/2), clean(fill), clean(rim), 2*rimWide/size)
}

// within returns the chart for the given width.
func (c Chart) within(width int) Block {
	c.Width = min(c.Width, width)
	return c
}
