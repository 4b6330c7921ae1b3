package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/mpcvm/mpcvm/data/parquet"
)

// format is how predictions are written. Units are encoded on any goroutine and written
// in order.
type format interface {
	// name tells formats apart whose files have different bytes.
	name() string
	encode(u *unit) error
	// open begins an output or, after written, goes on with one.
	open(w *countingWriter, written []entry) (sink, error)
}

// sink is an output being written.
type sink interface {
	write(u *unit) error
	close() error
}

// countingWriter counts what it writes.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func newFormat(names []string, proba, asJSON, asParquet bool) format {
	switch {
	case asJSON:
		return jsonFormat{names, proba}
	case asParquet:
		l := parquet.Layout{Text: "class"}
		if proba {
			l.Numbers = columnNames(names)
		}
		return parquetFormat{l}
	}
	return newCSVFormat(names, proba)
}

// columnNames are those of the probabilities.
func columnNames(names []string) []string {
	columns := make([]string, len(names))
	for c, name := range names {
		columns[c] = "p(" + name + ")"
	}
	return columns
}

// textSink is an output of text.
type textSink struct {
	w                   *countingWriter
	head, between, tail string
	begun               bool
}

func (t *textSink) write(u *unit) error {
	if len(u.labels) == 0 {
		return nil
	}
	lead := t.between
	if !t.begun {
		lead = t.head
	}
	t.begun = true
	if _, err := io.WriteString(t.w, lead); err != nil {
		return err
	}
	_, err := t.w.Write(u.out.bytes)
	return err
}

func (t *textSink) close() error {
	_, err := io.WriteString(t.w, t.tail)
	return err
}

// csvFormat writes a row for each sample: its class and, if wanted, the probability of
// each class.
type csvFormat struct {
	header string
	class  []string // names, quoted where need be
	proba  bool
}

func newCSVFormat(names []string, proba bool) csvFormat {
	line := func(cells ...string) string {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		_ = w.Write(cells) // to memory
		w.Flush()
		return b.String()
	}
	header := []string{"class"}
	if proba {
		header = append(header, columnNames(names)...)
	}
	f := csvFormat{header: line(header...), proba: proba}
	for _, name := range names {
		cell := line(name)
		f.class = append(f.class, cell[:len(cell)-1])
	}
	return f
}

func (f csvFormat) name() string { return "csv" + with(f.proba) }

func (f csvFormat) encode(u *unit) error {
	b := u.out.bytes[:0]
	for i, label := range u.labels {
		b = append(b, f.class[label]...)
		if f.proba {
			for _, p := range u.values.RawRowView(i) {
				b = append(b, ',')
				b = strconv.AppendFloat(b, p, 'g', -1, 64)
			}
		}
		b = append(b, '\n')
	}
	u.out.bytes = b
	return nil
}

func (f csvFormat) open(w *countingWriter, written []entry) (sink, error) {
	return &textSink{w: w, head: f.header, begun: rowsIn(written) > 0}, nil
}

// jsonFormat writes an array of predictions.
type jsonFormat struct {
	names []string
	proba bool
}

func (f jsonFormat) name() string { return "json" + with(f.proba) }

func (f jsonFormat) encode(u *unit) error {
	b := bytes.NewBuffer(u.out.bytes[:0])
	enc := json.NewEncoder(b)
	enc.SetIndent("  ", "  ")
	for i, label := range u.labels {
		p := prediction{Class: f.names[label]}
		if f.proba {
			p.Proba = make(map[string]float64, len(f.names))
			for c, name := range f.names {
				p.Proba[name] = u.values.At(i, c)
			}
		}
		if i > 0 {
			b.WriteString(",\n  ")
		}
		if err := enc.Encode(p); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the line end
	}
	u.out.bytes = b.Bytes()
	return nil
}

func (f jsonFormat) open(w *countingWriter, written []entry) (sink, error) {
	return &textSink{w: w, head: "[\n  ", between: ",\n  ", tail: "\n]\n", begun: rowsIn(written) > 0}, nil
}

// parquetFormat writes a row group for each unit, of the same columns as a CSV file.
type parquetFormat struct{ layout parquet.Layout }

func (f parquetFormat) name() string { return "parquet" + with(len(f.layout.Numbers) > 0) }

func (f parquetFormat) encode(u *unit) error {
	g, err := f.layout.Encode(parquet.Group{Bytes: u.out.bytes}, u.values, u.classes)
	u.out.bytes, u.out.meta = g.Bytes, g.Meta
	return err
}

func (f parquetFormat) open(w *countingWriter, written []entry) (sink, error) {
	if len(written) == 0 {
		p, err := parquet.NewWriter(w, f.layout)
		return groups{p}, err
	}
	var meta [][]byte
	for _, e := range written {
		if len(e.Meta) > 0 {
			meta = append(meta, e.Meta)
		}
	}
	p, err := parquet.ResumeWriter(w, f.layout, meta)
	if err == nil && p.Offset() != w.n {
		err = errors.New("its journal tells of another file")
	}
	return groups{p}, err
}

// groups is a Parquet file being written.
type groups struct{ *parquet.Writer }

func (g groups) write(u *unit) error {
	if len(u.labels) == 0 {
		return nil
	}
	return g.Append(parquet.Group{Rows: len(u.labels), Bytes: u.out.bytes, Meta: u.out.meta})
}

func (g groups) close() error { return g.Writer.Close() }

// rowsIn is the number of rows of an output.
func rowsIn(written []entry) int64 {
	if len(written) == 0 {
		return 0
	}
	return written[len(written)-1].Rows
}

func with(proba bool) string {
	if proba {
		return " with probabilities"
	}
	return ""
}
