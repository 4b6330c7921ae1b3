package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Explained explains the prediction of a model for a row of a table.
type Explained struct {
	mpcvm.Explanation
	recipe.Novelty // the cells that no training row resembles
	// Model, Table and Row (from 0) identify what was explained; X is the encoded sample.
	Model *model.Model
	Table *table.Table
	Row   int
	X     []float64
	// ID identifies the row; it is empty without ID columns. Truth is the true class; it is empty if unknown.
	ID, Truth string
	// Near lists the relevance vectors in descending order of their kernel values. It is empty if the model is
	// linear.
	Near []Neighbour
}

// Explain explains the prediction of a model for a row of a table, counted from 0. If the row cannot be
// used, the error names the cell that is the reason, or is model.ErrOverflow.
func Explain(m *model.Model, t *table.Table, row int) (*Explained, error) {
	if row < 0 || row >= t.Rows {
		return nil, fmt.Errorf("row %d does not exist: the data have %d rows, counted from 1 without the header",
			row+1, t.Rows)
	}
	r := m.RowRecipe()
	sample, unusable, err := r.Encode(nil, t, []int{row})
	switch {
	case err != nil:
		return nil, err
	case unusable != nil && unusable[0] != nil:
		return nil, unusable[0]
	}
	x := &Explained{Novelty: r.Novelty(t, []int{row}, sample, nil)[0], Model: m, Table: t, Row: row,
		X: sample.RawRowView(0), ID: r.Identify(t, row)}
	x.Explanation = m.Model().Explain(x.X)
	if x.Label < 0 || slices.ContainsFunc(x.Proba, math.IsNaN) {
		return nil, fmt.Errorf("row %d: %w", row+1, model.ErrOverflow)
	}
	if column := t.Find(cmp.Or(r.Target, "class")); column >= 0 {
		x.Truth = t.Columns[column].Label(row)
	}
	vectors := map[int]Neighbour{} // by training row
	for i, v := range m.Model().RelevanceVectors() {
		vectors[v.Index] = Neighbour{RelevanceVector: v, ID: m.ID(i)}
	}
	for _, c := range x.Contributions {
		if near, ok := vectors[c.Index]; ok && c.Label >= 0 {
			delete(vectors, c.Index)
			near.Kernel = c.Kernel
			x.Near = append(x.Near, near)
		}
	}
	slices.SortStableFunc(x.Near, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(b.Kernel, a.Kernel), a.Index-b.Index)
	})
	return x, nil
}

// Columns returns the names of the columns that the model uses.
func (x *Explained) Columns() []string {
	var names []string
	for _, c := range x.Model.RowRecipe().Columns {
		names = append(names, c.Name)
	}
	return names
}

// Cells returns the cells of the row in the order of Columns.
func (x *Explained) Cells() []string {
	var cells []string
	for _, name := range x.Columns() {
		cells = append(cells, x.Table.Columns[x.Table.Find(name)].Text(x.Row))
	}
	return cells
}

// ByColumn returns what the coefficients of each of the Columns add to the potential of each class (columns
// × classes), or nil if the model has no coefficients. Numbers are compared with their mean in the training
// data.
func (x *Explained) ByColumn() [][]float64 {
	if !slices.ContainsFunc(x.Contributions, func(v mpcvm.Contribution) bool { return v.Label < 0 }) {
		return nil
	}
	sources := x.Model.RowRecipe().Sources()
	rows := make([][]float64, len(x.Columns()))
	for i := range rows {
		rows[i] = make([]float64, len(x.Bias))
	}
	for _, v := range x.Contributions {
		if v.Label < 0 {
			rows[sources[v.Index]][v.Class] += v.Value
		}
	}
	return rows
}

// jsonVector is a relevance vector in JSON: the contribution of a weight, or a neighbour with its cells. The
// contribution of a column has the name of the column instead of the row, class and kernel.
type jsonVector struct {
	Column string            `json:"column,omitempty"`
	Row    int               `json:"row,omitempty"` // of the training data
	ID     string            `json:"id,omitempty"`
	Class  string            `json:"class,omitempty"`
	Kernel *float64          `json:"kernel,omitempty"`
	Weight *float64          `json:"weight,omitempty"`
	Value  *float64          `json:"value,omitempty"`
	Cells  map[string]string `json:"cells,omitempty"`
}

