package dialect

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxRecord is the length of the longest record that a reader takes, 16 MiB. A quote that is
// never closed makes a record of all the rest of a text.
const maxRecord = 16 << 20

// NewReader returns a reader of the text in r, which is written in d, as plain CSV: UTF-8
// without byte order mark, with commas between cells, double quotes that are doubled within
// quotes, and LF at the line ends. encoding/csv reads it with FieldsPerRecord −1.
//
// Cells keep their text: numbers keep their decimal mark. Lines keep their numbers: comment
// lines and the first d.Skip lines become empty lines, which encoding/csv passes over.
//
// Read returns an error that names the line if a quote is not closed before the end of the
// text, or if a record is longer than 16 MiB.
func NewReader(r io.Reader, d Dialect) io.Reader {
	if dec := decoder(d.Encoding); dec != nil {
		r = transform.NewReader(r, dec)
	}
	t := &translator{src: r, d: d, splitter: newSplitter(d), cr: d.LineEnd == "cr", skip: d.Skip, line: 1, buf: make([]byte, 0, 64<<10), atStart: true}
	t.fast = d.Comment == "" && !d.Trailing && d.Escape != '\\' && len(t.separator) == 1
	t.special = []special{{mark: '\r'}, {mark: '"'}}
	if d.Quote != 0 && d.Quote != '"' {
		t.special = append(t.special, special{mark: byte(d.Quote)})
	}
	if d.Separator != ',' {
		t.special = append(t.special, special{mark: ','})
	}
	return t
}

// Unzip returns a reader of what is compressed by gzip. Its errors say what is wrong with the file:
// io.ReadFull takes the gzip reader's own error for a file that is cut off for the end of the text.
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
		return errors.New("the gzip file is cut off before its end: copy or download it again")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("the gzip file is damaged (%w): copy or download it again", err)
	}
	return err
}

// decoder returns nil for UTF-8.
func decoder(name string) *encoding.Decoder {
	switch name {
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case "latin-1":
		return charmap.Windows1252.NewDecoder()
	}
	return nil
}

// special is a byte that a line must not hold to be copied, and where the next one is.
type special struct {
	mark byte
	next int // index in buf; less than start if it is not known
}

// translator is the reader of NewReader.
type translator struct {
	splitter
	d       Dialect
	src     io.Reader
	cr      bool // CR ends lines
	fast    bool // lines without special bytes are copied
	atStart bool // nothing of the text has been used
	special []special
	skip    int // lines yet to be skipped
	line    int // number of the line at start
	buf     []byte
	start   int    // buf[start:] is yet to be translated
	out     []byte // translated
	done    int    // out[:done] has been read
	cells   []cell
	plain   []byte // text of a cell
	err     error  // of src
	failed  error  // of the text
}

// Read is io.Reader.
func (t *translator) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for t.done == len(t.out) {
		t.out, t.done = t.out[:0], 0
		if t.failed != nil {
			return 0, t.failed
		}
		if t.start == len(t.buf) && t.err != nil {
			return 0, t.err
		}
		if !t.translate() && t.failed == nil && t.err == nil {
			t.fill()
		}
	}
	n := copy(p, t.out[t.done:])
	t.done += n
	return n, nil
}

// fill reads more of the text.
func (t *translator) fill() {
	if t.start > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[t.start:])]
		t.start = 0
		for i := range t.special {
			t.special[i].next = -1
		}
	}
	if len(t.buf) >= maxRecord {
		t.failed = fmt.Errorf("line %d: a record of more than %d MiB begins here; a quote in it may not be closed (--quote none takes quotes as text)", t.line, maxRecord>>20)
		return
	}
	if len(t.buf) == cap(t.buf) {
		t.buf = append(make([]byte, 0, 2*cap(t.buf)), t.buf...)
	}
	n, err := 0, error(nil)
	for range 100 {
		if n, err = t.src.Read(t.buf[len(t.buf):cap(t.buf)]); n > 0 || err != nil {
			break
		}
	}
	if n == 0 && err == nil {
		err = io.ErrNoProgress
	}
	fresh := t.buf[len(t.buf) : len(t.buf)+n]
	t.buf, t.err = t.buf[:len(t.buf)+n], err
	if t.cr {
		for i, c := range fresh {
			if c == '\r' {
				fresh[i] = '\n'
			}
		}
	}
}

