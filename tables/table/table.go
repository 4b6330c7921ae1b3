// Package table holds a table in memory, column by column, with the kind of each column. tables.Open returns
// such a table, and package recipe turns it into samples. It is not a data frame library.
package table

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
)

// Kind is the kind of the cells of a column.
type Kind int

// The kinds of columns.
const (
	Number   Kind = iota // numbers
	Category             // strings that repeat
	Boolean              // two strings such as yes and no, or the numbers 0 and 1
	Date                 // dates or times
	ID                   // strings or integers that identify a row; not a feature
	Text                 // free text; not a feature
)

var kinds = []string{"number", "category", "boolean", "date", "id", "text"}

func (k Kind) String() string { return kinds[k] }

// ParseKind returns the kind with the given name: number, category, boolean, date, id or text, in any case.
func ParseKind(name string) (Kind, error) {
	i := slices.Index(kinds, strings.ToLower(name))
	if i < 0 {
		return 0, Finding{Code: unknownKind, Value: name, Texts: kinds}
	}
	return Kind(i), nil
}

// Numeric reports whether the cells are numbers in Column.Numbers.
func (k Kind) Numeric() bool { return k == Number || k == Boolean || k == Date }

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
	// Numbers contains the cells of a numeric kind: numbers, 0 or 1 for a boolean, and seconds since 1970-01-01
	// 00:00 UTC for a date. A missing cell is NaN. Numbers is nil for other kinds.
	Numbers []float64
	// Codes contains the cells of the other kinds as indices into Levels; a missing cell is −1.
	Codes []int32
	// Levels contains the distinct strings that Codes refers to, in the order of strings.Compare, or the strings
	// for 0 and 1 of a boolean.
	Levels []string
	// Aside reports that the column is not used as a feature because it is Group, Time or Weight.
	Aside bool
	// Layout is the layout of the dates in a text file, as in package time. If there are several layouts, they
	// are separated by |. Names of months may be in another language.
	Layout string
	// Unit is the unit written next to the numbers of a text file, such as $ or kg, or "".
	Unit string
	// Spelling maps each number to its spellings in the file, the most frequent first, such as "0.10" and "0.1",
	// or "$5". If the numbers are classes, the first spelling is the name of the class. Spelling is nil if every
	// number is written as Text returns it, or if there are more than 1000 different spellings.
	Spelling map[float64][]string
	// Written contains the cells exactly as they appear in the file. See [tables.Reader.Select].
	Written []string
	// Faults lists the cells of a numeric column that are neither missing nor valid for the kind of the
	// column. Their Numbers are NaN.
	Faults []Fault
}

// Fault is a cell that could not be parsed.
type Fault struct {
	Row, Line int // the row from 0, and the line of a text file from 1 (0 if unknown)
	Text      string
}

// Len returns the number of rows.
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

// Source returns the cell of a row (from 0) as it appears in the file, or as closely as is known.
func (c *Column) Source(row int) string {
	if c.Written != nil {
		return c.Written[row]
	}
	if i, bad := c.fault(row); bad {
		return c.Faults[i].Text
	}
	return c.Label(row)
}

// Label returns the cell of a row (from 0) as the name of a class. It is like Text, except that a number is
// written as in the file.
func (c *Column) Label(row int) string {
	if c.Spelling != nil && c.Kind.Numeric() {
		if texts := c.Spelling[c.Numbers[row]]; len(texts) > 0 {
			return texts[0]
		}
	}
	return c.Text(row)
}

// fault finds the first fault at or after a row.
func (c *Column) fault(row int) (i int, at bool) {
	return slices.BinarySearchFunc(c.Faults, row, func(f Fault, row int) int { return f.Row - row })
}

// Text returns the cell of a row (from 0) as a string, or "" if it is missing. A number has the shortest
// representation that is exact, and a date has the layout 2006-01-02 or 2006-01-02T15:04:05.
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

// FormatDate formats seconds since 1970 as 2006-01-02 or 2006-01-02T15:04:05, in UTC.
func FormatDate(seconds float64) string {
	t := time.Unix(int64(seconds), 0).UTC()
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05")
}

// ClassColumn is the name of the class column in files written by this module.
const ClassColumn = "class"