// MarshalJSON encodes the explanation. Row numbers start at 1, without the header.
func (x *Explained) MarshalJSON() ([]byte, error) {
	type class struct {
		Class         string       `json:"class"`
		Proba         float64      `json:"proba"`
		Potential     float64      `json:"potential"`
		Bias          float64      `json:"bias"`
		Contributions []jsonVector `json:"contributions"`
	}
	names := x.Model.ClassNames()
	byName := func(cells []string) map[string]string {
		m := map[string]string{}
		for i, name := range x.Columns() {
			m[name] = cells[i]
		}
		return m
	}
	out := struct {
		Row    int     `json:"row"`
		ID     string  `json:"id,omitempty"`
		Class  string  `json:"class"`
		Mixed  float64 `json:"mixed,omitempty"` // sum of the floor of the model
		Truth  string  `json:"truth,omitempty"`
		Unlike bool    `json:"unlike,omitempty"` // whether the row is unlike all training rows
		recipe.Novelty
		Cells      map[string]string `json:"cells"`
		Typical    *float64          `json:"typical,omitempty"` // probability of the class for a typical row
		Shares     []Share           `json:"shares,omitempty"`
		Classes    []class           `json:"classes"`
		Neighbours []jsonVector      `json:"neighbours"`
	}{Row: x.Row + 1, ID: x.ID, Class: names[x.Label], Mixed: floats.Sum(x.Model.Model().Floor()),
		Truth: x.Truth, Unlike: x.Unlike, Novelty: x.Novelty, Cells: byName(x.Cells()), Neighbours: []jsonVector{}}
	if base, list, err := x.Shares(); err == nil {
		out.Typical, out.Shares = &base, list
	}
	columns := x.ByColumn()
	for c, name := range names {
		of := class{name, x.Proba[c], x.Potentials[c], x.Bias[c], []jsonVector{}}
		for i, row := range columns {
			of.Contributions = append(of.Contributions, jsonVector{Column: x.Columns()[i], Value: &row[c]})
		}
		for _, v := range x.Class(c) {
			if v.Label >= 0 {
				of.Contributions = append(of.Contributions, jsonVector{Row: v.Index + 1, Class: names[v.Label],
					Kernel: &v.Kernel, Weight: &v.Weight, Value: &v.Value})
			}
		}
		out.Classes = append(out.Classes, of)
	}
	for _, n := range x.Near {
		out.Neighbours = append(out.Neighbours, jsonVector{Row: n.Index + 1, ID: n.ID, Class: names[n.Label],
			Kernel: &n.Kernel, Cells: byName(x.Model.Cells(n.Raw))})
	}
	return json.Marshal(out)
}

// Neighbour is a relevance vector with its similarity to an explained row.
type Neighbour struct {
	mpcvm.RelevanceVector
	// ID identifies the training row; it is empty without ID columns.
	ID string
	// Kernel is the value of the kernel for the vector and the explained row.
	Kernel float64
}

// Name returns the ID, or the row number (from 1) if it is empty.
func (n Neighbour) Name() string { return cmp.Or(n.ID, strconv.Itoa(n.Index+1)) }

// Share is the contribution of a column to the probability of the predicted class.
type Share struct {
	Column string `json:"column"`
	Cell   string `json:"cell"`
	// Add is in units of probability, and SE is its standard error; 0 if Add is exact.
	Add float64 `json:"add"`
	SE  float64 `json:"se"`
}

// exactShares is the largest number of columns for which the shares are computed exactly; with more
// columns, sampledShares orders are sampled.
const (
	exactShares   = 9
	sampledShares = 200
)

