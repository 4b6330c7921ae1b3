// Package report makes documents from the results of package eval: an evaluation, a comparison of systems,
// or the explanation of a prediction. A [Document] is made once and has two renderers: text for a terminal
// and a page with charts.
package report

import (
	_ "embed"
	"io"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

//go:embed report.css
var css string

// Document is a list of paragraphs, tables and charts, which may be in folds.
type Document struct{ parts []part }

// Table is a table of texts with a header.
type Table struct {
	Header []string
	Rows   [][]string
}

// part is one of the start of a fold, a heading, a paragraph, a table or a chart.
type part struct {
	fold          string // its name in the list of contents
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

// fold starts a section of the page that is closed at first.
func (d *Document) fold(name, heading string) { d.add(part{fold: name, heading: heading, media: page}) }

func (d *Document) heading(m media, text string) { d.add(part{heading: text, media: m}) }

func (d *Document) charts(m media, blocks ...nbhelpers.Block) {
	for _, b := range blocks {
		d.add(part{block: b, media: m})
	}
}

func (d *Document) text(m media, text string) {
	if text != "" {
		d.add(part{text: text, media: m})
	}
}

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

// Page returns the document as a page. What is before the first fold, if any, is always visible.
func (d Document) Page() nbhelpers.PageBlock {
	first := slices.IndexFunc(d.parts, func(p part) bool { return p.fold != "" })
	if first < 0 {
		return nbhelpers.Page(onPage(d.parts, nbhelpers.Heading)...)
	}
	within := func(open string, parts []part, end string) nbhelpers.Block {
		subheading := func(text string) nbhelpers.Block { return chart.Element("<h3>", text, "</h3>") }
		return chart.Within{Block: nbhelpers.Page(onPage(parts, subheading)...), Open: open, End: end + "\n"}
	}
	var contents chart.Markup
	link := func(name string) (id string) {
		id = strings.ReplaceAll(strings.ToLower(name), " ", "-")
		contents += chart.Element(`<a href="#`+id+`">`, name, "</a>")
		return id
	}
	sections := []nbhelpers.Block{within(`<div class="mpcvm-verdict" id="`+link("Verdict")+`">`, d.parts[:first],
		"</div>")}
	for rest := d.parts[first:]; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].fold == "" {
			n++
		}
		head := chart.Element(`<details class="mpcvm-fold"><summary><h2>`, rest[0].heading, "</h2></summary>")
		sections = append(sections, within(string(head)+`<div id="`+link(rest[0].fold)+`">`, rest[1:n],
			"</div></details>"))
		rest = rest[n:]
	}
	nav := chart.Within{Block: contents, Open: `<nav class="mpcvm-contents" aria-label="Contents">`,
		End: "</nav>\n"}
	return nbhelpers.Page(chart.Within{Block: nbhelpers.Page(append([]nbhelpers.Block{nav}, sections...)...),
		Open: "<style>\n" + css + "</style>\n" + `<div class="mpcvm-report">`, End: "</div>\n"})
}

func onPage(parts []part, heading func(string) nbhelpers.Block) (blocks []nbhelpers.Block) {
	for _, p := range parts {
		b := p.block
		switch {
		case p.media&page == 0:
			continue
		case b != nil:
		case p.heading != "":
			b = heading(p.heading)
		case p.table.Rows != nil:
			b = nbhelpers.Table(p.table.Header, p.table.Rows)
		default:
			b = nbhelpers.Text(p.text)
		}
		switch p.media & page {
		case screen:
			b = chart.Within{Block: b, Open: `<div class="mpcvm-screen">`, End: "</div>\n"}
		case paper:
			b = chart.Within{Block: b, Open: `<div class="mpcvm-print">`, End: "</div>\n"}
		}
		blocks = append(blocks, b)
	}
	return blocks
}
