package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// waiting returns the results of f, or the error of ctx once it is done, even while f waits for a pipe.
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

const standardInput = "-"

func openTable(ctx context.Context, path string, o tables.Options) (*table.Table, error) {
	f := os.Stdin
	if path != standardInput {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s: is a directory; for its files, use %s", path, filepath.Join(path, "*.csv"))
		}
	}
	t, err := readTable(ctx, f, path, o)
	if err != nil && path != standardInput && isModel(path) {
		return nil, misuse{fmt.Errorf("%s is a model, not a table; give it with --model, or to mpcvm show", path)}
	}
	return t, err
}

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

// joined returns the rows of several tables with the same columns. The first determines the kinds.
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

// openFile opens FILE or standard input. It returns when ctx is done, even while waiting for a pipe.
func (r *reading) openFile(ctx context.Context) (*os.File, error) {
	if r.path == standardInput {
		return os.Stdin, nil
	}
	return waiting(ctx, func() (*os.File, error) { return os.Open(r.path) })
}

// unchanged returns an error if the file, unless it is a pipe, has changed since before.
func unchanged(f *os.File, before os.FileInfo) error {
	now, err := f.Stat()
	if err == nil && before.Mode().IsRegular() &&
		(now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime())) {
		err = fmt.Errorf("%s changed while it was read; run predict again", f.Name())
	}
	return err
}

// readFile reads a whole file. It returns when ctx is done, even while waiting for a pipe.
func readFile(ctx context.Context, path string) ([]byte, error) {
	return waiting(ctx, func() ([]byte, error) { return os.ReadFile(path) })
}

func loadModel(ctx context.Context, path string) (*tables.Model, error) {
	text, err := readFile(ctx, path)
	if err != nil {
		return nil, err
	}
	return parseModel(ctx, text, path)
}

func parseModel(ctx context.Context, text []byte, path string) (*tables.Model, error) {
	m, err := waiting(ctx, func() (*tables.Model, error) { return tables.Load(bytes.NewReader(text)) })
	switch {
	case err != nil && !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		return nil, fmt.Errorf("%s is not a model; mpcvm fit --model writes one: %w", path, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// file is the file of a flag; path is "" if the flag is not used.
type file struct{ flag, path string }

// formats are extensions of files with a format of their own, which a report or a model does not have.
var formats = append(otherFormats, ".csv", ".json", ".jsonl", ".parquet")

// checkOutputs returns an error if an output is the same file as an input or another output, if its extension
// belongs to another format, or if it cannot be written. It is called before the work begins.
func checkOutputs(inputs, outputs []file) error {
	var writable []file
	for _, o := range outputs {
		switch o.path {
		case "":
			continue
		case standardInput:
			return misuse{fmt.Errorf("%s needs the name of a file; - is standard input", o.flag)}
		}
		for _, other := range slices.Concat(inputs, writable) {
			if other.path != "" && same(o.path, other.path) {
				return misuse{fmt.Errorf("%s and %s are the same file: %s", other.flag, o.flag, o.path)}
			}
		}
		wants, ext := map[string]string{"--report": ".html", "--model": ".json"}[o.flag], filepath.Ext(o.path)
		lower := strings.ToLower(ext) // .htm is allowed
		if wants != "" && slices.Contains(formats, lower) && !strings.HasPrefix(wants, lower) {
			return misuse{fmt.Errorf("%s %s: the file is written as %s; name it %s", o.flag, o.path, wants[1:],
				strings.TrimSuffix(filepath.Base(o.path), ext)+wants)}
		}
		writable = append(writable, o)
	}
	for _, o := range writable {
		if err := atomicfile.Check(o.path); err != nil {
			return named(o.path, err)
		}
	}
	return nil
}

// same reports whether two paths refer to the same file, which need not exist.
func same(a, b string) bool {
	equal := func(a, b string) bool {
		x, errX := os.Stat(a)
		y, errY := os.Stat(b)
		return errX == nil && errY == nil && os.SameFile(x, y)
	}
	return filepath.Clean(a) == filepath.Clean(b) || equal(a, b) ||
		filepath.Base(a) == filepath.Base(b) && equal(filepath.Dir(a), filepath.Dir(b))
}

// named returns an error that contains the path exactly once.
func named(path string, err error) error {
	var (
		inPath *fs.PathError
		inLink *os.LinkError
		inCell *tables.CellError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &inCell) && inCell.Name == path:
		return err
	case errors.As(err, &inPath):
		err = inPath.Err
	case errors.As(err, &inLink):
		err = inLink.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func writeFile(path string, write func(io.Writer) error) error {
	return named(path, atomicfile.Write(path, write))
}

// writeReport writes the page that draw returns. If ctx is done first, it returns at once and writes nothing.
func writeReport(ctx context.Context, path, title string, draw func() (nbhelpers.Block, error)) error {
	page, err := waiting(ctx, func() (*bytes.Buffer, error) {
		block, err := draw()
		if err != nil {
			return nil, err
		}
		page := new(bytes.Buffer)
		return page, nbhelpers.WritePage(page, title, block)
	})
	if err != nil {
		return named(path, err)
	}
	return writeText(path, page)
}

func writeText(path string, text *bytes.Buffer) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	})
}

// setName returns the name of the set in a file: its base name without the extension.
func setName(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
