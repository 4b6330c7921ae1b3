package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/tables/table"
)

// file returns a file with rows of a struct type, written by the library.
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

// read reads a whole file.
func read(file []byte, o table.Options) (*table.Table, error) {
	return ReadTable(context.Background(), bytes.NewReader(file), int64(len(file)), "s", o)
}

// A file written by DuckDB with all types of numbers.
func TestDuckDB(t *testing.T) {
	bits, err := os.ReadFile("testdata/duckdb.parquet")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]table.Kind{}
	for _, name := range strings.Fields("i32 i64 u8 u64 f32 f64 d6 d16 d30") {
		kinds[name] = table.Number
	}
	s, err := read(bits, table.Options{Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	class := s.Columns[s.Find("class")]
	for i := range 6 {
		x := float64(i)
		want := []float64{x - 3, x*1000000007 - 2, 250 + x, 18446744073709551610, float64(float32(x / 3)), x / 7,
			(x - 2) * 1.25, (x - 2) * 12345678901.125, (x - 2) * 1234567890123456789.5, float64(1 - i%2)}
		for j, name := range strings.Fields("i32 i64 u8 u64 f32 f64 d6 d16 d30 flag") {
			if got := s.Columns[s.Find(name)].Numbers[i]; got != want[j] &&
				!(name == "d30" && math.Abs(got/want[j]-1) < 1e-15) {
				t.Errorf("row %d, %s: got %v, want %v", i, name, got, want[j])
			}
		}
		if want := fmt.Sprintf("kind %d", i%3); class.Text(i) != want {
			t.Errorf("row %d: class %s, want %s", i, class.Text(i), want)
		}
	}
	if bits, err = os.ReadFile("testdata/duckdb-null.parquet"); err != nil {
		t.Fatal(err)
	}
	if s, err = read(bits, table.Options{Kinds: kinds}); err != nil || !s.Columns[s.Find("f64")].Missing(3) {
		t.Errorf("null in row 4: %v", err)
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
	for bits, want := range map[uint16]float64{0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 1: 0x1p-24,
		0x0400: 0x1p-14, 0x3555: 0x1.554p-2} {
		if got := half([]byte{byte(bits), byte(bits >> 8)}); got != want {
			t.Errorf("%#x: got %v, want %v", bits, got, want)
		}
	}
	if !math.IsInf(half([]byte{0, 0xfc}), -1) || !math.IsNaN(half([]byte{1, 0x7c})) {
		t.Error("wrong infinity or NaN")
	}
}

type wide struct {
	Y     float64  `parquet:"y"`
	Class *string  `parquet:"class,optional"`
	X     *float32 `parquet:"x,optional,dict"`
	N     uint64   `parquet:"n,delta"`
}

// wideFile returns a file with n rows in several groups. Every fifth class and every seventh x is null.
func wideFile(t testing.TB, n, group int, options ...pq.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[wide](&b, append(options, pq.PageBufferSize(200))...)
	for i := range n {
		x, class := float32(i)/4, fmt.Sprintf(" c%d ", i%3)
		row := wide{Y: math.Sqrt(float64(i)), Class: &class, X: &x, N: uint64(i) << 40}
		if i%5 == 4 {
			row.Class = nil
		}
		if i%7 == 4 {
			row.X = nil
		}
		if _, err := w.Write([]wide{row}); err != nil {
			t.Fatal(err)
		}
		if i%group == group-1 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Reading in chunks of any size gives the rows of the file, for any sizes of row groups and pages, in every
// codec and version.
func TestParts(t *testing.T) {
	kinds := map[string]table.Kind{"class": table.Category, "y": table.Number, "x": table.Number,
		"n": table.Number}
	for i, codec := range []compress.Codec{&pq.Uncompressed, &pq.Snappy, &pq.Gzip, &pq.Brotli, &pq.Zstd,
		&pq.Lz4Raw} {
		n := 8400
		if codec == &pq.Lz4Raw {
			n = 300 // parquet-go v0.32 loses pages that LZ4 cannot compress
		}
		for _, group := range []int{n, 1000} {
			bits := wideFile(t, n, group, pq.Compression(codec), pq.DataPageVersion(1+i%2))
			for _, part := range []int{n, 4097, 700} {
				f, err := OpenTable(bytes.NewReader(bits), int64(len(bits)), "s")
				if err != nil {
					t.Fatal(err)
				}
				seen := 0
				for ; seen < n; seen += part {
					got, err := f.ReadRows(context.Background(), part, table.Options{Kinds: kinds})
					if err != nil {
						t.Fatal(err)
					}
					for k := range got.Rows {
						row := seen + k
						want := []string{fmt.Sprint(math.Sqrt(float64(row))), fmt.Sprintf("c%d", row%3),
							fmt.Sprint(float64(row) / 4), fmt.Sprint(float64(uint64(row) << 40))}
						if row%5 == 4 {
							want[1] = ""
						}
						if row%7 == 4 {
							want[2] = ""
						}
						for j, text := range want {
							c := &got.Columns[got.Find([]string{"y", "class", "x", "n"}[j])]
							if got := c.Text(k); got != text && (j == 1 || text == "" || fmt.Sprint(c.Numbers[k]) != text) {
								t.Fatalf("row %d of %v, %s: %q, want %q", row, codec, c.Name, c.Text(k), text)
							}
						}
					}
				}
				if _, err := f.ReadRows(context.Background(), 1, table.Options{}); !errors.Is(err, cell.ErrEmpty) {
					t.Errorf("after the end: %v", err)
				}
				f.Close()
			}
		}
	}
}

// sample returns a layout with some rows.
func sample(n int) (Layout, *mat.Dense, []string) {
	l := Layout{Before: []string{"class"}, Numbers: []string{"z", "p(a.b)", "a"}}
	x, texts := mat.NewDense(n, 3, nil), make([]string, n)
	for i := range n {
		x.SetRow(i, []float64{float64(i), math.Sin(float64(i)), -math.Sqrt(float64(i))})
		texts[i] = fmt.Sprintf("class %d", i%7)
	}
	return l, x, texts
}

// Row groups written by Writer are read back, also by the library.
func TestWriter(t *testing.T) {
	const n = 2500
	l, x, texts := sample(n)
	var whole bytes.Buffer
	w := NewWriter(&whole, l)
	bounds := []int{0, 1, 1024, 1500, n}
	for i, lo := range bounds[:len(bounds)-1] {
		hi := bounds[i+1]
		if err := w.Write(x.Slice(lo, hi, 0, 3).(*mat.Dense), texts[lo:hi]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Write(nil, nil), w.Close()); err != nil { // no rows, no group
		t.Fatal(err)
	}
	got, err := read(whole.Bytes(), table.Options{})
	if err != nil || !slices.Equal(got.Names(), slices.Concat(l.Before, l.Numbers, l.After)) || got.Rows != n {
		t.Fatalf("%v", err)
	}
	for i := range n {
		if got.Columns[got.Find("class")].Text(i) != texts[i] || got.Columns[got.Find("p(a.b)")].Numbers[i] != x.At(
			i, 1) {
			t.Fatalf("row %d differs from what was written", i)
		}
	}
	f, err := pq.OpenFile(bytes.NewReader(whole.Bytes()), int64(whole.Len()))
	if err != nil || len(f.RowGroups()) != 4 || f.NumRows() != n {
		t.Errorf("the library: %v", err)
	}
	for _, wrong := range []func(w *Writer) error{
		func(w *Writer) error { return w.Write(mat.NewDense(1, 1, nil), []string{"a"}) },
		func(w *Writer) error { return w.Write(mat.NewDense(1, 3, nil), []string{"a"}, []string{"b"}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic for rows that do not match the layout")
				}
			}()
			l, _, _ := sample(1)
			_ = wrong(NewWriter(io.Discard, l))
		}()
	}
}

// Wrong sizes in a file are detected.
func TestClaims(t *testing.T) {
	bits := wideFile(t, 40, 20)
	for name, change := range map[string]func(file []byte) []byte{
		"a long footer":  func(f []byte) []byte { f[len(f)-6] = 0xff; return f },
		"no footer":      func(f []byte) []byte { return f[:len(f)-9] },
		"another ending": func(f []byte) []byte { return append(f, "PAR2"...) },
		"encrypted":      func(f []byte) []byte { copy(f[len(f)-4:], "PARE"); return f },
		"nothing":        func([]byte) []byte { return nil },
		"a list too long": func([]byte) []byte {
			return withFooter([]byte{0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07})
		},
		"structs without end": func([]byte) []byte {
			return withFooter(append([]byte{0x15, 2, 0x19, 0x1c}, bytes.Repeat([]byte{0x1c}, 5000)...))
		},
	} {
		file := change(slices.Clone(bits))
		watch.Within(t, len(file), func() {
			var e *cell.Error
			if _, err := read(file, table.Options{}); !errors.As(err, &e) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// withFooter returns a file that consists of a footer.
func withFooter(footer []byte) []byte {
	n := len(footer)
	return slices.Concat([]byte(magic), footer, []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)},
		[]byte(magic))
}

// A damaged file results in a table or an error, never in a panic.
func TestSpoilt(t *testing.T) {
	for _, options := range [][]pq.WriterOption{{pq.Compression(&pq.Snappy)}, {pq.DataPageVersion(1)}} {
		bits := wideFile(t, 60, 30, options...)
		read1, refused := 0, 0
		spoil.Each(bits, 1000, func(how string, spoilt []byte) {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%s: %v", how, p)
				}
			}()
			var e *cell.Error
			switch got, err := read(spoilt, table.Options{}); {
			case errors.As(err, &e):
				refused++
			case err != nil:
				t.Fatalf("%s: %v", how, err)
			case got.Rows > 60:
				t.Fatalf("%s: %d rows", how, got.Rows)
			default:
				read1++
			}
		})
		t.Logf("%d damaged files read, %d rejected", read1, refused)
		if read1 == 0 || refused == 0 {
			t.Error("want some files read and some rejected")
		}
	}
}

// FuzzRead mutates the pages, their headers and the footer of a file. The stored length of the footer is
// always correct, so that mutations reach both readers.
func FuzzRead(f *testing.F) {
	seed := func(file []byte) {
		end := len(file) - 8
		footer := end - int(binary.LittleEndian.Uint32(file[end:]))
		f.Add(file[4:footer], file[footer:end])
	}
	type row struct {
		A *float32 `parquet:"a,optional"`
		B string   `parquet:"b,dict"`
	}
	for _, compression := range []compress.Codec{&pq.Uncompressed, &pq.Snappy} {
		var b bytes.Buffer
		w, x := pq.NewGenericWriter[row](&b, pq.Compression(compression), pq.CreatedBy("", "", ""),
			pq.DataPageStatistics(false)), float32(1)
		if _, err := w.Write([]row{{&x, "u"}, {nil, "v"}}); err != nil {
			f.Fatal(err)
		}
		if err := w.Close(); err != nil {
			f.Fatal(err)
		}
		seed(b.Bytes())
	}
	for _, name := range []string{"duckdb", "duckdb-null"} {
		text, err := os.ReadFile("testdata/" + name + ".parquet")
		if err != nil {
			f.Fatal(err)
		}
		seed(text)
	}
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, pages, footer []byte) {
		if len(pages)+len(footer) > 1<<12 {
			return
		}
		text := slices.Concat([]byte("PAR1"), pages, footer, binary.LittleEndian.AppendUint32(nil,
			uint32(len(footer))), []byte("PAR1"))
		var e *cell.Error
		if _, err := read(text, table.Options{}); err != nil && (!errors.As(err, &e) ||
			strings.Contains(err.Error(), "runtime error")) {
			t.Fatal(err)
		}
	})
}

// Each Parquet type becomes a column of the matching kind. A null is a missing cell.
func TestReadTable(t *testing.T) {
	when := time.Date(2021, 5, 1, 12, 30, 15, 0, time.UTC)
	days := int64(when.Unix() / 86400)
	type row struct {
		Milli  int64            `parquet:"milli,timestamp(millisecond)"`
		Micro  int64            `parquet:"micro,timestamp(microsecond)"`
		Nano   int64            `parquet:"nano,timestamp(nanosecond)"`
		Day    int32            `parquet:"day,date"`
		Int96  deprecated.Int96 `parquet:"int96"`
		Number *float64         `parquet:"number,optional"`
		Text   *string          `parquet:"text,optional"`
		Long   uint64           `parquet:"long"`
		UUID   [16]byte         `parquet:"uuid,uuid"`
	}
	rows := make([]row, 30)
	for i := range rows {
		v, s := float64(i%3)/2, fmt.Sprint("t", i%3)
		nanos := uint64(when.UnixNano()) - uint64(days)*86400e9
		rows[i] = row{when.UnixMilli(), when.UnixMicro(), when.UnixNano(), int32(days),
			deprecated.Int96{uint32(nanos), uint32(nanos >> 32), uint32(days + 2440588)},
			&v, &s, math.MaxUint64 - uint64(i%4), [16]byte{byte(i)}}
	}
	rows[4].Number, rows[4].Text = nil, nil
	infinite := math.Inf(1)
	rows[5].Number = &infinite
	bits := file(t, rows)
	for _, as := range []table.Kind{-1, table.Category} {
		o := table.Options{Drop: []string{"nano"}, Kinds: map[string]table.Kind{}}
		want := []string{"milli date 2021-05-01T12:30:15", "micro date 2021-05-01T12:30:15", "day date 2021-05-01",
			"int96 date 2021-05-01T12:30:15",
			"number number 0", "text category t0", "long category 18446744073709551615"}
		if as == table.Category {
			for _, name := range []string{"milli", "micro", "day", "int96", "number"} {
				o.Kinds[name] = as
			}
			want = []string{"milli category 2021-05-01T12:30:15", "micro category 2021-05-01T12:30:15",
				"day category 2021-05-01", "int96 category 2021-05-01T12:30:15",
				"number category 0", "text category t0", "long category 18446744073709551615"}
		}
		got, err := ReadTable(context.Background(), bytes.NewReader(bits), int64(len(bits)), "s", o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Columns {
			c := &got.Columns[i]
			if cell := c.Name + " " + c.Kind.String() + " " + c.Text(0); i >= len(want) || cell != want[i] {
				t.Errorf("%s", cell)
			}
			if c.Missing(4) != (c.Name == "number" || c.Name == "text") {
				t.Errorf("%s: missing %t", c.Name, c.Missing(4))
			}
		}
		if as < 0 && fmt.Sprint(got.Columns[4].Faults) != "[{5 0 +Inf}]" {
			t.Errorf("faults %v", got.Columns[4].Faults)
		}
		if len(got.Columns) != len(want) || len(got.Notes) == 0 {
			t.Errorf("%d columns, notes %q", len(got.Columns), got.Notes)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadTable(ctx, bytes.NewReader(bits), int64(len(bits)), "s", table.Options{}); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	lists := file(t, []struct{ X []float64 }{{[]float64{1}}})
	if _, err := ReadTable(context.Background(), bytes.NewReader(lists), int64(len(lists)), "s",
		table.Options{}); err == nil {
		t.Error("no error for a list")
	}
}
