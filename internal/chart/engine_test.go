package chart

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestLibrary(t *testing.T) {
	if !strings.Contains(library(),
		"Apache ECharts 6.1.0, Copyright The Apache Software Foundation, Apache License 2.0") {
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

func TestTable(t *testing.T) {
	table := TableBlock{Caption: "<i>", Header: []string{"name", "n", "error"},
		Rows: [][]string{{"<b>", "1,234", "−0.5 ± 0.1 %"}, {"b", "", "–"}, {"c"}}}
	html := table.HTML()
	drawn.CheckXML(t, html)
	if strings.Contains(html, "<b>") || strings.Contains(html, "<i>") {
		t.Error("a cell is HTML")
	}
	for j, want := range []bool{false, true, true} {
		if table.numeric(j) != want {
			t.Errorf("column %d numeric is %v", j, !want)
		}
	}
	drawn.CheckXML(t, TableBlock{}.HTML())
}

// TestScript checks that functions become code, and that strings that look like functions stay
// strings.
func TestScript(t *testing.T) {
	fake := jsMark + `"alert(1)"}`
	o := map[string]any{"a": JS(`function(){return "<b>"}`), "b": fake, "c": []any{JS("f"), Row{1, 2}},
		fake: 1}
	for asJSON, want := range map[bool]string{
		false: `{"a":function(){return "<b>"},"b":"{\"nbhelpers function\":\"alert(1)\"}","c":[f,[1,2]],"{\"nbhelpers function\":\"alert(1)\"}":1}`,
		true:  `{"a":"function(){return \"\u003cb\u003e\"}","b":"{\"nbhelpers function\":\"alert(1)\"}","c":["f",[1,2]],"{\"nbhelpers function\":\"alert(1)\"}":1}`,
	} {
		if got := string(script(o, asJSON)); got != want {
			t.Errorf("asJSON %v: %s, want %s", asJSON, got, want)
		}
	}
}

func TestInNotebook(t *testing.T) {
	t.Setenv("GONB_JUPYTER_KERNEL_ID", "")
	if Here.Interactive() {
		t.Error("interactive without a browser")
	}
	t.Setenv("GONB_JUPYTER_KERNEL_ID", "1")
	if !Here.Interactive() {
		t.Error("not interactive with a browser")
	}
}

var webAddress = regexp.MustCompile(`(?i)(https?:)?//[a-z0-9.-]+\.[a-z]+[^"'\s<]*`)

func TestPageScriptIsOffline(t *testing.T) {
	if found := webAddress.FindAllString(pageJS, -1); found != nil {
		t.Errorf("page.js refers to %v", found)
	}
}

// TestPacked checks that packed code and the embedded ECharts can be unpacked.
func TestPacked(t *testing.T) {
	for _, code := range []string{"", "a", strings.Repeat("show(\"é\");", 500)} {
		must.Equal(t, drawn.Unfold(Packed(code)), code)
	}
	if !strings.Contains(unzipped(echartsGzip), "6.1.0") {
		t.Error("the embedded ECharts is not of version 6.1.0")
	}
}
