package main

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
)

// report writes the failed cells of a notebook to w and returns their number. For the first one, it shows the
// source and the outputs, because later failures are often consequences. Cells tagged raises-exception may
// fail.
func report(w io.Writer, file string, nb notebook) (failed int) {
	for i, cell := range nb.Cells {
		fails := slices.ContainsFunc(cell.Outputs, func(o output) bool { return o.Type == "error" })
		if !fails || slices.Contains(cell.Metadata.Tags, "raises-exception") {
			continue
		}
		fmt.Fprintf(w, "%s: cell %d failed\n", file, i+1)
		if failed++; failed > 1 {
			continue
		}
		fmt.Fprintf(w, "%s\n---\n", cell.Source)
		for _, o := range cell.Outputs {
			fmt.Fprintln(w, strings.TrimSpace(o.plain()))
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

// html returns the HTML of an output, if any.
func (o output) html() string {
	var page lines
	if data, ok := o.Data["text/html"]; !ok || json.Unmarshal(data, &page) != nil {
		return ""
	}
	return string(page)
}

// library reports whether an output was written by nbhelpers.Init.
func (o output) library() bool { return strings.HasPrefix(o.html(), "<!-- Apache ECharts") }

// plain returns an output as plain text.
func (o output) plain() string {
	if page := o.html(); page != "" {
		text := tag.ReplaceAllString(hidden.ReplaceAllString(page, ""), "")
		return html.UnescapeString(emptyLines.ReplaceAllString(text, "\n"))
	}
	return string(o.Text) + o.Value
}
