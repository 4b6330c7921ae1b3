// Package recipe turns a table into samples: it fills what is missing, makes indicators of
// categories and finds a scale for each feature. A recipe is fitted to training rows alone and
// becomes part of the model file, so that a prediction repeats it. Its features are settled once
// for all rows of a fit. [Recipe.Refit] and [Samples.Part] give the training part of a fold its own
// statistics and leave the features as they are.
//
//   - A number or date is a feature. A missing one gets the median of the training rows.
//   - A boolean is a feature of 0 and 1. A missing one gets the more frequent of the two.
//   - A category has a feature of 0 and 1 for each of its levels, and one for "other". Other
//     are levels with fewer than 5 training rows, all but the 50 most frequent levels, levels
//     that the training rows do not have, and a level that is called "other".
//   - A column with cells missing in the training rows has one more feature, which is 1 where
//     the cell is missing. Without it, a missing category is "other".
//   - A column by which folds are dealt (table.Column.Aside), an id, a free text, a column without any value,
//     and a category without any level or with the same level in each row are left out.
//
// The samples of rows do not depend on each other, nor on the order of the columns in a table.
package recipe

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/moments"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/columns"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Recipe determines how the rows of a table become samples. Make one with [Fit].
type Recipe struct {
	// Target is the name of the column of the classes, and ID names the columns that identify a
	// row. Unused are the other columns that make no feature.
	Target string   `json:"target"`
	ID     []string `json:"id"`
	Unused []string `json:"unused"`
	// Missing are further texts that mean a missing value in a file.
	Missing []string `json:"na,omitempty"`
	// Limits controls how a cell such as <0.5 is read; see tables.Options.Limits.
	Limits string `json:"limits,omitempty"`
	// Columns are those that make features.
	Columns []Column `json:"columns"`
}

// Column describes how the cells of a column become features.
type Column struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // number, date, boolean or category
	// Fill stands in for a missing number, date or boolean.
	Fill float64 `json:"fill"`
	// Missing says that there is a feature for missing cells.
	Missing bool `json:"missing"`
	// Levels are the levels of a category that have a feature, or the texts of a boolean for 0 and
	// for 1.
	Levels []string `json:"levels"`
	// Layout is how dates are written in a text, as package time says it. If it is empty, a
	// new file says it.
	Layout string `json:"layout,omitempty"`
	// Parts is refused by Check. Earlier versions saved the parts of a date that were features in it.
	Parts []string `json:"parts,omitempty"`
	// Unit stood next to the numbers of the training file, such as $ or kg. A new file may have
	// it or no unit, and no other. If it is empty, any currency or percent sign may stand there.
	Unit string `json:"unit,omitempty"`

	// The following fields change no feature. They describe the training rows, for a comparison
	// with new rows.

	// Range has the least and the greatest number or date. It is nil if it is not known.
	Range []float64 `json:"range,omitempty"`
	// Absent is the share of the cells that were missing.
	Absent float64 `json:"absent,omitempty"`
	// Others are the levels of a category that have no feature. They are nil if they are not
	// known, more than 1024 or of more than 16,384 bytes.
	Others []string `json:"others,omitzero"`
	// Quantiles are up to 17 of the numbers or dates, ascending, from the least to the greatest, with
	// about equally many training rows between them. All are there if there are no more. Below has
	// the number of training rows with at most this value.
	Quantiles []float64 `json:"quantiles,omitempty"`
	Below     []int     `json:"below,omitempty"`
	// Counts has the number of training rows of each of Levels, and after those of a category that of
	// all other levels.
	Counts []int `json:"counts,omitempty"`
}

// MostQuantiles is the largest number of Column.Quantiles. A column with fewer has them all.
const MostQuantiles = 17

// The kinds of Column.
var (
	number   = table.Number.String()
	date     = table.Date.String()
	boolean  = table.Boolean.String()
	category = table.Category.String()
)

const (
	rare       = 5       // a level needs this many training rows
	mostLevels = 50      // of a category
	mostOthers = maxName // bytes of Others
	other      = "other"
	parts      = MostQuantiles - 1 // of the training rows
)

