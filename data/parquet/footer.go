package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

const magic = "PAR1"

// maxColumns is the number of columns that a file may have.
const maxColumns = math.MaxUint16

var errEncrypted = errors.New("encrypted Parquet file")

// footer is what is needed of the metadata of a file. For each byte of a footer, it
// holds three at most.
type footer struct {
	schema []element // all but its root
	top    int       // columns that the root has; the others are nested
	leaves int       // columns with values
	ends   []int64   // of each row group: the rows up to its end
	chunks []chunk   // leaves of each row group
}

// element is a column, or a group of columns, of the schema.
type element struct {
	name      string
	repeats   format.FieldRepetitionType
	children  int
	physical  format.Type
	length    int // bytes of a fixed-length value
	logical   int16
	converted deprecated.ConvertedType // -1: none
	scale     int                      // of a decimal
	signed    bool
}

// chunk is where the pages of a column in a row group are.
type chunk struct {
	offset, size int64
	codec        format.CompressionCodec
}

// Logical types are told apart by the number of their field in a union.
const (
	noLogical      int16 = 0
	logicalString  int16 = 1
	logicalEnum    int16 = 4
	logicalDecimal int16 = 5
	logicalInteger int16 = 10
	logicalFloat16 int16 = 15
)

var convertedNames = []string{"UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE", "TIME_MILLIS", "TIME_MICROS",
	"TIMESTAMP_MILLIS", "TIMESTAMP_MICROS", "UINT_8", "UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16", "INT_32", "INT_64",
	"JSON", "BSON", "INTERVAL"}

var logicalNames = []string{"", "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "INTERVAL", "INTEGER",
	"NULL", "JSON", "BSON", "UUID", "FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY"}

// readFooter reads the metadata of a file of size bytes.
func readFooter(r io.ReaderAt, size int64) (*footer, error) {
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
	b := make([]byte, n)
	start := size - int64(len(tail)) - n
	if err := readFull(r, b, start); err != nil {
		return nil, err
	}
	f, err := parseFooter(b)
	if err != nil {
		return nil, err
	}
	return f, f.checkChunks(start)
}

func parseFooter(b []byte) (*footer, error) {
	f, c, encrypted := &footer{}, &compact{b: b}, false
	rows := int64(-1)
	var wide error
	c.fields(func(k field) {
		switch k {
		case field{2, wList}:
			if wide = f.readSchema(c); wide != nil {
				c.fail()
			}
		case field{3, wInt64}:
			rows = c.size()
		case field{4, wList}:
			f.readGroups(c, &encrypted)
		case field{8, wStruct}:
			encrypted = true
			c.skip(k.wire)
		default:
			c.skip(k.wire)
		}
	})
	switch {
	case wide != nil:
		return nil, wide
	case encrypted:
		return nil, errEncrypted
	case c.bad || len(c.b) > 0 || f.schema == nil || f.ends == nil || rows < 0:
		return nil, fmt.Errorf("%w: its footer cannot be read", errDamaged)
	case f.rows() != rows:
		return nil, fmt.Errorf("%w: %d rows, of which its row groups have %d", errDamaged, rows, f.rows())
	}
	return f, nil
}

// readSchema reads the elements of the schema but its root, which has no column.
func (f *footer) readSchema(c *compact) error {
	ahead := *c
	if n, _ := ahead.list(); n > maxColumns+1 {
		return fmt.Errorf("more than %d columns", maxColumns)
	}
	f.schema = []element{}
	f.leaves = 0
	root := true
	c.structs(func() {
		e := readElement(c)
		if root {
			f.top, root = e.children, false
			return
		}
		f.schema = append(f.schema, e)
		if e.leaf() {
			f.leaves++
		}
	})
	return nil
}

func readElement(c *compact) element {
	e := element{converted: -1, physical: -1}
	c.fields(func(k field) {
		switch k {
		case field{1, wInt32}:
			e.physical = format.Type(c.code())
		case field{2, wInt32}:
			e.length = int(c.size())
		case field{3, wInt32}:
			e.repeats = format.FieldRepetitionType(c.code())
		case field{4, wBinary}:
			e.name = string(c.bytes())
		case field{5, wInt32}:
			e.children = int(c.size())
		case field{6, wInt32}:
			e.converted = deprecated.ConvertedType(c.code())
		case field{7, wInt32}:
			e.scale = int(c.code())
		case field{10, wStruct}:
			c.fields(func(union field) {
				e.logical = union.id
				if union.wire != wStruct {
					c.skip(union.wire)
					return
				}
				c.fields(func(k field) {
					switch {
					case e.logical == logicalDecimal && k == field{1, wInt32}:
						e.scale = int(c.code())
					case e.logical == logicalInteger && k.id == 2:
						e.signed = k.wire == wTrue
						c.skip(k.wire)
					default:
						c.skip(k.wire)
					}
				})
			})
		default:
			c.skip(k.wire)
		}
	})
	return e
}

