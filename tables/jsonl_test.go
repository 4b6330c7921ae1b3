package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables"
)

// A key that first appears far below the beginning of a file is a column of its table.
func TestLateKey(t *testing.T) {
	var b strings.Builder
	for i := range 1200 {
		late := ""
		if i >= 1100 {
			late = fmt.Sprintf(`, "late": %d`, i%7)
		}
		fmt.Fprintf(&b, `{"x": %d.5, "class": "%c"%s}`+"\n", i, 'a'+i%2, late)
	}
	read, err := tables.Read(t.Context(), strings.NewReader(b.String()), "late.jsonl", tables.Options{})
	must.OK(t, err)
	j := read.Find("late")
	if j < 0 || read.Rows != 1200 || !read.Columns[j].Missing(1099) || read.Columns[j].Text(1100) != "1" {
		t.Errorf("%d rows, columns %q", read.Rows, read.Names())
	}
}
