package dialect

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	where "github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

const (
	maxRecord = 16 << 20  // maximum bytes of a record; an unclosed quote makes one of the rest of the text
	readSize  = 256 << 10 // bytes per read
)

// Reader reads the records of a text in a given dialect. It is not safe for concurrent use.
type Reader struct {
	*Text
	in    io.Reader // the text, without quotes around lines
	name  string
	d     Dialect
	block *Block // current block of Next
	rest  []byte // text that is not in a block yet
	line  int    // line number of rest, from 1
	used  int64  // bytes of all blocks
	size  int    // size of the last block, including the text read ahead
	begun bool   // whether the byte order mark and skipped lines have been passed
	err   error  // error of the text after rest
}

// NewReader returns a reader of the text in r, which is written in dialect d. The first d.Skip lines are
// skipped. The name is used in errors.
func NewReader(r io.Reader, name string, d Dialect) *Reader {
	text := NewText(r, d)
	in := io.Reader(text)
	if d.Wrapped {
		in = &unwrapping{in: bufio.NewReader(text), start: true}
	}
	return &Reader{Text: text, in: in, name: name, d: d, block: &Block{}, line: 1}
}

// Next returns the cells of the next record, which are valid until the next call, and its line number, from
// 1. Comments and blank lines are skipped. After the last record, the error is io.EOF.
func (r *Reader) Next() (cells [][]byte, line int, err error) {
	for {
		if cells, line = r.block.Next(); cells != nil {
			return cells, line, nil
		}
		if r.block, err = r.read(1<<14, 1<<20); err != nil {
			r.block = &Block{}
			return nil, 0, err
		}
	}
}

// Used returns the number of bytes, in UTF-8, of the records read so far.
func (r *Reader) Used() int64 { return r.used - int64(len(r.block.text)) }

// Block returns the next records: at most the given number, or fewer if their size in bytes is reached.
// After the last one, the error is io.EOF. A quote that is not closed before the end of the text and a
// record of more than 16 MiB are errors that name the line.
func (r *Reader) Block(records, size int) (*Block, error) {
	if b := r.block; len(b.text) > 0 { // Next has started the block
		r.rest, r.line, r.used = slices.Concat(b.text, r.rest), b.line, r.Used()
		r.block = &Block{}
	}
	return r.read(records, size)
}

func (r *Reader) read(records, size int) (*Block, error) {
	var memory []byte
	if used, ok := free.Get().(*[]byte); ok {
		memory = (*used)[:0]
	}
	text, s := append(slices.Grow(memory, r.size), r.begin()...), newSplitter(r.d)
	end := 0
	for n := 0; n < records && end < size; {
		length := bytes.IndexByte(text[end:], '\n') + 1
		if length > 0 && s.quote != 0 && bytes.IndexByte(text[end:end+length], s.quote) >= 0 {
			length, _ = s.record(text[end:], false, nil)
		}
		if length == 0 && r.err == io.EOF && end < len(text) { // no line end, or an unclosed quote
			var cells []cell
			length, cells = s.record(text[end:], true, nil)
			if len(cells) > 0 && cells[len(cells)-1].open {
				return nil, r.fail(text[:end], table.Finding{Code: texts.OpenQuote})
			}
		}
		switch {
		case length > maxRecord || length == 0 && r.err == nil && len(text)-end > maxRecord:
			return nil, r.fail(text[:end], table.Finding{Code: texts.LongRecord, N: maxRecord >> 20})
		case length > 0:
			end += length
			n++
		case r.err != nil:
			n = records
		default:
			text = r.fill(text)
		}
	}
	if end == 0 {
		return nil, r.err
	}
	b := &Block{splitter: s, d: r.d, all: text, text: text[:end:end], line: r.line,
		Lines: bytes.Count(text[:end], []byte{'\n'}) + 1}
	b.simple = len(s.separator) == 1 && s.escape == 0 && len(s.comment) == 0 && !r.d.Trailing
	r.rest, r.size = slices.Clone(text[end:]), len(text)
	r.line += b.Lines - 1
	r.used += int64(end)
	return b, nil
}

// begin returns the text that is not in a block yet, without the byte order mark and the skipped lines.
func (r *Reader) begin() []byte {
	if r.begun {
		return r.rest
	}
	text := withoutMark(r.fill(nil))
	for r.line <= r.d.Skip && (len(text) > 0 || r.err == nil) {
		n := bytes.IndexByte(text, '\n') + 1
		if n > 0 || r.err != nil {
			r.line++
		}
		if n == 0 { // skipped lines have no maximum length
			n = len(text)
		}
		if text = text[n:]; len(text) == 0 {
			text = r.fill(text)
		}
	}
	r.begun = true
	return text
}

func (r *Reader) fail(before []byte, err error) error {
	return &where.Error{Name: r.name, Line: r.line + bytes.Count(before, []byte{'\n'}), Err: err}
}

