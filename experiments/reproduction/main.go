// Command reproduction inserts tables of recorded studies into a document. Between the lines
//
//	<!-- paper FOLDER -->
//	...
//	<!-- end -->
//
// it inserts our mean error rates next to the paper's, of the study in notebooks/results/FOLDER; see
// paper. In the same way,
//
//	<!-- against MEASURE FOLDER:SYSTEM... -->
//
// compares systems of several studies; see against. Usage:
//
//	go run ./experiments/reproduction docs/reproduction.md
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := rewrite(path); err != nil {
			fmt.Fprintln(os.Stderr, "reproduction:", err)
			os.Exit(1)
		}
	}
}

func rewrite(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	next, err := reports(filepath.Join("notebooks", "results")).fill(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(next), 0o644)
}

const (
	begin, end = "<!-- ", " -->"
	last       = begin + "end" + end
)

// reports is a folder of studies.
type reports string

// fill replaces the text between the marks.
func (r reports) fill(text string) (string, error) {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == last {
			if !inside {
				return "", fmt.Errorf("%s without a beginning", last)
			}
			inside = false
		}
		if !inside {
			out.WriteString(line)
		}
		mark, ok := strings.CutPrefix(trimmed, begin)
		if mark, ok2 := strings.CutSuffix(mark, end); ok && ok2 && !inside && trimmed != last {
			table, err := r.table(mark)
			if err != nil {
				return "", err
			}
			out.WriteString("\n" + table + "\n")
			inside = true
		}
	}
	if inside {
		return "", fmt.Errorf("a mark without %s", last)
	}
	return out.String(), nil
}

// table returns the table that a mark requests.
func (r reports) table(mark string) (string, error) {
	args := strings.Fields(mark)
	switch {
	case len(args) == 2 && args[0] == "paper":
		return r.paper(args[1])
	case len(args) > 3 && args[0] == "against":
		return r.against(args[1], args[2:])
	}
	return "", fmt.Errorf("unknown mark %q", mark)
}

// markdown writes a table with a header.
func markdown(rows ...[]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}
