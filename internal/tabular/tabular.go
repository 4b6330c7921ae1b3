// Package tabular formats numbers and tables as text for the output of the command.
package tabular

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// DefaultDecimals is the number of decimals of Number unless SetDecimals is called.
const DefaultDecimals = 4

var decimals atomic.Int64

func init() { decimals.Store(DefaultDecimals) }

// SetDecimals sets the number of decimals of Number. Percent has two fewer.
func SetDecimals(n int) { decimals.Store(int64(n)) }

// Number formats a log loss in nats, an AUC or another number of this size.
func Number(v float64) string { return fmt.Sprintf("%.*f", int(decimals.Load()), v) }

// Percent formats a share, from 0 to 1, in per cent, without the sign.
func Percent(share float64) string {
	return fmt.Sprintf("%.*f", max(int(decimals.Load())-2, 0), 100*share)
}

// Write writes a table with its header in upper case.
func Write(w io.Writer, header []string, rows [][]string) error {
	_, err := io.WriteString(w, Text(slices.Insert(slices.Clone(rows), 0, Upper(header)), nil))
	return err
}

// Upper returns a header in upper case.
func Upper(header []string) []string {
	return strings.Split(strings.ToUpper(strings.Join(header, "\t")), "\t")
}

// Text returns rows in columns of equal width. The first row is the header. Columns are aligned
// right if their first cell below the header that is not empty is a number, and left otherwise. If
// bold is not nil, it reports which cells are bold, by ANSI codes.
func Text(cells [][]string, bold func(row, column int) bool) string {
	const on, off = "\x1b[1m", "\x1b[0m"
	last := len(cells[0]) - 1
	width, numbers := make([]int, last+1), make([]bool, last+1)
	for j := range width {
		for i := len(cells) - 1; i >= 0; i-- {
			width[j] = max(width[j], utf8.RuneCountInString(cells[i][j]))
			if i > 0 && cells[i][j] != "" {
				numbers[j] = j > 0 && strings.IndexAny(cells[i][j], "0123456789+-–≥<") == 0
			}
		}
	}
	var b strings.Builder
	for i, row := range cells {
		line := ""
		for j, text := range row {
			wide := width[j]
			if bold != nil && bold(i, j) {
				text, wide = on+text+off, wide+len(on+off)
			}
			if !numbers[j] {
				wide = -wide // to the left
			}
			line += fmt.Sprintf("%*s  ", wide, text)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
