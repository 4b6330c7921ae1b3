package study

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
	"text/tabwriter"
)

// Formats are those of Report.Write.
var Formats = []string{"text", "md", "html", "json"}

// Write writes the report as plain text, Markdown, an HTML page or JSON. It panics at
// any other format.
func (r *Report) Write(w io.Writer, format string) error {
	var b strings.Builder
	switch format {
	case "text":
		writeText(&b, r.sections())
	case "md":
		writeMarkdown(&b, r.sections())
	case "html":
		writeHTML(&b, r.sections())
	case "json":
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		if err := enc.Encode(r); err != nil {
			return fmt.Errorf("study: %w", err)
		}
	default:
		panic(fmt.Sprintf("study: no format %q", format))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const reportTitle = "Results of a study"

// section is a part of a report: a heading, what is to be known, a table.
type section struct {
	title, about string
	header       []string
	rows         []row
}

// row is a row of a table. One of the paper's is set off from ours.
type row struct {
	cells []string
	paper bool
}

func writeText(b *strings.Builder, sections []section) {
	for i, s := range sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s\n%s\n%s\n\n", s.title, strings.Repeat("-", len([]rune(s.title))), s.about)
		w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, strings.ToUpper(strings.Join(s.header, "\t")))
		for _, r := range s.rows {
			indent := ""
			if r.paper {
				indent = "  "
			}
			fmt.Fprintln(w, indent+strings.Join(r.cells, "\t"))
		}
		w.Flush() // a Builder takes everything
	}
}

func writeMarkdown(b *strings.Builder, sections []section) {
	escape := strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "\n", " ").Replace
	line := func(cells []string, italic bool) {
		for _, c := range cells {
			if c = escape(c); italic && c != "" {
				c = "*" + c + "*"
			}
			b.WriteString("| " + c + " ")
		}
		b.WriteString("|\n")
	}
	fmt.Fprintf(b, "# %s\n", reportTitle)
	for _, s := range sections {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n", escape(s.title), escape(s.about))
		line(s.header, false)
		b.WriteString(strings.Repeat("|---", len(s.header)) + "|\n")
		for _, r := range s.rows {
			line(r.cells, r.paper)
		}
	}
}

func writeHTML(b *strings.Builder, sections []section) {
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
	for _, s := range sections {
		fmt.Fprintf(b, "<h2>%s</h2>\n<p>%s</p>\n<div><table>\n", html.EscapeString(s.title), html.EscapeString(s.about))
		line("th", "", s.header)
		for _, r := range s.rows {
			class := ""
			if r.paper {
				class = ` class="paper"`
			}
			line("td", class, r.cells)
		}
		b.WriteString("</table></div>\n")
	}
	b.WriteString("</body></html>\n")
}
