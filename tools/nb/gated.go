package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

var (
	remark      = regexp.MustCompile(`//.*|"(?:[^"\\]|\\.)*"`)
	declaration = regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w+)`)
	word        = regexp.MustCompile(`\w+`)
	stopped     = regexp.MustCompile(`^write (\w+) first$`)
)

// gated lists the cells of executed blank notebooks that use a function that is not written, and do not end
// with "write NAME first". What such a cell prints before was made by other functions.
func gated(files []string) error {
	failed := 0
	for _, file := range files {
		nb, err := readNotebook(file)
		if err != nil {
			return err
		}
		failed += ungated(os.Stdout, file, nb)
	}
	if failed > 0 {
		return fmt.Errorf("%d cells use a function that is not written", failed)
	}
	return nil
}

// ungated writes the cells of a notebook that are not gated to w, and returns their number. A function that
// uses one that is not written counts as not written.
func ungated(w io.Writer, file string, nb notebook) (failed int) {
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
		yours := slices.Contains(c.Metadata.Tags, "yours")
		code := remark.ReplaceAllString(string(c.Source), "")
		functions, body, _ := strings.Cut("\n"+code, "\n%%")
		places := append(declaration.FindAllStringSubmatchIndex(functions, -1), []int{len(functions)})
		for j, at := range places[:len(places)-1] {
			if f := functions[at[3]:places[j+1][0]]; uses(f) || strings.Contains(f, "lesson.Unwritten(") {
				missing = append(missing, functions[at[2]:at[3]])
			}
		}
		if said := c.says(); !yours && uses(body) && !slices.ContainsFunc(said, stopped.MatchString) {
			failed++
			fmt.Fprintf(w, "%s: cell %d uses a function that is not written, and its output is\n%s\n", file, i,
				strings.Join(said, "\n"))
		}
	}
	return failed
}
