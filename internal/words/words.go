// Package words formats counts and lists of names for messages and charts.
package words

import (
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Plural formats a count of things: "1 row", "1234 rows", "2 classes".
func Plural[N int | int64](n N, one string) string {
	return strconv.FormatInt(int64(n), 10) + " " + noun(int64(n), one)
}

// CountOf formats a count of things with commas between thousands: "1,234 rows".
func CountOf(n int, one string) string { return Count(n) + " " + noun(int64(n), one) }

func noun(n int64, one string) string {
	switch {
	case n == 1:
		return one
	case strings.HasSuffix(one, "ss"):
		return one + "es"
	}
	return one + "s"
}

// Count formats a number with commas between thousands.
func Count(n int) string { return Commas(strconv.Itoa(n)) }

// Commas inserts commas between the thousands of a decimal number: "-1,234.5".
func Commas(number string) string {
	whole, fraction, point := strings.Cut(number, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + fraction
	}
	return sign + whole
}

// Share formats a fraction as a percentage: "12 %", "under 0.1 %".
func Share(part, whole int) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	switch {
	case part > 0 && p < .05:
		return "under 0.1 %"
	case part < whole && p > 99.9:
		return "over 99.9 %"
	case p > 0 && p < 10 || p > 90 && p < 100:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + " %"
}

// List joins at most the given number of names with commas, followed by "…" if there are more.
func List(names []string, most int) string {
	return ListBy(func(name string) string { return name }, names, most)
}

// ListBy is List with names formatted by write, such as Quote.
func ListBy(write func(name string) string, names []string, most int) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == most {
			b.WriteString("…")
			break
		}
		b.WriteString(write(name))
	}
	return b.String()
}

// Quote quotes a name, truncated to 60 characters.
func Quote(name string) string { return strconv.Quote(cell.Shorten(name)) }

// Folded returns a text that is the same for names that differ only in case or blanks.
func Folded(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// OneLine returns a name with single spaces between its words, truncated to 60 characters.
func OneLine(name string) string { return cell.Shorten(strings.Join(strings.Fields(name), " ")) }
