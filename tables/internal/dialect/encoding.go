package dialect

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	wide "golang.org/x/text/encoding/unicode"
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
		return wide.UTF16(wide.LittleEndian, wide.IgnoreBOM).NewDecoder()
	case "utf-16be":
		return wide.UTF16(wide.BigEndian, wide.IgnoreBOM).NewDecoder()
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

// candidate is an encoding that legacy can choose. cost is approximately −log of the probability of a
// character in texts of the languages that use the encoding.
type candidate struct {
	encoding.Encoding
	name  string
	prior float64            // −log of the probability of the encoding, up to a constant
	cost  func(rune) float64 // of a non-ASCII character
}

// Non-ASCII characters of several languages in descending order of frequency.
const (
	western  = "éäöüèàßñóíáçêôâúîåøæûïëœãõìòù"
	central  = "áéíóýčšžřěůłęąśćżźńőűúôďťňľăţşâîđöüäß"
	turkish  = "ıüşçöğİâî"
	baltic   = "āšēīžųėūęčąņļģķäõöü"
	cyrillic = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњћђџ"
	greek    = "αοιετσνηυρπκμλωδγςάίόέήύχθφβώξζψϊϋ"
	hebrew   = "יוהלאתרבמשםנעדחקפכןזגטסצךףץ"
	arabic   = "ايلنمورتبةعدسفهكقحجشطصخضذثزءغظئىأإآؤ"
)

const (
	rare      = 7  // a letter of another language
	sign      = 6  // a common sign, such as a dash
	symbol    = 9  // a rare symbol
	undecoded = 14 // an invalid character
	ascii     = 3  // an ASCII letter
)

const signs = "–—’‘“”„…·°€£«»§©®±×²³½µ•™ \u00a0"

// letters returns the cost function for the letters of an alphabet.
func letters(alphabet string) func(rune) float64 {
	costs := map[rune]float64{}
	for _, r := range alphabet {
		costs[r] = 2.2 + 0.11*float64(len(costs))
	}
	return func(r rune) float64 {
		if cost, ok := costs[unicode.ToLower(r)]; ok {
			return cost
		}
		if cost, ok := costs[r]; ok {
			return cost
		}
		return other(r)
	}
}

func other(r rune) float64 {
	switch {
	case r == utf8.RuneError || unicode.IsControl(r):
		return undecoded
	case bytes.ContainsRune([]byte(signs), r):
		return sign
	case unicode.IsLetter(r):
		return rare
	}
	return symbol
}

// latin is letters for alphabets that extend ASCII, whose additional letters are a small share.
func latin(alphabet string) func(rune) float64 {
	cost := letters(alphabet)
	return func(r rune) float64 { return cost(r) + 0.8 }
}

// candidates are the encodings that are detected.
var candidates = []candidate{
	{charmap.Windows1252, "latin-1", 0, latin(western)}, {charmap.Macintosh, "macintosh", 6, latin(western)},
	{charmap.CodePage850, "ibm850", 8, latin(western)}, {charmap.Windows1250, "windows-1250", 4, latin(central)},
	{charmap.ISO8859_2, "iso-8859-2", 6, latin(central)},
	{charmap.Windows1254, "windows-1254", 5, latin(turkish)},
	{charmap.Windows1257, "windows-1257", 6, latin(baltic)},
	{charmap.Windows1251, "windows-1251", 2, letters(cyrillic)},
	{charmap.KOI8R, "koi8-r", 3, letters(cyrillic)}, {charmap.ISO8859_5, "iso-8859-5", 6, letters(cyrillic)},
	{charmap.CodePage866, "ibm866", 4, letters(cyrillic)},
	{charmap.MacintoshCyrillic, "x-mac-cyrillic", 6, letters(cyrillic)},
	{charmap.Windows1253, "windows-1253", 4, letters(greek)},
	{charmap.Windows1255, "windows-1255", 4, letters(hebrew)},
	{charmap.Windows1256, "windows-1256", 5, letters(arabic)},
	{simplifiedchinese.GB18030, "gbk", 2, ranked(simplifiedchinese.GBK, 0xb0a1, 0xd7f9, 0xd8a1, 0xf7fe)},
	{traditionalchinese.Big5, "big5", 3, ranked(traditionalchinese.Big5, 0xa440, 0xc67e, 0xc940, 0xf9d5)},
	{korean.EUCKR, "euc-kr", 3, hangul}, {japanese.ShiftJIS, "shift_jis", 2, kana},
	{japanese.EUCJP, "euc-jp", 4, kana},
}

// maxWords is the maximum number of different words used to detect an encoding.
const maxWords = 2000

