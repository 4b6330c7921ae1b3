// Package cell has the one error for a place in tables of samples, whether they are read
// from a file or given as a matrix.
package cell

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Bounds that no data come near and that a hostile text may not exceed, as each item takes
// far more memory than its two bytes in the text.
const (
	MaxCells      = 1 << 18 // of a line
	MaxClasses    = 1 << 18 // of a set
	MaxPartitions = 1 << 19 // of a file
)

// Causes of an Error, for errors.Is. Package data exports them.
var (
	ErrEmpty           = errors.New("no samples")
	ErrNoClassColumn   = errors.New(`no column "class"`)
	ErrNoFeatures      = errors.New("no feature columns")
	ErrBlankHeader     = errors.New("blank name")
	ErrDuplicateHeader = errors.New("name used twice")
	ErrLineBreak       = errors.New("line break in a name")
	ErrNotUTF8         = errors.New("name is not UTF-8")
	ErrHeader          = errors.New("header differs from the expected one")
	ErrRagged          = errors.New("wrong number of cells")
	ErrMissing         = errors.New("empty cell (missing value)")
	ErrNotNumber       = errors.New("not a number")
	ErrNotFinite       = errors.New("not a finite number")
	ErrUnknownClass    = errors.New("class unknown in the training data")
	ErrTooWide         = fmt.Errorf("more than %d cells", MaxCells)
)

// Error describes a fault in a cell, a row, a column or a whole table. Lines, rows and
// columns count from 1, columns by cell; 0 means that the fault has no such place.
type Error struct {
	Package string // that found the fault; "tables" if empty
	Name    string // of the set or the file; "" if it has none
	Line    int    // of a CSV text
	Row     int64  // of a matrix or a Parquet file, which have no lines
	Column  int
	Header  string // name of the column; "" if not known
	Value   any    // the offending text or number; nil or "" if there is none
	Err     error  // the cause
}

// New returns the error of a matrix of samples. row and column count from 0 here; −1 means
// none. value is the offending number.
func New(pkg string, row, column int, value float64, reason string) *Error {
	return &Error{Package: pkg, Row: int64(row) + 1, Column: column + 1, Value: value, Err: errors.New(reason)}
}

// Error names the place, the cause and the value:
//
//	tables: iris.csv: line 3, column 2 (petal width): not a number: "x"
//	mpcvm: row 3, column 2 (petal width): feature is not finite: NaN
func (e *Error) Error() string {
	var b strings.Builder
	if e.Package == "" {
		b.WriteString("tables")
	}
	b.WriteString(e.Package)
	if e.Name != "" {
		b.WriteString(": " + e.Name)
	}
	before := ": "
	for _, place := range []struct {
		what   string
		number int64
	}{{"line", int64(e.Line)}, {"row", e.Row}, {"column", int64(e.Column)}} {
		if place.number > 0 {
			fmt.Fprintf(&b, "%s%s %d", before, place.what, place.number)
			before = ", "
		}
	}
	if e.Header != "" {
		fmt.Fprintf(&b, " (%s)", Shorten(e.Header))
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	switch v := e.Value.(type) {
	case nil:
	case string:
		if v != "" {
			fmt.Fprintf(&b, ": %q", Shorten(v))
		}
	default:
		fmt.Fprintf(&b, ": %v", v)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// As sets target to the error if it points to a pointer to a struct with the same fields, such as
// *data.CellError or *mpcvm.CellError.
func (e *Error) As(target any) bool { return As(e, target) }

// As is the method As of an internal error whose fields public types have, so that the fields are
// documented where a caller finds them.
func As(err error, target any) bool {
	from, to := reflect.ValueOf(err), reflect.ValueOf(target).Elem()
	if to.Kind() != reflect.Pointer || !from.CanConvert(to.Type()) {
		return false
	}
	to.Set(from.Convert(to.Type()))
	return true
}

// Shorten cuts a text to 60 characters, so that a message stays on one line.
func Shorten(s string) string { return Cut(s, 60) }

// Cut cuts a text to so many characters. The last of them is then "…".
func Cut(s string, most int) string {
	n, cut := 0, 0
	for i := range s { // not all of it: it may be as long as a file
		switch n++; n {
		case most:
			cut = i
		case most + 1:
			return s[:cut] + "…"
		}
	}
	return s
}

// Blank reports whether a character may stand around a cell without being part of it.
func Blank(r rune) bool { return unicode.IsSpace(r) || r == 0 || r == '\uFEFF' }