// Errors of Fit, Encode and EncodeRow, for errors.Is.
var (
	ErrNoFeatures    = errors.New("no column can be a feature")
	ErrNoColumn      = errors.New("the table lacks columns of the model")
	ErrUnknownColumn = errors.New("no such column")
	ErrNoValue       = errors.New("no feature has a value")
	ErrNotKind       = errors.New("not of the kind of its column")
	ErrMissing       = cell.ErrMissing
)

// Numbers returns the recipe of features that are numbers, in this order. It has nothing that
// stands in for a missing one: a row with one cannot be used.
func Numbers(features []string) *Recipe {
	r := &Recipe{}
	for _, name := range features {
		r.Columns = append(r.Columns, Column{Name: name, Kind: number, Fill: math.NaN()})
	}
	return r
}

// Fit makes the recipe of some rows of a table, counted from 0. target is the column of the
// classes. A cell of these rows that is not of the kind of its column is an ErrNotKind that
// names the cell. Fit returns ErrNoFeatures if no column makes a feature.
func Fit(t *table.Table, target int, rows []int) (*Recipe, error) {
	r := &Recipe{Target: t.Columns[target].Name, ID: []string{}, Unused: []string{},
		Missing: slices.Clone(t.Missing), Limits: t.Limits, Columns: []Column{}}
	in := make([]bool, t.Rows)
	for _, i := range rows {
		in[i] = true
	}
	for j := range t.Columns {
		c := &t.Columns[j]
		if j == target {
			continue
		}
		if c.Aside {
			r.Unused = append(r.Unused, c.Name)
			continue
		}
		for _, f := range c.Faults {
			if in[f.Row] {
				help := " is expected (is it a missing value, Options.Missing? or a category, Options.Kinds?)"
				if _, _, limit := celltext.Limit(celltext.Plain(f.Text)); limit && c.Kind == table.Number {
					help = " is expected, and this is a limit (Options.Limits half takes half of it, " +
						"Options.Limits missing nothing)"
				}
				return nil, fault(t, j, f, c.Kind.String()+help)
			}
		}
		column, ok, err := fitColumn(t, j, rows)
		switch {
		case err != nil:
			return nil, err
		case ok:
			r.Columns = append(r.Columns, column)
		case c.Kind == table.ID:
			r.ID = append(r.ID, c.Name)
		default:
			r.Unused = append(r.Unused, c.Name)
		}
	}
	if len(r.Columns) == 0 {
		return nil, &cell.Error{Name: t.Name, Err: ErrNoFeatures}
	}
	if err := r.Check(); err != nil {
		return nil, &cell.Error{Name: t.Name, Err: err}
	}
	return r, nil
}

// fault is the error of a cell that is not what is expected.
func fault(t *table.Table, column int, f table.Fault, expected string) error {
	return &cell.Error{
		Name: t.Name, Row: int64(f.Row) + 1, Line: f.Line, Column: column + 1, Header: t.Columns[column].Name,
		Value: f.Text, Err: fmt.Errorf("%w: a %s", ErrNotKind, expected),
	}
}

