package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"gonum.org/v1/gonum/mat"
)

// Layout are the columns of a file to be written: numbers, as DOUBLE, and columns of strings,
// dictionary-encoded. All are required and compressed by Snappy. Names must be distinct and
// not empty.
type Layout struct {
	Text    string   // the name of the column of strings
	Numbers []string // the names of the others
	Last    bool     // whether the strings come last; else first
	// Before and After are the names of further columns of strings, before and after all others.
	Before, After []string
}

// Group is a row group, encoded by [Layout.Encode] and ready for a [Writer].
type Group struct {
	Rows  int
	Bytes []byte // of its column chunks
	Meta  []byte // its metadata as in a footer, of a file of which it is the first
}

// group makes a schema keep the order of its columns, which a pq.Group sorts.
type group struct {
	pq.Group
	fields []pq.Field
}

func (g group) Fields() []pq.Field { return g.fields }

func (l Layout) schema() *pq.Schema {
	names := l.names()
	g := pq.Group{}
	for _, name := range names {
		g[name] = pq.Leaf(pq.DoubleType)
	}
	for _, name := range l.texts() {
		g[name] = pq.Encoded(pq.String(), &pq.RLEDictionary)
	}
	if len(g) != len(names) || slices.Contains(names, "") {
		panic(fmt.Sprintf("data: columns without a name of their own: %q", names))
	}
	fields := make([]pq.Field, len(names))
	for _, f := range g.Fields() {
		fields[slices.Index(names, f.Name())] = f
	}
	return pq.NewSchema("samples", group{g, fields})
}

func (l Layout) names() []string {
	if l.Last {
		return slices.Concat(l.Before, l.Numbers, []string{l.Text}, l.After)
	}
	return slices.Concat(l.Before, []string{l.Text}, l.Numbers, l.After)
}

// texts are the names of the columns of strings: Text first.
func (l Layout) texts() []string { return slices.Concat([]string{l.Text}, l.Before, l.After) }

// Encode encodes rows as a row group: numbers is n×len(Numbers), or nil if there are none, and
// texts are n; further are those of Before and After. The memory of dst is used again. Groups
// can be encoded at the same time; rows have the same bytes wherever they are encoded. It
// panics if there are no rows or if numbers or texts do not fit the layout.
func (l Layout) Encode(dst Group, numbers *mat.Dense, texts []string, further ...[]string) (Group, error) {
	n := len(texts)
	if n == 0 {
		panic("data: a row group without rows")
	}
	if len(l.Numbers) > 0 {
		if rows, columns := numbers.Dims(); rows != n || columns != len(l.Numbers) {
			panic(fmt.Sprintf("data: %d×%d numbers for %d rows of %d", rows, columns, n, len(l.Numbers)))
		}
	}
	names, all := l.texts(), append([][]string{texts}, further...)
	if len(all) != len(names) || slices.ContainsFunc(all, func(t []string) bool { return len(t) != n }) {
		panic(fmt.Sprintf("data: %d columns of strings for %d, or not of %d rows", len(all), len(names), n))
	}
	out := bytes.NewBuffer(dst.Bytes[:0])
	w := pq.NewWriter(out, l.schema(), pq.Compression(&pq.Snappy), pq.CreatedBy("mpcvm", "", ""), pq.DataPageStatistics(false))
	values := make([]pq.Value, 0, min(n, 1024))
	j := 0
	for i, name := range l.names() {
		c := w.ColumnWriters()[i]
		text := slices.Index(names, name)
		for lo := 0; lo < n; lo += cap(values) {
			values = values[:0]
			for row := lo; row < min(lo+cap(values), n); row++ {
				var v pq.Value
				if text >= 0 {
					cell := all[text][row]
					v = pq.ByteArrayValue(unsafe.Slice(unsafe.StringData(cell), len(cell)))
				} else {
					v = pq.DoubleValue(numbers.RawRowView(row)[j])
				}
				values = append(values, v.Level(0, 0, i))
			}
			if _, err := c.WriteRowValues(values); err != nil {
				return Group{}, fmt.Errorf("data: %w", err)
			}
		}
		if text < 0 {
			j++
		}
	}
	if err := w.Close(); err != nil {
		return Group{}, fmt.Errorf("data: %w", err)
	}
	return cut(out.Bytes(), n)
}