// legacy detects the encoding of a text that is not UTF-8: the one in which its words are most probable. It
// returns Latin-1 unless another encoding is far better. second is another plausible encoding, or "".
//
// Each different word counts once. Words are separated by bytes that have the same meaning in all
// encodings, such as digits, blanks and most punctuation. The probability of a word is the product of the
// probabilities of its characters, with penalties for mixed scripts, for a capital after a small letter,
// and for adjacent non-ASCII letters in the Latin script.
func legacy(text []byte, whole bool) (name, second string) {
	words := map[string]bool{}
	for len(text) > 0 && len(words) < maxWords {
		i := 0
		for i < len(text) && text[i] < 0x40 {
			i++
		}
		n := i
		for n < len(text) && text[n] >= 0x40 {
			n++
		}
		if word := text[i:n]; firstWide(word) < len(word) && (n < len(text) || whole || len(words) == 0) {
			words[string(word)] = true
		}
		text = text[n:]
	}
	type score struct {
		total float64
		text  string
	}
	scores := make([]score, len(candidates))
	sorted := make([]string, 0, len(words))
	wide, narrow := 0, 0 // numbers of non-ASCII bytes and of ASCII letters
	for word := range words {
		sorted = append(sorted, word)
		for i := range len(word) {
			if c := word[i]; c >= utf8.RuneSelf {
				wide++
			} else if isLetter(c) {
				narrow++
			}
		}
	}
	slices.Sort(sorted)
	best := 0
	for k, c := range candidates {
		scores[k].total = c.prior
		for _, word := range sorted {
			decoded, _ := c.NewDecoder().String(word) // invalid bytes are U+FFFD
			scores[k].total += c.word(decoded)
			scores[k].text += decoded + " "
		}
		if scores[k].total < scores[best].total {
			best = k
		}
	}
	next := -1
	for k := range candidates {
		if scores[k].text != scores[best].text && (next < 0 || scores[k].total < scores[next].total) {
			next = k
		}
	}
	const sure = 8 // as a difference of log probabilities
	switch {
	case best == 0 && scores[0].total-ascii*float64(narrow) > 8*float64(wide+len(words)) &&
		next > 0: // not text in any of the languages
		return candidates[0].name, candidates[next].name
	case best == 0:
		return candidates[0].name, ""
	case best > 0 && scores[0].total-scores[best].total < sure:
		return candidates[0].name, candidates[best].name
	case next > 0 && scores[next].total-scores[best].total < sure:
		return candidates[best].name, candidates[next].name
	}
	return candidates[best].name, ""
}

func (c candidate) word(text string) (cost float64) {
	before := rune(' ')
	for _, r := range text {
		if cost += ascii; r >= utf8.RuneSelf {
			cost += c.cost(r) - ascii
		} else if !unicode.IsLetter(r) {
			cost -= ascii
		}
		if unicode.IsLetter(r) && unicode.IsLetter(before) {
			switch wide := r >= utf8.RuneSelf; {
			case isLatin(r) != isLatin(before):
				cost += 6
			case wide && before >= utf8.RuneSelf && isLatin(r):
				cost += 2
			}
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				cost += 5
			}
		} else if symbol := r; r >= utf8.RuneSelf && before != ' ' || before >= utf8.RuneSelf {
			if unicode.IsLetter(symbol) != unicode.IsLetter(before) {
				cost++ // a punctuation mark within a word
			}
		}
		before = r
	}
	return cost
}

func isLatin(r rune) bool { return r < utf8.RuneSelf || unicode.Is(unicode.Latin, r) }

// share returns the cost of one of n equally frequent characters that together make up the share p of a text.
func share(p float64, n int) float64 { return math.Log(float64(n) / p) }

// byName returns the encoding with a name used on the web or by IANA, and its canonical name.
func byName(name string) (e encoding.Encoding, canonical string) {
	e, err := htmlindex.Get(name)
	if err != nil {
		if e, err = ianaindex.IANA.Encoding(name); err != nil || e == nil {
			return nil, ""
		}
	}
	if canonical, err = htmlindex.Name(e); err != nil {
		canonical = name
	}
	if known, ok := encodings[canonical]; ok {
		canonical = known
	}
	return e, strings.ToLower(canonical)
}

// ranked returns the cost function of Chinese characters by ranges of codes: frequent ones, then others.
func ranked(e encoding.Encoding, from, to, from2, to2 int) func(rune) float64 {
	frequent, known := share(0.93, 4500), share(0.03, 5000)
	return func(r rune) float64 {
		if !unicode.Is(unicode.Han, r) {
			return wideMark(r)
		}
		b, err := e.NewEncoder().Bytes([]byte(string(r)))
		if err != nil || len(b) != 2 {
			return share(0.01, 20000)
		}
		switch code := int(b[0])<<8 | int(b[1]); {
		case b[1] < 0xa1 && from > 0xb000:
			return share(0.01, 20000) // added to GB 2312 by GBK
		case from <= code && code <= to:
			return frequent
		case from2 <= code && code <= to2:
			return known
		}
		return share(0.01, 20000)
	}
}

// wideMark returns the cost of a punctuation mark in an East Asian text.
func wideMark(r rune) float64 {
	switch {
	case strings.ContainsRune("，。、；：？！（）「」『』・ー％　—“”《》～", r):
		return 6
	case r >= 0xff01 && r <= 0xff5e:
		return 7
	}
	return share(0.01, 1000) + other(r) - rare
}

func hangul(r rune) float64 {
	switch {
	case unicode.Is(unicode.Hangul, r):
		b, err := korean.EUCKR.NewEncoder().Bytes([]byte(string(r)))
		if err != nil || len(b) != 2 || b[0] < 0xb0 || b[1] < 0xa1 {
			return share(0.001, 8822) // added to KS X 1001 by Windows
		}
		return share(0.95, 2350)
	case unicode.Is(unicode.Han, r):
		return share(0.01, 4888)
	}
	return wideMark(r)
}

func kana(r rune) float64 {
	switch {
	case unicode.Is(unicode.Hiragana, r):
		return share(0.45, 83)
	case r >= 0xff61 && r <= 0xff9f:
		return share(0.05, 63)
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return share(0.2, 86)
	case unicode.Is(unicode.Han, r):
		b, err := japanese.EUCJP.NewEncoder().Bytes([]byte(string(r)))
		if err == nil && len(b) == 2 && b[0] < 0xd0 {
			return share(0.3, 2965)
		}
		return share(0.01, 3390)
	}
	return wideMark(r)
}