// fitColumn makes a column of the recipe. ok is false if the column is not a feature.
func fitColumn(t *table.Table, j int, rows []int) (fitted Column, ok bool, err error) {
	c := &t.Columns[j]
	fitted = Column{Name: c.Name, Kind: c.Kind.String(), Levels: []string{}, Layout: c.Layout, Unit: c.Unit}
	counts := make([]int, len(c.Levels))
	present := 0
	for _, i := range rows {
		switch {
		case c.Missing(i):
			fitted.Missing = true
			continue
		case c.Kind.Numeric():
			if v := c.Numbers[i]; math.IsInf(v, 0) {
				return fitted, false, fault(t, j, table.Fault{Row: i, Text: strconv.FormatFloat(v, 'g', -1, 64)},
					"finite "+fitted.Kind+" is expected")
			}
		default:
			counts[c.Codes[i]]++
		}
		present++
	}
	if present == 0 {
		return fitted, false, nil
	}
	fitted.Absent = float64(len(rows)-present) / float64(len(rows))
	switch c.Kind {
	case table.Number, table.Date:
	case table.Boolean:
		fitted.Levels = append(fitted.Levels, c.Levels...)
	case table.Category:
		var kept []int
		for level, n := range counts {
			if n >= rare && c.Levels[level] != other {
				kept = append(kept, level)
			}
		}
		slices.SortStableFunc(kept, func(a, b int) int { return counts[b] - counts[a] })
		kept = kept[:min(len(kept), mostLevels)]
		slices.Sort(kept)
		fitted.Others = []string{}
		room := mostOthers
		rest := present
		for level, n := range counts {
			text := c.Levels[level]
			if _, is := slices.BinarySearch(kept, level); is {
				fitted.Levels = append(fitted.Levels, text)
				fitted.Counts = append(fitted.Counts, n)
				rest -= n
			} else if n > 0 && room >= 0 && utf8.ValidString(text) {
				fitted.Others = append(fitted.Others, text)
				room -= len(text)
			} else if n > 0 {
				room = -1
			}
		}
		fitted.Counts = append(fitted.Counts, rest)
		if room < 0 || len(fitted.Others) > maxLevels {
			fitted.Others = nil
		}
		constant := len(kept) == 0 || counts[kept[0]] == present
		return fitted, fitted.Missing || !constant, nil
	default:
		return fitted, false, nil
	}
	fitted.measure(c, rows)
	return fitted, true, nil
}

// measure sets the statistics of a column of numbers, dates or truths, which come from the rows of a
// fit. They stay if none of the rows has a value.
func (c *Column) measure(from *table.Column, rows []int) {
	var values []float64
	for _, i := range rows {
		if from.Kind.Numeric() && !from.Missing(i) {
			values = append(values, from.Numbers[i])
		}
	}
	n := len(values)
	if n == 0 {
		return
	}
	slices.Sort(values)
	switch c.Kind {
	case number, date:
		c.Fill = values[(n-1)/2]/2 + values[n/2]/2
		c.Range = []float64{values[0], values[n-1]}
		c.Quantiles, c.Below = quantiles(values)
	case boolean:
		c.Fill = values[(n-1)/2] // 1 if more than half of them are
		ones := 0
		for _, v := range values {
			ones += int(v)
		}
		c.Counts = []int{n - ones, ones}
	}
}

// quantiles returns up to 17 of ascending values, each once, and how many values are at most these.
func quantiles(values []float64) (at []float64, below []int) {
	n := len(values)
	distinct := len(slices.Compact(slices.Clone(values)))
	for i, v := range values {
		last := i == n-1 || values[i+1] != v // of equal ones
		if !last {
			continue
		}
		next := int(float64(len(at)) * float64(n-1) / parts) // the index that the next one reaches at least
		if distinct <= parts+1 || i >= next || i == n-1 {
			at, below = append(at, v), append(below, i+1)
		}
	}
	return at, below
}

// checkProfile returns an error for faults of Quantiles, Below and Counts.
func (c *Column) checkProfile() error {
	counts := map[string]int{boolean: 2, category: len(c.Levels) + 1}[c.Kind]
	switch n := len(c.Quantiles); {
	case n > 0 && counts > 0 || n > parts+1:
		return fmt.Errorf("quantiles: %d of a %s", n, c.Kind)
	case len(c.Below) != n:
		return fmt.Errorf("below: %d for %d quantiles", len(c.Below), n)
	case len(c.Counts) > 0 && len(c.Counts) != counts:
		return fmt.Errorf("counts: %d of a %s of %d levels", len(c.Counts), c.Kind, len(c.Levels))
	}
	for i, v := range c.Quantiles {
		if math.IsInf(v, 0) || math.IsNaN(v) || c.Below[i] < 1 || i > 0 &&
			(v <= c.Quantiles[i-1] || c.Below[i] <= c.Below[i-1]) {
			return fmt.Errorf("quantiles[%d]: %v, %d below, does not ascend", i, v, c.Below[i])
		}
	}
	rows := 0
	for i, n := range c.Counts {
		if n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("counts[%d]: %d", i, n)
		}
		rows += n
	}
	if len(c.Counts) > 0 && rows == 0 {
		return errors.New("counts: no row")
	}
	return nil
}

