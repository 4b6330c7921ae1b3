package lesson_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// home is the location of an equation of the paper: a cell with the tag derives-N, which derives it,
// or defines-N.
type home struct {
	notebook, section string
	derived           bool
}

// homes returns the locations of the equations.
func homes(t *testing.T) map[int]home {
	files := must.Get(filepath.Glob("../*.ipynb"))(t)
	found := map[int]home{}
	for _, file := range files {
		number, _, _ := strings.Cut(filepath.Base(file), "-")
		section := ""
		for i, c := range cellsOf(t, file) {
			for _, tag := range c.tags {
				kind, digits, _ := strings.Cut(tag, "-")
				n, err := strconv.Atoi(digits)
				if kind != "derives" && kind != "defines" || err != nil {
					continue
				}
				if old, ok := found[n]; ok {
					t.Errorf("equation (%d) is in two places, in the notebooks %s and %s", n, old.notebook, number)
				}
				before, _, ok := strings.Cut(c.text, fmt.Sprintf(`\tag{%d}`, n))
				if !ok {
					t.Errorf("notebook %s, cell %d has the tag %s but not equation (%d)", number, i, tag, n)
				}
				found[n] = home{number, sectionAt(before, section), kind == "derives"}
			}
			section = sectionAt(c.text, section)
		}
	}
	return found
}

// sectionAt returns the last heading in a text or, if there is none, the section in which the text
// begins.
func sectionAt(text, section string) string {
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(heading)
		}
	}
	return section
}

// TestEquations checks that each numbered equation of the paper has a cell that derives it or, for a
// definition, states it, in the notebook and section given in the table of notebooks/README.md.
// README lists the definitions.
func TestEquations(t *testing.T) {
	page := must.Get(os.ReadFile("../README.md"))(t)
	found, seen := homes(t), map[int]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\(.*\)) \| (\d\db?) \| (.*) \|$`).FindAllStringSubmatch(
		string(page), -1) {
		for _, n := range numbersOf(row[1]) {
			seen[n] = true
			if h := found[n]; h.notebook != row[2] || h.section != row[3] {
				t.Errorf("equation (%d) is in the section %q of notebook %s, not in %q of %s", n, h.section, h.notebook,
					row[3], row[2])
			}
		}
	}
	list := regexp.MustCompile(`Definitions, which need no derivation, are (.*)\. All`).FindStringSubmatch(
		string(page))
	if list == nil {
		t.Fatal("README.md does not list the definitions")
	}
	defined := map[int]bool{}
	for _, n := range numbersOf(list[1]) {
		defined[n] = true
	}
	for n := 1; n <= 42; n++ {
		if h, ok := found[n]; !ok || !seen[n] {
			t.Errorf("equation (%d) is missing in the notebooks or in the table", n)
		} else if h.derived == defined[n] {
			t.Errorf("equation (%d): derived %t, and README.md lists it as a definition: %t", n, h.derived, defined[n])
		}
	}
}

// TestCards checks that the reader writes a step for each equation that is derived: a cell tagged yours that
// names it. The others are products of densities or Bayes' rule.
func TestCards(t *testing.T) {
	without := map[int]bool{7: true, 8: true, 9: true, 11: true, 18: true, 19: true, 25: true}
	cards := map[int]bool{}
	for _, file := range must.Get(filepath.Glob("../*.ipynb"))(t) {
		for _, c := range cellsOf(t, file) {
			if slices.Contains(c.tags, "yours") {
				for _, n := range numbersOf(c.text) {
					cards[n] = true
				}
			}
		}
	}
	for n, h := range homes(t) {
		if h.derived && cards[n] == without[n] {
			t.Errorf("equation (%d) of notebook %s: in a cell tagged yours %t, in the list of those without %t", n,
				h.notebook, cards[n], without[n])
		}
	}
}

// numbersOf returns the numbers in a text such as "(1), (3) to (5)".
func numbersOf(text string) (list []int) {
	for _, m := range regexp.MustCompile(`\((\d+)\)(?: to \((\d+)\))?`).FindAllStringSubmatch(text, -1) {
		first, _ := strconv.Atoi(m[1])
		last := first
		if m[2] != "" {
			last, _ = strconv.Atoi(m[2])
		}
		for n := first; n <= last; n++ {
			list = append(list, n)
		}
	}
	return list
}

// TestSections checks that the sections named in notebooks/README.md and teaching.md exist.
func TestSections(t *testing.T) {
	page := must.Get(os.ReadFile("../README.md"))(t)
	rows := regexp.MustCompile(`(?m)^\| ([^|]*) \| (\d\db?) \| ([^|]*) \|$`).FindAllStringSubmatch(string(page),
		-1)
	text := ""
	for _, row := range rows {
		text += row[1] + "\n"
		if !strings.Contains(markdownOf(t, row[2]), "\n## "+row[3]+"\n") {
			t.Errorf("notebook %s has no section %q (%s)", row[2], row[3], row[1])
		}
	}
	for _, part := range []string{"Definition 1", "Algorithm 1", "Algorithm 2", "Appendix A", "Appendix B",
		"Appendices C and D",
		"Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4", "Fig. 5", "Fig. 6", "vectors", "data sets", "ERR", "AUC", "ranks",
		"tests", "3.6"} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is not in the table", part)
		}
	}
	lectures := must.Get(os.ReadFile("../teaching.md"))(t)
	all := ""
	files := must.Get(filepath.Glob("../*.ipynb"))(t)
	for _, file := range files {
		for _, c := range cellsOf(t, file) {
			all += "\n" + c.text + "\n"
		}
	}
	named := regexp.MustCompile(`"([^"\n]+)"`).FindAllStringSubmatch(string(lectures), -1)
	if len(named) < 20 {
		t.Errorf("the lectures name %d sections", len(named))
	}
	for _, m := range named {
		if !strings.Contains(all, "\n## "+m[1]) {
			t.Errorf("teaching.md names %q, which is not a section", m[1])
		}
	}
}

// markdownOf returns the Markdown of the notebook whose name begins with a number.
func markdownOf(t *testing.T, number string) (text string) {
	files, err := filepath.Glob("../" + number + "-*.ipynb")
	if err != nil || len(files) != 1 {
		t.Fatalf("notebook %s: %v, %v", number, files, err)
	}
	for _, c := range cellsOf(t, files[0]) {
		text += "\n" + c.text + "\n"
	}
	return text
}

// textCell is a cell.
type textCell struct {
	text string
	tags []string
}

// cellsOf reads the cells of a notebook. Code cells are returned empty, except for those tagged yours.
func cellsOf(t *testing.T, file string) []textCell {
	notebook := must.Get(ipynb.Read(file))(t)
	cells := make([]textCell, len(notebook.Cells))
	for i, c := range notebook.Cells {
		if c.Type == "markdown" || c.Tagged("yours") {
			cells[i] = textCell{string(c.Source), c.Metadata.Tags}
		}
	}
	return cells
}
