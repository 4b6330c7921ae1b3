package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mpcvm/mpcvm/internal/probitjs"
	"github.com/mpcvm/mpcvm/site/internal/play"
)

// maxPlayground is the limit of all files of the playground in bytes, compressed by gzip.
const maxPlayground = 2_400_000

// playground writes the folder playground: the files of site/playground, the engine as WebAssembly, and the
// modules for charts.
func playground(out string) {
	folder := filepath.Join(out, "playground")
	copyFiles(folder, "site/playground", "*.html", "*.css", "*.js")
	sandbox(out)
	const eval = "'wasm-unsafe-eval'"
	index := checked(os.ReadFile("site/playground/index.html"))
	writeFile(filepath.Join(folder, "index.html"),
		bytes.Replace(index, []byte(eval), []byte(eval+" "+frameSource()), 1))
	chartModules(folder)
	presetPoints(folder)
	bundle(filepath.Join(folder, "worker.js"), "site/playground/worker.js")
	writeFile(filepath.Join(folder, "mpcvm.wasm.gz"), gzipped(wasmProgram("./site/playground/wasm",
		"-tags=small,"+vectors)))
	total := 0
	for _, file := range checked(filepath.Glob(filepath.Join(folder, "*"))) {
		total += gzippedSize(file)
	}
	if total > maxPlayground {
		check(fmt.Errorf("the playground has %d bytes compressed, more than %d", total, maxPlayground))
	}
}

// presetPoints writes the points of the presets, which the page shows before the engine is loaded.
func presetPoints(folder string) {
	all := map[string]any{}
	for _, name := range play.Presets {
		check(new(play.Engine).Do(context.Background(), play.Request{Op: "preset", Name: name},
			func(r play.Reply) { all[name] = r.Value }))
	}
	writeModule(filepath.Join(folder, "presets.js"), all)
}

// vectors is the build tag for the vector instructions of WebAssembly; see mpcvm/internal/cpu/simd128.mjs.
const vectors = "simd128"

// wasmProgram compiles a program to WebAssembly.
func wasmProgram(from string, flags ...string) []byte {
	dir := checked(os.MkdirTemp("", "program"))
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "program.wasm")
	wasmTool(append(append([]string{"build", "-ldflags=-s -w", "-trimpath", "-o", binary}, flags...), from)...)
	return checked(os.ReadFile(binary))
}

// chartModules writes ECharts and the functions of page.js, including probit.js, as ES modules.
func chartModules(folder string) {
	packed := checked(os.Open("internal/chart/echarts/echarts.min.js.gz"))
	defer packed.Close()
	writeFile(filepath.Join(folder, "echarts.js"), commonModule("Apache ECharts 6.1.0, Copyright "+
		"The Apache Software Foundation, Apache License 2.0", gunzipped(packed)))
	writeFile(filepath.Join(folder, "page.js"), fmt.Appendf(nil, "export default (E, unpack) => {\n%s%s};\n",
		probitjs.Source, checked(os.ReadFile("internal/chart/page.js"))))
}

// commonModule converts a CommonJS library to an ES module.
func commonModule(notice string, library []byte) []byte {
	return []byte("// " + notice + "\nconst module = { exports: {} };\n((exports, module, define) => {\n" +
		string(library) +
		"\n})(module.exports, module);\nexport const E = module.exports;\nexport default E;\n")
}
