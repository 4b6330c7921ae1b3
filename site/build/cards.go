package main

import (
	"context"
	"errors"
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
	p.HeadingLevel = 2
	p.DocLinkBaseURL = strings.TrimSuffix(reference, "/")
	return strings.ReplaceAll(string(p.HTML(of.Parser().Parse(text))), "<pre>", `<pre tabindex="0">`)
}

// cardNames lists the cards in the order of the gallery.
var cardNames = []string{
	"predict", "sparsity", "regions", "convergence", "kernels", "crossvalidation", "auto", "prior", "costs",
	"missing",
	"explain", "baselines", "large", "save",
}

// readCard reads a program of the gallery.
func readCard(name string) (*card, error) {
	file := "site/cards/" + name + "/main.go"
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	c := &card{name: name}
	last := f.Comments[len(f.Comments)-1]
	c.expected, _ = strings.CutPrefix(last.Text(), "Output:\n")
	title, rest, found := strings.Cut(f.Doc.Text(), "\n\n")
	if !found || last.Pos() < f.Decls[len(f.Decls)-1].End() || c.expected == "" {
		return nil, fmt.Errorf("%s: want a title and a text at the top, and // Output: at the end", file)
	}
	c.title, c.comment = strings.TrimSuffix(strings.ReplaceAll(strings.TrimSpace(title), "\n", " "), "."), rest
	c.source = string(text[fset.Position(f.Package).Offset:fset.Position(last.Pos()).Offset])
	return c, nil
}

// run runs the program in a new folder that contains penguins.csv.
func (c *card) run(binary string) error {
	dir, err := os.MkdirTemp("", "card")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := copyFile(filepath.Join(dir, "penguins.csv"), "data/penguins.csv"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, binary)
	command.Dir = dir
	if c.printed, err = run(command); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		c.charts = append(c.charts, string(text))
	}
	return err
}

// runCards builds and runs all programs of the gallery.
func runCards() ([]*card, error) {
	dir, err := os.MkdirTemp("", "cards")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := goTool("build", "-ldflags=-s -w", "-o", dir+string(filepath.Separator),
		"./site/cards/..."); err != nil {
		return nil, err
	}
	var all []*card
	for _, name := range cardNames {
		c, err := readCard(name)
		if err != nil {
			return nil, err
		}
		if err := c.run(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// cardPages makes the gallery of cards.
func (s *site) cardPages() (err error) {
	if s.cards, err = runCards(); err != nil {
		return err
	}
	tiles := ""
	var pages []*page
	var codes []string
	for _, c := range s.cards {
		if err := errors.Join(s.cardPage(c), s.cardNotebook(c)); err != nil {
			return err
		}
		pages = append(pages, c.page)
		tiles += fmt.Sprintf("<li><div class=\"small\">%s</div><h2><a href=\"%s.html\">%s</a></h2><p>%s</p></li>\n",
			c.chart, c.name, html.EscapeString(c.title), html.EscapeString(c.page.about))
		codes = append(codes, c.code)
	}
	chain(pages)
	s.pages = append(append(s.pages, pages...), &page{path: "cards/index.html", section: "Cards", title: "Cards",
		about: "Short programs with their pictures.", code: codes,
		body: "<h1>Cards</h1>\n<p>Each card is a complete program of about thirty lines with the pictures that " +
			"it draws. You can open it as a notebook in your browser and change it.</p>\n<ul class=\"tiles\">\n" +
			tiles + "</ul>\n"})
	return nil
}

// cardPage makes the page of a card.
func (s *site) cardPage(c *card) error {
	p := &page{path: "cards/" + c.name + ".html", section: "Cards", title: c.title}
	c.page = p
	// The comment may link to names of the packages that the program imports.
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", c.source, 0)
	if err != nil {
		return err
	}
	of, err := doc.NewFromFiles(fset, []*ast.File{f}, module+"/site/cards/"+c.name)
	if err != nil {
		return err
	}
	text := comment(of, c.comment)
	code, err := highlighted(c.source, "go")
	if err != nil {
		return err
	}
	pictures := ""
	for i, file := range c.charts {
		_, body, found := strings.Cut(file, "<main>")
		body, _, ended := strings.Cut(body, "<!-- Apache ECharts")
		if !found || !ended {
			return fmt.Errorf("card %s writes a page without a chart", c.name)
		}
		body = strings.Replace(body, "</main>", "", 1)
		if _, rest, titled := strings.Cut(body, "</h1>"); titled {
			body = rest
		}
		before := len(p.code)
		if body, err = p.charts(body); err != nil {
			return err
		}
		// Each page counts its charts from 1.
		id := fmt.Sprintf("chart-%d-", i+1)
		body = strings.ReplaceAll(body, `"mpcvm-chart-`, `"`+id)
		for j := before; j < len(p.code); j++ {
			p.code[j] = strings.ReplaceAll(p.code[j], `"mpcvm-chart-`, `"`+id)
		}
		pictures += body
	}
	if c.chart, c.code, err = p.last(pictures, "card-"+c.name); err != nil {
		return err
	}
	p.body = "<h1>" + html.EscapeString(c.title) + "</h1>\n" + text +
		"<p class=\"actions\"><a href=\"" + c.name + "-notebook.html\">Open in a notebook</a></p>\n" + code +
		`<pre class="out" tabindex="0">` + html.EscapeString(c.printed) + "</pre>\n" + pictures
	_, p.about, err = titleAndAbout(p.body)
	return err
}
