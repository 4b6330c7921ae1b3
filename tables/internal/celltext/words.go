// Package celltext interprets the texts of cells: missing values, truth values, amounts with units, and
// names of classes.
package celltext

import (
	"math"
	"strconv"
	"strings"
)

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
	// LimitWords mean a value below an unknown limit of detection (lod, bdl) or quantification (loq, bql).
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

// Missing reports whether a text means a missing value in any column. The text must be trimmed and not empty.
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

// Labels finds the label of a class in any of the spellings that files and other programs use for its name.
// It is safe for concurrent use.
type Labels struct {
	classes  []string
	exact    map[string]int
	byNumber map[amount]int
}

// amount is a number with its unit, which may be empty.
type amount struct {
	number float64
	unit   string
}

// NewLabels returns the labels of classes: the label of classes[c] is c.
func NewLabels(classes []string) *Labels {
	l := &Labels{classes: classes, exact: map[string]int{}, byNumber: map[amount]int{}}
	for c, name := range classes {
		if plain := Normal(name); plain != name {
			if _, met := l.exact[plain]; !met {
				l.exact[plain] = c
			}
		}
		l.exact[name] = c
		a, ok := amountOf(name, plainNumber)
		if !ok && strings.Count(name, ",") == 1 && !strings.Contains(name, ".") {
			a, ok = amountOf(strings.Replace(name, ",", ".", 1), plainNumber)
		}
		if _, met := l.byNumber[a]; ok && (!met || name == strconv.FormatFloat(a.number, 'f', -1, 64)) {
			l.byNumber[a] = c
		}
	}
	return l
}

func amountOf(text string, number func(text string) (float64, bool)) (a amount, ok bool) {
	if a.number, ok = number(text); !ok {
		if a.unit = Unit(text); a.unit != "" {
			a.number, ok = number(Amount(text, a.unit))
		}
	}
	return a, ok
}

// Find returns the label of the class with a name, or −1. If no class has this exact name, Find looks for
// the class with the same number and unit, so that 1000000.0 and 1e6 match the class 1000000, and "20 %"
// matches 20%; then for a single class that differs only in case. number parses a number in the notation of
// the file; if nil, numbers have a decimal point.
func (l *Labels) Find(name string, number func(text string) (float64, bool)) int {
	if c, known := l.exact[name]; known {
		return c
	}
	if name = Normal(name); name != "" {
		if c, known := l.exact[name]; known {
			return c
		}
	}
	a, ok := amount{}, false
	if number != nil {
		a, ok = amountOf(name, number)
	}
	if !ok {
		a, ok = amountOf(name, plainNumber)
	}
	if c, known := l.byNumber[a]; known && ok {
		return c
	}
	if c, known := l.byNumber[amount{a.number, ""}]; known && ok {
		// models of earlier versions have no unit
		return c
	}
	found := -1
	for c, class := range l.classes {
		if strings.EqualFold(class, name) {
			if found >= 0 {
				return -1
			}
			found = c
		}
	}
	return found
}

func plainNumber(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
