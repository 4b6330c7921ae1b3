// Package recipe turns the rows of a table into samples: it imputes missing values, encodes categories and
// scales the features. A recipe is fitted to the training rows and saved in the model file, so that
// predictions use the same encoding.
//
//   - A number or date becomes one feature. Missing values are replaced by the median of the training rows.
//   - A boolean becomes a feature with the values 0 and 1. Missing values are replaced by the more frequent
//     one.
//   - A category becomes one indicator feature (0 or 1) for each level, and one for "other". The latter
//     stands for levels with fewer than 5 training rows, levels that are not among the 50 most frequent,
//     levels that do not occur in the training rows, and a level with the name "other".
//   - A column with missing cells in the training rows has an additional feature that is 1 if the cell is
//     missing. In the other columns, a missing category is "other".
//   - Columns of ids and free text, columns without a value, columns that are set aside
//     (table.Column.Aside), and categories without a frequent level or with a single one are not used.
//
// The features are the same in all folds of a cross-validation. [Recipe.Refit] and [Samples.Part] compute the
// statistics, such as medians and scales, from the training set of a fold. Each row is encoded independently
// of the others, and the order of the columns does not matter.
package recipe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/jsondoc"
	"github.com/mpcvm/mpcvm/internal/moments"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Recipe determines how the rows of a table become samples. Use [Fit] to create one.
type Recipe struct {
	// Target is the name of the class column, and ID lists the columns that identify a row. Unused lists the
	// other columns that are not used as features.
	Target string   `json:"target" valid:"max=16384"`
	ID     []string `json:"id" valid:"max=16384"`
	Unused []string `json:"unused" valid:"max=16384"`
	// Missing lists additional strings that mean a missing value.
	Missing []string `json:"na,omitempty" valid:"max=16384"`
	// Limits controls how a cell such as <0.5 is read; see tables.Options.Limits.
	Limits string `json:"limits,omitempty" valid:"of=|half|limit|missing"`
	// Columns contains the columns that become features.
	Columns []Column `json:"columns"`
}

// Column describes how the cells of a column become features.
type Column struct {
	Name string `json:"name" valid:"max=16384"`
	Kind string `json:"kind" valid:"of=number|date|boolean|category"`
	// Fill replaces a missing number, date or boolean.
	Fill float64 `json:"fill"`
	// Missing reports whether there is a feature for missing cells.
	Missing bool `json:"missing"`
	// Levels lists the levels of a category that have a feature, or the strings for 0 and 1 of a boolean.
	Levels []string `json:"levels" valid:"len=1024 max=16384"`
	// Layout is the layout of dates in a text file, as in package time. If it is empty, it is detected.
	Layout string `json:"layout,omitempty"`
	// Unit is the unit next to the numbers of the training file, such as $ or kg. New numbers must have the
	// same unit or none. If Unit is empty, any currency or percent sign is accepted.
	Unit string `json:"unit,omitempty"`

	// The following fields do not affect the features. They describe the distribution of the training rows,
	// for comparison with new rows.

	// Range contains the minimum and the maximum of the numbers or dates. It is nil if unknown.
	Range []float64 `json:"range,omitempty"`
	// Absent is the fraction of missing cells.
	Absent float64 `json:"absent,omitempty" valid:"max=1"`
	// Others lists the levels of a category that do not have a feature of their own. It is nil if they are
	// unknown, or if there are more than 1024 of them or more than 16,384 bytes.
	Others []string `json:"others,omitzero" valid:"len=1024 max=16384"`
	// Quantiles contains the distinct numbers or dates in ascending order if there are at most 17, or else up to
	// 17 of them, from the minimum to the maximum, with about the same number of training rows between them.
	// Below contains the number of training rows less than or equal to each.
	Quantiles []float64 `json:"quantiles,omitempty" valid:"len=17"`
	Below     []int     `json:"below,omitempty"`
	// Counts contains the number of training rows of each of Levels. For a category, the last element is the
	// number of rows of all other levels.
	Counts []int `json:"counts,omitempty" valid:"max=2147483647"`
}

// mostQuantiles is the maximum number of Column.Quantiles; a column with fewer distinct values has all.
const mostQuantiles = 17

// The kinds of Column.
var (
	number   = table.Number.String()
	date     = table.Date.String()
	boolean  = table.Boolean.String()
	category = table.Category.String()
)

