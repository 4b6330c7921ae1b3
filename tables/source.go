package tables

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Layout describes which columns of a file a model reads.
type Layout struct {
	// Keep lists columns to pass through; All passes all of them through.
	Keep []string
	All  bool
	// Rename maps names of columns in the recipe to their names in the file, if these differ. It may contain
	// the class column.
	Rename map[string]string
	// Without lists columns of the recipe that the file lacks. Their cells are treated as missing.
	Without []string
}

// ErrNoKept is the cause of an error about columns to pass through that are not in the file.
var ErrNoKept = errors.New("columns to keep not found")

// Source reads a file in batches for a model.
type Source struct {
	*Reader
	Kept []string // names of the columns to pass through

	recipe *recipe.Recipe
	label  *celltext.Labels
	names  []string // of the classes
	target string   // the class column in the file, or ""
	layout Layout
}

// inFile returns the name that a column of the recipe has in the file.
func (s *Source) inFile(name string) string { return cmp.Or(s.layout.Rename[name], name) }

// class returns the name of the class column in the recipe.
func (s *Source) class() string { return cmp.Or(s.recipe.Target, table.ClassColumn) }

// Check returns an error if Rename or Without contains a column that the model lacks, or if two columns of
// the model would be read from one.
func (l Layout) Check(m *Model) error { return newSource(m, l).check() }

func newSource(m *Model, l Layout) *Source {
	r := m.RowRecipe()
	return &Source{Kept: l.Keep, recipe: r, label: celltext.NewLabels(m.ClassNames()),
		names: m.ClassNames(), layout: l}
}

func (s *Source) check() error {
	var names []string
	for i := range s.recipe.Columns {
		names = append(names, s.recipe.Columns[i].Name)
	}
	absent := func(name string) bool { return slices.Contains(s.layout.Without, name) }
	for _, name := range slices.Concat(s.layout.Without, slices.Sorted(maps.Keys(s.layout.Rename))) {
		if !slices.Contains(names, name) && (name != s.class() || absent(name)) {
			return table.Finding{Code: texts.NotOfModel, Column: name, Texts: names, Cause: recipe.ErrUnknownColumn}
		}
	}
	met := map[string]string{} // maps names in the file to columns of the model
	for _, name := range append(names, s.class()) {
		if absent(name) {
			if s.layout.Rename[name] != "" {
				return table.Finding{Code: texts.RenamedAbsent, Column: name}
			}
			continue
		}
		in := s.inFile(name)
		if other, is := met[in]; is && (s.layout.Rename[name] != "" || s.layout.Rename[other] != "") {
			return table.Finding{Code: texts.RenamedTwice, Column: in}
		}
		met[in] = name
	}
	return nil
}

// OpenSource opens a file of any format for a model. o describes how the file is written; what it leaves out
// is detected. The name is used in errors.
func OpenSource(ctx context.Context, r io.Reader, name string, m *Model, o Options, l Layout) (*Source,
	error) {
	s := newSource(m, l)
	fault := func(err error) (*Source, error) { return nil, &cell.Error{Name: name, Err: err} }
	if err := s.check(); err != nil {
		return fault(err)
	}
	o.Kinds, o.Drop, o.ID, o.Like = nil, nil, nil, nil
	o = ForRecipe(o, s.recipe)
	o.Like = slices.DeleteFunc(s.recipe.Like(), func(c table.Column) bool {
		return slices.Contains(l.Without, c.Name)
	})
	var wanted []string
	for i := range o.Like {
		o.Like[i].Name = s.inFile(o.Like[i].Name)
		wanted = append(wanted, o.Like[i].Name)
	}
	var err error
	if s.Reader, err = NewReader(ctx, r, name, o); err != nil {
		return nil, err
	}
	names := s.Names()
	if l.All {
		s.Kept = names
	}
	for _, name := range l.Without {
		if slices.Contains(names, name) {
			return fault(table.Finding{Code: texts.AbsentPresent, Column: name})
		}
	}
	if name := s.inFile(s.class()); slices.Contains(names, name) && !slices.Contains(wanted, name) {
		s.target = name
	}
	// lacking returns an error that lists all columns that the file lacks, or nil.
	lacking := func(code table.Code, columns []string, cause error) error {
		absent := slices.DeleteFunc(slices.Clone(columns),
			func(name string) bool { return slices.Contains(names, name) })
		if len(absent) == 0 {
			return nil
		}
		return table.Finding{Code: code, Columns: absent, Texts: names, Cause: cause}
	}
	if err := cmp.Or(lacking(texts.LackingColumns, wanted, recipe.ErrNoColumn),
		lacking(texts.LackingKept, s.Kept, ErrNoKept)); err != nil {
		return fault(err)
	}
	s.Select([]string{s.target}, s.Kept)
	return s, nil
}

// Next reads the next rows. The returned function converts them to a batch, which is most of the work, and
// may be called while further rows are read. After the last row, the error is io.EOF.
func (s *Source) Next(ctx context.Context) (func() (*predict.Batch, error), error) {
	parse, err := s.chunk(ctx)
	return func() (*predict.Batch, error) {
		t, err := parse()
		if err != nil {
			return nil, err
		}
		return s.batch(t)
	}, err
}

func (s *Source) batch(t *table.Table) (b *predict.Batch, err error) {
	b = &predict.Batch{}
	for _, name := range s.Kept {
		b.Kept = append(b.Kept, &t.Columns[t.Find(name)])
	}
	if s.target != "" {
		b.Class = s.classes(t)
	}
	t = s.asModel(t)
	rows := fitting.All(t.Rows)
	if b.X, b.Problems, err = s.recipe.Encode(nil, t, rows); err != nil {
		return nil, err
	}
	b.Novelty = s.recipe.Novelty(t, rows, b.X, b.Problems)
	b.Unlike = drift.Count(s.recipe, t, b.X, b.Problems, b.Novelty)
	return b, nil
}

// asModel returns a table with the columns of the recipe, under the names used there.
func (s *Source) asModel(t *table.Table) *table.Table {
	l := s.layout
	if l.Rename == nil && l.Without == nil {
		return t
	}
	as := *t
	as.Columns = nil
	for _, c := range s.recipe.Like() {
		if !slices.Contains(l.Without, c.Name) {
			from := t.Columns[t.Find(s.inFile(c.Name))]
			from.Name = c.Name
			as.Columns = append(as.Columns, from)
			continue
		}
		as.Columns = append(as.Columns, table.Column{Name: c.Name, Kind: table.Number,
			Numbers: slices.Repeat([]float64{math.NaN()}, t.Rows)})
	}
	return &as
}

// classes returns the class of each row, spelled as in the model if the model knows it; empty if missing.
func (s *Source) classes(t *table.Table) []string {
	c := &t.Columns[t.Find(s.target)]
	names, known := make([]string, t.Rows), map[string]string{}
	for row := range names {
		text := c.Label(row)
		if text == "" && c.Written == nil {
			text = c.Source(row) // a cell that is not a number may be the name of a class
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
