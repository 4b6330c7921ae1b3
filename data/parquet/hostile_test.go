package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/table"
	"github.com/mpcvm/mpcvm/internal/watch"
)

// crafted is a column of a file that is made by hand, of one row group.
type crafted struct {
	name     string
	kind     format.Type
	length   int32
	decimal  bool
	unsigned bool
	optional bool
	codec    format.CompressionCodec
	pages    []craftedPage
}

type craftedPage struct {
	header format.PageHeader
	body   []byte
}

// dataPage is a page of the first version that says to have so many values and to be
// whole bytes decompressed; negative: as many as it has.
func dataPage(values int, e format.Encoding, whole int, body []byte) craftedPage {
	h := format.PageHeader{Type: format.DataPage}
	h.DataPageHeader = thrift.New(format.DataPageHeader{NumValues: int32(values), Encoding: e, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})
	return page(h, whole, body)
}

func dictionaryPage(values int, whole int, body []byte) craftedPage {
	h := format.PageHeader{Type: format.DictionaryPage}
	h.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: int32(values), Encoding: format.Plain})
	return page(h, whole, body)
}

func page(h format.PageHeader, whole int, body []byte) craftedPage {
	if whole < 0 {
		whole = len(body)
	}
	h.UncompressedPageSize, h.CompressedPageSize = int32(whole), int32(len(body))
	return craftedPage{h, body}
}

// craft makes a file that says to have so many rows.
func craft(t testing.TB, rows int64, columns ...crafted) []byte {
	t.Helper()
	marshal := func(v any) []byte {
		b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	file := []byte(magic)
	meta := format.FileMetaData{Version: 1, NumRows: rows}
	meta.Schema = append(meta.Schema, format.SchemaElement{Name: "rows", NumChildren: thrift.New(int32(len(columns)))})
	group := format.RowGroup{NumRows: rows}
	for _, c := range columns {
		e := format.SchemaElement{Name: c.name, Type: thrift.New(c.kind), RepetitionType: thrift.New(format.Required)}
		if c.optional {
			e.RepetitionType = thrift.New(format.Optional)
		}
		if c.length > 0 {
			e.TypeLength = thrift.New(c.length)
		}
		if c.decimal {
			e.ConvertedType = thrift.New(deprecated.Decimal)
			e.Scale, e.Precision = thrift.New(int32(1)), thrift.New(int32(9))
		}
		if c.unsigned {
			e.ConvertedType = thrift.New(deprecated.Uint32)
		}
		meta.Schema = append(meta.Schema, e)
		k := format.ColumnMetaData{Type: c.kind, Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{c.name}, Codec: c.codec,
			NumValues: rows, DataPageOffset: int64(len(file))}
		for _, p := range c.pages {
			file = append(append(file, marshal(&p.header)...), p.body...)
		}
		k.TotalCompressedSize = int64(len(file)) - k.DataPageOffset
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: k})
	}
	meta.RowGroups = append(meta.RowGroups, group)
	return withFooter(file, marshal(&meta))
}

// withFooter ends a file.
func withFooter(file, footer []byte) []byte {
	file = append(slices.Clone(file), footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), magic...)
}

