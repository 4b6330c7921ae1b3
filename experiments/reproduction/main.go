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
	"regexp"
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

const end = "<!-- end -->"

var (
	begin  = regexp.MustCompile(`(?m)^<!-- (?:paper|against) `)
	marked = regexp.MustCompile(`(?ms)^<!-- ((?:paper|against) [^\n]+) -->$.*?^` + end + "$")
)

// reports is a folder of studies.
type reports string

// fill replaces the text between the marks.
func (r reports) fill(text string) (string, error) {
	found := marked.FindAllStringSubmatch(text, -1)
	if n := len(found); n != len(begin.FindAllString(text, -1)) || n != strings.Count(text, end) {
		return "", fmt.Errorf("%d marks have an end, others do not", n)
	}
	for _, m := range found {
		table, err := r.table(strings.Fields(m[1]))
		if err != nil {
			return "", err
		}
		text = strings.Replace(text, m[0], "<!-- "+m[1]+" -->\n\n"+table+"\n"+end, 1)
	}
	return text, nil
}

// table returns the table that a mark requests.
func (r reports) table(args []string) (string, error) {
	switch {
	case len(args) == 2 && args[0] == "paper":
		return r.paper(args[1])
	case len(args) > 3 && args[0] == "against":
		return r.against(args[1], args[2:])
	}
	return "", fmt.Errorf("unknown mark %q", args)
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
