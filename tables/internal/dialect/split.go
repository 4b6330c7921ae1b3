package dialect

import (
	"bytes"
	"unicode/utf8"
)

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
	} else if !c.quoted {
		return append(dst, cell...)
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
