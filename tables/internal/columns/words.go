package columns

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// trim cuts what may stand around a cell without being part of it.
func trim(text []byte) []byte {
	n := len(text)
	if n == 0 || text[0] > ' ' && text[n-1] > ' ' && text[0] < utf8.RuneSelf && text[n-1] < utf8.RuneSelf {
		return text
	}
	return bytes.TrimFunc(text, cell.Blank)
}

// asText is the text of b, which must not change while it is used.
func asText(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// code reports whether a text of digits is a code and no number: it begins with a zero that
// no number needs, or a float64 cannot keep its digits.
func code(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	if len(digits) < 2 || len(digits) < len(text)-1 {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	if digits[0] == '0' {
		return len(digits) == len(text)
	}
	if len(digits) < 16 {
		return false
	}
	v, err := strconv.ParseFloat(text, 64)
	return err != nil || strconv.FormatFloat(v, 'f', -1, 64) != strings.TrimPrefix(text, "+")
}

// Number parses a number with a decimal point.
func Number(text string) (float64, bool) {
	whole, i := 0, 0
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		whole = 10*whole + int(text[i]-'0')
		i++
	}
	switch {
	case i == len(text) && 0 < i && i <= 15: // digits that a float64 keeps
		return float64(whole), true
	case i == 0 && len(text) > 1 && (text[0] == '-' || text[0] == '+'):
		i++
	}
	if i < len(text) && text[i] != '.' && text[i]|0x20 != 'e' && (text[i] < '0' || text[i] > '9') {
		return 0, false // neither infinity nor hexadecimal digits
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// commaNumber parses a number with a decimal comma.
func commaNumber(text string) (float64, bool) {
	if strings.Count(text, ",") > 1 || strings.Contains(text, ".") {
		return 0, false
	}
	return Number(strings.Replace(text, ",", ".", 1))
}

// words splits a name at marks and where a capital follows a small letter, in lower case.
func words(name string) []string {
	var b strings.Builder
	previous := rune(0)
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		previous = r
	}
	return strings.Fields(b.String())
}

// identifies reports whether a name says that a column identifies the rows: its last word is
// id, uuid or guid, or it is index, row and so on.
func identifies(name string) bool {
	w := words(name)
	if len(w) == 0 {
		return strings.Contains(name, "#")
	}
	switch w[len(w)-1] {
	case "id", "uuid", "guid", "rowid":
		return true
	}
	switch strings.Join(w, " ") {
	case "index", "idx", "key", "row", "rowname", "rownames", "row names", "row name", "row number", "rownum",
		"no", "nr", "unnamed 0", "index level 0":
		return true
	}
	return false
}
