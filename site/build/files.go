package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// failure is the panic that ends a build. A build cannot go on after an error, so check and checked panic
// with it, and caught returns the error.
type failure struct{ error }

// check ends the build if there is an error.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// checked returns v, or ends the build if there is an error.
func checked[T any](v T, err error) T {
	check(err)
	return v
}

// caught sets err to the error that has ended the build. It must be deferred.
func caught(err *error) {
	switch v := recover().(type) {
	case nil:
	case failure:
		*err = v.error
	default:
		panic(v)
	}
}

// copyFiles copies the files of a folder whose names match one of the patterns.
func copyFiles(to, from string, patterns ...string) {
	for _, pattern := range patterns {
		for _, file := range checked(filepath.Glob(filepath.Join(from, pattern))) {
			copyFile(filepath.Join(to, filepath.Base(file)), file)
		}
	}
}

func copyFile(to, from string) { writeFile(to, checked(os.ReadFile(from))) }

// writeFile writes a file and makes its folder.
func writeFile(file string, b []byte) {
	check(os.MkdirAll(filepath.Dir(file), 0o755))
	check(os.WriteFile(file, b, 0o644)) //nolint:gosec // everyone may read the site
}

// writeModule writes an ES module that exports a value.
func writeModule(file string, value any) {
	writeFile(file, fmt.Appendf(nil, "export default %s;\n", checked(json.Marshal(value))))
}

// gzipped compresses b with gzip if it is installed, which makes files 4 % smaller than compress/gzip.
func gzipped(b []byte) []byte {
	command := exec.Command("gzip", "-9n")
	command.Stdin = bytes.NewReader(b)
	if z, err := command.Output(); err == nil {
		return z
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = z.Write(b) // into memory
	_ = z.Close()
	return out.Bytes()
}

// gunzipped decompresses what r reads.
func gunzipped(r io.Reader) []byte { return checked(io.ReadAll(checked(gzip.NewReader(r)))) }

// gzippedSize is the size of a file after compression by gzip.
func gzippedSize(file string) int {
	b := checked(os.ReadFile(file))
	if strings.HasSuffix(file, ".gz") {
		return len(b)
	}
	return len(gzipped(b))
}

// goTool runs the go command and returns its output without the final newline.
func goTool(arguments ...string) (string, error) { return run(exec.Command("go", arguments...)) }

// wasmTool does the same for WebAssembly.
func wasmTool(arguments ...string) string {
	command := exec.Command("go", arguments...)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK="+workspace)
	return checked(run(command))
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
