package nbhelpers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
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
	must.OK(t, WritePage(&b, "Title & <more>", blocks...))
	page := b.String()
	must.Equal(t, strings.Count(page, "w.mpcvmLib = "), 1)
	must.Contain(t, page, "<title>Title &amp; &lt;more&gt;</title>", "<p>A &lt;chart&gt;.</p>",
		"&lt;td&gt;", "default-src 'none'", `id="mpcvm-chart-3"`)
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
	must.OK(t, Sparsity(centres{}, 0).WriteFile(path))
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

// TestMarksInBothOutputs checks that each mark of a figure is a series of the option, in its panel.
func TestMarksInBothOutputs(t *testing.T) {
	for name, c := range all(nil) {
		var o struct{ Series, Grid, XAxis, YAxis []any }
		must.OK(t, json.Unmarshal(c.Option(), &o))
		if len(o.Series) != len(chart.FigureOf(c).Marks) || len(o.Grid) != len(chart.FigureOf(c).Panels) ||
			len(o.XAxis) != len(o.Grid) || len(o.YAxis) != len(o.Grid) {
			t.Errorf("%s: %d series for %d marks, %d grids for %d panels", name, len(o.Series),
				len(chart.FigureOf(c).Marks), len(o.Grid), len(chart.FigureOf(c).Panels))
		}
		for _, entry := range chart.FigureOf(c).Legend {
			if chart.FigureOf(c).Named(entry) == nil {
				t.Errorf("%s: no mark is named %q, as the legend says", name, entry)
			}
		}
	}
}

// TestStretched checks that at other heights the panels of a chart keep their shares of the height,
// and that the names of y axes stay within their panels and a margin, below the legend.
func TestStretched(t *testing.T) {
	for name, c := range all(nil) {
		if len(chart.FigureOf(c).Panels) < 2 {
			continue
		}
		whole, _, height := chart.Laid(c)
		share := func(f *chart.Figure, height, i int) float64 {
			total := 0.0
			for _, p := range f.Panels {
				total += float64(height) - p.Top - p.Bottom
			}
			return (float64(height) - f.Panels[i].Top - f.Panels[i].Bottom) / total
		}
		for _, high := range []int{340, 400, 700} {
			c.Width, c.Height = 400, high
			f, _, h := chart.Laid(c)
			for i, p := range f.Panels {
				if was, is := share(whole, height, i), share(f, h, i); is < was-1e-9 || is > was+1e-9 {
					t.Errorf("%s, %d pixels high: panel %d has %.3f of the total height, was %.3f",
						name, high, i, is, was)
				}
				high := float64(h) - p.Top - p.Bottom
				if above := (chart.TextWidth(p.Y.Name, 12) - high) / 2; i == 0 &&
					p.Top-above < f.LegendTop+chart.SymbolSide {
					t.Errorf("%s, %d pixels high: %q reaches %.0f pixels above its panel, into the legend",
						name, h, p.Y.Name, above)
				}
				if i > 0 && p.Top < float64(h)-f.Panels[i-1].Bottom {
					t.Errorf("%s, %d pixels high: panel %d overlaps the one above it", name, h, i)
				}
			}
		}
	}
}

// TestFramesAreSmall checks the size of twenty models over θ.
func TestFramesAreSmall(t *testing.T) {
	set := must.Load(t, "overlap")
	var frames []Frame
	separate := 0
	for i := range 20 {
		m, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: .2 * float64(i+1)},
			MaxIterations: 30}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T})
		must.OK(t, err)
		frames = append(frames,
			Frame{Label: fmt.Sprint(i), Chart: Regions(m, set, RegionsOptions{Cells: 80})})
		separate += len(frames[i].Chart.HTML())
	}
	if n := len(Frames(frames, FramesOptions{}).HTML()); n > separate*2/3 {
		t.Errorf("twenty frames have %d bytes, the charts %d", n, separate)
	} else {
		t.Logf("%d bytes of %d", n, separate)
	}
}
