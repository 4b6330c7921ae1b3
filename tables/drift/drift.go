// Package drift compares new rows with the training rows of a model, using the statistics in the recipe of
// the model.
package drift

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/quantile"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// column is a column of the training rows.
type column struct {
	*recipe.Column
	at, width int // the first feature and the number of features
}

func columnsOf(r *recipe.Recipe) []column {
	list := make([]column, len(r.Columns))
	for j, of := range r.Sources() {
		c := &list[of]
		if c.Column == nil {
			c.Column, c.at = &r.Columns[of], j
		}
		c.width++
	}
	return list
}

// written formats a number or date of the column.
func (c column) written(v float64, digits int) string {
	if c.Kind == table.Date.String() {
		return table.FormatDate(math.Round(v))
	}
	return fmt.Sprintf("%.*g", digits, v)
}

// Report describes how the rows of a table differ from the training rows of a model.
type Report struct {
	// Rows is the number of rows of the table, Unusable the number of rows that the model cannot predict, and
	// Unlike the number of rows that differ from all training rows; see mpcvm.Model.Unlike.
	Rows     int `json:"rows"`
	Unusable int `json:"unusable"`
	Unlike   int `json:"unlike"`
	// Columns contains the columns of the model in ascending order of P.
	Columns []Column `json:"columns"`
}

// Column describes how a column differs from the training rows.
type Column struct {
	Name string `json:"column"`
	// What names the statistic that differs most: the median, the share of a level, or the share of missing
	// cells. Training and Here are its values in the training rows and in the table.
	What     string `json:"what"`
	Training string `json:"training"`
	Here     string `json:"here"`
	// P is the smallest p-value of the tests of the column, corrected for the number of tests of all columns
	// by Holm's method. Moved reports whether it is below 0.05.
	P     float64 `json:"p"`
	Moved bool    `json:"moved"`
}

// significant is the p-value below which a column has moved.
const significant = 0.05

// Compare compares the rows of a table with the training rows of a model, column by column. Numbers and dates
// are compared by a Kolmogorov–Smirnov test at the quantiles of the training rows, levels by a χ² test, and
// missing cells by Fisher's exact test.
//
// The error is recipe.ErrNoProfile if the recipe lacks the distribution of the training rows,
// recipe.ErrNoColumn if the table lacks a column, and recipe.ErrNoValue if no row can be used.
func Compare(m *model.Model, t *table.Table) (*Report, error) {
	r := m.Recipe()
	if r == nil || !r.Profiled() {
		return nil, recipe.ErrNoProfile
	}
	rows := fitting.All(t.Rows) // that can be used
	x, unusable, err := r.Encode(nil, t, rows)
	if unusable != nil {
		rows = slices.DeleteFunc(rows, func(row int) bool { return unusable[row] != nil })
		x, _, err = r.Encode(nil, t, rows)
	}
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, &cell.Error{Name: t.Name, Err: recipe.ErrNoValue}
	}
	d := &Report{Rows: t.Rows, Unusable: t.Rows - len(rows)}
	for _, is := range m.Model().Unlike(nil, x) {
		if is {
			d.Unlike++
		}
	}
	var tests [][]*Column
	for _, c := range columnsOf(r) {
		tests = append(tests, c.tests(t, rows, x))
	}
	holm(slices.Concat(tests...))
	for _, of := range tests {
		c := slices.MinFunc(of, func(a, b *Column) int { return cmp.Compare(a.P, b.P) })
		c.Moved = c.P < significant
		d.Columns = append(d.Columns, *c)
	}
	slices.SortStableFunc(d.Columns, func(a, b Column) int { return cmp.Compare(a.P, b.P) })
	return d, nil
}

// tests returns the results of the tests of the column, with p-values that are not corrected yet. x has the
// features of the rows.
func (c column) tests(t *table.Table, rows []int, x *mat.Dense) []*Column {
	var training []float64 // number of training rows of each level; all numbers or dates count as one level
	for _, n := range c.Counts {
		training = append(training, float64(n))
	}
	names := c.Levels
	switch {
	case c.Quantiles != nil:
		training = []float64{float64(c.Below[len(c.Below)-1])}
	case c.Kind == table.Category.String():
		names = append(slices.Clone(c.Levels), "other")
	}
	here, absent := make([]float64, len(training)), 0.0
	var values []float64 // numbers or dates of the table
	from := &t.Columns[t.Find(c.Name)]
	for i, row := range rows {
		own := x.RawRowView(i)[c.at : c.at+c.width]
		switch missing := c.Missing && own[c.width-1] == 1; {
		case missing || !c.Missing && from.Missing(row):
			absent++
		case c.Quantiles != nil:
			values = append(values, own[0])
			here[0]++
		case c.Kind == table.Category.String():
			here[floats.MaxIdx(own[:len(here)])]++
		default:
			here[int(own[0])]++
		}
	}
	missing := math.Round(floats.Sum(training) * c.Absent / max(1-c.Absent, 1e-9))
	n, m := float64(len(rows)), floats.Sum(training)+missing
	list := []*Column{{Name: c.Name, What: "missing", Training: inPercent(missing / m),
		Here: inPercent(absent / n), P: fisher(absent, n, missing, m)}}
	switch {
	case absent == n:
		return list
	case c.Quantiles != nil:
		slices.Sort(values)
		return append(list, &Column{Name: c.Name, What: "median", Training: c.written(c.Fill, 4),
			Here: c.written(quantile.Of(values, .5), 4), P: c.kolmogorovSmirnov(values)})
	}
	share := func(of []float64, level int) float64 { return of[level] / floats.Sum(of) }
	which := 0
	for i := range here {
		if math.Abs(share(here, i)-share(training, i)) > math.Abs(share(here, which)-share(training, which)) {
			which = i
		}
	}
	return append(list, &Column{Name: c.Name, What: "share of " + cell.Shorten(names[which]),
		Training: inPercent(share(training, which)), Here: inPercent(share(here, which)),
		P: chiSquared(training, here)})
}

