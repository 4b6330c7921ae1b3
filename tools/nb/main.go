// Command nb maintains the notebooks.
//
//	nb errors NOTEBOOK.ipynb...   lists the failed cells of executed notebooks
//	nb changed OUT NOTEBOOK...    lists the cells whose text outputs differ from those executed in OUT
//	nb gated NOTEBOOK.ipynb...    lists the cells of executed blank notebooks that use an unwritten function
//	nb pictures NOTEBOOK.ipynb... adds PNGs of charts and SVGs to the outputs; needs Chromium
//	nb blank FOLDER               writes FOLDER/blank: the notebooks of FOLDER for use in class
//	nb grade FOLDER               checks the exercises in the hand-ins of a class; writes FOLDER/grades.csv
//	nb slides FOLDER EXECUTED OUT writes OUT/lecture-N.ipynb with the sections listed in FOLDER/teaching.md
//
// Its tests check the structure of the notebooks in this repository.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mpcvm/mpcvm/internal/ipynb"
)

// verbs lists the number of arguments of each verb, or their least number if it is negative.
var verbs = map[string]struct {
	arguments int
	run       func(args []string) error
}{
	"errors":   {-1, func(args []string) error { return cells(args, "%d cells failed", report) }},
	"changed":  {-2, func(args []string) error { return cells(args[1:], hasChanged, changedIn(args[0])) }},
	"gated":    {-1, func(args []string) error { return cells(args, isUngated, ungated) }},
	"pictures": {-1, addPictures},
	"blank":    {1, func(args []string) error { return writeBlank(args[0]) }},
	"grade":    {1, func(args []string) error { return grade(args[0]) }},
	"slides":   {3, func(args []string) error { return writeSlides(args[0], args[1], args[2]) }},
}

func main() {
	err := errors.New("see go doc ./tools/nb for its arguments")
	if args := os.Args[1:]; len(args) > 0 {
		v, ok := verbs[args[0]]
		if n := len(args) - 1; ok && (n == v.arguments || v.arguments < 0 && n >= -v.arguments) {
			err = v.run(args[1:])
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "nb: %v\n", err)
		os.Exit(1)
	}
}

// cells checks the cells of notebooks. check writes what is wrong with them to w and returns their number,
// which the error then reports with the words of fault.
func cells(files []string, fault string, check func(w io.Writer, file string, nb ipynb.Notebook) int) error {
	n := 0
	for _, file := range files {
		nb, err := ipynb.Read(file)
		if err != nil {
			return err
		}
		n += check(os.Stdout, file, nb)
	}
	if n > 0 {
		return fmt.Errorf(fault, n)
	}
	return nil
}

// rewritten writes a changed copy of a file.
func rewritten(to, file string, change func(text []byte) ([]byte, error)) error {
	text, err := os.ReadFile(file)
	if err == nil {
		text, err = change(text)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o644) //nolint:gosec // a file of the repository
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
