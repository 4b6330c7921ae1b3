// Package drift compares new rows with the training rows of a model, using the statistics in the recipe of
// the model.
package drift

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mpcvm/mpcvm/internal/cell"
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
	// Columns contains the columns of the model: first the columns that moved, then the others, each in
	// descending order of Effect.
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
	// Effect measures how much the change of a column that moved affects the predictions. It is the total
	// variation distance (half the sum of the absolute differences) between the mean probabilities of the
	// classes for the rows as they are, and for the rows with the column set back to the distribution of the
	// training rows. Class is the class whose mean probability changes most, from SetBack to AsIs.
	Effect  float64 `json:"effect"`
	Class   string  `json:"class,omitempty"`
	SetBack float64 `json:"set_back,omitempty"`
	AsIs    float64 `json:"as_is,omitempty"`
}

const (
	// significant is the p-value below which a column has moved.
	significant = 0.05
	// effectRows is the maximum number of rows used to compute the effect.
	effectRows = 5000
)

// Compare compares the rows of a table with the training rows of a model, column by column. Numbers and dates
// are compared by a Kolmogorov–Smirnov test at the quantiles of the training rows, levels by a χ² test, and
// missing cells by Fisher's exact test.
//
// The error is recipe.ErrNoProfile if the recipe lacks the distribution of the training rows,
// recipe.ErrNoColumn if the table lacks a column, and recipe.ErrNoValue if no row can be used. If ctx is done
// early, Compare returns its error.
func Compare(ctx context.Context, m *model.Model, t *table.Table) (*Report, error) {
	r := m.Recipe()
	if r == nil || !r.Profiled() {
		return nil, recipe.ErrNoProfile
	}
	var rows []int // rows that can be used
	for i := range t.Rows {
		rows = append(rows, i)
	}
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
	var tests []*test
	for i, c := range columnsOf(r) {
		tests = append(tests, newSample(c, t, rows, x).tests(i)...)
		d.Columns = append(d.Columns, Column{Name: c.Name, P: 1})
	}
	holm(tests)
	for _, test := range tests {
		c := &d.Columns[test.column]
		if test.p < c.P || c.What == "" {
			c.P, c.What, c.Training, c.Here = test.p, test.what, test.training, test.here
		}
		c.Moved = c.P < significant
	}
	if n := len(rows); n > effectRows {
		subset := make([]int, effectRows)
		for i := range subset {
			subset[i] = rows[i*n/effectRows]
		}
		rows = subset
		if x, _, err = r.Encode(nil, t, rows); err != nil {
			return nil, err
		}
	}
	if err := d.effects(ctx, m, columnsOf(r), t, rows, x); err != nil {
		return nil, err
	}
	slices.SortStableFunc(d.Columns, func(a, b Column) int {
		switch {
		case a.Moved != b.Moved && a.Moved:
			return -1
		case a.Moved != b.Moved:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Effect, a.Effect), cmp.Compare(a.P, b.P))
	})
	return d, nil
}

// sample is a column of the training rows with the same column of a table. All numbers or dates count as one
// level.
type sample struct {
	column
	names    []string  // of the levels
	training []float64 // number of training rows of each level, and of missing cells at the end
	here     []int     // level of each row of the table, as an index of training
	values   []float64 // number or date of each row, unless missing
}

func newSample(c column, t *table.Table, rows []int, x *mat.Dense) *sample {
	s := &sample{column: c, names: c.Levels, here: make([]int, len(rows)), values: make([]float64, len(rows))}
	for _, n := range c.Counts {
		s.training = append(s.training, float64(n))
	}
	switch {
	case c.Quantiles != nil:
		s.training = []float64{float64(c.Below[len(c.Below)-1])}
	case c.Kind == table.Category.String():
		s.names = append(slices.Clone(c.Levels), "other")
	}
	levels := len(s.training)
	s.training = append(s.training, math.Round(floats.Sum(s.training)*c.Absent/max(1-c.Absent, 1e-9)))
	from := &t.Columns[t.Find(c.Name)]
	for i, row := range rows {
		own := x.RawRowView(i)[c.at : c.at+c.width]
		absent := from.Missing(row)
		if c.Missing {
			absent = own[c.width-1] == 1
		}
		switch {
		case absent:
			s.here[i] = levels
		case c.Quantiles != nil:
			s.values[i] = own[0]
		case c.Kind == table.Category.String():
			s.here[i] = floats.MaxIdx(own[:levels])
		default:
			s.here[i] = int(own[0])
		}
	}
	return s
}

// test is the result of a test of a column. p is corrected by holm.
type test struct {
	column               int
	p                    float64
	what, training, here string
}

// tests performs the tests of the column with the given index.
func (s *sample) tests(column int) []*test {
	levels := len(s.training) - 1
	counts := make([]float64, levels+1)
	for _, level := range s.here {
		counts[level]++
	}
	rows, all := float64(len(s.here)), floats.Sum(s.training)
	list := []*test{{column, fisher(counts[levels], rows, s.training[levels], all), "missing",
		inPercent(s.training[levels] / all), inPercent(counts[levels] / rows)}}
	present, training, here := rows-counts[levels], s.training[:levels], counts[:levels]
	switch {
	case present == 0:
		return list
	case s.Quantiles != nil:
		var values []float64
		for i, level := range s.here {
			if level == 0 {
				values = append(values, s.values[i])
			}
		}
		slices.Sort(values)
		median := values[(len(values)-1)/2]/2 + values[len(values)/2]/2
		return append(list, &test{column, s.kolmogorovSmirnov(values), "median", s.written(s.Fill, 4),
			s.written(median, 4)})
	}
	share := func(of []float64, level int) float64 { return of[level] / floats.Sum(of) }
	which := 0
	for i := range here {
		if math.Abs(share(here, i)-share(training, i)) > math.Abs(share(here, which)-share(training, which)) {
			which = i
		}
	}
	return append(list, &test{column, chiSquared(training, here), "share of " + cell.Shorten(s.names[which]),
		inPercent(share(training, which)), inPercent(share(here, which))})
}

