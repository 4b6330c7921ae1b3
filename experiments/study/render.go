package study

import (
	"io"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/tabular"
)

// Table is a table of a report, with its cells as text.
type Table struct {
	Title, About string // About is an explanation
	Header       []string
	Rows         []Row
}

// Row is a row of a table. Rows with the paper's numbers are indented.
type Row struct {
	Cells []string
	Paper bool
}

// Write writes the tables of the report as text.
func (r *Report) Write(w io.Writer) error {
	var texts []string
	for _, t := range r.Tables() {
		cells := [][]string{tabular.Upper(t.Header)}
		for _, r := range t.Rows {
			row := append(slices.Clone(r.Cells), make([]string, len(t.Header)-len(r.Cells))...)
			if r.Paper {
				row[0] = "  " + row[0]
			}
			cells = append(cells, row)
		}
		line := strings.Repeat("-", len([]rune(t.Title)))
		texts = append(texts, t.Title+"\n"+line+"\n"+t.About+"\n\n"+tabular.Text(cells, nil))
	}
	_, err := io.WriteString(w, strings.Join(texts, "\n"))
	return err
}
