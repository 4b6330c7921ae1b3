package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/table"
	"github.com/mpcvm/mpcvm/internal/watch"
)

// file writes rows of a struct type as the library does.
func file[T any](t testing.TB, groups ...[]T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[T](&b)
	for _, rows := range groups {
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// open opens a file for batches of a few rows. Its pages may take 64 MiB.
func open(file []byte, features []string, rows int) (*Reader, error) {
	f, err := Open(bytes.NewReader(file), int64(len(file)), "s", features)
	if f != nil {
		f.most, f.limit = rows, unseen
	}
	return f, err
}

// readAll reads a file in batches.
func readAll(f *Reader) (values []float64, classes []string, ends []table.Position, err error) {
	var b table.Batch
	for {
		err := f.Read(&b)
		if err == io.EOF {
			return values, classes, ends, nil
		}
		if err == nil {
			err = b.Parse()
		}
		if err != nil {
			return nil, nil, nil, err
		}
		values = append(values, b.X.RawMatrix().Data...)
		classes = append(classes, b.Class...)
		ends = append(ends, b.End)
	}
}

// A file that DuckDB wrote, of all types of numbers.
func TestDuckDB(t *testing.T) {
	s, err := ReadFile("testdata/duckdb.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "duckdb" || !slices.Equal(s.Classes, []string{"kind 0", "kind 1", "kind 2"}) || !slices.Equal(s.T, []int{0, 1, 2, 0, 1, 2}) ||
		strings.Join(s.Features, " ") != "i32 i64 u8 u64 f32 f64 d6 d16 d30 flag" {
		t.Errorf("%+v", s)
	}
	for i := range 6 {
		x := float64(i)
		want := []float64{x - 3, x*1000000007 - 2, 250 + x, 18446744073709551610, float64(float32(x / 3)), x / 7,
			(x - 2) * 1.25, (x - 2) * 12345678901.125, (x - 2) * 1234567890123456789.5, float64(1 - i%2)}
		if i == 1 || i == 3 {
			want[8] = (x - 2) * 1234567890123456789.5
		}
		if got := s.X.RawRowView(i); !slices.Equal(got, want) {
			t.Errorf("row %d: got  %v\nwant %v", i, got, want)
		}
	}
	// Test data, columns by name: the same file serves.
	order := []int{5, 0, 1, 2, 3, 4, 6, 7, 8, 9}
	like := &Set{X: mat.NewDense(6, 10, nil), T: s.T, Classes: s.Classes}
	for to, from := range order {
		like.Features = append(like.Features, s.Features[from])
		for i := range 6 {
			like.X.Set(i, to, s.X.At(i, from))
		}
	}
	f, err := os.Open("testdata/duckdb.parquet")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadSetLike(f, info.Size(), "again", like)
	if err != nil || !mat.Equal(again.X, like.X) || !slices.Equal(again.T, like.T) {
		t.Errorf("%+v, %v", again, err)
	}
	_, err = ReadFile("testdata/duckdb-null.parquet")
	if got, want := fmt.Sprint(err), "data: testdata/duckdb-null.parquet: row 4, column 6 (f64): empty cell (missing value)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDecimals(t *testing.T) {
	for _, tt := range []struct {
		bytes string
		scale int
		want  float64
	}{
		{"\x00", 0, 0}, {"\xff", 1, -.1}, {"\x7f\xff", 2, 327.67}, {"\x80\x00", 0, -32768},
		{"\x00\x20\x00\x00\x00\x00\x00\x01", 0, 1 << 53}, {"\x00\x20\x00\x00\x00\x00\x00\x03", 0, 1<<53 + 4},
		{"\x01\x00\x00\x00\x00\x00\x00\x00\x00", 25, 18446744073709551616e-25},
	} {
		if got := scaled(twosComplement([]byte(tt.bytes)), tt.scale); got != tt.want {
			t.Errorf("%x, scale %d: got %v, want %v", tt.bytes, tt.scale, got, tt.want)
		}
	}
	for bits, want := range map[uint16]float64{0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: 0x1p-24, 0x0400: 0x1p-14, 0x3555: 0x1.554p-2} {
		if got := half([]byte{byte(bits), byte(bits >> 8)}); got != want {
			t.Errorf("%#x: got %v, want %v", bits, got, want)
		}
	}
	if !math.IsInf(half([]byte{0, 0xfc}), -1) || !math.IsNaN(half([]byte{1, 0x7c})) {
		t.Error("infinity, or no number")
	}
}

type wide struct {
	Y     float64  `parquet:"y"`
	Class *string  `parquet:"class,optional"`
	X     *float32 `parquet:"x,optional,dict"`
	N     uint16   `parquet:"n"`
}

func row(i int) wide {
	x, class := float32(i)/4, fmt.Sprintf(" c%d ", i%3)
	w := wide{Y: math.Sqrt(float64(i)), Class: &class, X: &x, N: uint16(i)}
	if i%5 == 4 {
		w.Class = nil
	}
	return w
}

// Batches of any size, across row groups of any size, are the rows of the file; every
// end of one is a place to go on from.
func TestBatches(t *testing.T) {
	for _, n := range []int{1, 4, 5, 6, 10, 11, 37} {
		for _, group := range []int{1, 3, 5, 100} {
			var groups [][]wide
			for i := range n {
				if i%group == 0 {
					groups = append(groups, nil)
				}
				groups[len(groups)-1] = append(groups[len(groups)-1], row(i))
			}
			text := file(t, groups...)
			for _, size := range []int{1, 5, 36, 1000} {
				f, err := open(text, []string{"n", "x", "y"}, size)
				if err != nil {
					t.Fatal(err)
				}
				values, classes, ends, err := readAll(f)
				if err != nil || len(values) != 3*n || f.Rows() != int64(n) {
					t.Fatalf("%d values of %d rows, %v", len(values), n, err)
				}
				for i := range n {
					class := fmt.Sprintf("c%d", i%3)
					if i%5 == 4 {
						class = ""
					}
					if want := []float64{float64(i), float64(i) / 4, math.Sqrt(float64(i))}; !slices.Equal(values[3*i:3*i+3], want) || classes[i] != class {
						t.Fatalf("row %d of %d: %v %q", i, n, values[3*i:3*i+3], classes[i])
					}
				}
				for _, end := range ends {
					again, err := open(text, []string{"n", "x", "y"}, size)
					if err != nil {
						t.Fatal(err)
					}
					if err := again.Seek(end); err != nil {
						t.Fatal(err)
					}
					rest, _, _, err := readAll(again)
					if err != nil || !slices.Equal(rest, values[3*end.Row:]) {
						t.Fatalf("after %+v: %v, %v", end, rest, err)
					}
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	type plain struct {
		X     float64 `parquet:"x"`
		Class string  `parquet:"class"`
	}
	type null struct {
		X     *int32 `parquet:"x,optional"`
		Class string `parquet:"class"`
	}
	type text struct {
		X     string `parquet:"x"`
		Class string `parquet:"class"`
	}
	type date struct {
		X     int32  `parquet:"x,date"`
		Class string `parquet:"class"`
	}
	type list struct {
		X     []float64 `parquet:"x"`
		Class string    `parquet:"class"`
	}
	type nested struct {
		X struct {
			Y float64 `parquet:"y"`
		} `parquet:"x"`
		Class string `parquet:"class"`
	}
	type real struct {
		X     float64 `parquet:"x"`
		Class float64 `parquet:"class"`
	}
	type blank struct {
		X float64 `parquet:"x "`
	}
	one := int32(1)
	good := make([]plain, 9)
	for i := range good {
		good[i] = plain{float64(i), "a"}
	}
	with := func(i int, p plain) []plain {
		rows := slices.Clone(good)
		rows[i] = p
		return rows
	}
	for name, tt := range map[string]struct {
		file     []byte
		features []string
		cause    error
		say      string
	}{
		"NaN":      {file(t, with(6, plain{math.NaN(), "a"})), nil, cell.ErrNotFinite, `data: s: row 7, column 1 (x): not a finite number: "NaN"`},
		"infinite": {file(t, good[:4], with(1, plain{math.Inf(-1), "a"})), nil, cell.ErrNotFinite, `data: s: row 6, column 1 (x): not a finite number: "-Inf"`},
		"null":     {file(t, []null{{&one, "a"}, {&one, "a"}, {&one, "a"}, {nil, "a"}}), nil, cell.ErrMissing, `data: s: row 4, column 1 (x): empty cell (missing value)`},
		"text":     {file(t, []text{{"1", "a"}}), nil, cell.ErrNotNumber, `data: s: column 1 (x): not a number: its type is STRING`},
		"date":     {file(t, []date{{1, "a"}}), nil, cell.ErrNotNumber, "its type is DATE"},
		"list":     {file(t, []list{{[]float64{1, 2}, "a"}}), nil, cell.ErrNotNumber, "a nested column"},
		"nested":   {file(t, []nested{{Class: "a"}}), nil, cell.ErrNotNumber, "a nested column"},
		"class":    {file(t, []real{{1, 2}}), nil, nil, "column 2 (class): neither a string nor an integer: its type is DOUBLE"},
		"blank":    {file(t, []blank{{1}}), nil, nil, "spaces around a name"},
		"missing":  {file(t, good), []string{"x", "y"}, cell.ErrHeader, `no column "y"`},
		"too many": {file(t, []wide{row(1)}), []string{"x", "y"}, cell.ErrHeader, `column 4: header differs from the expected one: want only x, y: "n"`},
		"no features": {file(t, []struct {
			Class string `parquet:"class"`
		}{{"a"}}), nil, cell.ErrNoFeatures, ""},
		"no Parquet": {[]byte("x,class\n1,a\n2,b\n"), nil, nil, "data: s: "},
		"nothing":    {nil, nil, nil, "data: s: "},
	} {
		f, err := open(tt.file, tt.features, 3)
		if err == nil {
			_, _, _, err = readAll(f)
		}
		var e *cell.Error
		if !errors.As(err, &e) || tt.cause != nil && !errors.Is(err, tt.cause) || !strings.Contains(err.Error(), tt.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The first row with a fault is told of, in whatever column.
	two := file(t, []wide{row(0), {Y: 1, N: 1}, {Y: math.NaN(), X: row(2).X}})
	f, err := open(two, []string{"y", "x", "n"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := readAll(f); fmt.Sprint(err) != "data: s: row 2, column 3 (x): empty cell (missing value)" {
		t.Error(err)
	}
	// Training data.
	empty := file(t, []plain{})
	for name, tt := range map[string]struct {
		file []byte
		like *Set
		say  string
	}{
		"no class":  {file(t, []struct{ X float64 }{{1}}), nil, `no column is named "class"`},
		"empty":     {empty, nil, "no samples"},
		"null":      {file(t, []wide{row(0), row(4)}), nil, `row 2, column 2 (class): empty cell`},
		"blank":     {file(t, []plain{{1, " "}}), nil, `row 1, column 2 (class): empty cell`},
		"no UTF-8":  {file(t, []plain{{1, "a"}, {1, "\xff"}}), nil, `row 2, column 2 (class): name is not UTF-8`},
		"two lines": {file(t, []plain{{1, "a\nb"}}), nil, `row 1, column 2 (class): line break`},
		"unknown":   {file(t, good, with(0, plain{1, "b"})), &Set{Features: []string{"x"}, Classes: []string{"a"}}, `row 10, column 2 (class): class unknown`},
	} {
		_, err := readSet(bytes.NewReader(tt.file), int64(len(tt.file)), "s", tt.like)
		if err == nil || !strings.Contains(err.Error(), tt.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sample is a layout with some rows of it.
func sample(n int, last bool) (Layout, *mat.Dense, []string) {
	l := Layout{Text: "class", Numbers: []string{"z", "p(a.b)", "a"}, Last: last}
	x, texts := mat.NewDense(n, 3, nil), make([]string, n)
	for i := range n {
		x.SetRow(i, []float64{float64(i), math.Sin(float64(i)), -math.Sqrt(float64(i))})
		texts[i] = fmt.Sprintf("class %d", i%7)
	}
	return l, x, texts
}

// What is written group by group is read back, by the library as well; a writer that
// goes on writes the same bytes.
func TestWriter(t *testing.T) {
	const n = 2500
	for _, last := range []bool{false, true} {
		l, x, texts := sample(n, last)
		bounds := []int{0, 1, 1024, 1500, n}
		var whole bytes.Buffer
		w, err := NewWriter(&whole, l)
		if err != nil {
			t.Fatal(err)
		}
		var meta [][]byte
		var offsets []int64
		var g Group
		for i, lo := range bounds[:len(bounds)-1] {
			hi := bounds[i+1]
			if g, err = l.Encode(g, x.Slice(lo, hi, 0, 3).(*mat.Dense), texts[lo:hi]); err != nil {
				t.Fatal(err)
			}
			if err := w.Append(g); err != nil {
				t.Fatal(err)
			}
			meta, offsets = append(meta, g.Meta), append(offsets, w.Offset())
			if w.Offset() != int64(whole.Len()) || g.Rows != hi-lo {
				t.Fatalf("offset %d of %d, %d rows", w.Offset(), whole.Len(), g.Rows)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for k, offset := range offsets {
			part := bytes.NewBuffer(slices.Clone(whole.Bytes()[:offset]))
			w, err := ResumeWriter(part, l, meta[:k+1])
			if err != nil {
				t.Fatal(err)
			}
			if w.Offset() != offset {
				t.Errorf("offset %d, not %d", w.Offset(), offset)
			}
			for i := k + 1; i < len(bounds)-1; i++ {
				g, err := l.Encode(Group{}, x.Slice(bounds[i], bounds[i+1], 0, 3).(*mat.Dense), texts[bounds[i]:bounds[i+1]])
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Append(g); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(part.Bytes(), whole.Bytes()) {
				t.Errorf("other bytes after going on from group %d", k)
			}
		}
		in := bytes.NewReader(whole.Bytes())
		got, classes, err := ReadFeatures(in, in.Size(), "s", nil)
		if err != nil || !mat.Equal(got, x) || !slices.Equal(classes, texts) {
			t.Errorf("not what was written: %v", err)
		}
		if rows, err := CountRows(in, in.Size(), "s"); rows != n || err != nil {
			t.Errorf("%d rows, %v", rows, err)
		}
		f, err := pq.OpenFile(in, in.Size())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range f.Root().Columns() {
			names = append(names, c.Name())
		}
		if want := l.names(); !slices.Equal(names, want) || len(f.RowGroups()) != 4 || f.NumRows() != n {
			t.Errorf("columns %q, want %q; %d groups", names, want, len(f.RowGroups()))
		}
		rows := pq.NewReader(f)
		buffer := make([]pq.Row, n+1)
		if k, err := rows.ReadRows(buffer); k < 1 || err != nil && err != io.EOF || len(buffer[0]) != 4 {
			t.Errorf("the library reads %d rows, %v", k, err)
		}
	}
	l := Layout{Text: "class"}
	var b bytes.Buffer
	w, err := NewWriter(&b, l)
	if err != nil {
		t.Fatal(err)
	}
	g, err := l.Encode(Group{}, nil, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(g), w.Close()); err != nil {
		t.Fatal(err)
	}
	if rows, err := CountRows(bytes.NewReader(b.Bytes()), int64(b.Len()), "s"); rows != 2 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// Whatever a file holds, reading it ends with rows or with an error, within the memory
// that it may take.
func FuzzReader(f *testing.F) {
	f.Add(file(f, []wide{row(0), row(1)}, []wide{row(4)}))
	for _, name := range []string{"duckdb", "duckdb-null"} {
		text, err := os.ReadFile("testdata/" + name + ".parquet")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("PAR1PAR1"))
	for k, codec := range allCodecs { // without checksums, as what is found would end there
		text, _, _, _ := kindsOfColumns(f, 8, codec, 1+k%2, k%3 > 0, textEncodings[k%4])
		f.Add(unchecked(f, text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		watch.Within(t, len(text), func() {
			r, err := open(text, nil, 4)
			if err != nil {
				return
			}
			defer r.Close()
			var b table.Batch
			for range 100 {
				if err := r.Read(&b); err != nil {
					var e *cell.Error
					if err != io.EOF && (!errors.As(err, &e) || strings.Contains(err.Error(), "runtime error")) {
						t.Fatal(err)
					}
					return
				}
				for _, v := range b.X.RawMatrix().Data {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatal(v)
					}
				}
			}
		})
	})
}
