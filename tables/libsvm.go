package tables

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/tables/internal/columns"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Bounds of the dense columns of a file in the format of LIBSVM.
const (
	maxSparse      = 1 << 14 // columns
	maxSparseCells = 1 << 28
)

// libsvm is a file in the format of LIBSVM and SVMlight. A row has its class, and the features that are not
// 0 by their numbers:
//
//	+1 qid:3 1:0.43 7:-0.12 # a comment
type libsvm struct {
	*text
	b        *columns.Builder
	from, to int  // numbers of the features, to excluded
	query    bool // there is a qid
	rows     int
	cells    [][]byte
	decoding []string // notes about the encoding
}

// isLIBSVM reports whether all lines of the start of a text are rows of LIBSVM, with at least one feature.
func isLIBSVM(start []byte, whole bool) bool {
	rows, features := 0, 0
	for line := range bytes.Lines(start) {
		if !whole && line[len(line)-1] != '\n' || rows == 100 {
			break
		}
		fields := sparseFields(line)
		if len(fields) == 0 {
			continue
		}
		if bytes.IndexByte(fields[0], ':') >= 0 {
			return false
		}
		if _, err := strconv.ParseFloat(string(fields[0]), 64); err != nil && len(fields) == 1 {
			return false
		}
		for _, field := range fields[1:] {
			number, value, ok := bytes.Cut(field, []byte{':'})
			if _, err := strconv.ParseFloat(string(value), 64); !ok || err != nil {
				return false
			}
			if _, err := strconv.ParseUint(string(number), 10, 31); err != nil && string(number) != "qid" {
				return false
			}
			features++
		}
		rows++
	}
	return rows > 0 && features > 0
}

// sparseFields are the fields of a line, without a comment.
func sparseFields(line []byte) [][]byte {
	line, _, _ = bytes.Cut(line, []byte{'#'})
	return bytes.Fields(line)
}

func (t *text) readLIBSVM(ctx context.Context, o Options) (*table.Table, error) {
	x := &libsvm{text: t, from: math.MaxInt}
	for _, c := range o.Like { // all zeros in these rows, perhaps
		if n, err := strconv.Atoi(strings.TrimPrefix(c.Name, "x")); err == nil && n >= 0 && strings.HasPrefix(c.Name, "x") {
			x.from, x.to = min(x.from, n), max(x.to, n+1)
		}
	}
	if err := x.each(ctx, func(int, []byte, []feature) error { return nil }); err != nil {
		return nil, err
	}
	if x.from = min(x.from, 1); x.to <= x.from {
		return nil, ErrNoFeatures
	}
	if x.to-x.from > maxSparse || x.rows*(x.to-x.from) > maxSparseCells {
		return nil, fmt.Errorf("%w: %d rows of LIBSVM with features up to %d; they are read as dense columns, up to %d columns and %d cells",
			ErrTooLarge, x.rows, x.to-1, maxSparse, maxSparseCells)
	}
	var names []string
	for n := x.from; n < x.to; n++ {
		names = append(names, "x"+strconv.Itoa(n))
	}
	if x.query {
		names = append(names, "qid")
	}
	names = append(names, table.ClassColumn)
	var err error
	if x.b, err = columns.New(x.name, names, o.columns()); err != nil {
		return nil, err
	}
	for i := range names[:x.to-x.from] {
		x.b.Force(i, table.Number)
	}
	if x.query {
		x.b.Force(x.to-x.from, table.ID)
	}
	x.b.Force(len(names)-1, table.Category)
	x.cells = make([][]byte, len(names))
	read, err := gather(x.b, o.Lenient, func() error { return x.each(ctx, x.add) })
	if err != nil {
		return nil, err
	}
	read.Notes, read.Reading = slices.Concat(x.decoding, read.Notes), fmt.Sprintf("LIBSVM, features %d to %d", x.from, x.to-1)
	if name := x.d.Encoding; name != "utf-8" {
		read.Reading += ", " + dialect.Displayed(name)
	}
	if t.gzip {
		read.Reading += ", gzip"
	}
	return read, nil
}

// feature is a cell of a row.
type feature struct {
	number int // −1 for qid
	value  []byte
}

// each calls f with each row, and counts rows and features.
func (x *libsvm) each(ctx context.Context, f func(line int, class []byte, features []feature) error) error {
	s, err := x.lines(ctx, '#')
	if err != nil {
		return err
	}
	x.rows = 0
	var features []feature
	for {
		line, err := s.next()
		if err == io.EOF {
			x.d.Encoding, x.decoding = s.text.Encoding(), s.text.Notes()
			return nil
		}
		if err != nil {
			return err
		}
		fields := sparseFields(line)
		fail := func(value []byte, why string) error {
			return &CellError{Name: x.name, Line: s.line, Value: string(value), Err: fmt.Errorf("LIBSVM: %s", why)}
		}
		features = features[:0]
		last := -1
		for _, field := range fields[1:] {
			number, value, ok := bytes.Cut(field, []byte{':'})
			if string(number) == "qid" {
				x.query = true
				features = append(features, feature{-1, value})
				continue
			}
			n, err := strconv.ParseUint(string(number), 10, 31)
			if !ok || err != nil {
				return fail(field, "want NUMBER:VALUE")
			}
			if int(n) <= last {
				return fail(field, "the features of a row must ascend")
			}
			if _, err := strconv.ParseFloat(string(value), 64); err != nil {
				return fail(field, "the value is not a number")
			}
			last = int(n)
			x.from, x.to = min(x.from, last), max(x.to, last+1)
			features = append(features, feature{last, value})
		}
		x.rows++
		if err := f(s.line, fields[0], features); err != nil {
			return err
		}
	}
}

// add adds a row to the builder.
func (x *libsvm) add(line int, class []byte, features []feature) error {
	zero := []byte{'0'}
	for i := range x.cells {
		x.cells[i] = zero
	}
	x.cells[len(x.cells)-1] = class
	if x.query {
		x.cells[x.to-x.from] = nil
	}
	for _, f := range features {
		if f.number < 0 {
			x.cells[x.to-x.from] = f.value
		} else {
			x.cells[f.number-x.from] = f.value
		}
	}
	if err := x.b.Add(x.cells, line); err != nil {
		return err
	}
	if x.b.Rows() == settleRows {
		x.b.Settle(x.rows)
	}
	return nil
}
