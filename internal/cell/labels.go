package cell

import (
	"math"
	"strconv"
	"strings"
)

// Labels finds the label of a class, however a file or another program writes its name. It is
// safe for concurrent use.
type Labels struct {
	classes  []string
	exact    map[string]int
	byNumber map[float64]int
}

// NewLabels returns the labels of classes: the label of classes[c] is c.
func NewLabels(classes []string) *Labels {
	l := &Labels{classes: classes, exact: map[string]int{}, byNumber: map[float64]int{}}
	for c, name := range classes {
		l.exact[name] = c
		v, ok := plainNumber(name)
		if _, met := l.byNumber[v]; ok && (!met || name == strconv.FormatFloat(v, 'f', -1, 64)) {
			l.byNumber[v] = c
		}
	}
	return l
}

// Find returns the label of the class of a name, or −1. It is the class of this name; else that of
// the same number, so that 1000000.0 and 1e6 are the class 1000000; else that of the same letters in
// another case, if there is only one. number parses a number as the file writes it; nil is for
// a decimal point.
func (l *Labels) Find(name string, number func(text string) (float64, bool)) int {
	if c, known := l.exact[name]; known {
		return c
	}
	v, ok := 0.0, false
	if number != nil {
		v, ok = number(name)
	}
	if !ok {
		v, ok = plainNumber(name)
	}
	if c, known := l.byNumber[v]; ok && known {
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

// plainNumber parses a number with a decimal point.
func plainNumber(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
