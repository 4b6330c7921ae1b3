package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const magic = "PAR1"

// maxColumns is the number of columns that a file may have.
const maxColumns = math.MaxUint16

var (
	errDamaged   = errors.New("damaged Parquet file")
	errEncrypted = errors.New("encrypted Parquet file")
)

// footer is the metadata of a file.
type footer struct {
	schema []format.SchemaElement // all but its root
	leaves int                    // columns with values
	flat   bool                   // no column is nested
	ends   []int64                // of each row group: the number of rows up to its end
	groups []format.RowGroup
}

// readFooter reads the metadata of a file of size bytes.
func readFooter(r io.ReaderAt, size int64, b *budget) (*footer, error) {
	const frame = int64(len(magic)) + 4 + int64(len(magic))
	if size < frame {
		return nil, errors.New("no Parquet file: too short")
	}
	var head [len(magic)]byte
	var tail [4 + len(magic)]byte
	if err := errors.Join(readFull(r, head[:], 0), readFull(r, tail[:], size-int64(len(tail)))); err != nil {
		return nil, err
	}
	if string(tail[4:]) == "PARE" {
		return nil, errEncrypted
	}
	if string(head[:]) != magic || string(tail[4:]) != magic {
		return nil, errors.New("no Parquet file: it does not start and end with " + magic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-frame {
		return nil, fmt.Errorf("%w: a footer of %d bytes", errDamaged, n)
	}
	var text []byte
	if err := b.grow(&text, n); err != nil {
		return nil, err
	}
	start := size - int64(len(tail)) - n
	if err := readFull(r, text, start); err != nil {
		return nil, err
	}
	var meta format.FileMetaData
	if used, err := unmarshal(text, &meta, b); err != nil || used < len(text) {
		if _, ok := errors.AsType[*MemoryError](err); ok {
			return nil, err
		}
		return nil, fmt.Errorf("%w: its footer cannot be read", errDamaged)
	}
	return newFooter(&meta, start)
}

// newFooter checks the metadata of a file whose pages end before the byte end.
func newFooter(meta *format.FileMetaData, end int64) (*footer, error) {
	if len(meta.Schema) > maxColumns+1 {
		return nil, fmt.Errorf("more than %d columns", maxColumns)
	}
	if meta.EncryptionAlgorithm.Value != nil {
		return nil, errEncrypted
	}
	if len(meta.Schema) == 0 {
		return nil, fmt.Errorf("%w: its footer cannot be read", errDamaged)
	}
	f := &footer{schema: meta.Schema[1:], groups: meta.RowGroups}
	f.flat = int(meta.Schema[0].NumChildren.V) == len(f.schema)
	for i := range f.schema {
		if isLeaf(&f.schema[i]) {
			f.leaves++
		}
		f.flat = f.flat && isLeaf(&f.schema[i]) && f.schema[i].RepetitionType.V != format.Repeated
	}
	rows, left := int64(0), end-int64(len(magic)) // bytes of the column chunks that may follow
	for i := range f.groups {
		g := &f.groups[i]
		if g.NumRows < 0 || g.NumRows > meta.NumRows-rows || len(g.Columns) != f.leaves {
			return nil, fmt.Errorf("%w: the rows and columns of row group %d", errDamaged, i+1)
		}
		rows += g.NumRows
		f.ends = append(f.ends, rows)
		for j := range g.Columns {
			c := &g.Columns[j]
			if c.CryptoMetadata.Value != nil || c.EncryptedColumnMetadata != nil {
				return nil, errEncrypted
			}
			if f.flat && c.MetaData.NumValues != g.NumRows {
				return nil, fmt.Errorf("%w: %d values in %d rows", errDamaged, c.MetaData.NumValues, g.NumRows)
			}
			// Chunks must not share bytes: a small file could be as many large columns.
			start, size := extent(c)
			if c.FilePath != "" || size < 0 || size > left || size > 0 && start < int64(len(magic)) || start > end-size {
				return nil, fmt.Errorf("%w: column chunks that are not in it", errDamaged)
			}
			left -= size
		}
	}
	if rows != meta.NumRows {
		return nil, fmt.Errorf("%w: %d rows, of which its row groups have %d", errDamaged, meta.NumRows, rows)
	}
	return f, nil
}

// extent returns where the pages of a column chunk start, and their bytes.
func extent(c *format.ColumnChunk) (start, size int64) {
	start = c.MetaData.DataPageOffset
	if d := c.MetaData.DictionaryPageOffset; d > 0 { // some writers have a zero for none
		start = min(start, d)
	}
	return start, c.MetaData.TotalCompressedSize
}

// rows is the number of rows of the file.
func (f *footer) rows() int64 {
	if len(f.ends) == 0 {
		return 0
	}
	return f.ends[len(f.ends)-1]
}

// isLeaf reports whether a column has values, and is no group of columns.
func isLeaf(e *format.SchemaElement) bool { return e.Type.Valid && e.NumChildren.V == 0 }

// unmarshal decodes a Thrift struct that text starts with, and returns its bytes. The
// struct may refer to text.
func unmarshal(text []byte, to any, b *budget) (used int, err error) {
	defer recoverAs(&err)
	g := &thriftGuard{BytesReader: new(thrift.CompactProtocol).NewReaderFromBytes(text), size: len(text), budget: b, open: []int32{1}}
	err = thrift.NewDecoder(g).Decode(to)
	return g.BytesRead(), err
}

// thriftGuard reads Thrift's compact protocol and refuses what the library would believe:
// lists longer than the bytes that are there, and structs without end in structs.
type thriftGuard struct {
	thrift.BytesReader
	size   int // bytes that there are
	budget *budget
	open   []int32 // at each level, the structs that have not ended
}

// ReadField follows the structs that begin and end.
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

// enter begins n structs, one after the other.
func (g *thriftGuard) enter(n int32) error {
	const deep = 32 // the footer of a Parquet file has about 8 levels
	if len(g.open) == deep {
		return errDamaged
	}
	g.open = append(g.open, n)
	return nil
}

// ReadList counts the memory of the list. Parquet has no lists of lists.
func (g *thriftGuard) ReadList() (thrift.List, error) {
	l, err := g.BytesReader.ReadList()
	if err != nil {
		return l, err
	}
	entry := int64(unsafe.Sizeof(""))
	switch l.Type {
	case thrift.LIST, thrift.SET, thrift.MAP:
		return l, errDamaged
	case thrift.STRUCT:
		entry = int64(unsafe.Sizeof(format.ColumnChunk{})) // the largest
	}
	if int(l.Size) > g.size-g.BytesRead() {
		return l, errDamaged
	}
	if l.Type == thrift.STRUCT && l.Size > 0 {
		err = g.enter(l.Size)
	}
	return l, errors.Join(err, g.budget.take(entry*int64(l.Size)))
}

// ReadSet refuses sets, which Parquet does not have.
func (g *thriftGuard) ReadSet() (thrift.Set, error) { return thrift.Set{}, errDamaged }

// ReadMap refuses maps, which Parquet does not have.
func (g *thriftGuard) ReadMap() (thrift.Map, error) { return thrift.Map{}, errDamaged }

// Discard leaves out n bytes.
func (g *thriftGuard) Discard(n int) (int, error) {
	return g.BytesReader.(interface{ Discard(n int) (int, error) }).Discard(n)
}

// recoverAs turns a panic of the library over a damaged file into an error.
func recoverAs(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: it cannot be decoded", errDamaged)
	}
}

// readFull reads len(b) bytes from an offset.
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

// groupAt returns the row group of a row, and the row's place in it.
func (f *footer) groupAt(row int64) (group int, inside int64) {
	group, _ = slices.BinarySearch(f.ends, row+1)
	if group > 0 {
		row -= f.ends[group-1]
	}
	return group, row
}
