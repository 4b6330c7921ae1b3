package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	pqdelta "github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"github.com/mpcvm/mpcvm/internal/table"
)

var allCodecs = []compress.Codec{&pq.Uncompressed, &pq.Snappy, &pq.Gzip, &pq.Brotli, &pq.Zstd, &pq.Lz4Raw}

// numberTypes are physical types with the encodings that they can have, and values.
var numberTypes = []struct {
	node      pq.Node
	encodings []encoding.Encoding
	value     func(i int) (pq.Value, float64)
}{
	{pq.Leaf(pq.BooleanType), []encoding.Encoding{&pq.Plain, &pq.RLE}, func(i int) (pq.Value, float64) {
		b := i%7 < 3 || i%1000 > 500
		return pq.BooleanValue(b), map[bool]float64{true: 1}[b]
	}},
	{pq.Int(32), []encoding.Encoding{&pq.Plain, &pq.RLEDictionary, &pq.DeltaBinaryPacked, &pq.ByteStreamSplit}, func(i int) (pq.Value, float64) {
		v := int32(i*i*i) >> (i % 32)
		if i%97 == 0 {
			v = math.MinInt32
		}
		return pq.Int32Value(v), float64(v)
	}},
	{pq.Uint(32), []encoding.Encoding{&pq.Plain, &pq.RLEDictionary, &pq.DeltaBinaryPacked}, func(i int) (pq.Value, float64) {
		v := uint32(i) * 2654435761 >> (i % 20)
		return pq.Int32Value(int32(v)), float64(v)
	}},
	{pq.Int(64), []encoding.Encoding{&pq.Plain, &pq.RLEDictionary, &pq.DeltaBinaryPacked, &pq.ByteStreamSplit}, func(i int) (pq.Value, float64) {
		v := int64(i) * 0x1e3779b97f4a7c15 >> (i % 60)
		if i%89 == 0 {
			v = math.MinInt64 + int64(i%2)*math.MaxInt64
		}
		return pq.Int64Value(v), float64(v)
	}},
	{pq.Leaf(pq.FloatType), []encoding.Encoding{&pq.Plain, &pq.RLEDictionary, &pq.ByteStreamSplit}, func(i int) (pq.Value, float64) {
		v := float32(math.Sin(float64(i % 300)))
		return pq.FloatValue(v), float64(v)
	}},
	{pq.Leaf(pq.DoubleType), []encoding.Encoding{&pq.Plain, &pq.RLEDictionary, &pq.ByteStreamSplit}, func(i int) (pq.Value, float64) {
		v := math.Sin(float64(i))
		return pq.DoubleValue(v), v
	}},
	{pq.Decimal(2, 20, pq.FixedLenByteArrayType(9)), []encoding.Encoding{&pq.Plain, &pq.RLEDictionary, &pq.ByteStreamSplit, &pq.DeltaByteArray}, func(i int) (pq.Value, float64) {
		v := make([]byte, 9)
		binary.BigEndian.PutUint64(v[1:], uint64(i%1000))
		return pq.FixedLenByteArrayValue(v), float64(i%1000) / 100
	}},
	{pq.Decimal(1, 20, pq.ByteArrayType), []encoding.Encoding{&pq.Plain, &pq.RLEDictionary, &pq.DeltaLengthByteArray, &pq.DeltaByteArray}, func(i int) (pq.Value, float64) {
		v := binary.BigEndian.AppendUint32(make([]byte, i%3), uint32(i))
		return pq.ByteArrayValue(v), float64(i) / 10
	}},
}

var textEncodings = []encoding.Encoding{&pq.Plain, &pq.RLEDictionary, &pq.DeltaLengthByteArray, &pq.DeltaByteArray}

