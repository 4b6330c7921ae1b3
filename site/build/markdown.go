package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/dop251/goja"
	"github.com/mpcvm/mpcvm/internal/compose"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown turns Markdown with formulas into HTML.
type markdown struct {
	goldmark.Markdown
	tex    *typesetter
	pages  map[string]string // the pages of the site, by the files and folders of the checkout
	from   string            // the current file
	faults []string          // links to files that do not exist
}

func newMarkdown(pages map[string]string) *markdown {
	m := &markdown{tex: newTypesetter(), pages: pages}
	m.Markdown = goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithInlineParsers(util.Prioritized(formulas{}, 90)),
			parser.WithASTTransformers(util.Prioritized(m, 100))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(m, 100))))
	return m
}

// html converts a text of a file to HTML. The texts of one page share ids.
func (m *markdown) html(source []byte, from string, ids parser.IDs) string {
	m.from = from
	var out bytes.Buffer
	if err := m.Convert(source, &out, parser.WithContext(parser.NewContext(parser.WithIDs(ids)))); err != nil {
		check(fmt.Errorf("%s: %w", from, err))
	}
	return out.String()
}

// newIDs returns a new set of ids for the headings of a page.
func newIDs() parser.IDs { return parser.NewContext().IDs() }

// Transform implements parser.ASTTransformer. It redirects links to files of the checkout to their pages.
func (m *markdown) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		if l, ok := n.(*ast.Link); ok && entering {
			l.Destination = []byte(m.link(string(l.Destination)))
		}
		return ast.WalkContinue, nil
	})
}

// repository is the address of files without a page.
const repository = "https://github.com/mpcvm/mpcvm"

// link returns the address of a link in the current file.
func (m *markdown) link(to string) string {
	if strings.Contains(to, ":") || strings.HasPrefix(to, "#") {
		return to
	}
	file, fragment, found := strings.Cut(to, "#")
	if found {
		fragment = "#" + fragment
	}
	file = path.Join(path.Dir(m.from), file)
	if page, ok := m.pages[file]; ok {
		return relative(m.pages[m.from], page) + fragment
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		m.faults = append(m.faults, fmt.Sprintf("%s: %v", m.from, err))
		return to
	case isPackage(file):
		return reference + module + "/" + file + fragment
	case info.IsDir():
		return repository + "/tree/main/" + file + fragment
	}
	return repository + "/blob/main/" + file + fragment
}

// isPackage reports whether a folder of the checkout is a Go package that other modules can import.
func isPackage(folder string) bool {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	return err == nil && len(files) > 0 && compose.Importable(folder)
}

// relative returns the address of a page relative to another.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}

// RegisterFuncs implements renderer.NodeRenderer.
func (m *markdown) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(formulaKind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		f := n.(*formula)
		text, err := m.tex.html(f.tex, f.display)
		_, _ = w.WriteString(text)
		return ast.WalkSkipChildren, err
	})
	code := func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		language := ""
		if f, ok := n.(*ast.FencedCodeBlock); ok {
			language = string(f.Language(source))
		}
		_, err := w.WriteString(highlighted(string(n.Lines().Value(source)), language))
		return ast.WalkSkipChildren, err
	}
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
}

// formula is a formula in TeX: $…$, or $$…$$ for a displayed formula.
type formula struct {
	ast.BaseInline
	tex     string
	display bool
}

var formulaKind = ast.NewNodeKind("Formula")

func (f *formula) Kind() ast.NodeKind         { return formulaKind }
func (f *formula) Dump(source []byte, at int) { ast.DumpHelper(f, source, at, nil, nil) }

// formulas parses formulas.
type formulas struct{}

func (formulas) Trigger() []byte { return []byte{'$'} }

func (formulas) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	fence := "$"
	if bytes.HasPrefix(line, []byte("$$")) {
		fence = "$$"
	}
	if len(line) > len(fence) && line[len(fence)] == ' ' {
		return nil // a prompt or a price
	}
	row, at := block.Position()
	block.Advance(len(fence))
	var tex strings.Builder
	for {
		line, _ := block.PeekLine()
		if line == nil {
			block.SetPosition(row, at)
			return nil
		}
		if end := bytes.Index(line, []byte(fence)); end >= 0 {
			tex.Write(line[:end])
			block.Advance(end + len(fence))
			return &formula{tex: tex.String(), display: fence == "$$"}
		}
		tex.Write(line)
		block.AdvanceLine()
	}
}

// katex contains KaTeX 0.19.1 with its style sheet and fonts, which tools/echarts/build.sh takes from npm.
const katex = "site/build/katex"

// typesetter converts TeX to HTML and MathML with KaTeX. MathML alone is not enough: without a mathematical
// font, Chromium shows bold and script letters as plain ones.
type typesetter struct {
	render func(tex string, display bool) (string, error)
	known  map[texKey]string
}

type texKey struct {
	tex     string
	display bool
}

// katexCode is KaTeX as a CommonJS library.
func katexCode() []byte { return gunzipped(checked(os.Open(katex + "/katex.min.js.gz"))) }

func newTypesetter() *typesetter {
	vm := goja.New()
	checked(vm.RunString(string(katexCode())))
	t := &typesetter{known: map[texKey]string{}}
	check(vm.ExportTo(checked(vm.RunString(
		`(tex, displayMode) => katex.renderToString(tex, {displayMode, strict: "error"})`)), &t.render))
	return t
}

// html returns the formula as HTML.
func (t *typesetter) html(tex string, display bool) (string, error) {
	key := texKey{tex, display}
	if s, ok := t.known[key]; ok {
		return s, nil
	}
	s, err := t.render(tex, display)
	// so that it can be scrolled by keys
	s = strings.Replace(s, `<span class="katex-display">`, `<span class="katex-display" tabindex="0">`, 1)
	t.known[key] = s
	return s, err
}

var codeFormat = chromahtml.New(chromahtml.WithClasses(true))

// highlighted returns code as HTML.
func highlighted(code, language string) string {
	lexer := lexers.Get(language)
	if lexer == nil {
		return `<pre class="chroma" tabindex="0"><code>` + html.EscapeString(code) + "</code></pre>\n"
	}
	var out strings.Builder
	check(codeFormat.Format(&out, styles.Get("github"),
		checked(chroma.Coalesce(lexer).Tokenise(nil, strings.TrimRight(code, "\n")+"\n"))))
	return strings.Replace(out.String(), "<pre", `<pre tabindex="0"`, 1) + "\n" // long lines scroll
}

// codeStyle returns the style sheet for highlighted code in both colour schemes.
func codeStyle() []byte {
	var out bytes.Buffer
	for _, s := range [][2]string{{"light", "github"}, {"dark", "github-dark"}} {
		fmt.Fprintf(&out, "@media (prefers-color-scheme: %s) {\n", s[0])
		check(codeFormat.WriteCSS(&out, styles.Get(s[1])))
		out.WriteString("}\n")
	}
	return out.Bytes()
}
