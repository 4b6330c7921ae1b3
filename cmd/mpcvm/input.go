package main

import (
	"context"
	"fmt"
	"os"

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
	t, err := tables.Read(ctx, f, path, o)
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

// openFor reads a file of any format for a recipe, which describes its columns.
func openFor(ctx context.Context, path string, o tables.Options, like *recipe.Recipe) (*table.Table, error) {
	o = tables.ForRecipe(o, like)
	return noted(ctx, func() (*table.Table, error) { return openTable(ctx, path, o) })
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
