package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/dialect"
	"github.com/mpcvm/mpcvm/internal/predict"
	rows "github.com/mpcvm/mpcvm/internal/table"
)

// isParquet reports whether a path is that of a Parquet file.
func isParquet(path string) bool { return strings.EqualFold(filepath.Ext(path), ".parquet") }

// waiting returns what f returns. If ctx ends first it returns the error of ctx, even while
// f waits for a pipe.
func waiting[T any](ctx context.Context, f func() (T, error)) (T, error) {
	var (
		v    T
		err  error
		done = make(chan struct{})
	)
	go func() {
		defer close(done)
		v, err = f()
	}()
	select {
	case <-done:
		return v, err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// openFor reads a file of any kind for a recipe, which says what its columns are.
func openFor(ctx context.Context, path string, o data.Options, like *recipe.Recipe) (*table.Table, error) {
	kinds := predict.Kinds(like)
	for _, name := range like.ID {
		kinds[name] = table.ID
	}
	maps.Copy(kinds, o.Kinds)
	o.Kinds, o.Missing = kinds, slices.Concat(like.Missing, o.Missing)
	return waiting(ctx, func() (*table.Table, error) { return openLike(ctx, path, o) })
}

// openLike is data.Open with kinds of columns that need not be in the file.
func openLike(ctx context.Context, path string, o data.Options) (*table.Table, error) {
	kinds := o.Kinds
	o.Kinds = nil
	t, err := data.OpenContext(ctx, path, o)
	if err != nil {
		return nil, err
	}
	for i := range t.Columns {
		if kind, ok := kinds[t.Columns[i].Name]; ok && kind != t.Columns[i].Kind {
			if o.Kinds == nil {
				o.Kinds = map[string]table.Kind{}
			}
			o.Kinds[t.Columns[i].Name] = kind
		}
	}
	if o.Kinds == nil {
		return t, nil
	}
	return data.OpenContext(ctx, path, o)
}

// source is a file of samples that is read batch by batch.
type source struct {
	predict.Reader
	name    string // for errors
	file    *os.File
	info    os.FileInfo
	regular bool     // not a pipe
	kept    []string // names of the columns that are passed through
	rows    int64    // 0 if it is not known
	raw     *counter // counts the bytes read, if positions are not those of the file
}

// counter is a reader that counts, and stops when a context ends.
type counter struct {
	io.Reader
	ctx context.Context
	n   atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// openSource opens a file of samples to be predicted.
func (r *reading) openSource(ctx context.Context, l predict.Layout) (*source, error) {
	l.Missing = r.options.Missing
	l.Suggest = func(name string, names []string) string { return didYouMean(name, "", names) }
	f, err := waiting(ctx, func() (*os.File, error) { return os.Open(r.path) })
	if err != nil {
		return nil, err
	}
	s := &source{name: r.path, file: f}
	if s.info, err = f.Stat(); err == nil {
		s.regular = s.info.Mode().IsRegular()
		_, err = waiting(ctx, func() (bool, error) { return true, s.open(ctx, r, l) })
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// open finds out what the file is and opens the reader of its rows.
func (s *source) open(ctx context.Context, r *reading, l predict.Layout) error {
	raw := &counter{Reader: s.file, ctx: ctx}
	var in io.Reader = raw
	sample, whole, err := sampleOf(in)
	if err != nil {
		return named(s.name, err)
	}
	zipped := bytes.HasPrefix(sample, []byte("\x1f\x8b"))
	if bytes.HasPrefix(sample, []byte("PAR1")) && s.regular {
		t, err := predict.OpenParquet(ctx, s.file, s.info.Size(), s.name, l)
		if err == nil {
			s.Reader, s.rows, s.kept = t, t.Rows, t.Kept
		}
		return err
	}
	start := sample
	if zipped {
		z, err := gzip.NewReader(io.MultiReader(bytes.NewReader(sample), in))
		if err != nil {
			return named(s.name, err)
		}
		if start, whole, err = sampleOf(z); err != nil {
			return named(s.name, err)
		}
		in = z
	}
	var t *predict.Text
	if !isTable(start) {
		t, err = predict.OpenText(in, start, whole, s.name, r.dialect(), l)
	}
	if isTable(start) || errors.Is(err, dialect.ErrNotText) {
		if zipped && !s.regular {
			return fmt.Errorf("%s: %w: unpack it", s.name, data.ErrFormat)
		}
		return s.openTable(ctx, r, l, sample)
	}
	if err != nil {
		return err
	}
	s.Reader, s.kept = t, t.Kept
	if s.raw = raw; s.regular && !zipped && t.Direct() {
		s.raw = nil
		t.Seekable(s.file)
	}
	return nil
}

// sampleOf reads the start of a file, and whether it is all of it.
func sampleOf(r io.Reader) (sample []byte, whole bool, err error) {
	sample = make([]byte, predict.SampleText)
	n, err := io.ReadFull(r, sample)
	if whole = err == io.EOF || err == io.ErrUnexpectedEOF; whole {
		err = nil
	}
	return sample[:n], whole, err
}

// isTable reports whether a file is none with separated cells, or may be.
func isTable(start []byte) bool {
	start = bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\ufeff")))
	return bytes.HasPrefix(start, []byte("PK\x03\x04")) || len(start) > 0 && bytes.IndexByte([]byte("@%<{["), start[0]) >= 0
}

// openTable reads the whole file into memory. sample is what was read of a pipe.
func (s *source) openTable(ctx context.Context, r *reading, l predict.Layout, sample []byte) error {
	o := r.options
	o.Kinds, o.Missing = predict.Kinds(l.Recipe), slices.Concat(l.Recipe.Missing, o.Missing)
	var t *table.Table
	var err error
	if s.regular {
		t, err = openLike(ctx, s.name, o)
	} else {
		o.Kinds = nil
		t, err = data.ReadContext(ctx, io.MultiReader(bytes.NewReader(sample), s.file), s.name, o)
	}
	if err != nil {
		return err
	}
	in, err := predict.OpenTable(t, l)
	if err == nil {
		s.Reader, s.rows, s.kept = in, in.Rows, in.Kept
	}
	return err
}

// changed reports whether the file was changed after it was opened.
func (s *source) changed() (bool, error) {
	if !s.regular {
		return false, nil
	}
	now, err := s.file.Stat()
	return err == nil && (now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime())), err
}

// share is the share of the file before a position, from 0 to 1; 0 if it is not known.
func (s *source) share(at rows.Position) float64 {
	switch {
	case s.rows > 0:
		return float64(at.Row) / float64(s.rows)
	case s.regular && s.raw != nil && s.info.Size() > 0:
		return float64(s.raw.n.Load()) / float64(s.info.Size())
	case s.regular && s.info.Size() > 0:
		return float64(at.Offset) / float64(s.info.Size())
	}
	return 0
}

// ends returns the first and the last bytes of a regular file.
func (s *source) ends() ([]byte, error) {
	const most = 1 << 20
	size := s.info.Size()
	head := make([]byte, min(size, most))
	tail := make([]byte, min(size, most))
	if _, err := s.file.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if _, err := s.file.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return nil, err
	}
	return append(head, tail...), nil
}
