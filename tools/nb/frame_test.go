package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

const notebooks = "../../notebooks"

// longest is the maximum number of lines of a code cell.
const longest = 30

// widest is the maximum number of characters in a line of code, where a tab counts as four.
const widest = 100

// most is the maximum size of a notebook in bytes, because notebooks are committed with their outputs.
const most = 900_000

// first matches the end of the first code cell, which contains the imports.
var first = regexp.MustCompile(`%%\s+nb\.Init\(\)[^\n]*$`)

// read returns a notebook and its Markdown as one text.
func read(t *testing.T, file string) (nb ipynb.Notebook, text string) {
	t.Helper()
	nb = must.Get(ipynb.Read(file))(t)
	for _, c := range nb.Cells {
		if c.Type == "markdown" {
			text += string(c.Source) + "\n\n"
		}
	}
	return nb, text
}

// in lists the files in the folder of the notebooks that match a pattern.
func in(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(notebooks, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return files
}

// TestFrame checks the structure of all notebooks, which CONTRIBUTING.md describes.
func TestFrame(t *testing.T) {
	files := in(t, "*.ipynb")
	contents := must.Get(os.ReadFile(filepath.Join(notebooks, "README.md")))(t)
	for i, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			nb, text := read(t, file)
			if len(nb.Cells) < 3 {
				t.Fatalf("%d cells", len(nb.Cells))
			}
			if info, err := os.Stat(file); err != nil || info.Size() > most {
				t.Errorf("%d bytes, more than %d; %v", info.Size(), most, err)
			}
			opening := string(nb.Cells[0].Source)
			wanted := []string{"# ", "(README.md", "You need: "}
			for _, other := range []int{i - 1, i + 1} {
				if other >= 0 && other < len(files) {
					wanted = append(wanted, "("+filepath.Base(files[other])+")")
				}
			}
			for _, want := range wanted {
				if !strings.Contains(opening, want) {
					t.Errorf("cell 0 does not contain %q", want)
				}
			}
			if m := minutes.FindStringSubmatch(opening); m == nil {
				t.Error("cell 0 does not state a duration, as in: After 20 minutes you can")
			} else if row := regexp.MustCompile(`(?m)^\|.*\(` + name + `\).*$`).FindString(
				string(contents)); !strings.Contains(row, "| "+m[1]+" |") {
				t.Errorf("the duration is %s minutes, but in README.md %q", m[1], row)
			}
			opened(t, nb, i == 0)
			if strings.Contains(text, "⚠") && !slices.Contains([]string{"04", "05", "05b", "06", "07"}, number(name)) {
				t.Error("misprints of the paper are listed in README.md; ⚠ is for 04 to 07")
			}
			words, lines, formulas := size(nb)
			if words > 1500 || lines > 240 {
				t.Errorf("%d words and %d lines of code; the limits are 1500 and 240", words, lines)
			}
			if m := minutes.FindStringSubmatch(opening); m != nil && m[1] != strconv.Itoa(takes(words, lines, formulas)) {
				t.Errorf("the duration is %s minutes; %d words, %d lines and %d formulas take %d", m[1], words, lines,
					formulas, takes(words, lines, formulas))
			}
			solutions := "solutions/" + name
			for _, want := range []string{"\n## Summary\n", "\n## Exercises\n", "★★★", "\nSolutions: [" + solutions +
				"](" + solutions + ")."} {
				if !strings.Contains(text, want) {
					t.Errorf("missing %q", want)
				}
			}
			solved, answers := read(t, filepath.Join(notebooks, solutions))
			opened(t, solved, false)
			if !strings.Contains(answers, "(../"+name+")") {
				t.Error("the solutions have no link back")
			}
		})
	}
	if n := len(in(t, "solutions/*.ipynb")); n != len(files) {
		t.Errorf("%d solutions for %d notebooks", n, len(files))
	}
}

// TestSizeOfTheCourse checks the length of the whole course and the number of references to other pages.
func TestSizeOfTheCourse(t *testing.T) {
	var words, lines, elsewhere int
	for _, file := range in(t, "*.ipynb") {
		nb, text := read(t, file)
		w, l, _ := size(nb)
		words, lines = words+w, lines+l
		for line := range strings.Lines(text) {
			if strings.Contains(line, "(README.md") || strings.HasPrefix(line, "Solutions: ") {
				continue
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if !away.MatchString(m[2]) {
					elsewhere++
				}
			}
		}
		elsewhere += len(regexp.MustCompile(`[Nn]otebooks? \d\d`).FindAllString(text, -1))
	}
	if words > 12_000 || lines > 1_900 || elsewhere > 30 {
		t.Errorf("%d words, %d lines and %d references to other pages; the limits are 12,000, 1,900 and 30", words,
			lines, elsewhere)
	}
}