// fill reads and appends more of the text.
func (r *Reader) fill(text []byte) []byte {
	from := len(text)
	text = slices.Grow(text, readSize)
	for len(text) < from+readSize && r.err == nil {
		var n int
		n, r.err = r.in.Read(text[len(text) : from+readSize])
		text = text[:len(text)+n]
	}
	if fresh := text[from:]; r.d.LineEnd == "cr" {
		for i, c := range fresh {
			if c == '\r' {
				fresh[i] = '\n'
			}
		}
	}
	return text
}

// Block contains some lines of a text and splits them into records. A block is not safe for concurrent use,
// but different blocks can be used concurrently.
type Block struct {
	splitter
	Lines  int // number of lines, at least the number of records
	d      Dialect
	all    []byte
	text   []byte // the remaining text
	line   int    // line number of text
	simple bool   // whether lines without quotes can be split at the separator
	found  []cell
	cells  [][]byte
	memory []byte // memory for quoted cells
}

// free contains the memory of blocks that are no longer used.
var free sync.Pool

// Free releases the block, and the cells that Next returned, so that other blocks can reuse the memory.
func (b *Block) Free() { free.Put(&b.all) }

// Copy returns a block with the remaining records, to look ahead.
func (b *Block) Copy() *Block {
	c := *b
	c.found, c.cells, c.memory = nil, nil, nil
	return &c
}

// Next returns the cells of the next record, which are valid until the next call, and its line number, from
// 1. It returns nil after the last record.
func (b *Block) Next() (cells [][]byte, line int) {
	for len(b.text) > 0 {
		cells, line = b.cells[:0], b.line
		end := bytes.IndexByte(b.text, '\n') + 1
		row := b.text[:max(0, end-1)]
		if end == 0 {
			end, row = len(b.text), b.text
		}
		if b.simple && (b.quote == 0 || bytes.IndexByte(row, b.quote) < 0) {
			b.text, b.line = b.text[end:], b.line+1
			cells = b.cut(cells, bytes.TrimSuffix(row, []byte{'\r'}))
		} else {
			end, b.found = b.record(b.text, true, b.found)
			cells = b.unquoted(cells)
			b.line += bytes.Count(b.text[:end], []byte{'\n'})
			b.text = b.text[end:]
		}
		if b.cells = cells; len(cells) > 0 {
			return cells, line
		}
	}
	return nil, 0
}

// cut appends the cells of a line without quotes.
func (b *Block) cut(cells [][]byte, row []byte) [][]byte {
	separator := b.separator[0]
	for {
		i := bytes.IndexByte(row, separator)
		if i < 0 {
			break
		}
		cells, row = append(cells, row[:i]), row[i+1:]
	}
	if len(cells) == 0 && b.blanks(row, 0) == len(row) {
		return cells // a blank line
	}
	return append(cells, row)
}

// unquoted appends the cells in b.found.
func (b *Block) unquoted(cells [][]byte) [][]byte {
	found := b.found
	if n := len(found); b.d.Trailing && n > 1 &&
		len(bytes.TrimSpace(b.text[found[n-1].start:found[n-1].end])) == 0 {
		found = found[:n-1]
	}
	b.memory = b.memory[:0]
	for _, c := range found {
		if !c.quoted && b.escape == 0 {
			cells = append(cells, b.text[c.start:c.end])
			continue
		}
		from := len(b.memory)
		b.memory = b.unquote(b.memory, b.text, c)
		text := b.memory[from:len(b.memory):len(b.memory)]
		if bytes.IndexByte(text, '\r') >= 0 {
			text = bytes.ReplaceAll(text, []byte("\r\n"), []byte{'\n'})
		}
		cells = append(cells, text)
	}
	return cells
}

// Unzip returns a reader of gzip-compressed data whose errors describe the damage. (gzip.Reader reports a
// truncated file as io.ErrUnexpectedEOF, which io.ReadFull takes for a normal end.)
func Unzip(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, unzipError(err)
	}
	return unzipped{z}, nil
}

type unzipped struct{ z *gzip.Reader }

func (u unzipped) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	return n, unzipError(err)
}

func unzipError(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return table.Finding{Code: texts.CutGzip}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return table.Finding{Code: texts.DamagedGzip, Cause: err}
	}
	return err
}

// withoutMark removes the byte order mark from a text in UTF-8, even if it was decoded as Latin-1.
func withoutMark(text []byte) []byte {
	rest, marked := bytes.CutPrefix(text, []byte("\ufeff"))
	if !marked {
		rest = bytes.TrimPrefix(text, []byte("ï»¿"))
	}
	return rest
}

// splitter splits a text in UTF-8, with LF or CRLF as line ends, into records and cells.
type splitter struct {
	separator     []byte // nil if runs of blanks are separators
	quote, escape byte   // 0 if not used
	comment       []byte
}

func newSplitter(d Dialect) splitter {
	s := splitter{quote: byte(d.Quote), comment: []byte(d.Comment)}
	if d.Separator != ' ' {
		s.separator = utf8.AppendRune(nil, d.Separator)
	}
	if d.Escape == '\\' {
		s.escape = '\\'
	}
	return s
}

