package dialect

import (
	"bufio"
	"bytes"
	"io"

	"github.com/mpcvm/mpcvm/tables/table"
)

// unwrap detects whether each line of a text is quoted as a whole, such as "a,""b c"",d". If so, it sets d
// to the dialect of the text without these quotes, and returns that text.
func (d *Dialect) unwrap(text []byte, whole bool, separator rune, o table.Options) (bare []byte, ok bool) {
	if o.Quote != "" && quotes.value(o.Quote) != '"' {
		return nil, false
	}
	line := *d
	line.Separator, line.Quote, line.Escape, line.Comment = noSeparator, '"', '"', ""
	var t grid
	t.parse(text, whole, line)
	apart := 0 // lines with a blank after each comma, as in prose
	for r := range t.len() {
		cells := t.record(r)
		if len(cells) != 1 || !cells[0].quoted || cells[0].odd || cells[0].open && whole {
			return nil, false
		}
		if b := t.bytes(cells[0]); bytes.Count(b, []byte(", ")) == bytes.Count(b, []byte{','}) &&
			bytes.IndexByte(b, ',') >= 0 {
			apart++
		}
	}
	if t.len() < 3 || 2*apart > t.len() {
		return nil, false
	}
	bare, _ = io.ReadAll(&unwrapping{in: bufio.NewReader(bytes.NewReader(text)), start: true})
	inside := *d
	_ = inside.separate(bare, whole, separator, o) // an ambiguity does not matter here
	if t.parse(bare, whole, inside); t.width < 2 || 10*t.agreeing < 9*t.len() {
		return nil, false
	}
	*d = inside
	d.Wrapped = true
	return bare, true
}

// unwrapping reads a text without the quotes around its lines, and undoubles the quotes inside.
type unwrapping struct {
	in            *bufio.Reader
	start, inside bool // of a line
}

func (u *unwrapping) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c, err := u.in.ReadByte()
		if err != nil {
			if n > 0 {
				return n, nil
			}
			return 0, err
		}
		if c == '"' {
			next, _ := u.in.Peek(1)
			switch {
			case u.inside && len(next) > 0 && next[0] == '"':
				_, _ = u.in.Discard(1) // the byte was peeked at
			case u.inside:
				u.inside = false
				continue
			case u.start:
				u.start, u.inside = false, true
				continue
			}
		}
		u.start = !u.inside && (c == '\n' || c == '\r')
		p[n] = c
		n++
	}
	return n, nil
}
