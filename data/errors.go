package data

import (
	"errors"
	"fmt"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// CellError says what is wrong with a cell, a row, a column or a whole table. Its fields
// are Name (of the set or file), Line (of a CSV text), Row (of a Parquet file), Column,
// Header (the name of the column), Value (the offending text) and Err (the cause, one of
// those below or an error of the reader). Lines, rows and columns count from 1; 0 means
// that the fault has no such place.
type CellError = cell.Error

// Causes of a CellError, for errors.Is.
var (
	ErrEmpty           = cell.ErrEmpty
	ErrNoClassColumn   = cell.ErrNoClassColumn
	ErrNoFeatures      = cell.ErrNoFeatures
	ErrBlankHeader     = cell.ErrBlankHeader
	ErrDuplicateHeader = cell.ErrDuplicateHeader
	ErrLineBreak       = cell.ErrLineBreak
	ErrNotUTF8         = cell.ErrNotUTF8
	ErrHeader          = cell.ErrHeader
	ErrRagged          = cell.ErrRagged
	ErrMissing         = cell.ErrMissing
	ErrNotNumber       = cell.ErrNotNumber
	ErrNotFinite       = cell.ErrNotFinite
	ErrTooWide         = cell.ErrTooWide
	ErrUnknownClass    = cell.ErrUnknownClass
	ErrTooManyClasses  = fmt.Errorf("more than %d classes", cell.MaxClasses)
	ErrRowRange        = errors.New("row outside the data")
	ErrDuplicateRow    = errors.New("row listed twice")
	ErrTooManyParts    = fmt.Errorf("more than %d partitions", cell.MaxPartitions)
	ErrNoTestRows      = errors.New("no row left for the test")
)
