// Package report makes documents from the results of package assess: an evaluation, a comparison of systems,
// or the explanation of a prediction. A [Document] is made once and has two renderers: text for a terminal
// and a page with charts.
package report

import (
	"io"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// Document is a list of paragraphs, tables and charts.
type Document struct{ parts []part }

// Table is a table of texts with a header.
type Table struct {
	Header []string
	Rows   [][]string
}

// part is one of a heading, a paragraph, a table or a chart.
type part struct {
	heading, text string
	table         Table
	names         int // number of columns at the end whose header is a name
	block         nbhelpers.Block
	media         media
}

// media are where a part is shown.
type media int

const (
	terminal media = 1 << iota
	screen         // the page, but not its print
	paper          // the print of the page
	page     = screen | paper
	all      = terminal | page
)

func (d *Document) add(p part) { d.parts = append(d.parts, p) }

func (d *Document) heading(m media, text string) { d.add(part{heading: text, media: m}) }

func (d *Document) charts(m media, blocks ...nbhelpers.Block) {
	for _, b := range blocks {
		d.add(part{block: b, media: m})
	}
}

// text adds a paragraph, unless it is empty.
func (d *Document) text(m media, text string) {
	if text != "" {
		d.add(part{text: text, media: m})
	}
}

// table adds a table, unless it has no rows.
func (d *Document) table(m media, t Table) { d.named(m, 0, t) }

// named is like table for a table whose last columns have names in the header.
func (d *Document) named(m media, names int, t Table) {
	if len(t.Rows) > 0 {
		d.add(part{table: t, names: names, media: m})
	}
}

// WriteText writes the document for a terminal. If bold is true, cells that end with a star are printed in
// bold with ANSI escape codes.
func (d Document) WriteText(w io.Writer, bold bool) error {
	var list []string
	for _, p := range d.parts {
		switch {
		case p.media&terminal == 0:
		case p.table.Rows != nil:
			header := p.table.Header
			own := len(header) - p.names
			cells := append([][]string{append(tabular.Upper(header[:own]), header[own:]...)}, p.table.Rows...)
			list = append(list, tabular.Text(cells, func(row, column int) bool {
				return bold && strings.HasSuffix(cells[row][column], " *")
			}))
		default:
			list = append(list, p.text+"\n")
		}
	}
	_, err := io.WriteString(w, strings.Join(list, "\n"))
	return err
}

// Page returns the document as a page.
func (d Document) Page() nbhelpers.PageBlock {
	var blocks []nbhelpers.Block
	for _, p := range d.parts {
		b := p.block
		switch {
		case p.media&page == 0:
			continue
		case b != nil:
		case p.heading != "":
			b = nbhelpers.Heading(p.heading)
		case p.table.Rows != nil:
			b = nbhelpers.Table(p.table.Header, p.table.Rows)
		default:
			b = nbhelpers.Text(p.text)
		}
		switch p.media & page {
		case screen:
			b = chart.Only{Block: b, Where: "screen"}
		case paper:
			b = chart.Only{Block: b, Where: "print"}
		}
		blocks = append(blocks, b)
	}
	return nbhelpers.Page(blocks...)
}
