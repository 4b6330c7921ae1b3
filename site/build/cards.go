package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// card is a program of site/cards with its output.
type card struct {
	name     string
	title    string // the first sentence of the comment at the top
	comment  string // the rest
	source   string // without comment and expected output
	expected string // the output in the comment at the end
	printed  string
	charts   []string // the pages that it writes, in the order of their names

	page        *page
	chart, code string // of its tile
}

// module is the path of this project's module, whose packages are documented at reference.
const (
	module    = "github.com/mpcvm/mpcvm"
	reference = "https://pkg.go.dev/"
)

// comment converts a Go comment to HTML. It may link to names of the imported packages.
func comment(of *doc.Package, text string) string {
	p := of.Printer()
	p.HeadingLevel, p.DocLinkBaseURL = 2, strings.TrimSuffix(reference, "/")
	return strings.ReplaceAll(string(p.HTML(of.Parser().Parse(text))), "<pre>", `<pre tabindex="0">`)
}

// cardNames lists the cards in the order of the gallery.
var cardNames = strings.Fields("predict sparsity regions convergence kernels crossvalidation auto prior costs " +
	"missing explain baselines large save")

// readCard reads a program of the gallery.
func readCard(name string) *card {
	file := "site/cards/" + name + "/main.go"
	text := checked(os.ReadFile(file))
	fset := token.NewFileSet()
	f := checked(parser.ParseFile(fset, file, text, parser.ParseComments))
	c := &card{name: name}
	last := f.Comments[len(f.Comments)-1]
	c.expected, _ = strings.CutPrefix(last.Text(), "Output:\n")
	title, rest, found := strings.Cut(f.Doc.Text(), "\n\n")
	if !found || last.Pos() < f.Decls[len(f.Decls)-1].End() || c.expected == "" {
		check(fmt.Errorf("%s: want a title and a text at the top, and // Output: at the end", file))
	}
	c.title, c.comment = strings.TrimSuffix(strings.ReplaceAll(strings.TrimSpace(title), "\n", " "), "."), rest
	c.source = string(text[fset.Position(f.Package).Offset:fset.Position(last.Pos()).Offset])
	return c
}

// run runs the program in a new folder that contains penguins.csv.
func (c *card) run(binary string) {
	dir := checked(os.MkdirTemp("", "card"))
	defer os.RemoveAll(dir)
	copyFile(filepath.Join(dir, "penguins.csv"), "data/penguins.csv")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, binary)
	command.Dir = dir
	c.printed = checked(run(command))
	for _, file := range checked(filepath.Glob(filepath.Join(dir, "*.html"))) {
		c.charts = append(c.charts, string(checked(os.ReadFile(file))))
	}
}

// runCards builds and runs all programs of the gallery.
func runCards() (all []*card) {
	dir := checked(os.MkdirTemp("", "cards"))
	defer os.RemoveAll(dir)
	checked(goTool("build", "-ldflags=-s -w", "-o", dir+string(filepath.Separator), "./site/cards/..."))
	for _, name := range cardNames {
		c := readCard(name)
		c.run(filepath.Join(dir, name))
		all = append(all, c)
	}
	return all
}

// cardPages makes the gallery of cards.
func (s *site) cardPages() {
	s.cards = runCards()
	type tile struct{ Chart, Name, Title, About string }
	var tiles []tile
	var pages []*page
	var codes []string
	for _, c := range s.cards {
		s.cardPage(c)
		s.cardNotebook(c)
		pages, codes = append(pages, c.page), append(codes, c.code)
		tiles = append(tiles, tile{c.chart, c.name, c.title, c.page.about})
	}
	chain(pages)
	s.pages = append(append(s.pages, pages...), &page{path: "cards/index.html", section: "Cards", title: "Cards",
		about: "Short programs with their pictures.", code: codes, body: filled("cards.html", tiles)})
}

// parse parses the program. The package that go/doc makes of another copy, which it changes, lets the comment
// link to names of the packages that the program imports.
func (c *card) parse() (*token.FileSet, *ast.File, *doc.Package) {
	fset := token.NewFileSet()
	parse := func() *ast.File {
		return checked(parser.ParseFile(fset, "main.go", c.source, parser.ParseComments))
	}
	return fset, parse(), checked(doc.NewFromFiles(fset, []*ast.File{parse()}, module+"/site/cards/"+c.name))
}

// cardPage makes the page of a card.
func (s *site) cardPage(c *card) {
	p := &page{path: "cards/" + c.name + ".html", section: "Cards", title: c.title}
	c.page = p
	_, _, of := c.parse()
	pictures := ""
	for i, file := range c.charts {
		_, body, found := strings.Cut(file, "<main>")
		body, _, ended := strings.Cut(body, "<!-- Apache ECharts")
		if !found || !ended {
			check(fmt.Errorf("card %s writes a page without a chart", c.name))
		}
		body = strings.Replace(body, "</main>", "", 1)
		if _, rest, titled := strings.Cut(body, "</h1>"); titled {
			body = rest
		}
		before := len(p.code)
		// Each page counts its charts from 1.
		id := fmt.Sprintf("chart-%d-", i+1)
		pictures += strings.ReplaceAll(p.charts(body), `"mpcvm-chart-`, `"`+id)
		for j := before; j < len(p.code); j++ {
			p.code[j] = strings.ReplaceAll(p.code[j], `"mpcvm-chart-`, `"`+id)
		}
	}
	c.chart, c.code = p.last(pictures, "card-"+c.name)
	p.body = "<h1>" + html.EscapeString(c.title) + "</h1>\n" + comment(of, c.comment) +
		"<p class=\"actions\"><a href=\"" + c.name + "-notebook.html\">Open in a notebook</a></p>\n" +
		highlighted(c.source, "go") + output(c.printed) + pictures
	_, p.about = titleAndAbout(p.body)
}