// Shares attributes to the columns the difference between the probability of the predicted class and base,
// the probability of that class for a typical row. It returns their Shapley values in descending order of
// magnitude. A typical row has the medians and the most frequent levels of the training rows. The value of a
// set of columns is the probability for a row with these cells, and the cells of the typical row in all other
// columns.
//
// The values are exact if at most nine columns differ from the typical row. Otherwise they are means over
// 200 orders of the columns, half of which are the reverse of the others (Štrumbelj and Kononenko 2014, DOI
// 10.1007/s10115-013-0679-x); they add up to the difference in both cases. Shares returns
// recipe.ErrNoProfile if the recipe has no profile, and an error if it has more than 64 columns.
func (x *Explained) Shares() (base float64, list []Share, err error) {
	r := x.Model.RowRecipe()
	row, err := TypicalRow(r)
	if err == nil && len(r.Columns) > 64 { // the bits of a set
		err = errors.New("shares are computed for up to 64 columns")
	}
	if err != nil {
		return 0, nil, err
	}
	typical, err := r.EncodeRow(row)
	if err != nil {
		return 0, nil, err
	}
	sources, cells := r.Sources(), x.Cells()
	var columns []int // indices of the columns that differ
	for c := range r.Columns {
		for j, of := range sources {
			if of == c && typical[j] != x.X[j] {
				columns = append(columns, c)
				break
			}
		}
	}
	value := func(sets []uint64) []float64 { // each set is a bit mask of indices of columns
		rows := mat.NewDense(len(sets), len(typical), nil)
		for i, set := range sets {
			row := rows.RawRowView(i)
			copy(row, typical)
			for k, c := range columns {
				for j, of := range sources {
					if of == c && set>>k&1 == 1 {
						row[j] = x.X[j]
					}
				}
			}
		}
		return mat.Col(nil, x.Label, x.Model.Model().Proba(nil, rows))
	}
	adds, ses := make([]float64, len(columns)), make([]float64, len(columns))
	if len(columns) <= exactShares {
		base = exact(value, adds)
	} else {
		base = sampled(value, adds, ses)
	}
	for k, c := range columns {
		list = append(list, Share{r.Columns[c].Name, cells[c], adds[k], ses[k]})
	}
	slices.SortStableFunc(list, func(a, b Share) int { return cmp.Compare(math.Abs(b.Add), math.Abs(a.Add)) })
	return base, list, nil
}

// exact writes the Shapley values to adds and returns the value of the empty set.
func exact(value func([]uint64) []float64, adds []float64) (base float64) {
	n := len(adds)
	sets := make([]uint64, 1<<n)
	for i := range sets {
		sets[i] = uint64(i)
	}
	v := value(sets)
	for k := range adds {
		for set := range sets {
			if set>>k&1 == 0 {
				s := bits.OnesCount(uint(set))
				adds[k] += (v[set|1<<k] - v[set]) * math.Gamma(float64(s+1)) * math.Gamma(float64(n-s)) /
					math.Gamma(float64(n+1))
			}
		}
	}
	return v[0]
}

// sampled writes means over random orders of the columns to adds and their standard errors to ses, and
// returns the value of the empty set. An order and its reverse form one draw, which reduces the variance.
func sampled(value func([]uint64) []float64, adds, ses []float64) (base float64) {
	n, random := len(adds), rand.New(rand.NewPCG(1, 0))
	squares := make([]float64, n)
	for range sampledShares / 2 {
		order := random.Perm(n)
		draw := make([]float64, n)
		for range 2 {
			sets := make([]uint64, n+1)
			for i, k := range order {
				sets[i+1] = sets[i] | 1<<k
			}
			v := value(sets)
			base = v[0]
			for i, k := range order {
				draw[k] += (v[i+1] - v[i]) / 2
			}
			slices.Reverse(order)
		}
		for k, d := range draw {
			adds[k] += d
			squares[k] += d * d
		}
	}
	const draws = sampledShares / 2
	for k := range adds {
		adds[k] /= draws
		ses[k] = math.Sqrt(max(0, squares[k]/draws-adds[k]*adds[k]) / (draws - 1))
	}
	return base
}

// TypicalRow returns the medians of numbers and dates and the most frequent levels of the training rows, by
// column name; nil stands for a missing cell. It returns recipe.ErrNoProfile if r has no profile.
func TypicalRow(r *recipe.Recipe) (map[string]any, error) {
	if !r.Profiled() {
		return nil, recipe.ErrNoProfile
	}
	row := map[string]any{}
	for _, c := range r.Columns {
		switch c.Kind {
		case table.Category.String():
			if most := slices.Index(c.Counts, slices.Max(c.Counts)); most < len(c.Levels) {
				row[c.Name] = c.Levels[most]
			} // otherwise a level without a feature, which is treated like a missing cell
		case table.Boolean.String():
			row[c.Name] = c.Levels[int(c.Fill)]
		case table.Date.String():
			row[c.Name] = time.Unix(int64(c.Fill), 0).UTC()
		default:
			row[c.Name] = c.Fill
		}
	}
	return row, nil
}
