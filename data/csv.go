package data

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/words"
)

// classColumn is the header of the class column.
const classColumn = "class"

// ReadSet reads a set in the CSV format described in the package comment. A missing cell or a cell
// that is not a finite number is an error that errors.As finds as a *mpcvm.CellError. A set with a
// single class can be read; use [Set.CheckTrainable] before training. The name is used in errors.
//
// Package tables reads other files: other separators, missing values, categories, Excel, Parquet.
func ReadSet(r io.Reader, name string) (*Set, error) {
	text := bufio.NewReader(r)
	if start, _ := text.Peek(3); string(start) == "\ufeff" { // a byte order mark
		_, _ = text.Discard(3)
	}
	in := csv.NewReader(text)
	in.FieldsPerRecord = -1 // checked below, so that the error names the line
	in.TrimLeadingSpace = true
	in.ReuseRecord = true
	header, err := nextRecord(in, name)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: name}
	class := -1
	for i, text := range header {
		if text == classColumn && class < 0 {
			class = i
			continue
		}
		s.Features = append(s.Features, strings.Clone(text))
	}
	width := len(header)
	line, _ := in.FieldPos(0)
	switch i, err := badName(header); {
	case width > cell.MaxCells:
		return nil, &cell.Error{Package: "data", Name: name, Line: line, Err: cell.ErrTooWide}
	case err != nil:
		return nil, &cell.Error{Package: "data", Name: name, Line: line, Column: i + 1, Value: header[i], Err: err}
	case class < 0:
		return nil, &cell.Error{Package: "data", Name: name, Line: line, Err: fmt.Errorf("%w; there are %s",
			cell.ErrNoClassColumn, cell.Shorten(words.List(header, 20)))}
	case len(s.Features) == 0:
		return nil, &cell.Error{Package: "data", Name: name, Line: line, Err: cell.ErrNoFeatures}
	}
	var values []float64
	var classes []string         // of each sample
	known := map[string]string{} // each class once
	for {
		record, err := nextRecord(in, name)
		if errors.Is(err, ErrEmpty) && classes != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		if len(record) != width {
			return nil, &cell.Error{Package: "data", Name: name, Line: line, Err: fmt.Errorf(
				"%w: %d, the header has %d", ErrRagged, len(record), width)}
		}
		d := 0
		for i, text := range record {
			fail := func(err error) error {
				e := &cell.Error{Package: "data", Name: name, Line: line, Column: i + 1, Header: classColumn,
					Value: text, Err: err}
				if i != class {
					e.Header = s.Features[d]
				}
				return e
			}
			switch {
			case text == "":
				return nil, fail(ErrMissing)
			case i != class:
				v, err := strconv.ParseFloat(text, 64)
				if err != nil && !errors.Is(err, strconv.ErrRange) {
					return nil, fail(ErrNotNumber)
				}
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, fail(cell.ErrNotFinite)
				}
				values = append(values, v)
				d++
				continue
			case !utf8.ValidString(text):
				return nil, fail(errors.New("class is not UTF-8"))
			}
			if known[text] == "" {
				if len(known) == cell.MaxClasses {
					return nil, fail(errTooManyClasses)
				}
				text = strings.Clone(text)
				known[text] = text
			}
			classes = append(classes, known[text])
		}
	}
	s.T, s.Classes = Labels(classes)
	s.X = mat.NewDense(len(s.T), len(s.Features), values)
	return s, nil
}

// nextRecord returns the cells of the next line that is not blank, without surrounding spaces. The
// error is a *cell.Error; at the end of the text it wraps ErrEmpty.
func nextRecord(in *csv.Reader, name string) ([]string, error) {
	for {
		record, err := in.Read()
		if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, &cell.Error{Package: "data", Name: name, Line: syntax.Line, Err: syntax.Err}
		}
		if err == io.EOF {
			err = ErrEmpty
		}
		if err != nil {
			return nil, &cell.Error{Package: "data", Name: name, Err: err}
		}
		for i, text := range record {
			record[i] = trimmed(text)
		}
		if len(record) > 1 || record[0] != "" {
			return record, nil
		}
	}
}

func trimmed(text string) string { return strings.TrimFunc(text, cell.Blank) }
