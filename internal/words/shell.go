package words

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// plainWord is a word that a shell takes as it is.
var plainWord = regexp.MustCompile(`^[\p{L}\p{N}_./:=,+@%-]+$`)

// Shell writes a word for a POSIX shell, on one line.
func Shell(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	if strings.ContainsFunc(word, unicode.IsControl) {
		var b strings.Builder
		for _, c := range []byte(word) {
			if c < ' ' || c == '\\' || c == 127 {
				fmt.Fprintf(&b, `\0%03o`, c)
			} else {
				b.WriteByte(c)
			}
		}
		return `"$(printf %b '` + strings.ReplaceAll(b.String(), "'", `'\''`) + `')"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// CommaSeparated writes a list as a flag of a list reads it: a record of CSV.
func CommaSeparated(list []string) string {
	cells := make([]string, len(list))
	for i, text := range list {
		if cells[i] = text; strings.ContainsAny(text, ",\"\r\n") || text == "" {
			cells[i] = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
	}
	return strings.Join(cells, ",")
}
