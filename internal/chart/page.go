package chart

import (
	"crypto/sha256"
	_ "embed"
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

// Within is a block in an element, which Open and End begin and end.
type Within struct {
	Block
	Open, End string
}

// HTML implements Block.
func (w Within) HTML() string { return w.block(digest).whole() }

func (w Within) block(id func(Chart) string) part {
	p := partOf(w.Block, id)
	p.html = w.Open + p.html + w.End
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

// pageHead is the page up to its content. Its policy forbids access to the network and allows only the
// scripts whose hashes it lists, so text in a name or a cell is never run as a script. Styles cannot be
// restricted in this way, because elements and the tooltips of ECharts have style attributes.
//
//go:embed page.html
var pageHead string

// checkPage returns an error if the name is not the name of an HTML file.
func checkPage(path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
		return fmt.Errorf("nbhelpers: %s: the page is HTML, so its name must end in .html; open the page in a "+
			"browser to print it or to take a picture of it", path)
	}
	return nil
}

// WritePage implements nbhelpers.WritePage.
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
	head := strings.NewReplacer("POLICY", allowed(scripts), "TITLE", html.EscapeString(title)).Replace(pageHead)
	_, err := io.WriteString(w, head+body+"</body></html>\n")
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

// WritePageFile implements nbhelpers.WritePageFile.
func WritePageFile(path, title string, blocks ...Block) error {
	if err := checkPage(path); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { return WritePage(w, title, blocks...) })
}
