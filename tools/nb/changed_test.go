package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	says := func(text string, tags ...string) (c cell) {
		c.Metadata.Tags = tags
		c.Outputs = []output{{Type: "stream", Text: lines(text)}}
		return c
	}
	was := notebook{Cells: []cell{says("same\n"), says("1.5 s\n", "varies"), says("a\nb = 1\n"), says("c\n")}}
	now := notebook{Cells: []cell{says("same\n"), says("1.7 s\n", "varies"), says("a\nb = 2\n"), says("c\nd\n")}}
	var out strings.Builder
	n := compare(&out, "n", was, now)
	const want = "n: cell 2 (- committed, + executed)\n- b = 1\n+ b = 2\nn: cell 3 (- committed, + " +
		"executed)\n+ d\n"
	if n != 2 || out.String() != want {
		t.Errorf("%d cells:\n%s\nwant 2:\n%s", n, &out, want)
	}
	table := output{Type: "display_data",
		Data: map[string]json.RawMessage{"text/html": json.RawMessage(`"<img alt=\"a>b\"><p>t</p>"`)}}
	was, now = notebook{Cells: []cell{says("same\n")}}, notebook{Cells: []cell{says("same\n")}}
	was.Cells[0].Outputs = append(was.Cells[0].Outputs, table)
	now.Cells[0].Outputs = append([]output{table}, now.Cells[0].Outputs...)
	if n := compare(&out, "n", was, now); n != 0 {
		t.Errorf("a table before instead of after printed output counts as %d", n)
	}
	if n := compare(&out, "n", was, notebook{}); n != 1 {
		t.Errorf("missing cells count as %d, want 1", n)
	}
}
