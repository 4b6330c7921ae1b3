// Package celltext interprets the texts of cells: missing values, truth values, amounts with units, and
// names of classes.
package celltext

import "strings"

// Special words in cells, in lower case. All packages that detect dialects, read files, encode rows or
// export tables use these lists.
var (
	// MissingWords stand for a missing value in any column. \N is used by MySQL.
	MissingWords = []string{"na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", `\n`, "?", ".",
		"#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"}
	// NoValueWords stand for a missing value among numbers, dates and truth values. Among other texts they
	// are levels, because classes called + and − are as common as answers such as none, some and all.
	NoValueWords = []string{"none", "nil", "nd", "-", "--", "*"}
	// Truths are the pairs of texts of a boolean; the first means false.
	Truths = [][2]string{{"false", "true"}, {"f", "t"}, {"no", "yes"}, {"n", "y"}, {"0", "1"}, {"off", "on"},
		{"nein", "ja"}, {"non", "oui"}}
	// LimitWords mean that a value is below an unknown limit of detection (lod, bdl) or quantification (loq,
	// bql).
	LimitWords = []string{"n.d.", "lod", "<lod", "< lod", "loq", "<loq", "< loq", "bdl", "bql", "<dl"}
	// doubtful words could mean a missing value, but no reader treats them as such.
	doubtful = []string{"missing", "unknown", "unspecified", "undefined", "not available", "not applicable",
		"tbd", "tba", "tbc", "to be determined", "todo", "pending", "placeholder", "unlabeled", "unlabelled",
		"not labeled", "not labelled", "unassigned", "not assigned", "undetermined", "not determined", "xxx"}
)

// Kept marks, in a list of texts for missing values, a text that is a value even if it is one of
// MissingWords.
const Kept = "not:"

const longestWord = 8 // of MissingWords and NoValueWords

func oneOf(text string, words []string) bool {
	for _, w := range words {
		if len(w) == len(text) && strings.EqualFold(w, text) {
			return true
		}
	}
	return false
}

// Missing reports whether a text means a missing value in any column. The text must not be empty or have
// surrounding blanks.
func Missing(text string) bool { return len(text) <= longestWord && oneOf(text, MissingWords) }

// NoValue reports whether a text means a missing value among numbers, dates and truth values.
func NoValue(text string) bool { return len(text) <= longestWord && oneOf(text, NoValueWords) }

// IsLimit reports whether a text, such as <0.5 or LOD, says only that a value is below or above a limit.
func IsLimit(text string) bool {
	_, _, ok := Limit(Plain(text))
	return ok || len(text) <= longestWord && oneOf(text, LimitWords)
}

// Doubtful reports whether a level or a class has a name that could mean a missing value.
func Doubtful(text string) bool {
	return Missing(text) || NoValue(text) || oneOf(text, doubtful) || text != "" && strings.Trim(text, "?") == ""
}

// Truth parses a text of Truths.
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