const (
	rare       = 5       // minimum number of training rows of a level
	mostLevels = 50      // maximum number of levels of a category
	mostOthers = maxName // maximum number of bytes of Others
	other      = "other"
)

// Errors of Fit, Encode and EncodeRow, for use with errors.Is.
var (
	ErrNoFeatures    = errors.New("no column can be used as a feature")
	ErrNoColumn      = errors.New("the table lacks columns of the model")
	ErrUnknownColumn = errors.New("no such column")
	ErrNoValue       = errors.New("no feature has a value")
	ErrNotKind       = errors.New("not of the kind of its column")
	ErrMissing       = cell.ErrMissing
)

// Numbers returns a recipe whose features are columns of numbers, in this order. It does not impute missing
// values: a row with a missing value is an ErrMissing.
func Numbers(features []string) *Recipe {
	r := &Recipe{}
	for _, name := range features {
		r.Columns = append(r.Columns, Column{Name: name, Kind: number, Fill: math.NaN()})
	}
	return r
}

// Fit fits a recipe to the given rows (from 0) of a table. target is the index of the class column. Fit
// returns ErrNotKind if a cell of these rows is not of the kind of its column, and ErrNoFeatures if no column
// can be used as a feature.
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
		p := c.Profile(rows)
		if err := faults(t, j, in, p); err != nil {
			return nil, err
		}
		column, ok := FitColumn(c, p)
		switch {
		case ok:
			r.Columns = append(r.Columns, column)
		case c.Kind == table.ID && !c.Aside:
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

// faults returns an error if a column has a cell that is not of its kind, or infinite, in one of the rows.
func faults(t *table.Table, j int, in []bool, p *table.Profile) error {
	c := &t.Columns[j]
	if c.Aside {
		return nil
	}
	for _, f := range c.Faults {
		if !in[f.Row] {
			continue
		}
		code := texts.WrongKind
		if _, _, limit := celltext.Limit(celltext.Plain(f.Text)); limit && c.Kind == table.Number {
			code = texts.LimitCell
		}
		return fault(t, j, f, code, c.Kind.String())
	}
	if p.Infinite == 0 {
		return nil
	}
	i := 0
	for !in[i] || !math.IsInf(c.Numbers[i], 0) {
		i++
	}
	return fault(t, j, table.Fault{Row: i, Text: strconv.FormatFloat(c.Numbers[i], 'g', -1, 64)},
		texts.WrongKind, "finite "+c.Kind.String())
}

func fault(t *table.Table, column int, f table.Fault, code table.Code, expected string) error {
	return t.Fault(f.Row+1, column+1, f.Text, table.Finding{Code: code, Column: t.Columns[column].Name,
		Row: f.Row + 1, Line: f.Line, Texts: []string{expected, f.Text}, Cause: ErrNotKind})
}

// FitColumn fits a column of a recipe to the rows of a profile. ok is false if it is not a feature.
func FitColumn(c *table.Column, p *table.Profile) (fitted Column, ok bool) {
	fitted = Column{Name: c.Name, Kind: c.Kind.String(), Levels: []string{}, Layout: c.Layout, Unit: c.Unit,
		Missing: p.Missing > 0}
	if c.Aside || c.Kind == table.ID || c.Kind == table.Text || p.Present() == 0 {
		return fitted, false
	}
	fitted.Absent = float64(p.Missing) / float64(p.Rows)
	if c.Kind == table.Category {
		constant := fitted.levels(c, p)
		return fitted, fitted.Missing || !constant
	}
	fitted.Levels = append(fitted.Levels, c.Levels...)
	fitted.measure(p)
	return fitted, true
}

// levels chooses the levels that have a feature, and reports whether their features are constant.
func (c *Column) levels(from *table.Column, p *table.Profile) (constant bool) {
	kept := slices.DeleteFunc(p.Frequent(), func(level int) bool {
		return p.Counts[level] < rare || from.Levels[level] == other
	})
	kept = kept[:min(len(kept), mostLevels)]
	constant = len(kept) == 0 || p.Counts[kept[0]] == p.Present()
	slices.Sort(kept)
	c.Others = []string{}
	rest, left := p.Present(), mostOthers
	for level, n := range p.Counts {
		text := from.Levels[level]
		if _, is := slices.BinarySearch(kept, level); is {
			c.Levels, c.Counts = append(c.Levels, text), append(c.Counts, n)
			rest -= n
		} else if n > 0 && left >= 0 && utf8.ValidString(text) {
			c.Others = append(c.Others, text)
			left -= len(text)
		} else if n > 0 {
			left = -1
		}
	}
	c.Counts = append(c.Counts, rest)
	if left < 0 || len(c.Others) > maxLevels {
		c.Others = nil
	}
	return constant
}

// measure sets the statistics of a column of numbers, dates or booleans, if one of the rows has a value.
func (c *Column) measure(p *table.Profile) {
	switch {
	case p.Present() == 0:
	case c.Kind == boolean:
		c.Counts, c.Fill = slices.Clone(p.Counts), 0
		if p.Counts[1] > p.Counts[0] {
			c.Fill = 1
		}
	case c.Kind != category && len(p.Numbers) > 0:
		c.Fill = p.Quantile(.5)
		c.Range = []float64{p.Quantile(0), p.Quantile(1)}
		c.Quantiles, c.Below = p.Steps(mostQuantiles)
	}
}

// ErrNoProfile is the error of functions that need the distribution of the training rows if the recipe does
// not have it; see [Recipe.Profiled].
var ErrNoProfile = errors.New("the model lacks the distribution of its training rows: fit it again")

// Profiled reports whether the recipe contains the distribution of the cells of the training rows. Recipes
// from old model files do not.
func (r *Recipe) Profiled() bool {
	for i := range r.Columns {
		if c := &r.Columns[i]; c.Quantiles == nil && c.Counts == nil {
			return false
		}
	}
	return len(r.Columns) > 0
}

// Refit returns a copy of the recipe with statistics such as Column.Fill computed from a subset of its
// training rows (counted from 0 in the table). The features stay the same, so the training sets of a
// cross-validation all have D features. A column without a value in these rows keeps its statistics.
func (r *Recipe) Refit(t *table.Table, rows []int) *Recipe {
	of := r.Clone()
	for i := range of.Columns {
		c := &of.Columns[i]
		c.measure(t.Columns[t.Find(c.Name)].Profile(rows))
	}
	return of
}

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

// Width returns the number of features D.
func (r *Recipe) Width() int {
	d := 0
	for i := range r.Columns {
		d += r.Columns[i].width()
	}
	return d
}

// Features returns the names of the D features, such as "age", "age missing", "island=Dream" and
// "island=other". A duplicate name gets a number, such as "age missing (2)".
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

// Sources returns for each of the D features the index of its column in Columns.
func (r *Recipe) Sources() []int {
	from := make([]int, 0, r.Width())
	for i := range r.Columns {
		from = append(from, slices.Repeat([]int{i}, r.Columns[i].width())...)
	}
	return from
}

// Scaling returns the mean and the scale of each feature for samples x (N×D) of Encode. The scales are chosen
// so that two samples that differ in one boolean or category have the squared distance 1, like two samples
// that differ by one standard deviation of a number.
//
//   - The scale of a number or date is its standard deviation (with n−1), as in data.FitStandardizer.
//   - The scale of a boolean is 1, as is the scale of the indicator of missing numbers, dates and booleans.
//   - The scale of the features of a category, including the indicator of missing cells, is √2, because two
//     samples with different levels differ in two features.
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

// Like returns the columns of the recipe for tables.Options.Like, to read a file like the training file.
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
		panic("tables: " + err.Error()) // such a recipe fails Check
	}
	like := table.Column{Name: c.Name, Kind: kind, Unit: c.unit(), Layout: c.Layout}
	if kind == table.Boolean {
		like.Levels = c.Levels
	}
	return like
}

