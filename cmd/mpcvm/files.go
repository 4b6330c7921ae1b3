package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
)

// readFile reads a whole file. It returns when ctx is done, even while waiting for a pipe.
func readFile(ctx context.Context, path string) ([]byte, error) {
	return waiting(ctx, func() ([]byte, error) { return os.ReadFile(path) })
}

// loadModel reads a model.
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

// checkOutputs returns an error if an output is the same file as an input or another output, or if it cannot
// be written. It is called before the work begins.
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

// writeFile writes a file atomically.
func writeFile(path string, write func(io.Writer) error) error {
	return named(path, atomicfile.Write(path, write))
}

// writeReport writes a page with the block that draw returns. If ctx is done first, it returns at once and
// writes nothing.
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

// writeText writes a file with a text.
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
