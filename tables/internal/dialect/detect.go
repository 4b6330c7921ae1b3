package dialect

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Detect determines the dialect of a text. sample contains its first bytes; 256 KiB are plenty. whole
// reports whether the sample is the whole text; if not, the record cut off by the end of the sample is
// ignored. Options that are set override the detection.
//
// If two readings are equally plausible, the error is an *Ambiguous, and the returned dialect is the best
// guess. For bytes that are not text, the error is [ErrNotText].
func Detect(sample []byte, whole bool, o table.Options) (Dialect, error) {
	d, text, err := Decode(sample, whole, o)
	if err != nil {
		return d, err
	}
	d.Skip = o.Skip
	separator, _ := separatorOf(o.Separator)
	if line, rest, ok := bytes.Cut(text, []byte{'\n'}); ok && o.Skip == 0 {
		if r := excelSeparator(line); r != 0 {
			// Excel's optional first line with the separator.
			d.Skip, text = 1, rest
			if separator == 0 {
				separator = r
			}
		}
	}
	for range o.Skip {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	ambiguous := d.separate(text, whole, separator, o)
	var t grid
	if bare, ok := d.unwrap(text, whole, separator, o); ok {
		text, ambiguous = bare, nil
	}
	t.parse(text, whole, d)
	if o.Skip == 0 {
		d.Skip += t.dropTitles()
	}
	d.Trailing = t.trailing()
	d.headings(&t, o)
	d.Cells = t.width
	for _, a := range []*Ambiguous{ambiguous, d.marks(&t, o), d.header(&t, o)} {
		if a != nil {
			return d, a
		}
	}
	return d, nil
}

// Decode detects the encoding and the line ends of a text like Detect, and returns the sample in UTF-8 with
// LF or CRLF as line ends.
func Decode(sample []byte, whole bool, o table.Options) (Dialect, []byte, error) {
	d := Dialect{Separator: ',', Quote: '"', Escape: '"', Decimal: '.', LineEnd: "lf"}
	if err := Check(o); err != nil {
		return d, nil, err
	}
	text, err := d.decode(sample, whole, o)
	if err != nil {
		return d, nil, err
	}
	if !whole {
		text = bytes.TrimSuffix(text, []byte{'\r'}) // LF may follow
	}
	if d.LineEnd = lineEnd(text); d.LineEnd == "cr" {
		text = bytes.ReplaceAll(text, []byte{'\r'}, []byte{'\n'})
	}
	return d, text, nil
}

// decode detects the encoding and returns the text in UTF-8, without byte order mark.
func (d *Dialect) decode(sample []byte, whole bool, o table.Options) ([]byte, error) {
	d.Encoding = encodingOf(o.Encoding)
	if bytes.HasPrefix(sample, []byte("\xff\xfe\x00\x00")) ||
		bytes.HasPrefix(sample, []byte("\x00\x00\xfe\xff")) {
		return nil, ErrNotText
	}
	var even, odd int // number of zero bytes at even and odd offsets
	for i, c := range sample {
		if c == 0 && i%2 == 0 {
			even++
		} else if c == 0 {
			odd++
		}
	}
	switch half := len(sample) / 2; {
	case d.Encoding != "":
	case bytes.HasPrefix(sample, []byte("\ufeff")):
		d.Encoding = "utf-8"
	case bytes.HasPrefix(sample, []byte("\xff\xfe")):
		d.Encoding = "utf-16le"
	case bytes.HasPrefix(sample, []byte("\xfe\xff")):
		d.Encoding = "utf-16be"
	case odd > half/2 && even <= half/20:
		d.Encoding = "utf-16le" // most characters of a table are ASCII, whose high byte is 0
	case even > half/2 && odd <= half/20:
		d.Encoding = "utf-16be"
	default:
		if wide := firstWide(sample); wide < len(sample) {
			d.Encoding, d.second = detectEncoding(sample[wide:], whole)
			d.guessed = d.Encoding != "utf-8"
		} else {
			d.Encoding, d.late = "utf-8", true
		}
	}
	if strings.HasPrefix(d.Encoding, "utf-16") && !whole {
		sample = sample[:len(sample)&^1]
	}
	sample, err := io.ReadAll(NewText(bytes.NewReader(sample), *d))
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", d.Encoding, err)
	}
	if !whole {
		sample = bytes.TrimSuffix(sample, []byte("\ufffd")) // a character cut off by the end of the sample
	}
	sample = withoutMark(sample)
	control := 0
	for _, c := range sample {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1f && c != 1 {
			control++
		}
	}
	if control > len(sample)/20 {
		return nil, ErrNotText
	}
	return sample, nil
}

// isUTF8 reports whether a text is UTF-8. Invalid bytes are tolerated if there are at least twice as many
// valid multi-byte characters, because other encodings rarely produce such sequences.
func isUTF8(text []byte, whole bool) bool {
	right, wrong := 0, 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r != utf8.RuneError || size > 1 {
			if size > 1 {
				right++
			}
		} else if whole || utf8.FullRune(text) {
			wrong++
		}
		text = text[size:]
	}
	return wrong == 0 || right >= 2*wrong
}

func lineEnd(text []byte) string {
	crlf := bytes.Count(text, []byte("\r\n"))
	cr, lf := bytes.Count(text, []byte{'\r'})-crlf, bytes.Count(text, []byte{'\n'})-crlf
	switch {
	case cr > 0 && crlf == 0 && cr > lf:
		return "cr"
	case crlf > lf:
		return "crlf"
	}
	return "lf"
}

