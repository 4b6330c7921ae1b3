package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// TestLiveNotebook uses a live notebook like a reader: it edits, runs, adds and moves cells, reloads the
// page, saves, opens and shares notebooks, and works in two tabs and offline.
func TestLiveNotebook(t *testing.T) {
	files := http.FileServer(http.Dir(built))
	var down atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			panic(http.ErrAbortHandler) // the connection breaks
		}
		down.Store(r.URL.Path == "/down")
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	var out []byte
	// on a busy machine, a browser may lose the focus or a key, and the script then waits in vain
	for try := 1; ; try++ {
		down.Store(false)
		command := script(t, "notebook.mjs", "chrome", server.URL)
		command.Env = append(os.Environ(), "PATIENCE=120")
		var err error
		if out, err = command.Output(); err == nil {
			break
		}
		if try == 3 {
			t.Fatal(err)
		}
		t.Logf("try %d: %v", try, err)
	}
	var seen struct {
		Faults, FaultsOfCell []string
		Printed, Offline     string
		Same                 bool
		File                 ipynb.Notebook
	}
	must.OK(t, json.Unmarshal(out, &seen))
	for _, fault := range seen.Faults {
		t.Error(fault)
	}
	if want := []string{"Line 3: declared and not used: x", "Line 4: undefined: nowhere"}; !reflect.DeepEqual(
		seen.FaultsOfCell, want) {
		t.Errorf("errors %q", seen.FaultsOfCell)
	}
	if seen.Printed != "é 2\naside\n" || seen.Offline != "offline\n" {
		t.Errorf("printed %q, offline %q", seen.Printed, seen.Offline)
	}
	if !seen.Same || len(seen.File.Cells) < 3 {
		t.Errorf("a notebook of %d cells changes when it is saved and opened: %v", len(seen.File.Cells),
			!seen.Same)
	}

}

// magnified is the notebook whose searches amplify rounding errors. WebAssembly does not use our assembly, so
// sums are rounded differently and three of its numbers differ slightly. Its cells must only run.
const magnified = "08-many-classes"

// TestNotebooksInPage runs the cells of notebooks in the page and compares their texts and tables with the
// committed outputs from GoNB. It runs one notebook, or with MPCVM_BROWSERS all of them in Chromium and
// Firefox, which takes an hour.
func TestNotebooksInPage(t *testing.T) {
	browsers, files := []string{"chrome"}, []string{"notebooks/solutions/02-principle-and-prior.ipynb"}
	if os.Getenv("MPCVM_BROWSERS") != "" {
		browsers, files = append(browsers, "firefox"), nil
		for _, pattern := range []string{"notebooks/*.ipynb", "notebooks/solutions/*.ipynb"} {
			more := must.Get(filepath.Glob(pattern))(t)
			files = append(files, more...)
		}
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(file, "notebooks/"), ".ipynb"))
	}
	server := httptest.NewServer(http.FileServer(http.Dir(built)))
	defer server.Close()
	for _, browser := range browsers {
		t.Run(browser, func(t *testing.T) {
			folder := t.TempDir()
			out, err := script(t, "notebook.mjs", browser, append([]string{server.URL, folder}, names...)...).Output()
			t.Logf("%s", out)
			must.OK(t, err)
			for line := range strings.Lines(string(out)) {
				if !strings.Contains(line, `"bad":-1`) {
					t.Errorf("a cell fails: %s", line)
				}
			}
			arguments := []string{"run", "./tools/nb", "changed", folder}
			for _, file := range files {
				if !strings.Contains(file, magnified) {
					arguments = append(arguments, file)
				}
			}
			if out, err := exec.CommandContext(t.Context(), "go", arguments...).CombinedOutput(); err != nil {
				t.Errorf("%s", out)
			}
		})
	}
}
