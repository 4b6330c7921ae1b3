package data

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// WriteCSV writes the set in the CSV form of the package comment; [ReadSet] gives
// back every number exactly. Labels are written as class names: they return the
// same if Classes is sorted and no class is empty. What
// could not be read back (a blank or repeated name, a value that is not finite)
// is an error, and nothing is written.
func WriteCSV(w io.Writer, s *Set) error {
	if err := s.valid(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	record := append(slices.Clone(s.Features), classColumn)
	_ = out.Write(record) // errors stay with the writer until Flush
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

// formatNumber gives the shortest text that parses to v, without an exponent
// where that is readable.
func formatNumber(v float64) string {
	format := byte('e')
	if a := math.Abs(v); a == 0 || a >= 1e-6 && a < 1e15 {
		format = 'f'
	}
	return strconv.FormatFloat(v, format, -1, 64)
}
