package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Batch is a batch of consecutive rows of a file.
type Batch struct {
	X        *mat.Dense      // one sample per row; NaN in rows that cannot be used
	Class    []string        // of each row, as named by the model; empty if missing, nil without a class column
	Problems []error         // for each row, why it cannot be used; nil if all rows can be used
	Kept     []*table.Column // columns to pass through
	Unlike   []drift.Cells   // for each column of the recipe; nil if no row can be used
}

// Rows returns the number of rows.
func (b *Batch) Rows() int {
	if b.X == nil {
		return 0
	}
	n, _ := b.X.Dims()
	return n
}

// Layout describes which columns of a file are read.
type Layout struct {
	Recipe  *recipe.Recipe
	Classes []string // of the model
	Keep    []string // columns to be passed through
	All     bool     // pass all columns through
	// Rename maps names of columns in the recipe to their names in the file, if these differ. It may contain
	// the class column.
	Rename map[string]string
	// Without lists columns of the recipe that the file lacks. Their cells are treated as missing.
	Without []string
	// Suggest returns a question that suggests the most similar of several names, or "". It may be nil.
	Suggest func(name string, names []string) string
}

// Options returns the options for reading a file for a model.
func (l *Layout) Options(o tables.Options) tables.Options {
	o.Kinds, o.Drop, o.ID, o.Like, o.Missing = nil, nil, nil, nil, slices.Concat(l.Recipe.Missing, o.Missing)
	o.Limits = cmp.Or(o.Limits, l.Recipe.Limits)
	for _, c := range l.Recipe.Like() {
		if slices.Contains(l.Without, c.Name) {
			continue
		}
		c.Name = l.inFile(c.Name)
		o.Like = append(o.Like, c)
	}
	return o
}

// inFile returns the name that a column of the recipe has in the file.
func (l *Layout) inFile(name string) string { return cmp.Or(l.Rename[name], name) }

// Check returns an error if Rename or Without contains an unknown column, or if two columns coincide.
func (l *Layout) Check() error {
	var names []string
	for i := range l.Recipe.Columns {
		names = append(names, l.Recipe.Columns[i].Name)
	}
	renamed := slices.Sorted(maps.Keys(l.Rename))
	for _, name := range slices.Concat(l.Without, renamed) {
		if !slices.Contains(names, name) && (name != l.target() || slices.Contains(l.Without, name)) {
			return fmt.Errorf("%w %q: the model has %s", recipe.ErrUnknownColumn, cell.Shorten(name),
				words.ListBy(words.Quote, names, 20))
		}
	}
	met := map[string]string{} // maps names in the file to columns of the model
	for _, name := range slices.Concat(names, []string{l.target()}) {
		if slices.Contains(l.Without, name) {
			if l.Rename[name] != "" {
				return fmt.Errorf("column %q is both renamed and declared missing", cell.Shorten(name))
			}
			continue
		}
		in := l.inFile(name)
		if other, is := met[in]; is && (l.Rename[name] != "" || l.Rename[other] != "") {
			return fmt.Errorf("two columns of the model would be read from column %q of the file", cell.Shorten(in))
		}
		met[in] = name
	}
	return nil
}

// target returns the name of the class column.
func (l *Layout) target() string { return cmp.Or(l.Recipe.Target, table.ClassColumn) }

// Source converts the tables of a reader to batches.
type Source struct {
	*tables.Reader
	Kept []string // names of the columns to pass through

	recipe *recipe.Recipe
	watch  drift.Watch
	label  *celltext.Labels
	names  []string // of the classes
	target string   // the class column, or ""
	layout Layout
}

// Open locates the columns of the recipe in a file that was opened with [Layout.Options].
func Open(in *tables.Reader, name string, l Layout) (*Source, error) {
	names := in.Names()
	s := &Source{Reader: in, Kept: l.Keep, recipe: l.Recipe, watch: drift.NewWatch(l.Recipe),
		label: celltext.NewLabels(l.Classes), names: l.Classes, layout: l}
	if l.All {
		s.Kept = names
	}
	// lacking returns an error that lists all columns that the file lacks, or nil.
	lacking := func(err error, columns []string) error {
		var absent []string
		for _, name := range columns {
			if slices.Contains(names, name) {
				continue
			}
			text := fmt.Sprintf("%q", cell.Shorten(name))
			if l.Suggest != nil {
				if hint := strings.TrimPrefix(l.Suggest(name, names), ": "); hint != "" {
					text += " (" + hint + ")"
				}
			}
			absent = append(absent, text)
		}
		if absent == nil {
			return nil
		}
		return fmt.Errorf("%w: %s; it has %s", err, strings.Join(absent, ", "), words.ListBy(words.Quote, names,
			20))
	}
	s.target = l.inFile(l.target())
	if !slices.Contains(names, s.target) {
		s.target = ""
	}
	fault := func(err error) (*Source, error) { return nil, &cell.Error{Name: name, Err: err} }
	if err := l.Check(); err != nil {
		return fault(err)
	}
	var wanted []string
	for i := range l.Recipe.Columns {
		name := l.Recipe.Columns[i].Name
		column := l.inFile(name)
		if slices.Contains(l.Without, name) {
			if slices.Contains(names, name) {
				return fault(fmt.Errorf("column %q is declared missing, but the file has it", cell.Shorten(name)))
			}
			continue
		}
		wanted = append(wanted, column)
		if column == s.target {
			s.target = ""
		}
	}
	if err := cmp.Or(lacking(recipe.ErrNoColumn, wanted), lacking(ErrNoKept, s.Kept)); err != nil {
		return fault(err)
	}
	in.Select([]string{s.target}, s.Kept)
	return s, nil
}

// Next reads the next rows. The returned function converts them to a batch, which is most of the work, and
// may be called while further rows are read. After the last row, the error is io.EOF.
func (s *Source) Next(ctx context.Context) (func() (*Batch, error), error) {
	chunk, err := s.Chunk(ctx)
	return func() (*Batch, error) {
		t, err := chunk.Parse()
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
	for _, name := range s.Kept {
		b.Kept = append(b.Kept, &t.Columns[t.Find(name)])
	}
	if s.target != "" {
		b.Class = s.classes(t)
	}
	t = s.layout.asModel(t)
	if b.X, b.Problems, err = s.recipe.Encode(nil, t, rows); err != nil {
		return nil, err
	}
	b.Unlike = s.watch.Count(t, b.X, b.Problems)
	return b, nil
}

// asModel returns a table with the columns of the recipe, under the names used there.
func (l *Layout) asModel(t *table.Table) *table.Table {
	if l.Rename == nil && l.Without == nil {
		return t
	}
	as := *t
	as.Columns = nil
	for _, c := range l.Recipe.Like() {
		if !slices.Contains(l.Without, c.Name) {
			from := t.Columns[t.Find(l.inFile(c.Name))]
			from.Name = c.Name
			as.Columns = append(as.Columns, from)
			continue
		}
		absent := table.Column{Name: c.Name, Kind: table.Number, Numbers: make([]float64, t.Rows)}
		setNaN(absent.Numbers)
		as.Columns = append(as.Columns, absent)
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

// ErrNoKept is returned if a column to pass through is not in the file.
var ErrNoKept = errors.New("columns to keep not found")

// Reason describes why a row cannot be used, without the name of the file and the row number.
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
