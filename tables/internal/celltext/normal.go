package celltext

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Normal returns a text in the form in which texts are compared: composed (NFC), with an ordinary space for
// every other kind of space, such as a no-break space, and without invisible characters, such as a
// zero-width space or a soft hyphen. Joiners are kept in scripts that need them. A text that is not valid
// UTF-8 is returned unchanged.
func Normal(text string) string {
	if isASCII(text) || !utf8.ValidString(text) {
		return text
	}
	text = norm.NFC.String(text)
	var b strings.Builder
	previous := rune(0)
	for _, r := range text {
		switch joiner := r == '\u200c' || r == '\u200d'; {
		case joiner && previous > '\u058f':
		case unicode.Is(unicode.Cf, r):
			continue
		case unicode.Is(unicode.Zs, r):
			r = ' '
		}
		previous = r
		b.WriteRune(r)
	}
	return trim(norm.NFC.String(b.String()))
}

func isASCII(text string) bool { return utf8.RuneCountInString(text) == len(text) }

// Quote returns a text in quotation marks, shortened, with escapes for everything that could be mistaken
// for something else: invisible characters, combining marks, and Cyrillic or Greek letters in a text with
// Latin letters.
func Quote(text string) string {
	var b strings.Builder
	latin := strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Latin, r) })
	for _, r := range strconv.Quote(cell.Shorten(text)) {
		other := unicode.IsLetter(r) && unicode.In(r, unicode.Cyrillic, unicode.Greek)
		if unicode.Is(unicode.Mn, r) || latin && other || r != ' ' && unicode.Is(unicode.Zs, r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
