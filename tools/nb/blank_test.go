package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestBlank(t *testing.T) {
	const full = `{"cells": [
		{"cell_type": "markdown", "id": "a", "source": ["[x](../data/x.csv) [y](02-y.ipynb), [c](README.md) [web](https://go.dev) [here](#top)\n", "<img src=\"p.png\">"]},
		{"cell_type": "code", "id": "b", "metadata": {"tags": ["t"]}, "execution_count": 3, "source": ["open(\"../data/x.csv\") // <b>\n", "!*cp \"$GONB_DIR/../data/x.csv\" ."], "outputs": [{"output_type": "stream", "text": "long"}]},
		{"cell_type": "code", "id": "d", "metadata": {"tags": ["answer", "hide-input"]}, "source": ["func f() {}"], "outputs": []},
		{"cell_type": "markdown", "id": "e", "metadata": {"tags": ["answer"]}, "source": ["It is 4."]},
		{"cell_type": "markdown", "id": "c", "source": ["1. ★ Do.\n", "\n", "Solutions: [s](solutions/01.ipynb).\n", "\n", "End"]}],
		"metadata": {"kernelspec": {"name": "gonb"}}, "nbformat": 4, "nbformat_minor": 5}`
	text := must.Get(blank([]byte(full)))(t)
	var got ipynb.Notebook
	must.OK(t, json.Unmarshal(text, &got))
	if len(got.Cells) != 3 {
		t.Fatalf("%d cells; cells tagged answer should be removed", len(got.Cells))
	}
	for i, want := range []string{
		"[x](../../data/x.csv) [y](02-y.ipynb), [c](../README.md) [web](https://go.dev) [here](#top)\n<img " +
			"src=\"../p.png\">",
		"open(\"../../data/x.csv\") // <b>\n!*cp \"$GONB_DIR/../../data/x.csv\" .",
		"1. ★ Do.\n\n\nEnd",
	} {
		if string(got.Cells[i].Source) != want {
			t.Errorf("cell %d is\n%s\nwant\n%s", i, got.Cells[i].Source, want)
		}
	}
	if len(got.Cells[1].Outputs) > 0 || !bytes.Contains(text, []byte(`"execution_count": null`)) ||
		!bytes.Contains(text, []byte(`"nbformat_minor": 5`)) || strings.Join(got.Cells[1].Metadata.Tags,
		"") != "t" {
		t.Errorf("%s", text)
	}
	if _, err := blank([]byte("no notebook")); err == nil {
		t.Error("no error for a file that is not a notebook")
	}
}

// function matches the declaration of a function, up to its body.
var function = regexp.MustCompile(`(?m)^func .*\{`)

// TestAnswers checks that a reader who starts with a blank notebook can write each solution: the function
// is declared in an earlier cell tagged yours with the same signature, and two hints follow it. All answers
// must be in cells that blank notebooks omit.
func TestAnswers(t *testing.T) {
	cards := 0
	for _, file := range in(t, "*.ipynb") {
		nb, _ := read(t, file)
		yours := map[string]bool{}
		for i, c := range nb.Cells {
			source, tags := string(c.Source), c.Metadata.Tags
			switch is := func(tag string) bool { return slices.Contains(tags, tag) }; {
			case is("answer") && c.Type == "code":
				for _, f := range function.FindAllString(source, -1) {
					f, _, _ = strings.Cut(f, " { ")
					if f = strings.TrimSuffix(f, " {"); !yours[f] {
						t.Errorf("%s, cell %d: no earlier cell declares %s", file, i, f)
					}
					cards++
				}
			case is("yours"):
				for _, f := range function.FindAllString(source, -1) {
					yours[strings.TrimSuffix(f, " {")] = true
				}
				if !strings.Contains(source, "lesson.Check") {
					t.Errorf("%s, cell %d does not check the function", file, i)
				}
				for _, hint := range nb.Cells[i+1 : i+3] {
					if !hint.Tagged("hint") || !strings.HasPrefix(string(hint.Source), "<details><summary>") {
						t.Errorf("%s, cell %d is not followed by two folded hints", file, i)
					}
				}
			case strings.Contains(source, "<details>") && !is("answer") && !is("hint"):
				t.Errorf("%s, cell %d contains an answer but is not tagged", file, i)
			}
		}
	}
	if cards < 10 {
		t.Errorf("only %d functions to write", cards)
	}
}

// TestBlanksAreCurrent checks that the committed notebooks for class are up to date.
func TestBlanksAreCurrent(t *testing.T) {
	files := in(t, "*.ipynb")
	if n := len(in(t, "blank/*.ipynb")); n != len(files) {
		t.Errorf("%d blank notebooks for %d: run make figures PARTS=blank", n, len(files))
	}
	for _, file := range files {
		full := must.Get(os.ReadFile(file))(t)
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
