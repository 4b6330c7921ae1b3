package assess

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/internal/tabular"
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

	near []neighbour
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
	x.near = neighboursOf(m).nearest(x.X, -1, len(x.Contributions))
	return x, nil
}

// columns of the model.
func (x *Explained) columns() []string {
	var names []string
	for _, c := range recipeOf(x.Model).Columns {
		names = append(names, c.Name)
	}
	return names
}

// cells are those of the row in the columns of the model.
func (x *Explained) cells() []string {
	var cells []string
	for _, name := range x.columns() {
		cells = append(cells, x.Table.Columns[x.Table.Find(name)].Text(x.Row))
	}
	return cells
}

// MarshalJSON writes the explanation. Its rows count from 1, without the header.
func (x *Explained) MarshalJSON() ([]byte, error) {
	names := x.Model.ClassNames()
	byName := func(cells []string) map[string]string {
		m := map[string]string{}
		for i, name := range x.columns() {
			m[name] = cells[i]
		}
		return m
	}
	out := explained{Row: x.Row + 1, ID: x.ID, Class: names[x.Label], Mixed: floats.Sum(x.Model.Model().Floor()), Truth: x.Truth, Unlike: x.Unlike, Cells: byName(x.cells()), Neighbours: []explainedNeighbour{}}
	if base, list, err := x.Shares(); err == nil {
		out.Typical, out.Shares = &base, list
	}
	for c, name := range names {
		class := explainedClass{
			Class: name, Proba: x.Proba[c], Potential: x.Potentials[c], Bias: x.Bias[c], Contributions: []explainedSay{},
		}
		for _, v := range x.Class(c) {
			class.Contributions = append(class.Contributions, explainedSay{v.Index + 1, names[v.Label], v.Kernel, v.Weight, v.Value})
		}
		out.Classes = append(out.Classes, class)
	}
	for _, n := range x.near {
		out.Neighbours = append(out.Neighbours, explainedNeighbour{n.Index + 1, n.ID, names[n.Label], n.kernel, byName(x.Model.Cells(n.Raw))})
	}
	return json.Marshal(out)
}

// Verdict is a sentence on what the model says.
func (x *Explained) Verdict() string {
	names := x.Model.ClassNames()
	text := fmt.Sprintf("row %d", x.Row+1)
	if x.ID != "" {
		text += " (" + x.ID + ")"
	}
	text += fmt.Sprintf(": %s with probability %.3f", names[x.Label], x.Proba[x.Label])
	if x.Model.Model().Costs() != nil && x.Proba[x.Label] < slices.Max(x.Proba) {
		text += ", as the costs of the model decide"
	}
	if x.Truth != "" {
		text += "; in truth " + x.Truth
	}
	if x.Unlike {
		text += ". The row is unlike all training rows: the model does not know what it is"
	}
	return text
}

// SumTable is a table with a row for each relevance vector, the most influential first, and a column
// for each class, whose sum is the potential.
func (x *Explained) SumTable() (header []string, rows [][]string) {
	names := x.Model.ClassNames()
	header = append([]string{"training row", "class", "kernel"}, names...)
	line := func(name, format string, values []float64) []string {
		cells := []string{name, "", ""}
		for _, v := range values {
			cells = append(cells, fmt.Sprintf(format, v))
		}
		return cells
	}
	vectors := neighboursOf(x.Model)
	place := map[int]int{} // row of the table of each training row
	for _, v := range x.ByInfluence() {
		i, there := place[v.Index]
		if !there {
			i = len(rows)
			place[v.Index] = i
			name := strconv.Itoa(v.Index + 1)
			if id := vectors.vectors[v.Index].ID; id != "" {
				name += " · " + id
			}
			rows = append(rows, append([]string{name, names[v.Label], fmt.Sprintf("%.4f", v.Kernel)}, make([]string, len(names))...))
		}
		rows[i][3+v.Class] = fmt.Sprintf("%+.4f", v.Value)
	}
	return header, append(rows,
		line("bias", "%+.4f", x.Bias),
		line("potential", "%+.4f", x.Potentials),
		line("probability", "%.4f", x.Proba))
}

