package assess

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// ErrNoProfile is the error of CompareRows and Shares for a model that does not know how its training rows were
// distributed, such as one of an old file.
var ErrNoProfile = errors.New("the model does not know how its training rows were distributed: fit it again, to a table")

// Drift says how the rows of a table differ from the training rows of a model.
type Drift struct {
	// Rows is the number of rows of the table, Unusable that of rows that the model cannot predict.
	// Unlike counts the rows unlike all training rows; see mpcvm.Model.Unlike.
	Rows     int `json:"rows"`
	Unusable int `json:"unusable"`
	Unlike   int `json:"unlike"`
	// Columns are those of the model. Those that moved come first, the largest Effect first.
	Columns []ColumnDrift `json:"columns"`
}

// ColumnDrift says how a column differs from that of the training rows.
type ColumnDrift struct {
	Name string `json:"column"`
	// Training and Here say what differs most: the median, the share of a level, or the share of
	// missing cells. What names it.
	What     string `json:"what"`
	Training string `json:"training"`
	Here     string `json:"here"`
	// P is the least p-value of the tests of the column: the probability of so large a difference if
	// both were drawn alike. It is corrected by Holm's method for the number of tests of all columns.
	// Moved says that it is below 0.05.
	P     float64 `json:"p"`
	Moved bool    `json:"moved"`
	// Effect says whether it matters, if the column moved: the sum of the absolute differences of the
	// mean probabilities of the classes, halved, between the rows as they are and with the cells of
	// the column set back to the distribution of the training rows. Class is the class whose mean
	// probability changes most, from SetBack to AsIs.
	Effect  float64 `json:"effect"`
	Class   string  `json:"class,omitempty"`
	SetBack float64 `json:"set_back,omitempty"`
	AsIs    float64 `json:"as_is,omitempty"`
}

const (
	// significant is the p-value below which a column has moved.
	significant = 0.05
	// effectRows is the largest number of rows of which the effect is computed.
	effectRows = 5000
)

