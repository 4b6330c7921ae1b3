package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestKernel runs cells in the kernel of the live notebooks, in Chromium: Go's compiler and linker in a page.
func TestKernel(t *testing.T) {
	frame := frameSource()
	files := http.NewServeMux()
	files.Handle("/", http.FileServer(http.Dir(built)))
	files.HandleFunc("/kernel.html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; script-src 'self' 'wasm-unsafe-eval' "+frame+"; worker-src 'self' blob:; "+
				"connect-src 'self'; img-src 'self'")
		_, _ = w.Write([]byte(`<!DOCTYPE html><title>kernel</title><link rel="icon" href="icon.svg">`))
	})
	files.HandleFunc("/t.xlsx", func(w http.ResponseWriter, _ *http.Request) {
		book := excelize.NewFile()
		for i, row := range [][]any{{"a", "b"}, {1, 3}, {2, 5}} {
			must.OK(t, book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row))
		}
		must.OK(t, book.Write(w))
	})
	server := httptest.NewServer(files)
	defer server.Close()
	out := must.Get(script(t, "kernel.mjs", "chrome", server.URL).Output())(t)
	var seen struct {
		Faults  []string
		Files   []map[string]any
		Results map[string]struct {
			Status, Stdout, Stderr string
			Displays               int
			Notes                  []string
			Errors                 []map[string]any
			Seconds                map[string]float64
		}
	}
	must.OK(t, json.Unmarshal(out, &seen))
	if len(seen.Faults) > 0 {
		t.Error(seen.Faults)
	}
	set := must.Load(t, "iris")
	model, fit, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(t.Context(),
		mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	for name, want := range map[string]string{ // the status and the output
		"declares": "ok", "fits": fmt.Sprintf("ok %d %v 8 <nil>\n", model.WeightCount(),
			fit.Status), "is wrong": "error", "is stopped": "stopped begins\n",
		"panics": "error before\npanic: runtime error: index out of range [2] with length 0\n\tthird: cell d, " +
			"line 2\n\tmain: cell d, line 6\n",
		"writes": "ok", "reads": "ok 2 <nil>\ntrue <nil>\ntrue <nil>\n", "reads a workbook": "ok 2 [a b] <nil>\n",
		"imports what is not there": "error", "fetches a package": "ok 3\n",
	} {
		r := seen.Results[name]
		t.Logf("%s: %.2v s", name, r.Seconds)
		if got := strings.TrimSuffix(r.Status+" "+r.Stdout+r.Stderr, " "); got != want {
			t.Errorf("the cell that %s: %q, want %q; %v", name, got, want, r.Errors)
		}
	}
	flood := seen.Results["floods"] // neither the outputs nor the text of a cell fill the page
	if n := len(flood.Stdout); flood.Displays != 1000 || n < 4<<20 || n > 4<<20+200 ||
		strings.Count(flood.Stdout, "output truncated") != 2 {
		t.Errorf("a flood: %d displays, %d bytes of text", flood.Displays, n)
	}
	wrong := []map[string]any{
		{"cell": "c", "line": 3.0, "column": 1.0, "text": "declared and not used: x"},
		{"cell": "c", "line": 4.0, "column": 13.0, "text": "undefined: twise"},
	}
	if got := seen.Results["is wrong"].Errors; !reflect.DeepEqual(got, wrong) {
		t.Errorf("%v", got)
	}
	if got := seen.Results["declares"].Notes; len(got) != 1 || !strings.Contains(got[0], "shell") {
		t.Errorf("%v", got)
	}
	if len(seen.Files) != 2 || !reflect.DeepEqual(seen.Files[0], map[string]any{"name": "t.csv", "size": 12.0,
		"own": false}) || seen.Files[1]["own"] != true {
		t.Errorf("%v", seen.Files)
	}
	if got := seen.Results["imports what is not there"].Errors; len(got) != 1 || got[0]["line"] != 1.0 ||
		!strings.Contains(got[0]["text"].(string), "run the notebook in Jupyter") {
		t.Errorf("%v", got)
	}
}