// inPercent formats a share.
func inPercent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// kolmogorovSmirnov returns the p-value of the largest distance between the distributions at the quantiles,
// using Kolmogorov's limiting distribution with Stephens' correction for small samples. The test is
// conservative, since the true distance may be larger. The values must be in ascending order.
func (c column) kolmogorovSmirnov(values []float64) float64 {
	bins, training, here := make([]float64, len(c.Quantiles)), make([]float64, len(c.Quantiles)),
		make([]float64, len(values))
	below := 0
	for k := range bins {
		bins[k], training[k], below = float64(k), float64(c.Below[k]-below), c.Below[k]
	}
	for i, v := range values {
		k, _ := slices.BinarySearch(c.Quantiles, v) // values above the last quantile have their own bin
		here[i] = float64(k)
	}
	distance := stat.KolmogorovSmirnov(bins, training, here, nil)
	n, m := float64(below), float64(len(values))
	root := math.Sqrt(n * m / (n + m))
	return kolmogorov((root + 0.12 + 0.11/root) * distance)
}

// kolmogorov returns the probability that Kolmogorov's statistic exceeds x.
func kolmogorov(x float64) float64 {
	if x < 0.2 { // the sum converges slowly, but exceeds 1 − 1e-12
		return 1
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		sum += sign * math.Exp(-2*k*k*x*x)
		sign = -sign
	}
	return min(max(2*sum, 0), 1)
}

// chiSquared returns the p-value of Pearson's test that two lists of counts have the same distribution.
// Levels with an expected count below five in either list are pooled.
func chiSquared(a, b []float64) float64 {
	n, m := floats.Sum(a), floats.Sum(b)
	var cells [][2]float64
	var rest [2]float64
	least := 5 * (n + m) / min(n, m)
	for i := range a {
		if a[i]+b[i] >= least {
			cells = append(cells, [2]float64{a[i], b[i]})
		} else {
			rest[0], rest[1] = rest[0]+a[i], rest[1]+b[i]
		}
	}
	switch {
	case rest[0]+rest[1] >= least || rest[0]+rest[1] > 0 && len(cells) == 0:
		cells = append(cells, rest)
	case rest[0]+rest[1] > 0:
		last := &cells[len(cells)-1]
		last[0], last[1] = last[0]+rest[0], last[1]+rest[1]
	}
	if len(cells) < 2 {
		return 1
	}
	var observed, expected []float64
	for _, c := range cells {
		all := c[0] + c[1]
		observed = append(observed, c[0], c[1])
		expected = append(expected, all*n/(n+m), all*m/(n+m))
	}
	return distuv.ChiSquared{K: float64(len(cells) - 1)}.Survival(stat.ChiSquare(observed, expected))
}

// fisher returns the p-value of Fisher's exact test that a of n and b of m have the same proportion: the sum
// of the probabilities of all tables that are at most as probable as the observed one.
func fisher(a, n, b, m float64) float64 {
	of := a + b
	logP := func(k float64) float64 {
		return combin.LogGeneralizedBinomial(n, k) + combin.LogGeneralizedBinomial(m, of-k) -
			combin.LogGeneralizedBinomial(n+m, of)
	}
	limit, sum := logP(a)+1e-7, 0.0
	for k := max(0, of-m); k <= min(n, of); k++ {
		if l := logP(k); l <= limit {
			sum += math.Exp(l)
		}
	}
	return min(sum, 1)
}

// holm corrects the p-values for multiple testing (Holm 1979).
func holm(tests []*Column) {
	slices.SortStableFunc(tests, func(a, b *Column) int { return cmp.Compare(a.P, b.P) })
	least := 0.0
	for i, test := range tests {
		least = max(least, min(1, float64(len(tests)-i)*test.P))
		test.P = least
	}
}

// Print writes a sentence and a table of the columns that moved.
func (d *Report) Print(w io.Writer) error {
	var b strings.Builder
	count := 0
	for _, c := range d.Columns {
		if c.Moved {
			count++
		}
	}
	b.WriteString(words.Plural(d.Rows, "row"))
	if d.Unusable > 0 {
		fmt.Fprintf(&b, ", of which %d cannot be used", d.Unusable)
	}
	fmt.Fprintf(&b, "; %d of %d columns have moved since training (p < %g, corrected for the number of tests)\n",
		count, len(d.Columns), significant)
	if d.Unlike > 0 {
		fmt.Fprintf(&b, "unlike all training rows: %s (without drift, about 1 %% of the rows)\n",
			words.Plural(d.Unlike, "row"))
	}
	if count > 0 {
		cells := [][]string{{"COLUMN", "WHAT", "TRAINING", "HERE", "P"}}
		for _, c := range d.Columns[:count] {
			cells = append(cells, []string{cell.Shorten(c.Name), c.What, c.Training, c.Here, shortP(c.P)})
		}
		b.WriteString("\n" + tabular.Text(cells, nil))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shortP formats a p-value.
func shortP(p float64) string {
	if p < 1e-4 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