func uvarints(values ...uint64) (b []byte) {
	for _, v := range values {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// plainText is a value of bytes as it is in a plain page.
func plainText(s string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)
}

func zip(t testing.TB, size int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.CopyN(w, zeros{}, int64(size)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func brotlied(t testing.TB, size int) []byte {
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, 1)
	if _, err := io.CopyN(w, zeros{}, int64(size)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// zstandard is a frame of so many zeros, whose head says how many there are.
func zstandard(t testing.TB, size int) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(make([]byte, size), nil)
}

// A file that is damaged, or made to be expensive, is read right or refused. It takes no
// more memory than the larger of 1 GiB and 16 times its size.
func TestHostile(t *testing.T) {
	const most = math.MaxInt32
	double := func(codec format.CompressionCodec, pages ...craftedPage) crafted {
		return crafted{name: "x", kind: format.Double, codec: codec, pages: pages}
	}
	class := func(pages ...craftedPage) crafted {
		return crafted{name: "class", kind: format.ByteArray, pages: pages}
	}
	one := func(rows int64, c crafted) []byte {
		if c.name == "x" {
			return craft(t, rows, c)
		}
		return craft(t, rows, double(format.Uncompressed, manyZeros(t, rows)...), c)
	}
	list := func(id, of byte, n uint64) []byte {
		return append([]byte{id<<4 | byte(thrift.LIST), 0xf0 | of}, uvarints(n)...)
	}
	schema := []byte{0x15, 2, 0x19, 0x2c, 0x48, 1, 'r', 0x15, 2, 0, 0x15, 10, 0x25, 0, 0x18, 1, 'x', 0} // version, root, x
	long := strings.Repeat("a", 4<<20)
	random := make([]byte, 1<<10)
	for i := range random {
		random[i] = byte(i * i >> 3)
	}
	zeroTail := func(head ...uint64) []byte { return append(uvarints(head...), make([]byte, 100)...) }

	for about, tt := range map[string]struct {
		file []byte
		say  string // "": it can be read
	}{
		// Footers.
		"a footer of 4 GiB":               {append([]byte("PAR1aaaa\xff\xff\xff\xff"), magic...), "a footer of 4294967295 bytes"},
		"row groups that are not":         {withFooter([]byte(magic), append(slices.Clone(schema), list(2, byte(thrift.STRUCT), 1<<31)...)), "footer cannot be read"},
		"row groups without anything":     {withFooter([]byte(magic), append(append(slices.Clone(schema), list(2, byte(thrift.STRUCT), 1<<20)...), make([]byte, 1<<20+1)...)), "footer cannot be read"},
		"columns that are not":            {withFooter([]byte(magic), append([]byte{0x15, 2}, list(1, byte(thrift.STRUCT), 1<<31)...)), "footer cannot be read"},
		"columns without anything":        {withFooter([]byte(magic), append(append([]byte{0x15, 2}, list(1, byte(thrift.STRUCT), 1<<20)...), make([]byte, 1<<20+1)...)), "footer cannot be read"},
		"a name of 2 GiB":                 {withFooter([]byte(magic), join([]byte{0x15, 2, 0x19, 0x1c, 0x48}, uvarints(most))), "footer cannot be read"},
		"a map of 2^60":                   {withFooter([]byte(magic), join(schema, []byte{0x7b}, uvarints(1<<60), []byte{0x88})), "footer cannot be read"},
		"structs in structs":              {withFooter([]byte(magic), bytes.Repeat([]byte{0x1c}, 1<<20)), "footer cannot be read"},
		"lists in lists":                  {withFooter([]byte(magic), append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1<<20)...)), "footer cannot be read"},
		"booleans":                        {withFooter([]byte(magic), append([]byte{0x19}, append(append([]byte{0xf1}, uvarints(1<<20)...), make([]byte, 1<<20)...)...)), "footer cannot be read"},
		"columns times row groups":        {withFooter([]byte(magic), join([]byte{0x15, 2}, list(1, byte(thrift.STRUCT), 60000), []byte{0x15, 0, 0}, bytes.Repeat([]byte{0x15, 0, 0}, 59999), list(2, byte(thrift.STRUCT), 60000), make([]byte, 60000*3))), "footer cannot be read"},
		"as many columns as there may be": {wideFile(t, maxColumns), ""},
		"two columns, one chunk":          {shared(t), "column chunks that are not in it"},

		// Headers of pages.
		"a page of 2 GiB":           {one(9, double(format.Uncompressed, craftedPage{format.PageHeader{CompressedPageSize: most, UncompressedPageSize: most}, nil})), "header of a page"},
		"a negative page":           {one(9, double(format.Uncompressed, craftedPage{format.PageHeader{CompressedPageSize: -9, UncompressedPageSize: -9}, nil})), "header of a page"},
		"a header without an end":   {one(9, double(format.Uncompressed, craftedPage{format.PageHeader{}, bytes.Repeat([]byte{0x11}, 1<<20)})), "the header of a page"},
		"statistics of 1 MiB":       {one(9, double(format.Uncompressed, statistics(1<<20))), ""},
		"more values than rows":     {one(9, double(format.Uncompressed, dataPage(10, format.Plain, -1, make([]byte, 80)))), "a page of 10 values where 9 are left"},
		"fewer values than it says": {one(9, double(format.Uncompressed, dataPage(9, format.Plain, -1, make([]byte, 71)))), "damaged"},
		"fewer values than rows":    {one(9, double(format.Uncompressed, dataPage(8, format.Plain, -1, make([]byte, 64)))), "ends early"},
		"2^31 rows of no bytes":     {one(most, double(format.Uncompressed, dataPage(most, format.Plain, -1, nil))), "damaged"},

		// Compression.
		"snappy, a length":     {one(9, double(format.Snappy, dataPage(9, format.Plain, most, uvarints(most, 0)))), "SNAPPY made"},
		"snappy, two lengths":  {one(9, double(format.Snappy, dataPage(9, format.Plain, 72, zeroTail(most, 0)))), "not decompress"},
		"snappy, damaged":      {one(9, double(format.Snappy, dataPage(9, format.Plain, 72, append(uvarints(72), random...)))), "corrupt"},
		"lz4, a length":        {one(9, double(format.Lz4Raw, dataPage(9, format.Plain, most, random))), "LZ4_RAW made 1024"},
		"lz4, damaged":         {one(9, double(format.Lz4Raw, dataPage(9, format.Plain, 1<<17, random))), "not decompress"},
		"lz4, short":           {one(9, double(format.Lz4Raw, dataPage(9, format.Plain, 72, []byte{0xf0}))), "not decompress"},
		"gzip, a length":       {one(9, double(format.Gzip, dataPage(9, format.Plain, most, zip(t, 72)))), "GZIP made"},
		"gzip, a bomb":         {one(9, double(format.Gzip, dataPage(9, format.Plain, 72, zip(t, 80<<20)))), "not decompress"},
		"gzip, damaged":        {one(9, double(format.Gzip, dataPage(9, format.Plain, 72, random))), "GZIP"},
		"brotli, a length":     {one(9, double(format.Brotli, dataPage(9, format.Plain, most, brotlied(t, 72)))), "needs 2 GiB of memory, 1 GiB is available"},
		"brotli, a bomb":       {one(9, double(format.Brotli, dataPage(9, format.Plain, 72, brotlied(t, 80<<20)))), "not decompress"},
		"brotli, damaged":      {one(9, double(format.Brotli, dataPage(9, format.Plain, 72, random))), "BROTLI"},
		"zstd, a length":       {one(9, double(format.Zstd, dataPage(9, format.Plain, most, zstandard(t, 72)))), "ZSTD made"},
		"zstd, a small length": {one(9, double(format.Zstd, dataPage(9, format.Plain, 1<<16, zstandard(t, 72)))), "not decompress"},
		"zstd, a bomb":         {one(9, double(format.Zstd, dataPage(9, format.Plain, 72, zstandard(t, 80<<20)))), "not decompress"},
		"zstd, two lengths":    {one(9, double(format.Zstd, dataPage(9, format.Plain, 72, []byte("\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\x00\x00\x00\x01\x00\x00")))), "not decompress"},
		"zstd, damaged":        {one(9, double(format.Zstd, dataPage(9, format.Plain, 72, random))), "ZSTD"},
		"LZO":                  {one(9, double(format.LZO, dataPage(9, format.Plain, 72, random))), "LZO is not read"},

		// Values.
		"nulls, 2^31":                 {one(9, crafted{name: "x", kind: format.Double, optional: true, pages: []craftedPage{dataPage(9, format.Plain, -1, join([]byte{6, 0, 0, 0}, uvarints(1<<32), []byte{1}, make([]byte, 72)))}}), "runs longer than their page"},
		"nulls of no bytes":           {one(9, crafted{name: "x", kind: format.Double, optional: true, pages: []craftedPage{dataPage(9, format.Plain, -1, nil)}}), "damaged"},
		"nulls, bits":                 {one(8, crafted{name: "x", kind: format.Double, optional: true, pages: []craftedPage{dataPage(8, format.Plain, -1, join([]byte{11, 0, 0, 0}, uvarints(math.MaxUint64), []byte{0}))}}), "runs longer than their page"},
		"indexes, 2^63":               {one(9, double(format.Uncompressed, dictionaryPage(1, -1, make([]byte, 8)), dataPage(9, format.RLEDictionary, -1, join([]byte{1}, uvarints(math.MaxUint64-1), []byte{0})))), "runs longer than their page"},
		"indexes, bits of no width":   {one(9, double(format.Uncompressed, dictionaryPage(1, -1, make([]byte, 8)), dataPage(9, format.RLEDictionary, -1, join([]byte{0}, uvarints(math.MaxUint64))))), "runs longer than their page"},
		"indexes, none":               {one(9, double(format.Uncompressed, dictionaryPage(1, -1, make([]byte, 8)), dataPage(9, format.RLEDictionary, -1, []byte{8, 18, 1}))), "damaged"},
		"indexes, too wide":           {one(9, double(format.Uncompressed, dictionaryPage(1, -1, make([]byte, 8)), dataPage(9, format.RLEDictionary, -1, []byte{33, 18, 1}))), "damaged"},
		"indexes, no dictionary":      {one(9, double(format.Uncompressed, dataPage(9, format.RLEDictionary, -1, []byte{0, 18}))), "damaged"},
		"a dictionary of 2^31":        {one(9, double(format.Uncompressed, dictionaryPage(most, -1, make([]byte, 8)))), "a dictionary of 2147483647 values in 8 bytes"},
		"names, a dictionary of 2^31": {one(9, class(dictionaryPage(most, -1, plainText("a")))), "a dictionary of 2147483647 values in 5 bytes"},
		"differences, 2^63":           {one(9, crafted{name: "x", kind: format.Int64, pages: []craftedPage{dataPage(9, format.DeltaBinaryPacked, -1, zeroTail(128, 4, math.MaxUint64, 0))}}), "head of a page of differences"},
		"differences, a block":        {one(9, crafted{name: "x", kind: format.Int64, pages: []craftedPage{dataPage(9, format.DeltaBinaryPacked, -1, zeroTail(1<<62, 1, 9, 0))}}), "head of a page of differences"},
		"differences, no parts":       {one(9, crafted{name: "x", kind: format.Int64, pages: []craftedPage{dataPage(9, format.DeltaBinaryPacked, -1, zeroTail(128, 0, 9, 0))}}), "head of a page of differences"},
		"differences, wide":           {one(9, crafted{name: "x", kind: format.Int64, pages: []craftedPage{dataPage(9, format.DeltaBinaryPacked, -1, join(uvarints(128, 4, 9, 0, 0), []byte{255, 0, 0, 0}, make([]byte, 9999)))}}), "damaged"},
		"differences, short":          {one(9, crafted{name: "x", kind: format.Int64, pages: []craftedPage{dataPage(9, format.DeltaBinaryPacked, -1, join(uvarints(128, 4, 9, 0, 0), []byte{64, 0, 0, 0}, make([]byte, 63)))}}), "damaged"},
		"lengths, 2^63":               {one(9, class(dataPage(9, format.DeltaLengthByteArray, -1, uvarints(128, 4, math.MaxUint64, 0)))), "head of a page of differences"},
		"a length of 2^31":            {one(9, class(dataPage(9, format.DeltaLengthByteArray, -1, append(uvarints(128, 4, 1, 1<<32-2), "aa"...)))), "damaged"},
		"a negative length":           {one(9, class(dataPage(9, format.DeltaLengthByteArray, -1, append(uvarints(128, 4, 1, 1), "aa"...)))), "damaged"},
		"a prefix again and again":    {one(1<<12, class(prefixes(1<<12, 1<<16))), ""},
		"a growing prefix":            {one(1<<15, class(growing(1<<15, 1000))), "needs 500 GiB of memory, 1 GiB is available"},
		"a long name":                 {one(1<<15, class(dictionaryPage(1, -1, plainText(long)), dataPage(1<<15, format.RLEDictionary, -1, join([]byte{0}, uvarints(1<<16))))), "a class name of 4194304 bytes, it may have 65536"},
		"a plain long name":           {one(1, class(dataPage(1, format.Plain, -1, plainText(long)))), "a class name of 4194304 bytes, it may have 65536"},
		"the longest name":            {one(1<<15, class(dictionaryPage(2, -1, join(plainText(long[:maxText]), plainText(long[1:maxText]))), dataPage(1<<15, format.RLEDictionary, -1, join([]byte{1}, uvarints(1<<15), []byte{0}, uvarints(1<<15), []byte{1})))), ""},
		"a name past the end":         {one(2, class(dataPage(2, format.Plain, -1, join(plainText("aaaaaaaa"), []byte{8, 0, 0, 0, 'a'})))), "column 2 (class): row group 1: damaged Parquet file: it cannot be decoded"},
		"a name of 4 GiB":             {one(1, class(dataPage(1, format.Plain, -1, []byte{255, 255, 255, 255, 'a'}))), "damaged"},
		"a decimal of 1 MiB":          {one(1, crafted{name: "x", kind: format.ByteArray, decimal: true, pages: []craftedPage{dataPage(1, format.Plain, -1, plainText(long[:1<<20]))}}), "a decimal of 1048576 bytes, it may have 512"},
		"a fixed length of 2^31":      {one(1, crafted{name: "x", kind: format.FixedLenByteArray, decimal: true, length: most, pages: []craftedPage{dataPage(1, format.Plain, -1, []byte("a"))}}), "damaged"},
		"a split length of 2^31":      {one(1, crafted{name: "x", kind: format.FixedLenByteArray, decimal: true, length: most, pages: []craftedPage{dataPage(1, format.ByteStreamSplit, -1, []byte("a"))}}), "invalid argument"},
		"booleans of 4 GiB":           {one(9, crafted{name: "x", kind: format.Boolean, pages: []craftedPage{dataPage(9, format.RLE, -1, []byte{255, 255, 255, 255, 18, 1})}}), ""},
		"booleans by differences":     {one(9, crafted{name: "x", kind: format.Boolean, pages: []craftedPage{dataPage(9, format.DeltaBinaryPacked, -1, zeroTail(128, 4, 9, 0))}}), "not supported for type BOOLEAN"},
	} {
		t.Run(about, func(t *testing.T) {
			var err error
			within(t, len(tt.file), func() {
				var r *Reader
				if r, err = Open(bytes.NewReader(tt.file), int64(len(tt.file)), "s", nil); err == nil {
					var b table.Batch
					for err == nil {
						err = r.Read(&b)
					}
					if err == io.EOF {
						err = nil
					}
				}
			})
			var e *cell.Error
			switch {
			case tt.say == "" && err != nil, tt.say != "" && !errors.As(err, &e):
				t.Fatalf("error %.300v, want %q", err, tt.say)
			case err != nil && (!strings.Contains(err.Error(), tt.say) || strings.Contains(err.Error(), "runtime error") || len(err.Error()) > 300):
				t.Errorf("error %.300v, want %q", err, tt.say)
			}
			t.Logf("%d bytes: %v", len(tt.file), err)
		})
	}
}

// within runs work, which reads size bytes, and fails the test where it holds more than
// the larger of 1 GiB and 16 times as much.
func within(t *testing.T, size int, work func()) {
	t.Helper()
	watch.Below(t, max(1<<30, 16*size), work)
}

// wideFile has one row.
func wideFile(t testing.TB, n int) []byte {
	t.Helper()
	columns := make([]crafted, n)
	for i := range columns {
		columns[i] = crafted{name: fmt.Sprint("x", i), kind: format.Double, pages: []craftedPage{dataPage(1, format.Plain, -1, make([]byte, 8))}}
	}
	return craft(t, 1, columns...)
}

// manyZeros are pages of DOUBLEs, for other columns to have as many rows.
func manyZeros(t testing.TB, rows int64) []craftedPage {
	t.Helper()
	return []craftedPage{dictionaryPage(1, -1, make([]byte, 8)), dataPage(int(rows), format.RLEDictionary, -1, append([]byte{0}, uvarints(uint64(2*rows))...))}
}

// statistics is a page of nine zeros with a header that is long.
func statistics(size int) craftedPage {
	p := dataPage(9, format.Plain, -1, make([]byte, 72))
	p.header.DataPageHeader.V.Statistics.Max = make([]byte, size)
	return p
}

// prefixes is a page of n names, each of which begins with a first one of size bytes.
func prefixes(n, size int) craftedPage {
	first := bytes.Repeat([]byte("a"), size)
	var lengths, rest []int64
	for i := range n {
		lengths, rest = append(lengths, int64(size)), append(rest, 0)
		if i == 0 {
			lengths[0], rest[0] = 0, int64(size)
		}
	}
	return dataPage(n, format.DeltaByteArray, -1, join(differences(lengths), differences(rest), first))
}

// growing is a page of n names, each of which is the one before it and some bytes more.
func growing(n, step int) craftedPage {
	var lengths, rest []int64
	for i := range n {
		lengths, rest = append(lengths, int64(i*step)), append(rest, int64(step))
	}
	return dataPage(n, format.DeltaByteArray, -1, join(differences(lengths), differences(rest), bytes.Repeat([]byte("a"), 100*step)))
}

func differences(values []int64) []byte {
	small := make([]int32, len(values))
	for i, v := range values {
		small[i] = int32(v)
	}
	b, err := pq.DeltaBinaryPacked.EncodeInt32(nil, small)
	if err != nil {
		panic(err)
	}
	return b
}

// shared is a file of two columns that are the same bytes.
func shared(t testing.TB) []byte {
	t.Helper()
	c := func(name string) crafted {
		return crafted{name: name, kind: format.Double, pages: []craftedPage{dataPage(9, format.Plain, -1, make([]byte, 72))}}
	}
	file := craft(t, 9, c("x"), c("y"))
	f, err := pq.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	meta := *f.Metadata()
	g := meta.RowGroups[0]
	size := g.Columns[0].MetaData.TotalCompressedSize + g.Columns[1].MetaData.TotalCompressedSize
	for i := range g.Columns {
		g.Columns[i].MetaData.DataPageOffset, g.Columns[i].MetaData.TotalCompressedSize = 4, size
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		t.Fatal(err)
	}
	return withFooter(file[:4+size], footer)
}

// What pages need together is held against half of the available memory, whatever each
// of them needs; what all rows need against all of it.
func TestNoMemory(t *testing.T) {
	const rows = 2 << 20
	var columns []crafted
	body := zip(t, 8*rows)
	for i := range 6 {
		columns = append(columns, crafted{name: fmt.Sprint("x", i), kind: format.Double, codec: format.Gzip, pages: []craftedPage{dataPage(rows, format.Plain, 8*rows, body)}})
	}
	file := craft(t, rows, columns...)
	read := func(atHand float64) error {
		defer memory.Pretend(atHand)()
		f, err := Open(bytes.NewReader(file), int64(len(file)), "s", nil)
		if err != nil {
			return err
		}
		defer f.Close()
		var b table.Batch
		return f.Read(&b)
	}
	if err := read(1 << 29); err != nil {
		t.Error(err)
	}
	var m *MemoryError
	err := read(80 << 20) // which is not less as pages are held, being pretended
	want := "data: s: column 3 (x2): row group 1: reading the pages of all columns side by side needs"
	if !errors.As(err, &m) || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "available: write the file with smaller pages or row groups") {
		t.Errorf("%v, want %s …", err, want)
	}
	if m != nil && (m.Need < 4*8*rows || m.Need > 5*8*rows || m.Have >= m.Need || m.Have < 40<<20) {
		t.Errorf("%+v", m)
	}
	// All rows.
	restore := memory.Pretend(1 << 30)
	_, _, err = ReadFeatures(bytes.NewReader(file), int64(len(file)), "s", nil)
	restore()
	if err != nil {
		t.Error(err)
	}
	defer memory.Pretend(150 << 20)()
	_, _, err = ReadFeatures(bytes.NewReader(file), int64(len(file)), "s", nil)
	if !errors.As(err, &m) || m.Need != 2*6*8*rows || m.Have != 150<<20 || !strings.Contains(err.Error(), "data: s: holding 2097152 rows of 6 columns needs 192 MiB of memory, 150 MiB is available: read") {
		t.Error(err)
	}
	if n, err := CountRows(bytes.NewReader(file), int64(len(file)), "s"); n != rows || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}

// A number of rows that is not true sets nothing aside.
func TestClaimedRows(t *testing.T) {
	file := craft(t, 1<<22, crafted{name: "x", kind: format.Double, pages: manyZeros(t, 1<<16)}, crafted{name: "class", kind: format.ByteArray,
		pages: []craftedPage{dictionaryPage(1, -1, plainText("a")), dataPage(1<<16, format.RLEDictionary, -1, append([]byte{0}, uvarints(1<<17)...))}})
	watch.Within(t, len(file), func() {
		_, err := ReadSet(bytes.NewReader(file), int64(len(file)), "s")
		if err == nil || err.Error() != "data: s: column 1 (x): damaged Parquet file: a column chunk ends early" {
			t.Error(err)
		}
	})
}
