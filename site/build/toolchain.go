package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/compose"
)

// The limits for the files that the first run of a cell fetches, and for all compressed files of the site, in
// bytes.
const (
	maxKernel = 25_000_000
	maxSite   = 60_000_000
)

// useless matches the packages of the standard library that are not published, because programs in a page
// have no network, processes, executables or sources of packages, and no use for public keys.
var useless = regexp.MustCompile("^(crypto/(dsa|ecd.*|ed25519|elliptic|hpke|mlkem|rsa|tls|x509)|database|" +
	"debug|expvar|go/(build|importer|types)|log/syslog|mime/multipart|net|os/(exec|signal|user)|plugin|" +
	"runtime/(coverage|pprof|race|trace)|testing/(cryptotest|fstest|slogtest))(/|$)")

// excel is the package that tools.js adds to programs that may read Excel files.
const excel = module + "/tables/internal/workbook/excel"

var seldom = regexp.MustCompile("^" + module + "/(tables|experiments|mpcvm/baseline)(/|$)")

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
	archive []byte
	folder  string
}

// manifest lists the files that the kernel of the live notebooks can fetch; site/notebook/tools.js reads it.
type manifest struct {
	Version   string                `json:"version"` // of Go
	Compose   packed                `json:"compose"`
	Compile   packed                `json:"compile"`
	Link      packed                `json:"link"`
	Pack      packed                `json:"pack"`      // what most cells import, with all imports
	Docs      packed                `json:"docs"`      // what the documentation of each name begins with
	Data      packed                `json:"data"`      // files that notebooks read
	DataFiles [][3]any              `json:"dataFiles"` // each path with its start and end in Data
	Packages  map[string]*goPackage `json:"packages"`
	Blocks    [][3]int              `json:"blocks"` // of archives, see archive.go
}

// liveKernel writes the folder notebook: the kernel that runs cells in the page, with Go's compiler and
// linker and the compiled packages of the standard library, of gonum and of this module.
func liveKernel(out string) *manifest {
	copyFiles(filepath.Join(out, "notebook"), "site/notebook", "*.css", "*.js")
	vendoredModules(filepath.Join(out, "notebook"))
	for _, worker := range []string{"tools.js", "program.js"} {
		bundle(filepath.Join(out, "notebook", worker), "site/notebook/"+worker)
	}
	folder := filepath.Join(out, "notebook", "go")
	sources := checked(os.MkdirTemp("", "overlay"))
	defer os.RemoveAll(sources)
	overlay := onlyWasm(sources)
	m := &manifest{Version: checked(goTool("env", "GOVERSION")), Blocks: blocks,
		Compose: pack(folder, "compose", ".wasm",
			wasmProgram("./site/notebook/wasm", inlining(rarelyFast)...)),
		Compile: pack(folder, "compile", ".wasm", wasmProgram("cmd/compile", overlay)),
		Link:    pack(folder, "link", ".wasm", wasmProgram("cmd/link", overlay))}
	m.packages(folder)
	m.docs(folder)
	m.data(folder)
	if first := m.first(); first > maxKernel {
		check(fmt.Errorf("the first run of a cell fetches %d bytes, more than %d", first, maxKernel))
	}
	writeFile(filepath.Join(folder, "manifest.json"), checked(json.Marshal(m)))
	return m
}

// needless matches what the compiler and the linker contain for each processor: rules that rewrite code, a
// package, and the place where main chooses it. It also matches the loop of a dump for debugging, which calls
// methods by reflection, so that the linker would keep every exported method.
var needless = regexp.MustCompile(`(?m)^\t+c\.\w+ = rewrite\w+\n|^\t"\w+": +\w+\.Init,\n|` +
	`^\tcase "[^\n]*\n\t\tarch, theArch = \w+\.Init\(\)\n|` +
	`^\t"cmd/\w+/internal/(amd64|arm|arm64|loong64|mips|mips64|ppc64|riscv64|s390x|x86)"\n|` +
	`^\tnm := t\.NumMethod\(\)\n\tfor .*\n(\t\t.*\n)*\t}\n`)

// onlyWasm returns a flag that builds the compiler and the linker for no other target than WebAssembly,
// which makes them a third smaller. It writes the changed sources to folder.
func onlyWasm(folder string) string {
	replaced := map[string]string{}
	root := filepath.Join(checked(goTool("env", "GOROOT")), "src", "cmd")
	for i, name := range []string{"compile/internal/ir/fmt.go", "compile/internal/ssa/config.go",
		"compile/main.go", "link/main.go"} {
		file := filepath.Join(root, filepath.FromSlash(name))
		own := filepath.Join(folder, fmt.Sprint(i, ".go"))
		writeFile(own, needless.ReplaceAllFunc(checked(os.ReadFile(file)), func(match []byte) []byte {
			if bytes.Contains(match, []byte("asm")) {
				return match
			}
			return nil
		}))
		replaced[file] = own
	}
	list := filepath.Join(folder, "overlay.json")
	writeFile(list, checked(json.Marshal(map[string]any{"Replace": replaced})))
	return "-overlay=" + list
}

