// Package cell defines the error for faults in tables of samples, whether read from a file or given
// as a matrix.
package cell

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Limits far beyond real data. They protect against hostile input, because each item takes far more
// memory than its two bytes of text.
const (
	MaxCells   = 1 << 18 // in a line
	MaxClasses = 1 << 18 // in a set
)

// Causes of an Error, for use with errors.Is. Package data exports them.
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

// Error describes a fault in a cell, a row, a column or a whole table. Lines, rows and columns count
// from 1; 0 means that the fault does not have one.
type Error struct {
	Package string // package that found the fault; "tables" if empty
	Name    string // name of the set or the file, if any
	Line    int    // line of a CSV text
	Row     int64  // row of a matrix or a Parquet file, which have no lines
	Column  int
	Header  string // name of the column; "" if not known
	Value   any    // the offending text or number; nil or "" if none
	Err     error  // the cause
}

// New returns an error about a matrix of samples. Here row and column count from 0, and −1 means
// none. value is the offending number.
func New(pkg string, row, column int, value float64, reason string) *Error {
	return &Error{Package: pkg, Row: int64(row) + 1, Column: column + 1, Value: value, Err: errors.New(reason)}
}

// Error returns the position, the cause and the value:
//
//	tables: iris.csv: line 3, column 2 (petal width): not a number: "x"
//	mpcvm: row 3, column 2 (petal width): feature is not finite: NaN
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(cmp.Or(e.Package, "tables"))
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
// *mpcvm.CellError.
func (e *Error) As(target any) bool {
	named := *e
	named.Package = cmp.Or(e.Package, "tables")
	return As(&named, target)
}

// As implements the method As of an internal error whose fields are duplicated in public types,
// where they are documented.
func As(err error, target any) bool {
	from, to := reflect.ValueOf(err), reflect.ValueOf(target).Elem()
	if to.Kind() != reflect.Pointer || !from.CanConvert(to.Type()) {
		return false
	}
	to.Set(from.Convert(to.Type()))
	return true
}

// Shorten truncates a text to 60 characters, so that a message fits on one line.
func Shorten(s string) string { return Cut(s, 60) }

// Cut truncates a text to the given number of characters, the last of which is then "…".
func Cut(s string, most int) string {
	n, cut := 0, 0
	for i := range s { // stops early: the text may be as long as a file
		switch n++; n {
		case most:
			cut = i
		case most + 1:
			return s[:cut] + "…"
		}
	}
	return s
}

// Blank reports whether a character around a cell is ignored.
func Blank(r rune) bool { return unicode.IsSpace(r) || r == 0 || r == '\uFEFF' }
