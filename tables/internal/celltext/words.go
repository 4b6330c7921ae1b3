// Package celltext reads the texts of cells: missing values, truth values, amounts with units, and names of
// classes.
package celltext

import "strings"

// The words of cells, in lower case. These lists are the only ones: the sniffer of dialects, the
// readers of all formats, recipes, exports and look take them from here.
var (
	// MissingWords mean a missing value in any column. \N is MySQL's.
	MissingWords = []string{"na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", `\n`, "?", ".",
		"#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"}
	// NoValueWords mean one among numbers, dates and truth values. Among other texts they are
	// levels: the classes + and − are as common as the answers none, some and all.
	NoValueWords = []string{"none", "nil", "nd", "-", "--", "*"}
	// Truths are the pairs of texts of a boolean, false first.
	Truths = [][2]string{{"false", "true"}, {"f", "t"}, {"no", "yes"}, {"n", "y"}, {"0", "1"}, {"off", "on"},
		{"nein", "ja"}, {"non", "oui"}}
	// LimitWords mean a value below a limit that is not known: of detection (lod, bdl) or quantification.
	LimitWords = []string{"n.d.", "lod", "<lod", "< lod", "loq", "<loq", "< loq", "bdl", "bql", "<dl"}
	// doubtful may stand for a missing value though no reader takes them for one.
	doubtful = []string{"missing", "unknown", "unspecified", "undefined", "not available"}
)

const longestWord = 8 // of MissingWords and NoValueWords

func oneOf(text string, words []string) bool {
	for _, w := range words {
		if len(w) == len(text) && strings.EqualFold(w, text) {
			return true
		}
	}
	return false
}

// Missing reports whether a text means a missing value in any column. The text has no blanks
// around it, and is not empty.
func Missing(text string) bool { return len(text) <= longestWord && oneOf(text, MissingWords) }

// NoValue reports whether a text means a missing value among numbers, dates and truth values.
func NoValue(text string) bool { return len(text) <= longestWord && oneOf(text, NoValueWords) }

// IsLimit reports whether a text such as <0.5 or LOD says only that a value is below or above a limit.
func IsLimit(text string) bool {
	_, _, ok := Limit(Plain(text))
	return ok || limitWord(text)
}

func limitWord(text string) bool { return len(text) <= longestWord && oneOf(text, LimitWords) }

// Doubtful reports whether a level or a class is named like a missing value.
func Doubtful(text string) bool { return Missing(text) || NoValue(text) || oneOf(text, doubtful) }

// Truth reads a text of Truths.
func Truth(text string) (is, ok bool) {
	for _, pair := range Truths {
		for k, word := range pair {
			if len(word) == len(text) && strings.EqualFold(word, text) {
				return k == 1, true
			}
		}
	}
	return false, false
}
