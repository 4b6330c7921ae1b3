package predict

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/cell"
)

// Reader reads the rows of a file in batches, so that a file of any length needs the memory of
// a few batches only. It is not for concurrent use.
type Reader interface {
	// Read reads the next rows into b, which it empties first. After the last row it returns
	// io.EOF. A file gives the same batches each time it is read.
	Read(b *Batch) error
}

// batchRows is the number of rows of a batch of d features: 32768, or fewer if d > 32.
func batchRows(d int) int {
	const rows, values = 1 << 15, 1 << 20
	return min(rows, max(values/max(d, 1), 1))
}

// Batch is consecutive rows of a file. The zero value is empty. Reading into a batch again
// reuses its memory.
type Batch struct {
	X        *mat.Dense // a sample a row, NaN in those that cannot be used
	Class    []string   // the class of each row, as the model names it, "" if it is not given; nil if there is none
	Problems []error    // why a row cannot be used; nil if all can
	Kept     Cells      // the columns to be passed through
	Unlike   []Unlike   // of each column of the recipe; nil if no row can be used

	rows    int
	values  []float64 // of X
	classes []string  // of Class
	names   map[string]string
	text    []byte // not yet parsed
	quotes  bool   // it may have quotes
	table   *slice // not yet encoded
	parse   func(*Batch) error
}

// Rows is the number of rows.
func (b *Batch) Rows() int {
	if b.X == nil {
		return 0
	}
	n, _ := b.X.Dims()
	return n
}

// Parse makes samples of what a reader put into the batch. This is most of the work of reading;
// it is separate so that several batches can be parsed at the same time.
func (b *Batch) Parse() error { return b.parse(b) }

// empty drops the rows and keeps the memory.
func (b *Batch) empty() {
	*b = Batch{values: b.values[:0], classes: b.classes[:0], names: b.names, text: b.text[:0], Kept: Cells{text: b.Kept.text[:0], ends: b.Kept.ends[:0]}}
}

// grow makes room for the features of n rows.
func (b *Batch) grow(n, d int) {
	if cap(b.values) < n*d {
		b.values = make([]float64, n*d)
	}
	b.values = b.values[:n*d]
}

// shape makes X of the features of n rows.
func (b *Batch) shape(n, d int) {
	b.X = &mat.Dense{}
	if n > 0 {
		b.X = mat.NewDense(n, d, b.values[:n*d])
	}
}

// reject notes that row i of at most n cannot be used.
func (b *Batch) reject(i, n int, err error) {
	if b.Problems == nil {
		b.Problems = make([]error, n)
	}
	b.Problems[i] = err
}

// name returns a class name as a string without the blanks around it, as the model writes it if it
// knows the class; "" if it is missing. Equal names share memory as long as there are at most 4096
// names.
func (b *Batch) name(text []byte, l *labels) string {
	const most = 4096
	if s, met := b.names[string(text)]; met {
		return s
	}
	if b.names == nil || len(b.names) >= most {
		b.names = map[string]string{}
	}
	s := string(bytes.TrimSpace(text))
	if l.missing != nil && l.missing(text) {
		s = ""
	} else if c := l.Find(s, l.number); c >= 0 {
		s = l.classes[c]
	}
	b.names[string(text)] = s
	return s
}

// Cells are texts, row by row.
type Cells struct {
	text []byte
	ends []int // of each text
}

func (c *Cells) add(text []byte) {
	c.text = append(c.text, text...)
	c.ends = append(c.ends, len(c.text))
}

// At returns text k, counted row by row.
func (c *Cells) At(k int) []byte {
	from := 0
	if k > 0 {
		from = c.ends[k-1]
	}
	return c.text[from:c.ends[k]]
}

// Layout says which columns of a file are read.
type Layout struct {
	Recipe  *recipe.Recipe
	Classes []string // of the model
	Keep    []string // columns to be passed through
	All     bool     // pass all columns through
	// Missing are texts that mean a missing value, beside those of the recipe.
	Missing []string
	// Suggest returns a question for the names that are most like another one, or "". It may be
	// nil.
	Suggest func(name string, names []string) string
}

// labels are the classes of the model as a file writes them.
type labels struct {
	*cell.Labels
	classes []string
	number  func(text string) (float64, bool) // nil for numbers with a decimal point
	missing func(text []byte) bool            // nil if none is
}

// places are the columns of a file that are read, from 0.
type places struct {
	columns []int // of the recipe
	target  int   // of the classes, −1 if there is none
	keep    []int
	kept    []string // their names
}

// ErrNoKept is the error for a column that is to be passed through and is not in the file.
var ErrNoKept = errors.New("there is no such column to keep")

// find finds the columns by name.
func (l *Layout) find(file string, names []string) (p places, err error) {
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	fail := func(err error, name string) error {
		hint := ""
		if l.Suggest != nil {
			hint = l.Suggest(name, names)
		}
		return &cell.Error{Name: file, Err: fmt.Errorf("%w: %q%s; it has %s", err, cell.Shorten(name), hint, list(names))}
	}
	target := l.Recipe.Target
	if target == "" {
		target = table.ClassColumn
	}
	p.target = -1
	if i, ok := at[target]; ok {
		p.target = i
	}
	for i := range l.Recipe.Columns {
		name := l.Recipe.Columns[i].Name
		k, ok := at[name]
		if !ok {
			return p, fail(recipe.ErrNoColumn, name)
		}
		p.columns = append(p.columns, k)
		if k == p.target {
			p.target = -1
		}
	}
	p.kept = l.Keep
	if l.All {
		p.kept = names
	}
	for _, name := range p.kept {
		k, ok := at[name]
		if !ok {
			return p, fail(ErrNoKept, name)
		}
		p.keep = append(p.keep, k)
	}
	return p, nil
}

// list writes the first names.
func list(names []string) string {
	const most = 20
	text := ""
	for i, name := range names {
		switch {
		case i == most:
			return text + ", …"
		case i > 0:
			text += ", "
		}
		text += fmt.Sprintf("%q", cell.Shorten(name))
	}
	return text
}

// Reason writes why a row cannot be used, without the name of the file and the row.
func Reason(err error) string {
	e, ok := errors.AsType[*cell.Error](err)
	if !ok {
		return err.Error()
	}
	text := e.Err.Error()
	if e.Header != "" {
		text = fmt.Sprintf("column %s: %s", cell.Shorten(e.Header), text)
	}
	if v, _ := e.Value.(string); v != "" {
		text += fmt.Sprintf(": %q", cell.Shorten(v))
	}
	return text
}

func setNaN(row []float64) {
	for j := range row {
		row[j] = math.NaN()
	}
}
