package predict

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/data/parquet"
	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/cell"
)

// Tables reads rows of a table in memory or of a Parquet file. It is a [Reader].
type Tables struct {
	Names []string // of the columns
	Kept  []string // columns that are passed through
	Rows  int64

	recipe *recipe.Recipe
	labels labels
	watch  watch
	places                                        // in Names
	next   func(row int64, n int) (*slice, error) // the rows follow each other
	row    atomic.Int64
	most   int // rows of a batch
}

// slice is rows of a table: lo to hi, hi excluded.
type slice struct {
	*table.Table
	lo, hi int
}

// OpenTable reads the rows of a table in memory.
func OpenTable(t *table.Table, l Layout) (*Tables, error) {
	return newTables(t.Name, t.Names(), int64(t.Rows), l, func(row int64, n int) (*slice, error) {
		return &slice{t, int(row), int(row) + n}, nil
	})
}

// OpenParquet reads the rows of a Parquet file. Reading stops when ctx ends.
func OpenParquet(ctx context.Context, r io.ReaderAt, size int64, name string, l Layout) (*Tables, error) {
	f, err := parquet.OpenTable(r, size, name)
	if err != nil {
		return nil, err
	}
	t, err := newTables(name, f.Names(), f.Rows(), l, nil)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, k := range t.keep {
		wanted[t.Names[k]] = true
	}
	if t.target >= 0 {
		wanted[t.Names[t.target]] = true
	}
	for _, k := range t.columns {
		wanted[t.Names[k]] = true
	}
	o := parquet.TableOptions{Missing: append(append([]string{}, l.Recipe.Missing...), l.Missing...), Kinds: Kinds(l.Recipe), Units: Units(l.Recipe)}
	for _, name := range t.Names {
		if !wanted[name] {
			o.Drop = append(o.Drop, name)
		}
	}
	t.next = func(_ int64, n int) (*slice, error) {
		part, err := f.ReadRows(ctx, n, o)
		if err != nil {
			return nil, err
		}
		return &slice{part, 0, n}, nil
	}
	return t, nil
}

// Kinds are the kinds that the cells of a file must be read as for a recipe. A category or
// boolean is any texts or numbers.
func Kinds(r *recipe.Recipe) map[string]table.Kind {
	kinds := map[string]table.Kind{}
	for _, c := range r.Columns {
		if kind, err := table.ParseKind(c.Kind); err == nil && kind != table.Boolean && kind != table.Category {
			kinds[c.Name] = kind
		}
	}
	return kinds
}

// Units are the units of the numbers of a recipe.
func Units(r *recipe.Recipe) map[string]string {
	units := map[string]string{}
	for _, c := range r.Columns {
		if c.Kind == table.Number.String() {
			units[c.Name] = c.Unit
		}
	}
	return units
}

func newTables(name string, names []string, n int64, l Layout, next func(int64, int) (*slice, error)) (*Tables, error) {
	if n == 0 {
		return nil, &cell.Error{Name: name, Err: cell.ErrEmpty}
	}
	t := &Tables{Names: names, Rows: n, recipe: l.Recipe, watch: newWatch(l.Recipe), labels: labels{Labels: cell.NewLabels(l.Classes), classes: l.Classes}, next: next, most: batchRows(l.Recipe.Width())}
	var err error
	if t.places, err = l.find(name, names); err != nil {
		return nil, err
	}
	t.Kept = t.places.kept
	return t, nil
}

// Read is that of [Reader].
func (t *Tables) Read(b *Batch) (err error) {
	b.empty()
	n := int(min(int64(t.most), t.Rows-t.row.Load()))
	if n == 0 {
		return io.EOF
	}
	if b.table, err = t.next(t.row.Load(), n); err != nil {
		return err
	}
	t.row.Add(int64(n))
	b.parse = t.parse
	return nil
}

func (t *Tables) parse(b *Batch) error {
	s, d := b.table, t.recipe.Width()
	n := s.hi - s.lo
	which := make([]int, n)
	for i := range which {
		which[i] = s.lo + i
	}
	b.grow(n, d)
	b.shape(n, d)
	var err error
	if _, b.Problems, err = t.recipe.Encode(b.X, s.Table, which); err != nil {
		return err
	}
	column := func(k int) (c *table.Column, faults map[int]string) {
		c = &s.Columns[s.Find(t.Names[k])]
		for _, f := range c.Faults {
			if faults == nil {
				faults = map[int]string{}
			}
			faults[f.Row] = f.Text
		}
		return c, faults
	}
	from, missing := make([]*table.Column, len(t.columns)), make([]bool, len(t.columns))
	for i, k := range t.columns {
		from[i], _ = column(k)
	}
	for i, row := range which {
		if b.Problems == nil || b.Problems[i] == nil {
			for k, c := range from {
				missing[k] = c.Missing(row) // it is no fault, as the row can be used
			}
			t.watch.see(b, b.X.RawRowView(i), missing, func(k int) []byte { return []byte(from[k].Text(row)) })
		}
	}
	if t.target >= 0 {
		c, faults := column(t.target)
		for _, row := range which {
			text, bad := faults[row]
			if !bad {
				text = c.Text(row)
			}
			b.classes = append(b.classes, b.name([]byte(text), &t.labels))
		}
		b.Class = b.classes
	}
	if len(t.keep) == 0 {
		return nil
	}
	kept, faults := make([]*table.Column, len(t.keep)), make([]map[int]string, len(t.keep))
	for i, k := range t.keep {
		kept[i], faults[i] = column(k)
	}
	for _, row := range which {
		for i, c := range kept {
			text, bad := faults[i][row]
			if !bad {
				text = c.Text(row)
			}
			b.Kept.add([]byte(text))
		}
	}
	return nil
}
