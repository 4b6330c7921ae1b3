package nbhelpers

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// checkXML fails unless s is one well-formed document; it returns its texts.
func checkXML(t *testing.T, s string) (texts string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = true
	for {
		token, err := d.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%.300s", err, s)
		}
		if text, ok := token.(xml.CharData); ok {
			texts += string(text) + "\n"
		}
	}
}

func TestChartsAreSoundAndSmall(t *testing.T) {
	const most, mostSVG = 60_000, 30_000 // bytes, three times those of the largest: thirty charts make a notebook
	again := all(nil)
	for name, c := range all(nil) {
		t.Run(name, func(t *testing.T) {
			if !json.Valid(c.Option()) {
				t.Errorf("option is not JSON: %.300s", c.Option())
			}
			svg, html := c.SVG(), c.HTML()
			checkXML(t, svg)
			if len(svg) > mostSVG || len(html) > most {
				t.Errorf("SVG has %d bytes, HTML %d", len(svg), len(html))
			}
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Error("SVG has a coordinate that is not a number")
			}
			if again[name].HTML() != html {
				t.Error("the same chart made twice differs")
			}
			for _, part := range []string{`class="mpcvm-chart"`, `background:#fff`, `<img alt="`, "data:image/svg+xml,<svg "} {
				if !strings.Contains(html, part) {
					t.Errorf("HTML lacks %s", part)
				}
			}
			if len(c.Alt) < 30 {
				t.Errorf("alt text says little: %q", c.Alt)
			}
			for _, p := range c.figure.panels {
				for _, a := range []axis{p.x, p.y} {
					if a.name == "" && a.kind == "value" && !a.noLabels {
						t.Errorf("an axis has no name: %v", a)
					}
				}
			}
		})
	}
}

// TestNamesAreText puts names that are HTML or JavaScript into every chart and
// looks for them in code.
func TestNamesAreText(t *testing.T) {
	for name, c := range all(hostile) {
		t.Run(name, func(t *testing.T) {
			html := unfolded(c.HTML())
			for _, bad := range []string{"<script>alert", "</script><script", "<img src=x", "[alert(3)", ":alert(3)", ",alert(3)", "(alert(3)"} {
				if strings.Contains(html, bad) {
					t.Errorf("HTML contains %s", bad)
				}
			}
			if n := strings.Count(html, "</script>"); n != 1 {
				t.Errorf("%d ends of scripts, want 1", n)
			}
			texts := checkXML(t, c.SVG())
			if name != "gap" && !strings.Contains(texts, "</script>") && !strings.Contains(texts, "</scr") {
				t.Error("SVG does not show the name")
			}
			if !json.Valid(c.Option()) {
				t.Error("option is not JSON")
			}
			// Tooltips are HTML: what comes from data is in texts or the name of a mark, never in a line.
			if c.figure == nil {
				return
			}
			for _, m := range c.figure.marks {
				for _, line := range m.common().tip {
					if strings.ContainsAny(line, "<>&") {
						t.Errorf("the line %q of a tooltip has a name in it", line)
					}
				}
			}
		})
	}
}

func TestWrap(t *testing.T) {
	bar := charts.NewBar()
	bar.SetGlobalOptions(charts.WithTitleOpts(opts.Title{Title: "Errors <b>"}),
		charts.WithYAxisOpts(opts.YAxis{Name: "error", AxisLabel: &opts.AxisLabel{Formatter: opts.FuncOpts("function(v){return v+' %'}")}}))
	bar.SetXAxis([]string{"Iris", hostile[2], hostile[0]}).
		AddSeries("a", []opts.BarData{{Value: 3.2}, {Value: 0}, {Value: 29.5}}).
		AddSeries("__f__alert(3)__f__", []opts.BarData{{Value: 4}, {Value: 5}, {Value: 6}})
	c := Wrap(bar)
	html := unfolded(c.HTML())
	if !strings.Contains(html, `"formatter":function(v){return v+' %'}`) {
		t.Error("the function given as such is not one")
	}
	if strings.Contains(html, ":alert(3)") || strings.Contains(html, ",alert(3)") || strings.Contains(html, "<script>alert") {
		t.Error("a name became a function or an element")
	}
	texts := checkXML(t, c.SVG())
	for _, want := range []string{"Errors <b>", "Iris", "error", "30"} {
		if !strings.Contains(texts, want) {
			t.Errorf("SVG lacks %q", want)
		}
	}
	if !json.Valid(c.Option()) {
		t.Error("option is not JSON")
	}
}

