package data

import (
	"errors"
	"fmt"
	"strings"
)

// Causes of a ReadError, for errors.Is.
var (
	ErrEmpty           = errors.New("no samples")
	ErrNoClassColumn   = errors.New(`last column is not named "class"`)
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
	ErrTooWide         = fmt.Errorf("more than %d cells", maxCells)
	ErrTooManyClasses  = fmt.Errorf("more than %d classes", maxClasses)
	ErrRowRange        = errors.New("row outside the data")
	ErrDuplicateRow    = errors.New("row listed twice")
	ErrTooManyParts    = fmt.Errorf("more than %d partitions", maxPartitions)
	ErrNoTestRows      = errors.New("no row left for the test")
)

// ReadError tells where a file could not be read. Lines, rows and columns count from
// 1, columns by cell; 0 means that the whole file, line or row is meant.
type ReadError struct {
	Name   string // of the set
	Line   int    // of a CSV text
	Row    int64  // of a Parquet file, which has no lines
	Column int
	Header string // name of the column
	Value  string // the offending text
	Err    error
}

func (e *ReadError) Error() string {
	var b strings.Builder
	b.WriteString("data: " + e.Name)
	if e.Line > 0 {
		fmt.Fprintf(&b, ": line %d", e.Line)
	}
	if e.Row > 0 {
		fmt.Fprintf(&b, ": row %d", e.Row)
	}
	if e.Column > 0 && e.Line == 0 && e.Row == 0 {
		fmt.Fprintf(&b, ": column %d", e.Column)
	} else if e.Column > 0 {
		fmt.Fprintf(&b, ", column %d", e.Column)
	}
	if e.Header != "" {
		fmt.Fprintf(&b, " (%s)", shorten(e.Header))
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	if e.Value != "" {
		fmt.Fprintf(&b, ": %q", shorten(e.Value))
	}
	return b.String()
}

func (e *ReadError) Unwrap() error { return e.Err }

// shorten keeps a message on one line of reasonable length.
func shorten(s string) string {
	const most = 60
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
