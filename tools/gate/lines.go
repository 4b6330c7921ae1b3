package main

import (
	"bufio"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"unicode/utf8"
)

const (
	limitsFile   = "tools/gate/lines.txt"
	longLine     = 110 // columns
	longFunction = 100 // lines
)

// limits are the numbers in lines.txt, which may only fall.
type limits struct{ source, tests, longLines, longFunctions int }

const limitsFormat = "source %d\ntests %d\nlines over 110 columns %d\nfunctions over 100 lines %d\n"

// measure counts the lines of Go files, and the lines and functions that are too long.
func measure(files []string) (got limits, err error) {
	set := token.NewFileSet()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return got, err
		}
		count := &got.source
		if strings.HasSuffix(file, "_test.go") {
			count = &got.tests
		}
		for line := range strings.Lines(string(text)) {
			*count++
			if utf8.RuneCountInString(strings.TrimRight(line, "\r\n")) > longLine {
				got.longLines++
			}
		}
		tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
		if err != nil {
			return got, err
		}
		for _, d := range tree.Decls {
			first, last := set.Position(d.Pos()).Line, set.Position(d.End()).Line
			if _, ok := d.(*ast.FuncDecl); ok && last-first >= longFunction {
				got.longFunctions++
			}
		}
	}
	return got, nil
}

// lines compares the listed Go files with lines.txt. It fails if a number is exceeded, and prints a note if a
// number can be lowered.
func lines(r run, list *bufio.Scanner) error {
	var limit limits
	text, err := os.ReadFile(limitsFile)
	if err != nil {
		return err
	}
	if _, err := fmt.Sscanf(string(text), limitsFormat, &limit.source, &limit.tests, &limit.longLines,
		&limit.longFunctions); err != nil {
		return fmt.Errorf("%s: %w", limitsFile, err)
	}
	var files []string
	for list.Scan() {
		files = append(files, list.Text())
	}
	got, err := measure(files)
	if err != nil {
		return err
	}
	return limit.compare(r, got)
}

func (l limits) compare(r run, got limits) error {
	var errs []error
	for _, c := range []struct {
		name            string
		got, most, note int
	}{
		{"lines of source", got.source, l.source, 200},
		{"lines of tests", got.tests, l.tests, 200},
		{fmt.Sprintf("lines over %d columns", longLine), got.longLines, l.longLines, 1},
		{fmt.Sprintf("functions over %d lines", longFunction), got.longFunctions, l.longFunctions, 1},
	} {
		r.printf("%d %s, at most %d\n", c.got, c.name, c.most)
		if c.got > c.most {
			errs = append(errs, fmt.Errorf("%d %s, more than the %d of %s: remove as many as you add", c.got, c.name,
				c.most, limitsFile))
		} else if c.most-c.got >= c.note {
			r.printf("lower the number in %s to %d\n", limitsFile, c.got)
		}
	}
	return errors.Join(errs...)
}
