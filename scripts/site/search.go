package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// search makes the search page and its index: an entry for each page, and for each heading that has an address, with the
// first sentence below it.
func (s *site) search() error {
	index := [][4]string{ // address, title, part of the site, text
		{parts[0].Path, parts[0].Name, "mPCVM", "Draw points and watch a classifier learn them."},
	}
	for _, p := range s.pages {
		doc, err := nethtml.Parse(strings.NewReader(p.body))
		if err != nil {
			return err
		}
		index = append(index, [4]string{p.path, p.title, p.section, p.about})
		var open *[4]string // the heading that has no text yet
		for n := range doc.Descendants() {
			switch n.DataAtom {
			case atom.H2, atom.H3:
				open = nil
				if id := attribute(n, "id"); id != "" {
					title := plain(n)
					if p.section == "API" {
						title, _, _ = strings.Cut(title, " source of ")
					}
					index = append(index, [4]string{p.path + "#" + id, title, p.title})
					open = &index[len(index)-1]
				}
			case atom.P:
				if open != nil && open[3] == "" {
					open[3] = firstSentence(plain(n))
				}
			}
		}
	}
	text, err := json.Marshal(index)
	if err != nil {
		return err
	}
	s.pages = append(s.pages, &page{path: "search.html", title: "Search", about: "Search the site without a server.", module: "search.js",
		body: "<h1><label for=\"query\">Search</label></h1>\n<p><input type=\"search\" id=\"query\" autocomplete=\"off\"></p>\n<p id=\"said\" role=\"status\"></p>\n<ul class=\"found\" id=\"found\"></ul>\n<noscript><p>The search needs JavaScript.</p></noscript>\n"})
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