// readGroups reads the row groups, each of which must have a chunk for each leaf.
func (f *footer) readGroups(c *compact, encrypted *bool) {
	const least = 21 // bytes of a chunk that has all that it must
	ahead := *c
	n, _ := ahead.list()
	if f.schema == nil || ahead.bad || n > len(ahead.b)/(4+least*f.leaves) {
		c.fail()
		return
	}
	f.chunks, f.ends = make([]chunk, 0, n*f.leaves), make([]int64, 0, n)
	flat := f.top == f.leaves && !slices.ContainsFunc(f.schema, func(e element) bool { return e.repeats == format.Repeated })
	total := int64(0)
	c.structs(func() {
		before := len(f.chunks)
		var rows int64
		var values int64 // of each column; as many as rows, where none is a list
		even := true
		c.fields(func(k field) {
			switch k {
			case field{1, wList}:
				if n, _ := (&compact{b: c.b}).list(); n != f.leaves || len(f.chunks) > before {
					c.fail()
					return
				}
				c.structs(func() {
					chunk, n := readChunk(c, encrypted)
					f.chunks = append(f.chunks, chunk)
					if len(f.chunks) == before+1 {
						values = n
					}
					even = even && n == values
				})
			case field{3, wInt64}:
				rows = c.size()
			default:
				c.skip(k.wire)
			}
		})
		if len(f.chunks) != before+f.leaves || rows > math.MaxInt64-total || flat && f.leaves > 0 && (!even || values != rows) {
			c.fail()
		}
		total += rows
		f.ends = append(f.ends, total)
	})
}

// readChunk reads where a column is, and how many values it has.
func readChunk(c *compact, encrypted *bool) (k chunk, values int64) {
	k.codec = -1
	dictionary := int64(0)
	c.fields(func(outer field) {
		switch {
		case outer == field{1, wBinary}: // in a file of its own
			if len(c.bytes()) > 0 {
				c.fail()
			}
		case outer == field{3, wStruct}:
			c.fields(func(f field) {
				switch f {
				case field{4, wInt32}:
					k.codec = format.CompressionCodec(c.code())
				case field{5, wInt64}:
					values = c.size()
				case field{7, wInt64}:
					k.size = c.size()
				case field{9, wInt64}:
					k.offset = c.size()
				case field{11, wInt64}:
					dictionary = c.size()
				default:
					c.skip(f.wire)
				}
			})
		case outer.id == 8 || outer.id == 9:
			*encrypted = true
			c.skip(outer.wire)
		default:
			c.skip(outer.wire)
		}
	})
	if dictionary > 0 { // some writers have a zero for none
		k.offset = min(k.offset, dictionary)
	}
	return k, values
}

// checkChunks refuses chunks that are not in the file, which ends at end, and chunks
// that share their bytes: a small file could be as many large columns.
func (f *footer) checkChunks(end int64) error {
	left := end - int64(len(magic))
	for _, c := range f.chunks {
		if c.size > left || c.size > 0 && c.offset < int64(len(magic)) || c.offset > end-c.size {
			return fmt.Errorf("%w: column chunks that are not in it", errDamaged)
		}
		left -= c.size
	}
	return nil
}

// rows is the number of rows of the file.
func (f *footer) rows() int64 {
	if len(f.ends) == 0 {
		return 0
	}
	return f.ends[len(f.ends)-1]
}

// groupRows is the number of rows of a row group.
func (f *footer) groupRows(group int) int64 {
	if group == 0 {
		return f.ends[0]
	}
	return f.ends[group] - f.ends[group-1]
}

// leaf reports whether a column has values, and is no group of columns.
func (e element) leaf() bool { return e.children == 0 && e.physical >= 0 }

// typeName is the type of a column, for errors.
func (e element) typeName() string {
	switch {
	case 0 < e.logical && int(e.logical) < len(logicalNames):
		return logicalNames[e.logical]
	case e.logical != noLogical:
		return fmt.Sprintf("logical type %d", e.logical)
	case 0 <= e.converted && int(e.converted) < len(convertedNames):
		return convertedNames[e.converted]
	}
	return e.physical.String()
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
