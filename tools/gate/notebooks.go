package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxNotebook is the limit of a notebook's size in bytes, as notebooks are committed with their outputs.
const maxNotebook = 900_000

// allNotebooks returns the lessons and their solutions.
func allNotebooks() []string {
	lessons, _ := filepath.Glob("notebooks/*.ipynb")
	solutions, _ := filepath.Glob("notebooks/solutions/*.ipynb")
	return append(lessons, solutions...)
}

// smallNotebooks fails if a notebook is too large.
func smallNotebooks(files []string) error {
	var errs []error
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && info.Size() > maxNotebook {
			err = fmt.Errorf("%s has %d bytes; the limit is %d", file, info.Size(), maxNotebook)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// notebooks executes notebooks without a browser. It writes OUT/NAME.ipynb and OUT/NAME.html, the solutions
// into OUT/solutions, and does not change the originals. It fails if a cell fails, or a notebook is missing
// or too large.
func notebooks(r run, out string, files []string) error {
	var lessons, solutions []string
	for _, file := range files {
		if !exists(file) {
			return fmt.Errorf("there is no %s", file)
		}
		if strings.HasSuffix(filepath.Dir(file), "solutions") {
			solutions = append(solutions, file)
		} else {
			lessons = append(lessons, file)
		}
	}
	if err := r.do("go", "install", "./tools/nb"); err != nil {
		return err
	}
	// Side by side: a kernel leaves a core idle for a quarter of the time.
	second := make(chan error)
	go func() { second <- execute(r, filepath.Join(out, "solutions"), solutions) }()
	return errors.Join(execute(r, out, lessons), <-second)
}

// execute runs notebooks in one process of Jupyter, which takes two seconds to start.
func execute(r run, folder string, files []string) error {
	if len(files) == 0 {
		return nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var executed []string
	for _, file := range files {
		executed = append(executed, filepath.Join(folder, filepath.Base(file)))
	}
	convert := func(to string, files []string, options ...string) error {
		args := append([]string{"nbconvert", "--to", to, "--output-dir=" + folder}, options...)
		return r.do("jupyter", append(args, files...)...)
	}
	// Failed cells do not end it: nb shows them. Jupyter fails if a kernel ends or does not answer. Without
	// times of execution, equal results are equal files.
	cells := func() error {
		return convert("notebook", files, "--execute", "--allow-errors", "--ExecutePreprocessor.timeout=600",
			"--ExecutePreprocessor.record_timing=False")
	}
	err := cells()
	if err != nil && r.ctx.Err() == nil {
		r.printf("Jupyter failed, perhaps because another process took a port of its kernel; it runs once more\n")
		err = cells()
	}
	if err != nil {
		return err
	}
	if err := r.do("nb", append([]string{"pictures"}, executed...)...); err != nil {
		r.printf("charts have no PNG for forges, which do not run scripts: %v\n", err)
	}
	// Without addresses of scripts: Debian's are files of this machine, others need the network. And without the
	// code of pictures, which Jupyter and the live pages fold.
	err = convert("html", executed, "--HTMLExporter.require_js_url=", "--HTMLExporter.jquery_url=",
		"--HTMLExporter.mathjax_url=", "--TagRemovePreprocessor.enabled=True",
		"--TagRemovePreprocessor.remove_input_tags=hide-input")
	if err != nil {
		return err
	}
	if err := r.do("nb", append([]string{"errors"}, executed...)...); err != nil {
		return err
	}
	return smallNotebooks(executed)
}
