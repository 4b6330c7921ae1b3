package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	// lecture matches the heading of a lecture in teaching.md.
	lecture = regexp.MustCompile(`(?m)^## (\d.*)$`)
	// shown matches a paragraph that names notebooks or sections.
	shown = regexp.MustCompile(`(?m)^\*\*(?:Notebooks?\*\*|Show\.\*\*).*$`)
	// linked matches a link to a notebook, and quoted the name of a section in quotes.
	linked, quoted = regexp.MustCompile(`\]\((\d\db?-[^)]*\.ipynb)\)`), regexp.MustCompile(`"([^"\n]+)"`)
)

// slideLength is the maximum number of characters of a text on a slide.
const slideLength = 700

// writeSlides writes to/lecture-N.ipynb for each lecture in dir/teaching.md, with the sections listed
// there, taken from the executed notebooks in the folder from. A text becomes one slide, or several if it
// is long. A cell with output becomes a slide without its code; other cells show their code.
func writeSlides(dir, from, to string) error {
	text, err := os.ReadFile(filepath.Join(dir, "teaching.md"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil { //nolint:gosec // pages to show
		return err
	}
	at := lecture.FindAllStringSubmatchIndex(string(text), -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		about := strings.Join(shown.FindAllString(string(text[m[1]:end]), -1), "\n")
		page, err := slidesOf(string(text[m[2]:m[3]]), about, from)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, fmt.Sprintf("lecture-%d.ipynb", i+1)), page, 0o644) //nolint:gosec // a page to show
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// slidesOf returns the notebook of a lecture: its title, and the sections named in about.
func slidesOf(title, about, from string) ([]byte, error) {
	var book map[string]any
	cells := []any{markdownSlide("# "+title, "slide")}
	section := func(heading string) bool { // reports whether a section is shown
		return slices.ContainsFunc(quoted.FindAllStringSubmatch(about, -1),
			func(m []string) bool { return strings.HasPrefix(heading, m[1]) })
	}
	for i, m := range linked.FindAllStringSubmatch(about, -1) {
		text, err := os.ReadFile(filepath.Join(from, m[1]))
		if err != nil {
			return nil, err
		}
		nb, err := decoded(text)
		if err != nil {
			return nil, err
		}
		lesson := list(nb["cells"])
		if i == 0 {
			book = nb
			cells = append(cells, library(lesson)...)
		}
		on := false
		for _, c := range lesson {
			c, _ := c.(map[string]any)
			if tagged(c, "hint") {
				continue
			}
			if c["cell_type"] == "code" {
				if on && !idle(c) {
					cells = append(cells, outputOf(c, "subslide"))
				}
				continue
			}
			for k, part := range strings.Split("\n"+joined(c["source"]), "\n## ") {
				if k > 0 {
					on, part = section(part), "## "+part
				}
				if part = strings.TrimSpace(part); on && part != "" {
					cells = append(cells, slidesOfText(part)...)
				}
			}
		}
	}
	book["cells"] = cells
	book["metadata"] = map[string]any{"language_info": map[string]any{"name": "go", "pygments_lexer": "go"}}
	return encoded(book)
}

// slidesOfText splits a text into slides between paragraphs.
func slidesOfText(text string) (slides []any) {
	kind, slide := "subslide", ""
	if strings.HasPrefix(text, "<details>") { // an answer, which unfolds as a whole
		return []any{markdownSlide(text, kind)}
	}
	if strings.HasPrefix(text, "## ") {
		kind = "slide"
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if slide != "" && len(slide)+len(paragraph) > slideLength {
			slides, kind, slide = append(slides, markdownSlide(slide, kind)), "subslide", ""
		}
		slide += paragraph + "\n\n"
	}
	return append(slides, markdownSlide(slide, kind))
}

func markdownSlide(text, kind string) any {
	return map[string]any{"cell_type": "markdown",
		"metadata": map[string]any{"slideshow": map[string]any{"slide_type": kind}}, "source": text}
}

// library returns a hidden cell with the library of charts, which nbhelpers.Init outputs in the first code
// cell.
func library(cells []any) []any {
	for _, c := range cells {
		for _, o := range list(object(c)["outputs"]) {
			html := object(object(o)["data"])["text/html"]
			if html != nil && strings.HasPrefix(joined(html), "<!-- Apache ECharts") {
				return []any{outputOf(map[string]any{"cell_type": "code", "source": []any{}, "outputs": []any{o},
					"execution_count": nil}, "-")}
			}
		}
	}
	return nil
}

// idle reports whether a cell is omitted from slides because it only prepares a chart or records a guess.
func idle(c map[string]any) bool {
	return len(list(c["outputs"])) == 0 && !tagged(c, "answer") && (tagged(c, "hide-input") || tagged(c, "guess"))
}

// outputOf converts a code cell to a slide. If it has outputs, its code is hidden by the tag no-input.
// Exercises and their solutions are shown without the output of their checks.
func outputOf(c map[string]any, kind string) any {
	metadata := map[string]any{"slideshow": map[string]any{"slide_type": kind}}
	if tagged(c, "yours") || tagged(c, "answer") {
		c["outputs"] = []any{}
	}
	if outputs, _ := c["outputs"].([]any); len(outputs) > 0 {
		metadata["tags"] = []string{"no-input"}
	}
	c["metadata"] = metadata
	return c
}
