package main

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

// untied writes to w the ties of texts to outputs that do not hold, and returns their number: the phrase is not
// in the text of the cell, or the output does not contain one of its numbers.
func untied(w io.Writer, file string, nb ipynb.Notebook) (failed int) {
	lines := map[string][]string{}
	for _, c := range nb.Cells {
		lines[c.ID] = says(c)
	}
	for i, c := range nb.Cells {
		for _, t := range c.Metadata.Ties {
			said := numbers(strings.Join(slices.DeleteFunc(slices.Clone(lines[t.Cell]),
				func(line string) bool { return !strings.Contains(line, t.Row) }), "\n"))
			wanted := numbers(t.Text)
			if !strings.Contains(string(c.Source), t.Text) || len(wanted) == 0 ||
				slices.ContainsFunc(wanted, func(n quantity) bool { return !slices.ContainsFunc(said, n.rounds) }) {
				failed++
				fmt.Fprintf(w, "%s: cell %d, %q does not agree with cell %s, %q\n", file, i, t.Text, t.Cell, t.Row)
			}
		}
	}
	return failed
}

// quantity is a number in a text, without its sign, and half of its last digit.
type quantity struct{ value, half float64 }

// rounds reports whether n is m, rounded.
func (n quantity) rounds(m quantity) bool { return math.Abs(n.value-m.value) <= n.half*(1+1e-9) }

var (
	figure = regexp.MustCompile(`\d[\d,]*(\.\d+)?|[a-z]+`)
	names  = strings.Fields("zero _ two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
		"fifteen sixteen seventeen eighteen nineteen twenty")
)

// numbers returns the numbers in a text. Words count from two to twenty.
func numbers(text string) (list []quantity) {
	for _, m := range figure.FindAllStringSubmatch(strings.ToLower(text), -1) {
		if v, err := strconv.ParseFloat(strings.ReplaceAll(m[0], ",", ""), 64); err == nil {
			list = append(list, quantity{v, math.Pow(10, -float64(max(0, len(m[1])-1))) / 2})
		} else if i := slices.Index(names, m[0]); i >= 0 {
			list = append(list, quantity{float64(i), 0})
		}
	}
	return list
}
