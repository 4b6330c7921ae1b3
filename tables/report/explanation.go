package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/eval"
)

// Captions of the tables that explain a row.
const (
	shareMeaning = "Contribution of each cell to the probability, starting from a typical row of medians and " +
		"most frequent levels (Shapley values):"
	columnMeaning = "Contribution of each column to the potentials of the linear model, compared with the mean of " +
		"the training rows:"
	neighbourMeaning = "The row, and the training rows that are most similar to it by the kernel:"
)

// Decision describes the prediction of a model for a row.
func Decision(x *eval.Explained) string {
	names := x.Model.ClassNames()
	text := fmt.Sprintf("row %d", x.Row+1)
	if x.ID != "" {
		text += " (" + x.ID + ")"
	}
	text += fmt.Sprintf(": %s with probability %.3f", names[x.Label], x.Proba[x.Label])
	if x.Model.Model().Costs() != nil && x.Proba[x.Label] < slices.Max(x.Proba) {
		text += ", because of the costs of the model"
	}
	if x.Truth != "" {
		text += "; true class " + x.Truth
	}
	if x.Unlike {
		text += ". The row is unlike all training rows, so the prediction is unreliable"
	}
	if len(x.Beyond) > 0 {
		text += ". Outside the range of the training rows: " + words.ListBy(words.Quote, x.Beyond, 5)
	}
	if len(x.NewLevels) > 0 {
		text += ". Levels that no training row has, in the columns: " +
			words.ListBy(words.Quote, slices.Sorted(maps.Keys(x.NewLevels)), 5)
	}
	return text
}

const digits = 7 // of the numbers in cells

// shareTable returns the largest contributions to the probability, or no rows if they are unknown.
func shareTable(x *eval.Explained) Table {
	var rows [][]string
	const most = 8
	base, list, err := x.Shares()
	header := []string{"column", "this row", "adds to " + x.Model.ClassNames()[x.Label] + ", points"}
	if err != nil {
		return Table{header, nil}
	}
	rows = append(rows, []string{"a typical row", "", fmt.Sprintf("%.1f", 100*base)})
	rest := 0.0
	for i, s := range list {
		if i >= most {
			rest += s.Add
			continue
		}
		add := fmt.Sprintf("%+.1f", 100*s.Add)
		if s.SE > 0 {
			add += fmt.Sprintf(" ± %.1f", 100*s.SE)
		}
		rows = append(rows, []string{s.Column, rounded(s.Cell, digits), add})
	}
	if len(list) > most {
		rows = append(rows, []string{fmt.Sprintf("%d more", len(list)-most), "", fmt.Sprintf("%+.1f", 100*rest)})
	}
	return Table{header, append(rows, []string{"probability", "", fmt.Sprintf("%.1f", 100*x.Proba[x.Label])})}
}

func spread(values []float64) float64 { return slices.Max(values) - slices.Min(values) }

// CoefficientTable returns the coefficients of a model: a row for each feature, in descending order of the
// largest difference between classes, and a column for each class. It returns no rows for models without
// them.
func CoefficientTable(m *mpcvm.Model) Table {
	const most = 20
	t := Table{Header: append([]string{"feature", "scale"}, m.ClassNames()...)}
	a, names := m.Coefficients(), m.FeatureNames()
	if m.WeightCount() == 0 || a == nil {
		return t
	}
	_, scale := m.Scaling()
	order := fitting.All(len(names))
	of := func(d int) []float64 { return mat.Col(nil, d, a) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(spread(of(j)), spread(of(i))) })
	for _, d := range order[:min(len(order), most)] {
		row := []string{names[d], "1"}
		if scale != nil {
			row[1] = fmt.Sprintf("%.4g", scale[d])
		}
		for _, v := range of(d) {
			row = append(row, fmt.Sprintf("%+.4f", v))
		}
		t.Rows = append(t.Rows, row)
	}
	if left := len(order) - most; left > 0 {
		t.Rows = append(t.Rows, append([]string{fmt.Sprintf("%d more", left)}, make([]string, len(t.Header)-1)...))
	}
	return t
}

// CoefficientMeaning explains CoefficientTable.
const CoefficientMeaning = "The table shows the linear part of the model: how it changes the potential of " +
	"each class if a feature increases by its scale, which for a number is its standard deviation in the " +
	"training rows."

