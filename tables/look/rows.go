package look

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/tables/table"
)

// repeated counts duplicates and conflicts, using a 64-bit hash of each row.
func (f *Findings) repeated(t *table.Table, rows []int32) {
	type hashed struct {
		hash  uint64
		row   int32
		label int32
	}
	all := make([]hashed, count(rows, t.Rows))
	for k := range all {
		all[k] = hashed{row: int32(row(rows, k)), label: -1}
	}
	features := 0
	for j := range t.Columns {
		if !f.IsFeature(j) || f.Columns[j].Distinct == 0 {
			continue
		}
		features++
		c := &t.Columns[j]
		for k := range all {
			h := &all[k]
			var v uint64
			if c.Kind.Numeric() {
				switch x := c.Numbers[h.row]; {
				case math.IsNaN(x):
					v = 1 // the bits of a number that hardly occurs
				default:
					v = math.Float64bits(x + 0) // +0 turns −0 into 0
				}
			} else {
				v = uint64(uint32(c.Codes[h.row]))
			}
			h.hash = mixed(h.hash ^ v)
		}
	}
	if features == 0 {
		return
	}
	if f.labels != nil {
		for k := range all {
			all[k].label = f.labels[all[k].row]
		}
	}
	slices.SortFunc(all, func(a, b hashed) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.label, b.label), cmp.Compare(a.row, b.row))
	})
	for first := 0; first < len(all); {
		end, classes, of := first+1, 1, first // of is the first row of the class
		for ; end < len(all) && all[end].hash == all[first].hash; end++ {
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
		if classes > 1 {
			for _, h := range all[first:end] {
				if h.label >= 0 {
					f.Conflicts++
				}
			}
		}
		first = end
	}
}

// mixed mixes the bits of a hash (the finalizer of MurmurHash3).
func mixed(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// earlier returns the pair of rows that comes first in the table. If none is set, pair is ignored.
func earlier(pair [2]int, a, b int32, none bool) [2]int {
	other := [2]int{int(min(a, b)), int(max(a, b))}
	if none || slices.Compare(other[:], pair[:]) < 0 {
		return other
	}
	return pair
}

// correlate computes the correlations of the numeric columns, except the target.
func (f *Findings) correlate(ctx context.Context, t *table.Table) error {
	rows := Draw(t.Rows, pairedRows)
	r := &f.Correlations
	r.Rows = count(rows, t.Rows)
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
			v[k] = c.Numbers[row(rows, k)]
			complete = complete && !math.IsNaN(v[k]) && !math.IsInf(v[k], 0)
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

// constant reports whether all values are the same.
func constant(v []float64) bool { return len(v) == 0 || floats.Min(v) == floats.Max(v) }

// correlation returns Pearson's r of the pairs in which both values are finite. It is NaN if one of the
// columns is constant or there are too few pairs.
func correlation(a, b []float64) float64 {
	var x, y []float64
	for k := range a {
		if s := a[k] + b[k]; !math.IsNaN(s) && !math.IsInf(s, 0) {
			x, y = append(x, a[k]), append(y, b[k])
		}
	}
	if len(x) < leastPaired || constant(x) || constant(y) {
		return math.NaN()
	}
	return min(max(stat.Correlation(x, y, nil), -1), 1)
}
