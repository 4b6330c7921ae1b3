package eval

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

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
