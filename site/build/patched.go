package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const noEncode = "Encode(dst, src []byte) ([]byte, error) {"

// patches are changes to libraries that make programs for WebAssembly smaller: a module, one of its files,
// and pairs of a text and its replacement.
var patches = [][]string{
	// Only the type of an embedded file needs net/http.
	{"github.com/xuri/excelize/v2", "sheet.go", "\t\"net/http\"\n", "", "http.DetectContentType(opts.File)",
		`"application/octet-stream"`},
	// reflect.Type also has a method Methods, so this call makes the linker keep the methods of all types.
	{"google.golang.org/protobuf", "internal/descfmt/stringer.go",
		`{rv.MethodByName("Methods"), "Methods"},`, ""},
	// Pages read files with any compression, but write only files compressed by Snappy.
	{"github.com/parquet-go/parquet-go", "compress/brotli/brotli.go", noEncode, noEncode + "panic(c)\n"},
	{"github.com/parquet-go/parquet-go", "compress/gzip/gzip.go", noEncode, noEncode + "panic(c)\n"},
	{"github.com/parquet-go/parquet-go", "compress/zstd/zstd.go", noEncode, noEncode + "panic(c)\n"},
}

// workspace is the file go.work of programs for WebAssembly.
var workspace string

// patchLibraries writes the workspace, with copies of the libraries that are patched, to a folder.
func patchLibraries(folder string) {
	workspace = filepath.Join(folder, "go.work")
	here := checked(os.Getwd())
	work := strings.NewReplacer("\t./\n", "\t"+here+"\n", "\t./", "\t"+here+"/").
		Replace(string(checked(os.ReadFile("go.work"))))
	for _, p := range patches {
		library := filepath.Join(folder, p[0])
		if _, err := os.Stat(library); err != nil {
			dir := checked(goTool("list", "-m", "-f", "{{.Dir}}", p[0]))
			check(os.CopyFS(library, os.DirFS(dir)))
			work += "\nreplace " + p[0] + " => " + library + "\n"
		}
		file := filepath.Join(library, p[1])
		text := string(checked(os.ReadFile(file)))
		for i := 2; i < len(p); i += 2 {
			if !strings.Contains(text, p[i]) {
				check(fmt.Errorf("%s of %s does not contain %s: see patches in site/build/patched.go", p[1], p[0], p[i]))
			}
			text = strings.ReplaceAll(text, p[i], p[i+1])
		}
		writeFile(file, []byte(text))
	}
	writeFile(workspace, []byte(work))
	copyFile(workspace+".sum", "go.work.sum")
}
