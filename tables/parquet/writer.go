package parquet

import (
	"fmt"
	"io"
	"slices"
	"unsafe"

	pq "github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
)

// Layout has the names of the columns of a file to be written, in this order. Names must be distinct and not
// empty, and there must be a column of strings. Numbers are written as DOUBLE, and strings are
// dictionary-encoded. All columns are required and compressed by Snappy.
type Layout struct {
	Before  []string // strings
	Numbers []string // numbers
	After   []string // strings
}

// group keeps the columns of a schema in order, while a pq.Group sorts them.
type group struct {
	pq.Group
	fields []pq.Field
}

func (g group) Fields() []pq.Field { return g.fields }

func (l Layout) schema() *pq.Schema {
	names := slices.Concat(l.Before, l.Numbers, l.After)
	g := pq.Group{}
	for _, name := range names {
		g[name] = pq.Leaf(pq.DoubleType)
	}
	for _, name := range slices.Concat(l.Before, l.After) {
		g[name] = pq.Encoded(pq.String(), &pq.RLEDictionary)
	}
	if len(g) != len(names) || slices.Contains(names, "") {
		panic(fmt.Sprintf("tables: empty or duplicate column names: %q", names))
	}
	fields := make([]pq.Field, len(names))
	for _, f := range g.Fields() {
		fields[slices.Index(names, f.Name())] = f
	}
	return pq.NewSchema("samples", group{g, fields})
}

// Writer writes a Parquet file one row group at a time.
type Writer struct {
	layout Layout
	w      *pq.GenericWriter[any]
	values []pq.Value
}

// NewWriter returns a Writer that writes a file with the given layout to w.
func NewWriter(w io.Writer, l Layout) *Writer {
	return &Writer{
		layout: l, values: make([]pq.Value, 1024),
		w: pq.NewGenericWriter[any](w, l.schema(), pq.Compression(&pq.Snappy), pq.CreatedBy("mpcvm", "", ""),
			pq.DataPageStatistics(false)),
	}
}

// Write writes n rows as a row group. numbers is n×len(Numbers), or nil if Numbers is empty, and texts has n
// cells for each column of Before and After. Write panics if they do not match the layout.
func (w *Writer) Write(numbers *mat.Dense, texts ...[]string) error {
	l, n := w.layout, len(texts[0])
	if n == 0 {
		return nil
	}
	if len(l.Numbers) > 0 {
		if rows, columns := numbers.Dims(); rows != n || columns != len(l.Numbers) {
			panic(fmt.Sprintf("tables: %d×%d numbers for %d rows with %d columns", rows, columns, n, len(l.Numbers)))
		}
	}
	want := len(l.Before) + len(l.After)
	if len(texts) != want || slices.ContainsFunc(texts, func(t []string) bool { return len(t) != n }) {
		panic(fmt.Sprintf("tables: %d columns of strings, want %d, each with %d rows", len(texts), want, n))
	}
	before := len(l.Before)
	all := slices.Concat(texts[:before], make([][]string, len(l.Numbers)), texts[before:])
	for i, to := range w.w.ColumnWriters() {
		value := func(row int) pq.Value { return pq.DoubleValue(numbers.At(row, i-before)) }
		if cells := all[i]; cells != nil {
			value = func(row int) pq.Value {
				return pq.ByteArrayValue(unsafe.Slice(unsafe.StringData(cells[row]), len(cells[row])))
			}
		}
		for from := 0; from < n; from += len(w.values) {
			part := w.values[:min(len(w.values), n-from)]
			for r := range part {
				part[r] = value(from+r).Level(0, 0, i)
			}
			if _, err := to.WriteRowValues(part); err != nil {
				return fmt.Errorf("tables: %w", err)
			}
		}
	}
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	return nil
}

// Close writes the footer. It does not close the underlying writer.
func (w *Writer) Close() error {
	if err := w.w.Close(); err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	return nil
}
