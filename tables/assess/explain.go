package assess

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

// explained is an explanation as JSON. Rows count from 1, without the header.
type explained struct {
	Row    int               `json:"row"`
	ID     string            `json:"id,omitempty"`
	Class  string            `json:"class"`
	Mixed  float64           `json:"mixed,omitempty"` // part of the probabilities that the floor of the model is
	Truth  string            `json:"truth,omitempty"`
	Unlike bool              `json:"unlike,omitempty"` // all training rows
	Cells  map[string]string `json:"cells"`
	// Typical is the probability of the class of a typical row, Shares what the cells of this row add to it.
	Typical    *float64             `json:"typical,omitempty"`
	Shares     []Share              `json:"shares,omitempty"`
	Classes    []explainedClass     `json:"classes"`
	Neighbours []explainedNeighbour `json:"neighbours"`
}

type explainedClass struct {
	Class         string         `json:"class"`
	Proba         float64        `json:"proba"`
	Potential     float64        `json:"potential"`
	Bias          float64        `json:"bias"`
	Contributions []explainedSay `json:"contributions"`
}

type explainedSay struct {
	Row    int     `json:"row"` // of the training data
	Class  string  `json:"class"`
	Kernel float64 `json:"kernel"`
	Weight float64 `json:"weight"`
	Value  float64 `json:"value"`
}

// explainedNeighbour is a relevance vector, a row of the training data.
type explainedNeighbour struct {
	Row    int               `json:"row"` // of the training data
	ID     string            `json:"id,omitempty"`
	Class  string            `json:"class"`
	Kernel float64           `json:"kernel"`
	Cells  map[string]string `json:"cells"`
}

// Explained is why a model decides as it does on a row of a table.
type Explained struct {
	mpcvm.Explanation
	// Model, Table and Row (from 0) are what was explained, X the sample.
	Model *tables.Model
	Table *table.Table
	Row   int
	X     []float64
	// ID identifies the row; "" without columns for that. Truth is its class; "" if it is not known.
	ID, Truth string
	// Near are the relevance vectors, those with the largest kernel first.
	Near []Neighbour
}

// Explain returns why a model decides as it does on a row of a table, counted from 0. The error names
// the cell that makes the row unusable, or is tables.ErrOverflow.
func Explain(m *tables.Model, t *table.Table, row int) (*Explained, error) {
	if row < 0 || row >= t.Rows {
		return nil, fmt.Errorf("no row %d: the data have %d rows, counted from 1 without the header", row+1, t.Rows)
	}
	r := recipeOf(m)
	sample, unusable, err := r.Encode(nil, t, []int{row})
	switch {
	case err != nil:
		return nil, err
	case unusable != nil && unusable[0] != nil:
		return nil, unusable[0]
	}
	x := &Explained{Model: m, Table: t, Row: row, X: sample.RawRowView(0), ID: r.Identify(t, row)}
	x.Explanation = m.Model().Explain(x.X)
	if x.Label < 0 || slices.ContainsFunc(x.Proba, math.IsNaN) {
		return nil, fmt.Errorf("row %d: %w", row+1, tables.ErrOverflow)
	}
	if column := t.Find(cmp.Or(r.Target, "class")); column >= 0 {
		x.Truth = t.Columns[column].Label(row)
	}
	x.Near = neighbours(m, x.Contributions)
	return x, nil
}

// Columns returns the names of the columns of the model.
func (x *Explained) Columns() []string {
	var names []string
	for _, c := range recipeOf(x.Model).Columns {
		names = append(names, c.Name)
	}
	return names
}

// Cells returns the cells of the row in Columns.
func (x *Explained) Cells() []string {
	var cells []string
	for _, name := range x.Columns() {
		cells = append(cells, x.Table.Columns[x.Table.Find(name)].Text(x.Row))
	}
	return cells
}

// MarshalJSON writes the explanation. Its rows count from 1, without the header.
func (x *Explained) MarshalJSON() ([]byte, error) {
	names := x.Model.ClassNames()
	byName := func(cells []string) map[string]string {
		m := map[string]string{}
		for i, name := range x.Columns() {
			m[name] = cells[i]
		}
		return m
	}
	out := explained{Row: x.Row + 1, ID: x.ID, Class: names[x.Label], Mixed: floats.Sum(x.Model.Model().Floor()),
		Truth: x.Truth, Unlike: x.Unlike, Cells: byName(x.Cells()), Neighbours: []explainedNeighbour{}}
	if base, list, err := x.Shares(); err == nil {
		out.Typical, out.Shares = &base, list
	}
	for c, name := range names {
		class := explainedClass{
			Class: name, Proba: x.Proba[c], Potential: x.Potentials[c], Bias: x.Bias[c],
			Contributions: []explainedSay{},
		}
		for _, v := range x.Class(c) {
			class.Contributions = append(class.Contributions, explainedSay{v.Index + 1, names[v.Label], v.Kernel,
				v.Weight, v.Value})
		}
		out.Classes = append(out.Classes, class)
	}
	for _, n := range x.Near {
		out.Neighbours = append(out.Neighbours, explainedNeighbour{n.Index + 1, n.ID, names[n.Label], n.Kernel,
			byName(x.Model.Cells(n.Raw))})
	}
	return json.Marshal(out)
}

// Neighbour is a relevance vector next to an explained row.
type Neighbour struct {
	mpcvm.RelevanceVector
	// ID identifies the training row; "" without columns for that.
	ID string
	// Kernel is the kernel with the explained row.
	Kernel float64
}

// Name returns the ID, or the number of the row, counted from 1.
func (n Neighbour) Name() string { return cmp.Or(n.ID, strconv.Itoa(n.Index+1)) }

// neighbours returns the relevance vectors of a model, those with the largest kernel first.
func neighbours(m *tables.Model, contributions []mpcvm.Contribution) []Neighbour {
	vectors := map[int]Neighbour{} // by training row
	for i, v := range m.Model().RelevanceVectors() {
		vectors[v.Index] = Neighbour{RelevanceVector: v, ID: m.ID(i)}
	}
	var list []Neighbour
	for _, c := range contributions {
		if near, ok := vectors[c.Index]; ok {
			delete(vectors, c.Index)
			near.Kernel = c.Kernel
			list = append(list, near)
		}
	}
	slices.SortStableFunc(list, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(b.Kernel, a.Kernel),
			a.Index-b.Index)
	})
	return list
}
