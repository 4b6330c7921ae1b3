package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// page is a page of the site.
type page struct {
	path    string // within the site
	title   string
	about   string // a sentence for search engines
	body    string
	code    []string // the code of its charts
	live    bool     // whether its cells run
	table   bool     // whether it opens tables
	section string   // its section in the menu
	before  *page    // the previous page
	after   *page
}

// address is the address of the published site. A test compares it with README and other files.
const address = "https://mpcvm.github.io/mpcvm/"

// part is an entry of the menu.
type part struct{ Name, Path string }

var parts = []part{
	{"Your table", "table/index.html"}, {"Playground", "playground/index.html"},
	{"Notebooks", "notebooks/index.html"}, {"Cards", "cards/index.html"}, {"Docs", "docs/index.html"},
}

// filled executes a template of the folder site.
func filled(name string, data any) string {
	t := template.New(name).Funcs(template.FuncMap{
		"to":   relative,
		"safe": func(s string) template.HTML { return template.HTML(s) }, //nolint:gosec // made by this program
	})
	var b strings.Builder
	check(checked(t.Parse(string(checked(os.ReadFile("site/"+name))))).Execute(&b, data))
	return b.String()
}

// pictures is the part of policy for pictures.
const pictures = "img-src 'self' data:"

// policy allows a page to load files of the site only.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " + pictures +
	"; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'"

// running returns the policy of a page that runs programs in sandboxes, to which it also applies. The page
// can have more scripts, and other pictures.
func running(scripts, images string) string {
	return strings.NewReplacer(pictures, images, "script-src 'self'",
		"script-src 'self' 'wasm-unsafe-eval' "+frameSource()+scripts+"; worker-src 'self' blob:").Replace(policy)
}

// livePolicy returns the policy of a page that runs cells. Because the page shows their output, it does not
// load pictures from any server, and only site/notebook/trusted.js and the two modules that write their own
// HTML convert text to HTML.
func livePolicy() string {
	return running("", "img-src data:") +
		"; require-trusted-types-for 'script'; trusted-types default frame text"
}

// write writes a page and the module with the code of its charts.
func (p *page) write(out string) {
	module := ""
	if len(p.code) > 0 {
		module = strings.TrimSuffix(p.path, ".html") + ".js"
		writeFile(filepath.Join(out, module), fmt.Appendf(nil, "import { run } from %q;\nrun(%s);\n",
			"./"+relative(p.path, "charts.js"), checked(json.Marshal(p.code))))
	}
	rules, icon := policy, relative(p.path, "icon.svg")
	switch {
	case p.live:
		rules = livePolicy()
		icon = "data:image/svg+xml;base64," +
			base64.StdEncoding.EncodeToString(checked(os.ReadFile("site/icon.svg")))
	case p.table:
		rules = tablePolicy()
	}
	writeFile(filepath.Join(out, p.path), []byte(filled("page.html", map[string]any{
		"Icon": template.URL(icon), //nolint:gosec // made by this program
		"Path": p.path, "Address": address + strings.TrimSuffix(p.path, "index.html"), "Title": p.title,
		"About": p.about, "Body": emptyHeader.ReplaceAllString(p.body, "<td></td>"), "Module": module,
		"Section": p.section, "Before": link(p.before), "After": link(p.after), "Parts": parts,
		"Formulas": p.live || strings.Contains(p.body, `class="katex`), "Live": p.live, "Table": p.table,
		"Policy": rules,
	})))
}

func link(p *page) *part {
	if p == nil {
		return nil
	}
	return &part{p.title, p.path}
}

// chain links each page to the previous and the next.
func chain(pages []*page) {
	for i := 1; i < len(pages); i++ {
		pages[i].before, pages[i-1].after = pages[i-1], pages[i]
	}
}

var (
	chartScript = regexp.MustCompile(
		`<script(?:>\(window\.mpcvmWait=window\.mpcvmWait\|\|\[\]\)\.push\("| type="text/plain" class="mpcvm-code">)` +
			`([\w+/=]*)(?:"\))?</script>`)
	emptyHeader = regexp.MustCompile(`<th[^>]*></th>`)
	twoPictures = regexp.MustCompile(
		`<picture><source type="image/svg\+xml" srcset="([^"]*)"><img ([^>]*)src="[^"]*"></picture>`)
	shot = regexp.MustCompile(
		`<img alt="([^"]*)" width="\d+" style="display:block;width:100%;height:auto" src="data:image/png;base64,([^"]*)">`)
	chartHeight = regexp.MustCompile(`\bheight:\d+px`)
	chartDiv    = regexp.MustCompile(`<div class="mpcvm-chart" id="([^"]*)".*?</div>`)
)

// charts removes the scripts and the PNG versions of SVG pictures from the output of nbhelpers. The page
// keeps the code of the scripts.
func (p *page) charts(text string) string {
	for _, m := range chartScript.FindAllStringSubmatch(text, -1) {
		code := gunzipped(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[1])))
		p.code = append(p.code, string(code))
	}
	text = chartScript.ReplaceAllString(text, "")
	// so that it can be scrolled by keys
	text = strings.ReplaceAll(text, `<div style="overflow-x:auto`, `<div tabindex="0" style="overflow-x:auto`)
	text = twoPictures.ReplaceAllString(text, `<img ${2}src="$1">`)
	if strings.Contains(text, "<script") {
		check(fmt.Errorf("%s: a script that is not a chart", p.path))
	}
	return text
}

// thumbnail writes the last picture of a chart in an HTML text as a PNG file next to the page. It returns the
// name of the file and the alternative text.
func (p *page) thumbnail(out, text string) (name, alt string) {
	all := shot.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		check(errors.New(p.path + ": no picture"))
	}
	m := all[len(all)-1]
	name = strings.TrimSuffix(p.path, ".html") + ".png"
	writeFile(filepath.Join(out, name), checked(base64.StdEncoding.DecodeString(m[2])))
	return name, m[1]
}

// last returns the last chart of an HTML text and its code, with another id and a common height for use on
// another page.
func (p *page) last(text, id string) (html, code string) {
	all := chartDiv.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		check(errors.New(p.path + ": no chart"))
	}
	m := all[len(all)-1]
	code = p.code[len(p.code)-1]
	begin := strings.LastIndex(code, `show("`+m[1]+`"`)
	if begin < 0 {
		check(fmt.Errorf("%s: no code of chart %s", p.path, m[1]))
	}
	named := strings.NewReplacer(`"`+m[1]+`"`, `"`+id+`"`)
	return named.Replace(chartHeight.ReplaceAllString(m[0], "height:420px")), named.Replace(code[begin:])
}
