// Package table holds a table in memory, column by column, with the kind of each column. It
// is what tables.Open reads and what tables/recipe turns into samples. It has no operations of a
// data frame.
package table

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
)

// Kind is the kind of the cells of a column.
type Kind int

// The kinds of columns.
const (
	Number   Kind = iota // numbers
	Category             // texts that repeat
	Boolean              // two texts such as yes and no, or the numbers 0 and 1
	Date                 // dates or times
	ID                   // a different text or whole number in each row; no feature
	Text                 // free text; no feature
)

var kinds = []string{"number", "category", "boolean", "date", "id", "text"}

func (k Kind) String() string { return kinds[k] }

// ParseKind returns the kind of a name: number, category, boolean, date, id or text.
func ParseKind(name string) (Kind, error) {
	i := slices.Index(kinds, strings.ToLower(name))
	if i < 0 {
		return 0, fmt.Errorf("%q is no kind of column; kinds are %s", name, strings.Join(kinds, ", "))
	}
	return Kind(i), nil
}

// Numeric reports whether the cells are numbers in Column.Numbers.
func (k Kind) Numeric() bool { return k == Number || k == Boolean || k == Date }

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
	// Numbers has the cells of a numeric kind, NaN for a missing one: the number; 0 or 1 of a
	// boolean; seconds since 1970-01-01 00:00 UTC of a date. It is nil for other kinds.
	Numbers []float64
	// Codes has the cells of other kinds as indices of Levels, −1 for a missing one.
	Codes []int32
	// Levels are the distinct texts of Codes in the order of strings.Compare. Those of a
	// boolean are the texts of 0 and of 1.
	Levels []string
	// Aside says that the column is not a feature although its kind could be one: Group, Time or Weight.
	Aside bool
	// Layout is how the dates of a text are written, as package time says it. If they are written in
	// several ways, | stands between the layouts. Names of months may be of another language.
	Layout string
	// Unit stood next to the numbers of a text, such as $ or kg; "" if none did.
	Unit string
	// Spelling has the texts of numbers, the most frequent first, if the file does not write all of them
	// as Text would: "$5", "+1" or "0.10" and "0.1". Classes have the first of these names. It is nil if
	// there are more than 1000 different texts.
	Spelling map[float64][]string
	// Written are the cells as the file writes them. It is nil unless [tables.Reader.Select] asks for it.
	Written []string
	// Faults are the cells of a numeric column that are not missing and that cannot be read as
	// a value of the column's kind. Their Numbers are NaN.
	Faults []Fault
}

// Fault is a cell that could not be read.
type Fault struct {
	Row, Line int // the row from 0; the line of a text from 1, 0 if it is not known
	Text      string
}

// Len is the number of rows.
func (c *Column) Len() int {
	if c.Kind.Numeric() {
		return len(c.Numbers)
	}
	return len(c.Codes)
}

// Missing reports whether the cell of a row (from 0) is missing or a fault.
func (c *Column) Missing(row int) bool {
	if c.Kind.Numeric() {
		return math.IsNaN(c.Numbers[row])
	}
	return c.Codes[row] < 0
}

// Source returns the cell of a row (from 0) as the file writes it, or as near to that as is known.
func (c *Column) Source(row int) string {
	if c.Written != nil {
		return c.Written[row]
	}
	if i, bad := c.fault(row); bad {
		return c.Faults[i].Text
	}
	return c.Label(row)
}

// Label returns the cell of a row (from 0) as the name of a class: as Text, but a number as the file
// writes it.
func (c *Column) Label(row int) string {
	if c.Spelling != nil && c.Kind.Numeric() {
		if texts := c.Spelling[c.Numbers[row]]; len(texts) > 0 {
			return texts[0]
		}
	}
	return c.Text(row)
}

// fault finds the first fault at a row or behind it.
func (c *Column) fault(row int) (i int, at bool) {
	return slices.BinarySearchFunc(c.Faults, row, func(f Fault, row int) int { return f.Row - row })
}

