package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/data/parquet"
	"github.com/mpcvm/mpcvm/internal/table"
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

// readLabelled reads training data from a CSV or a Parquet file or, if like is not nil, test
// data for a model that was trained on like.
func readLabelled(ctx context.Context, path string, like *data.Set) (*data.Set, error) {
	if !isParquet(path) {
		return waiting(ctx, func() (*data.Set, error) {
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			if like != nil {
				return data.ReadCSVLike(f, path, like)
			}
			return data.ReadCSV(f, path)
		})
	}
	f, size, err := openSized(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if like != nil {
		return data.ReadParquetLike(f, size, path, like)
	}
	return data.ReadParquet(f, size, path)
}

// readFeatures reads samples to be predicted from a CSV or a Parquet file.
func readFeatures(ctx context.Context, path string, features []string) (*mat.Dense, []string, error) {
	if !isParquet(path) {
		text, err := readFile(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		return data.ReadFeatures(text, path, features)
	}
	f, size, err := openSized(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return parquet.ReadFeatures(f, size, path, features)
}

// openSized opens a Parquet file, which must be a regular file.
func openSized(ctx context.Context, path string) (*os.File, int64, error) {
	f, err := waiting(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("a Parquet file must be a regular file")
	}
	if err != nil {
		f.Close()
		return nil, 0, named(path, err)
	}
	return f, info.Size(), nil
}

// source is a file of samples that is read batch by batch.
type source struct {
	table.Reader
	name    string // for errors
	file    *os.File
	info    os.FileInfo
	regular bool // not a pipe
	rows    int64
}

// openSource opens a CSV or a Parquet file of samples to be predicted.
func openSource(ctx context.Context, path string, features []string) (s *source, err error) {
	s = &source{}
	if isParquet(path) {
		f, size, err := openSized(ctx, path)
		if err != nil {
			return nil, err
		}
		p, err := parquet.Open(f, size, path, features)
		if err != nil {
			f.Close()
			return nil, err
		}
		s.file, s.rows, s.Reader = f, p.Rows(), p
	} else {
		s, err = waiting(ctx, func() (*source, error) {
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			c, err := table.OpenCSV(f, path, features)
			if err != nil {
				f.Close()
				return nil, err
			}
			return &source{file: f, Reader: c}, nil
		})
		if err != nil {
			return nil, err
		}
	}
	if s.info, err = s.file.Stat(); err != nil {
		s.file.Close()
		return nil, err
	}
	s.name, s.regular = path, s.info.Mode().IsRegular()
	return s, nil
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
func (s *source) share(at table.Position) float64 {
	switch {
	case s.rows > 0:
		return float64(at.Row) / float64(s.rows)
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