func TestWrapPanics(t *testing.T) {
	pie := charts.NewPie()
	pie.AddSeries("a", []opts.PieData{{Name: "a", Value: 1}})
	zoomed := charts.NewLine()
	zoomed.SetGlobalOptions(charts.WithDataZoomOpts(opts.DataZoom{}))
	steps := charts.NewHeatMap()
	steps.SetGlobalOptions(charts.WithVisualMapOpts(opts.VisualMap{Type: "piecewise"}))
	for name, c := range map[string]GoECharts{"no pie": pie, "no dataZoom": zoomed, "no piecewise visualMap": steps, "no radar": charts.NewRadar()} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "nbhelpers: ") || !strings.Contains(s, name) {
					t.Errorf("panic is %q", s)
				}
			}()
			Wrap(c)
		})
	}
	for _, c := range []GoECharts{charts.NewLine(), charts.NewBar(), charts.NewScatter(), charts.NewHeatMap(), charts.NewBoxPlot()} {
		checkXML(t, Wrap(c).SVG())
	}
}

// TestWrapKnowsTheBundle compares the lists with what the bundle is built from.
func TestWrapKnowsTheBundle(t *testing.T) {
	b, err := os.ReadFile("../scripts/echarts/echarts.js")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, m := range regexp.MustCompile(`(\w+)Chart\b`).FindAllStringSubmatch(string(b), -1) {
		if kind := strings.ToLower(m[1]); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if !slices.Equal(kinds, chartTypes) {
		t.Errorf("built from %v, listed are %v", kinds, chartTypes)
	}
	parts := map[string]string{"title": "Title", "legend": "Legend", "tooltip": "Tooltip", "grid": "Grid", "xAxis": "Grid", "yAxis": "Grid",
		"axisPointer": "Tooltip", "visualMap": "VisualMapContinuous"}
	for _, c := range components {
		if parts[c] == "" || !strings.Contains(string(b), parts[c]+"Component") {
			t.Errorf("%s is not in the bundle", c)
		}
	}
}

// TestWrapOdd draws options that are unusual.
func TestWrapOdd(t *testing.T) {
	for s, want := range map[string]string{
		`{}`: "",
		`{"xAxis":{},"yAxis":{},"series":[{"type":"line","data":[]}]}`: "",
		`{"xAxis":[{"type":"category","data":["a","b"]}],"yAxis":[{"type":"value"}],"series":[{"type":"line","data":[1,"-",null,3]},{"type":"bar","data":[{"value":-1},2]}]}`:                                                                                                "a",
		`{"xAxis":{"type":"log"},"yAxis":{"type":"log"},"series":[{"type":"scatter","data":[[0,-1],[1,1e300]]}]}`:                                                                                                                                                            "10",
		`{"xAxis":{},"yAxis":{"min":3,"max":3},"series":[{"type":"scatter","xAxisIndex":7,"data":[[1,2]]},{"type":"boxplot","data":[[1,2,3,4,5]]}]}`:                                                                                                                         "only where scripts run: boxplot",
		`{"title":[{"text":"a","left":"center"},{"text":"b"}],"xAxis":{"type":"category","data":[{"value":"x"}]},"yAxis":{"type":"category","data":["y"]},"visualMap":{"min":0},"series":[{"type":"heatmap","data":[["x","y",0.5]]},{"type":"scatter","data":[["x","y"]]}]}`: "only where scripts run: heatmap",
	} {
		var o given
		if err := json.Unmarshal([]byte(s), &o); err != nil {
			t.Fatal(err)
		}
		svg := Wrap(o).SVG()
		if texts := checkXML(t, svg); !strings.Contains(texts, want) {
			t.Errorf("%s shows %s, want %s", s, texts, want)
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s gives a coordinate that is not a number: %s", s, svg)
		}
	}
}

// given is an option in place of a chart of go-echarts.
type given map[string]any

func (given) Validate()              {}
func (g given) JSON() map[string]any { return g }

func TestLibrary(t *testing.T) {
	if !strings.Contains(library(), "Apache ECharts 6.1.0, Copyright The Apache Software Foundation, Apache License 2.0") {
		t.Error("no notice of ECharts")
	}
	if n := len(library()); n > 400_000 {
		t.Errorf("a page with charts has %d bytes more", n)
	}
	for _, file := range []string{"LICENSE", "NOTICE", "LICENSE-d3", "LICENSE-zrender"} {
		if _, err := os.Stat(filepath.Join("echarts", file)); err != nil {
			t.Error(err)
		}
	}
}

var address = regexp.MustCompile(`(?i)(https?:)?//[a-z0-9.-]+\.[a-z]+[^"'\s<]*`)

func TestPageIsOffline(t *testing.T) {
	var blocks []Block
	for _, name := range []string{"convergence", "sparsity", "weights", "regions"} {
		blocks = append(blocks, Heading(name), Text("A <chart>."), all(hostile)[name])
	}
	blocks = append(blocks, Code("a < b"), Table([]string{"<th>"}, [][]string{{"<td>"}}))
	var b bytes.Buffer
	if err := WritePage(&b, "Title & <more>", blocks...); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if n := strings.Count(page, "w.mpcvmLib = "); n != 1 {
		t.Errorf("the library is there %d times", n)
	}
	for _, want := range []string{"<title>Title &amp; &lt;more&gt;</title>", "<p>A &lt;chart&gt;.</p>", "a &lt; b", "&lt;td&gt;", "default-src 'none'", `id="mpcvm-chart-3"`} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %s", want)
		}
	}
	pictures := 0
	whole := regexp.MustCompile(`src="([^"]*)"`).ReplaceAllStringFunc(unfolded(page), func(s string) string {
		picture, err := url.PathUnescape(s)
		if err != nil {
			t.Fatal(err)
		}
		pictures++
		return strings.ReplaceAll(picture, "xmlns='http://www.w3.org/2000/svg'", "")
	})
	if pictures != 4 {
		t.Errorf("%d pictures", pictures)
	}
	rest := regexp.MustCompile(`"[^"'<\\]{1000,}"|base64,[A-Za-z0-9+/=]*`).ReplaceAllString(whole, "")
	if found := address.FindAllString(rest+pageJS, -1); found != nil {
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
	if err != nil || !bytes.HasPrefix(first, []byte("<!DOCTYPE html>")) || !bytes.HasSuffix(first, []byte("</html>\n")) {
		t.Fatalf("file is not a page: %v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
	for _, name := range []string{"x.png", "x.svg", "x.PDF", "x.html.gz", "x", ".html/x"} {
		err := Sparsity(centres{}, 0).WriteFile(filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), "chart.SVG()") {
			t.Errorf("%s: %v", name, err)
		}
		if err := WritePageFile(filepath.Join(dir, name), "x"); err == nil {
			t.Errorf("a page is written to %s", name)
		}
	}
	for _, name := range []string{"y.htm", "Y.HTML"} {
		if err := Sparsity(centres{}, 0).WriteFile(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 3 {
		t.Errorf("%d files are left", len(files))
	}
	if err := WritePageFile(filepath.Join(dir, "none", "x.html"), "x"); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}

func TestTable(t *testing.T) {
	table := Table([]string{"name", "n", "error"}, [][]string{{"<b>", "1,234", "−0.5 ± 0.1 %"}, {"b", "", "–"}, {"c"}})
	table.Caption = "<i>"
	html := table.HTML()
	checkXML(t, html)
	if strings.Contains(html, "<b>") || strings.Contains(html, "<i>") {
		t.Error("a cell is HTML")
	}
	for j, want := range []bool{false, true, true} {
		if table.numeric(j) != want {
			t.Errorf("column %d numeric is %v", j, !want)
		}
	}
	checkXML(t, Table(nil, nil).HTML())
}
