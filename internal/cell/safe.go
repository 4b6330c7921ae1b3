package cell

import "regexp"

// formula is the beginning of a text that a spreadsheet takes for a formula, and number a number, which may
// begin like one.
var (
	formula = regexp.MustCompile(`^[=+\-@\t\r]`)
	number  = regexp.MustCompile(`^[-+]?[\d., ]+([eE][-+]?\d+)? ?%?$`)
)

// Safe returns a text with a quote in front if a spreadsheet would take it for a formula.
func Safe(text string) string {
	if formula.MatchString(text) && !number.MatchString(text) {
		return "'" + text
	}
	return text
}