// excelSeparator returns the separator in a line such as sep=;, or 0.
func excelSeparator(line []byte) rune {
	line = bytes.Trim(bytes.TrimRight(line, "\r"), `"`)
	if len(line) < 5 || !bytes.EqualFold(line[:4], []byte("sep=")) {
		return 0
	}
	if r, ok := separatorOf(string(line[4:])); ok {
		return r
	}
	return 0
}

// priors are the candidates for the separator, with the prior weight of each. Blanks, colons and similar
// characters occur within cells more often than between them.
var priors = []struct {
	separator rune
	prior     float64
}{
	{',', 1}, {';', 1}, {'\t', 1}, {'|', 1}, {0x1f, 1}, {1, 1}, {' ', 0.7}, {'^', 0.9}, {'~', 0.9}, {':', 0.3},
	{'!', 0.3}, {'#', 0.3}, {'*', 0.3}, {'&', 0.3}, {'=', 0.2}, {'/', 0.15},
}

// single is the score of a single column in which all cells are recognized.
const single = 0.25

// noSeparator is a separator that does not occur in any text: each line is a cell.
const noSeparator = 0x10ffff

// separate detects the separator, quote, escape and comments. Equally plausible separators are an error.
func (d *Dialect) separate(text []byte, whole bool, separator rune, o table.Options) *Ambiguous {
	d.Comment = o.Comment
	if o.Comment == "" {
		d.Comment = commentPrefix(text)
	} else if o.Comment == "none" {
		d.Comment = ""
	}
	var t grid
	best, second := Dialect{}, Dialect{}
	bestScore, secondScore := -1.0, -1.0
	try := func(separator rune, prior float64) {
		for _, c := range d.quoting(text, o) {
			c.Separator = separator
			t.parse(text, whole, c)
			score := prior * t.score()
			if score > bestScore*(1+1e-9) {
				if best.Separator != separator {
					second, secondScore = best, bestScore
				}
				best, bestScore = c, score
			} else if separator != best.Separator && score > secondScore {
				second, secondScore = c, score
			}
		}
	}
	if separator != 0 {
		try(separator, 1)
	} else {
		try(noSeparator, 1)
		lines := bytes.Count(text, []byte{'\n'})
		dates := t.dates()
		clocks := 2*len(clocks.FindAllIndex(text, -1)) >= bytes.Count(text, []byte{':'})
		for _, p := range priors {
			if dates && p.prior < 1 || clocks && p.separator == ':' {
				continue // blanks and colons occur within dates
			}
			if p.separator == ' ' && 2*bytes.Count(text, []byte{'\t'}) > lines {
				p.prior /= 2 // tabs are the separators
			}
			switch count := bytes.Count(text, []byte(string(p.separator))); {
			case p.separator == ' ', p.prior == 1 && count > 0, count > 0 && 2*count >= lines:
				try(p.separator, p.prior)
			}
		}
	}
	*d = best
	if best.Separator == noSeparator {
		d.Separator = unusedSeparator(text, whole, best)
		return nil
	}
	if o.Comment == "" && best.Comment != "" && !t.hasComments(text, whole, best) {
		d.Comment = ""
	}
	if a, b := separators.name(best.Separator), separators.name(second.Separator); a != "" && b != "" &&
		secondScore > 0.999*bestScore {
		return ambiguous(texts.AmbiguousSeparator, "Separator", a, b)
	}
	return nil
}

func (d *Dialect) quoting(text []byte, o table.Options) (ways []Dialect) {
	add := func(quote, escape rune) {
		c := *d
		c.Quote, c.Escape = quote, escape
		ways = append(ways, c)
	}
	for _, q := range []rune{'"', '\'', 0} {
		if o.Quote != "" && q != quotes.value(o.Quote) {
			continue
		}
		if o.Quote == "" && q == '\'' && !bytes.ContainsRune(text, q) ||
			o.Quote == "" && q == 0 && !bytes.ContainsRune(text, '"') {
			continue
		}
		escaped := bytes.Contains(text, []byte{'\\', byte(q)})
		switch {
		case o.Escape != "" && escapes.value(o.Escape) == '"':
			add(q, q)
		case o.Escape != "":
			add(q, escapes.value(o.Escape))
		default:
			add(q, q)
			if q != 0 && escaped {
				add(q, '\\')
			}
		}
	}
	return ways
}

// unusedSeparator returns a separator that does not split the lines of a text.
func unusedSeparator(text []byte, whole bool, c Dialect) rune {
	var t grid
	for _, p := range priors {
		c.Separator = p.separator
		if t.parse(text, whole, c); t.width <= 1 && t.agreeing == t.len() {
			return p.separator
		}
	}
	return 0x1f
}

// commentPrefix returns a prefix that could mark comments: the one on the first line, or # anywhere. Fewer
// than half of the lines start with it.
func commentPrefix(text []byte) string {
	text = bytes.TrimLeft(text, " \t\r\n")
	for _, prefix := range []string{"#", "%", "//", "!", "--", ";"} {
		if !bytes.HasPrefix(text, []byte(prefix)) && (prefix != "#" || !bytes.Contains(text, []byte("\n#"))) {
			continue
		}
		lines, comments := 0, 0
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				lines++
			}
			if bytes.HasPrefix(line, []byte(prefix)) {
				comments++
			}
		}
		if 2*comments < lines {
			return prefix
		}
	}
	return ""
}

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
