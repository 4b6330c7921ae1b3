package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

const (
	magic      = "PAR1"
	maxColumns = math.MaxUint16
	maxPage    = 1 << 30 // bytes, compressed or not
	maxHeader  = 1 << 20 // bytes of the header of a page
)

var (
	errDamaged   = errors.New("damaged Parquet file")
	errEncrypted = errors.New("encrypted Parquet file")
)

// checkFile checks the sizes stated in the footer of a file of size bytes.
func checkFile(r io.ReaderAt, size int64) error {
	const frame = int64(len(magic)) + 4 + int64(len(magic))
	if size < frame {
		return errors.New("not a Parquet file: too short")
	}
	var head [len(magic)]byte
	var tail [4 + len(magic)]byte
	if err := errors.Join(readFull(r, head[:], 0), readFull(r, tail[:], size-int64(len(tail)))); err != nil {
		return err
	}
	if string(tail[4:]) == "PARE" {
		return errEncrypted
	}
	if string(head[:]) != magic || string(tail[4:]) != magic {
		return errors.New("not a Parquet file: it does not start and end with " + magic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-frame {
		return fmt.Errorf("%w: footer of %d bytes", errDamaged, n)
	}
	text := make([]byte, n)
	start := size - int64(len(tail)) - n
	if err := readFull(r, text, start); err != nil {
		return err
	}
	var meta format.FileMetaData
	if used, err := unmarshal(text, &meta); err != nil || used < len(text) {
		return fmt.Errorf("%w: the footer cannot be read", errDamaged)
	}
	return checkFooter(&meta, start)
}

// checkFooter checks the metadata of a file whose pages end before offset end.
func checkFooter(meta *format.FileMetaData, end int64) error {
	if meta.EncryptionAlgorithm.Value != nil {
		return errEncrypted
	}
	if len(meta.Schema) == 0 || len(meta.Schema) > maxColumns+1 {
		return fmt.Errorf("%w: %d columns, want 1 to %d", errDamaged, len(meta.Schema)-1, maxColumns)
	}
	leaves := 0
	for i := range meta.Schema[1:] {
		if isLeaf(&meta.Schema[1+i]) {
			leaves++
		}
	}
	rows, left := int64(0), end-int64(len(magic)) // bytes left for column chunks
	for i := range meta.RowGroups {
		g := &meta.RowGroups[i]
		if g.NumRows < 0 || g.NumRows > meta.NumRows-rows || len(g.Columns) != leaves {
			return fmt.Errorf("%w: wrong number of rows or columns in row group %d", errDamaged, i+1)
		}
		rows += g.NumRows
		for j := range g.Columns {
			c := &g.Columns[j]
			if c.CryptoMetadata.Value != nil || c.EncryptedColumnMetadata != nil {
				return errEncrypted
			}
			// Chunks must not share bytes, so that a small file cannot have many large columns.
			start, size := extent(c)
			if c.FilePath != "" || size < 0 || size > left || size > 0 && start < int64(len(magic)) ||
				start > end-size {
				return fmt.Errorf("%w: column chunk outside the file", errDamaged)
			}
			left -= size
		}
	}
	if rows != meta.NumRows {
		return fmt.Errorf("%w: %d rows, but %d in its row groups", errDamaged, meta.NumRows, rows)
	}
	return nil
}

// checkPages checks the sizes stated in the page headers of a column chunk.
func checkPages(r io.ReaderAt, c *format.ColumnChunk, rows int64) error {
	at, size := extent(c)
	end := at + size
	text := make([]byte, 512)
	for seen := int64(0); seen < rows && at < end; {
		var h format.PageHeader
		text = text[:min(int64(cap(text)), end-at)]
		if err := readFull(r, text, at); err != nil {
			return err
		}
		n, err := unmarshal(text, &h)
		if err != nil && int64(len(text)) < min(end-at, maxHeader) { // a header with long statistics
			text = make([]byte, min(2*len(text), maxHeader))
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: invalid page header", errDamaged)
		}
		at += int64(n)
		packed, whole := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
		if packed < 0 || packed > end-at || whole < 0 {
			return fmt.Errorf("%w: page of %d bytes", errDamaged, packed)
		}
		if whole > maxPage {
			return fmt.Errorf("page of %d bytes exceeds the limit of %d", whole, maxPage)
		}
		if c.MetaData.Codec == format.Lz4Raw {
			if err := checkLZ4(r, &h, at); err != nil {
				return err
			}
		}
		at += packed
		values := int64(h.DataPageHeader.V.NumValues)
		if h.Type == format.DataPageV2 {
			values = int64(h.DataPageHeaderV2.V.NumValues)
		}
		if most := min(rows-seen, maxPage/8); h.Type != format.DictionaryPage && (values < 0 || values > most) {
			return fmt.Errorf("%w: page of %d values, want at most %d", errDamaged, values, most)
		}
		// A value of a dictionary takes at least one bit.
		if d := int64(h.DictionaryPageHeader.V.NumValues); h.Type == format.DictionaryPage &&
			(d < 0 || d > 8*whole) {
			return fmt.Errorf("%w: dictionary of %d values in %d bytes", errDamaged, d, whole)
		}
		seen += values
	}
	return nil
}

// checkLZ4 decompresses a page as a check, because parquet-go allocates without limit if a page is damaged.
func checkLZ4(r io.ReaderAt, h *format.PageHeader, at int64) error {
	levels := 0 // not compressed
	if v2 := &h.DataPageHeaderV2.V; h.Type == format.DataPageV2 {
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			return nil
		}
		levels = int(v2.RepetitionLevelsByteLength) + int(v2.DefinitionLevelsByteLength)
	}
	if levels < 0 || levels > int(min(h.CompressedPageSize, h.UncompressedPageSize)) {
		return fmt.Errorf("%w: invalid levels of a page", errDamaged)
	}
	packed, whole := make([]byte, int(h.CompressedPageSize)-levels),
		make([]byte, int(h.UncompressedPageSize)-levels)
	if err := readFull(r, packed, at+int64(levels)); err != nil {
		return err
	}
	if n, err := lz4.UncompressBlock(packed, whole); err != nil || n != len(whole) {
		return fmt.Errorf("%w: invalid LZ4 page", errDamaged)
	}
	return nil
}

// extent returns the offset and the size of the pages of a column chunk.
func extent(c *format.ColumnChunk) (start, size int64) {
	start = c.MetaData.DataPageOffset
	if d := c.MetaData.DictionaryPageOffset; d > 0 { // some writers use zero for none
		start = min(start, d)
	}
	return start, c.MetaData.TotalCompressedSize
}

// isLeaf reports whether a column has values, unlike a group of columns.
func isLeaf(e *format.SchemaElement) bool { return e.Type.Valid }

// unmarshal decodes the Thrift struct at the start of text, to which it may refer, and returns its length.
func unmarshal(text []byte, to any) (used int, err error) {
	defer recoverAs(&err)
	g := &thriftGuard{BytesReader: new(thrift.CompactProtocol).NewReaderFromBytes(text), size: len(text),
		open: []int32{1}}
	err = thrift.NewDecoder(g).Decode(to)
	return g.BytesRead(), err
}

// thriftGuard reads Thrift's compact protocol and rejects what the library does not check: lists that are
// longer than the input, and deeply nested structs.
type thriftGuard struct {
	thrift.BytesReader
	size int     // length of the input
	open []int32 // number of open structs at each level
}

// ReadField keeps track of the nesting of structs.
func (g *thriftGuard) ReadField() (thrift.Field, error) {
	f, err := g.BytesReader.ReadField()
	switch f.Type {
	case thrift.STOP:
		n := len(g.open) - 1
		if g.open[n]--; g.open[n] == 0 {
			g.open = g.open[:n]
		}
	case thrift.STRUCT:
		return f, errors.Join(err, g.enter(1))
	}
	return f, err
}

// enter begins a sequence of n structs.
func (g *thriftGuard) enter(n int32) error {
	const deep = 32 // the footer of a Parquet file has about 8 levels
	if len(g.open) == deep {
		return errDamaged
	}
	g.open = append(g.open, n)
	return nil
}

// ReadList checks the length of a list. Parquet has no lists of lists.
func (g *thriftGuard) ReadList() (thrift.List, error) {
	l, err := g.BytesReader.ReadList()
	switch {
	case err != nil:
		return l, err
	case l.Type == thrift.LIST || l.Type == thrift.SET || l.Type == thrift.MAP ||
		int(l.Size) > g.size-g.BytesRead():
		return l, errDamaged
	case l.Type == thrift.STRUCT && l.Size > 0:
		return l, g.enter(l.Size)
	}
	return l, nil
}

// ReadSet rejects sets, which Parquet does not use.
func (g *thriftGuard) ReadSet() (thrift.Set, error) { return thrift.Set{}, errDamaged }

// ReadMap rejects maps, which Parquet does not use.
func (g *thriftGuard) ReadMap() (thrift.Map, error) { return thrift.Map{}, errDamaged }

// Discard skips n bytes.
func (g *thriftGuard) Discard(n int) (int, error) {
	return g.BytesReader.(interface{ Discard(n int) (int, error) }).Discard(n)
}

// recoverAs turns a panic of the library on a damaged file into an error.
func recoverAs(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: it cannot be decoded", errDamaged)
	}
}

func readFull(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
