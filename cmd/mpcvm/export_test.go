package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/tables/export"
)

// The verb writes the output of package export, completely or not at all.
func TestExport(t *testing.T) {
	dir, _, modelFile, _ := iris(t)
	m, err := loadModel(t.Context(), modelFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range export.Languages() {
		var want bytes.Buffer
		if err := export.Write(&want, m, language); err != nil {
			t.Fatal(err)
		}
		if out, errOut := good(t, "export", "--model", modelFile, "--to", language); out != want.String() ||
			errOut != "" {
			t.Errorf("%s: %d bytes, want %d; %s", language, len(out), want.Len(), errOut)
		}
		file := filepath.Join(dir, export.File(language))
		out, _ := good(t, "export", "--model", modelFile, "--to", language, "--out", file)
		if text, err := os.ReadFile(file); err != nil || out != "" || !bytes.Equal(text, want.Bytes()) {
			t.Errorf("%s: %v, %d bytes", language, err, len(text))
		}
	}
	old := write(t, dir, "old.mjs", "# mine\n")
	for line, say := range map[string]string{
		"--to javascript":                             "missing flag --model",
		"--model MODEL":                               "missing flag --to",
		"--model MODEL --to cobol --out OLD":          `"cobol": want javascript or onnx`,
		"--model MODEL --to go --out OLD":             "tables.LoadFile",
		"--model MODEL --to onnx --out MODEL":         "are the same file",
		"--model MODEL.gone --to onnx":                "no such file",
		"--model OLD --to onnx":                       "old.mjs",
		"--model MODEL --to onnx --out OLD/x":         "not a directory",
		"MODEL --to onnx":                             "unknown argument",
		"--model MODEL --to javascript --format code": "unknown flag",
	} {
		code, out, errOut := try(t, strings.Fields("export "+strings.NewReplacer("MODEL", modelFile, "OLD",
			old).Replace(line))...)
		if code == 0 || out != "" || !strings.Contains(errOut, say) {
			t.Errorf("%s: status %d, %s%s", line, code, out, errOut)
		}
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != "# mine\n" {
		t.Errorf("%v, %q", err, text)
	}
}
