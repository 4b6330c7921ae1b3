package chart

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
)

// Block is an element of a page.
type Block interface {
	// HTML returns the block as an HTML fragment.
	HTML() string
}

// living is a Block with scripts.
type living interface {
	// block returns the block. It calls id for the id of each of its charts.
	block(id func(Chart) string) part
}

// partOf returns a block with its scripts. A page does not run scripts in the HTML of other blocks.
func partOf(b Block, id func(Chart) string) part {
	if b, ok := b.(living); ok {
		return b.block(id)
	}
	return part{html: b.HTML()}
}

// part is a block of a page: its HTML, the code that makes its charts live (see run), and modules,
// which are scripts. Scripts are separate from the HTML because a page allows only these.
type part struct {
	html, code string
	modules    []string
}

// whole returns the HTML of the part with its scripts.
func (p part) whole() string {
	return p.html + p.scripts() + run(p.code)
}

// scripts returns the elements of the modules.
func (p part) scripts() (html string) {
	for _, m := range p.modules {
		html += `<script type="module">` + m + "</script>\n"
	}
	return html
}

// and returns the part followed by q. A module of both is included once.
func (p part) and(q part) part {
	all := part{p.html + q.html, p.code + q.code, slices.Clone(p.modules)}
	for _, m := range q.modules {
		if !slices.Contains(all.modules, m) {
			all.modules = append(all.modules, m)
		}
	}
	return all
}

// Markup is a block of HTML.
type Markup string

// HTML implements Block.
func (m Markup) HTML() string { return string(m) }

// Element returns a text in an HTML element.
func Element(open, text, end string) Markup {
	return Markup(open + html.EscapeString(text) + end + "\n")
}

func (c Chart) block(id func(Chart) string) part { return c.fragment(id(c)) }

// PageBlock is a column of blocks, such as the output of Look or a Report.
type PageBlock struct{ Blocks []Block }

// Display shows the blocks as output of the notebook cell. It does nothing outside a notebook.
func (b PageBlock) Display() { Display(b) }

// HTML returns the blocks as an HTML fragment, like Chart.HTML.
func (b PageBlock) HTML() string { return b.block(digest).whole() }

func (b PageBlock) block(id func(Chart) string) (all part) {
	for _, one := range b.Blocks {
		all = all.and(partOf(one, id))
	}
	return all
}

// Only is a block that is visible only on screen or only in print.
type Only struct {
	Block
	Where string // "screen" or "print"
}

// HTML implements Block.
func (o Only) HTML() string { return o.block(digest).whole() }

func (o Only) block(id func(Chart) string) part {
	p := partOf(o.Block, id)
	p.html = `<div class="mpcvm-` + o.Where + `">` + p.html + "</div>\n"
	return p
}

// Live is a block with a script.
type Live struct {
	// Body returns the HTML of the block for the id of its element.
	Body func(id string) string
	// Module is the script of all blocks of this kind. It finds their elements and must handle each only once.
	Module string
}

// HTML implements Block.
func (l Live) HTML() string { return l.block(digest).whole() }

func (l Live) block(id func(Chart) string) part {
	return part{html: l.Body(id(Chart{})), modules: []string{l.Module}}
}

// The policy of the page forbids access to the network and allows only the scripts whose hashes it
// lists, so text in a name or a cell is never run as a script. Styles cannot be restricted in this
// way, because elements and the tooltips of ECharts have style attributes.
const pageHead = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src %s; base-uri 'none'; form-action 'none'">
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
@media screen and (max-width:600px){:is([style^="overflow-x:auto"],.mpcvm-live .wide)>table{width:max-content;max-width:560px}}
@media (scripting:none){.mpcvm-chart{height:auto!important}}
@page{margin:12mm}
.mpcvm-print{display:none}
@media print{.mpcvm-screen{display:none}.mpcvm-print{display:block}main{padding:0;zoom:.74}h2,pre,tr,.mpcvm-chart{break-inside:avoid}h2{break-after:avoid}}
</style></head><body><main>
`

// checkPage returns an error if the name is not the name of an HTML file.
func checkPage(path, instead string) error {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
		return fmt.Errorf("nbhelpers: %s: the page is HTML, so its name must end in .html; %s", path, instead)
	}
	return nil
}

// WritePage writes a report as one HTML page that needs no network. The page includes ECharts if
// there is a chart. Its content security policy allows only its own scripts.
func WritePage(w io.Writer, title string, blocks ...Block) error {
	return writePage(w, title, append([]Block{Element("<h1>", title, "</h1>")}, blocks...))
}

func writePage(w io.Writer, title string, blocks []Block) error {
	charts := 0
	number := func(Chart) string {
		charts++
		return fmt.Sprintf("mpcvm-chart-%d", charts)
	}
	p := PageBlock{blocks}.block(number)
	body, scripts := p.html+"</main>\n"+p.scripts(), p.modules
	if p.code != "" {
		body += DataBlock("mpcvm-code", p.code) + library()
		scripts = append(scripts, PageScripts()...)
	}
	if hasFunctions(p.code) {
		scripts = append(scripts, made("E,show", p.code))
	}
	_, err := fmt.Fprintf(w, pageHead+"%s</body></html>\n", allowed(scripts), html.EscapeString(title), body)
	return err
}

// allowed returns the source list of a policy that allows these scripts.
func allowed(scripts []string) string {
	if len(scripts) == 0 {
		return "'none'"
	}
	list := make([]string, len(scripts))
	for i, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		list[i] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join(list, " ")
}

// WritePageFile writes a report to a file, whose name must end in .html or .htm. If it fails, an
// existing file is left unchanged.
func WritePageFile(path, title string, blocks ...Block) error {
	if err := checkPage(path, "open the page in a browser and print it to get a PDF"); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { return WritePage(w, title, blocks...) })
}
