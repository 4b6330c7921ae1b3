package data

import (
	"errors"
	"fmt"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// CellError describes what is wrong with a cell, a row, a column or a whole table. Use errors.As to get
// it. Lines, rows and columns count from 1; 0 means that the fault has no such place.
type CellError struct {
	Package string // that found the fault; "data" if empty
	Name    string // of the set or the file; "" if it has none
	Line    int    // of a text
	Row     int64  // of a file without lines, such as Parquet, or of a matrix
	Column  int
	Header  string // name of the column; "" if it is not known
	Value   any    // the offending text or number; nil or "" if there is none
	Err     error  // the cause: one of those below, or an error of the reader
}

// Error returns the place, the cause and the value as a text.
func (e *CellError) Error() string { return e.named().Error() }

// named is the error with its package.
func (e *CellError) named() *cell.Error {
	named := cell.Error(*e)
	if named.Package == "" {
		named.Package = "data"
	}
	return &named
}

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }

// As lets errors.As find errors of this kind under any of their types.
func (e *CellError) As(target any) bool { return cell.As(e.named(), target) }

// Causes of a CellError, for errors.Is.
var (
	ErrEmpty          = cell.ErrEmpty
	ErrRagged         = cell.ErrRagged
	ErrMissing        = cell.ErrMissing
	ErrNotNumber      = cell.ErrNotNumber
	errTooManyClasses = fmt.Errorf("more than %d classes", cell.MaxClasses)
	errRowRange       = errors.New("row outside the data")
	errDuplicateRow   = errors.New("row listed twice")
	errTooManyParts   = fmt.Errorf("more than %d partitions", cell.MaxPartitions)
	errNoTestRows     = errors.New("no row left for the test")
)
