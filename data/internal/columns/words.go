package columns

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// Texts that mean a missing value, in lower case.
var (
	missing = []string{"na", "n/a", "?", ".", "nan", "null", "#n/a", "<na>", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"}
	// noValue mean one among numbers, dates and truth values. Among other texts they are
	// levels: the classes + and − are as common as the answers none, some and all.
	noValue = []string{"none", "-", "--", "nil"}
)

// truths are the pairs of texts of a boolean, in lower case, that of 0 first.
var truths = [][2]string{{"false", "true"}, {"f", "t"}, {"no", "yes"}, {"n", "y"}, {"0", "1"}, {"off", "on"}, {"nein", "ja"}, {"non", "oui"}}

const longestWord = 8 // of missing and noValue

func oneOf(text string, words []string) bool {
	if len(text) > longestWord {
		return false
	}
	for _, w := range words {
		if len(w) == len(text) && strings.EqualFold(w, text) {
			return true
		}
	}
	return false
}

// blanks are the bytes that may begin or end a cell without being part of it.
func trim(cell []byte) []byte {
	if n := len(cell); n > 0 && (cell[0] <= ' ' || cell[n-1] <= ' ' || cell[0] >= utf8.RuneSelf || cell[n-1] >= utf8.RuneSelf) {
		return bytes.TrimFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || r == 0 || r == '\uFEFF' })
	}
	return cell
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

// pointNumber parses a number with a decimal point.
func pointNumber(text string) (float64, bool) {
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// commaNumber parses a number with a decimal comma.
func commaNumber(text string) (float64, bool) {
	if strings.Count(text, ",") > 1 || strings.Contains(text, ".") {
		return 0, false
	}
	return pointNumber(strings.Replace(text, ",", ".", 1))
}

// unit cuts a currency or a percent sign from a number.
func unit(text string) (number, unit string) {
	first, size := utf8.DecodeRuneInString(text)
	if isUnit(first) {
		return strings.TrimSpace(text[size:]), text[:size]
	}
	if sign, rest := text[:min(1, len(text))], text[min(1, len(text)):]; sign == "-" || sign == "+" { // -$5
		if r, size := utf8.DecodeRuneInString(rest); isUnit(r) {
			return sign + rest[size:], rest[:size]
		}
	}
	last, size := utf8.DecodeLastRuneInString(text)
	if isUnit(last) {
		cut := len(text) - size
		return strings.TrimSpace(text[:cut]), text[cut:]
	}
	return text, ""
}

func isUnit(r rune) bool { return r == '%' || r == '‰' || unicode.Is(unicode.Sc, r) }

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
	case "index", "idx", "key", "row", "rowname", "rownames", "row names", "row name", "row number", "rownum", "no", "nr", "unnamed 0", "index level 0":
		return true
	}
	return false
}
