package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mpcvm/mpcvm/internal/probitjs"
	"github.com/mpcvm/mpcvm/site/internal/play"
)

// maxPlayground is the limit of all files of the playground in bytes, compressed by gzip.
const maxPlayground = 2_400_000

// playground writes the folder playground: the files of site/playground, the engine as WebAssembly, and the
// modules for charts.
func playground(out string) error {
	folder := filepath.Join(out, "playground")
	if err := copyFiles(folder, "site/playground", "*.html", "*.css", "*.js"); err != nil {
		return err
	}
	if err := sandbox(out); err != nil {
		return err
	}
	frame, err := frameSource()
	if err != nil {
		return err
	}
	index, err := os.ReadFile("site/playground/index.html")
	if err != nil {
		return err
	}
	index = bytes.Replace(index, []byte("'wasm-unsafe-eval'"), []byte("'wasm-unsafe-eval' "+frame), 1)
	if err := writeFile(filepath.Join(folder, "index.html"), index); err != nil {
		return err
	}
	if err := chartModules(folder); err != nil {
		return err
	}
	if err := presetPoints(folder); err != nil {
		return err
	}
	if err := bundle(filepath.Join(folder, "worker.js"), "site/playground/worker.js"); err != nil {
		return err
	}
	code, err := wasmProgram("./site/playground/wasm", "-tags=small")
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(folder, "mpcvm.wasm.gz"), gzipped(code)); err != nil {
		return err
	}
	total := 0
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n, err := gzippedSize(path)
		total += n
		return err
	})
	if err == nil && total > maxPlayground {
		err = fmt.Errorf("the playground has %d bytes compressed, more than %d", total, maxPlayground)
	}
	return err
}

// presetPoints writes the points of the presets, which the page shows before the engine is loaded.
func presetPoints(folder string) error {
	all := map[string]any{}
	for _, name := range play.Presets {
		err := new(play.Engine).Do(context.Background(), play.Request{Op: "preset", Name: name},
			func(r play.Reply) { all[name] = r.Value })
		if err != nil {
			return err
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(folder, "presets.js"), []byte("export default "+string(text)+";\n"))
}

// wasmProgram compiles a program to WebAssembly.
func wasmProgram(from string, flags ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "program")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "program.wasm")
	if _, err := wasmTool(append(append([]string{"build", "-ldflags=-s -w", "-trimpath", "-o", binary},
		flags...), from)...); err != nil {
		return nil, err
	}
	return os.ReadFile(binary)
}

// chartModules writes ECharts and the functions of page.js, including probit.js, as ES modules.
func chartModules(folder string) error {
	packed, err := os.Open("internal/chart/echarts/echarts.min.js.gz")
	if err != nil {
		return err
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	library, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	page, err := os.ReadFile("internal/chart/page.js")
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(folder, "echarts.js"), commonModule("Apache ECharts 6.1.0, Copyright "+
		"The Apache Software Foundation, Apache License 2.0", library)); err != nil {
		return err
	}
	return writeFile(filepath.Join(folder, "page.js"),
		[]byte("export default (E, unpack) => {\n"+probitjs.Source+string(page)+"};\n"))
}

// commonModule converts a CommonJS library to an ES module.
func commonModule(notice string, library []byte) []byte {
	return []byte("// " + notice + "\nconst module = { exports: {} };\n((exports, module, define) => {\n" +
		string(library) +
		"\n})(module.exports, module);\nexport const E = module.exports;\nexport default E;\n")
}

// gzipped compresses b as far as compress/gzip can.
func gzipped(b []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = z.Write(b) // into memory
	_ = z.Close()
	return out.Bytes()
}

// gzippedSize is the size of a file after compression by gzip.
func gzippedSize(file string) (int, error) {
	b, err := os.ReadFile(file)
	if err != nil || strings.HasSuffix(file, ".gz") {
		return len(b), err
	}
	return len(gzipped(b)), nil
}

// goTool runs the go command and returns its output without the final newline.
func goTool(arguments ...string) (string, error) { return run(exec.Command("go", arguments...)) }

// wasmTool does the same for WebAssembly.
func wasmTool(arguments ...string) (string, error) {
	command := exec.Command("go", arguments...)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	return run(command)
}

// run returns the output of a command. An error includes its output to standard error.
func run(command *exec.Cmd) (string, error) {
	var wrong bytes.Buffer
	command.Stderr = &wrong
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, wrong.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// copyFiles copies the files of a folder whose names match one of the patterns.
func copyFiles(to, from string, patterns ...string) error {
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := copyFile(filepath.Join(to, filepath.Base(file)), file); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(to, from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, b)
}

// writeFile writes a file and makes its folder.
func writeFile(file string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o644) //nolint:gosec // everyone may read the site
}
