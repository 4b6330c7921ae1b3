package detect

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/cell"
)

func trim(text []byte) []byte {
	n := len(text)
	if n == 0 || text[0] > ' ' && text[n-1] > ' ' && text[0] < utf8.RuneSelf && text[n-1] < utf8.RuneSelf {
		return text
	}
	return bytes.TrimFunc(text, cell.Blank)
}

// code reports whether digits are a code: they have leading zeros, or more digits than fit a float64.
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
	case i == len(text) && 0 < i && i <= 15: // exact as a float64
		return float64(whole), true
	case i == 0 && len(text) > 1 && (text[0] == '-' || text[0] == '+'):
		i++
	}
	if i < len(text) && text[i] != '.' && text[i]|0x20 != 'e' && (text[i] < '0' || text[i] > '9') {
		return 0, false // rejects infinity and hexadecimal digits
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

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
