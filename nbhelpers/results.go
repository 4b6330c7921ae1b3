package nbhelpers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
)

// Measure is a cell of Results.
type Measure struct {
	// Value is a mean, such as an error in per cent. NaN leaves the cell empty.
	Value float64
	// Error is its standard error; 0 or NaN if there is none.
	Error float64
}

// ResultsOptions are the options of Results. The zero value prints one decimal and treats the lowest
// value of each row as the best.
type ResultsOptions struct {
	// Corner is the header of the column of row names; none if empty.
	Corner string
	// Decimals is the number of decimals. The default is 1; a negative value means 0.
	Decimals int
}

// Results makes a table of measured values, such as the errors of systems (columns) on data sets
// (rows), formatted as "3.2 ± 0.1". The best values are bold; values that are printed alike count as
// equal. The cell with the name of a system has an edge in its colour. Results panics
// if the numbers of rows and columns do not match the names.
func Results(rows, columns []string, m [][]Measure, opt ResultsOptions) TableBlock {
	defer chart.Readable()
	if len(m) != len(rows) {
		panic(fmt.Sprintf("nbhelpers: %d rows of results for %d names", len(m), len(rows)))
	}
	decimals := max(opt.Decimals, 0)
	if opt.Decimals == 0 {
		decimals = 1
	}
	write := func(v float64) string {
		return strings.Replace(words.Commas(strconv.FormatFloat(v, 'f', decimals, 64)), "-", "−", 1)
	}
	t := chart.OfSystems(TableBlock{Header: append([]string{opt.Corner}, columns...)})
	for i, row := range m {
		if len(row) != len(columns) {
			panic(fmt.Sprintf("nbhelpers: row %d of the results has %d columns for %d names", i+1, len(row),
				len(columns)))
		}
		best := math.Inf(1)
		for _, v := range row {
			if v.Value < best {
				best = v.Value
			}
		}
		cells, bold := []string{chart.Plain(rows[i])}, []bool{false}
		for _, v := range row {
			if math.IsNaN(v.Value) {
				cells, bold = append(cells, "–"), append(bold, false)
				continue
			}
			text := write(v.Value)
			bold = append(bold, text == write(best))
			if v.Error > 0 {
				text += " ± " + write(v.Error)
			}
			cells = append(cells, text)
		}
		t.Rows, t.Bold = append(t.Rows, cells), append(t.Bold, bold)
	}
	return t
}

// Mean returns the mean of values with its standard error, s/√n. With fewer than two values the
// error is NaN.
func Mean(values []float64) Measure {
	m := Measure{Value: stat.Mean(values, nil), Error: math.NaN()}
	if n := len(values); n > 1 {
		m.Error = stat.StdDev(values, nil) / math.Sqrt(float64(n))
	}
	return m
}

// Text formats a measure with the given number of decimals, as "3.21 ± 0.08", or as "3.21" without
// an error.
func (m Measure) Text(decimals int) string {
	if m.Error == 0 || math.IsNaN(m.Error) {
		return fmt.Sprintf("%.*f", decimals, m.Value)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, m.Value, decimals, m.Error)
}