// kindsOfColumns is a file of n rows with a column of each type in each encoding, in row
// groups of a few pages, and what is to be read of it. Every ninth class is missing where
// the columns are optional.
func kindsOfColumns(t testing.TB, n int, codec compress.Codec, version int, optional bool, text encoding.Encoding) (file []byte, names []string, x [][]float64, classes []string) {
	t.Helper()
	wrap := func(node pq.Node, e encoding.Encoding) pq.Node {
		node = pq.Encoded(node, e)
		if optional {
			return pq.Optional(node)
		}
		return pq.Required(node)
	}
	root := pq.Group{"class": wrap(pq.String(), text)}
	values := map[string]func(int) (pq.Value, float64){}
	for i, k := range numberTypes {
		for _, e := range k.encodings {
			name := fmt.Sprintf("%d %v %v", i, k.node.Type(), e)
			root[name], values[name] = wrap(k.node, e), k.value
			names = append(names, name)
		}
	}
	var b bytes.Buffer
	schema := pq.NewSchema("rows", root)
	w := pq.NewWriter(&b, schema, pq.Compression(codec), pq.DataPageVersion(version), pq.PageBufferSize(700))
	level := map[bool]int{true: 1}[optional]
	rows := make([]pq.Row, n)
	x, classes = make([][]float64, n), make([]string, n)
	for i := range n {
		x[i] = make([]float64, len(names))
		classes[i] = fmt.Sprintf("kind %d of class o%s", i%5, strings.Repeat("o", i%13))
		for c, path := range schema.Columns() {
			var v pq.Value
			switch j := slices.Index(names, path[0]); {
			case j >= 0:
				v, x[i][j] = values[path[0]](i)
			case optional && (i%9 == 4 || i/50 == 1):
				classes[i] = ""
			default:
				v = pq.ByteArrayValue([]byte(classes[i]))
			}
			defined := level
			if v.IsNull() {
				defined = 0
			}
			rows[i] = append(rows[i], v.Level(0, defined, c))
		}
	}
	for lo := 0; lo < n; lo += 2 * n / 3 {
		if _, err := w.WriteRows(rows[lo:min(n, lo+2*n/3)]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), names, x, classes
}

// What the library writes in every compression, page format and encoding is read right.
func TestEncodings(t *testing.T) {
	const n = 600
	for k, codec := range allCodecs {
		for version := 1; version <= 2; version++ {
			for _, optional := range []bool{false, true} {
				text := textEncodings[k%len(textEncodings)]
				about := fmt.Sprintf("%v, version %d, optional %v, %v", codec, version, optional, text)
				file, names, x, classes := kindsOfColumns(t, n, codec, version, optional, text)
				f, err := open(file, names, 170)
				if err != nil {
					t.Fatalf("%s: %v", about, err)
				}
				got, gotClasses, ends, err := readAll(f)
				if err != nil || len(gotClasses) != n {
					t.Fatalf("%s: %d rows, %v", about, len(gotClasses), err)
				}
				for i := range n {
					if row := got[i*len(names):][:len(names)]; !slices.Equal(row, x[i]) || gotClasses[i] != classes[i] {
						t.Fatalf("%s: row %d:\ngot  %v %q\nwant %v %q", about, i, row, gotClasses[i], x[i], classes[i])
					}
				}
				if err := f.Seek(ends[1]); err != nil {
					t.Fatalf("%s: %v", about, err)
				}
				if rest, _, _, err := readAll(f); err != nil || !slices.Equal(rest, got[int(ends[1].Row)*len(names):]) {
					t.Fatalf("%s: not the same after Seek, %v", about, err)
				}
			}
		}
	}
}

// Runs of all widths that the library writes pass the guard whole, and with other bytes
// after them.
func TestCutRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for width := range 33 {
		want := make([]int32, 3000)
		for i := 0; i < len(want); {
			v, run := int32(r.Uint64()&(1<<width-1)), 1+r.IntN(30)*r.IntN(2)
			for ; run > 0 && i < len(want); run-- {
				want[i] = v
				i++
			}
		}
		e := &rle.Encoding{BitWidth: width}
		b, err := e.EncodeInt32(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		for _, tail := range []string{"", "\xff\xff\xff\xff\xff\xff"} {
			part, err := cutRuns(append(b[:len(b):len(b)], tail...), uint(width), len(want))
			if err != nil || !bytes.Equal(part, b) {
				t.Fatalf("width %d: %d bytes of %d, %v", width, len(part), len(b), err)
			}
		}
		if got, err := e.DecodeInt32(nil, b); err != nil || !slices.Equal(got[:len(want)], want) {
			t.Fatalf("width %d: %v", width, err)
		}
		if _, err := cutRuns(b, uint(width), len(want)/4); err == nil && width == 0 {
			t.Error("a run of 3000 values in a page of 750")
		}
	}
}

// Differences of all widths that the library writes end where the guard says.
func TestDeltas(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for width := range 65 {
		for _, n := range []int{1, 2, 32, 33, 128, 129, 1000} {
			large, small := make([]int64, n), make([]int32, n)
			for i := range n {
				large[i] = int64(r.Uint64() >> (64 - width))
				small[i] = int32(r.Uint64() >> (64 - min(width, 32)))
			}
			b, err := (&pqdelta.BinaryPackedEncoding{}).EncodeInt64(nil, large)
			if err != nil {
				t.Fatal(err)
			}
			s, err := (&pqdelta.BinaryPackedEncoding{}).EncodeInt32(nil, small)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range [][]byte{b, s} {
				if rest, err := deltas(append(b, "rest"...), n); err != nil || string(rest) != "rest" {
					t.Fatalf("width %d, %d numbers: %q after them, %v", width, n, rest, err)
				}
				if _, err := deltas(b, n-1); err == nil {
					t.Fatalf("width %d: %d numbers in a page of %d", width, n, n-1)
				}
			}
		}
	}
}

// Unsigned numbers of 32 bits may begin above 2³¹, as DuckDB writes their differences.
func TestUnsignedDeltas(t *testing.T) {
	want := []float64{3e9, 3e9 + 7, 1, 1<<32 - 1}
	b, err := (&pqdelta.BinaryPackedEncoding{}).EncodeInt64(nil, []int64{3e9, 3e9 + 7, 1, 1<<32 - 1})
	if err != nil {
		t.Fatal(err)
	}
	file := craft(t, 4, crafted{name: "x", kind: format.Int32, unsigned: true, pages: []craftedPage{dataPage(4, format.DeltaBinaryPacked, -1, b)}})
	x, _, err := ReadFeatures(bytes.NewReader(file), int64(len(file)), "s", nil)
	if err != nil || !slices.Equal(x.RawMatrix().Data, want) {
		t.Errorf("%v, %v", x, err)
	}
}

// Names of classes share their memory, from page to page.
func TestSharedNames(t *testing.T) {
	for _, e := range textEncodings {
		file, _, _, classes := kindsOfColumns(t, 600, &pq.Zstd, 1, false, e)
		f, err := open(file, nil, 600)
		if err != nil {
			t.Fatal(err)
		}
		var b table.Batch
		if err := f.Read(&b); err != nil {
			t.Fatal(err)
		}
		distinct := map[string]bool{}
		for _, c := range classes {
			distinct[c] = true
		}
		if len(f.met) != len(distinct) || f.texts == 0 || f.held < f.texts {
			t.Errorf("%v: %d names kept of %d, %d bytes of %d", e, len(f.met), len(distinct), f.texts, f.held)
		}
		if f.Close(); f.held != 0 {
			t.Errorf("%v: %d bytes held after all", e, f.held)
		}
	}
}
