package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/tables/internal/columns"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Reader reads a file of any type and length as tables of some rows. It is not for concurrent use.
//
// A text, also one of a pipe or compressed by gzip, and a Parquet file take the memory of a few parts
// only. Other files are read into memory first.
type Reader struct {
	// Names are the names of the columns of the file.
	Names []string
	// Number parses a number as the file writes it.
	Number func(text string) (v float64, ok bool)

	name  string
	o     Options
	also  []string
	keep  []string // as they are written
	part  func(ctx context.Context, rows int) (func() (*table.Table, error), error)
	share func() float64
	notes func() []string

	headings dialect.Headings
	repeated atomic.Int64 // headings below the first row
}

// Bounds of a part.
const (
	partRows  = 1 << 15
	partCells = 1 << 20
	partText  = 8 << 20 // bytes
)

// NewReader finds out how a file is written. If r can seek it is read from its start. The name is
// for errors, which are as of [Open].
//
// It reads the columns of o.Like, as far as the file has them, and the columns that Also and Keep
// name. If the first record of a text has the names of all columns of o.Like, it is the header.
func NewReader(ctx context.Context, r io.Reader, name string, o Options) (*Reader, error) {
	raw := &counter{Reader: stopping{ctx, r}}
	f := file{name: name, size: -1}
	if at, ok := r.(io.ReaderAt); ok {
		if s, ok := r.(io.Seeker); ok {
			if size, err := s.Seek(0, io.SeekEnd); err == nil { // a pipe cannot
				f.size, f.at = size, at
				raw.Reader = stopping{ctx, io.NewSectionReader(at, 0, size)}
			}
		}
	}
	p := &Reader{Number: columns.Number, name: name, o: o}
	err := p.open(ctx, f, raw)
	if err == nil {
		return p, nil
	}
	if in, ok := errors.AsType[*fs.PathError](err); ok {
		err = in.Err
	}
	return nil, failed(ctx, name, err)
}

