// Package workbook is the interface between package tables and a library that reads Excel files.
//
// The library is imported by [github.com/mpcvm/mpcvm/tables/internal/workbook/excel]. It increases the size
// of a program in the browser by half, so only programs that read Excel files import that package.
package workbook

import (
	"io"
	"time"
)

// Open reads an Excel file. It is nil if package excel is not imported.
var Open func(io.Reader) (Book, error)

// Book is an Excel file.
type Book interface {
	// Sheets returns the names of the sheets in their order.
	Sheets() []string
	// Rows reads the rows of a sheet.
	Rows(sheet string) (Rows, error)
	// Time returns the date that a number represents.
	Time(number float64) (time.Time, error)
	// Close releases the resources of the book.
	Close() error
}

// Rows reads a sheet row by row. Call Next and then Columns once for each row.
type Rows interface {
	Next() bool
	// Columns returns the cells of a row as they are stored (raw) or as Excel shows them.
	Columns(raw bool) ([]string, error)
	// Error returns the error that ended the iteration, if any.
	Error() error
	Close() error
}
