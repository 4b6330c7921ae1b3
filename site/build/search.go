package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/unicode/norm"
)

// searchIndex is the content of search.json.
type searchIndex struct {
	Entries [][4]string `json:"entries"` // address, title, part of the site, first sentence
	// the entries whose text contains the word: the first number, then differences
	Words map[string][]int `json:"words"`
	last  map[string]int   // the last entry of each word
}

// add adds the words of an entry's text. Entries must be added in order.
func (x *searchIndex) add(entry int, text string) {
	for _, w := range searchWords(text) {
		if last, found := x.last[w]; !found || last != entry {
			x.Words[w] = append(x.Words[w], entry-last)
			x.last[w] = entry
		}
	}
}

// searchWords returns the words of a text in lower case without accents, as search.js splits a query. Numbers
// are omitted.
func searchWords(text string) []string {
	text = strings.ToLower(norm.NFKD.String(text))
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, text)
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return slices.DeleteFunc(words, func(w string) bool { return !strings.ContainsFunc(w, unicode.IsLetter) })
}

// page adds an entry for the page and for each heading with an id, with the words below it.
func (x *searchIndex) page(p *page) error {
	doc, err := nethtml.Parse(strings.NewReader(p.body))
	if err != nil {
		return err
	}
	x.Entries = append(x.Entries, [4]string{p.path, p.title, p.section, p.about})
	open := -1 // the heading without a sentence so far
	var walk func(*nethtml.Node)
	walk = func(n *nethtml.Node) {
		if n.Type == nethtml.TextNode {
			x.add(len(x.Entries)-1, n.Data)
		}
		if slices.Contains([]atom.Atom{atom.Pre, atom.Nav, atom.Script, atom.Style}, n.DataAtom) ||
			attribute(n, "class") == "katex" {
			return
		}
		switch id := attribute(n, "id"); {
		case (n.DataAtom == atom.H2 || n.DataAtom == atom.H3) && id != "":
			x.Entries = append(x.Entries, [4]string{p.path + "#" + id, plain(n), p.title})
			open = len(x.Entries) - 1
			return
		case n.DataAtom == atom.P && open >= 0:
			x.Entries[open][3] = firstSentence(plain(n))
			open = -1
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(doc)
	return nil
}

// search makes the search page and its index.
func (s *site) search() error {
	x := searchIndex{Words: map[string][]int{}, last: map[string]int{}}
	for _, p := range append([]*page{{path: parts[0].Path, title: parts[0].Name, section: "mPCVM",
		about: "Draw points and watch a classifier learn them."}}, s.pages...) {
		if p.unlisted {
			continue
		}
		if err := x.page(p); err != nil {
			return err
		}
	}
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	s.pages = append(s.pages, &page{path: "search.html", title: "Search",
		about: "Search the site without a server.", module: "search.js",
		body: "<h1><label for=\"query\">Search</label></h1>\n<p><input type=\"search\" id=\"query\" " +
			"autocomplete=\"off\"></p>\n<p id=\"said\" role=\"status\"></p>\n<ul class=\"found\" " +
			"id=\"found\"></ul>\n<noscript><p>The search needs JavaScript.</p></noscript>\n"})
	return writeFile(filepath.Join(s.out, "search.json"), text)
}

func attribute(n *nethtml.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
