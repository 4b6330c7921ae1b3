package dialect

import "bytes"

// Splitter cuts a text into records and cells, as [NewReader] does. The text is UTF-8 and its
// lines end with LF or CRLF. It is not for concurrent use.
type Splitter struct {
	splitter
	trailing bool
	found    []cell
	text     []byte // of found
}

// NewSplitter returns a splitter for texts that are written in d.
func NewSplitter(d Dialect) *Splitter {
	return &Splitter{splitter: newSplitter(d), trailing: d.Trailing}
}

// Record finds the record at the start of text and returns its length with the line end. The
// length is 0 if the record does not end within text; with all, the end of text ends it. A
// blank line and a comment are records without cells.
func (s *Splitter) Record(text []byte, all bool) (length int) {
	length, s.found = s.record(text, all, s.found)
	s.text = text
	return length
}

// Open reports whether the last record has a quote that is never closed.
func (s *Splitter) Open() bool { return len(s.found) > 0 && s.found[len(s.found)-1].open }

// Cells appends the cells of the last record to dst. Those with quotes need memory, which is
// appended to and returned.
func (s *Splitter) Cells(dst [][]byte, memory []byte) (cells [][]byte, used []byte) {
	found := s.found
	if n := len(found); s.trailing && n > 1 && len(bytes.TrimSpace(s.text[found[n-1].start:found[n-1].end])) == 0 {
		found = found[:n-1]
	}
	for _, c := range found {
		if !c.quoted && s.escape == 0 {
			dst = append(dst, s.text[c.start:c.end])
			continue
		}
		from := len(memory)
		memory = s.unquote(memory, s.text, c)
		dst = append(dst, memory[from:len(memory):len(memory)])
	}
	return dst, memory
}
