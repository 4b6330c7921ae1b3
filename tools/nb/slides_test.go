package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// TestCardsOnSlides tests that slides show exercises and their solutions without the output of the checks,
// omit guesses and the code that prepares a chart, and show an answer as one slide.
func TestCardsOnSlides(t *testing.T) {
	code := func(output bool, tags ...any) map[string]any {
		c := map[string]any{"cell_type": "code", "outputs": []any{}, "metadata": map[string]any{"tags": tags}}
		if output {
			c["outputs"] = []any{"x"}
		}
		return c
	}
	for _, test := range []struct {
		cell   map[string]any
		idle   bool
		output bool
	}{
		{code(true, "yours"), false, false},
		{code(true, "answer", "hide-input"), false, false},
		{code(false, "answer", "hide-input"), false, false},
		{code(true, "hide-input"), false, true},
		{code(false, "hide-input"), true, false},
		{code(false, "guess"), true, false},
		{code(false), false, false},
	} {
		if got := idle(test.cell); got != test.idle {
			t.Errorf("%v is omitted: %t", test.cell, got)
		}
		slide := object(outputOf(test.cell, "slide"))
		if _, hidden := object(slide["metadata"])["tags"]; hidden != test.output ||
			(len(list(slide["outputs"])) > 0) != test.output {
			t.Errorf("a slide of a cell with code hidden %t: %v", hidden, slide)
		}
	}
	answer := "<details><summary>Answer</summary>\n\n" + strings.Repeat("Long.\n\n", slideLength) + "</details>"
	if n := len(slidesOfText(answer)); n != 1 {
		t.Errorf("an answer has %d slides", n)
	}
}

// TestSlides writes the slides of the lectures from the committed notebooks.
func TestSlides(t *testing.T) {
	dir := t.TempDir()
	must.OK(t, writeSlides(notebooks, notebooks, dir))
	files, err := filepath.Glob(filepath.Join(dir, "lecture-*.ipynb"))
	if err != nil || len(files) != 5 {
		t.Fatalf("%d lectures: %v", len(files), err)
	}
	for _, file := range files {
		nb, text := read(t, file)
		charts, longest := 0, 0
		for _, c := range nb.Cells[2:] {
			if c.Type == "code" && len(c.Outputs) > 0 {
				charts++
			}
			if c.Type == "markdown" {
				longest = max(longest, len(c.Source))
			}
		}
		if charts < 3 || strings.Count(text, "\n## ") < 3 {
			t.Errorf("%s shows %d outputs and %d sections", file, charts, strings.Count(text, "\n## "))
		}
		if longest > 2*slideLength {
			t.Errorf("%s has a slide of %d characters", file, longest)
		}
	}
	// The third lecture starts with its title, then the first section of notebook 03 that it names, then
	// another one.
	_, text := read(t, filepath.Join(dir, "lecture-3.ipynb"))
	noise, stein := strings.Index(text, "## Noise decides"), strings.Index(text, "## Stein's identity")
	if !strings.HasPrefix(text, "# 3 ") || noise < 0 || stein < noise || strings.Contains(text, "## Summary") {
		t.Errorf("the third lecture: %.80q", text)
	}
	content := must.Get(os.ReadFile(files[0]))(t)
	var book struct {
		Cells []struct {
			Metadata struct {
				Slideshow struct {
					Type string `json:"slide_type"`
				} `json:"slideshow"`
			} `json:"metadata"`
		} `json:"cells"`
	}
	must.OK(t, json.Unmarshal(content, &book))
	if kinds := book.Cells; kinds[0].Metadata.Slideshow.Type != "slide" ||
		kinds[1].Metadata.Slideshow.Type != "-" || kinds[2].Metadata.Slideshow.Type != "slide" {
		t.Errorf("the first slides are %v", kinds[:3])
	}
}

// loads matches the address of what HTML or a style sheet loads.
var loads = regexp.MustCompile(`(?:<(?:script|link|img|source|iframe)\b[^>]*\s(?:src|srcset|href)=|url\(|` +
	`@import (?:url\()?)["']?([^"')\s>?#]+)`)

// TestSlidesAreComplete tests that the slides load nothing but files next to them.
func TestSlidesAreComplete(t *testing.T) {
	_, missing := os.Stat("../../site/build/node_modules/reveal.js")
	if _, err := exec.LookPath("jupyter"); testing.Short() || missing != nil || err != nil {
		t.Skip("needs Jupyter and reveal.js: run npm ci --prefix site/build")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "./slides.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := must.Get(filepath.Glob(filepath.Join(dir, "*.html")))(t)
	if len(files) != 5 {
		t.Fatalf("slides of %d lectures", len(files))
	}
	seen := map[string]bool{}
	for ; len(files) > 0; files = files[1:] {
		for _, m := range loads.FindAllStringSubmatch(string(must.Get(os.ReadFile(files[0]))(t)), -1) {
			file := filepath.Join(filepath.Dir(files[0]), m[1])
			if strings.HasPrefix(m[1], "data:") || seen[file] {
				continue
			}
			seen[file] = true
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s loads %s", files[0], m[1])
			} else if filepath.Ext(file) == ".css" {
				files = append(files, file)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("the slides load %d files", len(seen))
	}
}