// ErrNoProfile is the error for a recipe that is not Profiled, where the training rows matter.
var ErrNoProfile = errors.New("the model does not know how its training rows were distributed: fit it " +
	"again, to a table")

// Profiled reports whether the recipe knows how the cells of the training rows were distributed. One of
// an old model file does not.
func (r *Recipe) Profiled() bool {
	for i := range r.Columns {
		if c := &r.Columns[i]; c.Quantiles == nil && c.Counts == nil {
			return false
		}
	}
	return len(r.Columns) > 0
}

// Refit returns the recipe with the statistics of some of the rows that it was fitted to, counted
// from 0: what stands in for a missing cell is learned from these rows alone. The features stay:
// the same columns, levels and indicators of missing cells. So the training parts of a
// cross-validation all have the D features of the whole table. A column without a value in the
// rows keeps its filling.
func (r *Recipe) Refit(t *table.Table, rows []int) *Recipe {
	of := r.Clone()
	for i := range of.Columns {
		c := &of.Columns[i]
		c.measure(&t.Columns[t.Find(c.Name)], rows)
	}
	return of
}

// width is the number of features of a column.
func (c *Column) width() int {
	n := 1
	if c.Kind == category {
		n = len(c.Levels) + 1
	}
	if c.Missing {
		n++
	}
	return n
}

// Width is the number of features D.
func (r *Recipe) Width() int {
	d := 0
	for i := range r.Columns {
		d += r.Columns[i].width()
	}
	return d
}

// Features returns the names of the D features: "age", "age missing", "island=Dream",
// "island=other". If two are alike, the later one gets a number, such as "age missing (2)".
func (r *Recipe) Features() []string {
	names := make([]string, 0, r.Width())
	seen := map[string]bool{}
	add := func(name string) {
		distinct := name
		for n := 2; seen[distinct]; n++ {
			distinct = fmt.Sprintf("%s (%d)", name, n)
		}
		seen[distinct] = true
		names = append(names, distinct)
	}
	for i := range r.Columns {
		c := &r.Columns[i]
		if c.Kind == category {
			for _, level := range c.Levels {
				add(c.Name + "=" + level)
			}
			add(c.Name + "=" + other)
		} else {
			add(c.Name)
		}
		if c.Missing {
			add(c.Name + " missing")
		}
	}
	return names
}

// Sources returns the index in Columns that each of the D features comes from.
func (r *Recipe) Sources() []int {
	from := make([]int, 0, r.Width())
	for i := range r.Columns {
		from = append(from, slices.Repeat([]int{i}, r.Columns[i].width())...)
	}
	return from
}

// Scaling returns the mean and the scale of each feature, for samples x (N×D) of Encode. It
// makes one mismatch of a boolean or a category weigh as one standard deviation of a number:
// both are at the squared distance 1.
//
//   - A number or date has its standard deviation (n−1), as data.FitStandardizer.
//   - A boolean has 1, and so has the indicator of missing numbers, dates and booleans.
//   - The features of a category have √2, with the one for missing cells: two samples of
//     different levels differ in two features.
func (r *Recipe) Scaling(x *mat.Dense) (mean, scale []float64) {
	n, d := x.Dims()
	mean, scale = make([]float64, d), make([]float64, d)
	column := make([]float64, n)
	j := 0
	for i := range r.Columns {
		c := &r.Columns[i]
		for k := range c.width() {
			mat.Col(column, j, x)
			mean[j], scale[j] = moments.MeanDeviation(column)
			switch {
			case c.Kind == category:
				scale[j] = math.Sqrt2
			case c.Kind == boolean || k > 0:
				scale[j] = 1
			}
			j++
		}
	}
	return mean, scale
}

