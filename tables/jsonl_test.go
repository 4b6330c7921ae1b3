package tables_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
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
	for _, pipe := range []bool{false, true} {
		var in io.Reader = strings.NewReader(b.String())
		if pipe {
			in = io.MultiReader(in)
		}
		r, err := tables.NewReader(t.Context(), in, "late.jsonl", tables.Options{})
		must.OK(t, err)
		if slices.Contains(r.Names(), "late") == pipe {
			t.Errorf("pipe %v: columns %q", pipe, r.Names())
		}
		r.Select(nil, r.Names())
		for rows := 0; err == nil; rows += read.Rows {
			if read, err = r.Next(t.Context()); err != nil {
				break
			}
			if j := read.Find("late"); !pipe && rows <= 1100 && 1100 < rows+read.Rows &&
				read.Columns[j].Source(1100-rows) != "1" {
				t.Errorf("the key has the cell %q", read.Columns[j].Source(1100-rows))
			}
		}
		notes := strings.Join(table.Go.SayAll(r.Notes()), "")
		if strings.Contains(notes, `key "late" in row 1101 is ignored`) != pipe {
			t.Errorf("pipe %v: %s, %v", pipe, notes, err)
		}
	}
}

// The members of objects are columns of their own, and lists are joined, so that what predict writes can be
// read.
func TestNested(t *testing.T) {
	read := func(text string) (*table.Table, error) {
		return tables.Read(t.Context(), strings.NewReader(text), "nested.jsonl", tables.Options{})
	}
	got, err := read(`{"class":"a","proba":{"a":0.9,"b":0.1},"set":["a","b"],"x":{"y":{"z":null}}}
{"class":"b","proba":{"a":0.2,"b":0.8},"set":[],"x":{"y":{"z":3}}}
`)
	must.OK(t, err)
	want := []string{"class", "proba.a", "proba.b", "set", "x.y.z"}
	if !slices.Equal(got.Names(), want) || got.Columns[3].Text(0) != "a | b" || !got.Columns[3].Missing(1) ||
		got.Columns[1].Numbers[1] != 0.2 || got.Columns[4].Numbers[1] != 3 {
		t.Errorf("columns %q, set %q", got.Names(), got.Columns[3].Text(0))
	}
	for _, bad := range []string{`{"a":[{"b":1}]}`, `{"a":[[1]]}`, `{"a":{"b":1}`, `{"a":[1`,
		strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50)} {
		if got, err := read(`{"a":1}` + "\n" + bad + "\n"); err == nil {
			t.Errorf("%s is read as %q", bad, got.Names())
		}
	}
}
