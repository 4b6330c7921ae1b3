package tables

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// sampleText is the number of bytes used to detect how a text is written. It is a variable for tests.
var sampleText = 256 << 10

type text struct {
	file
	gzip bool
	in   *replay         // nil once the text has been read
	d    dialect.Dialect // only its encoding and line ends
}

func (f file) readText(ctx context.Context, o Options, gzip bool) (*table.Table, error) {
	t := text{file: f, gzip: gzip}
	r, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	if t.in, err = newReplay(r); err != nil {
		return nil, err
	}
	if inside := binaryFormat(t.in.sample); inside.name != "" {
		return nil, inside.refuse()
	}
	d, start, err := dialect.Decode(t.in.sample, t.in.all, o)
	if err != nil {
		return nil, notText(err)
	}
	if start = bytes.TrimSpace(start); len(start) == 0 {
		return nil, ErrEmpty
	}
	t.d = d
	return textFormats[formatOf(start, t.in.all)].read(&t, ctx, o)
}

// notText returns the error for a file that cannot be decoded.
func notText(err error) error {
	if errors.Is(err, dialect.ErrNotText) {
		return table.Finding{Code: texts.NotText, Cause: ErrFormat}
	}
	return err
}

// open returns a reader of the text from its beginning, which first continues after the sample.
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
		return 0, table.Finding{Code: texts.LargeUnpacked, N: maxRatio, Cause: ErrTooLarge}
	}
	return n, err
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
		return nil, table.Finding{Code: texts.LongLine, Line: s.line + 1, N: maxLine >> 20}
	} else if err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// describe adds the notes about the encoding to a table, and records how it was read.
func (s *textLines) describe(t *table.Table, reading string) {
	t.Notes, t.Reading = slices.Concat(s.text.Notes(), t.Notes), reading
	if name := s.text.Encoding(); name != "utf-8" {
		t.Reading += ", " + dialect.Displayed(name)
	}
	if s.gzip {
		t.Reading += ", gzip"
	}
}
