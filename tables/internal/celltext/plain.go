package celltext

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mpcvm/mpcvm/internal/cell"
)

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
