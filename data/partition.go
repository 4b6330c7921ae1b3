package data

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// ReadPartitionsFile reads partitions of n samples from a file, one per line: the training rows, counted from
// 0 and separated by commas, in any order, which is kept. A row that is out of range or repeated is an
// error, as is a partition without test rows. The limit is 524288 partitions. Blank lines at the end
// are ignored. Errors are of type *CellError, whose Column is the number of the entry in the line.
func ReadPartitionsFile(path string, n int) ([][]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	return readPartitions(f, baseName(path), n)
}

func readPartitions(r io.Reader, name string, n int) ([][]int, error) {
	in := bufio.NewReader(r)
	var partitions [][]int
	seen := make([]uint64, max(n, 0)/64+1) // a bit for each row listed in the line
	blank := 0                             // the first blank line
	for line := 1; ; line++ {
		text, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, &CellError{Name: name, Line: line, Err: err}
		}
		last := err == io.EOF
		switch {
		case trimmed(text) != "" && blank > 0:
			return nil, &CellError{Name: name, Line: blank, Err: fmt.Errorf("%w: blank line", ErrEmpty)}
		case trimmed(text) != "":
			if len(partitions) == cell.MaxPartitions {
				return nil, &CellError{Name: name, Line: line, Err: errTooManyParts}
			}
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
		return nil, &CellError{Name: name, Err: fmt.Errorf("%w: no partitions", ErrEmpty)}
	}
	return partitions, nil
}

func trimmed(text string) string { return strings.TrimFunc(text, cell.Blank) }

// parseRows reads one partition. All bits of seen are 0 before and after the call.
func parseRows(text, name string, line, n int, seen []uint64) ([]int, error) {
	rows := make([]int, 0, min(strings.Count(text, ",")+1, n))
	for entry := range strings.SplitSeq(text, ",") {
		entry = trimmed(entry)
		fail := func(err error) error {
			return &CellError{Name: name, Line: line, Column: len(rows) + 1, Value: entry, Err: err}
		}
		if entry == "" {
			return nil, fail(ErrMissing)
		}
		row, err := strconv.Atoi(entry)
		if err != nil {
			return nil, fail(ErrNotNumber)
		}
		if row < 0 || row >= n {
			return nil, fail(fmt.Errorf("%w (%d rows)", errRowRange, n))
		}
		if seen[row/64]>>(row%64)&1 == 1 {
			return nil, fail(errDuplicateRow)
		}
		seen[row/64] |= 1 << (row % 64)
		rows = append(rows, row)
	}
	if len(rows) == n {
		return nil, &CellError{Name: name, Line: line, Err: errNoTestRows}
	}
	for _, row := range rows {
		seen[row/64] = 0
	}
	return rows, nil
}
