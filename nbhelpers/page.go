package nbhelpers

import (
	"fmt"
	"html"
	"io"
	"path/filepath"
	"strings"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
)

// Block is a part of a page: a Heading, a Text, a Code, a Table, a PlateDiagram, a
// Chart, Frames of charts, a Grid of blocks or a PageBlock.
type Block interface {
	// block returns the block. It asks id for the id of each of its charts.
	block(id func(Chart) string) part
}

// part is a piece of a page: its HTML, and the code that makes its charts live; see run.
type part struct{ html, code string }

// whole is the HTML of the part with a script for its code.
func (p part) whole() string { return p.html + run(p.code) }

type markup struct{ open, text, close string }

func (m markup) block(func(Chart) string) part {
	return part{html: m.open + html.EscapeString(m.text) + m.close + "\n"}
}

// Heading is a heading below the title of the page.
func Heading(text string) Block { return markup{"<h2>", text, "</h2>"} }

// Text is a paragraph.
func Text(text string) Block { return markup{"<p>", text, "</p>"} }

// Code is a text in a fixed-width font that keeps its lines.
func Code(text string) Block { return markup{"<pre>", text, "</pre>"} }

func (c Chart) block(id func(Chart) string) part { return c.fragment(id(c)) }

// PageBlock is blocks one below the other: what Look finds, or a Report.
type PageBlock struct{ blocks []Block }

// Page puts blocks one below the other.
func Page(blocks ...Block) PageBlock { return PageBlock{blocks} }

// Display shows the blocks as output of the notebook cell. It does nothing outside of a notebook.
func (b PageBlock) Display() { display(b) }

// HTML returns the blocks as a piece of HTML, like Chart.HTML.
func (b PageBlock) HTML() string { return b.block(digest).whole() }

func (b PageBlock) block(id func(Chart) string) (all part) {
	for _, one := range b.blocks {
		p := one.block(id)
		all.html += p.html
		all.code += p.code
	}
	return all
}

// only is a block that is seen on the screen alone, or on paper alone.
type only struct {
	Block
	where string // "screen" or "print"
}

func (o only) block(id func(Chart) string) part {
	p := o.Block.block(id)
	p.html = `<div class="mpcvm-` + o.where + `">` + p.html + "</div>\n"
	return p
}

// The page allows no source but itself, so it cannot reach the network, whatever is in
// it.
const pageHead = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
:root{color-scheme:light dark}
body{margin:0;background:#fff;color:#222;font:16px/1.55 system-ui,"Segoe UI",Helvetica,Arial,sans-serif}
main{max-width:720px;margin:0 auto;padding:28px 16px 48px}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .8em}
h2{font-size:1.2rem;margin:2.2em 0 .6em;padding-bottom:.25em;border-bottom:1px solid #e3e5e8}
p{margin:.7em 0;max-width:42em}
td,th{padding:4px 12px}
:is(main>[style^="overflow-x:auto"],.mpcvm-live .wide){background:linear-gradient(90deg,#fff 20px,#fff0) 0/40px 100%% no-repeat local,linear-gradient(270deg,#fff 20px,#fff0) 100%% 0/40px 100%% no-repeat local,linear-gradient(90deg,#0004,#0000) 0/14px 100%% no-repeat,linear-gradient(270deg,#0004,#0000) 100%% 0/14px 100%% no-repeat}
pre{background:#f5f6f7;padding:10px 14px;border-radius:4px;font-size:.86rem;line-height:1.45;overflow-x:auto}
.mpcvm-chart,.mpcvm-frames,.mpcvm-grid{margin:1.3em 0}
.mpcvm-frames .mpcvm-chart,.mpcvm-grid .mpcvm-chart,.mpcvm-grid .mpcvm-frames{margin:0}
@media screen{.mpcvm-grid,.mpcvm-legend{position:relative;left:50%%;width:calc(100vw - 48px);transform:translateX(-50%%)}.mpcvm-grid .mpcvm-grid,.mpcvm-grid .mpcvm-legend{position:static;width:auto;transform:none}}
@media screen and (prefers-color-scheme:dark){body{background:#101317;color:#e6e9ee}a{color:#7cc0ff}pre{background:#181c22}h2{border-color:#323a45}
.mpcvm-chart,.mpcvm-frames,.mpcvm-legend,:is(main,.mpcvm-screen)>[style^="overflow-x:auto"]{filter:invert(.93) hue-rotate(180deg) saturate(1.2)}.mpcvm-frames .mpcvm-chart{filter:none}:is(main,.mpcvm-screen)>[style^="overflow-x:auto"]{background-color:#fff;color:#222}.mpcvm-live .wide{background:none}}
@page{margin:12mm}
.mpcvm-print{display:none}
@media print{.mpcvm-screen{display:none}.mpcvm-print{display:block}main{padding:0;zoom:.74}h2,pre,tr,.mpcvm-chart{break-inside:avoid}h2{break-after:avoid}}
</style></head><body><main>
`

// checkPage refuses the name of a file that is not HTML.
func checkPage(path, instead string) error {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
		return fmt.Errorf("nbhelpers: %s: the page is HTML, so its name must end in .html; %s", path, instead)
	}
	return nil
}

// WritePage writes a report: one HTML page that needs no network. ECharts is in it if
// there is a chart.
func WritePage(w io.Writer, title string, blocks ...Block) error {
	return writePage(w, title, append([]Block{markup{"<h1>", title, "</h1>"}}, blocks...))
}

func writePage(w io.Writer, title string, blocks []Block) error {
	var b strings.Builder
	fmt.Fprintf(&b, pageHead, html.EscapeString(title))
	charts := 0
	number := func(Chart) string {
		charts++
		return fmt.Sprintf("mpcvm-chart-%d", charts)
	}
	code := ""
	for _, block := range blocks {
		p := block.block(number)
		b.WriteString(p.html)
		code += p.code
	}
	b.WriteString("</main>\n" + run(code))
	if charts > 0 {
		b.WriteString(library())
	}
	b.WriteString("</body></html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// WritePageFile writes a report to a file, whose name must end in .html or .htm. If it fails, an
// existing file keeps its content.
func WritePageFile(path, title string, blocks ...Block) error {
	if err := checkPage(path, "open the page in a browser and print it to get a PDF"); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { return WritePage(w, title, blocks...) })
}
