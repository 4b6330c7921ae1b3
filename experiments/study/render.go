package study

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/tabular"
)

// Formats are the formats of Report.Write.
var Formats = []string{"text", "md", "html", "json"}

// Write writes the report in one of the Formats: plain text, Markdown, an HTML page or JSON. It
// panics for any other format.
func (r *Report) Write(w io.Writer, format string) error {
	var b strings.Builder
	switch format {
	case "text":
		writeText(&b, r.Tables())
	case "md":
		writeMarkdown(&b, r.Tables())
	case "html":
		writeHTML(&b, r.Tables())
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

const reportTitle = "Results of a study"

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
	fmt.Fprintf(b, "# %s\n", reportTitle)
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

func writeHTML(b *strings.Builder, tables []Table) {
	b.WriteString(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` + reportTitle + `</title>
<style>
body{font:15px/1.5 system-ui,Helvetica,Arial,sans-serif;margin:2em auto;max-width:75em;padding:0 1em}
div{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.15em .8em;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
.paper{color:#666;font-style:italic}
</style></head><body>
<h1>` + reportTitle + `</h1>
`)
	line := func(tag, class string, cells []string) {
		b.WriteString("<tr" + class + ">")
		for _, c := range cells {
			fmt.Fprintf(b, "<%s>%s</%s>", tag, html.EscapeString(c), tag)
		}
		b.WriteString("</tr>\n")
	}
	for _, s := range tables {
		fmt.Fprintf(b, "<h2>%s</h2>\n<p>%s</p>\n<div><table>\n", html.EscapeString(s.Title),
			html.EscapeString(s.About))
		line("th", "", s.Header)
		for _, r := range s.Rows {
			class := ""
			if r.Paper {
				class = ` class="paper"`
			}
			line("td", class, r.Cells)
		}
		b.WriteString("</table></div>\n")
	}
	b.WriteString("</body></html>\n")
}
