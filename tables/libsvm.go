package tables

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// A file in the format of LIBSVM is read as dense columns, up to these limits.
const (
	maxSparse      = 1 << 14 // columns
	maxSparseCells = 1 << 28
)

// libsvm is a file in the format of LIBSVM and SVMlight. A row has a class and the nonzero features with
// their numbers:
//
//	+1 qid:3 1:0.43 7:-0.12 # a comment
type libsvm struct {
	*text
	in       *textLines
	from, to int       // range of the feature numbers, excluding to
	query    bool      // rows have a qid
	rows     int       // of the file
	features []feature // of the current row
	cells    [][]byte
}

// isLIBSVM reports whether the first lines of a text are in the format of LIBSVM, with at least one feature.
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

func sparseFields(line []byte) [][]byte {
	line, _, _ = bytes.Cut(line, []byte{'#'})
	return bytes.Fields(line)
}

func (t *text) readLIBSVM(ctx context.Context, o Options) (*table.Table, error) {
	x := &libsvm{text: t, from: math.MaxInt}
	for _, c := range o.Like { // features that may be zero in all rows
		if n, err := strconv.Atoi(strings.TrimPrefix(c.Name, "x")); err == nil && n >= 0 &&
			strings.HasPrefix(c.Name, "x") {
			x.from, x.to = min(x.from, n), max(x.to, n+1)
		}
	}
	var err error
	if x.in, err = t.lines(ctx, '#'); err != nil {
		return nil, err
	}
	for ; err == nil; x.rows++ {
		_, _, err = x.row()
	}
	if x.rows--; err != io.EOF {
		return nil, err
	}
	if x.from = min(x.from, 1); x.to <= x.from {
		return nil, ErrNoFeatures
	}
	if x.to-x.from > maxSparse || x.rows*(x.to-x.from) > maxSparseCells {
		return nil, table.Finding{Code: texts.LargeSparse, N: x.rows, Of: x.to - 1, Cause: ErrTooLarge,
			Texts: []string{strconv.Itoa(maxSparse), strconv.Itoa(maxSparseCells)}}
	}
	var names []string
	for n := x.from; n < x.to; n++ {
		names = append(names, "x"+strconv.Itoa(n))
	}
	if x.query {
		names = append(names, "qid")
	}
	names = append(names, table.ClassColumn)
	plan, err := detect.New(detect.Source{File: x.name, Columns: names}, o)
	if err != nil {
		return nil, err
	}
	for i := range names[:x.to-x.from] {
		plan.Declare(i, table.Number)
	}
	if x.query {
		plan.Declare(x.to-x.from, table.ID)
	}
	plan.Declare(len(names)-1, table.Category)
	x.cells = make([][]byte, len(names))
	read, err := plan.Read(func() (detect.Rows, error) {
		x.in, err = t.lines(ctx, '#')
		return x, err
	}, o.Lenient)
	if err != nil {
		return nil, err
	}
	x.in.describe(read, fmt.Sprintf("LIBSVM, features %d to %d", x.from, x.to-1))
	return read, nil
}

type feature struct {
	number int // −1 for qid
	value  []byte
}

func (x *libsvm) row() ([]byte, []feature, error) {
	line, err := x.in.next()
	if err != nil {
		return nil, nil, err
	}
	fields := sparseFields(line)
	fail := func(value []byte, code table.Code) error {
		return &cell.Error{Name: x.name, Line: x.in.line, Value: string(value), Err: table.Finding{Code: code}}
	}
	features, last := x.features[:0], -1
	for _, field := range fields[1:] {
		number, value, ok := bytes.Cut(field, []byte{':'})
		if string(number) == "qid" {
			x.query = true
			features = append(features, feature{-1, value})
			continue
		}
		n, err := strconv.ParseUint(string(number), 10, 31)
		if _, err2 := strconv.ParseFloat(string(value), 64); !ok || err != nil || err2 != nil {
			return nil, nil, fail(field, texts.SparseField)
		}
		if int(n) <= last {
			return nil, nil, fail(field, texts.SparseOrder)
		}
		last = int(n)
		x.from, x.to = min(x.from, last), max(x.to, last+1)
		features = append(features, feature{last, value})
	}
	x.features = features
	return fields[0], features, nil
}

// Next returns the cells of the next row; see detect.Rows.
func (x *libsvm) Next() ([][]byte, int, error) {
	class, features, err := x.row()
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
	return x.cells, x.in.line, err
}

// Estimate returns the number of rows.
func (x *libsvm) Estimate() int { return x.rows }
