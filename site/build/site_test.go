package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

var (
	built string // the folder of the site
	made  *site
)

// TestMain builds the site once, at the top of the checkout.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "site")
		if err == nil {
			defer os.RemoveAll(dir)
			built = filepath.Join(dir, "site")
			err = os.Chdir("../..")
		}
		if err == nil {
			made, err = buildSite(built, false)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// parsed is a page with the ids of its elements.
type parsed struct {
	*nethtml.Node
	ids map[string]bool
}

// pagesOf parses all pages.
func pagesOf(t *testing.T) map[string]parsed {
	t.Helper()
	all := map[string]parsed{}
	err := filepath.WalkDir(built, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".html" {
			return err
		}
		name, err := filepath.Rel(built, file)
		if err != nil {
			return err
		}
		text, err := os.Open(file)
		if err != nil {
			return err
		}
		defer text.Close()
		doc, err := nethtml.Parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p := parsed{doc, map[string]bool{}}
		for n := range doc.Descendants() {
			if id := attribute(n, "id"); id != "" {
				if p.ids[id] {
					t.Errorf("%s has two elements with the id %q", name, id)
				}
				p.ids[id] = true
			}
		}
		all[filepath.ToSlash(name)] = p
		return nil
	})
	must.OK(t, err)
	if len(all) < 70 {
		t.Fatalf("only %d pages", len(all))
	}
	return all
}

func TestPages(t *testing.T) {
	titles := map[string]string{}
	for name, doc := range pagesOf(t) {
		if name == "table/fetch.html" { // a hidden frame
			continue
		}
		h1, title, about, language, viewport := 0, "", "", "", false
		for n := range doc.Descendants() {
			switch n.DataAtom {
			case atom.Html:
				language = attribute(n, "lang")
			case atom.Title:
				title = plain(n)
			case atom.H1:
				h1++
			case atom.Img:
				if !slices.ContainsFunc(n.Attr, func(a nethtml.Attribute) bool { return a.Key == "alt" }) {
					t.Errorf("%s: a picture without a text", name)
				}
			case atom.Meta:
				switch attribute(n, "name") {
				case "description":
					about = attribute(n, "content")
				case "viewport":
					viewport = true
				}
			case atom.Script:
				if (attribute(n, "src") == "" || n.FirstChild != nil) && name != "report.html" {
					t.Errorf("%s: an inline script", name)
				}
			}
		}
		if h1 != 1 || language == "" || title == "" || about == "" || !viewport {
			t.Errorf("%s: %d h1, language %q, title %q, description %q, viewport %v", name, h1, language, title, about,
				viewport)
		}
		if other := titles[title]; other != "" {
			t.Errorf("%s and %s have the title %q", name, other, title)
		}
		titles[title] = name
		if strings.Contains(plain(doc.Node), "$\\") || strings.Contains(plain(doc.Node), "raw HTML omitted") {
			t.Errorf("%s: a formula or HTML that was not converted", name)
		}
	}
}

// TestLinks checks that every address leads to a file, and every anchor to an element.
func TestLinks(t *testing.T) {
	pages, links := pagesOf(t), 0
	check := func(from, to string) {
		u, err := url.Parse(to)
		if err != nil {
			t.Errorf("%s: %v", from, err)
			return
		}
		if u.IsAbs() {
			if u.Scheme != "https" {
				t.Errorf("%s leads to %s", from, to)
			}
			return
		}
		links++
		target := from
		if u.Path != "" {
			target = path.Join(path.Dir(from), u.Path)
		}
		if _, err := os.Stat(filepath.Join(built, filepath.FromSlash(target))); err != nil ||
			strings.HasPrefix(u.Path, "/") {
			t.Errorf("%s links to %s, which does not exist", from, to)
		} else if p, ok := pages[target]; ok && u.Fragment != "" && !p.ids[u.Fragment] {
			t.Errorf("%s links to %s, but %s has no such element", from, to, target)
		}
	}
	for name, doc := range pages {
		for n := range doc.Descendants() {
			for _, key := range []string{"href", "src", "action"} {
				if to := attribute(n, key); to != "" && !strings.HasPrefix(to, "data:") {
					if key != "href" && strings.Contains(to, "://") || loads(n) && strings.Contains(to, "://") {
						t.Errorf("%s loads %s", name, to)
					}
					check(name, to)
				}
			}
		}
	}
	if links < 1400 {
		t.Errorf("only %d links", links)
	}
}

// loads reports whether an element is a link that the browser loads.
func loads(n *nethtml.Node) bool {
	return n.DataAtom == atom.Link && attribute(n, "rel") != "canonical"
}

// TestAddress checks that files use the site's address, and that their links lead to existing pages.
func TestAddress(t *testing.T) {
	files := []string{"README.md", "notebooks/README.md", ".github/workflows/site.yml"}
	for _, pattern := range []string{"CITATION*", "docs/*.md"} {
		more := must.Get(filepath.Glob(pattern))(t)
		files = append(files, more...)
	}
	named := regexp.MustCompile(`https?://[\w.-]*github\.io[^\s)"'<>]*`)
	found := map[string]int{}
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		for _, link := range named.FindAllString(string(text), -1) {
			found[file]++
			page, ours := strings.CutPrefix(link, address)
			page, _, _ = strings.Cut(page, "#")
			if page == "" || strings.HasSuffix(page, "/") {
				page += "index.html"
			}
			if _, err := os.Stat(filepath.Join(built, filepath.FromSlash(page))); !ours || err != nil {
				t.Errorf("%s links to %s, which is not a page of %s", file, link, address)
			}
		}
	}
	if found["README.md"] < 3 {
		t.Errorf("README.md links to %d pages of the site", found["README.md"])
	}
}

