package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mpcvm/mpcvm/tables/report"
)

// maxTable is the limit of the files that "Your table" fetches before the first look, in bytes. A Parquet file
// needs a larger engine.
const maxTable = 9_000_000

// samples are the tables that the drop area offers.
var samples = []string{"penguins.csv", "breast.csv", "letter.csv.gz"}

// yourTable writes the folder table: the modules of site/table, the two engines as WebAssembly, and samples.
// It returns the size of the smaller engine in bytes.
func yourTable(out string) int {
	folder := filepath.Join(out, "table")
	copyFiles(folder, "site/table", "*.css", "*.js")
	bundle(filepath.Join(folder, "worker.js"), "site/playground/worker.js")
	copyFiles(filepath.Join(folder, "samples"), "data", samples...)
	script := checked(os.ReadFile("site/table/fetching.js"))
	writeFile(filepath.Join(folder, "fetch.html"), fmt.Appendf(nil, `<!DOCTYPE html><html lang="en"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; connect-src https:">
<title>Fetches a table</title><script>%s</script></html>`, scriptSource(script), script))
	engines := map[string]packed{}
	for name, tags := range map[string]string{"text": "-tags=excel", "parquet": "-tags=parquet"} {
		engines[name] = pack(folder, name, ".wasm", wasmProgram("./site/table/wasm", tags))
		if n := engines[name].Bytes; n > maxTable {
			check(fmt.Errorf("the engine %s has %d bytes compressed, more than %d", name, n, maxTable))
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
// policy also applies. A frame shows the report, so the policy allows the scripts of reports. The frame of
// fetch.html, which site/table/remote.js starts, has a policy of its own.
func tablePolicy() string {
	scripts := ""
	for _, script := range report.Scripts() {
		scripts += " " + scriptSource([]byte(script))
	}
	return running(scripts, "img-src 'self' data: blob:") + "; frame-src 'self'"
}
