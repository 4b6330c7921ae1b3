package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBlank(t *testing.T) {
	const full = `{"cells": [
		{"cell_type": "markdown", "id": "a", "source": ["[x](../data/x.csv) [y](02-y.ipynb), [c](README.md) [web](https://go.dev) [here](#top)\n", "<img src=\"p.png\">"]},
		{"cell_type": "code", "id": "b", "metadata": {"tags": ["t"]}, "execution_count": 3, "source": ["open(\"../data/x.csv\") // <b>\n", "!*cp \"$GONB_DIR/../data/x.csv\" ."], "outputs": [{"output_type": "stream", "text": "long"}]},
		{"cell_type": "markdown", "id": "c", "source": ["1. ★ Do.\n", "\n", "Solutions: [s](solutions/01.ipynb).\n", "\n", "End"]}],
		"metadata": {"kernelspec": {"name": "gonb"}}, "nbformat": 4, "nbformat_minor": 5}`
	text, err := blank([]byte(full))
	if err != nil {
		t.Fatal(err)
	}
	var got notebook
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"[x](../../data/x.csv) [y](02-y.ipynb), [c](../README.md) [web](https://go.dev) [here](#top)\n<img " +
			"src=\"../p.png\">",
		"open(\"../../data/x.csv\") // <b>\n!*cp \"$GONB_DIR/../../data/x.csv\" .",
		"1. ★ Do.\n\n\nEnd",
	} {
		if string(got.Cells[i].Source) != want {
			t.Errorf("cell %d is\n%s\nnot\n%s", i, got.Cells[i].Source, want)
		}
	}
	if len(got.Cells[1].Outputs) > 0 || !bytes.Contains(text, []byte(`"execution_count": null`)) ||
		!bytes.Contains(text, []byte(`"nbformat_minor": 5`)) || strings.Join(got.Cells[1].Metadata.Tags,
		"") != "t" {
		t.Errorf("%s", text)
	}
	if _, err := blank([]byte("no notebook")); err == nil {
		t.Error("no error for a file that is no notebook")
	}
}

// TestBlanksAreCurrent compares the committed notebooks for class with what they are made of.
func TestBlanksAreCurrent(t *testing.T) {
	files := in(t, "*.ipynb")
	if n := len(in(t, "blank/*.ipynb")); n != len(files) {
		t.Errorf("%d blank notebooks for %d: run make figures PARTS=blank", n, len(files))
	}
	for _, file := range files {
		full, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := blank(full)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got, err := os.ReadFile(filepath.Join(notebooks, "blank", filepath.Base(file)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("blank/%s is not %s without outputs: run make figures PARTS=blank (%v)", filepath.Base(file),
				filepath.Base(file), err)
		}
	}
}
