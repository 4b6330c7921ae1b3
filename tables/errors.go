package tables

import (
	"errors"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
)

// CellError describes what is wrong with a cell, a row, a column or a whole table. Use errors.As to get
// it. Lines, rows and columns count from 1; 0 means that the fault has no such place.
type CellError struct {
	Package string // that found the fault; "tables" if empty
	Name    string // of the file; "" if it has none
	Line    int    // of a text
	Row     int64  // of a file without lines, such as Parquet, or of a table
	Column  int
	Header  string // name of the column; "" if it is not known
	Value   any    // the offending text or number; nil or "" if there is none
	Err     error  // the cause: one of those below, or an error of the reader
}

// Error returns the place, the cause and the value as a text.
func (e *CellError) Error() string { return (*cell.Error)(e).Error() }

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }

// As lets errors.As find errors of this kind under any of their types.
func (e *CellError) As(target any) bool { return cell.As(e, target) }

// Ambiguous is the error of Open for a text that has two equally good readings. It names the option that
// decides between them.
type Ambiguous = dialect.Ambiguous

// Causes of errors of Open, for errors.Is.
var (
	ErrEmpty      = cell.ErrEmpty
	ErrNoFeatures = cell.ErrNoFeatures
	ErrHeader     = cell.ErrHeader
	ErrRagged     = cell.ErrRagged
	ErrTooWide    = cell.ErrTooWide
	ErrTooLarge   = errors.New("exceeds the limit")
)
