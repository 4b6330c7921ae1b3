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

// sampleText is the number of bytes used to detect how a text is written. It is a variable for tests.
var sampleText = 256 << 10

// text is a text file.
type text struct {
	file
	gzip bool
	in   *replay         // nil once the text has been read
	d    dialect.Dialect // only its encoding and line ends
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
			what = "it contains another compressed file; decompress it first"
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
		return nil, fmt.Errorf("%w: this is HTML or XML, perhaps an error page instead of the file", ErrFormat)
	case isObjects(start):
		return t.readObjects(ctx, o)
	case isJSON(start):
		return nil, fmt.Errorf("%w: this is JSON; save it as .csv", ErrFormat)
	case isARFF(start):
		return t.readARFF(ctx, o)
	case isLIBSVM(start, t.in.all):
		return t.readLIBSVM(ctx, o)
	}
	return t.readDelimited(ctx, o)
}

// isJSON reports whether a text begins like a JSON object or an array of objects.
func isJSON(start []byte) bool {
	inside := bytes.TrimSpace(bytes.TrimPrefix(start, []byte("[")))
	return len(inside) > 1 && inside[0] == '{' && bytes.HasPrefix(bytes.TrimSpace(inside[1:]), []byte(`"`))
}

// open returns a reader of the text from its beginning. The first call continues after the sample; later
// calls read the file again.
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

// A compressed file may expand to maxRatio times its size or to maxUnzipped bytes, whichever is larger.
const maxRatio = 200

var maxUnzipped int64 = 1 << 30 // a variable for tests

// maxPiped is the maximum size in bytes of an Excel, ARFF, LIBSVM or Parquet file from a pipe, which must be
// read into memory. It is a variable for tests.
var maxPiped int64 = 1 << 30

// bounded is a reader that fails after a number of bytes.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%w: the file expands to more than %d times its size; if this is intended, "+
			"decompress it first", ErrTooLarge, maxRatio)
	}
	return n, err
}

// length estimates the number of bytes of the text.
func (t *text) length() int64 {
	if !t.gzip {
		return t.size
	}
	var end [4]byte // a gzip file ends with the length modulo 2³²
	if _, err := t.at.ReadAt(end[:], max(0, t.size-4)); err != nil {
		return t.size
	}
	return min(int64(binary.LittleEndian.Uint32(end[:])), 20*t.size)
}

// replay keeps what has been read of a text, so that it can be read from its start again.
type replay struct {
	sample []byte // the start of the text, for detection
	all    bool   // the sample is the whole text
	seen   []byte // what has been read of the text
	r      io.Reader
	err    error // of r, after seen
	last   bool  // stop recording
}

// newReplay reads the sample of the text in r.
func newReplay(r io.Reader) (*replay, error) {
	sample := make([]byte, sampleText+1) // the extra byte shows whether the text goes on
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

// start returns a reader of the text from its start. It invalidates earlier ones.
func (p *replay) start() io.Reader { return io.MultiReader(bytes.NewReader(p.seen), p) }

// whole returns a reader of the text from its start. The text cannot be read again afterwards.
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
