package data

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// WriteCSV writes the set in the CSV format of the package comment; [ReadSet] restores every number
// exactly. Labels are written as class names, and ReadSet restores them if Classes is sorted and no
// class is empty. If the set could not be read back (because of a blank or repeated name, or a value
// that is not finite), WriteCSV returns an error and writes nothing.
func WriteCSV(w io.Writer, s *Set) error {
	if err := s.valid(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	record := append(slices.Clone(s.Features), classColumn)
	_ = out.Write(record) // errors are reported by Flush
	for n, t := range s.T {
		for d, v := range s.X.RawRowView(n) {
			record[d] = formatNumber(v)
		}
		record[s.D()] = s.Classes[t]
		_ = out.Write(record)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("data: %s: %w", s.Name, err)
	}
	return nil
}

// formatNumber returns the shortest text that parses to v, without an exponent if it stays readable.
func formatNumber(v float64) string {
	format := byte('e')
	if a := math.Abs(v); a == 0 || a >= 1e-6 && a < 1e15 {
		format = 'f'
	}
	return strconv.FormatFloat(v, format, -1, 64)
}