// sumTable returns a row for each of the twelve most influential relevance vectors, or columns of a linear
// model, and a column for each class; if the model has both, at least six rows for either of them. The sum
// of a column, with the bias and the rest, is the potential.
func sumTable(x *eval.Explained) Table {
	var rows [][]string
	const most = 12
	names, ids := x.Model.ClassNames(), map[int]string{}
	for _, n := range x.Near {
		ids[n.Index] = n.ID
	}
	header := append([]string{"training row", "class", "kernel"}, names...)
	columns, vectors := x.ByColumn(), len(x.Near) > 0
	switch {
	case columns != nil && vectors:
		header[0], header[2] = "column or training row", "cell or kernel"
	case columns != nil:
		header = slices.Replace(header, 0, 3, "column", "this row")
	}
	order := fitting.All(len(columns)) // in descending order of the largest difference between classes
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(spread(columns[b]), spread(columns[a]))
	})
	for _, i := range order {
		row := []string{x.Columns()[i], rounded(cmp.Or(x.Cells()[i], "–"), digits)}
		if vectors {
			row = slices.Insert(row, 1, "")
		}
		for _, v := range columns[i] {
			row = append(row, fmt.Sprintf("%+.4f", v))
		}
		rows = append(rows, row)
	}
	var others [][]string // columns that follow the relevance vectors
	if at := min(most/2, len(rows)); vectors {
		rows, others = rows[:at:at], rows[at:]
	}
	rowOf := map[int]int{} // row of the table, by training row
	for _, v := range x.ByInfluence() {
		if v.Label < 0 {
			continue
		}
		i, there := rowOf[v.Index]
		if !there {
			i = len(rows)
			rowOf[v.Index] = i
			name := strconv.Itoa(v.Index + 1)
			if id := ids[v.Index]; id != "" {
				name += " · " + id
			}
			row := []string{name, names[v.Label], fmt.Sprintf("%.4f", v.Kernel)}
			rows = append(rows, append(row, make([]string, len(names))...))
		}
		rows[i][3+v.Class] = fmt.Sprintf("%+.4f", v.Value)
	}
	rows = append(rows, others...)
	if left := len(rows) - most; left > 0 {
		rows = append(rows[:most], append([]string{fmt.Sprintf("%d more", left)}, make([]string, len(header)-1)...))
	}
	line := func(name, format string, values []float64) {
		row := append([]string{name}, make([]string, len(header)-len(names)-1)...)
		for _, v := range values {
			row = append(row, fmt.Sprintf(format, v))
		}
		rows = append(rows, row)
	}
	line("bias", "%+.4f", x.Bias)
	line("potential", "%+.4f", x.Potentials)
	line("probability", "%.4f", x.Proba)
	return Table{header, rows}
}

func sumMeaning(x *eval.Explained) string {
	text := "A positive number is evidence for the class of its column, a negative number evidence against " +
		"it. The sum of a column is the potential."
	if share := floats.Sum(x.Model.Model().Floor()); share >= 0.01 {
		text += fmt.Sprintf(" The probabilities are a mixture: %.0f %% come from the class frequencies in the "+
			"training data, the rest from the potentials.", 100*share)
	}
	return text
}

// neighbourTable returns the cells of the row and of the relevance vectors most similar to it.
func neighbourTable(x *eval.Explained) Table {
	var rows [][]string
	const most = 4
	header := []string{"column", "this row"}
	cells := [][]string{x.Cells()}
	for _, n := range x.Near[:min(len(x.Near), most)] {
		header = append(header, fmt.Sprintf("%s (%s)", n.Name(), x.Model.ClassNames()[n.Label]))
		cells = append(cells, x.Model.Cells(n.Raw))
	}
	for i, name := range x.Columns() {
		row := []string{name}
		for _, of := range cells {
			if of[i] == "" {
				row = append(row, "–")
			} else {
				row = append(row, rounded(of[i], digits))
			}
		}
		rows = append(rows, row)
	}
	return Table{header, rows}
}

// Explanation returns what mpcvm explain prints: the prediction for a row and the tables that explain it.
func Explanation(x *eval.Explained) (d Document) {
	names := len(x.Model.ClassNames())
	d.text(terminal, Decision(x))
	d.text(page, "This is "+Decision(x)+".")
	if shares := shareTable(x); shares.Rows != nil {
		d.text(all, shareMeaning)
		d.named(all, 1, shares)
	}
	sums, linear := sumTable(x), x.ByColumn() != nil && len(x.Near) == 0
	if linear {
		d.text(terminal, columnMeaning)
	}
	d.named(terminal, names, sums)
	d.text(terminal, sumMeaning(x))
	d.charts(page, nbhelpers.Explanation(x.Model.Model(), x.X))
	if linear {
		d.heading(page, "Contributions of the columns")
	} else {
		d.heading(page, "Comparison with training rows")
		d.text(all, neighbourMeaning)
		near := neighbourTable(x)
		d.named(all, len(near.Header)-2, near)
		d.heading(page, "Contributions of the training rows")
	}
	d.text(page, sumMeaning(x))
	d.table(page, sums)
	return d
}
