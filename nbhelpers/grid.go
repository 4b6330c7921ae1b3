package nbhelpers

import (
	"fmt"
	"strings"
)

// GridBlock is blocks side by side; see Grid.
type GridBlock struct {
	// Columns is the largest number of columns.
	Columns int
	// Blocks are laid out from left to right and then down.
	Blocks []Block

	room int // width of the place, if it is in another grid
}

const gridGap = 16 // CSS pixels between the columns and between the rows

// Grid lays blocks out side by side in at most the given number of columns. Blocks are
// charts, tables or other grids. A narrow page has fewer columns. Charts shrink to their
// column: to at most 440 CSS pixels in two columns, 340 in three, 300 in more. Grid
// panics if columns is less than 1.
func Grid(columns int, blocks ...Block) GridBlock {
	if columns < 1 {
		panic(fmt.Sprintf("nbhelpers: a grid cannot have %d columns", columns))
	}
	return GridBlock{Columns: columns, Blocks: blocks}
}

// Display shows the grid as output of the notebook cell. It does nothing outside of a
// notebook.
func (g GridBlock) Display() { display(g) }

// HTML returns the grid as a piece of HTML, like Chart.HTML.
func (g GridBlock) HTML() string { return g.block(digest).whole() }

// width is the width of a column on a wide page.
func (g GridBlock) width() int {
	n := max(g.Columns, 1)
	wide := []int{defaultWidth, 440, 340, 300}[min(n, 4)-1]
	if g.room > 0 {
		wide = min(wide, max((g.room-(n-1)*gridGap)/n, 1))
	}
	return wide
}

// within is the grid in a place of the given width.
func (g GridBlock) within(width int) Block {
	g.room = width
	return g
}

func (g GridBlock) block(id func(Chart) string) part {
	n, wide := max(g.Columns, 1), g.width()
	var b strings.Builder
	code := ""
	// A column has its share of the width, but at least 300 pixels if it is that wide at
	// all.
	fmt.Fprintf(&b, `<div class="mpcvm-grid" style="display:grid;gap:%dpx;max-width:%dpx;grid-template-columns:repeat(auto-fill,minmax(min(100%%,max(%dpx,calc((100%% - %dpx) / %d))),1fr));align-items:start">`,
		gridGap, n*wide+(n-1)*gridGap, min(wide, 300), (n-1)*gridGap, n)
	for _, block := range g.Blocks {
		if f, ok := block.(interface{ within(width int) Block }); ok {
			block = f.within(wide)
		}
		p := block.block(id)
		b.WriteString(`<div style="min-width:0">` + p.html + "</div>")
		code += p.code
	}
	b.WriteString("</div>\n")
	return part{b.String(), code}
}

// within is the chart in a place of the given width.
func (c Chart) within(width int) Block {
	c.Width = min(c.Width, width)
	return c
}
