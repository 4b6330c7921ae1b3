// Package table reads tables of samples from CSV text, whole or in batches. Its errors
// name the cell. Package data says what the CSV form is.
package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// ClassColumn is the name of the column of the classes.
const ClassColumn = "class"

const byteOrderMark = '\uFEFF'

// Table is a CSV text that is being read: the header, then record after record. It knows
// the line, so that every error can name it.
type Table struct {
	Header []string
	name   string
	csv    *csv.Reader
	hint   string // what may be wrong with the header
	size   extent
	before int // lines before the text, if it is a part of one
}

// Open reads and checks the header. The name is for errors, which are *cell.Errors.
func Open(r io.Reader, name string) (*Table, error) {
	size, err := measure(r)
	if err != nil {
		return nil, &cell.Error{Name: name, Err: err}
	}
	text := SkipMark(&cellLimit{r: r})
	hint, err := separatorHint(text)
	if err != nil {
		return nil, &cell.Error{Name: name, Err: err}
	}
	t := &Table{name: name, csv: newCSV(text), hint: hint, size: size}
	cells, err := t.Next()
	if err == io.EOF {
		return nil, &cell.Error{Name: name, Err: cell.ErrEmpty}
	}
	if err != nil {
		return nil, err
	}
	if i, err := BadName(cells); err != nil {
		return nil, t.FailHeader(i+1, cells[i], err)
	}
	t.Header = slices.Clone(cells)
	return t, nil
}

// ReadFeatures is data.ReadFeatures.
func ReadFeatures(r io.Reader, name string, features []string) (x *mat.Dense, classes []string, err error) {
	t, err := Open(r, name)
	if err != nil {
		return nil, nil, err
	}
	features, columns, class, err := t.samples(features)
	if err != nil {
		return nil, nil, err
	}
	d, rows := len(features), t.MaxRows()
	values := make([]float64, 0, rows*d)
	if class >= 0 {
		classes = make([]string, 0, rows)
	}
	values, classes, err = t.rest(values, columns, classes, class, strings.Clone) // a clone, not to keep the whole line
	if err != nil {
		return nil, nil, err
	}
	if len(values) == 0 {
		return nil, nil, &cell.Error{Name: name, Err: cell.ErrEmpty}
	}
	return mat.NewDense(len(values)/d, d, values), classes, nil
}

// rest appends the numbers in the given columns of all records that follow, and the texts
// in the column class unless it is −1, each as text makes it.
func (t *Table) rest(values []float64, columns []int, classes []string, class int, text func(string) string) ([]float64, []string, error) {
	for {
		cells, err := t.Next()
		if err == io.EOF {
			return values, classes, nil
		}
		if err == nil {
			values, err = t.AppendNumbers(values, cells, columns)
		}
		if err != nil {
			return nil, nil, err
		}
		if class >= 0 {
			classes = append(classes, text(cells[class]))
		}
	}
}

// Next returns the cells of the next record without the spaces around them. The slice is
// valid until the next call. After the last record the error is io.EOF.
func (t *Table) Next() ([]string, error) {
	for {
		cells, err := t.csv.Read()
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			return nil, t.failReading(err)
		}
		for i := range cells {
			cells[i] = Clean(cells[i])
		}
		if len(cells) == 1 && cells[0] == "" && len(t.Header) > 1 {
			continue // a line of nothing but spaces
		}
		if t.Header != nil && len(cells) != len(t.Header) {
			return nil, t.Fail(0, "", fmt.Errorf("%w: %d, the header has %d", cell.ErrRagged, len(cells), len(t.Header)))
		}
		return cells, nil
	}
}

// AppendNumbers appends the numbers in the given columns, from 0, of the record.
func (t *Table) AppendNumbers(dst []float64, cells []string, columns []int) ([]float64, error) {
	for _, i := range columns {
		v, err := parseNumber(cells[i])
		if err != nil {
			return nil, t.Fail(i+1, cells[i], err)
		}
		dst = append(dst, v)
	}
	return dst, nil
}

func parseNumber(text string) (float64, error) {
	if text == "" {
		return 0, cell.ErrMissing
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0): // spelled out, or too large
		return 0, cell.ErrNotFinite
	case err != nil || strings.Contains(text, "_"):
		return 0, cell.ErrNotNumber
	}
	return v, nil
}

// Find returns the columns, from 0, of the names, which must be those of the header in any
// order.
func (t *Table) Find(names []string) ([]int, error) {
	place := make(map[string]int, len(t.Header))
	for i, name := range t.Header {
		place[name] = i
	}
	columns, wanted := make([]int, len(names)), make([]bool, len(t.Header))
	for i, name := range names {
		column, found := place[name]
		if !found {
			return nil, t.FailHeader(0, "", fmt.Errorf("%w: no column %q", cell.ErrHeader, cell.Shorten(name)))
		}
		columns[i], wanted[column] = column, true
	}
	if i := slices.Index(wanted, false); i >= 0 {
		return nil, t.Fail(i+1, t.Header[i], fmt.Errorf("%w: want only %s", cell.ErrHeader, cell.Shorten(strings.Join(names, ", "))))
	}
	return columns, nil
}

// Fail returns an error for a column, from 1, of the current record; 0 is the record.
func (t *Table) Fail(column int, value string, err error) error {
	line, _ := t.csv.FieldPos(max(column-1, 0))
	e := &cell.Error{Name: t.name, Line: t.before + line, Column: column, Value: strings.Clone(value), Err: err} // a clone, not to keep the whole line
	if column > 0 && column <= len(t.Header) && t.Header[column-1] != value {
		e.Header = t.Header[column-1]
	}
	return e
}

