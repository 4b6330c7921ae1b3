package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

// notebookPages lists the notebooks and registers their pages.
func (s *site) notebookPages() []string {
	files := append(checked(filepath.Glob("notebooks/*.ipynb")),
		checked(filepath.Glob("notebooks/solutions/*.ipynb"))...)
	for _, file := range files {
		s.files[file] = strings.TrimSuffix(file, ".ipynb") + ".html"
	}
	s.files["notebooks"], s.files["notebooks/README.md"] = "notebooks/index.html", "notebooks/index.html"
	s.files["notebooks/solutions"] = "notebooks/solutions/index.html"
	return files
}

// notebooks makes a page for each notebook, and the pages that list them.
func (s *site) notebooks(files []string) {
	type lesson struct{ Path, Title, About, Image, Alt string }
	var tiles []lesson
	var lessons, solutions []*page
	list := ""
	readme := checked(os.ReadFile("notebooks/README.md"))
	for _, file := range files {
		p, body := s.notebook(file, checked(os.ReadFile(file)))
		row := regexp.MustCompile(`\(` + filepath.Base(file) + `\) \| (.*?) \|`).FindSubmatch(readme)
		if row == nil {
			check(fmt.Errorf("notebooks/README.md has no description of %s", file))
		}
		p.about = strings.ReplaceAll(string(row[1]), "`", "")
		s.pages = append(s.pages, p)
		if strings.Contains(file, "/solutions/") {
			p.about = "Solutions of the exercises: " + p.about
			solutions = append(solutions, p)
			list += fmt.Sprintf("<li><a href=%q>%s</a></li>\n", filepath.Base(p.path), html.EscapeString(p.title))
			continue
		}
		lessons = append(lessons, p)
		image, alt := p.thumbnail(s.out, body)
		tiles = append(tiles, lesson{filepath.Base(p.path), p.title, p.about, filepath.Base(image), alt})
	}
	s.lessons = len(lessons)
	chain(lessons)
	chain(solutions)
	title, rest, _ := strings.Cut(s.md.html(readme, "notebooks/README.md", newIDs()), "</h1>")
	s.pages = append(s.pages,
		&page{path: "notebooks/index.html", title: "The notebooks", section: "Notebooks",
			about: "Lessons with live charts that derive the formulas of the classifier and run its code.",
			body: filled("notebooks.html", map[string]any{"Title": title + "</h1>", "Lessons": tiles,
				"Rest": scrolling(rest)})},
		&page{path: "notebooks/solutions/index.html", title: "Solutions of the exercises", section: "Notebooks",
			about: "The solutions of the notebooks' exercises.",
			body:  "<h1>Solutions of the exercises</h1>\n<ul>\n" + list + "</ul>\n"},
		&page{path: "notebooks/new.html", title: "Your own notebook", section: "Notebooks",
			about: "Go cells that run in your browser, with nothing to install. Nothing leaves the page.", live: true,
			body: "<h1>Your own notebook</h1>\n<noscript><p>This page needs JavaScript.</p></noscript>\n" +
				s.live("", nil, "")})
}

// notebook makes the page of a notebook with the given content. It also returns the body with the pictures
// of the charts.
func (s *site) notebook(file string, text []byte) (p *page, body string) {
	var nb ipynb.Notebook
	if err := json.Unmarshal(text, &nb); err != nil {
		check(fmt.Errorf("%s: %w", file, err))
	}
	p = &page{path: s.files[file], section: "Notebooks", live: true}
	ids := newIDs()
	var b strings.Builder
	for _, c := range nb.Cells {
		if c.Type == "markdown" {
			source, open, end := string(c.Source), "", ""
			if m := foldedText.FindStringSubmatch(source); m != nil {
				source, open, end = m[2], "<details><summary>"+html.EscapeString(m[1])+"</summary>\n", "</details>\n"
			}
			fmt.Fprintf(&b, "<section class=\"cell markdown\" data-cell=%q data-source=\"%s\"><div "+
				"class=\"text\">\n%s</div></section>\n", c.ID, html.EscapeString(string(c.Source)),
				scrolling(open+s.md.html([]byte(source), file, ids)+end))
			continue
		}
		code, class := highlighted(string(c.Source), "go"), "cell code"
		switch {
		case !c.Tagged("hide-input"):
		case setsUp(string(c.Source)):
			class += " setup"
			if !strings.Contains(b.String(), setupControl) {
				b.WriteString(setupControl)
			}
		case c.Tagged("answer"):
			code = folded("The finished function") + code
		default:
			code = folded("Code") + code
		}
		if label := ownLabel(c.Metadata.Tags); label != "" {
			class += " own"
			code = label + code
		}
		fmt.Fprintf(&b, "<section class=%q id=\"cell-%s\" data-cell=%q>\n%s<div class=\"outputs\">\n", class, c.ID,
			c.ID, code)
		for _, o := range c.Outputs {
			switch h := o.HTML(); {
			case o.Library(): // which charts.js contains
			case h != "":
				b.WriteString(p.charts(h))
			case o.Text != "":
				b.WriteString(output(string(o.Text)))
			}
		}
		b.WriteString("</div></section>\n")
	}
	cells := b.String()
	p.title, p.about = titleAndAbout(cells)
	// Scripts draw the charts of the page, so it does not need their pictures.
	p.body = s.lead(file, cells) + s.live(file, text, shot.ReplaceAllString(cells,
		`<p class="mpcvm-alt">$1</p>`))
	writeFile(filepath.Join(s.out, file), text)
	return p, cells
}

