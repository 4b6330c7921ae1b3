package data

import (
	"fmt"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// CellError describes a fault in a cell, a row, a column or a whole table. Use errors.As to get it.
// Lines, rows and columns count from 1 and are 0 if they do not apply.
type CellError struct {
	Package string // package that found the fault; "data" if empty
	Name    string // name of the set or the file, if any
	Line    int    // line of a text file
	Row     int64  // row of a matrix or of a file without lines, such as Parquet
	Column  int
	Header  string // name of the column; "" if not known
	Value   any    // the offending text or number; nil or "" if none
	Err     error  // the cause: a sentinel error below, or an error of the reader
}

// Error returns the position, the cause and the value as text.
func (e *CellError) Error() string { return e.named().Error() }

// named returns the error with the name of its package.
func (e *CellError) named() *cell.Error {
	named := cell.Error(*e)
	if named.Package == "" {
		named.Package = "data"
	}
	return &named
}

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }

// As lets errors.As convert the error to any type with the same fields, such as *mpcvm.CellError.
func (e *CellError) As(target any) bool { return cell.As(e.named(), target) }

// Causes of a CellError, for use with errors.Is.
var (
	ErrEmpty          = cell.ErrEmpty
	ErrRagged         = cell.ErrRagged
	ErrMissing        = cell.ErrMissing
	ErrNotNumber      = cell.ErrNotNumber
	errTooManyClasses = fmt.Errorf("more than %d classes", cell.MaxClasses)
)
