package data

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// ReadPartitions reads partitions of n samples: a line each, the training rows
// counted from 0, separated by commas. The rows of a partition keep their
// order; none may be out of range (ErrRowRange) or repeated (ErrDuplicateRow),
// and at least one must be left for the test (ErrNoTestRows). Blank lines at the
// end are ignored. The error is a *ReadError; its columns count the entries.
func ReadPartitions(r io.Reader, n int) ([][]int, error) {
	return readPartitions(r, "partitions", n)
}

// ReadPartitionsFile reads a file of partitions of n samples.
func ReadPartitionsFile(path string, n int) ([][]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	return readPartitions(f, baseName(path), n)
}

func readPartitions(r io.Reader, name string, n int) ([][]int, error) {
	in := skipMark(r)
	var partitions [][]int
	seen := map[int]int{} // row: the line that last listed it
	blank := 0            // the first blank line
	for line := 1; ; line++ {
		text, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, &ReadError{Name: name, Line: line, Err: err}
		}
		last := err == io.EOF
		switch {
		case clean(text) != "" && blank > 0:
			return nil, &ReadError{Name: name, Line: blank, Err: fmt.Errorf("%w: blank line", ErrEmpty)}
		case clean(text) != "":
			rows, err := parseRows(text, name, line, n, seen)
			if err != nil {
				return nil, err
			}
			partitions = append(partitions, rows)
		case blank == 0:
			blank = line
		}
		if last {
			break
		}
	}
	if partitions == nil {
		return nil, &ReadError{Name: name, Err: fmt.Errorf("%w: no partitions", ErrEmpty)}
	}
	return partitions, nil
}

// parseRows reads one partition.
func parseRows(text, name string, line, n int, seen map[int]int) ([]int, error) {
	rows := make([]int, 0, strings.Count(text, ",")+1)
	for cell := range strings.SplitSeq(text, ",") {
		cell = clean(cell)
		fail := func(err error) error {
			return &ReadError{Name: name, Line: line, Column: len(rows) + 1, Value: cell, Err: err}
		}
		if cell == "" {
			return nil, fail(ErrMissing)
		}
		row, err := strconv.Atoi(cell)
		if err != nil {
			return nil, fail(ErrNotNumber)
		}
		if row < 0 || row >= n {
			return nil, fail(fmt.Errorf("%w (%d rows)", ErrRowRange, n))
		}
		if seen[row] == line {
			return nil, fail(ErrDuplicateRow)
		}
		seen[row] = line
		rows = append(rows, row)
	}
	if len(rows) == n {
		return nil, &ReadError{Name: name, Line: line, Err: ErrNoTestRows}
	}
	return rows, nil
}
