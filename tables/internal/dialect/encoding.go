package dialect

import (
	"bufio"
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

	in      *bufio.Reader
	out     io.Reader // in UTF-8; nil if the encoding is open
	lineEnd []byte
	line    int // that is read next, up to badLine
	bad     int // bytes or characters that were replaced
	badLine int // of the first of them
}

// NewText returns a reader of the text in r, which is written in d.
func NewText(r io.Reader, d Dialect) *Text {
	t := &Text{encoding: d.Encoding, rival: d.rival, guessed: d.guessed, in: bufio.NewReaderSize(r, readSize),
		lineEnd: []byte{'\n'}, line: 1}
	if d.LineEnd == "cr" {
		t.lineEnd = []byte{'\r'}
	}
	if t.encoding != "" && !d.late {
		t.decode()
	} else {
		t.encoding = ""
	}
	return t
}

// decode decodes what is left of the text.
func (t *Text) decode() {
	to := transform.Transformer(&repair{Text: t})
	if dec := decoder(t.encoding); dec != nil {
		to = transform.Chain(dec, to)
	}
	t.out = transform.NewReader(source{t.in}, to)
}

// source reads at least one byte or returns an error.
type source struct{ *bufio.Reader }

func (s source) Read(p []byte) (int, error) {
	if _, err := s.Peek(1); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}

func (t *Text) Read(p []byte) (int, error) {
	for t.out == nil { // all was ASCII so far
		ahead, err := t.in.Peek(1)
		if len(ahead) == 0 {
			return 0, err
		}
		ahead, _ = t.in.Peek(min(max(len(p), 1), t.in.Buffered()))
		if wide := firstWide(ahead); wide > 0 {
			n := copy(p, ahead[:wide])
			t.line += bytes.Count(ahead[:n], t.lineEnd)
			return t.in.Discard(n)
		}
		ahead, err = t.in.Peek(window)
		t.encoding, t.rival = judge(ahead, err == io.EOF)
		t.guessed = t.encoding != "utf-8"
		t.decode()
	}
	return t.out.Read(p)
}

// repair replaces what is not a character of UTF-8. It counts what it replaces, and what a decoder did.
type repair struct {
	transform.NopResetter
	*Text
}

func (t *repair) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if ascii := firstWide(src[nSrc:]); ascii > 0 {
			n := copy(dst[nDst:], src[nSrc:nSrc+ascii])
			if t.bad == 0 {
				t.line += bytes.Count(dst[nDst:nDst+n], t.lineEnd)
			}
			if nDst, nSrc = nDst+n, nSrc+n; n < ascii {
				return nDst, nSrc, transform.ErrShortDst
			}
			continue
		}
		r, size := utf8.DecodeRune(src[nSrc:])
		switch {
		case r == utf8.RuneError && !atEOF && !utf8.FullRune(src[nSrc:]):
			return nDst, nSrc, transform.ErrShortSrc
		case nDst+utf8.UTFMax > len(dst):
			return nDst, nSrc, transform.ErrShortDst
		case r == utf8.RuneError && (size == 1 || t.encoding != "utf-8"):
			if t.bad++; t.bad == 1 {
				t.badLine = t.line
			}
		}
		nDst, nSrc = nDst+utf8.EncodeRune(dst[nDst:], r), nSrc+size
	}
	return nDst, nSrc, nil
}

// Encoding is the encoding as far as the text was read.
func (t *Text) Encoding() string {
	if t.encoding == "" {
		return "utf-8"
	}
	return t.encoding
}

// Notes describe what is uncertain about the encoding of the text so far, and what was replaced.
func (t *Text) Notes() (notes []string) {
	name := Displayed(t.Encoding())
	switch {
	case t.guessed && t.encoding == "latin-1" && t.rival != "":
		notes = append(notes, fmt.Sprintf("the text is read as Latin-1, which seems wrong: its characters look "+
			"like %s: Options.Encoding %s reads it so, Options.Encoding latin-1 confirms it", Displayed(
			t.rival), t.rival))
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
