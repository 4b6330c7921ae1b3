package tables_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/unicode"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

func ExampleReader() {
	ctx := context.Background()
	like := []table.Column{{Name: "kg", Kind: table.Number}, {Name: "bred", Kind: table.Category}}
	r, err := tables.NewReader(ctx, strings.NewReader("id;bred;kg\n01;oak;1,5\n02;ash;\n"), "trees.csv",
		tables.Options{Like: like})
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Select(nil, []string{"id"})
	for {
		t, err := r.Next(ctx)
		if err != nil {
			break // io.EOF
		}
		id, bred, kg := t.Columns[t.Find("id")], t.Columns[t.Find("bred")], t.Columns[t.Find("kg")]
		for row := range t.Rows {
			fmt.Println(id.Source(row), bred.Text(row), kg.Numbers[row])
		}
	}
	// Output:
	// 01 oak 1.5
	// 02 ash NaN
}

// pipe is a reader that cannot seek.
type pipe struct{ io.Reader }

// The chunks of a file have the rows of its table, in every format.
func TestReader(t *testing.T) {
	const rows = 40000
	type line struct {
		N float64 `parquet:"n"`
		C string  `parquet:"c"`
	}
	var lines []line
	csv, arff := bytes.NewBufferString("n,c,more\n"), bytes.NewBufferString("@relation r\n@attribute n "+
		"numeric\n@attribute c {x,y,z}\n@data\n")
	for i := range rows {
		l := line{float64(i) / 8, string(rune('x' + i%3))}
		lines = append(lines, l)
		fmt.Fprintf(csv, "%v,%s,\"a, \"\"b\"\"\nc\"\n", l.N, l.C)
		fmt.Fprintf(arff, "%v,%s\n", l.N, l.C)
	}
	o := tables.Options{Like: []table.Column{{Name: "n", Kind: table.Number}, {Name: "c", Kind: table.Category},
		{Name: "gone", Kind: table.Number}}}
	for name, in := range map[string]io.Reader{
		"a.csv": bytes.NewReader(csv.Bytes()), "pipe.csv": pipe{bytes.NewReader(csv.Bytes())},
		"a.arff": bytes.NewReader(arff.Bytes()), "pipe.arff": pipe{bytes.NewReader(arff.Bytes())},
		"a.parquet": bytes.NewReader(parquetOf(lines)), "pipe.parquet": pipe{bytes.NewReader(parquetOf(lines))},
	} {
		r, err := tables.NewReader(t.Context(), in, name, o)
		if err != nil {
			t.Fatal(name, err)
		}
		row, parts := 0, 0
		for {
			tb, err := r.Next(t.Context())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(name, err)
			}
			n, c := tb.Columns[tb.Find("n")], tb.Columns[tb.Find("c")]
			for i := range tb.Rows {
				if n.Numbers[i] != lines[row].N || c.Text(i) != lines[row].C {
					t.Fatalf("%s: row %d: %v %s, want %v", name, row, n.Numbers[i], c.Text(i), lines[row])
				}
				row++
			}
			parts++
		}
		if share := r.Share(); row != rows || parts < 2 || share != 1 && name != "pipe.csv" {
			t.Errorf("%s: %d rows in %d chunks, share %v", name, row, parts, share)
		}
	}
}

