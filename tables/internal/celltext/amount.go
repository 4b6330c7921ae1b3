package celltext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/cell"
)

func trim(text string) string { return strings.TrimFunc(text, cell.Blank) }

// minus is the typographic minus sign, U+2212.
const minus = "−"

// Amount extracts the number from a text in human notation: a negative number may be in brackets or have a
// trailing minus, and a unit may precede or follow the number. The result starts with a minus if the number
// is negative: "-170" for "(170)", "-5.2" for "5.2-" and for "−5.2", "71" for "71 kg" if the unit is kg. If
// unit is empty, a currency, percent or per mille sign is removed. The caller checks that the result is a
// number.
func Amount(text, unit string) (number string) {
	number, _ = apart(text, func(text string) (string, string) {
		switch unit {
		case "":
			return cutSign(text)
		case Clock:
			if number, ok := clock(text); ok {
				return number, unit
			}
			return text, ""
		}
		rest, found := strings.CutSuffix(text, unit)
		if !found {
			if rest, found = strings.CutPrefix(text, unit); !found {
				return text, ""
			}
		}
		return trim(rest), unit
	})
	return number
}

// Unit returns the unit next to a number, or "" if none is recognized: a currency, percent or per mille
// sign, a currency before the number such as EUR or US$, or a word after it such as kg or km/h. The unit of
// a time such as 12:28 is [Clock].
func Unit(text string) string {
	_, unit := apart(text, cutUnit)
	return unit
}

// apart separates the sign and the unit, which cut removes, from a number.
func apart(text string, cut func(text string) (rest, unit string)) (number, unit string) {
	sign := ""
	for before := -1; before != len(text); {
		before = len(text)
		if sign == "" {
			text, sign = cutMinus(text)
		}
		if unit == "" {
			text, unit = cut(text)
		}
	}
	return sign + text, unit
}

// cutMinus removes a plus sign or the notation of a negative number.
func cutMinus(text string) (rest, sign string) {
	if inside, open := strings.CutPrefix(text, "("); open {
		if inside, closed := strings.CutSuffix(inside, ")"); closed {
			return trim(inside), "-"
		}
	}
	for _, sign := range []string{"-", minus} {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			return trim(rest), "-"
		}
		if rest, ok := strings.CutSuffix(text, sign); ok {
			return trim(rest), "-"
		}
	}
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		return trim(rest), "+"
	}
	return text, ""
}

// IsSign reports whether a unit is a currency, percent or per mille sign.
func IsSign(unit string) bool {
	r, size := utf8.DecodeRuneInString(unit)
	return size > 0 && size == len(unit) && isSign(r)
}

func isSign(r rune) bool { return r == '%' || r == '‰' || unicode.Is(unicode.Sc, r) }

// cutSign removes a currency, percent or per mille sign at either end.
func cutSign(text string) (rest, unit string) {
	if r, size := utf8.DecodeRuneInString(text); isSign(r) {
		return trim(text[size:]), text[:size]
	}
	if r, size := utf8.DecodeLastRuneInString(text); isSign(r) {
		cut := len(text) - size
		return trim(text[:cut]), text[cut:]
	}
	return text, ""
}

// currencies are the codes that are recognized before a number.
const currencies = "AED AUD BGN BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KRW MXN MYR NOK " +
	"NZD PHP PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD ZAR"

// cutUnit removes a currency before a number, or a word after it.
func cutUnit(text string) (rest, unit string) {
	i := strings.IndexFunc(text, func(r rune) bool { return r < 'A' || r > 'Z' })
	if r, size := utf8.DecodeRuneInString(text[max(i, 0):]); i >= 0 && i <= 3 && isSign(r) { // $5, US$5
		return trim(text[i+size:]), text[:i+size]
	} else if i == 3 && cell.Blank(r) && strings.Contains(currencies, text[:i]) { // EUR 5, not LOT 5
		return trim(text[i:]), text[:i]
	}
	if number, ok := clock(text); ok {
		return number, Clock
	}
	end := numberEnd(text)
	if unit = trim(text[end:]); end == 0 || !IsUnit(unit) {
		return text, ""
	}
	return trim(text[:end]), unit
}

// numberEnd returns the length of the number at the beginning of a text, including its separators, blanks
// and exponent. Brackets or a minus that belong to the number end before a blank.
func numberEnd(text string) int {
	digits := false
	for i, r := range text {
		switch {
		case '0' <= r && r <= '9':
			digits = true
		case strings.ContainsRune(".,'", r) || cell.Blank(r):
		case (r == 'e' || r == 'E') && digits && exponent(text[i+1:]):
		case (r == '-' || r == '+') && i > 0 && text[i-1]|0x20 == 'e':
		case r == '(' && i == 0, (r == ')' || strings.ContainsRune("-"+minus, r)) && digits &&
			blankFollows(text[i+utf8.RuneLen(r):]):
		case !digits:
			return 0
		default:
			return i
		}
	}
	return len(text)
}

func blankFollows(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && cell.Blank(r)
}

func exponent(text string) bool {
	text = strings.TrimLeft(text, "+-")
	return text != "" && '0' <= text[0] && text[0] <= '9'
}

const longestUnit = 12 // characters

// IsUnit reports whether a text could be a unit: a short word that starts with a letter or a degree sign.
func IsUnit(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return text == Clock || text != "" && utf8.RuneCountInString(text) <= longestUnit &&
		(unicode.IsLetter(first) || first == '°' || isSign(first)) &&
		strings.IndexFunc(text, func(r rune) bool {
			return !unicode.IsLetter(r) && !isSign(r) && !strings.ContainsRune("°²³23/^.*·_", r)
		}) < 0
}

// HasUnit reports whether a cell with a unit fits a column with another. A cell without a unit fits any
// column. A column without a unit accepts signs but no words.
func HasUnit(column, unit string) bool {
	return unit == "" || unit == column || column == "" && IsSign(unit)
}