// FailHeader is Fail with a hint, if there is one, on what may be wrong with the header.
func (t *Table) FailHeader(column int, value string, err error) error {
	return t.Fail(column, value, t.hinted(err))
}

// hinted adds the hint to an error of the header.
func (t *Table) hinted(err error) error {
	if t.hint == "" {
		return err
	}
	return fmt.Errorf("%w %s", err, t.hint)
}

// failReading makes a *cell.Error of an error of the CSV reader or of the reader below it.
func (t *Table) failReading(err error) error {
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		err = parse.Err
		if t.Header == nil {
			err = t.hinted(err)
		}
		return &cell.Error{Name: t.name, Line: t.before + parse.Line, Err: err}
	}
	if wide, ok := errors.AsType[*cell.Error](err); ok {
		return &cell.Error{Name: t.name, Line: t.before + wide.Line, Err: wide.Err}
	}
	return &cell.Error{Name: t.name, Err: err}
}

// MaxRows is an upper bound of the records that the text holds if its size is known, and
// otherwise 1: each cell takes two bytes, but the last of a record may take one.
func (t *Table) MaxRows() int {
	return 1 + min(t.size.lines, t.size.bytes/(2*len(t.Header)-1))
}

// extent is the size of a text; zero if that is not known.
type extent struct{ bytes, lines int }

// measure counts what there is to read, if r can be read twice. Then the numbers fit into
// slices of the right size, which need not grow and be copied.
func measure(r io.Reader) (extent, error) {
	var e extent
	again, ok := r.(io.ReadSeeker)
	if !ok {
		return e, nil
	}
	if f, isFile := r.(*os.File); isFile {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return e, nil // a pipe, or something without end
		}
	}
	start, err := again.Seek(0, io.SeekCurrent)
	if err != nil {
		return e, nil // it cannot seek, although it has the method
	}
	block := make([]byte, 1<<16)
	for {
		n, err := again.Read(block)
		e.bytes += n
		e.lines += bytes.Count(block[:n], []byte{'\n'})
		if err == io.EOF {
			_, err = again.Seek(start, io.SeekStart)
			return e, err
		}
		if err != nil {
			return e, err
		}
	}
}

// cellLimit refuses a record of more than cell.MaxCells cells before the CSV reader sees it.
type cellLimit struct {
	r             io.Reader
	lines, commas int  // the commas of this record
	quoted        bool // a line break is part of a cell
}

func (t *cellLimit) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	for i, b := range p[:n] {
		switch b {
		case ',':
			if t.commas++; t.commas >= cell.MaxCells {
				return i, &cell.Error{Line: t.lines + 1, Err: cell.ErrTooWide}
			}
		case '"':
			t.quoted = !t.quoted
		case '\n':
			t.lines++
			if !t.quoted {
				t.commas = 0
			}
		}
	}
	return n, err
}

// SkipMark drops a byte order mark.
func SkipMark(r io.Reader) *bufio.Reader {
	b := bufio.NewReader(r)
	if first, _, err := b.ReadRune(); err == nil && first != byteOrderMark {
		_ = b.UnreadRune() // cannot fail right after ReadRune
	}
	return b
}

// separatorHint returns a hint if the first line seems to be separated by semicolons or
// tabs.
func separatorHint(b *bufio.Reader) (string, error) {
	text, err := b.Peek(b.Size())
	if err != nil && err != io.EOF {
		return "", err // the reader may not return it again
	}
	line, _, _ := strings.Cut(strings.TrimLeftFunc(string(text), unicode.IsSpace), "\n")
	for _, r := range ";\t" {
		if strings.ContainsRune(line, r) && !strings.Contains(line, ",") {
			return fmt.Sprintf("(is it separated by %q?)", r), nil
		}
	}
	return "", nil
}

// Clean drops white space and byte order marks around a text.
func Clean(text string) string { return strings.TrimFunc(text, IsSpace) }

// IsSpace reports whether Clean drops r.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r == byteOrderMark }

// BadName returns the first name that could not be read back from a CSV text, and why; the
// error is nil if there is none.
func BadName(names []string) (int, error) {
	seen := make(map[string]bool, len(names))
	for i, name := range names {
		switch {
		case !utf8.ValidString(name):
			return i, cell.ErrNotUTF8
		case Clean(name) == "":
			return i, cell.ErrBlankHeader
		case Clean(name) != name:
			return i, errors.New("spaces around a name")
		case strings.ContainsAny(name, "\r\n"):
			return i, cell.ErrLineBreak
		case seen[name]:
			return i, cell.ErrDuplicateHeader
		}
		seen[name] = true
	}
	return 0, nil
}

func newCSV(r io.Reader) *csv.Reader {
	reader := csv.NewReader(r)
	reader.FieldsPerRecord = -1 // Next counts the cells itself, for a better error
	reader.TrimLeadingSpace = true
	reader.ReuseRecord = true
	return reader
}

// samples finds the columns of samples to be predicted. Without features all columns but
// the class are features. The column class is −1 if there is none.
func (t *Table) samples(features []string) (names []string, columns []int, class int, err error) {
	class = -1
	if !slices.Contains(features, ClassColumn) {
		class = slices.Index(t.Header, ClassColumn)
	}
	if features == nil {
		features = slices.Clone(t.Header)
		if class >= 0 {
			features = slices.Delete(features, class, class+1)
		}
	}
	if len(features) == 0 {
		return nil, nil, 0, t.Fail(0, "", cell.ErrNoFeatures)
	}
	want := slices.Clone(features)
	if class >= 0 {
		want = append(want, ClassColumn)
	}
	columns, err = t.Find(want)
	if err != nil {
		return nil, nil, 0, err
	}
	return slices.Clone(features), columns[:len(features)], class, nil
}
