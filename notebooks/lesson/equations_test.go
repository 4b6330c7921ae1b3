package lesson_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEquations: each numbered equation of the paper stands in the notebook and section that the
// table of notebooks/README.md names.
func TestEquations(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\| (\(.*\)) \| (\d\d) \| (.*) \|$`)
	numbers := regexp.MustCompile(`\((\d+)\)(?: to \((\d+)\))?`)
	seen := map[int]bool{}
	for _, row := range line.FindAllStringSubmatch(string(page), -1) {
		_, text, _ := strings.Cut(markdownOf(t, row[2]), "\n## "+row[3]+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
		for _, m := range numbers.FindAllStringSubmatch(row[1], -1) {
			first, _ := strconv.Atoi(m[1])
			last := first
			if m[2] != "" {
				last, _ = strconv.Atoi(m[2])
			}
			for n := first; n <= last; n++ {
				seen[n] = true
				if !strings.Contains(text, fmt.Sprintf(`\tag{%d}`, n)) {
					t.Errorf("notebook %s has no equation tagged (%d) in the section %q", row[2], n, row[3])
				}
			}
		}
	}
	for n := 1; n <= 42; n++ {
		if !seen[n] {
			t.Errorf("equation (%d) is not in the table", n)
		}
	}
}

// TestSections: the sections that notebooks/README.md and teaching.md name are in the notebooks.
func TestSections(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| ([^|]*) \| (\d\d) \| ([^|]*) \|$`).FindAllStringSubmatch(string(page),
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
	lectures, err := os.ReadFile("../teaching.md")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for n := range 11 {
		all += markdownOf(t, fmt.Sprintf("%02d", n))
	}
	named := regexp.MustCompile(`"([^"\n]+)"`).FindAllStringSubmatch(string(lectures), -1)
	if len(named) < 20 {
		t.Errorf("the lectures name %d sections", len(named))
	}
	for _, m := range named {
		if !strings.Contains(all, "\n## "+m[1]) {
			t.Errorf("teaching.md names %q, which is no section", m[1])
		}
	}
}

// markdownOf is the text of a notebook whose name begins with a number.
func markdownOf(t *testing.T, number string) string {
	files, err := filepath.Glob("../" + number + "-*.ipynb")
	if err != nil || len(files) != 1 {
		t.Fatalf("notebook %s: %v, %v", number, files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(content, &notebook); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, cell := range notebook.Cells {
		if cell.Type == "markdown" {
			text += "\n" + strings.Join(cell.Source, "") + "\n"
		}
	}
	return text
}
