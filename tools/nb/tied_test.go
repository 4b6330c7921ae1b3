package main

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestUntied(t *testing.T) {
	const table = "<table><tr><td>0.1</td><td>17.1</td><td>-0.7  ± 0.3</td></tr>" +
		"<tr><td>1</td><td>6,000</td></tr></table>"
	page := must.Get(json.Marshal(table))(t)
	for _, c := range []struct {
		text, phrase, row string
		want              int
	}{
		{"It is 0.7 ± 0.3 points.", "0.7 ± 0.3", "0.1", 0},
		{"It is 17 points.", "17 points", "0.1 17.1", 0},
		{"It is 6000.", "6000", "", 0},
		{"Seventeen points.", "Seventeen", "0.1", 0},
		{"It is one of nineteen.", "nineteen", "", 1},
		{"It is 16 points.", "16 points", "0.1", 1},
		{"It is 0.7 ± 0.3 points.", "0.7 ± 0.4", "0.1", 1}, // not in the text
		{"It is 0.7 ± 0.3 points.", "0.7 ± 0.3", "1 6,000", 1},
		{"It is 0.7 points.", "points", "", 1}, // no number
		{"It is 0.7 points.", "0.7", "none", 1},
	} {
		text := ipynb.Cell{Type: "markdown", Source: ipynb.Text(c.text)}
		text.Metadata.Ties = []ipynb.Tie{{Text: c.phrase, Cell: "a", Row: c.row}}
		nb := ipynb.Notebook{Cells: []ipynb.Cell{text, {ID: "a", Type: "code",
			Outputs: []ipynb.Output{{Type: "display_data", Data: map[string]json.RawMessage{"text/html": page}}}}}}
		if got := untied(io.Discard, "", nb); got != c.want {
			t.Errorf("%q of %q with %q: %d fail, want %d", c.phrase, c.text, c.row, got, c.want)
		}
	}
}

// TestTies checks the numbers in sentences that are tied to outputs, and that those with a standard error are
// tied. It logs how many of the sentences with a number are tied.
func TestTies(t *testing.T) {
	sentence := regexp.MustCompile(`(?s).+?(?:[.?:!](?:\s|$)|\n|$)`)
	result := regexp.MustCompile(`\d`)
	reference := regexp.MustCompile("(?s)\\$\\$.*?\\$\\$|\\$[^$]*\\$|`[^`]*`|\\(\\d+\\)|" +
		"[Nn]otebooks? \\d\\w*|\\]\\([^)]*\\)|\n#[^\n]*")
	var tied, all int
	for _, file := range in(t, "*.ipynb") {
		nb, _ := read(t, file)
		if n := untied(os.Stderr, file, nb); n > 0 {
			t.Errorf("%s: %d ties of numbers in the text do not hold", file, n)
		}
		before, of := tied, all
		for i, c := range nb.Cells {
			text, _, _ := strings.Cut(string(c.Source), "## Exercises")
			if c.Type != "markdown" || c.Tagged("hint") || i == 0 {
				continue
			}
			for _, s := range sentence.FindAllString("\n"+text, -1) {
				has := false
				for _, tie := range c.Metadata.Ties {
					has = has || strings.Contains(s, strings.TrimRight(tie.Text, ":"))
				}
				if strings.Contains(s, " ± ") && !has {
					t.Errorf("%s, cell %d: the numbers of %q are not tied to an output", file, i, strings.TrimSpace(s))
				}
				if has {
					tied++
				}
				if has || result.MatchString(reference.ReplaceAllString(s, "")) {
					all++
				}
			}
		}
		t.Logf("%s: %d of %d sentences with numbers are tied", file, tied-before, all-of)
	}
	t.Logf("%d of %d sentences with numbers are tied", tied, all)
	if tied < 50 {
		t.Errorf("only %d sentences are tied", tied)
	}
}
