package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// isParquet reports whether a path names a Parquet file.
func isParquet(path string) bool { return strings.EqualFold(filepath.Ext(path), ".parquet") }

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
	if path != standardInput {
		return tables.OpenContext(ctx, path, o)
	}
	return tables.ReadContext(ctx, os.Stdin, path, o)
}

// openFor reads a file of any format for a recipe, which describes its columns.
func openFor(ctx context.Context, path string, o tables.Options, like *recipe.Recipe) (*table.Table, error) {
	columns := like.Like()
	for _, name := range like.ID {
		columns = append(columns, table.Column{Name: name, Kind: table.ID})
	}
	o.Like, o.Missing = append(columns, o.Like...), slices.Concat(like.Missing, o.Missing)
	o.Limits = cmp.Or(o.Limits, like.Limits)
	return noted(ctx, func() (*table.Table, error) { return openTable(ctx, path, o) })
}

// source is a file of samples that is read in batches.
type source struct {
	*predict.Source
	name    string // for errors
	file    *os.File
	info    os.FileInfo
	regular bool // not a pipe
}

// openSource opens a file of samples for prediction.
func (r *reading) openSource(ctx context.Context, l predict.Layout) (*source, error) {
	l.Suggest = func(name string, names []string) string { return didYouMean(name, "", names) }
	f, err := waiting(ctx, func() (*os.File, error) {
		if r.path == standardInput {
			return os.Stdin, nil
		}
		return os.Open(r.path)
	})
	if err != nil {
		return nil, err
	}
	s := &source{name: r.path, file: f}
	if s.info, err = f.Stat(); err == nil {
		s.regular = s.info.Mode().IsRegular()
		s.Source, err = waiting(ctx, func() (*predict.Source, error) {
			var text io.Reader = f
			o := l.Options(r.options)
			if isLines(r.path) {
				text, o = newObjects(f), csvOptions(o)
			}
			in, err := tables.NewReader(ctx, text, r.path, o)
			if err != nil {
				return nil, err
			}
			return predict.Open(in, r.path, l)
		})
	}
	if err != nil {
		f.Close()
		return nil, withoutPackage(err)
	}
	return s, nil
}

// Notes returns the notes of the reader, with flags instead of options.
func (s *source) Notes() []string { return voice.SayAll(s.Source.Notes()) }

// unchanged returns an error if the file has changed since it was opened.
func (s *source) unchanged() error {
	if !s.regular {
		return nil
	}
	now, err := s.file.Stat()
	if err == nil && (now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime())) {
		err = fmt.Errorf("%s changed while it was read; run predict again", s.name)
	}
	return err
}