// Text returns the cell of a row (from 0) as a text, "" if it is missing. A number has as many
// digits as it takes to read it back; a date is written 2006-01-02 or 2006-01-02T15:04:05.
func (c *Column) Text(row int) string {
	switch {
	case c.Missing(row):
		return ""
	case c.Kind == Number:
		if v := c.Numbers[row]; v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return strconv.FormatFloat(c.Numbers[row], 'g', -1, 64)
	case c.Kind == Boolean:
		return c.Levels[int(c.Numbers[row])]
	case c.Kind == Date:
		return FormatDate(c.Numbers[row])
	}
	return c.Levels[c.Codes[row]]
}

// FormatDate writes seconds since 1970 as 2006-01-02 or 2006-01-02T15:04:05, in UTC.
func FormatDate(seconds float64) string {
	t := time.Unix(int64(seconds), 0).UTC()
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05")
}

// ClassColumn is the name of the column of the classes in files that this module writes.
const ClassColumn = "class"

// Table is rows of columns. All columns have Rows cells.
type Table struct {
	Name    string // of the file, for errors
	Rows    int
	Columns []Column
	// Dialect is how a text was written.
	Dialect Dialect
	// Reading says in words how the file was read, such as "semicolon, decimal comma".
	Reading string
	// Missing are further texts that meant a missing value.
	Missing []string
	// Limits said what a cell such as <0.5 is among numbers, as tables.Options.Limits.
	Limits string
	// Ragged has the rows of a part of a file that have another number of cells than there are
	// columns, and gives their number. All their cells are missing.
	Ragged map[int]error
	// Group is the name of a column, or "". Rows with equal cells in it belong together, such as
	// those of a patient, and are in one fold of a cross-validation.
	Group string
	// Time is the name of a column of numbers or dates, or "". Folds of a cross-validation follow it:
	// a model learns from earlier rows and is judged by later ones.
	Time string
	// Weight is the name of a column of numbers, or "". A row with a 2 in it counts as two rows in a fit,
	// and one with a 0 is left out; see [Table.Weights].
	Weight string
	// ClassWeights has weights of classes by name, 1 for others. They multiply the weights of the rows.
	ClassWeights map[string]float64
	// Notes describe what was detected that the user may want to know or to override, one sentence
	// each.
	Notes []string
}

// Dialect is how a delimited text was written. All fields of other files are zero.
type Dialect struct {
	Separator string `json:"separator"` // one character; a blank stands for runs of them
	Quote     string `json:"quote"`     // a quotation mark, or "" if quotes are text
	Escape    string `json:"escape"`    // the quote if quotes within quotes are doubled, a backslash or ""
	Decimal   string `json:"decimal"`   // the decimal mark
	Encoding  string `json:"encoding"`  // utf-8, utf-16le, latin-1 or another name, such as gbk
	Header    bool   `json:"header"`    // the first record has the names of the columns
}

// Slice returns rows lo to hi, hi excluded, which share the memory of t.
func (t *Table) Slice(lo, hi int) *Table {
	part := *t
	part.Rows, part.Columns, part.Ragged = hi-lo, slices.Clone(t.Columns), map[int]error{}
	for row, why := range t.Ragged {
		part.Ragged[row-lo] = why
	}
	for i := range part.Columns {
		c := &part.Columns[i]
		from, _ := c.fault(lo)
		to, _ := c.fault(hi)
		if c.Kind.Numeric() {
			c.Numbers = c.Numbers[lo:hi]
		} else {
			c.Codes = c.Codes[lo:hi]
		}
		if c.Written != nil {
			c.Written = c.Written[lo:hi]
		}
		c.Faults = slices.Clone(c.Faults[from:to])
		for k := range c.Faults {
			c.Faults[k].Row -= lo
		}
	}
	return &part
}

