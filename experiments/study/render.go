package study

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/tabular"
)

// Formats are the formats of Report.Write.
var Formats = []string{"text", "md", "json"}

// Write writes the report in one of the Formats: plain text, Markdown or JSON. It
// panics for any other format.
func (r *Report) Write(w io.Writer, format string) error {
	var b strings.Builder
	switch format {
	case "text":
		writeText(&b, r.Tables())
	case "md":
		writeMarkdown(&b, r.Tables())
	case "json":
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		if err := enc.Encode(r); err != nil {
			return fmt.Errorf("study: %w", err)
		}
	default:
		panic(fmt.Sprintf("study: unknown format %q", format))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Table is a table of a report, with its cells as text.
type Table struct {
	Title, About string // About is an explanation
	Header       []string
	Rows         []Row
}

// Row is a row of a table. Rows with the paper's numbers are printed differently.
type Row struct {
	Cells []string
	Paper bool
}

func writeText(b *strings.Builder, tables []Table) {
	for i, s := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s\n%s\n%s\n\n", s.Title, strings.Repeat("-", len([]rune(s.Title))), s.About)
		cells := [][]string{tabular.Upper(s.Header)}
		for _, r := range s.Rows {
			row := append(slices.Clone(r.Cells), make([]string, len(s.Header)-len(r.Cells))...)
			if r.Paper {
				row[0] = "  " + row[0]
			}
			cells = append(cells, row)
		}
		b.WriteString(tabular.Text(cells, nil))
	}
}

var escapeMarkdown = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "\n", " ").Replace

func writeMarkdown(b *strings.Builder, tables []Table) {
	b.WriteString("# Results of a study\n")
	for _, t := range tables {
		fmt.Fprintf(b, "\n## %s\n\n%s", escapeMarkdown(t.Title), t.Markdown())
	}
}

// Markdown returns the explanation and the table as Markdown, without the title.
func (t Table) Markdown() string {
	var b strings.Builder
	line := func(cells []string, italic bool) {
		for _, c := range cells {
			if c = escapeMarkdown(c); italic && c != "" {
				c = "*" + c + "*"
			}
			b.WriteString("| " + c + " ")
		}
		b.WriteString("|\n")
	}
	fmt.Fprintf(&b, "%s\n\n", escapeMarkdown(t.About))
	line(t.Header, false)
	b.WriteString(strings.Repeat("|---", len(t.Header)) + "|\n")
	for _, r := range t.Rows {
		line(r.Cells, r.Paper)
	}
	return b.String()
}
