package celltext

import (
	"math"
	"strconv"
	"strings"
)

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
