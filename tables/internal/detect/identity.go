package detect

import (
	"slices"
	"strings"
	"unicode"
)

// Identity is how likely the cells of a column identify the rows.
type Identity int

// The degrees of Identity. A column that IsID gets the kind ID; one that is LikeID may be a feature.
const (
	NotID Identity = iota
	LikeID
	IsID
)

// Values are the figures of a column from which Identify judges.
type Values struct {
	Rows     int     // of the table
	N        int     // cells with a value
	Distinct int     // different values
	Numbers  bool    // whether the values are numbers rather than texts
	Whole    bool    // whether all numbers are integers
	Span     float64 // difference between the largest and the smallest number
	Gaps     bool    // whether texts are digits with leading zeros that do not count without gaps
}

const (
	leastOrdered = 10 // values without a name such as id
	leastNumbers = 20 // numbers with a name such as patient_no
	leastTexts   = 5
)

// Identify judges whether a column identifies the rows. Its values must all be different. Texts do if there
// are at least 10 of them, and whole numbers in every row if they have no gaps. A name such as id lifts
// these restrictions. Fewer texts, and whole numbers with a name such as patient_no, may identify the rows.
func Identify(name string, v Values) Identity {
	complete := v.N == v.Rows
	switch named := identifies(name); {
	case v.N < 2 || v.Distinct < v.N || v.Numbers && !(v.Whole && complete):
		return NotID
	case named, v.N >= leastOrdered && !v.Numbers && !v.Gaps,
		v.N >= leastOrdered && v.Numbers && v.Span == float64(v.N-1):
		return IsID
	case complete && !v.Numbers && v.N >= leastTexts, complete && v.N >= leastNumbers && mayIdentify(name):
		return LikeID
	}
	return NotID
}

// identifies reports whether the last word of a name is id, uuid or guid, or the name is index or similar.
func identifies(name string) bool {
	w := Words(name)
	if len(w) == 0 {
		return strings.Contains(name, "#")
	}
	return slices.Contains([]string{"id", "uuid", "guid", "rowid"}, w[len(w)-1]) ||
		slices.Contains([]string{"index", "idx", "key", "row", "rowname", "rownames", "row names", "row name",
			"row number", "rownum", "no", "nr", "unnamed 0", "index level 0"}, strings.Join(w, " "))
}

// mayIdentify reports whether a name has a word that often identifies the rows.
func mayIdentify(name string) bool {
	return slices.ContainsFunc(Words(name), func(w string) bool {
		return slices.Contains([]string{"id", "ids", "index", "key", "no", "nr", "number", "row", "rowid",
			"rownames", "uid", "uuid", "guid", "serial"}, w)
	})
}

// Words splits a name at punctuation and before capitals that follow a small letter, and returns the words
// in lower case.
func Words(name string) []string {
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