// translate appends to out what can be translated of buf. It returns false if that needs more
// of the text.
func (t *translator) translate() bool {
	all := t.err != nil
	if t.atStart {
		bom := []byte("\ufeff")
		if len(t.buf) < len(bom) && !all {
			return false
		}
		if bytes.HasPrefix(t.buf, bom) {
			t.start = len(bom)
		}
		t.atStart = false
	}
	used := t.start
	for t.start < len(t.buf) && len(t.out) < 64<<10 {
		text := t.buf[t.start:]
		if t.skip > 0 {
			n := bytes.IndexByte(text, '\n') + 1
			if n == 0 {
				if all {
					n = len(text)
				} else if len(text) > 1<<10 {
					t.start += len(text) // of a line that is skipped
				}
				if n == 0 {
					break
				}
			}
			t.skip--
			t.line++
			t.start += n
			t.out = append(t.out, '\n')
			continue
		}
		if t.fast {
			if n := t.copyLines(text); n > 0 {
				t.start += n
				continue
			}
		}
		n, cells := t.record(text, all, t.cells)
		t.cells = cells
		if n == 0 {
			break
		}
		if c := len(cells) - 1; c >= 0 && cells[c].open {
			t.failed = fmt.Errorf("line %d: a quote in the record that begins here is never closed (--quote none takes quotes as text)", t.line)
			return true
		}
		t.write(text[:n])
		t.line += bytes.Count(text[:n], []byte{'\n'})
		t.start += n
	}
	return t.start > used
}

// copyLines copies the lines that hold no special byte, with commas in place of the
// separator. It returns the number of bytes used.
func (t *translator) copyLines(text []byte) int {
	end := len(text)
	for i := range t.special {
		s := &t.special[i]
		for s.next < t.start {
			n := bytes.IndexByte(text, s.mark)
			if n < 0 {
				s.next = len(t.buf)
			} else {
				s.next = t.start + n
			}
		}
		for s.mark == '\r' && s.next+1 < len(t.buf) && t.buf[s.next+1] == '\n' {
			if n := bytes.IndexByte(t.buf[s.next+1:], '\r'); n < 0 {
				s.next = len(t.buf)
			} else {
				s.next += 1 + n
			}
		}
		end = min(end, s.next-t.start)
	}
	end = bytes.LastIndexByte(text[:end], '\n') + 1
	end = t.beforeBlankLine(text[:end])
	from := len(t.out)
	t.out = append(t.out, text[:end]...)
	if sep := t.separator[0]; sep != ',' {
		for i, c := range t.out[from:] {
			if c == sep {
				t.out[from+i] = ','
			}
		}
	}
	t.line += bytes.Count(text[:end], []byte{'\n'})
	return end
}

// beforeBlankLine returns the length of the lines before the first that holds blanks only:
// encoding/csv would take it for a record.
func (t *translator) beforeBlankLine(text []byte) int {
	for i := 0; i < len(text); {
		if isBlank(text[i]) {
			if j := t.blanks(text, i); j > i && j < len(text) && (text[j] == '\n' || text[j] == '\r') {
				return i
			}
		}
		next := bytes.IndexByte(text[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
	}
	return len(text)
}

// write appends a record to out.
func (t *translator) write(text []byte) {
	cells := t.cells
	if n := len(cells); t.d.Trailing && n > 1 && len(bytes.TrimSpace(text[cells[n-1].start:cells[n-1].end])) == 0 {
		cells = cells[:n-1]
	}
	for i, c := range cells {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		cell := text[c.start:c.end]
		if c.quoted && !c.odd && t.quote == '"' && t.escape == 0 {
			// Its quotes are doubled already.
			t.out = append(append(append(t.out, '"'), cell...), '"')
			continue
		}
		if c.quoted || t.escape != 0 {
			t.plain = t.unquote(t.plain[:0], text, c)
			cell = t.plain
		}
		if c.quoted || len(cells) == 1 && len(cell) == 0 || needsQuotes(cell) {
			t.out = append(t.out, '"')
			for {
				q := bytes.IndexByte(cell, '"') + 1
				if q == 0 {
					break
				}
				t.out = append(append(t.out, cell[:q]...), '"')
				cell = cell[q:]
			}
			t.out = append(append(t.out, cell...), '"')
			continue
		}
		t.out = append(t.out, cell...)
	}
	t.out = append(t.out, '\n')
}

func needsQuotes(cell []byte) bool {
	for _, c := range cell {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}
