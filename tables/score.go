package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"runtime/debug"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/polled"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// ScoreSettings configure [Score].
type ScoreSettings struct {
	Model *Model
	// Name is the name of the file, for errors, and Options describe how it is written; the rest is detected.
	Name    string
	Options Options
	// Layout lists which columns are read and which are passed through.
	Layout
	// Format is the format of the output: "csv", "json", "jsonl" or "parquet". If it is empty, it is "csv".
	Format string
	// Proba adds the probability of each class, and Sets, if positive, the prediction set with this coverage.
	Proba bool
	Sets  float64
	// Costs replaces the costs of the model; see mpcvm.Model.Decide. It may be nil.
	Costs *mat.Dense
	// Voice puts the reasons why rows cannot be used, and the warnings of the formats, into words. If it is nil,
	// table.Go is used.
	Voice *table.Voice
	// Progress, if not nil, is called after each batch with the number of rows so far and the share of the file
	// that has been read, 0 if unknown.
	Progress func(rows int64, share float64)
}

// Tally is the result of [Score].
type Tally struct {
	predict.Tally
	// Kept lists the columns that were passed through, and Warnings are what the reader noticed and how the
	// rows differ from the training rows.
	Kept     []string
	Warnings []table.Finding
}

// Score predicts the rows of a file of any format and any size, and writes the predictions to w. Rows that
// cannot be used have a reason instead of a class; see predict.Tally.Failure. If the context ends, Score
// returns its error at once, even while it waits for r.
func Score(ctx context.Context, r io.Reader, w io.Writer, s ScoreSettings) (Tally, error) {
	p := predict.New(s.Model, s.Proba)
	if err := p.Configure(s.Costs, s.Sets, s.Voice); err != nil {
		return Tally{}, err
	}
	ctx, cancel := polled.WithCancel(ctx)
	defer cancel() // the reader may still wait for a pipe
	in, err := opened(ctx, r, s)
	if err != nil {
		return Tally{}, err
	}
	p.Keep(in.Kept)
	total := Tally{Kept: in.Kept}
	form, err := p.Format(s.Format)
	if err != nil {
		return total, err
	}
	to := form.Open(w)
	err = in.score(ctx, p, form, func(u *predict.Predictions) error {
		total.Add(u.Tally)
		if s.Progress != nil {
			defer func() { s.Progress(total.Rows, in.Share()) }()
		}
		return to.Write(u)
	})
	if err != nil {
		return total, err
	}
	total.Warnings = slices.Concat(in.Notes(), p.Warnings(total.Tally))
	return total, to.Close(total.Warnings)
}

// opened opens the source. It returns when ctx is done, even while r waits for a pipe.
func opened(ctx context.Context, r io.Reader, s ScoreSettings) (*Source, error) {
	var in *Source
	done := make(chan error, 1)
	go func() {
		done <- guarded(func() (err error) {
			in, err = OpenSource(ctx, r, s.Name, s.Model, s.Options, s.Layout)
			return err
		})
	}()
	select {
	case err := <-done:
		return in, raise(err)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type unit struct {
	predict.Predictions
	parse func() (*predict.Batch, error)
	err   error
	done  chan struct{}
}

// score predicts the batches of a file on all cores. One goroutine reads batches, others parse, predict and
// encode them, and write receives them in order. Units are reused, so memory does not grow with the number of
// rows. score returns the first error of the reader, a unit or write, or ctx.Err().
func (s *Source) score(ctx context.Context, p *predict.Predictor, form predict.Format,
	write func(*predict.Predictions) error) error {
	n := runtime.GOMAXPROCS(0) + 2 // one more for the reader and one for write
	free, order := make(chan *unit, n), make(chan *unit, n)
	for range n {
		free <- &unit{done: make(chan struct{}, 1)}
	}
	go func() {
		defer close(order)
		for {
			var u *unit
			select {
			case u = <-free:
			case <-ctx.Done():
				return
			}
			u.err = guarded(func() (err error) {
				u.parse, err = s.Next(ctx)
				return err
			})
			if u.err != nil {
				u.done <- struct{}{}
				order <- u
				return
			}
			order <- u
			go func() {
				if ctx.Err() == nil {
					u.err = guarded(func() error { return u.predict(p, form) })
				}
				u.done <- struct{}{}
			}()
		}
	}()
	for u := range order {
		select {
		case <-u.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		switch {
		case ctx.Err() != nil: // the unit may not have been processed
			return ctx.Err()
		case u.err == io.EOF:
			return nil
		case u.err != nil:
			return raise(u.err)
		}
		if err := write(&u.Predictions); err != nil {
			return err
		}
		free <- u
	}
	return ctx.Err()
}

func (u *unit) predict(p *predict.Predictor, form predict.Format) error {
	batch, err := u.parse()
	if err != nil {
		return err
	}
	if p.Predict(&u.Predictions, batch); len(u.Labels) == 0 {
		return nil // the batch is blank lines
	}
	return form.Encode(&u.Predictions)
}

// crash is a panic of a goroutine with its stack.
type crash string

func (c crash) Error() string { return string(c) }

// guarded calls f and returns its error, or a crash if f panics.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = crash(fmt.Sprintf("%v\n\n%s", v, debug.Stack()))
		}
	}()
	return f()
}

// raise panics if an error is a crash, so that the caller of Score can recover it.
func raise(err error) error {
	if c, ok := err.(crash); ok {
		panic(c)
	}
	return err
}

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
				if label := s.label.Find(text, s.number); label >= 0 {
					name = s.names[label]
				}
			}
			known[text] = name
		}
		names[row] = name
	}
	return names
}