// Like returns the columns of the recipe for tables.Options.Like: with them, a file to be predicted is
// read as the file of the training rows was.
func (r *Recipe) Like() []table.Column {
	like := make([]table.Column, len(r.Columns))
	for i := range r.Columns {
		like[i] = r.Columns[i].like()
	}
	return like
}

func (c *Column) like() table.Column {
	kind, err := table.ParseKind(c.Kind)
	if err != nil {
		panic("tables: " + err.Error()) // Check refuses such a recipe
	}
	like := table.Column{Name: c.Name, Kind: kind, Unit: c.Unit, Layout: c.Layout}
	if kind == table.Boolean {
		like.Levels = c.Levels
	}
	return like
}

// Identify returns the cells of the columns ID of a row (from 0), with a blank between them.
func (r *Recipe) Identify(t *table.Table, row int) string {
	var texts []string
	for _, name := range r.ID {
		if j := t.Find(name); j >= 0 {
			texts = append(texts, t.Columns[j].Text(row))
		}
	}
	return strings.TrimSpace(strings.Join(texts, " "))
}

// Cells returns the cells of D features, before scaling, as texts: one for each of Columns, ""
// for a missing cell, "other" for a level without a feature. Numbers have up to 12 digits.
func (r *Recipe) Cells(x []float64) []string {
	cells := make([]string, len(r.Columns))
	for i := range r.Columns {
		c := &r.Columns[i]
		own := x[:c.width()]
		x = x[c.width():]
		switch {
		case c.Missing && own[len(own)-1] > 0.5, math.IsNaN(own[0]):
		case c.Kind == category:
			cells[i] = other
			for level, text := range c.Levels {
				if own[level] > 0.5 {
					cells[i] = text
				}
			}
		case c.Kind == boolean && own[0] > 0.5:
			cells[i] = c.Levels[1]
		case c.Kind == boolean:
			cells[i] = c.Levels[0]
		case c.Kind == date:
			cells[i] = table.FormatDate(math.Round(own[0]))
		default:
			cells[i] = strconv.FormatFloat(own[0], 'g', 12, 64)
		}
	}
	return cells
}

// Clone returns a copy that shares nothing with r.
func (r *Recipe) Clone() *Recipe {
	list := func(of []string) []string { return append(make([]string, 0, len(of)), of...) } // not nil, for JSON
	clone := &Recipe{Target: r.Target, ID: list(r.ID), Unused: list(r.Unused), Missing: slices.Clone(r.Missing),
		Limits: r.Limits, Columns: append(make([]Column, 0, len(r.Columns)), r.Columns...)}
	for i := range clone.Columns {
		c := &clone.Columns[i]
		c.Levels, c.Range, c.Others = list(c.Levels), slices.Clone(c.Range), slices.Clone(c.Others)
		c.Quantiles, c.Below, c.Counts = slices.Clone(c.Quantiles), slices.Clone(c.Below), slices.Clone(c.Counts)
	}
	return clone
}

// Bounds that no real recipe comes near and that a hostile file may not exceed.
const (
	maxLevels = 1 << 10 // of a column
	maxName   = 1 << 14 // bytes of a name or level
	maxText   = 1 << 26 // bytes of the names of all features
)

// Check returns an error that names the fault of a recipe that Fit did not make, such as
// columns[3].levels[0].
func (r *Recipe) Check() error {
	seen := map[string]bool{}
	checkName := func(place, name string) error {
		switch {
		case !utf8.ValidString(name):
			return fmt.Errorf("%s: %.40q is not valid UTF-8", place, name)
		case len(name) > maxName:
			return fmt.Errorf("%s: text of %d bytes, it may have %d", place, len(name), maxName)
		case seen[name]:
			return fmt.Errorf("%s: name %.40q twice", place, name)
		}
		seen[name] = true
		return nil
	}
	if err := checkName("target", r.Target); err != nil {
		return err
	}
	for i, name := range slices.Concat(r.ID, r.Unused) {
		place := fmt.Sprintf("id[%d]", i)
		if i >= len(r.ID) {
			place = fmt.Sprintf("unused[%d]", i-len(r.ID))
		}
		if err := checkName(place, name); err != nil {
			return err
		}
	}
	for i, text := range r.Missing {
		if !utf8.ValidString(text) || len(text) > maxName {
			return fmt.Errorf("na[%d]: %.40q is not valid UTF-8 or has more than %d bytes", i, text, maxName)
		}
	}
	if !slices.Contains([]string{"", "half", "limit", "missing"}, r.Limits) {
		return fmt.Errorf("limits: %.40q is none of half, limit and missing", r.Limits)
	}
	if len(r.Columns) == 0 {
		return errors.New("columns: none")
	}
	text := 0
	for i := range r.Columns {
		c := &r.Columns[i]
		if err := checkName(fmt.Sprintf("columns[%d].name", i), c.Name); err != nil {
			return err
		}
		if err := c.check(); err != nil {
			return fmt.Errorf("columns[%d].%w", i, err)
		}
		if text += c.width() * (len(c.Name) + 10); text > maxText {
			return fmt.Errorf("columns[%d]: the names of the features have more than %d bytes", i, maxText)
		}
	}
	return nil
}

