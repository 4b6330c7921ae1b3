package tables

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Reader reads a file in chunks of rows. It is not safe for concurrent use.
//
// For Parquet files and delimited text, also from a pipe or compressed by gzip, it keeps only a few chunks in
// memory. Other files are read into memory first.
type Reader struct {
	name    string
	o       Options
	names   []string
	number  func(text string) (v float64, ok bool)
	texts   []string // arguments of Select
	written []string
	next    func(ctx context.Context, rows int) (parse, error)
	share   func() float64
	notes   func() []table.Finding
}

// Limits of a chunk.
const (
	chunkRows  = 1 << 15
	chunkCells = 1 << 20
	chunkText  = 8 << 20 // bytes
)

// NewReader returns a Reader for r and detects the format of the file. If r is an io.Seeker, it is read from
// its start. The name is used in errors, which are like the errors of [Open].
//
// The reader reads the columns of o.Like that the file has, and the columns of [Reader.Select]. If the first
// record of a text file contains the names of all columns of o.Like, it is the header.
func NewReader(ctx context.Context, r io.Reader, name string, o Options) (*Reader, error) {
	raw := &counter{Reader: stopping{ctx, r}}
	f, ok := seekable(r, name)
	if ok {
		raw.Reader = stopping{ctx, io.NewSectionReader(f.at, 0, f.size)}
	}
	p := &Reader{number: detect.Number, name: name, o: o, notes: func() []table.Finding { return nil }}
	err := p.open(ctx, f, raw)
	if err == nil {
		return p, nil
	}
	if in, ok := errors.AsType[*fs.PathError](err); ok {
		err = in.Err
	}
	return nil, failed(ctx, name, err)
}

// open detects the format of the file. raw reads it from its start.
func (p *Reader) open(ctx context.Context, f file, raw *counter) error {
	in, err := newReplay(raw)
	if err != nil {
		return err
	}
	regular, what := f.at != nil, binaryFormat(in.sample).name
	if p.o.Sheet == "" && what == parquetFile && regular {
		return p.parquet(f)
	}
	if p.o.Sheet == "" { // not an Excel file
		plain := in
		if what == gzipFile {
			rest, err := dialect.Unzip(in.whole())
			if err != nil {
				return err
			}
			if plain, err = newReplay(rest); err != nil {
				return err
			}
		}
		err = dialect.ErrNotText
		if isObjects(bytes.TrimSpace(plain.sample), plain.all) {
			var again func() (io.Reader, error)
			if regular {
				again = func() (io.Reader, error) { return (&text{file: f, gzip: what == gzipFile}).open(ctx) }
			}
			err = p.objects(plain, again)
		} else if !plain.isOther(p.o) {
			err = p.text(plain)
		}
		p.share = func() float64 { return float64(raw.n.Load()) / max(float64(f.size), 1) }
		if f.size < 0 {
			p.share = func() float64 { return 0 }
		}
		if !errors.Is(err, dialect.ErrNotText) {
			return err
		}
		if what == gzipFile && !regular {
			return binaryFormat(in.sample).refuse()
		}
	}
	if !regular {
		most := min(maxPiped, int64(memory.Available()/2))
		text, err := readAll(in.whole(), most)
		if err != nil {
			return err
		}
		f.at, f.size = bytes.NewReader(text), int64(len(text))
	}
	t, err := f.read(ctx, p.o)
	if err == nil {
		p.slices(t)
	}
	return err
}

