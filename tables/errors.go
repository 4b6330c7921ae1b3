package tables

import (
	"errors"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
)

// CellError describes what is wrong with a cell, a row, a column or a whole table. Use errors.As to get it.
// Lines, rows and columns count from 1; 0 means that the position is unknown or does not apply. Row is also
// the row of a file without lines, such as Parquet.
type CellError = mpcvm.CellError

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