// cell is the position of a cell in a text, without the quotes around it.
type cell struct {
	start, end int
	quoted     bool
	odd        bool // contains a quote that is neither doubled nor escaped
	open       bool // the quote is never closed
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// blanks returns the index of the first non-blank from i on. A tab used as separator is not a blank.
func (s *splitter) blanks(text []byte, i int) int {
	for i < len(text) && isBlank(text[i]) && (s.separator == nil || text[i] != s.separator[0]) {
		i++
	}
	return i
}

// ends returns the length of the separator or line end at i, if any. The end of the text is a line end.
func (s *splitter) ends(text []byte, i int) (size int, lineEnd, ok bool) {
	switch {
	case i >= len(text):
		return 0, true, true
	case text[i] == '\n':
		return 1, true, true
	case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
		return 2, true, true
	case s.separator == nil:
		if !isBlank(text[i]) {
			return 0, false, false
		}
		j := s.blanks(text, i)
		if n, end, ok := s.ends(text, j); ok && end {
			return j + n - i, true, true
		}
		return j - i, false, true
	case text[i] == s.separator[0] && bytes.HasPrefix(text[i:], s.separator):
		return len(s.separator), false, true
	}
	return 0, false, false
}

// record splits the record at the start of text. It returns the number of bytes including the line end, and
// the cells, appended to cells[:0]. Comments and blank lines have no cells. If all is false and the record
// does not end within text, the number is 0.
func (s *splitter) record(text []byte, all bool, cells []cell) (int, []cell) {
	cells = cells[:0]
	i := 0
	if first := s.blanks(text, 0); s.separator == nil {
		i = first
	} else if n, end, ok := s.ends(text, first); ok && end && (all || n > 0) {
		return first + n, cells
	}
	if len(s.comment) > 0 && bytes.HasPrefix(text[s.blanks(text, 0):], s.comment) {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 && all {
			end = len(text)
		}
		return end, cells
	}
	if n, end, ok := s.ends(text, i); s.separator == nil && ok && end && (all || n > 0) {
		return i + n, cells
	}
	for {
		c, next := s.cell(text, i)
		if next >= len(text) && !all {
			return 0, cells
		}
		cells = append(cells, c)
		if len(s.separator) == 1 && next < len(text) && text[next] == s.separator[0] {
			i = next + 1
			continue
		}
		size, lineEnd, _ := s.ends(text, next)
		i = next + size
		if lineEnd {
			if !all && text[i-1] != '\n' {
				return 0, cells // blanks at the end of the text
			}
			return i, cells
		}
	}
}

// cell finds the end of the cell at i and returns the index of the separator or line end after it.
func (s *splitter) cell(text []byte, i int) (c cell, next int) {
	if s.quote != 0 {
		if q := s.blanks(text, i); q < len(text) && text[q] == s.quote {
			return s.quoted(text, q)
		}
	}
	c.start = i
	if len(s.separator) == 1 && s.escape == 0 {
		// In the common case, only two bytes can end the cell.
		sep := s.separator[0]
		for i < len(text) && text[i] != sep && text[i] != '\n' {
			i++
		}
		if i < len(text) && text[i] == '\n' && i > c.start && text[i-1] == '\r' {
			i--
		}
		c.end = i
		return c, i
	}
	for {
		if _, _, ok := s.ends(text, i); ok {
			c.end = i
			return c, i
		}
		if s.escape != 0 && text[i] == s.escape && i+1 < len(text) && text[i+1] != '\n' && text[i+1] != '\r' {
			i++
		}
		i++
	}
}

// quoted finds the end of the cell whose opening quote is at i. A quote closes the cell only before a
// separator or a line end, possibly with blanks in between; any other quote is text.
func (s *splitter) quoted(text []byte, i int) (c cell, next int) {
	i++
	c = cell{start: i, quoted: true}
	for i < len(text) {
		switch b := text[i]; {
		case s.escape != 0 && b == s.escape && i+1 < len(text):
			i += 2
		case b != s.quote:
			i++
		case s.escape == 0 && i+1 < len(text) && text[i+1] == s.quote:
			i += 2
		default:
			next = i + 1
			if s.separator != nil {
				next = s.blanks(text, next)
			}
			if _, _, ok := s.ends(text, next); ok {
				c.end = i
				return c, next
			}
			c.odd = true
			i++
		}
	}
	c.end, c.open = len(text), true
	return c, len(text)
}

func (s *splitter) unquote(dst, text []byte, c cell) []byte {
	cell := text[c.start:c.end]
	special := s.quote
	if s.escape != 0 {
		special = s.escape
	}
	for {
		i := bytes.IndexByte(cell, special)
		if i < 0 || i+1 >= len(cell) {
			return append(dst, cell...)
		}
		escaped := cell[i+1] == special
		if s.escape != 0 {
			escaped = escaped || cell[i+1] == s.quote || len(s.separator) > 0 && cell[i+1] == s.separator[0]
		}
		dst = append(dst, cell[:i]...)
		if !escaped {
			dst = append(dst, special)
			cell = cell[i+1:]
			continue
		}
		dst = append(dst, cell[i+1])
		cell = cell[i+2:]
	}
}