// BesideTable is a table of the cells of the row and of its nearest relevance vectors.
func (x *Explained) BesideTable() (header []string, rows [][]string) {
	const most = 4
	header = []string{"column", "this row"}
	cells := [][]string{x.cells()}
	for _, n := range x.near[:min(len(x.near), most)] {
		header = append(header, fmt.Sprintf("%s (%s)", n.name(), x.Model.ClassNames()[n.Label]))
		cells = append(cells, x.Model.Cells(n.Raw))
	}
	for i, name := range x.columns() {
		row := []string{name}
		for _, of := range cells {
			if of[i] == "" {
				row = append(row, "–")
			} else {
				row = append(row, InBrief(of[i]))
			}
		}
		rows = append(rows, row)
	}
	return header, rows
}

// MainSumTable is SumTable with the twelve most influential relevance vectors.
func (x *Explained) MainSumTable() (header []string, rows [][]string) {
	const most, last = 12, 3
	header, rows = x.SumTable()
	if left := len(rows) - most - last; left > 0 {
		more := make([]string, len(header))
		more[0] = fmt.Sprintf("%d more", left)
		rows = append(append(rows[:most:most], more), rows[most+left:]...)
	}
	return header, rows
}

// SumMeaning says what the numbers of SumTable mean.
func (x *Explained) SumMeaning() string {
	text := "A positive number supports the class of its column, a negative one opposes it. The sum of a column is the potential."
	if share := floats.Sum(x.Model.Model().Floor()); share >= 0.01 {
		text += fmt.Sprintf(" The probabilities are mixed: %.0f %% of them are the frequencies of the classes in the training data, the rest comes from the potentials.", 100*share)
	}
	return text
}

// BesideMeaning says what BesideTable shows.
func (x *Explained) BesideMeaning() string {
	return "The cells of the row, and of the training rows most like it by the kernel:"
}

// Print writes the verdict and both tables.
func (x *Explained) Print(w io.Writer) error {
	var b strings.Builder
	b.WriteString(x.Verdict() + "\n\n")
	table := func(own int, header []string, rows [][]string) {
		b.WriteString(tabular.Text(slices.Insert(rows, 0, append(tabular.Upper(header[:own]), header[own:]...)), nil))
	}
	if header, rows := x.ShareTable(); rows != nil {
		b.WriteString(x.ShareMeaning() + "\n\n")
		table(2, header, rows)
		b.WriteString("\n")
	}
	header, rows := x.MainSumTable()
	table(3, header, rows)
	fmt.Fprintf(&b, "\n%s\n\n%s\n\n", x.SumMeaning(), x.BesideMeaning())
	header, rows = x.BesideTable()
	table(2, header, rows)
	_, err := io.WriteString(w, b.String())
	return err
}

// neighbours are the relevance vectors of a model.
type neighbours struct {
	model   *mpcvm.Model
	vectors map[int]neighbour // by training row; without kernel
}

// neighbour is a relevance vector and its kernel with a sample.
type neighbour struct {
	mpcvm.RelevanceVector
	ID     string // of the training row; "" without one
	kernel float64
}

// name is the id of the vector, or its row, counted from 1.
func (n neighbour) name() string { return cmp.Or(n.ID, strconv.Itoa(n.Index+1)) }

func neighboursOf(m *tables.Model) neighbours {
	n := neighbours{m.Model(), map[int]neighbour{}}
	for i, v := range m.Model().RelevanceVectors() {
		n.vectors[v.Index] = neighbour{RelevanceVector: v, ID: m.ID(i)}
	}
	return n
}

// nearest returns the relevance vectors of the largest kernel with a sample, the largest first,
// but not the one of a training row.
func (n neighbours) nearest(x []float64, but, most int) []neighbour {
	var list []neighbour
	met := map[int]bool{but: true}
	for _, c := range n.model.Explain(x).Contributions {
		if !met[c.Index] {
			met[c.Index] = true
			near := n.vectors[c.Index]
			near.kernel = c.Kernel
			list = append(list, near)
		}
	}
	slices.SortStableFunc(list, func(a, b neighbour) int { return cmp.Or(cmp.Compare(b.kernel, a.kernel), a.Index-b.Index) })
	return list[:min(len(list), most)]
}
