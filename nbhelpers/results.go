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
	// Value is a mean, such as an error in per cent. NaN means that there is none.
	Value float64
	// Error is its standard error; 0 or NaN means none.
	Error float64
}

// ResultsOptions are the choices of Results. The zero value has one decimal, and the
// lowest value of each row is the best.
type ResultsOptions struct {
	// Corner stands above the names of the rows. If it is empty, there is none.
	Corner string
	// Decimals of the values. If it is 0, 1 is used; negative means none.
	Decimals int
	// Down marks the best of each column instead of each row.
	Down bool
}

// Results makes a table of measured values, such as the errors of systems (columns) on data sets (rows), as
// "3.2 ± 0.1". The best are bold; values that are written alike are equally good. A system has a line in
// its colour (SystemColor). Results panics if there are not as many rows and columns as names.
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
	best := map[int]Measure{} // of each row or column
	line := func(i, j int) int {
		if opt.Down {
			return j
		}
		return i
	}
	for i, row := range m {
		if len(row) != len(columns) {
			panic(fmt.Sprintf("nbhelpers: row %d of the results has %d columns for %d names", i+1, len(row),
				len(columns)))
		}
		for j, v := range row {
			b, ok := best[line(i, j)]
			if !math.IsNaN(v.Value) && (!ok || v.Value < b.Value) {
				best[line(i, j)] = v
			}
		}
	}
	for i, row := range m {
		cells, bold := []string{chart.Plain(rows[i])}, []bool{false}
		for j, v := range row {
			if math.IsNaN(v.Value) {
				cells, bold = append(cells, "–"), append(bold, false)
				continue
			}
			text := write(v.Value)
			bold = append(bold, text == write(best[line(i, j)].Value))
			if v.Error > 0 {
				text += " ± " + write(v.Error)
			}
			cells = append(cells, text)
		}
		t.Rows, t.Bold = append(t.Rows, cells), append(t.Bold, bold)
	}
	return t
}

// Mean returns the mean of values with its standard error, s/√n. With fewer than two
// values there is no error.
func Mean(values []float64) Measure {
	m := Measure{Value: stat.Mean(values, nil), Error: math.NaN()}
	if n := len(values); n > 1 {
		m.Error = stat.StdDev(values, nil) / math.Sqrt(float64(n))
	}
	return m
}

// Text writes a measure with the given number of decimals, as "3.21 ± 0.08", or as
// "3.21" if there is no error.
func (m Measure) Text(decimals int) string {
	if m.Error == 0 || math.IsNaN(m.Error) {
		return fmt.Sprintf("%.*f", decimals, m.Value)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, m.Value, decimals, m.Error)
}
