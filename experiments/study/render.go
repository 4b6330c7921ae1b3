package study

import (
	"io"
	"strings"

	"github.com/mpcvm/mpcvm/internal/tabular"
)

// Table is a table of a report, with its cells as text.
type Table struct {
	Title, About string // About is an explanation
	Header       []string
	Rows         [][]string
}

// Write writes the tables of the report as text.
func (r *Report) Write(w io.Writer) error {
	var texts []string
	for _, t := range r.Tables() {
		line := strings.Repeat("-", len([]rune(t.Title)))
		texts = append(texts, t.Title+"\n"+line+"\n"+t.About+"\n\n"+
			tabular.Text(append([][]string{tabular.Upper(t.Header)}, t.Rows...), nil))
	}
	_, err := io.WriteString(w, strings.Join(texts, "\n"))
	return err
}
