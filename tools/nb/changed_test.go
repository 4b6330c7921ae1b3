package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

func TestCompare(t *testing.T) {
	says := func(text string, tags ...string) (c ipynb.Cell) {
		c.Metadata.Tags = tags
		c.Outputs = []ipynb.Output{{Type: "stream", Text: ipynb.Text(text)}}
		return c
	}
	was := ipynb.Notebook{Cells: []ipynb.Cell{says("same\n"), says("1.5 s\n", "varies"), says("a\nb = 1\n"), says("c\n")}}
	now := ipynb.Notebook{Cells: []ipynb.Cell{says("same\n"), says("1.7 s\n", "varies"), says("a\nb = 2\n"), says("c\nd\n")}}
	var out strings.Builder
	n := compare(&out, "n", was, now)
	const want = "n: cell 2 (- committed, + executed)\n- b = 1\n+ b = 2\nn: cell 3 (- committed, + " +
		"executed)\n+ d\n"
	if n != 2 || out.String() != want {
		t.Errorf("%d cells:\n%s\nwant 2:\n%s", n, &out, want)
	}
	table := ipynb.Output{Type: "display_data",
		Data: map[string]json.RawMessage{"text/html": json.RawMessage(`"<img alt=\"a>b\"><p>t</p>"`)}}
	was, now = ipynb.Notebook{Cells: []ipynb.Cell{says("same\n")}}, ipynb.Notebook{Cells: []ipynb.Cell{says("same\n")}}
	was.Cells[0].Outputs = append(was.Cells[0].Outputs, table)
	now.Cells[0].Outputs = append([]ipynb.Output{table}, now.Cells[0].Outputs...)
	if n := compare(&out, "n", was, now); n != 0 {
		t.Errorf("a table before instead of after printed output counts as %d", n)
	}
	if n := compare(&out, "n", was, ipynb.Notebook{}); n != 1 {
		t.Errorf("missing cells count as %d, want 1", n)
	}
}