// Table is a table with named columns, each of which has Rows cells.
type Table struct {
	Name    string // name of the file, for errors
	Rows    int
	Columns []Column
	// Dialect is the format of a delimited text file.
	Dialect Dialect
	// Reading describes how the file was read, such as "semicolon, decimal comma".
	Reading string
	// Missing lists the additional strings that were read as missing values; see tables.Options.Missing.
	Missing []string
	// Limits describes how cells such as <0.5 were read; see tables.Options.Limits.
	Limits string
	// Ragged maps the rows of a chunk with the wrong number of cells to errors that describe them. All cells
	// of these rows are missing.
	Ragged map[int]error
	// Group is the name of a column, or "". Rows with equal cells in this column belong together, such as
	// measurements of one patient, and are kept in the same fold of a cross-validation.
	Group string
	// Time is the name of a column of numbers or dates, or "". If it is set, a cross-validation trains on
	// earlier rows and tests on later ones.
	Time string
	// Weight is the name of a column of numbers, or "". A row with weight 2 counts as two rows in a fit, and
	// rows with weight 0 are skipped; see [Table.Weights].
	Weight string
	// ClassWeights contains the weights of classes by name; the default is 1. They are multiplied by the weights
	// of the rows.
	ClassWeights map[string]float64
	// Notes contains what the reader has guessed or noticed and the user may want to know or to change.
	Notes []Finding
}

// Dialect describes the format of a delimited text file. It is zero for other files.
type Dialect struct {
	Separator string `json:"separator"` // one character; a blank means any number of blanks
	Quote     string `json:"quote"`     // the quotation mark, or "" if quotes have no special meaning
	Escape    string `json:"escape"`    // the quote if quotes are escaped by doubling, a backslash, or ""
	Decimal   string `json:"decimal"`   // the decimal mark
	Encoding  string `json:"encoding"`  // utf-8, utf-16le, latin-1 or another name, such as gbk
	Header    bool   `json:"header"`    // whether the first record contains the names of the columns
}

// Slice returns the rows from lo up to but excluding hi. They share memory with t.
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

// Row returns the cells of a row (from 0) by the names of the columns, in the form that
// tables.Model.PredictRow expects: a float64 for a number, a time.Time for a date, a string for other kinds,
// and nil for a missing cell. For a fault, it is the string in the file.
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

// Find returns the index of the column with the given name, or −1.
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
	mostNumbers = 30 // number of distinct numbers that are always accepted as classes
)

