package detect

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// trim removes blanks around a cell.
func trim(text []byte) []byte {
	n := len(text)
	if n == 0 || text[0] > ' ' && text[n-1] > ' ' && text[0] < utf8.RuneSelf && text[n-1] < utf8.RuneSelf {
		return text
	}
	return bytes.TrimFunc(text, cell.Blank)
}

// code reports whether digits are a code rather than a number: they have leading zeros, or more digits than
// a float64 can represent.
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

var powers = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// Number parses a number with a decimal point.
func Number(text string) (float64, bool) {
	start, whole, point := 0, 0, -1
	if len(text) > 1 && (text[0] == '-' || text[0] == '+') {
		start = 1
	}
	i := start
	for ; i < len(text); i++ {
		if d := text[i] - '0'; d <= 9 {
			whole = 10*whole + int(d)
		} else if text[i] == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	digits := i - start
	if point >= 0 {
		digits--
	}
	if i == len(text) && 0 < digits && digits <= 15 { // the digits and the power are exact as float64
		v := float64(whole)
		if point >= 0 {
			v /= powers[i-1-point]
		}
		if text[0] == '-' {
			v = -v
		}
		return v, true
	}
	if i < len(text) && text[i]|0x20 != 'e' && (i == start || start == 0 && point < 0) {
		return 0, false // rejects infinity and hexadecimal digits
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

// pointOrComma parses a number with a decimal point, or with a comma that cannot separate thousands.
func pointOrComma(text string) (float64, bool) {
	v, ok := Number(text)
	if i := strings.IndexByte(text, ','); !ok && i > 0 && len(text)-i != len(",000") {
		return commaNumber(text)
	}
	return v, ok
}
