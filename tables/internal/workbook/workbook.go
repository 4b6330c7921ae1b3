// Package workbook is what package tables needs of a library that reads Excel files.
//
// The library is in [github.com/mpcvm/mpcvm/tables/internal/workbook/excel], which a program imports to have
// it. It makes a program in a browser half as large again, so there only programs import it that need it.
package workbook

import (
	"errors"
	"io"
	"time"
)

// ErrPassword is the error of Open for a locked file.
var ErrPassword = errors.New("the file is locked by a password: save it without one")

// Open reads an Excel file. It is nil in a program without the library.
var Open func(io.Reader) (Book, error)

// Book is an Excel file.
type Book interface {
	// Sheets returns the names of the sheets in their order.
	Sheets() []string
	// Rows reads the rows of a sheet.
	Rows(sheet string) (Rows, error)
	// Time is the date that a number stands for.
	Time(number float64) (time.Time, error)
	// Close frees what the book holds.
	Close() error
}

// Rows reads a sheet row by row: Next, and then Columns once, for each.
type Rows interface {
	Next() bool
	// Columns returns the cells of a row as they are stored (raw) or as Excel shows them.
	Columns(raw bool) ([]string, error)
	// Error is the error that ended the rows.
	Error() error
	Close() error
}
