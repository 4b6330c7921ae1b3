package dialect

import (
	"bytes"
	"regexp"

	words "github.com/mpcvm/mpcvm/tables/internal/celltext"
)

// kind is the type of content that a cell appears to have.
type kind int

const (
	empty   kind = iota // empty or blank
	numeric             // a number, percentage, price, date or time
	known               // a missing value, truth value, e-mail address or URL
	word                // letters, digits and punctuation without blanks
	text                // words with blanks and simple punctuation
	prose               // text with commas, semicolons or colons
	broken              // contains a separator, or unbalanced brackets or quotes
)

// credit is the contribution of a cell of each kind to the share of recognized cells.
var credit = [...]float64{numeric: 1, known: 1, word: 0.9, text: 0.7, prose: 0.4, broken: 0.05}

// isKnown reports whether a cell is a word for a missing or a truth value, which can occur in any column.
func isKnown(b []byte) bool {
	if len(b) > 8 {
		return false
	}
	_, truth := words.Truth(string(b))
	return truth || isMissing(b)
}

func isMissing(b []byte) bool {
	return len(b) <= 8 && (words.Missing(string(b)) || words.NoValue(string(b)))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }

// kindOf returns the kind of a cell. Separators within a quoted cell are allowed.
func kindOf(b []byte, quoted bool) kind {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return empty
	}
	if len(b) <= 40 && (isNumber(b) || isDate(b)) {
		return numeric
	}
	if isKnown(b) {
		return known
	}
	var blank, comma, letters, mark bool
	round, square, curly, double := 0, 0, 0, 0
	at := 0
	for _, c := range b {
		switch c {
		case ' ':
			blank = true
		case ',', ';', ':':
			comma = true
		case '|', '\t', '^', '~', 0x1f, 1:
			mark = true
		case '(':
			round++
		case ')':
			round--
		case '[':
			square++
		case ']':
			square--
		case '{':
			curly++
		case '}':
			curly--
		case '"':
			double++
		case '@':
			at++
		case '\'', '=', '<', '>', '\n':
			blank = blank || c == '\n'
		default:
			letters = letters || isLetter(c) || isDigit(c)
		}
		if round < 0 || square < 0 || curly < 0 {
			round = 1 << 30 // closed before it is opened: never balanced
		}
	}
	first, last := b[0], b[len(b)-1]
	structured := double > 0 && (first == '{' && last == '}' || first == '[' && last == ']')
	switch {
	case quoted && (blank || comma || mark):
		return text
	case round != 0 || square != 0 || curly != 0 || double%2 != 0 || !letters || mark:
		return broken
	case structured:
		return text
	case isQuote(first) || isQuote(last):
		return broken // quotes that this candidate treats as text
	case !blank && (bytes.Contains(b, []byte("://")) || bytes.HasPrefix(b, []byte("www.")) || at == 1 && !comma):
		return known
	case comma:
		return prose
	case blank && isSeries(b):
		return broken
	case blank:
		return text
	}
	return word
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// form describes the meaning of the separators within a number.
type form int

const (
	formNone  form = iota // not a number
	formPlain             // only digits
	formPoint             // 1.5: the point is the decimal mark
	formComma             // 1,5: the comma is the decimal mark
	formEither
	formEitherPoint // 1.234
	formGroups      // 1.234.567 or 1 234: a thousands mark; the decimal mark is unknown
)

// number matches a number with its sign, currency or percent sign. Its capturing groups are: digits only;
// for each thousands mark, the thousands and the decimals; the decimal mark.
var number = regexp.MustCompile(`^[-+<>=~(\x{2212}]*\s*[$€£¥\x{fffd}]?\s*[-+]?(?:(\d+)|` +
	`(\d{1,3}(?:,\d{3})+)(\.\d*)?|` +
	`(\d{1,3}(?:\.\d{3})+)(,\d*)?|` +
	`(\d{1,3}(?:(?: \d{3})+|(?:'\d{3})+|(?:[\x{a0}\x{202f}]\d{3})+))([.,]\d*)?|` +
	`\d*([.,])\d*)(?:[eE][-+]?\d+)?\s*[%€$£]?\)?$`)

var date = regexp.MustCompile(`(?i)^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[,.]? +)?(?:` +
	`(?:\d{1,4}-\d{1,2}-\d{1,4}|\d{1,4}/\d{1,2}(?:/\d{1,4})?|\d{1,4}\.\d{1,2}\.(?:\d{1,4})?|\d{8}|\d{1,2}/\d{4}|` + month + `)(?:(?:T| +)` + clock + `)?|` + clock + `)$`)

// clocks matches a time within a text.
var clocks = regexp.MustCompile(`\b\d{1,2}:\d{2}(?::\d{2})?\b`)

const (
	month = `(?:\d{1,4}[-/., ]*)?(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|jun[ei]?|jul[yi]?|aug(?:ust)?|` +
		`sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)[-/., ]*\d{1,4}(?:[-/., ]+\d{2,4})?`
	clock = `\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?: ?(?:z|[a-z]{3}|[-+]\d{2}:?\d{2}))?(?: \d{4})?`
)

// numberForm returns the form of a number, its thousands mark (0 if it has none, or possibly none), and the
// digits with the separators.
func numberForm(b []byte) (form, byte, []byte) {
	b = bytes.TrimSpace(b)
	if !hasDigit(b) {
		return formNone, 0, nil
	}
	m := number.FindSubmatchIndex(b)
	if m == nil {
		return formNone, 0, nil
	}
	decimal := func(mark byte) form {
		if mark == ',' {
			return formComma
		}
		return formPoint
	}
	if m[2] >= 0 {
		return formPlain, 0, b[m[2]:m[3]]
	}
	for g, mark := range map[int]byte{4: ',', 8: '.', 12: ' '} {
		if m[g] < 0 {
			continue
		}
		groups := b[m[g]:m[g+1]]
		if bytes.IndexByte(groups, '\'') >= 0 {
			mark = '\''
		}
		switch {
		case m[g+2] >= 0:
			return decimal(b[m[g+2]]), mark, groups
		case mark != ',' && mark != '.' || bytes.Count(groups, []byte{mark}) > 1:
			return formGroups, mark, groups
		case groups[0] == '0':
			return decimal(mark), 0, groups
		case mark == ',':
			return formEither, 0, groups
		}
		return formEitherPoint, 0, groups
	}
	return decimal(b[m[16]]), 0, nil
}

func hasDigit(b []byte) bool { return bytes.ContainsAny(b, "0123456789") }

// isNumber reports whether numberForm recognizes a number.
func isNumber(b []byte) bool {
	// The common case needs no regular expression.
	i, marks := 0, 0
	if b[0] == '-' {
		i++
	}
	for ; i < len(b) && (isDigit(b[i]) || b[i] == '.'); i++ {
		if b[i] == '.' {
			marks++
		}
	}
	if i == len(b) && marks <= 1 && isDigit(b[i-1]) {
		return true
	}
	return (b[0] < 'A' || b[0] >= 0x80) && hasDigit(b) && number.Match(b)
}

func isDate(b []byte) bool {
	return len(b) > 3 && (isDigit(b[0]) || isLetter(b[0])) && hasDigit(b) && date.Match(b)
}

// isSeries reports whether a cell is a series of numbers, unless it could be a telephone number.
func isSeries(b []byte) bool {
	parts, points := 0, false
	for part := range bytes.FieldsSeq(b) {
		if !isNumber(part) {
			return false
		}
		parts++
		points = points || bytes.IndexByte(part, '.') >= 0
	}
	return parts > 3 || parts > 1 && points
}
