package main

import (
	"fmt"
	"html"
	"os"
	"path"
	"strings"
)

// document is a Markdown file of the checkout with a page.
type document struct {
	file, part string
}

// documents lists the documents in the order of their page.
var documents = []document{
	{"docs/choose.md", "Guides"}, {"docs/tables.md", "Guides"}, {"docs/deploy.md", "Guides"},
	{"docs/class.md", "Guides"}, {"docs/reproduction.md", "Guides"},
	{"docs/method.md", "Background"}, {"docs/performance.md", "Background"}, {"docs/model.md", "Background"},
	{"docs/reliability.md", "Background"}, {"data/SOURCES.md", "Background"},
	{"SECURITY.md", "The project"}, {"CONTRIBUTING.md", "The project"}, {"CHANGELOG.md", "The project"},
	{"experiments/README.md", "The project"},
}

// path returns the path of the page of a document.
func (d document) path() string {
	name := strings.ToLower(strings.NewReplacer("docs/", "", "/", "-", ".md", "").Replace(d.file))
	return "docs/" + strings.TrimSuffix(name, "-readme") + ".html"
}

// documents makes the pages of the documents and the page that lists them.
func (s *site) documents() {
	const reader = "docs/paper.md" // made here
	s.files[reader] = "docs/paper.html"
	var all []*page
	list, part := "", ""
	add := func(file string, text []byte) {
		p := &page{path: s.files[file], section: "Docs", body: scrolling(s.md.html(text, file, newIDs()))}
		p.title, p.about = titleAndAbout(p.body)
		all = append(all, p)
		list += fmt.Sprintf("<p><a href=%q>%s</a>: %s</p>\n", path.Base(p.path), html.EscapeString(p.title),
			html.EscapeString(p.about))
	}
	add(reader, []byte(paperText(equations())))
	for _, d := range documents {
		if part != d.part {
			part = d.part
			list += "<h2>" + part + "</h2>\n"
		}
		add(d.file, checked(os.ReadFile(d.file)))
	}
	chain(all)
	s.pages = append(append(s.pages, all...), &page{path: "docs/index.html", section: "Docs", title: "Documents",
		about: "Guides, file formats, benchmarks, and the reproduction of the paper.",
		body:  "<h1>Documents</h1>\n" + list})
}