// Identify returns the cells of the columns ID of a row (from 0), joined by blanks.
func (r *Recipe) Identify(t *table.Table, row int) string {
	var texts []string
	for _, name := range r.ID {
		if j := t.Find(name); j >= 0 {
			texts = append(texts, t.Columns[j].Text(row))
		}
	}
	return strings.TrimSpace(strings.Join(texts, " "))
}

// Cells decodes D features, before scaling. It returns a string for each of Columns: "" for a missing cell,
// and "other" for a level without a feature of its own. Numbers have up to 12 digits.
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

// Clone returns a deep copy of r.
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

// Limits that protect against malicious files. They are also in the tags of the fields.
const (
	maxLevels = 1 << 10 // levels of a column
	maxName   = 1 << 14 // bytes of a name or level
	maxText   = 1 << 26 // bytes of the names of all features
)

type distinct map[string]bool

// add adds the names of a field, or returns an error that names the field.
func (d distinct) add(field string, names ...string) error {
	for i, name := range names {
		if d[name] {
			return fmt.Errorf("%s: duplicate name %.40q", strings.ReplaceAll(field, "#", strconv.Itoa(i)), name)
		}
		d[name] = true
	}
	return nil
}

// Check returns an error if the recipe is invalid. The error names the field, such as columns[3].levels[0].
// The recipes returned by Fit are valid.
func (r *Recipe) Check() error {
	if err := jsondoc.Check(r); err != nil {
		return err
	}
	if len(r.Columns) == 0 {
		return errors.New("columns: none")
	}
	names, text := distinct{}, 0
	err := cmp.Or(names.add("target", r.Target), names.add("id[#]", r.ID...), names.add("unused[#]", r.Unused...))
	for i := range r.Columns {
		c := &r.Columns[i]
		if err == nil {
			if err = cmp.Or(names.add("name", c.Name), c.check()); err != nil {
				err = fmt.Errorf("columns[%d].%w", i, err)
			}
		}
		if text += c.width() * (len(c.Name) + 10); err == nil && text > maxText {
			err = fmt.Errorf("columns[%d]: the names of the features have more than %d bytes", i, maxText)
		}
	}
	return err
}

