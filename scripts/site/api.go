package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"html"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/mpcvm/mpcvm"

// pkg is a public package.
type pkg struct {
	folder string // in the checkout
	fset   *token.FileSet
	doc    *doc.Package
}

func pagePath(folder string) string { return "api/" + strings.ReplaceAll(folder, "/", "-") + ".html" }

func (p *pkg) path() string { return pagePath(p.folder) }

// publicPackages reads the packages that other modules may import.
func publicPackages() ([]*pkg, error) {
	text, err := goTool("list", "-json=ImportPath,Name,Dir", "./mpcvm/...", "./data/...", "./tables/...", "./nbhelpers")
	if err != nil {
		return nil, err
	}
	var all []*pkg
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		var of struct{ ImportPath, Name, Dir string }
		if err := decoder.Decode(&of); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if strings.Contains(of.ImportPath+"/", "/internal/") || of.Name == "main" {
			continue
		}
		p := &pkg{folder: strings.TrimPrefix(of.ImportPath, module+"/"), fset: token.NewFileSet()}
		b, err := build.ImportDir(of.Dir, 0)
		if err != nil {
			return nil, err
		}
		if len(b.GoFiles) == 0 {
			continue
		}
		var files []*ast.File
		for _, name := range slices.Concat(b.GoFiles, b.TestGoFiles, b.XTestGoFiles) {
			f, err := parser.ParseFile(p.fset, filepath.Join(of.Dir, name), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		if p.doc, err = doc.NewFromFiles(p.fset, files, of.ImportPath); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// api makes a page for each public package and their list.
func (s *site) api(packages []*pkg) error {
	rows := ""
	var all []*page
	for _, p := range packages {
		body, err := s.packageBody(p)
		if err != nil {
			return err
		}
		about := p.doc.Synopsis(p.doc.Doc)
		all = append(all, &page{path: p.path(), section: "API", title: "package " + p.folder, about: about, body: body})
		rows += fmt.Sprintf("<tr><td><a href=%q>%s</a></td><td>%s</td></tr>\n", filepath.Base(p.path()), p.folder, html.EscapeString(about))
	}
	chain(all)
	s.pages = append(append(s.pages, all...), &page{path: "api/index.html", section: "API", title: "Packages", about: "The documentation of all public packages.",
		body: "<h1>Packages</h1>\n<p>The module is <code>" + module + "</code>. Every name has the comment of its source.</p>\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>Package</th><th>Contents</th></tr></thead><tbody>\n" + rows + "</tbody></table></div>\n"})
	return nil
}

// packagePage writes the body of a package's page.
type packagePage struct {
	strings.Builder
	*pkg
	site *site
	ids  map[string]bool // of headings in comments
	err  error
}

func (s *site) packageBody(p *pkg) (string, error) {
	w := &packagePage{pkg: p, site: s, ids: map[string]bool{}}
	fmt.Fprintf(w, "<div class=\"api\">\n<h1>package %s</h1>\n", p.folder)
	w.code(fmt.Sprintf("import %q", module+"/"+p.folder))
	w.text(p.doc.Doc, 2)
	w.examples(p.doc.Examples)
	w.index()
	w.values("Constants", "constants", p.doc.Consts)
	w.values("Variables", "variables", p.doc.Vars)
	if len(p.doc.Funcs) > 0 {
		w.WriteString("<h2 id=\"functions\">Functions</h2>\n")
		w.funcs(p.doc.Funcs)
	}
	if len(p.doc.Types) > 0 {
		w.WriteString("<h2 id=\"types\">Types</h2>\n")
	}
	for _, t := range p.doc.Types {
		w.heading("type "+t.Name, t.Name, t.Decl)
		w.fields(t)
		w.declaration(t.Decl)
		w.text(t.Doc, 4)
		w.examples(t.Examples)
		w.declared(slices.Concat(t.Consts, t.Vars))
		w.funcs(t.Funcs)
		w.funcs(t.Methods)
	}
	w.WriteString("</div>\n")
	return w.String(), w.err
}

// index lists what the package exports.
func (w *packagePage) index() {
	item := func(id, text string) {
		fmt.Fprintf(w, "<li><a href=\"#%s\">%s</a></li>\n", id, html.EscapeString(text))
	}
	w.WriteString("<h2 id=\"index\">Index</h2>\n<ul class=\"index\">\n")
	if len(w.doc.Consts) > 0 {
		item("constants", "Constants")
	}
	if len(w.doc.Vars) > 0 {
		item("variables", "Variables")
	}
	for _, f := range w.doc.Funcs {
		item(f.Name, "func "+f.Name)
	}
	for _, t := range w.doc.Types {
		item(t.Name, "type "+t.Name)
		for _, f := range t.Funcs {
			item(f.Name, "func "+f.Name)
		}
		for _, f := range t.Methods {
			item(t.Name+"."+f.Name, "func ("+f.Recv+") "+f.Name)
		}
	}
	w.WriteString("</ul>\n")
}

func (w *packagePage) values(title, id string, values []*doc.Value) {
	if len(values) == 0 {
		return
	}
	fmt.Fprintf(w, "<h2 id=%q>%s</h2>\n", id, title)
	w.declared(values)
}

// declared writes constants or variables.
func (w *packagePage) declared(values []*doc.Value) {
	for _, v := range values {
		for _, name := range v.Names {
			if token.IsExported(name) {
				fmt.Fprintf(w, "<span id=%q></span>", name)
			}
		}
		w.declaration(v.Decl)
		w.text(v.Doc, 4)
	}
}

func (w *packagePage) funcs(all []*doc.Func) {
	for _, f := range all {
		title, id := "func "+f.Name, f.Name
		if f.Recv != "" {
			receiver, _, _ := strings.Cut(strings.TrimPrefix(f.Recv, "*"), "[") // without type parameters
			title, id = "func ("+f.Recv+") "+f.Name, receiver+"."+f.Name
		}
		w.heading(title, id, f.Decl)
		w.declaration(f.Decl)
		w.text(f.Doc, 4)
		w.examples(f.Examples)
	}
}

// heading writes a heading with a link to the source.
func (w *packagePage) heading(title, id string, at ast.Node) {
	pos := w.fset.Position(at.Pos())
	fmt.Fprintf(w, "<h3 id=%q>%s <small><a href=\"%s/blob/main/%s/%s#L%d\">source<span hidden> of %[2]s</span></a></small></h3>\n",
		id, html.EscapeString(title), repository, w.folder, filepath.Base(pos.Filename), pos.Line)
}

// fields writes the places that links to fields and methods of an interface lead to.
func (w *packagePage) fields(t *doc.Type) {
	for _, spec := range t.Decl.Specs {
		spec, ok := spec.(*ast.TypeSpec)
		if !ok || spec.Name.Name != t.Name {
			continue
		}
		var list *ast.FieldList
		switch of := spec.Type.(type) {
		case *ast.StructType:
			list = of.Fields
		case *ast.InterfaceType:
			list = of.Methods
		default:
			continue
		}
		for _, f := range list.List {
			for _, name := range f.Names {
				fmt.Fprintf(w, "<span id=\"%s.%s\"></span>", t.Name, name.Name)
			}
		}
	}
}

func (w *packagePage) declaration(decl ast.Decl) {
	if f, ok := decl.(*ast.FuncDecl); ok {
		f.Body = nil
	}
	w.node(decl)
}

func (w *packagePage) node(n any) {
	var b bytes.Buffer
	if err := format.Node(&b, w.fset, n); err != nil {
		w.err = err
	}
	w.code(b.String())
}

func (w *packagePage) code(code string) {
	text, err := highlighted(code, "go")
	if err != nil {
		w.err = err
	}
	w.WriteString(text)
}

// text writes a comment. Its headings have the given level.
func (w *packagePage) text(of string, level int) {
	w.Write(w.site.comment(w.doc, w.path(), of, level, w.ids))
}

// comment is a Go comment as HTML, on the page at path, which has elements with the given ids.
func (s *site) comment(of *doc.Package, path, text string, level int, ids map[string]bool) []byte {
	p := of.Printer()
	p.HeadingLevel = level
	p.HeadingID = func(h *comment.Heading) string {
		id := h.DefaultID()
		for n := 2; ids[id]; n++ {
			id = fmt.Sprint(h.DefaultID(), n)
		}
		ids[id] = true
		return id
	}
	p.DocLinkURL = func(link *comment.DocLink) string {
		name := link.Name
		if link.Recv != "" {
			name = link.Recv + "." + name
		}
		if name != "" {
			name = "#" + name
		}
		if link.ImportPath == "" || link.ImportPath == of.ImportPath {
			return name
		}
		if page, ok := s.files[strings.TrimPrefix(link.ImportPath, module+"/")]; ok {
			return relative(path, page) + name
		}
		return "https://pkg.go.dev/" + link.ImportPath + name
	}
	return bytes.ReplaceAll(p.HTML(of.Parser().Parse(text)), []byte("<pre>"), []byte(`<pre tabindex="0">`))
}

// examples writes examples with their outputs.
func (w *packagePage) examples(all []*doc.Example) {
	for _, e := range all {
		title := "Example"
		if e.Suffix != "" {
			title += " (" + strings.ReplaceAll(e.Suffix, "_", " ") + ")"
		}
		fmt.Fprintf(w, "<details><summary>%s</summary>\n", html.EscapeString(title))
		w.text(e.Doc, 4)
		if e.Play != nil {
			w.node(e.Play)
		} else {
			w.node(e.Code)
		}
		if e.Output != "" {
			fmt.Fprintf(w, "<p>Output:</p>\n<pre class=\"out\" tabindex=\"0\">%s</pre>\n", html.EscapeString(e.Output))
		}
		w.WriteString("</details>\n")
	}
}
