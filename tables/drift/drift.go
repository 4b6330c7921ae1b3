// Package drift compares new rows with the training rows of a model, using the statistics in its recipe.
package drift

import (
	"cmp"
	"fmt"
	"io"
	"maps"
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
	"github.com/mpcvm/mpcvm/tables/internal/texts"
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

// tests returns the tests of the column with uncorrected p-values. x has the features of the rows.
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

func shortP(p float64) string {
	if p < 1e-4 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}

// Cells counts the cells of a column that differ from the training rows. Unusable rows are ignored.
type Cells struct {
	Missing int64 `json:"missing,omitempty"`
	// Beyond counts the numbers and dates outside the range of the training rows. Low and High are the
	// minimum and the maximum of these.
	Beyond int64   `json:"beyond,omitempty"`
	Low    float64 `json:"low,omitempty"`
	High   float64 `json:"high,omitempty"`
	// Unknown counts the cells with a level that does not occur in the training rows. Levels contains the number
	// of cells for each of the first 100 such levels.
	Unknown int64            `json:"unknown,omitempty"`
	Levels  map[string]int64 `json:"levels,omitempty"`
}

const mostUnknown = 100 // maximum length of Cells.Levels

// Add adds the counts of other rows.
func (u *Cells) Add(other Cells) {
	u.Missing += other.Missing
	if other.Beyond > 0 {
		u.beyond(other.Beyond, other.Low, other.High)
	}
	u.Unknown += other.Unknown
	for _, level := range slices.Sorted(maps.Keys(other.Levels)) {
		u.level(level, other.Levels[level])
	}
}

func (u *Cells) beyond(n int64, low, high float64) {
	if u.Beyond == 0 {
		u.Low, u.High = low, high
	}
	u.Beyond, u.Low, u.High = u.Beyond+n, min(u.Low, low), max(u.High, high)
}

func (u *Cells) level(text string, n int64) {
	if _, met := u.Levels[text]; !met && len(u.Levels) >= mostUnknown {
		return
	}
	if u.Levels == nil {
		u.Levels = map[string]int64{}
	}
	u.Levels[text] += n
}

// Count counts, for each column of a recipe, the cells of a table that differ from the training rows. x and
// unusable are the results of recipe.Recipe.Encode for all rows of the table, and novel is the result of
// recipe.Recipe.Novelty. Count returns nil if no row can be used.
func Count(r *recipe.Recipe, t *table.Table, x *mat.Dense, unusable []error,
	novel []recipe.Novelty) (list []Cells) {
	for i, c := range columnsOf(r) {
		from := &t.Columns[t.Find(c.Name)]
		for row, n := range novel {
			if unusable != nil && unusable[row] != nil {
				continue
			}
			if list == nil {
				list = make([]Cells, len(r.Columns))
			}
			if from.Missing(row) {
				list[i].Missing++
			} else if level, is := n.NewLevels[c.Name]; is {
				list[i].Unknown++
				list[i].level(level, 1)
			} else if slices.Contains(n.Beyond, c.Name) {
				v := x.At(row, c.at)
				list[i].beyond(1, v, v)
			}
		}
	}
	return list
}

// Thresholds of Warnings.
const (
	mostBeyond  = 0.05 // share of numbers outside the range, if there are at least two
	farBeyond   = 1    // distance of a number from the range, in lengths of the range
	moreMissing = 0.1  // increase of the share of missing cells; it must also exceed three standard deviations
)

// Warnings returns findings about columns that differ from the training rows: unknown levels, many numbers or
// a distant number outside the range, and a much larger share of missing cells. all is the result of Count,
// and rows is the number of rows that can be used. The recipes of old model files do not support all
// warnings.
func Warnings(r *recipe.Recipe, all []Cells, rows int64) []table.Finding {
	var list []table.Finding
	columns := columnsOf(r)
	for i, u := range all {
		c := columns[i]
		if u.Unknown > 0 {
			levels := slices.SortedFunc(maps.Keys(u.Levels), func(a, b string) int {
				return cmp.Or(cmp.Compare(u.Levels[b], u.Levels[a]), strings.Compare(a, b))
			})
			list = append(list, table.Finding{Code: texts.UnknownLevels, Column: c.Name, N: int(u.Unknown),
				Texts: levels})
		}
		// Many numbers are beyond the range, or one is far from it.
		if u.Beyond > 1 && float64(u.Beyond) > mostBeyond*float64(rows) || u.Beyond > 0 &&
			max(c.Range[0]-u.Low, u.High-c.Range[1]) > farBeyond*(c.Range[1]-c.Range[0]) {
			list = append(list, table.Finding{Code: texts.BeyondRange, Column: c.Name, N: int(u.Beyond),
				Texts: []string{c.written(c.Range[0], 6), c.written(c.Range[1], 6), c.written(u.Low, 6),
					c.written(u.High, 6)}})
		}
		share := float64(u.Missing) / float64(rows)
		if u.Missing > 0 && (!c.Missing || c.Absent > 0) &&
			share-c.Absent > max(moreMissing, 3*math.Sqrt(c.Absent*(1-c.Absent)/float64(rows))) {
			list = append(list, table.Finding{Code: texts.MoreMissing, Column: c.Name, N: int(u.Missing),
				Of: int(rows), Texts: []string{fmt.Sprintf("%.0f %%", 100*c.Absent)}})
		}
	}
	return list
}