// first returns the size of the files that the first run of a cell fetches, in bytes.
func (m *manifest) first() int {
	return m.Compose.Bytes + m.Compile.Bytes + m.Link.Bytes + m.Pack.Bytes
}

// vendoredModules writes the npm packages that the page uses as modules: the editor and Markdown, which
// site/build/vendor.mjs has bundled, and KaTeX.
func vendoredModules(folder string) {
	copyFiles(folder, "site/build/vendored", "*/*.js")
	writeFile(filepath.Join(folder, "katex.js"), commonModule("KaTeX, MIT License", katexCode()))
}

// digest returns a short hash of the content.
func digest(content []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(content))[:12]
}

// pack writes a file of the kernel, compressed.
func pack(folder, name, extension string, content []byte) packed {
	z := gzipped(content)
	p := packed{File: name + "." + digest(content) + extension + ".gz", Bytes: len(z)}
	writeFile(filepath.Join(folder, p.File), z)
	return p
}

// packages compiles the packages that cells may import, with their dependencies, and writes them.
func (m *manifest) packages(folder string) {
	known := func(patterns ...string) []string {
		list := wasmTool(append([]string{"list", "-e"}, patterns...)...)
		return slices.DeleteFunc(strings.Fields(list), func(p string) bool { return !compose.Importable(p) })
	}
	// The Parquet library is too large for a page, so tables does not read Parquet files there.
	own := slices.DeleteFunc(known("./mpcvm/...", "./data/...", "./tables/...", "./nbhelpers/...",
		"./notebooks/lesson/...", "./experiments/study/...", "./experiments/records/..."), func(p string) bool {
		return p == module+"/tables/parquet" || p == module+"/tables/predict"
	})
	std := slices.DeleteFunc(known("std"), func(p string) bool {
		return useless.MatchString(p) && p != "net/url" && p != "net/netip"
	})
	m.Packages = compiled(slices.Concat([]string{excel}, own, std, known("gonum.org/v1/gonum/...")))
	var together bytes.Buffer
	often := slices.DeleteFunc(own, seldom.MatchString) // the others are fetched when a cell imports them
	for todo := append([]string{"runtime"}, often...); len(todo) > 0; {
		p := m.Packages[todo[0]]
		todo = todo[1:]
		if p == nil || p.At != nil {
			continue
		}
		start := together.Len()
		together.Write(p.archive)
		p.At = &[2]int{start, together.Len()}
		todo = append(todo, p.Imports...)
	}
	m.Pack = pack(folder, "packages", "", together.Bytes())
	for path, p := range m.Packages {
		if p.At == nil {
			alone := pack(folder, strings.ReplaceAll(path, "/", "_"), ".a", p.archive)
			p.packed = &alone
		}
	}
}

// compiled compiles packages to WebAssembly and lists them with their imports.
func compiled(paths []string) map[string]*goPackage {
	list := wasmTool(slices.Concat([]string{"list", "-trimpath", "-tags=" + vectors, "-export", "-deps", "-f",
		`{{if .Export}}{{.ImportPath}} {{.Name}} {{.Export}} {{.Dir}}{{range .Imports}} {{.}}{{end}}{{end}}`},
		inlining(rarelyFast), paths)...)
	packages, seen := map[string]*goPackage{}, hashes{}
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) > 0 {
			imported := compose.Importable(f[0]) || f[0] == excel
			p := &goPackage{archive: seen.slim(checked(os.ReadFile(f[2])), imported), folder: f[3],
				Imports: slices.DeleteFunc(f[4:], func(p string) bool { return p == "unsafe" })}
			if compose.Importable(f[0]) {
				p.Name = f[1]
			}
			packages[f[0]] = p
		}
	}
	return packages
}

// data packs the files that notebooks read. Cells find them at the same paths as in a checkout.
func (m *manifest) data(folder string) {
	var together bytes.Buffer
	for _, file := range append(checked(filepath.Glob("notebooks/results/*/*")), "data/penguins.csv") {
		start := together.Len()
		together.Write(checked(os.ReadFile(file)))
		m.DataFiles = append(m.DataFiles, [3]any{"/mpcvm/" + filepath.ToSlash(file), start, together.Len()})
	}
	m.Data = pack(folder, "data", "", together.Bytes())
}
