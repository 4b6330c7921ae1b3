package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

var (
	remark      = regexp.MustCompile(`//.*|"(?:[^"\\]|\\.)*"`)
	declaration = regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w+)`)
	word        = regexp.MustCompile(`\w+`)
	stopped     = regexp.MustCompile(`^write (\w+) first$`)
)

const isUngated = "%d cells use a function that is not written"

// ungated writes to w the cells of an executed blank notebook that use a function that is not written and do
// not end with "write NAME first", and returns their number. What such a cell prints before was made by other
// functions. A function that uses one that is not written counts as not written.
func ungated(w io.Writer, file string, nb ipynb.Notebook) (failed int) {
	var missing []string
	uses := func(code string) bool {
		return slices.ContainsFunc(word.FindAllString(code, -1), func(s string) bool {
			return slices.Contains(missing, s)
		})
	}
	for i, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		yours := c.Tagged("yours")
		code := remark.ReplaceAllString(string(c.Source), "")
		functions, body, _ := strings.Cut("\n"+code, "\n%%")
		places := append(declaration.FindAllStringSubmatchIndex(functions, -1), []int{len(functions)})
		for j, at := range places[:len(places)-1] {
			if f := functions[at[3]:places[j+1][0]]; uses(f) || strings.Contains(f, "lesson.Unwritten(") {
				missing = append(missing, functions[at[2]:at[3]])
			}
		}
		if said := says(c); !yours && uses(body) && !slices.ContainsFunc(said, stopped.MatchString) {
			failed++
			fmt.Fprintf(w, "%s: cell %d uses a function that is not written, and its output is\n%s\n", file, i,
				strings.Join(said, "\n"))
		}
	}
	return failed
}