// Target returns the index of the class column. If name is "", it is the first of class, target, label, y and
// species, in any case, or else the last column if it is a category, a boolean or has at most 30 distinct
// numbers; why then is the reason of the choice. If none applies, the error lists the columns.
func (t *Table) Target(name string) (column int, why Finding, err error) {
	named := func(name string) int {
		return slices.IndexFunc(t.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
	}
	if name != "" {
		if column = t.Find(name); column < 0 {
			err = t.Fault(0, 0, "", Finding{Code: noTarget, Value: name, Columns: t.Names()})
		}
		return column, why, err
	}
	for _, want := range targetNames {
		if column = named(want); column >= 0 {
			return column, Finding{Code: targetByName}, nil
		}
	}
	if column = len(t.Columns) - 1; column >= 0 {
		switch c := &t.Columns[column]; {
		case c.Kind == Category:
			return column, Finding{Code: targetOfTexts}, nil
		case c.Kind == Boolean:
			return column, Finding{Code: targetOfTwo}, nil
		case c.Kind == Number:
			if n := c.Profile(nil).Distinct; n <= mostNumbers {
				return column, Finding{Code: targetOfNumbers, N: n}, nil
			}
		}
	}
	return -1, why, t.Fault(0, 0, "", Finding{Code: targetUnknown, Columns: t.Names()})
}

// Errors of CheckClasses, for use with errors.Is.
var (
	ErrOneClass   = errors.New("all rows are of one class")
	ErrNotClasses = errors.New("the column cannot be used as classes")
)

// CheckClasses returns an error if the column cannot be used as the class column. values is the number of its
// values, distinct is how many of them differ, and whole reports whether all numbers are integers. Up to 30
// distinct numbers are accepted as classes; if there are more, they must be integers with 10 rows each on
// average. The error wraps ErrOneClass or ErrNotClasses.
func (c *Column) CheckClasses(values, distinct int, whole bool) error {
	const rowsPerClass = 10
	more := distinct > mostNumbers
	f := Finding{N: distinct, Of: values, Cause: ErrNotClasses}
	switch {
	case values <= 0 || distinct == 0:
		f.Code, f.Cause = classesMissing, ErrOneClass
	case c.Kind == Date:
		f.Code = classesAreDates
	case distinct == 1:
		f.Code, f.Cause = classesAreOne, ErrOneClass
	case c.Kind == Number && more && (!whole || rowsPerClass*distinct > values):
		f.Code = classesAreNumbers
	case distinct == values && values > 2 || more && 2*distinct > values:
		f.Code = classesAreIDs
	default:
		return nil
	}
	return f
}

// Labels returns the classes of a column, which are its distinct strings in the order of strings.Compare, and
// for each row the index of its class, or −1 if the cell is missing.
func (t *Table) Labels(column int) (labels []int, classes []string) {
	c := &t.Columns[column]
	labels = make([]int, t.Rows)
	seen := map[string]int{}
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
	for label, class := range classes {
		order[seen[class]] = label
	}
	for i, label := range labels {
		if label >= 0 {
			labels[i] = order[label]
		}
	}
	return labels, classes
}

// LabelsAs returns for each row the index of its class among the classes of a model, or −1 if the cell is
// missing or not one of the classes. An error names the first cell of another class.
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

// Merge renames classes of a column; as maps old names to new ones. Classes with the same new name are
// merged. The column becomes a category, even if it had numbers. If the column does not have one of the
// classes, Merge returns an error and changes nothing.
func (t *Table) Merge(column int, as map[string]string) error {
	labels, classes := t.Labels(column)
	for _, old := range slices.Sorted(maps.Keys(as)) {
		if !slices.Contains(classes, old) {
			return t.Fault(0, column+1, "", Finding{Code: noClass, Value: old, Texts: classes})
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

// Options control how tables.Open reads a file. Empty fields are detected.
type Options struct {
	// Separator separates the cells of a text file: "comma", "semicolon", "tab", "pipe", "blanks" (any number of
	// blanks) or a single character.
	Separator string
	// Quote is `"`, `'` or "none".
	Quote string
	// Escape is "doubled", "backslash" or "none".
	Escape string
	// Decimal is the decimal mark, "." or ",".
	Decimal string
	// Thousands is ",", ".", "'", "space" or "none".
	Thousands string
	// Encoding is "utf-8", "utf-16le", "utf-16be", "latin-1" (which is read as Windows-1252) or another
	// name that the web or IANA uses, such as "gbk", "shift_jis", "windows-1251" or "macintosh". If it is
	// empty, the encoding is detected, and a note is added if it had to be guessed. Invalid bytes become
	// U+FFFD; a note gives the first line that contains one.
	Encoding string
	// Header is "yes" or "none".
	Header string
	// Comment is the prefix of comment lines, or "none".
	Comment string
	// Skip is the number of lines before the table.
	Skip int
	// Ragged controls how a record with more or fewer cells than the header is read: "drop" skips it, and
	// "pad" fills it with missing values or truncates it. If it is empty, such a record is an error, except
	// that up to three short records at the end are skipped as a footer.
	Ragged string
	// Lenient is for inspecting a file. If it is set, an ambiguous text file is not an error, an empty Ragged
	// means "pad", and a table may have no rows. Notes report each of these cases.
	Lenient bool
	// Sheet is the name of a sheet of an .xlsx file. If it is empty, Open reads the first sheet with at
	// least three rows and two columns, and a note lists the sheets. It must be empty for other files.
	Sheet string
	// Missing lists additional strings that mean a missing value. A number such as -999 also matches -999.0, and
	// a date such as 9999-12-31 also matches 31.12.9999. An empty cell is always missing, as are NA, n.a., ?, .,
	// NaN, null and \N, in any case. The prefix not: keeps a text as a value, as in not:NA for a region.
	Missing []string
	// Limits controls how a cell such as <0.5 or >100 is read in a column of numbers: "half" reads them as
	// 0.25 and 100, "limit" as 0.5 and 100, and "missing" as missing values. If it is empty, such a cell
	// is a fault of its column; see [Fault].
	Limits string
	// Kinds sets the kinds of columns by name.
	Kinds map[string]Kind
	// Like lists columns that the file is expected to have, such as the columns of a recipe
	// (recipe.Recipe.Like). A column with the same name gets the same kind, the same unit if it has numbers,
	// and the same layout if it has dates. A boolean may get another kind. Kinds and ID take precedence.
	Like []Column
	// Drop names the columns to leave out, and ID the columns that identify a row.
	Drop, ID []string
	// Group and Time are the names of the columns that determine the folds of a cross-validation; see
	// [Table]. They are not used as features unless Kinds names them.
	Group, Time string
	// Weight is the name of the column with the weights of the rows; see [Table]. It is not used as a
	// feature unless Kinds names it.
	Weight string
}
