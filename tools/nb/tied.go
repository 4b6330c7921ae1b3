package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

// untied writes to w the ties of texts to outputs that do not hold, and returns their number: the phrase is
// not in the text of the cell, or the output does not contain one of its numbers.
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
				slices.ContainsFunc(wanted, func(n string) bool { return !isIn(said, n) }) {
				failed++
				fmt.Fprintf(w, "%s: cell %d, %q does not agree with cell %s, %q\n", file, i, t.Text, t.Cell, t.Row)
			}
		}
	}
	return failed
}

// isIn reports whether one of the numbers is n if it is rounded to as many decimals.
func isIn(said []string, n string) bool {
	_, decimals, _ := strings.Cut(n, ".")
	return slices.ContainsFunc(said, func(s string) bool {
		v, _ := strconv.ParseFloat(s, 64)
		return strconv.FormatFloat(v, 'f', len(decimals), 64) == n
	})
}

var (
	figure = regexp.MustCompile(`\d[\d,]*(\.\d+)?|[a-z]+`)
	names  = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen " +
		"fourteen fifteen sixteen seventeen eighteen nineteen twenty")
)

// numbers returns the numbers in a text, without their signs. Words count from two to twenty.
func numbers(text string) (list []string) {
	for _, s := range figure.FindAllString(strings.ToLower(text), -1) {
		if s[0] <= '9' {
			list = append(list, strings.ReplaceAll(strings.TrimSuffix(s, ","), ",", ""))
		} else if i := slices.Index(names, s); i > 1 {
			list = append(list, strconv.Itoa(i))
		}
	}
	return list
}
