package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables/export"
)

// The verb writes the output of package export, completely or not at all.
func TestExport(t *testing.T) {
	dir, _, modelFile, _ := iris(t)
	m := must.Get(loadModel(t.Context(), modelFile))(t)
	for _, language := range export.Languages() {
		var want bytes.Buffer
		must.OK(t, export.Write(&want, m, language))
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
}