// number returns the number at the start of a notebook's name, such as 05b.
func number(name string) string {
	n, _, _ := strings.Cut(name, "-")
	return n
}

// opened checks that the first code cell is visible only in the first notebook, and the length and width of
// all code cells.
func opened(t *testing.T, nb ipynb.Notebook, visible bool) {
	t.Helper()
	c := nb.Cells[1]
	if !visible && (!first.MatchString(string(c.Source)) || !c.Metadata.Jupyter.Hidden ||
		!c.Tagged("hide-input")) {
		t.Errorf("cell 1 is not a hidden cell that ends with nb.Init():\n%s", c.Source)
	}
	if !strings.HasPrefix(strings.TrimPrefix(string(c.Source), "// GoNB adds the other imports by their names.\n"),
		"import ") {
		t.Errorf("cell 1 does not start with an import:\n%s", c.Source)
	}
	for i, c := range nb.Cells {
		for _, o := range c.Outputs {
			if bare.MatchString(o.HTML()) {
				t.Errorf("cell %d has a chart without a PNG: run go run ./tools/nb pictures on the notebook", i)
			}
		}
		if n := strings.Count(string(c.Source), "\n") + 1; c.Type == "code" && n > longest {
			t.Errorf("cell %d has %d lines, more than %d", i, n, longest)
		}
		for line := range strings.Lines(string(c.Source)) {
			line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")
			if n := utf8.RuneCountInString(line); c.Type == "code" && n > widest {
				t.Errorf("cell %d has a line of %d characters, more than %d: %s", i, n, widest, line)
			}
		}
	}
}

// minutes matches the duration in a notebook.
var minutes = regexp.MustCompile(`After (\d+) minutes you can`)

// heading matches a Markdown heading.
var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// TestLinks checks that links refer to existing files and headings.
func TestLinks(t *testing.T) {
	for _, file := range slices.Concat(in(t, "*.ipynb"), in(t, "*/*.ipynb"), in(t, "README.md")) {
		var text string
		if strings.HasSuffix(file, ".md") {
			text = string(must.Get(os.ReadFile(file))(t))
		} else {
			_, text = read(t, file)
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			path, fragment, _ := strings.Cut(m[2], "#")
			if m[2][0] != '#' && away.MatchString(m[2]) {
				continue
			}
			target := filepath.Join(filepath.Dir(file), path)
			if path == "" {
				target = file
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", file, err)
			} else if strings.HasSuffix(target, ".md") && fragment != "" && !hasHeading(t, target, fragment) {
				t.Errorf("%s: %s has no heading %s", file, path, fragment)
			}
		}
	}
}

// hasHeading reports whether a Markdown file has a heading with this name on GitHub.
func hasHeading(t *testing.T, file, fragment string) bool {
	t.Helper()
	content := must.Get(os.ReadFile(file))(t)
	dropped := regexp.MustCompile(`[^\pL\pN _-]`)
	return slices.ContainsFunc(heading.FindAllStringSubmatch(string(content), -1), func(m []string) bool {
		return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == fragment
	})
}

var (
	displayed = regexp.MustCompile(`(?s)\$\$.*?\$\$`)
	inline    = regexp.MustCompile(`\$[^$]*\$`)
	target    = regexp.MustCompile(`\]\([^)]*\)`)
)

// size returns the number of words in a notebook without formulas, addresses and hints, of lines of code in
// cells without the tag hide-input, and of displayed formulas.
func size(nb ipynb.Notebook) (words, lines, formulas int) {
	for _, c := range nb.Cells {
		source := string(c.Source)
		switch {
		case c.Tagged("hint"):
		case c.Type == "markdown":
			formulas += len(displayed.FindAllString(source, -1))
			source = inline.ReplaceAllString(displayed.ReplaceAllString(source, ""), "")
			for _, w := range strings.Fields(target.ReplaceAllString(source, "]")) {
				if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
					words++
				}
			}
		case !c.Tagged("hide-input"):
			for line := range strings.Lines(source) {
				if strings.TrimSpace(line) != "" {
					lines++
				}
			}
		}
	}
	return words, lines, formulas
}

// takes returns the number of minutes that a reader needs, at 130 words or 12 lines of code per minute and
// a minute per formula, rounded to a multiple of five.
func takes(words, lines, formulas int) int {
	return 5 * int(math.Round((float64(words)/130+float64(lines)/12+float64(formulas))/5))
}
