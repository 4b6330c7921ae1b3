package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// waiting returns the results of f. If ctx is done first, it returns the error of ctx, even while f waits for
// a pipe.
func waiting[T any](ctx context.Context, f func() (T, error)) (T, error) {
	var (
		v    T
		err  error
		done = make(chan struct{})
	)
	go func() {
		defer close(done)
		err = guarded(func() (err error) {
			v, err = f()
			return err
		})
	}()
	select {
	case <-done:
		return v, err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// standardInput is the path of standard input.
const standardInput = "-"

// openTable reads the table in a file or in standard input.
func openTable(ctx context.Context, path string, o tables.Options) (*table.Table, error) {
	f := os.Stdin
	if path != standardInput {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	t, err := readTable(ctx, f, path, o)
	if err != nil && path != standardInput && isModel(path) {
		return nil, misuse{fmt.Errorf("%s is a model, not a table; give it with --model, or to mpcvm show", path)}
	}
	return t, err
}

// isModel reports whether a file contains a model.
func isModel(path string) bool {
	_, err := tables.LoadFile(path)
	return err == nil
}

// maxPiped is the maximum number of bytes of standard input, which look stores to read them again.
const maxPiped = 4 << 30

// open reads the whole table, of one file or of several.
func (r *reading) open(ctx context.Context) (*table.Table, error) {
	return waiting(ctx, func() (*table.Table, error) {
		if r.path != standardInput {
			return r.openAll(ctx)
		}
		if r.piped == nil {
			piped, err := io.ReadAll(io.LimitReader(os.Stdin, maxPiped+1))
			if err == nil && len(piped) > maxPiped {
				err = fmt.Errorf("standard input exceeds %d GiB; save the table to a file", maxPiped>>30)
			}
			if err != nil {
				return nil, err
			}
			r.piped = piped
		}
		return readTable(ctx, bytes.NewReader(r.piped), r.path, r.options)
	})
}

// openAll reads all files. The first one determines the kinds of the columns.
func (r *reading) openAll(ctx context.Context) (*table.Table, error) {
	var all []*table.Table
	o := r.options
	for _, f := range r.inputs() {
		t, err := openTable(ctx, f.path, o)
		if err != nil {
			return nil, err
		}
		if all = append(all, t); len(all) == 1 {
			for _, c := range t.Columns {
				o.Like = append(slices.Clip(o.Like), table.Column{Name: c.Name, Kind: c.Kind, Unit: c.Unit,
					Layout: c.Layout, Levels: c.Levels})
			}
		}
	}
	return joined(all)
}

// inputs returns the files to read after others.
func (r *reading) inputs(others ...file) []file {
	all := slices.Concat(others, []file{r.file})
	for _, path := range r.others {
		all = append(all, file{"FILE", path})
	}
	return all
}

// joined returns the rows of several tables, which must have the same columns, as one table. The first table
// determines the kinds of the columns.
func joined(all []*table.Table) (*table.Table, error) {
	t, names := *all[0], []string{all[0].Name}
	t.Columns = slices.Clone(t.Columns)
	for _, other := range all[1:] {
		if len(other.Columns) > len(t.Columns) {
			for _, name := range other.Names() {
				if t.Find(name) < 0 {
					return nil, fmt.Errorf("%s has the column %q, which %s lacks; use --drop to leave it out",
						other.Name, name, t.Name)
				}
			}
		}
		for j := range t.Columns {
			c, at := &t.Columns[j], other.Find(t.Columns[j].Name)
			if at < 0 {
				free := slices.DeleteFunc(other.Names(), func(name string) bool { return t.Find(name) >= 0 })
				return nil, fmt.Errorf("%s lacks the column %q of %s%s", other.Name, c.Name, t.Name,
					didYouMean(c.Name, "", free))
			}
			add := &other.Columns[at]
			if c.Kind == table.Boolean {
				add = asBoolean(add, c.Levels)
			}
			if add.Kind != c.Kind {
				return nil, fmt.Errorf("%s: column %q is not read as in %s (%s, not %s); use %s", other.Name, c.Name,
					t.Name, add.Kind, c.Kind, flagFor("Kinds", c.Name+"=category"))
			}
			if add.Faults != nil {
				bad := add.Faults[0]
				return nil, fmt.Errorf("%s: row %d, column %q: %q is not a %s as in %s; use %s for a missing value",
					other.Name, bad.Row+1, c.Name, bad.Text, c.Kind, t.Name, flagFor("Missing", bad.Text))
			}
			appendCells(c, add)
		}
		t.Rows, t.Notes = t.Rows+other.Rows, slices.Concat(t.Notes, other.Notes)
		names = append(names, other.Name)
	}
	t.Name = strings.Join(names, ", ")
	return &t, nil
}

// asBoolean returns a column as a boolean; with only one of the texts, it was read as a category. If it has
// other texts, the result is a category.
func asBoolean(c *table.Column, levels []string) *table.Column {
	b := &table.Column{Kind: table.Boolean, Levels: levels, Faults: c.Faults}
	for row := range c.Len() {
		v := float64(slices.Index(levels, c.Text(row)))
		if c.Missing(row) {
			v = math.NaN()
		}
		if b.Numbers = append(b.Numbers, v); v < 0 {
			return &table.Column{Kind: table.Category}
		}
	}
	return b
}

// appendCells adds the cells of a column of the same kind to a column.
func appendCells(c, add *table.Column) {
	c.Spelling = maps.Clone(c.Spelling)
	for v, texts := range add.Spelling {
		if c.Spelling != nil && c.Spelling[v] == nil {
			c.Spelling[v] = texts
		}
	}
	if c.Numbers = slices.Concat(c.Numbers, add.Numbers); c.Kind.Numeric() {
		return
	}
	levels := slices.Concat(c.Levels, add.Levels)
	slices.Sort(levels)
	levels = slices.Compact(levels)
	codes := make([]int32, 0, len(c.Codes)+len(add.Codes))
	for _, from := range []*table.Column{c, add} {
		for _, code := range from.Codes {
			if code >= 0 {
				at, _ := slices.BinarySearch(levels, from.Levels[code])
				code = int32(at)
			}
			codes = append(codes, code)
		}
	}
	c.Levels, c.Codes = levels, codes
}

// openFor reads a file of any format for a recipe, which describes its columns.
func openFor(ctx context.Context, path string, o tables.Options, like *recipe.Recipe) (*table.Table, error) {
	o = tables.ForRecipe(o, like)
	return waiting(ctx, func() (*table.Table, error) { return openTable(ctx, path, o) })
}

// source is an open file that must not change while it is read.
type source struct {
	*os.File
	info os.FileInfo
}

// openFile opens FILE or standard input. It returns when ctx is done, even while waiting for a pipe.
func (r *reading) openFile(ctx context.Context) (*source, error) {
	f := os.Stdin
	var err error
	if r.path != standardInput {
		if f, err = waiting(ctx, func() (*os.File, error) { return os.Open(r.path) }); err != nil {
			return nil, err
		}
	}
	info, err := f.Stat()
	return &source{f, info}, err
}

// unchanged returns an error if the file, unless it is a pipe, has changed since it was opened.
func (s *source) unchanged() error {
	if !s.info.Mode().IsRegular() {
		return nil
	}
	now, err := s.Stat()
	if err == nil && (now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime())) {
		err = fmt.Errorf("%s changed while it was read; run predict again", s.Name())
	}
	return err
}