// Row returns the cells of a row, counted from 0, by the names of the columns, as mpcvm.Model.PredictRow
// takes them: float64 for numbers, time.Time for dates, texts for others, and nil for a missing cell. A
// cell that is not of the kind of its column is the text in the file.
func (t *Table) Row(row int) map[string]any {
	cells := make(map[string]any, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		at, bad := c.fault(row)
		switch {
		case bad:
			cells[c.Name] = c.Faults[at].Text
		case c.Missing(row):
			cells[c.Name] = nil
		case c.Kind == Number:
			cells[c.Name] = c.Numbers[row]
		case c.Kind == Date:
			seconds := math.Floor(c.Numbers[row])
			cells[c.Name] = time.Unix(int64(seconds), int64((c.Numbers[row]-seconds)*1e9)).UTC()
		default:
			cells[c.Name] = c.Text(row)
		}
	}
	return cells
}

// Find returns the index of the column of a name, or −1.
func (t *Table) Find(name string) int {
	find := func(name string) int {
		return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	}
	i := find(name)
	if plain := celltext.Normal(name); i < 0 && plain != name {
		i = find(plain)
	}
	return i
}

// Names returns the names of the columns.
func (t *Table) Names() []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}

// Rules of Target.
var (
	targetNames = []string{"class", "target", "label", "y", "species"}
	mostNumbers = 30 // distinct numbers that may be classes, however few rows
)

// Target returns the column of the classes. If name is not "", it is the column of that name.
// Otherwise it is the first of class, target, label, y and species, in any case, or the last
// column if it has texts or at most 30 distinct values; why then says so in words. The error
// names the columns.
func (t *Table) Target(name string) (column int, why string, err error) {
	if name != "" {
		if column = t.Find(name); column < 0 {
			also := ""
			like := func(c Column) bool { return strings.EqualFold(c.Name, name) }
			if i := slices.IndexFunc(t.Columns, like); i >= 0 {
				also = fmt.Sprintf(" (did you mean %q?)", t.Columns[i].Name)
			}
			name = cell.Shorten(name)
			err = t.fail(0, fmt.Errorf("no column %q for the classes%s; there are %s", name, also,
				words.List(t.Names(), 20)))
		}
		return column, "", err
	}
	for _, want := range targetNames {
		column = slices.IndexFunc(t.Columns, func(c Column) bool { return strings.EqualFold(c.Name, want) })
		if column >= 0 {
			return column, "its name", nil
		}
	}
	if column = len(t.Columns) - 1; column >= 0 {
		switch c := &t.Columns[column]; {
		case c.Kind == Category:
			return column, "it is the last column and has texts", nil
		case c.Kind == Boolean:
			return column, "it is the last column and has two values", nil
		case c.Kind == Number && c.distinct(mostNumbers) <= mostNumbers:
			n := c.distinct(mostNumbers)
			return column, fmt.Sprintf("it is the last column and has %d distinct values", n), nil
		}
	}
	err = fmt.Errorf("which column has the classes is not clear; name the target; there are %s",
		words.List(t.Names(), 20))
	return -1, "", t.fail(0, err)
}

// Causes of CheckClasses, for errors.Is.
var (
	ErrOneClass   = errors.New("all rows are of one class")
	ErrNotClasses = errors.New("the column has no classes")
)

// CheckClasses returns an error if a column cannot be the classes: the number of its values, of which so many
// are distinct, and whether all its numbers are whole. Up to 30 distinct numbers may be classes; more
// must be whole and have 10 rows each on average. The error wraps ErrOneClass or ErrNotClasses.
func (c *Column) CheckClasses(values, distinct int, whole bool) error {
	const rowsPerClass = 10
	more := distinct > mostNumbers
	switch {
	case values <= 0 || distinct == 0:
		return fmt.Errorf("%w: it has no value in a row that can be used", ErrOneClass)
	case c.Kind == Date:
		return fmt.Errorf("%w: it has dates, to be predicted by regression", ErrNotClasses)
	case distinct == 1:
		return fmt.Errorf("%w: it has one value only, and two classes are needed", ErrOneClass)
	case c.Kind == Number && more && (!whole || rowsPerClass*distinct > values):
		return fmt.Errorf("%w: it is a continuous number, with %d different values in %d rows, to be predicted "+
			"by regression", ErrNotClasses, distinct, values)
	case distinct == values && values > 2 || more && 2*distinct > values:
		return fmt.Errorf("%w: it has %d different values in %d rows, so it identifies the rows", ErrNotClasses,
			distinct, values)
	}
	return nil
}

