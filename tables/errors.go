package tables

import (
	"errors"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
)

// CellError describes what is wrong with a cell, a row, a column or a whole table. Use errors.As to get
// it. Lines, rows and columns count from 1; 0 means that the position is unknown or does not apply.
type CellError struct {
	Package string // the package that reports the error; "tables" if empty
	Name    string // name of the file, if it has one
	Line    int    // line of a text file
	Row     int64  // row of a table, or of a file without lines, such as Parquet
	Column  int
	Header  string // name of the column, if known
	Value   any    // the offending text or number; nil or "" if there is none
	Err     error  // the cause, such as ErrRagged, or an error of the reader
}

// Error returns a message with the position, the cause and the value.
func (e *CellError) Error() string { return (*cell.Error)(e).Error() }

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }

// As lets errors.As convert between the types that represent this error.
func (e *CellError) As(target any) bool { return cell.As(e, target) }

// Ambiguous is the error of Open for a text file that can be read equally well in two ways. Its Option
// decides between them, and Value is the value of the option in the better reading.
type Ambiguous = dialect.Ambiguous

// Errors that Open returns, for use with errors.Is.
var (
	ErrEmpty      = cell.ErrEmpty
	ErrNoFeatures = cell.ErrNoFeatures
	ErrHeader     = cell.ErrHeader
	ErrRagged     = cell.ErrRagged
	ErrTooWide    = cell.ErrTooWide
	ErrTooLarge   = errors.New("exceeds the limit")
)