// check returns an error if fields of a column contradict each other or its kind.
func (c *Column) check() error {
	levels, counts, rows := len(c.Levels), map[string]int{boolean: 2, category: len(c.Levels) + 1}[c.Kind], 0
	numeric := c.Kind == number || c.Kind == date
	for _, n := range c.Counts {
		rows += n
	}
	switch n := len(c.Quantiles); {
	case c.Kind == boolean && c.Fill != 0 && c.Fill != 1:
		return fmt.Errorf("fill: %v for a boolean, want 0 or 1", c.Fill)
	case c.Kind == boolean && levels != 2:
		return fmt.Errorf("levels: %d for a boolean, want 2", levels)
	case numeric && levels > 0:
		return fmt.Errorf("levels: %d for a %s, want none", levels, c.Kind)
	case c.Layout != "" && (c.Kind != date || !detect.IsLayout(c.Layout)):
		return fmt.Errorf("layout: invalid layout %.40q for a %s", c.Layout, c.Kind)
	case c.Unit != "" && (c.Kind != number || !celltext.IsUnit(c.Unit)):
		return fmt.Errorf("unit: invalid unit %.40q for a %s", c.Unit, c.Kind)
	case len(c.Range) > 0 && (!numeric || len(c.Range) != 2 || c.Range[0] > c.Range[1]):
		return fmt.Errorf("range: invalid range %.40s for a %s", fmt.Sprint(c.Range), c.Kind)
	case len(c.Others) > 0 && c.Kind != category:
		return fmt.Errorf("others: %d for a %s", len(c.Others), c.Kind)
	case n > 0 && !numeric:
		return fmt.Errorf("quantiles: %d for a %s", n, c.Kind)
	case len(c.Below) != n:
		return fmt.Errorf("below: %d for %d quantiles", len(c.Below), n)
	case len(c.Counts) > 0 && len(c.Counts) != counts:
		return fmt.Errorf("counts: %d for a %s with %d levels", len(c.Counts), c.Kind, levels)
	case len(c.Counts) > 0 && rows == 0:
		return errors.New("counts: all are zero")
	}
	for i, v := range c.Quantiles {
		if c.Below[i] < 1 || i > 0 && (v <= c.Quantiles[i-1] || c.Below[i] <= c.Below[i-1]) {
			return fmt.Errorf("quantiles[%d]: %v with %d rows below is not in ascending order", i, v, c.Below[i])
		}
	}
	fold := slices.Clone(c.Levels)
	for k := range fold {
		if c.Kind == boolean {
			fold[k] = strings.ToLower(fold[k])
		}
	}
	seen := distinct{}
	return cmp.Or(seen.add("levels[#]", fold...), seen.add("others[#]", c.Others...))
}
