package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mpcvm/mpcvm/tables/report"
)

// maxTable is the limit of the files that "Your table" fetches before the first look, in bytes. A Parquet file
// needs a larger engine.
const maxTable = 9_000_000

// samples are the tables that the drop area offers.
var samples = []string{"penguins.csv", "breast.csv", "letter.csv.gz"}

// yourTable writes the folder table: the modules of site/table, the two engines as WebAssembly, and samples.
// It returns the size of the smaller engine in bytes.
func yourTable(out string) (int, error) {
	folder := filepath.Join(out, "table")
	if err := copyFiles(folder, "site/table", "*.css", "*.js"); err != nil {
		return 0, err
	}
	if err := bundle(filepath.Join(folder, "worker.js"), "site/playground/worker.js"); err != nil {
		return 0, err
	}
	for _, name := range samples {
		if err := copyFile(filepath.Join(folder, "samples", name), "data/"+name); err != nil {
			return 0, err
		}
	}
	engines := map[string]packed{}
	for name, flags := range map[string][]string{"text": {"-tags=excel"}, "parquet": {"-tags=parquet"}} {
		code, err := wasmProgram("./site/table/wasm", flags...)
		if err != nil {
			return 0, err
		}
		if engines[name], err = pack(folder, name, ".wasm", code); err != nil {
			return 0, err
		}
		if n := engines[name].Bytes; n > maxTable {
			return 0, fmt.Errorf("the engine %s has %d bytes compressed, more than %d", name, n, maxTable)
		}
	}
	text, err := json.Marshal(engines)
	if err != nil {
		return 0, err
	}
	return engines["text"].Bytes, writeFile(filepath.Join(folder, "engines.js"), []byte("export default "+string(text)+";\n"))
}

// tablePage makes the page "Your table".
func (s *site) tablePage() error {
	drop, err := filled("table/drop.html", nil)
	if err != nil {
		return err
	}
	p := &page{path: "table/index.html", title: "Your table", table: true,
		about: "Drop a table and get a model with a living report. The data never leave the page."}
	p.body, err = filled("table/table.html", map[string]any{"Drop": drop, "Megabytes": fmt.Sprintf("%.1f", float64(s.engine)/1e6)})
	s.pages = append(s.pages, p)
	return err
}

// tablePolicy returns the policy of pages that open tables. The engine runs in a sandbox, to which the page's
// policy also applies. A frame shows the report, so the policy allows the scripts of reports.
func tablePolicy() (string, error) {
	frame, err := frameSource()
	for _, script := range report.Scripts() {
		sum := sha256.Sum256([]byte(script))
		frame += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.NewReplacer("script-src 'self'",
		"script-src 'self' 'wasm-unsafe-eval' "+frame+"; worker-src 'self' blob:", "img-src 'self' data:",
		"img-src 'self' data: blob:").Replace(policy), err
}