// output returns the output of a program as HTML.
func output(text string) string {
	return `<pre class="out" tabindex="0">` + html.EscapeString(text) + "</pre>\n"
}

// foldedText matches a text folded under a summary. All other HTML in texts is omitted.
var foldedText = regexp.MustCompile(`(?s)^<details><summary>([^<]*)</summary>\n(.*)\n</details>\s*$`)

// preparing matches the statements of a set-up cell, like setup in ipynb.js.
var preparing = regexp.MustCompile(`(?m)//.*$|^import\s*\([^)]*\)|^import\s.*$|^%.*$|^\s*\w+\.Init\(\)[ \t]*(?://.*)?$`)

// setsUp reports whether a cell only prepares the others, with imports and nbhelpers.Init.
func setsUp(source string) bool {
	return strings.TrimSpace(preparing.ReplaceAllString(source, "")) == ""
}

// ownLabel returns the label of a cell whose tags invite the reader to write in it, like ownLabel in
// cells.js.
func ownLabel(tags []string) string {
	switch {
	case slices.Contains(tags, "yours"):
		return `<p class="own-label">Your turn</p>` + "\n"
	case slices.Contains(tags, "guess"):
		return `<p class="own-label">Your guess</p>` + "\n"
	}
	return ""
}

// folded returns the control above the code of a cell, which shows or hides it.
func folded(summary string) string {
	return "<details class=\"fold\"><summary>" + summary + "</summary></details>\n"
}

// setupControl precedes the first set-up cell of a notebook, and shows or hides all of them. live.js creates
// it for the reader's notebooks.
const setupControl = "<details class=\"setup\"><summary>Set-up</summary></details>\n"

// live returns the element that site/notebook/live.js makes interactive, with the cells of a file or of a
// new notebook.
func (s *site) live(file string, content []byte, cells string) string {
	return fmt.Sprintf("<div id=\"notebook\" data-file=%q data-base=%q data-go=%q data-bytes=%q>\n%s</div>\n",
		file, digest(content), s.kernel.Version, fmt.Sprint(s.kernel.first()), cells)
}

// lessonOf maps notebooks to the playground's lessons on the same subjects.
var lessonOf = map[string][]int{"02": {1, 7}, "03": {2, 3}, "04": {4}, "05": {5}, "06": {6}}

// lead returns the links above a notebook: its contents, its file and related pages.
func (s *site) lead(file, cells string) string {
	list := ""
	for n := range checked(nethtml.Parse(strings.NewReader(cells))).Descendants() {
		if n.DataAtom == atom.H2 {
			list += fmt.Sprintf("<li><a href=\"#%s\">%s</a></li>\n", html.EscapeString(attribute(n, "id")),
				html.EscapeString(plain(n)))
		}
	}
	if list != "" {
		list = "<details><summary>Contents</summary>\n<ul>\n" + list + "</ul></details>\n"
	}
	list += fmt.Sprintf("<a href=%q download>Download</a>\n", filepath.Base(file))
	if name, ok := strings.CutPrefix(file, "cards/"); ok {
		list += fmt.Sprintf("<a href=%q>Back to the card</a>\n", strings.TrimSuffix(name, ".ipynb")+".html")
	} else {
		list += fmt.Sprintf("<a href=\"https://mybinder.org/v2/gh/mpcvm/mpcvm/HEAD?labpath=%s\">Open in "+
			"Binder</a>\n", url.QueryEscape(file))
	}
	for _, n := range lessonOf[filepath.Base(file)[:2]] {
		list += fmt.Sprintf("<a href=\"%s?lesson=%d\">Lesson %d in the playground</a>\n",
			relative(s.files[file], "playground/index.html"), n, n)
	}
	return `<nav class="lead" aria-label="This notebook">` + "\n" + list + "</nav>\n"
}

var aTable = regexp.MustCompile(`(?s)<table>.*?</table>`)

// scrolling puts each table of a Markdown text into a scrolling element.
func scrolling(text string) string {
	return aTable.ReplaceAllString(text, `<div class="wide" tabindex="0">$0</div>`)
}

// titleAndAbout returns the title of a page and the first sentence of its first paragraph that does not begin
// with a link.
func titleAndAbout(body string) (title, about string) {
	for n := range checked(nethtml.Parse(strings.NewReader(body))).Descendants() {
		switch {
		case n.DataAtom == atom.H1 && title == "":
			title = plain(n)
		case n.DataAtom == atom.P && about == "" && title != "" && !strings.HasPrefix(plain(n), "←") &&
			!strings.Contains(plain(n), "→"):
			about = firstSentence(plain(n))
		}
	}
	return title, about
}

// attribute returns the value of an attribute of an element, or "".
func attribute(n *nethtml.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// plain returns the text of an element as read by a screen reader, without the source of formulas.
func plain(n *nethtml.Node) string {
	var b strings.Builder
	var walk func(*nethtml.Node)
	walk = func(n *nethtml.Node) {
		if n.Type == nethtml.TextNode {
			b.WriteString(n.Data)
		}
		if n.Data == "annotation" || attribute(n, "aria-hidden") == "true" ||
			slices.Contains([]atom.Atom{atom.Script, atom.Style}, n.DataAtom) {
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

var sentenceEnd = regexp.MustCompile(`[.?!](\s|$)`)

func firstSentence(text string) string {
	if at := sentenceEnd.FindStringIndex(text); at != nil {
		return text[:at[0]+1]
	}
	return text
}
