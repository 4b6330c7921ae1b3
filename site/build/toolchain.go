package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxKernel is the limit for the files that the first run of a cell fetches, in bytes.
const maxKernel = 40_000_000

// packed is a file of the kernel. Its name contains a digest of the content, so that browsers can cache it
// permanently.
type packed struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
}

// goPackage is a compiled package, in the pack from At[0] to At[1] or in a separate file. Name is empty if
// cells cannot import it.
type goPackage struct {
	Name    string   `json:"name,omitempty"`
	Imports []string `json:"imports,omitempty"`
	At      *[2]int  `json:"at,omitempty"`
	*packed
	archive string
}

// manifest lists the files that the kernel of the live notebooks can fetch; site/notebook/tools.js reads it.
type manifest struct {
	Version   string                `json:"version"` // of Go
	Compose   packed                `json:"compose"`
	Compile   packed                `json:"compile"`
	Link      packed                `json:"link"`
	Pack      packed                `json:"pack"`      // the packages of the module with all their imports
	Data      packed                `json:"data"`      // files that notebooks read
	DataFiles [][3]any              `json:"dataFiles"` // each path with its start and end in Data
	Packages  map[string]*goPackage `json:"packages"`
}

// liveKernel writes the folder notebook: the kernel that runs cells in the page, with Go's compiler and
// linker and the compiled packages of the standard library, of gonum and of this module.
func liveKernel(out string) (*manifest, error) {
	if err := copyFiles(filepath.Join(out, "notebook"), "site/notebook", "*.css", "*.js"); err != nil {
		return nil, err
	}
	if err := vendoredModules(filepath.Join(out, "notebook")); err != nil {
		return nil, err
	}
	for _, worker := range []string{"tools.js", "program.js"} {
		if err := bundle(filepath.Join(out, "notebook", worker), "site/notebook/"+worker); err != nil {
			return nil, err
		}
	}
	folder := filepath.Join(out, "notebook", "go")
	m := &manifest{}
	var err error
	if m.Version, err = goTool("env", "GOVERSION"); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		to            *packed
		name, program string
	}{{&m.Compose, "compose", "./site/notebook/wasm"}, {&m.Compile, "compile", "cmd/compile"},
		{&m.Link, "link", "cmd/link"}} {
		code, err := wasmProgram(p.program)
		if err != nil {
			return nil, err
		}
		if *p.to, err = pack(folder, p.name, ".wasm", code); err != nil {
			return nil, err
		}
	}
	if err := m.packages(folder); err != nil {
		return nil, err
	}
	if err := m.data(folder); err != nil {
		return nil, err
	}
	if first := m.first(); first > maxKernel {
		return nil, fmt.Errorf("the first run of a cell fetches %d bytes, more than %d", first, maxKernel)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return m, writeFile(filepath.Join(folder, "manifest.json"), text)
}

// first returns the size of the files that the first run of a cell fetches, in bytes.
func (m *manifest) first() int {
	return m.Compose.Bytes + m.Compile.Bytes + m.Link.Bytes + m.Pack.Bytes
}

// vendoredModules writes the npm packages that the page uses as modules: the editor and Markdown, which
// site/build/vendor.mjs has bundled, and KaTeX.
func vendoredModules(folder string) error {
	files, err := filepath.Glob("site/build/vendored/*/*.js")
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := copyFile(filepath.Join(folder, filepath.Base(file)), file); err != nil {
			return err
		}
	}
	code, err := katexCode()
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(folder, "katex.js"), commonModule("KaTeX, MIT License", code))
}

// digest returns a short hash of the content.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:6])
}

// pack writes a file of the kernel, compressed.
func pack(folder, name, extension string, content []byte) (packed, error) {
	p := packed{File: name + "." + digest(content) + extension + ".gz"}
	z := gzipped(content)
	p.Bytes = len(z)
	return p, writeFile(filepath.Join(folder, p.File), z)
}

// hidden matches packages that a cell cannot import: internal packages, and gonum's packages for tests.
var hidden = regexp.MustCompile(`(^|/)(internal|vendor|cmd)(/|$)|^gonum\.org/.*/test`)

// packages compiles the packages that cells may import, with their dependencies, and writes them.
func (m *manifest) packages(folder string) error {
	known := func(patterns ...string) ([]string, error) {
		list, err := wasmTool(append([]string{"list", "-e"}, patterns...)...)
		return slices.DeleteFunc(strings.Fields(list), hidden.MatchString), err
	}
	own, err := known("./mpcvm/...", "./data/...", "./tables/...", "./nbhelpers/...", "./notebooks/lesson/...",
		"./experiments/study/...", "./experiments/records/...")
	if err != nil {
		return err
	}
	// The Parquet library is too large for a page, so tables does not read Parquet files there.
	own = slices.DeleteFunc(own, func(p string) bool {
		return p == module+"/tables/parquet" ||
			p == module+"/tables/predict"
	})
	more, err := known("std", "gonum.org/v1/gonum/...")
	if err != nil {
		return err
	}
	const excel = "./tables/internal/workbook/excel" // which tools.js adds to programs that may read Excel files
	if m.Packages, err = compiled(append(append([]string{excel}, own...), more...)); err != nil {
		return err
	}
	var together bytes.Buffer
	for todo := append([]string{"runtime"}, own...); len(todo) > 0; {
		p := m.Packages[todo[0]]
		todo = todo[1:]
		if p == nil || p.At != nil {
			continue
		}
		content, err := os.ReadFile(p.archive)
		if err != nil {
			return err
		}
		p.At = &[2]int{together.Len(), together.Len() + len(content)}
		together.Write(content)
		todo = append(todo, p.Imports...)
	}
	if m.Pack, err = pack(folder, "packages", "", together.Bytes()); err != nil {
		return err
	}
	for path, p := range m.Packages {
		if p.At != nil {
			continue
		}
		content, err := os.ReadFile(p.archive)
		if err != nil {
			return err
		}
		alone, err := pack(folder, strings.ReplaceAll(path, "/", "_"), ".a", content)
		if err != nil {
			return err
		}
		p.packed = &alone
	}
	return nil
}

// compiled compiles packages to WebAssembly and lists them with their imports.
func compiled(paths []string) (map[string]*goPackage, error) {
	list, err := wasmTool(append([]string{"list", "-trimpath", "-export", "-deps", "-f",
		`{{if .Export}}{{.ImportPath}} {{.Name}} {{.Export}}{{range .Imports}} {{.}}{{end}}{{end}}`}, paths...)...)
	if err != nil {
		return nil, err
	}
	packages := map[string]*goPackage{}
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) > 0 {
			p := &goPackage{archive: f[2], Imports: slices.DeleteFunc(f[3:],
				func(p string) bool { return p == "unsafe" })}
			if !hidden.MatchString(f[0]) {
				p.Name = f[1]
			}
			packages[f[0]] = p
		}
	}
	return packages, nil
}

// data packs the files that notebooks read. Cells find them at the same paths as in a checkout.
func (m *manifest) data(folder string) error {
	files, err := filepath.Glob("notebooks/results/*/*")
	if err != nil {
		return err
	}
	var together bytes.Buffer
	for _, file := range append(files, "data/penguins.csv") {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		m.DataFiles = append(m.DataFiles, [3]any{"/mpcvm/" + filepath.ToSlash(file), together.Len(),
			together.Len() + len(content)})
		together.Write(content)
	}
	m.Data, err = pack(folder, "data", "", together.Bytes())
	return err
}
