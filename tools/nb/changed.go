package main

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

const hasChanged = "the text outputs of %d cells have changed: " +
	"if this is intended, correct the text around them and commit the output of " +
	"make figures PARTS=notebooks"

// changedIn returns a check that compares the text outputs of committed notebooks, to which the surrounding
// text refers, with the outputs of the executed notebooks in folder, where solutions are in folder/solutions.
// It also lists the phrases whose numbers the executed notebook does not output.
func changedIn(folder string) func(w io.Writer, file string, was ipynb.Notebook) int {
	return func(w io.Writer, file string, was ipynb.Notebook) int {
		executed := filepath.Base(file)
		if filepath.Base(filepath.Dir(file)) == "solutions" {
			executed = filepath.Join("solutions", executed)
		}
		now, err := ipynb.Read(filepath.Join(folder, executed))
		if err != nil {
			fmt.Fprintln(w, err) // all its cells count
			return len(was.Cells)
		}
		return compare(w, file, was, now) + untied(w, file, now)
	}
}

// compare writes the differences of the outputs to w and returns the number of cells that differ. Cells
// tagged varies, which measure time or memory or depend on the processor, are ignored.
func compare(w io.Writer, file string, was, now ipynb.Notebook) (n int) {
	if len(was.Cells) != len(now.Cells) {
		fmt.Fprintf(w, "%s has %d cells, but %d after execution\n", file, len(was.Cells), len(now.Cells))
		return 1
	}
	for i, cell := range was.Cells {
		if cell.Tagged("varies") {
			continue
		}
		before, after := says(cell), says(now.Cells[i])
		if slices.Equal(before, after) {
			continue
		}
		n++
		fmt.Fprintf(w, "%s: cell %d (- committed, + executed)\n", file, i)
		for l := range max(len(before), len(after)) {
			if l < len(before) && (l >= len(after) || before[l] != after[l]) {
				fmt.Fprintln(w, "-", before[l])
			}
			if l < len(after) && (l >= len(before) || before[l] != after[l]) {
				fmt.Fprintln(w, "+", after[l])
			}
		}
	}
	return n
}

// rounding matches numbers that are rounding errors, which differ between processors.
var rounding = regexp.MustCompile(`\b\d+(\.\d+)?e-(1[2-9]|2\d)\b`)

// says returns the printed output of a cell, then its displayed output, as lines of plain text with single
// spaces, because Jupyter does not preserve the order of the two. The library of charts is omitted, because a
// page that runs cells includes it.
func says(c ipynb.Cell) (text []string) {
	for _, printed := range []bool{true, false} {
		for _, o := range c.Outputs {
			if printed != (o.Type == "stream") || o.Library() {
				continue
			}
			for line := range strings.Lines(plain(o)) {
				// the output of GoNB's own commands
				if line = strings.Join(strings.Fields(line), " "); line != "" && !strings.HasPrefix(line, "%goflags=") {
					text = append(text, rounding.ReplaceAllString(line, "1e-12"))
				}
			}
		}
	}
	return text
}