// cut takes the row group out of a file of one.
func cut(file []byte, n int) (Group, error) {
	f, err := pq.OpenFile(bytes.NewReader(file), int64(len(file)), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return Group{}, fmt.Errorf("data: %w", err)
	}
	groups := f.Metadata().RowGroups
	if len(groups) != 1 || groups[0].NumRows != int64(n) {
		return Group{}, fmt.Errorf("data: %d row groups for %d rows", len(groups), n)
	}
	g := groups[0]
	end := int64(len(magic))
	for i := range g.Columns {
		c := &g.Columns[i]
		// The indexes of its pages follow all row groups of a file; none of ours has any.
		c.OffsetIndexOffset, c.OffsetIndexLength, c.ColumnIndexOffset, c.ColumnIndexLength = 0, 0, 0, 0
		start, size := extent(c)
		if start != end {
			return Group{}, errors.New("data: the columns of a row group are not side by side")
		}
		end += size
	}
	meta, err := thrift.Marshal(new(thrift.CompactProtocol), &g)
	if err != nil {
		return Group{}, fmt.Errorf("data: %w", err)
	}
	return Group{Rows: n, Bytes: file[len(magic):end], Meta: meta}, nil
}

// Writer writes a Parquet file, group by group. What it needs to go on where another
// one stopped are the groups' metadata.
type Writer struct {
	w      io.Writer
	layout Layout
	offset int64
	rows   int64
	groups []format.RowGroup
}

// NewWriter writes the start of a file.
func NewWriter(w io.Writer, l Layout) (*Writer, error) {
	if _, err := io.WriteString(w, magic); err != nil {
		return nil, err
	}
	return &Writer{w: w, layout: l, offset: int64(len(magic))}, nil
}

// ResumeWriter continues a file of whose groups, and nothing after them, w is at the
// end; meta are those of the groups, in order.
func ResumeWriter(w io.Writer, l Layout, meta [][]byte) (*Writer, error) {
	f := &Writer{w: w, layout: l, offset: int64(len(magic))}
	for _, m := range meta {
		if err := f.add(m); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Offset returns the bytes written, those before a [ResumeWriter] as well.
func (f *Writer) Offset() int64 { return f.offset }

// Append writes a group. A file has room for 32767 of them.
func (f *Writer) Append(g Group) error {
	if len(f.groups) == math.MaxInt16 {
		return fmt.Errorf("data: a Parquet file has no room for more than %d row groups: write two files", math.MaxInt16)
	}
	if _, err := f.w.Write(g.Bytes); err != nil {
		return err
	}
	return f.add(g.Meta)
}

// add adds the metadata of a group that was written.
func (f *Writer) add(meta []byte) error {
	var g format.RowGroup
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), meta, &g); err != nil {
		return fmt.Errorf("data: metadata of a row group: %w", err)
	}
	shift := f.offset - int64(len(magic))
	size := int64(0)
	for i := range g.Columns {
		c := &g.Columns[i]
		c.MetaData.DataPageOffset += shift
		if c.MetaData.DictionaryPageOffset > 0 {
			c.MetaData.DictionaryPageOffset += shift
		}
		if c.FileOffset > 0 {
			c.FileOffset += shift
		}
		size += c.MetaData.TotalCompressedSize
	}
	if g.FileOffset > 0 {
		g.FileOffset += shift
	}
	g.Ordinal = int16(len(f.groups))
	f.groups = append(f.groups, g)
	f.offset += size
	f.rows += g.NumRows
	return nil
}

// Close writes the footer; it does not close the file below.
func (f *Writer) Close() error {
	// The schema and what else a footer says are those of a file without rows.
	var empty bytes.Buffer
	w := pq.NewWriter(&empty, f.layout.schema(), pq.CreatedBy("mpcvm", "", ""))
	if err := w.Close(); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	e, err := pq.OpenFile(bytes.NewReader(empty.Bytes()), int64(empty.Len()))
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	meta := *e.Metadata()
	meta.NumRows, meta.RowGroups = f.rows, f.groups
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if int64(len(footer)) > math.MaxInt32 {
		return errors.New("data: the footer of the Parquet file is too large")
	}
	n := len(footer)
	footer = append(footer, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	_, err = f.w.Write(append(footer, magic...))
	return err
}