// CompareRows compares the rows of a table with the training rows of a model, column by column. The
// values of a number or date are compared by the test of Kolmogorov and Smirnov at the quantiles of the
// training rows, levels by a χ² test, and missing cells by Fisher's exact test. The error is
// ErrNoProfile, recipe.ErrNoColumn, recipe.ErrNoValue if no row can be used, or the context's.
func CompareRows(ctx context.Context, m *tables.Model, t *table.Table) (*Drift, error) {
	r := m.Recipe()
	if r == nil || !r.Profiled() {
		return nil, ErrNoProfile
	}
	s, err := encodeUsable(r, t)
	if err != nil {
		return nil, err
	}
	d := &Drift{Rows: t.Rows, Unusable: t.Rows - len(s.rows)}
	for _, is := range m.Model().Unlike(nil, s.x) {
		if is {
			d.Unlike++
		}
	}
	var tests []*driftTest
	at := 0
	for i := range r.Columns {
		c := newProfile(&r.Columns[i], t, s, at)
		at += c.width
		tests = append(tests, c.tests(i)...)
		d.Columns = append(d.Columns, ColumnDrift{Name: c.Name, P: 1})
	}
	holm(tests)
	for _, test := range tests {
		c := &d.Columns[test.column]
		if test.p < c.P || c.What == "" {
			c.P, c.What, c.Training, c.Here = test.p, test.what, test.training, test.here
		}
		c.Moved = c.P < significant
	}
	if err := d.effects(ctx, m, r, t, s); err != nil {
		return nil, err
	}
	slices.SortStableFunc(d.Columns, func(a, b ColumnDrift) int {
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

// encoded are the rows of a table that a model can predict.
type encoded struct {
	x    *mat.Dense
	rows []int // of the table
}

// encodeUsable encodes the rows of a table that can be used.
func encodeUsable(r *recipe.Recipe, t *table.Table) (encoded, error) {
	all := make([]int, t.Rows)
	for i := range all {
		all[i] = i
	}
	x, unusable, err := r.Encode(nil, t, all)
	if err != nil {
		return encoded{}, err
	}
	x, rows := usable(x, all, unusable)
	if len(rows) == 0 {
		return encoded{}, &cell.Error{Name: t.Name, Err: recipe.ErrNoValue}
	}
	return encoded{x, rows}, nil
}

// profile is a column of the training rows beside that of a table.
type profile struct {
	*recipe.Column
	at, width int       // its features
	numeric   bool      // a number or date
	cells     []string  // names of the cells of Counts
	training  []float64 // training rows of each of these, or between quantiles
	absent    float64   // training rows whose cell was missing
	missing   []bool    // of each row
	here      []float64 // of each row that is not missing: the number, or the index of the cell
}

func newProfile(c *recipe.Column, t *table.Table, s encoded, at int) *profile {
	one := recipe.Recipe{Columns: []recipe.Column{*c}}
	p := &profile{Column: c, at: at, width: one.Width(), numeric: c.Quantiles != nil}
	below := 0
	for _, n := range c.Below {
		p.training = append(p.training, float64(n-below))
		below = n
	}
	for _, n := range c.Counts {
		p.training = append(p.training, float64(n))
	}
	p.cells = slices.Clone(c.Levels)
	if c.Kind == table.Category.String() {
		p.cells = append(p.cells, "other")
	}
	p.absent = math.Round(floats.Sum(p.training) * c.Absent / max(1-c.Absent, 1e-9))
	from := &t.Columns[t.Find(c.Name)]
	for i, row := range s.rows {
		x := s.x.RawRowView(i)[at : at+p.width]
		absent := from.Missing(row)
		if c.Missing {
			absent = x[p.width-1] == 1
		}
		if p.missing = append(p.missing, absent); absent {
			continue
		}
		if len(p.cells) > 2 || c.Kind == table.Category.String() {
			p.here = append(p.here, float64(floats.MaxIdx(x[:len(p.cells)])))
		} else {
			p.here = append(p.here, x[0])
		}
	}
	return p
}

// driftTest is a test of a column. p is corrected by holm.
type driftTest struct {
	column               int
	p                    float64
	what, training, here string
}

// tests makes the tests of the column of an index.
func (c *profile) tests(column int) []*driftTest {
	rows, absent := float64(len(c.missing)), 0.0
	for _, is := range c.missing {
		if is {
			absent++
		}
	}
	present := floats.Sum(c.training)
	list := []*driftTest{{column, fisher(absent, rows, c.absent, present+c.absent), "missing", inPercent(c.absent / (present + c.absent)), inPercent(absent / rows)}}
	if len(c.here) == 0 {
		return list
	}
	values := &driftTest{column: column}
	if c.numeric {
		values.what, values.p = "median", c.kolmogorovSmirnov()
		here := slices.Sorted(slices.Values(c.here))
		n := len(here)
		values.training, values.here = c.written(c.Fill), c.written(here[(n-1)/2]/2+here[n/2]/2)
		return append(list, values)
	}
	counts := make([]float64, len(c.training))
	for _, level := range c.here {
		counts[int(level)]++
	}
	values.p = chiSquared(c.training, counts)
	most, which := -1.0, 0
	for i := range counts {
		if moved := math.Abs(counts[i]/float64(len(c.here)) - c.training[i]/present); moved > most {
			most, which = moved, i
		}
	}
	values.what = "share of " + cell.Shorten(c.cells[which])
	values.training, values.here = inPercent(c.training[which]/present), inPercent(counts[which]/float64(len(c.here)))
	return append(list, values)
}

// inPercent writes a share.
func inPercent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// written is a value of the column as a text.
func (c *profile) written(v float64) string {
	if c.Kind == table.Date.String() {
		return table.FormatDate(math.Round(v))
	}
	return fmt.Sprintf("%.4g", v)
}

// quantile is the value that a share of the training rows is below. Between the quantiles that are
// known it is linear, but for a column of few values.
func (c *profile) quantile(share float64) float64 {
	n := c.Below[len(c.Below)-1]
	rank := share * float64(n)
	k := 0
	for k < len(c.Below)-1 && float64(c.Below[k]) < rank {
		k++
	}
	if k == 0 || len(c.Quantiles) < recipe.MostQuantiles {
		return c.Quantiles[k]
	}
	part := (rank - float64(c.Below[k-1])) / float64(c.Below[k]-c.Below[k-1])
	return c.Quantiles[k-1] + part*(c.Quantiles[k]-c.Quantiles[k-1])
}

// kolmogorovSmirnov is the p-value of the largest distance of the distributions at the quantiles. The
// true distance may be larger, and p smaller. The limit of the distribution is Kolmogorov's, with
// Stephens' correction for few rows.
func (c *profile) kolmogorovSmirnov() float64 {
	var grid, weights []float64
	for _, v := range c.here {
		k, _ := slices.BinarySearch(c.Quantiles, v)
		grid = append(grid, float64(k)) // beyond the last one: its own place
		weights = append(weights, 1)
	}
	slices.Sort(grid)
	places := make([]float64, len(c.Quantiles))
	for k := range places {
		places[k] = float64(k)
	}
	distance := stat.KolmogorovSmirnov(places, c.training, grid, weights)
	n, m := floats.Sum(c.training), float64(len(grid))
	root := math.Sqrt(n * m / (n + m))
	return kolmogorov((root + 0.12 + 0.11/root) * distance)
}

// kolmogorov is the probability that Kolmogorov's statistic exceeds x.
func kolmogorov(x float64) float64 {
	if x < 0.2 { // where the sum converges slowly; it is 1 − 1e-12
		return 1
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		sum += sign * math.Exp(-2*k*k*x*x)
		sign = -sign
	}
	return min(max(2*sum, 0), 1)
}

// chiSquared is the p-value of Pearson's test that two lists of counts were drawn alike. Cells of which
// fewer than five are expected in either list are taken together.
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

// fisher is the p-value of Fisher's exact test that a of n and b of m were drawn alike: the sum of the
// probabilities of all tables that are not more probable.
func fisher(a, n, b, m float64) float64 {
	of := a + b
	logP := func(k float64) float64 {
		return combin.LogGeneralizedBinomial(n, k) + combin.LogGeneralizedBinomial(m, of-k) - combin.LogGeneralizedBinomial(n+m, of)
	}
	limit, sum := logP(a)+1e-7, 0.0
	for k := max(0, of-m); k <= min(n, of); k++ {
		if l := logP(k); l <= limit {
			sum += math.Exp(l)
		}
	}
	return min(sum, 1)
}

// holm corrects the p-values for their number (Holm 1979).
func holm(tests []*driftTest) {
	order := slices.Clone(tests)
	slices.SortStableFunc(order, func(a, b *driftTest) int { return cmp.Compare(a.p, b.p) })
	least := 0.0
	for i, test := range order {
		least = max(least, min(1, float64(len(order)-i)*test.p))
		test.p = least
	}
}

// effects sets the effect of each column that moved.
func (d *Drift) effects(ctx context.Context, m *tables.Model, r *recipe.Recipe, t *table.Table, s encoded) error {
	if n := len(s.rows); n > effectRows {
		few := encoded{x: mat.NewDense(effectRows, r.Width(), nil)}
		for i := range effectRows {
			few.rows = append(few.rows, s.rows[i*n/effectRows])
			few.x.SetRow(i, s.x.RawRowView(i*n/effectRows))
		}
		s = few
	}
	names := m.ClassNames()
	mean := func(x *mat.Dense) []float64 {
		p := m.Model().Proba(nil, x)
		sums := make([]float64, len(names))
		for i := range s.rows {
			floats.AddScaled(sums, 1/float64(len(s.rows)), p.RawRowView(i))
		}
		return sums
	}
	asIs, at := mean(s.x), 0
	for i := range r.Columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := newProfile(&r.Columns[i], t, s, at)
		at += c.width
		to := &d.Columns[i]
		if !to.Moved {
			continue
		}
		back := mat.DenseCopyOf(s.x)
		c.setBack(back)
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

// setBack gives the cells of the column in samples x the distribution of the training rows. As few
// rows as possible become missing, or get another level; the order of numbers stays.
func (c *profile) setBack(x *mat.Dense) {
	rng := rand.New(rand.NewPCG(1, 9))
	n := len(c.missing)
	present := floats.Sum(c.training)
	level := make([]int, n) // of each row: the index of the cell, or len(training) if it is missing
	u := make([]float64, n) // of each row with a number: the share of rows below it
	k := 0
	order := make([]int, len(c.here))
	floats.ArgsortStable(slices.Clone(c.here), order)
	share := make([]float64, len(c.here))
	for rank, i := range order {
		share[i] = (float64(rank) + 0.5) / float64(len(order))
	}
	for i, absent := range c.missing {
		u[i] = rng.Float64()
		switch {
		case absent:
			level[i] = len(c.training)
			continue
		case c.numeric:
			u[i] = share[k]
		default:
			level[i] = int(c.here[k])
		}
		k++
	}
	weights := append(slices.Clone(c.training), c.absent)
	if c.numeric { // one cell of all numbers
		weights = make([]float64, len(c.training)+1)
		weights[0], weights[len(c.training)] = present, c.absent
	}
	for i, to := range moved(level, weights, rng) {
		own := x.RawRowView(i)[c.at : c.at+c.width]
		clear(own)
		switch absent := to == len(c.training); {
		case absent:
			_ = c.Blank(own) // a recipe with a profile has what stands in
		case c.numeric:
			own[0] = c.quantile(u[i])
		case c.Kind == table.Category.String():
			own[to] = 1
		default:
			own[0] = float64(to)
		}
	}
}

// moved returns the levels with the shares of these weights: rows of levels that are too frequent, drawn
// at random, get others.
func moved(level []int, weights []float64, rng *rand.Rand) []int {
	want := make([]int, len(weights)) // rows of each level
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
func (d *Drift) Print(w io.Writer) error {
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
	fmt.Fprintf(&b, "; %d of %d columns have moved since training (p < %g, corrected for the number of tests)\n", count, len(d.Columns), significant)
	if d.Unlike > 0 {
		fmt.Fprintf(&b, "unlike all training rows: %s; about 1 %% of rows drawn as those are\n", words.Plural(d.Unlike, "row"))
	}
	if count > 0 {
		cells := [][]string{{"COLUMN", "WHAT", "TRAINING", "HERE", "P", "MEAN PROBABILITY OF", "AS IT IS", "SET BACK"}}
		for _, c := range d.Columns[:count] {
			cells = append(cells, []string{cell.Shorten(c.Name), c.What, c.Training, c.Here, shortP(c.P), cell.Shorten(c.Class), fmt.Sprintf("%.3f", c.AsIs), fmt.Sprintf("%.3f", c.SetBack)})
		}
		b.WriteString("\n")
		b.WriteString(tabular.Text(cells, nil))
		b.WriteString("\nThe mean probability shows whether it matters: it is that of all rows as they are, and with the\ncells of the column set back to the distribution of the training rows.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shortP is a p-value as a text.
func shortP(p float64) string {
	if p < 1e-4 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
