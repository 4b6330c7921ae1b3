package dialect

import (
	"bytes"
	"strings"
)

// kind is what a cell looks like.
type kind int

const (
	empty   kind = iota // nothing, or blanks
	numeric             // a number, percentage, price, date or time
	known               // a missing value, truth value, e-mail address or URL
	word                // letters, digits and marks without blanks
	text                // words with blanks and the punctuation of titles
	prose               // text with commas, semicolons or colons
	broken              // holds a separator, or half of a pair of brackets or quotes
)

// credit is what a cell of a kind adds to the share of cells that are recognised.
var credit = [...]float64{numeric: 1, known: 1, word: 0.9, text: 0.7, prose: 0.4, broken: 0.05}

// Words for missing and truth values; a cell with one of them says nothing of its column.
var (
	missingWords = []string{"na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", ".", "?", "*", "\\n", "#div/0!", "#value!", "#ref!", "nd", "n.a."}
	truthWords   = []string{"true", "false", "yes", "no"}
	// Parts of dates: their first three letters name a month or a day.
	dateWords = "jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun mai okt dez "
	dateMarks = []string{"t", "z", "am", "pm", "utc", "gmt", "st", "nd", "rd", "th"}
)

func foldsTo(b []byte, words []string) bool {
	for _, w := range words {
		if len(w) == len(b) && strings.EqualFold(w, string(b)) {
			return true
		}
	}
	return false
}

func isMissing(b []byte) bool { return len(b) <= 8 && foldsTo(b, missingWords) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }

// kindOf returns the kind of a cell. Separators among the bytes of a cell that is quoted do
// not count against it.
func kindOf(b []byte, quoted bool) kind {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return empty
	}
	if len(b) <= 40 && (isNumeric(b) || isDate(b)) {
		return numeric
	}
	if isMissing(b) || len(b) <= 5 && foldsTo(b, truthWords) {
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
			round = 1 << 30 // closed before it is opened, for good
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
		return broken // quotes that this reading takes for text
	case !blank && (bytes.Contains(b, []byte("://")) || bytes.HasPrefix(b, []byte("www.")) || at == 1 && !comma):
		return known
	case comma:
		return prose
	case blank:
		return text
	}
	return word
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// form says what the marks within a number tell.
type form int

const (
	formNone  form = iota // no number
	formPlain             // digits alone
	formPoint             // 1.5: the point is the decimal mark
	formComma             // 1,5: the comma is the decimal mark
	formEither
	formEitherPoint // 1.234
	formGroups      // 1.234.567 or 1 234: the mark is the thousands mark, and nothing else is told
)

// numberForm returns the form of a number and its thousands mark, 0 if it has none or may have
// none. A sign, a currency before or after it, and a percent sign are allowed.
func numberForm(b []byte) (form, byte) {
	b = bareNumber(b)
	var marks [2]byte // the first mark and the one that differs from it
	digits, group, first, groups := 0, 0, 0, 0
	i := 0
	for ; i < len(b); i++ {
		c := b[i]
		if isDigit(c) {
			digits++
			group++
			continue
		}
		size := 1
		if bytes.HasPrefix(b[i:], []byte("\u00a0")) {
			c, size = ' ', 2
		} else if bytes.HasPrefix(b[i:], []byte("\u202f")) {
			c, size = ' ', 3
		}
		if c != '.' && c != ',' && c != ' ' && c != '\'' {
			break
		}
		switch {
		case marks[1] != 0:
			return formNone, 0
		case marks[0] == 0:
			marks[0], first = c, group
		case group != 3 || first == 0 || first > 3:
			return formNone, 0 // what comes before a second mark is a group of thousands
		case c == marks[0]:
			groups++
		default:
			marks[1] = c
		}
		group = 0
		i += size - 1
	}
	if digits == 0 || !isExponent(b[i:]) {
		return formNone, 0
	}
	exponent := i < len(b)
	decimal := func(c byte) form {
		if c == ',' {
			return formComma
		}
		return formPoint
	}
	isGroups := group == 3 && 0 < first && first <= 3 && !exponent
	switch {
	case marks[0] == 0:
		return formPlain, 0
	case marks[1] != 0:
		if marks[1] != '.' && marks[1] != ',' {
			return formNone, 0
		}
		return decimal(marks[1]), marks[0]
	case groups > 0 || marks[0] == ' ' || marks[0] == '\'':
		if !isGroups {
			return formNone, 0
		}
		return formGroups, marks[0]
	case isGroups && b[0] != '0':
		if marks[0] == ',' {
			return formEither, 0
		}
		return formEitherPoint, 0
	}
	return decimal(marks[0]), 0
}

// bareNumber cuts signs, currencies, comparisons, percent signs and the parentheses of
// negative amounts off a number.
func bareNumber(b []byte) []byte {
	b = bytes.TrimSpace(b)
	if n := len(b); n > 2 && b[0] == '(' && b[n-1] == ')' {
		b = b[1 : n-1]
	}
	for range 4 {
		for _, prefix := range [...]string{"-", "+", "$", "€", "£", "¥", "<", ">", "=", "\ufffd", "\u2212"} {
			b = bytes.TrimPrefix(b, []byte(prefix))
		}
		b = bytes.TrimLeft(b, " ")
	}
	for _, suffix := range [...]string{"%", "€", "$", "£"} {
		b = bytes.TrimSuffix(b, []byte(suffix))
	}
	return bytes.TrimRight(b, " ")
}

func isExponent(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	if len(b) < 2 || b[0]|0x20 != 'e' {
		return false
	}
	b = b[1:]
	if b[0] == '+' || b[0] == '-' {
		b = b[1:]
	}
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return len(b) > 0
}

func isNumeric(b []byte) bool {
	// The usual number needs no look at its marks.
	if isDigit(b[0]) || b[0] == '-' {
		i := 1
		for i < len(b) && isDigit(b[i]) {
			i++
		}
		if i == len(b) && isDigit(b[i-1]) {
			return true
		}
	} else if isLetter(b[0]) && b[0] < 0x80 {
		return false
	}
	f, _ := numberForm(b)
	return f != formNone
}

// isDate reports whether a cell is a date, a time, or both: groups of digits with - / . or :
// between them, names of months and days, and the marks of ISO 8601.
func isDate(b []byte) bool {
	var marks [128]byte
	groups, names, joints := 0, 0, 0
	for i := 0; i < len(b); {
		c := b[i]
		j := i + 1
		switch {
		case isDigit(c):
			for j < len(b) && isDigit(b[j]) {
				j++
			}
			if j-i > 4 && !(i > 0 && (b[i-1] == '.' || b[i-1] == ',')) && !(j-i == 8 && i == 0) {
				return false
			}
			groups++
		case isLetter(c):
			for j < len(b) && isLetter(b[j]) {
				j++
			}
			word := b[i:j]
			if foldsTo(word, dateMarks) {
				break
			}
			if len(word) < 3 || !strings.Contains(dateWords, strings.ToLower(string(word[:3]))+" ") {
				return false
			}
			names++
		case c == '-' || c == '/' || c == '.' || c == ':':
			marks[c]++
			joints++
		case c != ' ' && c != '+' && c != ',':
			return false
		}
		i = j
	}
	if groups == 0 {
		return false
	}
	dayMarks := max(marks['-'], marks['/'], marks['.'])
	return groups >= 2 && (dayMarks >= 2 || marks[':'] >= 1 || marks['/'] == 1 && groups == 2) || names > 0 && joints+groups >= 2 && groups <= 8
}
