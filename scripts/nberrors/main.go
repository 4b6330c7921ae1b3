// Command nberrors lists the failed cells of executed notebooks. Of each notebook it shows the
// source and the outputs of the first one, as those after it often fail because of it. It exits
// with status 1 if there are any. Cells tagged raises-exception may fail.
//
//	nberrors NOTEBOOK.ipynb...
package main

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	failed := 0
	for _, file := range os.Args[1:] {
		data, err := os.ReadFile(file)
		if err == nil {
			var n int
			n, err = report(os.Stdout, file, data)
			failed += n
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "nberrors: %s: %v\n", file, err)
			failed++
		}
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// notebook has the parts of the notebook format, version 4, that matter here.
type notebook struct {
	Cells []struct {
		Metadata struct {
			Tags []string `json:"tags"`
		} `json:"metadata"`
		Source  lines    `json:"source"`
		Outputs []output `json:"outputs"`
	} `json:"cells"`
}

type output struct {
	Type  string                     `json:"output_type"`
	Text  lines                      `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	Value string                     `json:"evalue"`
}

// lines is a text, which the format has as a string or a list of lines.
type lines string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *lines) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}

// report writes the failed cells of a notebook to w and returns their number.
func report(w io.Writer, file string, data []byte) (failed int, err error) {
	var nb notebook
	if err := json.Unmarshal(data, &nb); err != nil {
		return 0, err
	}
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
	return failed, nil
}

// These are removed from HTML for a terminal.
var (
	hidden = regexp.MustCompile(`(?s)<(style|script)\b.*?</(style|script)>`)
	tag    = regexp.MustCompile(`<[^>]*>`)
	blank  = regexp.MustCompile(`\n\s*\n+`)
)

// plain returns an output as plain text.
func (o output) plain() string {
	var page lines
	if data, ok := o.Data["text/html"]; ok && json.Unmarshal(data, &page) == nil {
		text := tag.ReplaceAllString(hidden.ReplaceAllString(string(page), ""), "")
		return html.UnescapeString(blank.ReplaceAllString(text, "\n"))
	}
	return string(o.Text) + o.Value
}
