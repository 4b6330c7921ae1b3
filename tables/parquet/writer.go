package parquet

import (
	"fmt"
	"io"
	"slices"
	"unsafe"

	pq "github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
)

// Layout are the columns of a file to be written: numbers, as DOUBLE, and columns of strings,
// dictionary-encoded. All are required and compressed by Snappy. Names must be distinct and
// not empty.
type Layout struct {
	// Before are the names of the first columns of strings, Text of the next one, After of the last ones.
	// Numbers, which follow Text, are the names of the others.
	Before  []string
	Text    string
	Numbers []string
	After   []string
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
		panic(fmt.Sprintf("tables: columns without a name of their own: %q", names))
	}
	fields := make([]pq.Field, len(names))
	for _, f := range g.Fields() {
		fields[slices.Index(names, f.Name())] = f
	}
	return pq.NewSchema("samples", group{g, fields})
}

func (l Layout) names() []string {
	return slices.Concat(l.Before, []string{l.Text}, l.Numbers, l.After)
}

// texts are the names of the columns of strings: Text first.
func (l Layout) texts() []string { return slices.Concat([]string{l.Text}, l.Before, l.After) }

// Writer writes a Parquet file, a row group at a time.
type Writer struct {
	layout Layout
	w      *pq.GenericWriter[any]
	values []pq.Value
}

// NewWriter writes a file of a layout to w.
func NewWriter(w io.Writer, l Layout) *Writer {
	return &Writer{
		layout: l, values: make([]pq.Value, 1024),
		w: pq.NewGenericWriter[any](w, l.schema(), pq.Compression(&pq.Snappy), pq.CreatedBy("mpcvm", "", ""),
			pq.DataPageStatistics(false)),
	}
}

// Write writes rows as a row group: numbers is n×len(Numbers), or nil if there are none, and
// texts are n; further are the texts of Before and After. It panics if they do not fit the layout.
func (w *Writer) Write(numbers *mat.Dense, texts []string, further ...[]string) error {
	n, l := len(texts), w.layout
	if n == 0 {
		return nil
	}
	if len(l.Numbers) > 0 {
		if rows, columns := numbers.Dims(); rows != n || columns != len(l.Numbers) {
			panic(fmt.Sprintf("tables: %d×%d numbers for %d rows of %d", rows, columns, n, len(l.Numbers)))
		}
	}
	names, all := l.texts(), append([][]string{texts}, further...)
	if len(all) != len(names) || slices.ContainsFunc(all, func(t []string) bool { return len(t) != n }) {
		panic(fmt.Sprintf("tables: %d columns of strings for %d, or not of %d rows", len(all), len(names), n))
	}
	j := 0 // the next column of numbers
	for i, name := range l.names() {
		value := func(row int) pq.Value { return pq.DoubleValue(numbers.At(row, j)) }
		if k := slices.Index(names, name); k >= 0 {
			value = func(row int) pq.Value {
				text := all[k][row]
				return pq.ByteArrayValue(unsafe.Slice(unsafe.StringData(text), len(text)))
			}
		}
		for from := 0; from < n; from += len(w.values) {
			part := w.values[:min(len(w.values), n-from)]
			for r := range part {
				part[r] = value(from+r).Level(0, 0, i)
			}
			if _, err := w.w.ColumnWriters()[i].WriteRowValues(part); err != nil {
				return fmt.Errorf("tables: %w", err)
			}
		}
		if !slices.Contains(names, name) {
			j++
		}
	}
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	return nil
}

// Close writes the footer; it does not close the file below.
func (w *Writer) Close() error {
	if err := w.w.Close(); err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	return nil
}
