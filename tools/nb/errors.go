package main

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

// report writes the failed cells of a notebook to w and returns their number. For the first one, it shows the
// source and the outputs, because later failures are often consequences. Cells tagged raises-exception may
// fail.
func report(w io.Writer, file string, nb ipynb.Notebook) (failed int) {
	for i, cell := range nb.Cells {
		fails := slices.ContainsFunc(cell.Outputs, func(o ipynb.Output) bool { return o.Type == "error" })
		if !fails || cell.Tagged("raises-exception") {
			continue
		}
		fmt.Fprintf(w, "%s: cell %d failed\n", file, i+1)
		if failed++; failed > 1 {
			continue
		}
		fmt.Fprintf(w, "%s\n---\n", cell.Source)
		for _, o := range cell.Outputs {
			fmt.Fprintln(w, strings.TrimSpace(plain(o)))
		}
		fmt.Fprintln(w, "---")
	}
	return failed
}

// These are removed from HTML for display in a terminal.
var (
	hidden = regexp.MustCompile(`(?s)<(style|script)\b.*?</(style|script)>|` +
		`<p class="mpcvm-alt".*?</p>|\b(src|srcset|alt)="[^"]*"`)
	tag        = regexp.MustCompile(`<[^>]*>`)
	emptyLines = regexp.MustCompile(`\n\s*\n+`)
)

// plain returns an output as plain text.
func plain(o ipynb.Output) string {
	if page := o.HTML(); page != "" {
		rows := strings.ReplaceAll(hidden.ReplaceAllString(page, ""), "</tr>", "\n")
		text := tag.ReplaceAllString(rows, " ")
		return html.UnescapeString(emptyLines.ReplaceAllString(text, "\n"))
	}
	return string(o.Text) + o.Value
}