// Rows that cannot be read are reported with the reason, and selected cells are kept as written.
func TestReaderFaults(t *testing.T) {
	text := "a;b;k\n1,5;yes; 007\n2;no;x\n;;\n3,5;maybe\nx;NA;\"q;\"\"\"\n7;no;z;;\n"
	o := tables.Options{Like: []table.Column{{Name: "a", Kind: table.Number}, {Name: "b", Kind: table.Boolean,
		Levels: []string{"no", "yes"}}}}
	r, err := tables.NewReader(t.Context(), strings.NewReader(text), "t.csv", o)
	must.OK(t, err)
	r.Select(nil, []string{"k"})
	tb, err := r.Next(t.Context())
	must.OK(t, err)
	a, b, k := tb.Columns[0], tb.Columns[1], tb.Columns[2]
	want := []float64{1.5, 2, math.NaN(), math.NaN(), math.NaN(), 7}
	if !slices.EqualFunc(a.Numbers, want, func(x, y float64) bool { return x == y || x != x && y != y }) ||
		len(a.Faults) != 1 || a.Faults[0] != (table.Fault{Row: 4, Line: 6, Text: "x"}) {
		t.Errorf("%v, %+v", a.Numbers, a.Faults)
	}
	if b.Kind != table.Category || !slices.Equal(b.Levels, []string{"no", "yes"}) ||
		!slices.Equal(b.Codes, []int32{1, 0, -1, -1, -1, 0}) {
		t.Errorf("%+v", b)
	}
	if !slices.Equal(k.Written, []string{" 007", "x", "", "", `q;"`, "z"}) {
		t.Errorf("%q", k.Written)
	}
	if len(tb.Ragged) != 1 || !errors.Is(tb.Ragged[3], tables.ErrRagged) ||
		!strings.Contains(tb.Ragged[3].Error(), "line 5: wrong number of cells: 2, but there are 3 columns") {
		t.Errorf("%v", tb.Ragged)
	}
	if _, err := r.Next(t.Context()); err != io.EOF {
		t.Error(err)
	}
	if part := tb.Slice(1, 5); part.Columns[0].Faults[0].Row != 3 || part.Columns[1].Text(0) != "no" ||
		part.Rows != 4 || part.Ragged[2] == nil || part.Columns[2].Written[0] != "x" {
		t.Errorf("%+v", part)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tables.NewReader(ctx, strings.NewReader(text), "t.csv", o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for text, want := range map[string]error{"": tables.ErrEmpty, "\n\n": tables.ErrEmpty,
		"%PDF": tables.ErrFormat, "<html>": tables.ErrFormat, `[{"a":1}]`: tables.ErrFormat,
		"\x02\x03\x04\x05\x06": tables.ErrFormat} {
		if _, err := tables.NewReader(t.Context(), strings.NewReader(text), "t.csv", o); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// The sample used for detection may end anywhere in a text, even within a quoted cell, a character or a line
// end: all readers read the same rows.
func TestSampleCut(t *testing.T) {
	long := strings.Repeat("long ", 9) + "end"
	plain := "\ufeffn,note,größe,class\r\n1.5,\"a, \"\"b\"\"\r\nc\",grün,x\r\n2.5,\"größe\n, 3,4\",weiß,y\r\n" +
		"3.5,\"" + long + "\r\n" + long + "\",rot,x\r\n4.5,,grün,y\r\n5.5,\"q\",rot,x\r\n6.5,\"\",weiß,y"
	want := []string{"1.5|a, \"b\"\nc|grün|x", "2.5|größe\n, 3,4|weiß|y", "3.5|" + long + "\n" + long + "|rot|x",
		"4.5||grün|y", "5.5|q|rot|x", "6.5||weiß|y"}
	kinds := map[string]table.Kind{"n": table.Number, "note": table.Text, "größe": table.Category,
		"class": table.Category}
	var like []table.Column
	for name, kind := range kinds {
		like = append(like, table.Column{Name: name, Kind: kind})
	}
	texts := map[string][]byte{"utf-8": []byte(plain), "utf-16": utf16(unicode.LittleEndian, []byte(plain)[3:]),
		"cr": []byte(strings.ReplaceAll(plain, "\r\n", "\r"))}
	wants := map[string][]string{}
	for name := range texts {
		wants[name] = want
	}
	lone := "n;class\n" + strings.Repeat("15;\"a\nb\nc c\nd, e\nf\"\n", 8)
	texts["alone"], wants["alone"] = []byte(lone), slices.Repeat([]string{"15|a\nb\nc c\nd, e\nf"}, 8)
	rows := func(tb *table.Table) (rows []string) {
		for row := range tb.Rows {
			var cells []string
			for _, name := range []string{"n", "note", "größe", "class"} {
				if i := tb.Find(name); i >= 0 {
					cells = append(cells, tb.Columns[i].Source(row))
				}
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
		return rows
	}
	check := func(how string, got, want []string, err error) {
		t.Helper()
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], "\r", "\n")
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v\n%q, want\n%q", how, err, got, want)
		}
	}
	for name, text := range texts {
		step, from := 1, bytes.IndexAny(text, "\r\n")+12
		switch name {
		case "utf-16", "cr":
			step = 5
		case "alone": // the first row alone does not determine the decimal mark
			from = 30
		}
		for at := from; at <= len(text)+1; at += step {
			how := fmt.Sprintf("%s cut at %d", name, at)
			restore := tables.SetSample(at)
			o := tables.Options{Like: like}
			for kind, in := range map[string]io.Reader{"file": bytes.NewReader(text),
				"pipe": pipe{iotest.OneByteReader(bytes.NewReader(text))}, "gzip": bytes.NewReader(zipped(text))} {
				if kind != "file" && at%8 > 0 {
					continue
				}
				r, err := tables.NewReader(t.Context(), in, name, o)
				var got []string
				for err == nil {
					var tb *table.Table
					if tb, err = r.Next(t.Context()); err == nil {
						got = append(got, rows(tb)...)
					}
				}
				if err == io.EOF {
					err = nil
				}
				check(how+" "+kind, got, wants[name], err)
			}
			for kind, in := range map[string][]byte{"Open": text, "Open gzip": zipped(text)} {
				if at%4 > 0 {
					continue
				}
				tb, err := tables.Read(t.Context(), bytes.NewReader(in), name, tables.Options{Like: like, Header: "yes"})
				var got []string
				if err == nil {
					got = rows(tb)
				}
				check(how+" "+kind, got, wants[name], err)
			}
			restore()
			if t.Failed() {
				return
			}
		}
	}
}

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
	for _, bad := range []string{`{"a":[{"b":1}]}`, `{"a":[[1]]}`, `{"a":{"b":1}`, `{"a":[1`, `{"a":1,"a":2}`,
		`{"a.b":1,"a":{"b":2}}`,
		strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50)} {
		if got, err := read(`{"a":1}` + "\n" + bad + "\n"); err == nil {
			t.Errorf("%s is read as %q", bad, got.Names())
		}
	}
}