type counter struct {
	io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// isOther reports whether a file is something other than a delimited text.
func (p *replay) isOther(o Options) bool {
	if binaryFormat(p.sample).name != "" {
		return true
	}
	_, start, err := dialect.Decode(p.sample, p.all, o)
	return err == nil && formatOf(bytes.TrimSpace(start), p.all) < len(textFormats)-1
}

// Names returns the names of the columns of the file.
func (p *Reader) Names() []string { return p.names }

// Select names columns to read in addition to Options.Like. The columns named in texts are read as kind Text.
// For the columns named in written, the tables keep the cells exactly as they appear in the file; see
// Column.Written and Column.Source. Select must be called before the first chunk is read.
func (p *Reader) Select(texts, written []string) { p.texts, p.written = texts, written }

func (p *Reader) like() []table.Column {
	like := p.o.Like
	for _, name := range slices.Concat(p.texts, p.written) {
		if !slices.ContainsFunc(like, func(c table.Column) bool { return c.Name == name }) {
			like = append(slices.Clip(like), table.Column{Name: name, Kind: table.Text})
		}
	}
	return like
}

// parse parses rows that have been read, which takes most of the time. It must be called only once, but
// different rows can be parsed concurrently, also while further ones are read.
type parse func() (*table.Table, error)

func (p *Reader) chunk(ctx context.Context) (parse, error) {
	return p.next(ctx, min(chunkRows, max(chunkCells/(1+len(p.like())), 1)))
}

// Next reads the next rows, at most 32,768. After the last row it returns io.EOF.
//
// The kinds of the columns come from Options.Like, but a boolean may get another kind, as may a selected
// column of a Parquet file. In a text file, all cells of a row with too few or too many cells are missing;
// see Table.Ragged.
func (p *Reader) Next(ctx context.Context) (*table.Table, error) {
	parse, err := p.chunk(ctx)
	if err != nil {
		return nil, err
	}
	return parse()
}

// Share returns the fraction of the file that has been read, or 0 if it is unknown. It is safe at any time.
func (p *Reader) Share() float64 { return p.share() }

// Notes returns the notes that Open would give about the file, such as a guessed encoding, replaced bytes and
// skipped lines. They are complete after the last row.
func (p *Reader) Notes() []table.Finding { return p.notes() }

func (p *Reader) slices(t *table.Table) {
	var row atomic.Int64 // Share may be called while a chunk is read
	p.names = t.Names()
	p.share = func() float64 { return float64(row.Load()) / float64(max(t.Rows, 1)) }
	p.next = func(ctx context.Context, rows int) (parse, error) {
		lo := int(row.Load())
		hi := min(lo+rows, t.Rows)
		if lo == hi {
			return nil, io.EOF
		}
		row.Store(int64(hi))
		return func() (*table.Table, error) { return t.Slice(lo, hi), ctx.Err() }, nil
	}
}

func (p *Reader) text(in *replay) error {
	if len(bytes.TrimSpace(in.sample)) == 0 {
		return ErrEmpty
	}
	o := p.o
	o.Header = cmp.Or(o.Header, "yes")
	x, err := p.header(in, o)
	if err != nil {
		return err
	}
	tries := []Options{o, o, o, p.o}
	for i := range tries[:3] { // other lines may precede the header
		tries[i].Skip += i + 1
	}
	for i, o := range tries {
		if p.lacks(x.names) && (i < 3 && p.o.Skip == 0 || i == 3 && p.o.Header == "") {
			if other, err := p.header(in, o); err == nil && !p.lacks(other.names) {
				x = other
			}
		}
	}
	p.names, p.number = x.names, x.d.Number
	r := dialect.NewReader(in.whole(), p.name, x.d)
	var repeated atomic.Int64 // number of headings below the first row
	p.notes = func() []table.Finding {
		notes := r.Notes()
		if n := repeated.Load(); n > 0 {
			notes = append(notes, table.Finding{Code: texts.SkippedHeadings, N: int(n)})
		}
		return notes
	}
	if x.d.Header {
		if _, _, err := r.Next(); err != nil {
			return err
		}
	}
	var plan *detect.Plan
	p.next = func(ctx context.Context, rows int) (parse, error) {
		b, err := r.Block(rows, chunkText)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && plan == nil {
			plan, err = p.plan(x.number(), &block{delimited: x, Block: b.Copy(), repeated: new(atomic.Int64)})
		}
		return func() (*table.Table, error) {
			rows := &block{delimited: x, Block: b, repeated: &repeated}
			t, err := plan.Parse(rows)
			if err == nil {
				t.Ragged = rows.ragged
			}
			b.Free()
			return t, err
		}, err
	}
	return nil
}

// plan makes the plan of the columns. The sample shows how their cells are written.
func (p *Reader) plan(number func(string) (float64, bool), sample detect.Rows) (*detect.Plan, error) {
	plan, err := detect.New(detect.Source{File: p.name, Columns: p.names, Number: number, Written: p.written,
		Chunked: true}, Options{Missing: p.o.Missing, Limits: p.o.Limits, Like: p.like()})
	if err == nil {
		err = plan.Decode(sample)
	}
	return plan, err
}

// lacks reports whether a column of Options.Like is not among the names.
func (p *Reader) lacks(names []string) bool {
	return slices.ContainsFunc(p.o.Like, func(c table.Column) bool { return !slices.Contains(names, c.Name) })
}

// header detects how a text is written and reads the names of its columns.
func (p *Reader) header(in *replay, o Options) (x *delimited, err error) {
	x = &delimited{name: p.name}
	if x.d, err = dialect.Detect(in.sample, in.all, o); err != nil {
		return nil, err
	}
	header, first, err := x.head(in.start())
	if err == nil {
		x.names, _ = x.d.Names(header, first)
	}
	return x, err
}
