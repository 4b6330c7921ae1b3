package look

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// repeated counts duplicates and conflicts: rows whose features are equal.
func (f *Findings) repeated(ctx context.Context, t *table.Table, rows []int) error {
	lenient := *t // a fault counts as a missing cell
	lenient.Columns = slices.Clone(t.Columns)
	r := &recipe.Recipe{}
	for j := range f.Columns {
		lenient.Columns[j].Faults = nil
		if c := f.Columns[j].feature; c != nil && j != f.TargetColumn {
			r.Columns = append(r.Columns, *c)
		}
	}
	if f.Features = r.Width(); f.Features == 0 || t.Rows == 0 {
		return nil
	}
	keys, err := r.Keys(ctx, &lenient, rows)
	if err != nil {
		return err
	}
	type keyed struct {
		key        uint64
		label, row int
	}
	all := make([]keyed, 0, len(rows))
	for k, key := range keys {
		if key != 0 {
			all = append(all, keyed{key, f.by.labels[rows[k]], rows[k]})
		}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), a.label-b.label, a.row-b.row)
	})
	for first := 0; first < len(all); {
		end, classes, of := first+1, 1, first // of is the first row of the class
		for ; end < len(all) && all[end].key == all[first].key; end++ {
			if all[end].label == all[end-1].label {
				f.duplicate = earlier(f.duplicate, all[of].row, all[end].row, f.Duplicates == 0)
				f.Duplicates++
				continue
			}
			if all[end-1].label >= 0 {
				f.conflict = earlier(f.conflict, all[of].row, all[end].row, f.Conflicts == 0)
				classes++
			}
			of = end
		}
		for _, one := range all[first:end] {
			if classes > 1 && one.label >= 0 {
				f.Conflicts++
			}
		}
		first = end
	}
	return nil
}

// earlier returns the pair of rows that comes first in the table. If none is set, pair is ignored.
func earlier(pair [2]int, a, b int, none bool) [2]int {
	other := [2]int{min(a, b), max(a, b)}
	if none || slices.Compare(other[:], pair[:]) < 0 {
		return other
	}
	return pair
}

func (f *Findings) correlate(ctx context.Context, t *table.Table) error {
	rows := Draw(t.Rows, pairedRows)
	r := &f.Correlations
	r.Rows = len(rows)
	var values [][]float64 // of each column, standardised if no value is missing
	var whole []bool
	for j := range t.Columns {
		c := &t.Columns[j]
		if j == f.TargetColumn || c.Aside || !c.Kind.Numeric() || f.Columns[j].Distinct == 0 ||
			len(r.Columns) == mostPaired {
			continue
		}
		v := make([]float64, r.Rows)
		complete := true
		for k := range v {
			v[k] = c.Numbers[rows[k]]
			complete = complete && fitting.IsFinite(v[k])
		}
		if complete {
			floats.AddConst(-stat.Mean(v, nil), v)
			if norm := floats.Norm(v, 2); constant(v) {
				complete = false // correlation returns NaN
			} else {
				floats.Scale(1/norm, v)
			}
		}
		r.Columns, values, whole = append(r.Columns, j), append(values, v), append(whole, complete)
	}
	r.R = make([][]float64, len(values))
	for i := range values {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.R[i] = make([]float64, len(values))
		r.R[i][i] = 1
		for j := range i {
			v := 0.0
			if whole[i] && whole[j] {
				v = min(max(floats.Dot(values[i], values[j]), -1), 1)
			} else {
				v = correlation(values[i], values[j])
			}
			r.R[i][j], r.R[j][i] = v, v
		}
	}
	return nil
}

func constant(v []float64) bool { return len(v) == 0 || floats.Min(v) == floats.Max(v) }

// correlation returns Pearson's r of the finite pairs, NaN if a column is constant or there are too few.
func correlation(a, b []float64) float64 {
	var x, y []float64
	for k := range a {
		if s := a[k] + b[k]; fitting.IsFinite(s) {
			x, y = append(x, a[k]), append(y, b[k])
		}
	}
	if len(x) < leastPaired || constant(x) || constant(y) {
		return math.NaN()
	}
	return min(max(stat.Correlation(x, y, nil), -1), 1)
}
