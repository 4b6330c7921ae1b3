package tables

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/table"
)

// sampleText is the number of bytes that show how a text is written; a variable for tests.
var sampleText = 256 << 10

// text is a file that holds a text.
type text struct {
	file
	gzip bool
	in   *replay         // nil once the text was read
	d    dialect.Dialect // its encoding and line ends
}

func (f file) readText(ctx context.Context, o Options, zipped bool) (*table.Table, error) {
	t := text{file: f, gzip: zipped}
	r, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	if t.in, err = newReplay(r); err != nil {
		return nil, err
	}
	if what := format(t.in.sample); what != "" {
		if what == "xlsx" || what == "parquet" || what == "gzip" {
			what = "unpack it, it holds another packed file"
		}
		return nil, fmt.Errorf("%w: %s", ErrFormat, what)
	}
	var start []byte
	if t.d, start, err = dialect.Decode(t.in.sample, t.in.all, o.dialect()); errors.Is(err, dialect.ErrNotText) {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	} else if err != nil {
		return nil, err
	}
	start = bytes.TrimSpace(start)
	low := strings.ToLower(string(start[:min(len(start), 16)]))
	switch {
	case len(start) == 0:
		return nil, ErrEmpty
	case strings.HasPrefix(low, "<!doctype") || strings.HasPrefix(low, "<html") ||
		strings.HasPrefix(low, "<?xml"):
		return nil, fmt.Errorf("%w: it is HTML or XML (perhaps a page that says why there is no file)", ErrFormat)
	case isJSON(start):
		return nil, fmt.Errorf("%w: it is JSON; write it as .csv", ErrFormat)
	case isARFF(start):
		return t.readARFF(ctx, o)
	case isLIBSVM(start, t.in.all):
		return t.readLIBSVM(ctx, o)
	}
	return t.readDelimited(ctx, o)
}

// isJSON reports whether a text begins as an object or as a list of them.
func isJSON(start []byte) bool {
	inside := bytes.TrimSpace(bytes.TrimPrefix(start, []byte("[")))
	return len(inside) > 1 && inside[0] == '{' && bytes.HasPrefix(bytes.TrimSpace(inside[1:]), []byte(`"`))
}

// open returns a reader of the text from its beginning. The file is read from its beginning again unless
// only the start was read so far.
func (t *text) open(ctx context.Context) (io.Reader, error) {
	if in := t.in; in != nil {
		t.in = nil
		return in.whole(), nil
	}
	r := stopping{ctx, io.NewSectionReader(t.at, 0, t.size)}
	if !t.gzip {
		return r, nil
	}
	z, err := dialect.Unzip(r)
	if err != nil {
		return nil, err
	}
	return &bounded{r: z, left: max(maxUnzipped, maxRatio*t.size)}, nil
}

// Bounds of what a compressed file may become.
const maxRatio = 200 // times its size, or

var maxUnzipped int64 = 1 << 30 // bytes; a variable for tests

// maxPiped is the number of bytes of an Excel, ARFF, LIBSVM or Parquet file that comes from a pipe, as such a
// file is read as a whole. It is a variable for tests.
var maxPiped int64 = 1 << 30

// bounded is a reader with an error after so many bytes.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%w: the file grows more than %d times as it is unpacked; unpack it by hand if that "+
			"is right", ErrTooLarge, maxRatio)
	}
	return n, err
}

// length estimates the number of bytes of the text.
func (t *text) length() int64 {
	if !t.gzip {
		return t.size
	}
	var end [4]byte // gzip's last bytes are the length modulo 2³²
	if _, err := t.at.ReadAt(end[:], max(0, t.size-4)); err != nil {
		return t.size
	}
	return min(int64(binary.LittleEndian.Uint32(end[:])), 20*t.size)
}

// replay keeps what was read of a text, so that it can be read from its start again.
type replay struct {
	sample []byte // shows what the text is
	all    bool   // the sample is all of the text
	seen   []byte // the start of the text
	r      io.Reader
	err    error // of r, after seen
	last   bool  // nothing more is kept
}

// newReplay reads the sample of the text in r.
func newReplay(r io.Reader) (*replay, error) {
	sample := make([]byte, sampleText+1) // the last byte shows whether the text goes on
	n, err := io.ReadFull(r, sample)
	all := err == io.EOF || err == io.ErrUnexpectedEOF
	if all {
		err = nil
	}
	return &replay{sample: sample[:n:n], all: all, seen: sample[:n:n], r: r}, err
}

func (p *replay) Read(b []byte) (n int, err error) {
	if p.err == nil {
		if n, p.err = p.r.Read(b); !p.last {
			p.seen = append(p.seen, b[:n]...)
		}
	}
	return n, p.err
}

// start returns a reader of the text from its start. It ends the use of earlier ones.
func (p *replay) start() io.Reader { return io.MultiReader(bytes.NewReader(p.seen), p) }

// whole returns a reader of the text from its start, which cannot be read again then.
func (p *replay) whole() io.Reader {
	p.last = true
	return p.start()
}

// textLines reads lines and counts them.
type textLines struct {
	*bufio.Scanner
	text    *dialect.Text
	gzip    bool
	comment byte
	line    int
}

const maxLine = 32 << 20 // bytes

// lines returns a reader of the lines of the text from its beginning.
func (t *text) lines(ctx context.Context, comment byte) (*textLines, error) {
	r, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	in := dialect.NewText(r, t.d)
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	if t.d.LineEnd == "cr" {
		s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			if i := bytes.IndexByte(data, '\r'); i >= 0 {
				return i + 1, data[:i], nil
			}
			if atEOF && len(data) > 0 {
				return len(data), data, nil
			}
			return 0, nil, nil
		})
	}
	return &textLines{s, in, t.gzip, comment, 0}, nil
}

// next returns the next line that is neither blank nor a comment.
func (s *textLines) next() ([]byte, error) {
	for s.Scan() {
		s.line++
		line := s.Bytes()
		if s.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != s.comment {
			return line, nil
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: more than %d MiB", s.line+1, maxLine>>20)
	} else if err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// describe adds the notes about the encoding to a table that was read from the lines, and records how it
// was read.
func (s *textLines) describe(t *table.Table, reading string) {
	t.Notes, t.Reading = slices.Concat(s.text.Notes(), t.Notes), reading
	if name := s.text.Encoding(); name != "utf-8" {
		t.Reading += ", " + dialect.Displayed(name)
	}
	if s.gzip {
		t.Reading += ", gzip"
	}
}
