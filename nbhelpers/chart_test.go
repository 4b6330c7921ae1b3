package nbhelpers

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
)

func TestChartsAreSoundAndSmall(t *testing.T) {
	again := all(nil)
	for name, c := range all(nil) {
		t.Run(name, func(t *testing.T) {
			drawn.Sound(t, c, again[name])
			if len(c.Alt) < 30 {
				t.Errorf("alternative text is too short: %q", c.Alt)
			}
			for _, p := range chart.FigureOf(c).Panels {
				for _, a := range []chart.Axis{p.X, p.Y} {
					if a.Name == "" && a.Kind == "value" && !a.NoLabels {
						t.Errorf("an axis has no name: %v", a)
					}
				}
			}
		})
	}
}

// TestNamesAreText puts names that are HTML or JavaScript into every chart and checks that they are
// never treated as code.
func TestNamesAreText(t *testing.T) {
	for name, c := range all(drawn.Hostile) {
		t.Run(name, func(t *testing.T) {
			drawn.NamesAreText(t, c)
			texts := drawn.Texts(t, c)
			if name != "gap" && !strings.Contains(texts, "</script>") && !strings.Contains(texts, "</scr") {
				t.Error("the option lacks the name")
			}
			// Tooltips are HTML: text from data is in texts or in the name of a mark, never in a
			// line.
			for _, m := range chart.FigureOf(c).Marks {
				for _, line := range m.Common().Tip {
					if strings.ContainsAny(line, "<>&") {
						t.Errorf("the tooltip line %q contains a name", line)
					}
				}
			}
		})
	}
}

var address = regexp.MustCompile(`(?i)(https?:)?//[a-z0-9.-]+\.[a-z]+[^"'\s<]*`)

func TestPageIsOffline(t *testing.T) {
	var blocks []Block
	for _, name := range []string{"convergence", "sparsity", "weights", "regions"} {
		blocks = append(blocks, Heading(name), Text("A <chart>."), all(drawn.Hostile)[name])
	}
	blocks = append(blocks, Table([]string{"<th>"}, [][]string{{"<td>"}}))
	var b bytes.Buffer
	if err := WritePage(&b, "Title & <more>", blocks...); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if n := strings.Count(page, "w.mpcvmLib = "); n != 1 {
		t.Errorf("the library is included %d times", n)
	}
	for _, want := range []string{"<title>Title &amp; &lt;more&gt;</title>", "<p>A &lt;chart&gt;.</p>",
		"&lt;td&gt;", "default-src 'none'", `id="mpcvm-chart-3"`} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %s", want)
		}
	}
	whole := strings.ReplaceAll(drawn.Unfolded(page), "xmlns='http://www.w3.org/2000/svg'", "")
	rest := regexp.MustCompile(`"[^"'<\\]{1000,}"|base64,[A-Za-z0-9+/=]*`).ReplaceAllString(whole, "")
	if found := address.FindAllString(rest, -1); found != nil {
		t.Errorf("page refers to %v", found)
	}
	b.Reset()
	if err := WritePage(&b, "No chart", Text("text")); err != nil || b.Len() > 4000 {
		t.Errorf("a page without charts has %d bytes, %v", b.Len(), err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "chart.html")
	if err := Sparsity(centres{}, 0).WriteFile(path); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(first, []byte("<!DOCTYPE html>")) ||
		!bytes.HasSuffix(first, []byte("</html>\n")) {
		t.Fatalf("file is not a page: %v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files remain", len(files))
	}
	for _, name := range []string{"x.png", "x.svg", "x.PDF", "x.html.gz", "x", ".html/x"} {
		err := Sparsity(centres{}, 0).WriteFile(filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), "open the page in a browser") {
			t.Errorf("%s: %v", name, err)
		}
		if err := WritePageFile(filepath.Join(dir, name), "x"); err == nil {
			t.Errorf("a page was written to %s", name)
		}
	}
	for _, name := range []string{"y.htm", "Y.HTML"} {
		if err := Sparsity(centres{}, 0).WriteFile(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 3 {
		t.Errorf("%d files remain", len(files))
	}
	if err := WritePageFile(filepath.Join(dir, "none", "x.html"), "x"); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}
