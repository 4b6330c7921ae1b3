package predict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/cell"
)

// Batch is consecutive rows of a file.
type Batch struct {
	X        *mat.Dense      // a sample a row, NaN in those that cannot be used
	Class    []string        // the class of each row, as the model names it, "" if it is not given; nil if there is none
	Problems []error         // why a row cannot be used; nil if all can
	Kept     []*table.Column // to be passed through
	Unlike   []Unlike        // of each column of the recipe; nil if no row can be used
}

// Rows is the number of rows.
func (b *Batch) Rows() int {
	if b.X == nil {
		return 0
	}
	n, _ := b.X.Dims()
	return n
}

// Layout says which columns of a file are read.
type Layout struct {
	Recipe  *recipe.Recipe
	Classes []string // of the model
	Keep    []string // columns to be passed through
	All     bool     // pass all columns through
	// Suggest returns a question for the names that are most like another one, or "". It may be
	// nil.
	Suggest func(name string, names []string) string
}

// Options returns the options with which a file is read for a model.
func (l *Layout) Options(o data.Options) data.Options {
	o.Kinds, o.Drop, o.ID, o.Like, o.Missing = nil, nil, nil, l.Recipe.Like(), slices.Concat(l.Recipe.Missing, o.Missing)
	return o
}

// Source makes batches of the tables that a reader returns.
type Source struct {
	*data.Reader
	Kept []string // names of the columns that are passed through

	recipe *recipe.Recipe
	watch  watch
	label  *cell.Labels
	names  []string // of the classes
	target string   // the column of the class, or ""
}

// Open finds the columns of the recipe in a file that was opened with [Layout.Options].
func Open(in *data.Reader, name string, l Layout) (*Source, error) {
	s := &Source{Reader: in, Kept: l.Keep, recipe: l.Recipe, watch: newWatch(l.Recipe), label: cell.NewLabels(l.Classes), names: l.Classes}
	if l.All {
		s.Kept = in.Names
	}
	check := func(err error, name string) error {
		if slices.Contains(in.Names, name) {
			return nil
		}
		hint := ""
		if l.Suggest != nil {
			hint = l.Suggest(name, in.Names)
		}
		return fmt.Errorf("%w: %q%s; it has %s", err, cell.Shorten(name), hint, list(in.Names))
	}
	s.target = l.Recipe.Target
	if s.target == "" {
		s.target = table.ClassColumn
	}
	if !slices.Contains(in.Names, s.target) {
		s.target = ""
	}
	var err error
	for i := range l.Recipe.Columns {
		column := l.Recipe.Columns[i].Name
		err = errors.Join(err, check(recipe.ErrNoColumn, column))
		if column == s.target {
			s.target = ""
		}
	}
	for _, column := range s.Kept {
		err = errors.Join(err, check(ErrNoKept, column))
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return nil, &cell.Error{Name: name, Err: all.Unwrap()[0]}
	}
	in.Also(s.target)
	in.Keep(s.Kept)
	return s, nil
}

// Next reads the next rows. The function that it returns makes a batch of them, which is most of the
// work; it may be called while further rows are read. After the last row the error is io.EOF.
func (s *Source) Next(ctx context.Context) (func() (*Batch, error), error) {
	parse, err := s.Part(ctx)
	return func() (*Batch, error) {
		t, err := parse()
		if err != nil {
			return nil, err
		}
		return s.batch(t)
	}, err
}

func (s *Source) batch(t *table.Table) (b *Batch, err error) {
	rows := make([]int, t.Rows)
	for i := range rows {
		rows[i] = i
	}
	b = &Batch{}
	if b.X, b.Problems, err = s.recipe.Encode(nil, t, rows); err != nil {
		return nil, err
	}
	s.watch.see(b, t, s.recipe)
	if s.target != "" {
		b.Class = s.classes(t)
	}
	for _, name := range s.Kept {
		b.Kept = append(b.Kept, &t.Columns[t.Find(name)])
	}
	return b, nil
}

// classes returns the class of each row as the model writes it if it knows the class, "" if it is
// missing.
func (s *Source) classes(t *table.Table) []string {
	c := &t.Columns[t.Find(s.target)]
	names, known := make([]string, t.Rows), map[string]string{}
	for row := range names {
		text := c.Text(row)
		if text == "" && c.Written == nil {
			text = c.Source(row) // a number that is none may be the name of a class
		}
		name, met := known[text]
		if !met {
			if name = text; text != "" {
				if label := s.label.Find(text, s.Number); label >= 0 {
					name = s.names[label]
				}
			}
			known[text] = name
		}
		names[row] = name
	}
	return names
}

// ErrNoKept is the error for a column that is to be passed through and is not in the file.
var ErrNoKept = errors.New("there is no such column to keep")

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
