package dialect

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// encodingOf returns the canonical name of an encoding, or "" if it is unknown.
func encodingOf(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if known, ok := encodings[name]; ok {
		return known
	}
	_, canonical := byName(name)
	return canonical
}

// decoder returns the decoder of an encoding, or nil for UTF-8.
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
	if e, _ := byName(name); e != nil {
		return e.NewDecoder()
	}
	return nil
}

// window is the number of bytes, starting with the first non-ASCII one, from which the encoding is detected.
const window = 64 << 10

// detectEncoding returns the encoding of a text from a non-ASCII character on, and a second one, or "".
func detectEncoding(text []byte, whole bool) (name, second string) {
	if len(text) > window {
		text, whole = text[:window], false
	}
	if isUTF8(text, whole) {
		return "utf-8", ""
	}
	return legacy(text, whole)
}

// firstWide returns the index of the first non-ASCII byte, or the length of text.
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

// Text reads a text as UTF-8. Bytes that are invalid in its encoding are replaced by U+FFFD.
type Text struct {
	encoding, second string // as in Dialect; if encoding is "", it is detected at the first non-ASCII character
	guessed          bool

	in      *bufio.Reader
	out     io.Reader // in UTF-8; nil until the encoding is known
	lineEnd []byte
	line    int // number of the next line, up to badLine
	bad     int // number of bytes or characters replaced
	badLine int // line of the first of them
}

// NewText returns a reader of the text in r, which is written in dialect d.
func NewText(r io.Reader, d Dialect) *Text {
	t := &Text{encoding: d.Encoding, second: d.second, guessed: d.guessed, in: bufio.NewReaderSize(r, readSize),
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
	for t.out == nil { // only ASCII so far
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
		t.encoding, t.second = detectEncoding(ahead, err == io.EOF)
		t.guessed = t.encoding != "utf-8"
		t.decode()
	}
	return t.out.Read(p)
}

// repair replaces invalid UTF-8, and counts the replacements, including the ones made by a decoder.
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

// Encoding returns the encoding of the text read so far.
func (t *Text) Encoding() string {
	if t.encoding == "" {
		return "utf-8"
	}
	return t.encoding
}

// Notes describes what is uncertain about the encoding of the text read so far, and what was replaced.
func (t *Text) Notes() (notes []table.Finding) {
	name := Displayed(t.Encoding())
	guess := table.Finding{Texts: []string{name, Displayed(t.second)}, Option: "Encoding", Value: t.second}
	switch {
	case !t.guessed || t.encoding == "latin-1" && t.second == "":
	case t.encoding == "latin-1":
		guess.Code = texts.EncodingUnlikely
	case t.second != "":
		guess.Code = texts.EncodingOfTwo
	default:
		guess.Code = texts.EncodingGuessed
	}
	if guess.Code != "" {
		notes = append(notes, guess)
	}
	if t.bad > 0 {
		notes = append(notes, table.Finding{Code: texts.InvalidBytes, N: t.bad, Line: t.badLine,
			Texts: []string{name}})
	}
	return notes
}

// Displayed returns the display name of an encoding.
func Displayed(name string) string {
	if known, ok := encodingNames[name]; ok {
		return known
	}
	return name
}
