package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Dealing determines how the rows of a table are split into the folds of a cross-validation. The zero value
// assigns each row independently.
type Dealing struct {
	// Groups contains the group of each row, or is nil. All rows of a group are in the same fold.
	Groups []int
	// Times contains the time of each row, or is nil. A model is trained on earlier rows and tested on later
	// ones.
	Times []float64
	// By is by what the rows are split, such as a column. It is zero if Groups and Times are nil.
	By Finding
	// Copies describes nearly equal rows, which are in the same group; see recipe.Samples. It is zero if there
	// are none.
	Copies Finding
}

// Dealing returns how the given rows (from 0) are split into folds: by the column Time if it is set, else by
// the column Group if it is set, else by the columns of kind ID that contain repeated values. A group
// consists of the rows with the same value in the column, or with the same values in all columns of kind ID.
// A row without a value is a group of its own. The error names an unknown column or a row without a time.
func (t *Table) Dealing(rows []int) (Dealing, error) {
	if t.Time != "" {
		return t.byTime(rows)
	}
	if t.Group != "" {
		j := t.Find(t.Group)
		if j < 0 {
			return Dealing{}, t.lacks("Group", t.Group)
		}
		groups, distinct := t.groups([]int{j}, rows)
		return Dealing{Groups: groups, By: Finding{Code: splitByGroup, Column: t.Group, N: distinct,
			Of: len(rows)}}, nil
	}
	var repeating []int
	var names []string
	for j := range t.Columns {
		c := &t.Columns[j]
		if c.Kind != ID {
			continue
		}
		if p := c.Profile(rows); p.Distinct < p.Present() {
			repeating, names = append(repeating, j), append(names, c.Name)
		}
	}
	if repeating == nil {
		return Dealing{}, nil
	}
	groups, distinct := t.groups(repeating, rows)
	return Dealing{Groups: groups, By: Finding{Code: splitByID, Columns: names, N: distinct, Of: len(rows)}}, nil
}

// lacks returns the error for a field of Table that names a column that does not exist.
func (t *Table) lacks(field, name string) error {
	return t.Fault(0, 0, "", Finding{Code: NoSuchColumn, Option: field, Value: name, Columns: t.Names()})
}

func (t *Table) byTime(rows []int) (Dealing, error) {
	j := t.Find(t.Time)
	if j < 0 {
		return Dealing{}, t.lacks("Time", t.Time)
	}
	c := &t.Columns[j]
	if c.Kind != Number && c.Kind != Date {
		return Dealing{}, t.Fault(0, j+1, "", Finding{Code: timeOfKind, Column: c.Name,
			Texts: append(slices.Clone(c.Levels), "")[:1]})
	}
	d := Dealing{Times: make([]float64, len(rows)), By: Finding{Code: splitByTime, Column: t.Time}}
	for i, row := range rows {
		v := c.Numbers[row]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Dealing{}, t.Fault(row+1, j+1, c.Source(row), Finding{Code: noTime})
		}
		d.Times[i] = v
	}
	return d, nil
}

// Weights returns the weights of the given rows (from 0), or nil if neither Weight nor ClassWeights is set. A
// weight is the value of the column Weight multiplied by the weight of the class. label has the class of each
// row of the table as an index into classes, or −1; the weight of a row without a class is 1. If a weight is
// missing, negative or infinite, the error names the row.
func (t *Table) Weights(rows []int, label []int, classes []string) ([]float64, error) {
	if t.Weight == "" && len(t.ClassWeights) == 0 {
		return nil, nil
	}
	weights := make([]float64, len(rows))
	for i, row := range rows {
		weights[i] = 1
		if label[row] < 0 {
			continue
		}
		if w, set := t.ClassWeights[classes[label[row]]]; set {
			weights[i] = w
		}
	}
	if t.Weight == "" {
		return weights, nil
	}
	j := t.Find(t.Weight)
	if j < 0 {
		return nil, t.lacks("Weight", t.Weight)
	}
	c := &t.Columns[j]
	if c.Kind != Number && c.Kind != Boolean {
		return nil, t.Fault(0, j+1, "", Finding{Code: weightOfKind, Texts: []string{c.Kind.String()}})
	}
	for i, row := range rows {
		v := c.Numbers[row]
		if label[row] < 0 {
			continue
		}
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, t.Fault(row+1, j+1, c.Source(row), Finding{Code: noWeight})
		}
		weights[i] *= v
	}
	return weights, nil
}

// groups numbers the distinct combinations of cells. A row without any value is a group of its own.
func (t *Table) groups(columns, rows []int) (groups []int, distinct int) {
	number := map[string]int{}
	groups = make([]int, len(rows))
	alone := 0
	for k, i := range rows {
		var key strings.Builder
		empty := true
		for _, j := range columns {
			text := t.Columns[j].Text(i)
			empty = empty && text == ""
			fmt.Fprintf(&key, "%d %s", len(text), text)
		}
		if empty {
			alone++
			groups[k] = -alone
			continue
		}
		g, met := number[key.String()]
		if !met {
			g = len(number)
			number[key.String()] = g
		}
		groups[k] = g
	}
	return groups, len(number)
}