// open finds out what the file is. raw reads it from its start.
func (p *Reader) open(ctx context.Context, f file, raw *counter) error {
	sample, whole, err := sampleOf(raw)
	if err != nil {
		return err
	}
	regular, what := f.at != nil, format(sample)
	all := func() error {
		if !regular {
			text, err := readAll(io.MultiReader(bytes.NewReader(sample), raw), min(maxPiped, int64(memory.Available()/2)))
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
	if p.o.Sheet != "" { // of an Excel file; others are refused
		return all()
	}
	if what == "parquet" && regular {
		return p.parquet(f)
	}
	start, rest := sample, io.Reader(raw)
	if what == "gzip" {
		if rest, err = dialect.Unzip(io.MultiReader(bytes.NewReader(sample), raw)); err != nil {
			return err
		}
		if start, whole, err = sampleOf(rest); err != nil {
			return err
		}
	}
	err = dialect.ErrNotText
	if !isNoText(start, whole, p.o.dialect()) {
		err = p.text(ctx, &replay{seen: start, r: rest}, start, whole)
	}
	p.share = func() float64 { return float64(raw.n.Load()) / max(float64(f.size), 1) }
	if f.size < 0 {
		p.share = func() float64 { return 0 }
	}
	if !errors.Is(err, dialect.ErrNotText) {
		return err
	}
	if what == "gzip" && !regular {
		return fmt.Errorf("%w: unpack it", ErrFormat)
	}
	return all()
}

// counter is a reader that counts.
type counter struct {
	io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// sampleOf reads the start of a file, and whether it is all of it.
func sampleOf(r io.Reader) (sample []byte, whole bool, err error) {
	sample = make([]byte, sampleText+1) // the last byte tells whether the file goes on
	n, err := io.ReadFull(r, sample)
	if whole = err == io.EOF || err == io.ErrUnexpectedEOF; whole {
		err = nil
	}
	return sample[:n], whole, err
}

// replay keeps what its readers read, so that a text can be read from its start again.
type replay struct {
	seen []byte // the start of the text
	r    io.Reader
	err  error // of r, after seen
}

// last returns the reader of the whole text. Nothing can be read again after it.
func (p *replay) last() io.Reader {
	r := p.r
	if p.err != nil {
		r = broken{p.err}
	}
	return io.MultiReader(bytes.NewReader(p.seen), r)
}

// start returns a reader from the start of the text.
func (p *replay) start() io.Reader { return &replaying{replay: p} }

type replaying struct {
	*replay
	at int
}

func (p *replaying) Read(b []byte) (int, error) {
	if p.at == len(p.seen) && p.err == nil {
		p.seen = slices.Grow(p.seen, len(b))
		n, err := p.r.Read(p.seen[p.at : p.at+len(b)])
		p.seen, p.err = p.seen[:p.at+n], err
	}
	n := copy(b, p.seen[p.at:])
	if p.at += n; n == 0 {
		return 0, p.err
	}
	return n, nil
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// isNoText reports whether a file is none with separated cells, or may be.
func isNoText(start []byte, whole bool, o dialect.Options) bool {
	what := format(start)
	if _, text, err := dialect.Decode(start, whole, o); err == nil {
		if start = bytes.TrimSpace(text); isLIBSVM(start, whole) {
			return true
		}
	}
	return what != "" || len(start) > 0 && bytes.IndexByte([]byte("@%<{["), start[0]) >= 0
}

// Also has the tables hold further columns, of kind Text. It must be called before the first part is
// read.
func (p *Reader) Also(names ...string) { p.also = names }

// Keep has the tables of the parts hold the cells of some columns as the file writes them, in
// Column.Written or as Column.Source returns them. It must be called before the first part is read.
func (p *Reader) Keep(names []string) { p.keep = names }

// Next returns the next rows, at most 32,768. The kinds of the columns are those of Options.Like; a
// boolean may be of another kind, and so may a column of a Parquet file that only Keep names. A row
// of a text with too few or too many cells has no values; Table.Ragged says so. After the last row the
// error is io.EOF.
func (p *Reader) Next(ctx context.Context) (*table.Table, error) {
	parse, err := p.Part(ctx)
	if err != nil {
		return nil, err
	}
	return parse()
}

// Part is Next in two steps. The function that it returns does most of the work, and may be called
// while further parts are read and parsed.
func (p *Reader) Part(ctx context.Context) (parse func() (*table.Table, error), err error) {
	width := 1
	for _, name := range p.Names {
		if p.wanted(name) {
			width++
		}
	}
	return p.part(ctx, min(partRows, max(partCells/width, 1)))
}

// wanted reports whether a column is read.
func (p *Reader) wanted(name string) bool {
	return slices.Contains(p.keep, name) || slices.Contains(p.also, name) || slices.ContainsFunc(p.o.Like, func(c table.Column) bool { return c.Name == name })
}

// Share is the share of the file that was read, from 0 to 1; 0 if it is not known. It may be called
// at any time.
func (p *Reader) Share() float64 { return p.share() }

// Notes are those of the table that Open returns about the whole file so far: a guessed encoding, replaced
// bytes, lines that are left out. They are complete after the last row.
func (p *Reader) Notes() []string {
	if p.notes == nil {
		return nil
	}
	return p.notes()
}

// slices makes parts of a table in memory.
func (p *Reader) slices(t *table.Table) {
	var row atomic.Int64 // Share may be called while a part is read
	p.Names = t.Names()
	p.share = func() float64 { return float64(row.Load()) / float64(max(t.Rows, 1)) }
	p.part = func(ctx context.Context, rows int) (func() (*table.Table, error), error) {
		lo := int(row.Load())
		hi := min(lo+rows, t.Rows)
		if lo == hi {
			return nil, io.EOF
		}
		row.Store(int64(hi))
		return func() (*table.Table, error) { return t.Slice(lo, hi), ctx.Err() }, nil
	}
}

// text reads a text, whose start is given; whole says that it is all of it.
func (p *Reader) text(ctx context.Context, in *replay, start []byte, whole bool) error {
	if len(bytes.TrimSpace(start)) == 0 {
		return ErrEmpty
	}
	o := p.o.dialect()
	if o.Header == "" {
		o.Header = "yes"
	}
	d, names, err := p.header(in, start, whole, o)
	for skip := 1; skip < 4 && err == nil && p.o.Skip == 0 && p.lacks(names); skip++ { // lines above the header
		below := o
		below.Skip = skip
		if other, under, err := p.header(in, start, whole, below); err == nil && !p.lacks(under) {
			d, names = other, under
		}
	}
	if err == nil && p.o.Header == "" && p.lacks(names) {
		o.Header = ""
		if other, without, err := p.header(in, start, whole, o); err == nil && !p.lacks(without) {
			d, names = other, without
		}
	}
	if err != nil {
		return err
	}
	p.Names, p.Number = names, d.Number
	r := dialect.NewReader(in.last(), p.name, d)
	p.notes = func() []string {
		notes := r.Notes()
		if n := p.repeated.Load(); n > 0 {
			notes = append(notes, fmt.Sprintf("%s below the header that have units, types or the header again, and are left out", counted(int(n), "line")))
		}
		return notes
	}
	if d.Header {
		if _, _, err := r.Next(); err != nil {
			return err
		}
	}
	var cells []*columns.Cells // of the columns, nil of one that is not read
	p.part = func(ctx context.Context, rows int) (func() (*table.Table, error), error) {
		b, err := r.Block(rows, partText)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && cells == nil {
			cells = p.cells(b.Copy())
		}
		return func() (*table.Table, error) { return p.parse(b, cells), nil }, err
	}
	return nil
}

// lacks reports whether a column of Options.Like has none of the names.
func (p *Reader) lacks(names []string) bool {
	return slices.ContainsFunc(p.o.Like, func(c table.Column) bool { return !slices.Contains(names, c.Name) })
}

// header finds out how a text is written and what the names of its columns are.
func (p *Reader) header(in *replay, start []byte, whole bool, o dialect.Options) (dialect.Dialect, []string, error) {
	d, err := dialect.Detect(start, whole, o)
	if err != nil {
		return d, nil, err
	}
	var head [][]string // with the first record of data
	r := dialect.NewReader(in.start(), p.name, d)
	for len(head) < 2+d.Below {
		cells, line, err := r.Next()
		switch {
		case len(cells) > cell.MaxCells:
			return d, nil, &CellError{Name: p.name, Line: line, Err: ErrTooWide}
		case len(head) == 0 && err == io.EOF:
			return d, nil, ErrEmpty
		case len(head) == 0 && err != nil:
			return d, nil, err
		}
		var texts []string
		for _, c := range cells {
			texts = append(texts, string(c))
		}
		head = append(head, texts)
	}
	p.headings = nil
	if d.Header {
		p.headings = append(dialect.NewHeadings(head[0]), head[1:1+d.Below]...)
	}
	names, _ := d.Names(head[0], head[1+d.Below])
	return d, names, nil
}

// cells makes readers of the columns. The first records tell how their cells are written.
func (p *Reader) cells(b *dialect.Block) []*columns.Cells {
	samples := make([][]string, len(p.Names))
	for range 1000 {
		record, _ := b.Next()
		for i, c := range record[:min(len(record), len(samples))] {
			samples[i] = append(samples[i], string(c))
		}
	}
	o := p.o.columns()
	o.Number = p.Number
	cells := make([]*columns.Cells, len(p.Names))
	for i, name := range p.Names {
		like := table.Column{Name: name, Kind: table.Text}
		if k := slices.IndexFunc(p.o.Like, func(c table.Column) bool { return c.Name == name }); k >= 0 {
			like = p.o.Like[k]
		}
		if p.wanted(name) {
			cells[i] = columns.NewCells(like, samples[i], o)
		}
	}
	return cells
}

// parse makes a table of a block.
func (p *Reader) parse(b *dialect.Block, cells []*columns.Cells) *table.Table {
	t := &table.Table{Name: p.name}
	parts := make([]*columns.Part, len(cells))
	for i, c := range cells {
		if c != nil {
			parts[i] = c.Part(b.Lines, slices.Contains(p.keep, p.Names[i]))
		}
	}
	for {
		record, line := b.Next()
		if record == nil {
			break
		}
		if len(record) == 1 && len(cells) > 1 && allBlank(record) {
			continue
		}
		if p.headings.Has(record) {
			p.repeated.Add(1)
			continue
		}
		if len(record) > len(cells) && allBlank(record[len(cells):]) {
			record = record[:len(cells)]
		}
		if len(record) != len(cells) {
			if t.Ragged == nil {
				t.Ragged = map[int]error{}
			}
			t.Ragged[t.Rows] = &CellError{Name: p.name, Line: line, Err: fmt.Errorf("%w: %d, there are %d columns", ErrRagged, len(record), len(cells))}
			record = make([][]byte, len(cells))
		}
		for i, part := range parts {
			if part != nil {
				part.Add(record[i], line)
			}
		}
		t.Rows++
	}
	b.Free()
	for _, part := range parts {
		if part != nil {
			t.Columns = append(t.Columns, part.Column())
		}
	}
	return t
}