// TestLicenses compares the page of licences with the licence files of Go, KaTeX and each npm package.
func TestLicenses(t *testing.T) {
	root := must.Get(goTool("env", "GOROOT"))(t)
	files := []string{filepath.Join(root, "LICENSE"), "site/build/katex/LICENSE",
		"internal/chart/echarts/LICENSE"}
	vendored := must.Get(filepath.Glob("site/build/vendored/*"))(t)
	for _, folder := range vendored {
		more, err := filepath.Glob(filepath.Join(folder, "LICENSE*"))
		if err != nil || len(more) == 0 {
			t.Fatal(folder, more, err)
		}
		files = append(files, more...)
	}
	texts := must.Get(filepath.Glob(filepath.Join(built, "licenses", "*.txt")))(t)
	shown := map[string]bool{}
	for _, file := range texts {
		text := must.Get(os.ReadFile(file))(t)
		shown[string(text)] = true
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || !shown[string(text)] {
			t.Errorf("%s is not among the %d licence texts: %v", file, len(texts), err)
		}
	}
	folder := t.TempDir()
	if _, err := withLicenses(nil, "x", "y", folder); err == nil {
		t.Error("no error for a folder without a licence")
	}
	must.OK(t, os.WriteFile(filepath.Join(folder, "LICENSE"), nil, 0o600))
	if got, err := withLicenses(nil, "x", "y", folder); err != nil || len(got) != 1 ||
		got[0].Name != "x: LICENSE" {
		t.Error(got, err)
	}
}

// maxPage is the limit for a page with everything that it loads, compressed by gzip, in bytes.
const maxPage = 550_000

// TestSizes measures every page except the playground, with the files that it loads. TestInBrowser also
// counts the fonts.
func TestSizes(t *testing.T) {
	imported := regexp.MustCompile(`(?m)^import .* from "([^"]+)"|fetch\("([^"]+)"\)`)
	sizes := map[string]int{}
	var load func(file string, seen map[string]bool) int
	load = func(file string, seen map[string]bool) int {
		if seen[file] {
			return 0
		}
		seen[file] = true
		if _, ok := sizes[file]; !ok {
			sizes[file] = gzippedSize(filepath.Join(built, filepath.FromSlash(file)))
		}
		total := sizes[file]
		if path.Ext(file) == ".js" {
			text := must.Get(os.ReadFile(filepath.Join(built, filepath.FromSlash(file))))(t)
			for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
				total += load(path.Join(path.Dir(file), m[1]+m[2]), seen)
			}
		}
		return total
	}
	worst, at := 0, ""
	for name, doc := range pagesOf(t) {
		if strings.HasPrefix(name, "playground/") {
			continue
		}
		seen := map[string]bool{}
		total := load(name, seen)
		for n := range doc.Descendants() {
			to := attribute(n, "src")
			if loads(n) {
				to = attribute(n, "href")
			}
			if to != "" && !strings.HasPrefix(to, "data:") {
				total += load(path.Join(path.Dir(name), to), seen)
			}
		}
		if total > maxPage {
			t.Errorf("%s loads %d bytes, more than %d", name, total, maxPage)
		}
		if total > worst {
			worst, at = total, name
		}
	}
	t.Logf("the largest page is %s with %d bytes", at, worst)
	if worst < 200_000 {
		t.Error("no page with charts was measured")
	}
}

// TestCards compares the output of the cards with their comments, and looks for the numbers of their texts in
// both.
func TestCards(t *testing.T) {
	folders, err := filepath.Glob("site/cards/*/main.go")
	if err != nil || len(folders) != len(cardNames) {
		t.Fatalf("%d cards, %d in the list: %v", len(folders), len(cardNames), err)
	}
	number := regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
	for _, c := range made.cards {
		if got, want := trimmed(c.printed), trimmed(c.expected); got != want {
			t.Errorf("%s prints\n%s\nbut its comment has\n%s", c.name, got, want)
		}
		for _, n := range number.FindAllString(c.comment, -1) {
			if !strings.Contains(c.source+c.printed, n) {
				t.Errorf("%s: %s is neither in the code nor in its output", c.name, n)
			}
		}
		for line := range strings.Lines(c.source) {
			if len(strings.ReplaceAll(line, "\t", "    ")) > 120 {
				t.Errorf("%s: a line too long for the page: %s", c.name, line)
			}
		}
		if n := strings.Count(c.source, "\n"); n > 60 {
			t.Errorf("%s has %d lines", c.name, n)
		}
	}
}

func trimmed(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// TestFormulas compares the numbers of formulas in notebooks and pages, and checks two formulas.
func TestFormulas(t *testing.T) {
	files, err := filepath.Glob("notebooks/*.ipynb")
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	in := regexp.MustCompile(`(?s)\$\$.+?\$\$|\$[^$]+?\$`)
	for _, file := range files {
		nb := must.Get(ipynb.Read(file))(t)
		want := 0
		for _, c := range nb.Cells {
			if c.Type == "markdown" {
				want += len(in.FindAllString(string(c.Source), -1))
			}
		}
		page := must.Get(os.ReadFile(filepath.Join(built, strings.TrimSuffix(file, ".ipynb")+".html")))(t)
		if got := strings.Count(string(page), "<math "); got != want {
			t.Errorf("%s has %d formulas, its page %d", file, want, got)
		}
	}
	tex := newTypesetter()
	got, err := tex.html(`\frac{a}{\sqrt b}`, false)
	if err != nil || !strings.Contains(got, "<mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac>") {
		t.Error(got, err)
	}
	if _, err := tex.html(`\nonsense`, false); err == nil {
		t.Error("no error for an unknown command")
	}
}
