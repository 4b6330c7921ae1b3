package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// changed compares the text outputs of executed notebooks with the outputs of the committed ones, to which the
// surrounding text refers. Executed notebooks are in folder, and solutions in folder/solutions.
func changed(folder string, files []string) error {
	n := 0
	for _, file := range files {
		executed := filepath.Join(folder, filepath.Base(file))
		if filepath.Base(filepath.Dir(file)) == "solutions" {
			executed = filepath.Join(folder, "solutions", filepath.Base(file))
		}
		was, err := readNotebook(file)
		if err != nil {
			return err
		}
		now, err := readNotebook(executed)
		if err != nil {
			return err
		}
		n += compare(os.Stdout, file, was, now)
	}
	if n > 0 {
		return fmt.Errorf("the text outputs of %d cells have changed: "+
			"if this is intended, correct the text around them and commit the output of "+
			"make figures PARTS=notebooks", n)
	}
	return nil
}

// compare writes the differences of the outputs to w and returns the number of cells that differ. Cells
// tagged varies, which measure time or memory, are ignored.
func compare(w io.Writer, file string, was, now notebook) (n int) {
	if len(was.Cells) != len(now.Cells) {
		fmt.Fprintf(w, "%s has %d cells, but %d after execution\n", file, len(was.Cells), len(now.Cells))
		return 1
	}
	for i, cell := range was.Cells {
		if slices.Contains(cell.Metadata.Tags, "varies") {
			continue
		}
		before, after := cell.says(), now.Cells[i].says()
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

// says returns the printed output of a cell, then its displayed output, as lines of plain text, because
// Jupyter does not preserve the order of the two. The library of charts is omitted, because a page that
// runs cells includes it.
func (c cell) says() (text []string) {
	for _, printed := range []bool{true, false} {
		for _, o := range c.Outputs {
			if printed != (o.Type == "stream") || o.library() {
				continue
			}
			for line := range strings.Lines(o.plain()) {
				// the output of GoNB's own commands
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "%goflags=") {
					text = append(text, rounding.ReplaceAllString(line, "1e-12"))
				}
			}
		}
	}
	return text
}
