package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// allNotebooks returns the lessons and their solutions.
func allNotebooks() []string {
	lessons, _ := filepath.Glob("notebooks/*.ipynb")
	solutions, _ := filepath.Glob("notebooks/solutions/*.ipynb")
	return append(lessons, solutions...)
}

// notebooks executes notebooks without a browser. It writes OUT/NAME.ipynb and OUT/NAME.html, with
// solutions in OUT/solutions, and leaves the originals unchanged. It fails if a cell fails or a notebook is
// missing.
func notebooks(r run, out string, files []string) error {
	var lessons, solutions []string
	for _, file := range files {
		if !exists(file) {
			return fmt.Errorf("%s does not exist", file)
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
	// Run both concurrently, because a kernel leaves a core idle for a quarter of the time.
	second := make(chan error)
	go func() { second <- execute(r, filepath.Join(out, "solutions"), solutions) }()
	return errors.Join(execute(r, out, lessons), <-second)
}

// execute runs notebooks in a single process of Jupyter, which takes two seconds to start.
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
	// Failed cells do not stop the execution; nb reports them. Jupyter fails if a kernel dies or does not
	// respond. Without execution times, equal results give equal files.
	cells := func() error {
		return convert("notebook", files, "--execute", "--allow-errors", "--ExecutePreprocessor.timeout=600",
			"--ExecutePreprocessor.record_timing=False")
	}
	err := cells()
	if err != nil && r.ctx.Err() == nil {
		r.printf("Jupyter failed, perhaps because another process took a port of its kernel; trying again\n")
		err = cells()
	}
	if err != nil {
		return err
	}
	if err := r.do("nb", append([]string{"pictures"}, executed...)...); err != nil {
		r.printf("no PNGs of charts were added for forges, which do not run scripts: %v\n", err)
	}
	// Omit addresses of scripts, because Debian's refer to files of this machine and others need the
	// network, and the code of pictures, which Jupyter and the live pages fold.
	err = convert("html", executed, "--HTMLExporter.require_js_url=", "--HTMLExporter.jquery_url=",
		"--HTMLExporter.mathjax_url=", "--TagRemovePreprocessor.enabled=True",
		"--TagRemovePreprocessor.remove_input_tags=hide-input")
	if err != nil {
		return err
	}
	return r.do("nb", append([]string{"errors"}, executed...)...)
}