// distinct counts the distinct numbers, at most most+1.
func (c *Column) distinct(most int) int {
	seen := map[float64]bool{}
	for _, v := range c.Numbers {
		if !math.IsNaN(v) {
			if seen[v] = true; len(seen) > most {
				break
			}
		}
	}
	return len(seen)
}

// Labels returns the labels of a column: t has an index of classes for each row, −1 where the
// cell is missing. The classes are the distinct texts in the order of strings.Compare.
func (t *Table) Labels(column int) (labels []int, classes []string) {
	c := &t.Columns[column]
	seen := map[string]int{}
	labels = make([]int, t.Rows)
	for i := range labels {
		labels[i] = -1
		if text := c.Label(i); text != "" {
			label, met := seen[text]
			if !met {
				label = len(classes)
				seen[text], classes = label, append(classes, text)
			}
			labels[i] = label
		}
	}
	slices.Sort(classes)
	order := make([]int, len(classes)) // new label of each old one
	for place, class := range classes {
		order[seen[class]] = place
	}
	for i, label := range labels {
		if label >= 0 {
			labels[i] = order[label]
		}
	}
	return labels, classes
}

// LabelsAs returns the labels of a column as indices of the classes of a model, −1 where the cell is
// missing or not a class. The error names the first cell that is not a class; the labels are still
// returned.
func (t *Table) LabelsAs(column int, classes []string) (labels []int, err error) {
	labels, own := t.Labels(column)
	known := celltext.NewLabels(classes)
	for i, label := range labels {
		if label < 0 {
			continue
		}
		if labels[i] = known.Find(own[label], nil); labels[i] < 0 {
			labels[i] = known.Find(t.Columns[column].Text(i), nil)
		}
		if labels[i] < 0 && err == nil {
			err = &cell.Error{Name: t.Name, Row: int64(i) + 1, Column: column + 1, Header: t.Columns[column].Name,
				Value: own[label], Err: cell.ErrUnknownClass}
		}
	}
	return labels, err
}

// Merge renames classes of a column, such as rare ones to a common name: as has the new name of a class.
// A column of numbers, too, has categories then. The error names a class that the column does not have.
func (t *Table) Merge(column int, as map[string]string) error {
	labels, classes := t.Labels(column)
	for _, old := range slices.Sorted(maps.Keys(as)) {
		if !slices.Contains(classes, old) {
			return t.fail(column+1, fmt.Errorf("no cell is %q; there are %q", old, classes[:min(20, len(classes))]))
		}
	}
	c := Column{Name: t.Columns[column].Name, Kind: Category, Written: t.Columns[column].Written,
		Codes: make([]int32, t.Rows)}
	renamed := make([]string, len(classes))
	for i, class := range classes {
		renamed[i] = class
		if name, ok := as[class]; ok {
			renamed[i] = name
		}
	}
	c.Levels = slices.Compact(slices.Sorted(slices.Values(renamed)))
	for row, label := range labels {
		if c.Codes[row] = -1; label >= 0 {
			c.Codes[row] = int32(slices.Index(c.Levels, renamed[label]))
		}
	}
	t.Columns[column] = c
	return nil
}

// fail is an error of a column, from 1; 0 is the table.
func (t *Table) fail(column int, err error) error {
	e := &cell.Error{Name: t.Name, Column: column, Err: err}
	if column > 0 {
		e.Header = t.Columns[column-1].Name
	}
	return e
}
