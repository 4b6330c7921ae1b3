package celltext

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

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

// Clock is the unit of times such as 12:28, 6:28 PM or 1:02:03, whose numbers, 748, 1108 and 3723, count
// their last component.
const Clock = ":"

// Plain converts a number in an unusual notation to the usual one if its meaning is clear: full-width
// digits or digits of another script, an exponent of Fortran (1.28D+05), a text of Excel ('1.28 or ="1.28"),
// or up to eight hexadecimal digits (0x1F). Any other text is only passed through [Normal].
func Plain(text string) string {
	text = Normal(text)
	if !isASCII(text) {
		text = strings.Map(plainRune, text)
	}
	if inside, ok := strings.CutPrefix(text, `="`); ok && strings.HasSuffix(inside, `"`) {
		text = trim(inside[:len(inside)-1])
	} else if inside, ok := strings.CutPrefix(text, "'"); ok && len(inside) > 0 {
		if r := inside[0]; '0' <= r && r <= '9' || strings.ContainsRune("+-.,", rune(r)) {
			text = inside
		}
	}
	if i := strings.IndexAny(text, "dD"); i > 0 && exponent(text[i+1:]) &&
		strings.Trim(text[:i], "+-.,0123456789") == "" &&
		strings.Trim(text[i+1:], "+-0123456789") == "" && strings.ContainsAny(text, ".,+-") {
		text = text[:i] + "E" + text[i+1:]
	}
	if len(text) > 2 && text[0] == '0' && text[1]|0x20 == 'x' {
		if v, err := strconv.ParseUint(text[2:], 16, 32); err == nil {
			return strconv.FormatUint(v, 10)
		}
	}
	return text
}

// zeros are the zeros of the scripts whose digits are recognized.
var zeros = []rune{'０', '٠', '۰', '०', '০', '๐'}

func plainRune(r rune) rune {
	if unicode.IsDigit(r) {
		for _, zero := range zeros {
			if zero <= r && r < zero+10 {
				return '0' + r - zero
			}
		}
	}
	switch {
	case strings.ContainsRune("，．＋－％（）＄：＜＞", r):
		return r - '！' + '!'
	case r == '٫':
		return '.'
	case r == '٬':
		return ','
	}
	return r
}

// Ungroup returns a number without its group separators if they are unambiguous: "1234567.5" for
// "1,234,567.5" and for "1 234 567,5", "1359366" for "13,59,366", "12881" for "12_881". A single comma or
// point could be either kind of separator and is rejected.
func Ungroup(text string) (plain string, ok bool) {
	body := strings.TrimLeft(text, "+-")
	sign := text[:len(text)-len(body)]
	if len(sign) > 1 || body == "" || body[0] < '1' || body[0] > '9' {
		return "", false
	}
	mark, decimal := rune(0), -1
	for i, r := range body {
		switch {
		case '0' <= r && r <= '9':
			continue
		case !strings.ContainsRune(" '’_.,", r) || decimal >= 0:
			return "", false
		case mark == 0:
			mark = r
		case r != mark && (r == '.' || r == ','):
			decimal = i
		case r != mark:
			return "", false
		}
	}
	whole, fraction := body, ""
	if decimal >= 0 {
		whole, fraction = body[:decimal], "."+body[decimal+1:]
	}
	groups := strings.Split(whole, string(mark))
	if mark == 0 || (mark == '.' || mark == ',') && decimal < 0 && len(groups) < 3 ||
		!areGroups(groups, mark == ',') {
		return "", false
	}
	return sign + strings.Join(groups, "") + fraction, true
}

// areGroups reports whether digits are in groups of three or, as in India, of two before the last three.
func areGroups(groups []string, two bool) bool {
	last, size := len(groups)-1, 3
	if two && last > 1 && len(groups[1]) == 2 {
		size = 2
	}
	for i, group := range groups {
		if i == 0 && (group == "" || len(group) > size) || i > 0 && i < last && len(group) != size ||
			i == last && len(group) != 3 {
			return false
		}
	}
	return true
}

// CommaGroups parses a number with commas as group separators, even a single one, and a decimal point.
func CommaGroups(text string) (plain string, ok bool) {
	whole, fraction, found := strings.Cut(text, ".")
	if groups := strings.Split(strings.TrimLeft(whole, "+-"), ","); !areGroups(groups, true) {
		return "", false
	}
	if found {
		fraction = "." + fraction
	}
	return strings.ReplaceAll(whole, ",", "") + fraction, true
}

// clock converts a time such as 12:28, 6:28 PM, 1:02:03 or 12:28.5 to a number of its last component.
func clock(text string) (number string, ok bool) {
	half := ""
	if cut := len(text) - 2; cut > 0 {
		if half = strings.ToUpper(text[cut:]); half == "AM" || half == "PM" {
			text = strings.TrimRight(text[:cut], " ")
		}
	}
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 || len(parts[0]) > 4 {
		return "", false
	}
	total, fraction := 0, ""
	for i, part := range parts {
		if i == len(parts)-1 {
			if at := strings.IndexAny(part, ".,"); at >= 0 {
				part, fraction = part[:at], "."+part[at+1:]
			}
		}
		n, err := strconv.Atoi(part)
		if err != nil || part[0] < '0' || i > 0 && (len(part) != 2 || n > 59) {
			return "", false
		}
		if i == 0 && (half == "AM" || half == "PM") {
			if n < 1 || n > 12 {
				return "", false
			}
			if n %= 12; half == "PM" {
				n += 12
			}
		}
		total = 60*total + n
	}
	if strings.Trim(fraction, ".0123456789") != "" || fraction == "." {
		return "", false
	}
	return strconv.Itoa(total) + fraction, true
}

// Limit extracts the number from a cell that says only that a value is below or above it, such as <0.5.
// below is false if the value is above the number, as in >100.
func Limit(text string) (number string, below, ok bool) {
	for _, mark := range []string{"<=", "<", "≤", ">=", ">", "≥"} {
		if rest, found := strings.CutPrefix(text, mark); found && MayBeNumber(rest) {
			return trim(rest), mark[0] == '<' || mark == "≤", true
		}
	}
	return "", false, false
}

// MayBeNumber reports whether a text contains a digit and could therefore be a number with a sign.
func MayBeNumber(text string) bool {
	for i, r := range text {
		if '0' <= r && r <= '9' || r >= utf8.RuneSelf && unicode.IsDigit(r) {
			return true
		}
		if i > 40 {
			break
		}
	}
	return false
}

// Normal returns a text in the form in which texts are compared: composed (NFC), with an ordinary space for
// every other kind of space, such as a no-break space, and without invisible characters, such as a zero-width
// space or a soft hyphen. Joiners are kept in scripts that need them. Invalid UTF-8 is unchanged.
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
