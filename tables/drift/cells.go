package drift

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Cells counts the cells of a column that differ from the training rows. Rows that cannot be used are
// ignored.
type Cells struct {
	Missing int64 `json:"missing,omitempty"`
	// Beyond counts the numbers and dates outside the range of the training rows. Low and High are the
	// minimum and the maximum of these.
	Beyond int64   `json:"beyond,omitempty"`
	Low    float64 `json:"low,omitempty"`
	High   float64 `json:"high,omitempty"`
	// Unknown counts the cells with a level that does not occur in the training rows. Levels contains the number
	// of cells for each of the first 100 such levels.
	Unknown int64            `json:"unknown,omitempty"`
	Levels  map[string]int64 `json:"levels,omitempty"`
}

const mostUnknown = 100 // maximum length of Cells.Levels

// Add adds the counts of other rows.
func (u *Cells) Add(other Cells) {
	u.Missing += other.Missing
	if other.Beyond > 0 {
		u.beyond(other.Beyond, other.Low, other.High)
	}
	u.Unknown += other.Unknown
	for _, level := range slices.Sorted(maps.Keys(other.Levels)) {
		u.level(level, other.Levels[level])
	}
}

func (u *Cells) beyond(n int64, low, high float64) {
	if u.Beyond == 0 {
		u.Low, u.High = low, high
	}
	u.Beyond, u.Low, u.High = u.Beyond+n, min(u.Low, low), max(u.High, high)
}

// level counts n cells of a level.
func (u *Cells) level(text string, n int64) {
	if _, met := u.Levels[text]; !met && len(u.Levels) >= mostUnknown {
		return
	}
	if u.Levels == nil {
		u.Levels = map[string]int64{}
	}
	u.Levels[text] += n
}

// Count counts, for each column of a recipe, the cells of a table that differ from the training rows. x and
// unusable are the results of recipe.Recipe.Encode for all rows of the table, and novel is the result of
// recipe.Recipe.Novelty. Count returns nil if no row can be used.
func Count(r *recipe.Recipe, t *table.Table, x *mat.Dense, unusable []error,
	novel []recipe.Novelty) (list []Cells) {
	for i, c := range columnsOf(r) {
		from := &t.Columns[t.Find(c.Name)]
		for row, n := range novel {
			if unusable != nil && unusable[row] != nil {
				continue
			}
			if list == nil {
				list = make([]Cells, len(r.Columns))
			}
			if from.Missing(row) {
				list[i].Missing++
			} else if level, is := n.NewLevels[c.Name]; is {
				list[i].Unknown++
				list[i].level(level, 1)
			} else if slices.Contains(n.Beyond, c.Name) {
				v := x.At(row, c.at)
				list[i].beyond(1, v, v)
			}
		}
	}
	return list
}

// Thresholds of Warnings.
const (
	mostBeyond  = 0.05 // share of numbers outside the range, if there are at least two
	farBeyond   = 1    // distance of a number from the range, in lengths of the range
	moreMissing = 0.1  // increase of the share of missing cells; it must also exceed three standard deviations
)

// Warnings returns findings about columns that differ from the training rows: unknown levels, many numbers or
// a distant number outside the range, and a much larger share of missing cells. all is the result of Count,
// and rows is the number of rows that can be used. The recipes of old model files do not support all
// warnings.
func Warnings(r *recipe.Recipe, all []Cells, rows int64) []table.Finding {
	var list []table.Finding
	columns := columnsOf(r)
	for i, u := range all {
		c := columns[i]
		if u.Unknown > 0 {
			levels := slices.SortedFunc(maps.Keys(u.Levels), func(a, b string) int {
				return cmp.Or(cmp.Compare(u.Levels[b], u.Levels[a]), strings.Compare(a, b))
			})
			list = append(list, table.Finding{Code: texts.UnknownLevels, Column: c.Name, N: int(u.Unknown),
				Texts: levels})
		}
		// Many numbers are beyond the range, or one is far from it.
		if u.Beyond > 1 && float64(u.Beyond) > mostBeyond*float64(rows) || u.Beyond > 0 &&
			max(c.Range[0]-u.Low, u.High-c.Range[1]) > farBeyond*(c.Range[1]-c.Range[0]) {
			list = append(list, table.Finding{Code: texts.BeyondRange, Column: c.Name, N: int(u.Beyond),
				Texts: []string{c.written(c.Range[0], 6), c.written(c.Range[1], 6), c.written(u.Low, 6),
					c.written(u.High, 6)}})
		}
		share := float64(u.Missing) / float64(rows)
		if u.Missing > 0 && (!c.Missing || c.Absent > 0) &&
			share-c.Absent > max(moreMissing, 3*math.Sqrt(c.Absent*(1-c.Absent)/float64(rows))) {
			list = append(list, table.Finding{Code: texts.MoreMissing, Column: c.Name, N: int(u.Missing),
				Of:    int(rows),
				Texts: []string{fmt.Sprintf("%.0f %%", 100*c.Absent)}})
		}
	}
	return list
}