// inPercent formats a share.
func inPercent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// quantile returns a quantile of the training rows, interpolated linearly between the known ones unless the
// column has only a few distinct values.
func (s *sample) quantile(share float64) float64 {
	n := s.Below[len(s.Below)-1]
	rank := share * float64(n)
	k := 0
	for k < len(s.Below)-1 && float64(s.Below[k]) < rank {
		k++
	}
	if k == 0 || len(s.Quantiles) < recipe.MostQuantiles {
		return s.Quantiles[k]
	}
	part := (rank - float64(s.Below[k-1])) / float64(s.Below[k]-s.Below[k-1])
	return s.Quantiles[k-1] + part*(s.Quantiles[k]-s.Quantiles[k-1])
}

// kolmogorovSmirnov returns the p-value of the largest distance between the distributions at the quantiles,
// using Kolmogorov's limiting distribution with Stephens' correction for small samples. The test is
// conservative, since the true distance may be larger. The values must be in ascending order.
func (s *sample) kolmogorovSmirnov(values []float64) float64 {
	bins, training, here := make([]float64, len(s.Quantiles)), make([]float64, len(s.Quantiles)),
		make([]float64, len(values))
	below := 0
	for k := range bins {
		bins[k], training[k], below = float64(k), float64(s.Below[k]-below), s.Below[k]
	}
	for i, v := range values {
		k, _ := slices.BinarySearch(s.Quantiles, v) // values above the last quantile have their own bin
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
func holm(tests []*test) {
	order := slices.Clone(tests)
	slices.SortStableFunc(order, func(a, b *test) int { return cmp.Compare(a.p, b.p) })
	least := 0.0
	for i, test := range order {
		least = max(least, min(1, float64(len(order)-i)*test.p))
		test.p = least
	}
}

// effects sets the effect of each column that moved.
func (d *Report) effects(ctx context.Context, m *model.Model, columns []column, t *table.Table, rows []int,
	x *mat.Dense) error {
	names := m.ClassNames()
	mean := func(x *mat.Dense) []float64 {
		p := m.Model().Proba(nil, x)
		sums := make([]float64, len(names))
		for i := range rows {
			floats.AddScaled(sums, 1/float64(len(rows)), p.RawRowView(i))
		}
		return sums
	}
	asIs := mean(x)
	for i, c := range columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := &d.Columns[i]
		if !to.Moved {
			continue
		}
		back := mat.DenseCopyOf(x)
		newSample(c, t, rows, x).setBack(back)
		setBack, largest := mean(back), -1.0
		for k, p := range setBack {
			change := math.Abs(p - asIs[k])
			to.Effect += change / 2
			if change > largest {
				largest, to.Class, to.SetBack, to.AsIs = change, names[k], p, asIs[k]
			}
		}
	}
	return nil
}

// setBack changes the column in the samples x to the distribution of the training rows. It changes the level
// of as few rows as possible, and keeps the order of numbers.
func (s *sample) setBack(x *mat.Dense) {
	rng := rand.New(rand.NewPCG(1, 9))
	below := make([]float64, len(s.here)) // the share of rows with a smaller number
	var order []int
	for i, level := range s.here {
		below[i] = rng.Float64() // for missing cells
		if level == 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.values[a], s.values[b]) })
	for rank, i := range order {
		below[i] = (float64(rank) + 0.5) / float64(len(order))
	}
	for i, to := range moved(s.here, s.training, rng) {
		own := x.RawRowView(i)[s.at : s.at+s.width]
		clear(own)
		switch {
		case to == len(s.training)-1:
			_ = s.Blank(own) // a recipe with a profile imputes missing values
		case s.Quantiles != nil:
			own[0] = s.quantile(below[i])
		case s.Kind == table.Category.String():
			own[to] = 1
		default:
			own[0] = float64(to)
		}
	}
}

// moved returns a copy of level in which the shares of the levels are proportional to weights. It changes
// random rows of levels that are too frequent.
func moved(level []int, weights []float64, rng *rand.Rand) []int {
	want := make([]int, len(weights)) // number of rows of each level
	sum, below, all := 0.0, 0, floats.Sum(weights)
	for k, w := range weights {
		sum += w
		upTo := int(math.Round(sum / all * float64(len(level))))
		want[k], below = upTo-below, upTo
	}
	to := slices.Clone(level)
	var free []int
	for _, i := range rng.Perm(len(level)) {
		if want[level[i]] > 0 {
			want[level[i]]--
		} else {
			free = append(free, i)
		}
	}
	for k, n := range want {
		for range n {
			to[free[0]] = k
			free = free[1:]
		}
	}
	return to
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
		cells := [][]string{{"COLUMN", "WHAT", "TRAINING", "HERE", "P", "MEAN PROBABILITY OF", "AS IT IS",
			"SET BACK"}}
		for _, c := range d.Columns[:count] {
			cells = append(cells, []string{cell.Shorten(c.Name), c.What, c.Training, c.Here, shortP(c.P),
				cell.Shorten(c.Class), fmt.Sprintf("%.3f", c.AsIs), fmt.Sprintf("%.3f", c.SetBack)})
		}
		b.WriteString("\n")
		b.WriteString(tabular.Text(cells, nil))
		b.WriteString("\nThe mean probabilities show whether a change matters: for all rows as they are, and " +
			"with the\ncolumn set back to the distribution of the training rows.\n")
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
