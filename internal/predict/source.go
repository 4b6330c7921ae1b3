package predict

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/data/table"
	"github.com/mpcvm/mpcvm/internal/dialect"
)

// File is what a Source reads.
type File struct {
	Name string // for errors
	// R is read from its start. If Size is not negative it can be read at any position, too.
	R interface {
		io.Reader
		io.ReaderAt
		io.Seeker
	}
	Size int64 // −1 of a pipe
	// Options say how the file is written; what is empty is found out. Their Kinds, Drop and ID do
	// not count. Dialect is the same for a text.
	Options data.Options
	Dialect dialect.Options
	// Table reads the whole file as a table, of which begun was read. It is for files that cannot
	// be read piece by piece.
	Table func(begun []byte, o data.Options) (*table.Table, error)
}

// Source reads the rows of a file of any type in batches. It is a [Reader].
type Source struct {
	Reader
	Kept []string // names of the columns that are passed through

	tables *Tables  // nil of a text
	raw    *counter // counts the bytes read of a text
	size   int64    // of the file
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

// Open finds out what a file is and opens the reader of its rows. l.Missing is that of the options.
func Open(ctx context.Context, f File, l Layout) (*Source, error) {
	l.Missing = f.Options.Missing
	s := &Source{size: f.Size}
	raw := &counter{Reader: f.R, ctx: ctx}
	var in io.Reader = raw
	named := func(err error) error {
		if in, ok := errors.AsType[*fs.PathError](err); ok {
			err = in.Err
		}
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	sample, whole, err := sampleOf(in)
	if err != nil {
		return nil, named(err)
	}
	if f.Options.Sheet != "" { // of an Excel file; others are refused
		return s, s.openTable(f, l, sample)
	}
	regular, zipped := f.Size >= 0, bytes.HasPrefix(sample, []byte("\x1f\x8b"))
	if bytes.HasPrefix(sample, []byte("PAR1")) && regular {
		t, err := OpenParquet(ctx, f.R, f.Size, f.Name, l)
		if err != nil {
			return nil, err
		}
		s.Reader, s.tables, s.Kept = t, t, t.Kept
		return s, nil
	}
	start := sample
	if zipped {
		z, err := dialect.Unzip(io.MultiReader(bytes.NewReader(sample), in))
		if err != nil {
			return nil, named(err)
		}
		if start, whole, err = sampleOf(z); err != nil {
			return nil, named(err)
		}
		in = z
	}
	var t *Text
	if !isTable(start) {
		t, err = OpenText(in, start, whole, f.Name, f.Dialect, l)
	}
	if isTable(start) || errors.Is(err, dialect.ErrNotText) {
		if zipped && !regular {
			return nil, named(fmt.Errorf("%w: unpack it", data.ErrFormat))
		}
		return s, s.openTable(f, l, sample)
	}
	if err != nil {
		return nil, err
	}
	s.Reader, s.Kept, s.raw = t, t.Kept, raw
	return s, nil
}

// sampleOf reads the start of a file, and whether it is all of it.
func sampleOf(r io.Reader) (sample []byte, whole bool, err error) {
	sample = make([]byte, SampleText)
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

// openTable reads the whole file into memory.
func (s *Source) openTable(f File, l Layout, begun []byte) error {
	o := f.Options
	o.Kinds, o.Expect, o.Units, o.Missing = nil, Kinds(l.Recipe), Units(l.Recipe), slices.Concat(l.Recipe.Missing, o.Missing)
	t, err := f.Table(begun, o)
	if err != nil {
		return err
	}
	in, err := OpenTable(t, l)
	if err != nil {
		return err
	}
	s.Reader, s.tables, s.Kept = in, in, in.Kept
	return nil
}

// Share is the share of the file that was read, from 0 to 1; 0 if it is not known.
func (s *Source) Share() float64 {
	switch {
	case s.tables != nil:
		return float64(s.tables.row.Load()) / float64(s.tables.Rows)
	case s.size <= 0:
		return 0
	}
	return float64(s.raw.n.Load()) / float64(s.size)
}