// check returns an error for a fault of a column, apart from its name.
func (c *Column) check() error {
	switch n := len(c.Levels); {
	case !slices.Contains([]string{number, date, boolean, category}, c.Kind):
		return fmt.Errorf("kind: %.40q is none of number, date, boolean and category", c.Kind)
	case math.IsNaN(c.Fill) || math.IsInf(c.Fill, 0):
		return fmt.Errorf("fill: not finite: %v", c.Fill)
	case c.Kind == boolean && c.Fill != 0 && c.Fill != 1:
		return fmt.Errorf("fill: %v of a boolean is neither 0 nor 1", c.Fill)
	case c.Kind == boolean && n != 2:
		return fmt.Errorf("levels: %d, a boolean has 2", n)
	case (c.Kind == number || c.Kind == date) && n > 0:
		return fmt.Errorf("levels: %d, a %s has none", n, c.Kind)
	case n > maxLevels:
		return fmt.Errorf("levels: %d, a category has %d at most", n, maxLevels)
	}
	if c.Layout != "" && (c.Kind != date || !columns.IsLayout(c.Layout)) {
		return fmt.Errorf("layout: %.40q of a %s", c.Layout, c.Kind)
	}
	if c.Parts != nil {
		return fmt.Errorf("parts: features %.60q of a date are no longer supported; "+
			"add them to the table as columns of their own and fit the model again", c.Parts)
	}
	if c.Unit != "" && (c.Kind != number || !celltext.IsUnit(c.Unit)) {
		return fmt.Errorf("unit: %.40q of a %s", c.Unit, c.Kind)
	}
	switch n := len(c.Range); {
	case n > 0 && (c.Kind != number && c.Kind != date || n != 2 || !(c.Range[0] <= c.Range[1]) ||
		math.IsInf(c.Range[0], 0) || math.IsInf(c.Range[1], 0)):
		return fmt.Errorf("range: %.40s of a %s", fmt.Sprint(c.Range), c.Kind)
	case !(c.Absent >= 0 && c.Absent <= 1):
		return fmt.Errorf("absent: %v is no share", c.Absent)
	case len(c.Others) > 0 && c.Kind != category || len(c.Others) > maxLevels:
		return fmt.Errorf("others: %d of a %s", len(c.Others), c.Kind)
	}
	if err := c.checkProfile(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for k, level := range slices.Concat(c.Levels, c.Others) {
		place, folded := fmt.Sprintf("levels[%d]", k), level
		if k >= len(c.Levels) {
			place = fmt.Sprintf("others[%d]", k-len(c.Levels))
		}
		if c.Kind == boolean {
			folded = strings.ToLower(level)
		}
		switch {
		case !utf8.ValidString(level):
			return fmt.Errorf("%s: %.40q is not valid UTF-8", place, level)
		case len(level) > maxName:
			return fmt.Errorf("%s: text of %d bytes, it may have %d", place, len(level), maxName)
		case seen[folded]:
			return fmt.Errorf("%s: %.40q twice", place, level)
		}
		seen[folded] = true
	}
	return nil
}
