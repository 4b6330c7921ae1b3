package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mpcvm/mpcvm/tables/report"
)

// maxTable contains the limits of the engines of "Your table" in bytes. A page fetches the one for texts
// before the first look, and the others for Excel and Parquet files.
var maxTable = map[string]int{"text": 4_400_000, "excel": 5_400_000, "parquet": 9_000_000}

// small makes the compiler write less code for packages whose speed does not matter here.
const small = "encoding/json encoding/xml text/template/... html/template go/... image/... log time " +
	"github.com/go-echarts/... ./nbhelpers ./internal/chart ./tables/report ./tables/charts ./tables/export"

// rarelyFast does the same for packages of the kernel of the live notebooks.
const rarelyFast = small + " net/... crypto/... debug/... database/... testing/... archive/... mime/... os " +
	"regexp/... ./internal/jsondoc ./notebooks/lesson ./tables/... github.com/xuri/..."

// inlining returns the flags that turn it off for packages.
func inlining(packages string) (flags []string) {
	for p := range strings.FieldsSeq(packages) {
		flags = append(flags, "-gcflags="+p+"=-l")
	}
	return flags
}

// samples are the tables that the drop area offers.
var samples = []string{"penguins.csv", "breast.csv", "letter.csv.gz"}

// yourTable writes the folder table: the modules of site/table, the engines as WebAssembly, and samples.
// It returns the size of the engine for texts in bytes.
func yourTable(out string) int {
	folder := filepath.Join(out, "table")
	copyFiles(folder, "site/table", "*.css", "*.js")
	bundle(filepath.Join(folder, "worker.js"), "site/playground/worker.js")
	copyFiles(filepath.Join(folder, "samples"), "data", samples...)
	script := checked(os.ReadFile("site/table/fetching.js"))
	writeFile(filepath.Join(folder, "fetch.html"), []byte(strings.NewReplacer("SOURCE", scriptSource(script),
		"SCRIPT", string(script)).Replace(string(checked(os.ReadFile("site/table/fetch.html"))))))
	engines := map[string]packed{}
	for name, most := range maxTable {
		engines[name] = pack(folder, name, ".wasm", wasmProgram("./site/table/wasm",
			append(inlining(small), "-tags="+name+","+vectors)...))
		if n := engines[name].Bytes; n > most {
			check(fmt.Errorf("the engine %s has %d bytes compressed, more than %d", name, n, most))
		}
	}
	writeModule(filepath.Join(folder, "engines.js"), engines)
	return engines["text"].Bytes
}

// tablePage makes the page "Your table".
func (s *site) tablePage() {
	s.pages = append(s.pages, &page{path: "table/index.html", title: "Your table", table: true,
		about: "Drop a table and get a model with a living report. The data never leave the page.",
		body: filled("table/table.html", map[string]any{"Drop": filled("table/drop.html", nil),
			"Megabytes": fmt.Sprintf("%.1f", float64(s.engine)/1e6)})})
}

// tablePolicy returns the policy of pages that open tables. The engine runs in a sandbox, to which the page's
// policy also applies. Frames show the report, whose scripts the policy allows, and fetch.html.
func tablePolicy() string {
	scripts := ""
	for _, script := range report.Scripts() {
		scripts += " " + scriptSource([]byte(script))
	}
	return running(scripts, "img-src 'self' data: blob:") + "; frame-src 'self'"
}
