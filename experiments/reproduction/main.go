// Command reproduction inserts the tables of recorded studies into a document. Between the lines
//
//	<!-- table FOLDER: TITLE -->
//	...
//	<!-- end -->
//
// it inserts the table whose title begins with TITLE, of the study in notebooks/results/FOLDER. In
// the same way,
//
//	<!-- paper MEASURE FOLDER -->
//
// inserts our means next to the paper's, see paper;
//
//	<!-- classes SET -->
//
// inserts the counts by class of a synthetic set, see classes; and
//
//	<!-- against MEASURE FOLDER:SYSTEM... -->
//
// compares systems of several studies, see against. Usage:
//
//	go run ./experiments/reproduction docs/reproduction.md
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mpcvm/mpcvm/experiments/study"
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
	r := reports{dir: filepath.Join("notebooks", "results"), read: map[string]*study.Report{}}
	next, err := r.fill(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(next), 0o644)
}

const (
	begin, end = "<!-- ", " -->"
	last       = begin + "end" + end
)

// reports are the studies in folders of dir.
type reports struct {
	dir  string
	read map[string]*study.Report
}

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
	what, rest, _ := strings.Cut(mark, " ")
	switch what {
	case "table":
		folder, title, _ := strings.Cut(rest, ": ")
		report, err := r.report(folder)
		if err != nil {
			return "", err
		}
		for _, t := range report.Tables() {
			if strings.HasPrefix(t.Title, title) {
				return t.Markdown(), nil
			}
		}
		return "", fmt.Errorf("%s has no table %q", folder, title)
	case "classes":
		return classes(rest)
	case "paper":
		measure, folder, ok := strings.Cut(rest, " ")
		if !ok {
			return "", fmt.Errorf("%q: want MEASURE FOLDER", mark)
		}
		return r.paper(measure, folder)
	case "against":
		args := strings.Fields(rest)
		if len(args) < 3 {
			return "", fmt.Errorf("%q: want MEASURE FOLDER:SYSTEM FOLDER:SYSTEM and so on", mark)
		}
		return r.against(args[0], args[1:])
	}
	return "", fmt.Errorf("unknown mark %q", mark)
}

// report summarises the study in a folder.
func (r reports) report(folder string) (*study.Report, error) {
	if r.read[folder] == nil {
		report, err := study.ReadReport(filepath.Join(r.dir, folder))
		if err != nil {
			return nil, err
		}
		r.read[folder] = report
	}
	return r.read[folder], nil
}
