package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestReport(t *testing.T) {
	const executed = `{"cells": [
		{"cell_type": "markdown", "source": "text"},
		{"cell_type": "code", "source": "good()", "outputs": [{"output_type": "stream", "text": ["fine\n"]}]},
		{"cell_type": "code", "source": "meant()", "metadata": {"tags": ["raises-exception"]}, "outputs": [{"output_type": "error", "evalue": "meant"}]},
		{"cell_type": "code", "source": ["bad(\n", ")"], "outputs": [
			{"output_type": "display_data", "data": {"text/html": ["<style>\np{}</style>", "<b>undefined: bad &lt;1&gt;</b>"]}},
			{"output_type": "error", "evalue": "exit status 1"}]},
		{"cell_type": "code", "source": "worse()", "outputs": [{"output_type": "error", "evalue": "exit status 2"}]}]}`
	var out strings.Builder
	file := filepath.Join(t.TempDir(), "n")
	must.OK(t, os.WriteFile(file, []byte(executed), 0o666))
	nb := must.Get(ipynb.Read(file))(t)
	if n := report(&out, "n", nb); n != 2 {
		t.Fatalf("report returned %d, want 2 failed cells", n)
	}
	const want = "n: cell 4 failed\nbad(\n)\n---\nundefined: bad <1>\nexit status 1\n---\nn: cell 5 failed\n"
	if out.String() != want {
		t.Errorf("report wrote\n%s\nwant\n%s", &out, want)
	}
}
