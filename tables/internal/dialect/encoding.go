package dialect

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// findByName returns the encoding of a name that the web or IANA uses, and its canonical name. It is nil
// in a program without the tables of all encodings.
var findByName func(name string) (e encoding.Encoding, canonical string)

// encodingOf returns the canonical name of an encoding, "" if the name is not known.
func encodingOf(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if known, ok := encodings[name]; ok || findByName == nil {
		return known
	}
	_, canonical := findByName(name)
	return canonical
}

// decoder returns nil for UTF-8.
func decoder(name string) *encoding.Decoder {
	switch name {
	case "", "utf-8":
		return nil
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case "latin-1":
		return charmap.Windows1252.NewDecoder()
	}
	for _, c := range candidates {
		if c.name == name {
			return c.NewDecoder()
		}
	}
	if findByName != nil {
		if e, _ := findByName(name); e != nil {
			return e.NewDecoder()
		}
	}
	return nil
}

// window is the number of bytes, from the first that is not ASCII, that tell the encoding of a text.
const window = 64 << 10

// judge finds the encoding of a text that begins with a character that is not ASCII. rival is another
// encoding that is likely, or "".
func judge(text []byte, whole bool) (name, rival string) {
	if len(text) > window {
		text, whole = text[:window], false
	}
	if isUTF8(text, whole) {
		return "utf-8", ""
	}
	return legacy(text, whole)
}

// firstWide returns the index of the first byte that is not ASCII, or the length of text.
func firstWide(text []byte) int {
	i := 0
	for i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:])&0x8080808080808080 == 0 {
		i += 8
	}
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// Text reads a text as UTF-8. Bytes that are not characters of its encoding become U+FFFD.
type Text struct {
	encoding, rival string // as in Dialect; if encoding is "", the first characters that are not ASCII decide
	guessed         bool

	src     io.Reader // of UTF-8, unless the encoding is open
	err     error     // of src
	buffer  []byte
	left    []byte // of buffer, to be returned by Read
	cut     []byte // the start of a character, whose end is not read
	lineEnd []byte
	line    int // of cut
	bad     int // bytes or characters that were replaced
	badLine int // of the first of them
}

// NewText returns a reader of the text in r, which is written in d.
func NewText(r io.Reader, d Dialect) *Text {
	t := &Text{encoding: d.Encoding, rival: d.rival, guessed: d.guessed, src: r, lineEnd: []byte{'\n'}, line: 1}
	if d.LineEnd == "cr" {
		t.lineEnd = []byte{'\r'}
	}
	if d.late {
		t.encoding = ""
	}
	if dec := decoder(t.encoding); dec != nil {
		t.src = transform.NewReader(r, dec)
	}
	return t
}

func (t *Text) Read(p []byte) (int, error) {
	for len(t.left) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		t.fetch()
	}
	n := copy(p, t.left)
	t.left = t.left[n:]
	return n, nil
}

// fetch reads more of the text.
func (t *Text) fetch() {
	t.buffer = append(t.buffer[:0], t.cut...)
	t.cut = nil
	t.more(readSize / 4)
	wide := firstWide(t.buffer)
	if t.encoding == "" && wide < len(t.buffer) {
		for len(t.buffer) < wide+window && t.err == nil {
			t.more(wide + window - len(t.buffer))
		}
		t.encoding, t.rival = judge(t.buffer[wide:], t.err == io.EOF)
		t.guessed = t.encoding != "utf-8"
		if dec := decoder(t.encoding); dec != nil {
			rest := io.MultiReader(bytes.NewReader(bytes.Clone(t.buffer[wide:])), ended{t.err}, t.src)
			t.src, t.err = transform.NewReader(rest, dec), nil
			t.buffer = t.buffer[:wide]
		}
	}
	if text := t.buffer; wide < len(text) && t.err == nil {
		for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
			if utf8.RuneStart(text[i]) {
				if !utf8.FullRune(text[i:]) {
					t.cut, t.buffer = bytes.Clone(text[i:]), text[:i]
				}
				break
			}
		}
	}
	t.left = t.buffer
	if wide < len(t.buffer) {
		t.repair(wide)
	}
	t.line += bytes.Count(t.buffer, t.lineEnd)
}

// ended is a reader of nothing that ends with an error, unless it is nil.
type ended struct{ err error }

func (b ended) Read([]byte) (int, error) {
	if b.err == nil {
		return 0, io.EOF
	}
	return 0, b.err
}

// more appends at most n bytes of the source to the buffer.
func (t *Text) more(n int) {
	from := len(t.buffer)
	t.buffer = append(t.buffer, make([]byte, n)...)
	for idle := 0; ; idle++ {
		var k int
		if k, t.err = t.src.Read(t.buffer[from:]); k == 0 && t.err == nil && idle < 100 {
			continue
		} else if k == 0 && t.err == nil {
			t.err = io.ErrNoProgress
		}
		t.buffer = t.buffer[:from+k]
		return
	}
}

// repair replaces what is not a character after the first byte that is not ASCII, and counts it.
func (t *Text) repair(wide int) {
	replaced := []byte("\ufffd")
	note := func(at, n int) {
		if t.bad == 0 {
			t.badLine = t.line + bytes.Count(t.buffer[:at], t.lineEnd)
		}
		t.bad += n
	}
	if t.encoding != "utf-8" {
		if n := bytes.Count(t.buffer[wide:], replaced); n > 0 {
			note(bytes.Index(t.buffer, replaced), n)
		}
		return
	}
	if utf8.Valid(t.buffer[wide:]) {
		return
	}
	t.left = append([]byte(nil), t.buffer[:wide]...)
	for i := wide; i < len(t.buffer); {
		r, size := utf8.DecodeRune(t.buffer[i:])
		if r == utf8.RuneError && size == 1 {
			note(i, 1)
			t.left = append(t.left, replaced...)
		} else {
			t.left = append(t.left, t.buffer[i:i+size]...)
		}
		i += size
	}
}

// Encoding is the encoding as far as the text was read.
func (t *Text) Encoding() string {
	if t.encoding == "" {
		return "utf-8"
	}
	return t.encoding
}

// Notes say what is uncertain about the encoding of the text so far, and what was replaced.
func (t *Text) Notes() (notes []string) {
	name := Displayed(t.Encoding())
	switch {
	case t.guessed && t.encoding == "latin-1" && t.rival != "":
		notes = append(notes, fmt.Sprintf("the text is read as Latin-1, which seems wrong: its characters look "+
			"like %s: Options.Encoding %s reads it so, Options.Encoding latin-1 confirms it", Displayed(t.rival), t.rival))
	case t.guessed && t.encoding != "latin-1" && t.rival != "":
		notes = append(notes, fmt.Sprintf("the encoding %s is guessed from the characters; it may be %s: "+
			"Options.Encoding %s", name, Displayed(t.rival), t.rival))
	case t.guessed && t.encoding != "latin-1":
		notes = append(notes, fmt.Sprintf("the encoding %s is guessed from the characters: "+
			"Options.Encoding takes another", name))
	}
	if t.bad > 0 {
		what := "bytes are no characters"
		if t.bad == 1 {
			what = "byte is no character"
		}
		notes = append(notes, fmt.Sprintf("%d %s of %s, the first in line %d: U+FFFD replaces them "+
			"(Options.Encoding latin-1 if the text is in Latin-1)", t.bad, what, name, t.badLine))
	}
	return notes
}

// Displayed is the name of an encoding for people.
func Displayed(name string) string {
	if known, ok := encodingNames[name]; ok {
		return known
	}
	return name
}
