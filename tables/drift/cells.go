package drift

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/words"
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

// Watch compares rows with the training rows, cell by cell.
type Watch []watched

type watched struct {
	column
	rare map[string]bool // levels of the training rows without a feature; nil if unknown
}

// NewWatch returns a Watch for the training rows that a recipe was fitted to.
func NewWatch(r *recipe.Recipe) Watch {
	w := make(Watch, len(r.Columns))
	for i, c := range columnsOf(r) {
		w[i].column = c
		if c.Others != nil {
			w[i].rare = map[string]bool{}
			for _, level := range c.Others {
				w[i].rare[plain(level)] = true
			}
		}
	}
	return w
}

// plain returns the shortest form of a level that is a number, such as 1.0.
func plain(level string) string {
	level = strings.TrimSpace(level)
	if v, err := strconv.ParseFloat(level, 64); err == nil {
		return strconv.FormatFloat(v+0, 'g', -1, 64) // +0 turns −0 into 0
	}
	return level
}

// Count counts, for each column of the recipe, the cells of a table that differ from the training rows. x and
// unusable are the results of recipe.Recipe.Encode for all rows of the table. Count returns nil if no row can
// be used.
func (w Watch) Count(t *table.Table, x *mat.Dense, unusable []error) (list []Cells) {
	for i, c := range w {
		from := &t.Columns[t.Find(c.Name)]
		for row := range t.Rows {
			if unusable != nil && unusable[row] != nil {
				continue
			}
			if list == nil {
				list = make([]Cells, len(w))
			}
			own := x.RawRowView(row)[c.at : c.at+c.width]
			switch {
			case from.Missing(row):
				list[i].Missing++
			case c.rare != nil && own[len(c.Levels)] == 1:
				if level := from.Text(row); !c.rare[plain(level)] {
					list[i].Unknown++
					list[i].level(cell.Shorten(strings.ToValidUTF8(strings.TrimSpace(level), "�")), 1)
				}
			case c.Range != nil && (own[0] < c.Range[0] || own[0] > c.Range[1]):
				list[i].beyond(1, own[0], own[0])
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

// Warnings returns warnings about columns that differ from the training rows: unknown levels, many numbers or
// a distant number outside the range, and a much larger share of missing cells. all is the result of Count,
// and rows is the number of rows that can be used. The recipes of old model files do not support all
// warnings.
func (w Watch) Warnings(all []Cells, rows int64) []string {
	var list []string
	for i, u := range all {
		c := w[i]
		warn := func(format string, args ...any) {
			list = append(list, "column "+cell.Shorten(c.Name)+": "+fmt.Sprintf(format, args...))
		}
		if u.Unknown > 0 {
			warn("%s a level that does not occur in the training rows (%s)", cells(u.Unknown, "has", "have"), u.levels())
		}
		if u.Beyond > 0 {
			least, greatest := c.Range[0], c.Range[1]
			far := farBeyond * (greatest - least)
			if u.Beyond > 1 && float64(u.Beyond) > mostBeyond*float64(rows) || least-u.Low > far ||
				u.High-greatest > far {
				text := c.written(u.Low, 6)
				if u.Low < u.High {
					text = "from " + text + " to " + c.written(u.High, 6)
				}
				warn("%s beyond the range of the training rows, %s to %s (%s)", cells(u.Beyond, "is", "are"),
					c.written(least, 6), c.written(greatest, 6), text)
			}
		}
		share := float64(u.Missing) / float64(rows)
		if u.Missing > 0 && (!c.Missing || c.Absent > 0) &&
			share-c.Absent > max(moreMissing, 3*math.Sqrt(c.Absent*(1-c.Absent)/float64(rows))) {
			warn("%.0f %% of the cells are missing, compared with %.0f %% in the training rows", 100*share,
				100*c.Absent)
		}
	}
	return list
}

// levels lists the most frequent unknown levels.
func (u *Cells) levels() string {
	return words.List(slices.SortedFunc(maps.Keys(u.Levels), func(a, b string) int {
		return cmp.Or(cmp.Compare(u.Levels[b], u.Levels[a]), strings.Compare(a, b))
	}), 5)
}

func cells(n int64, one, more string) string {
	if n == 1 {
		more = one
	}
	return words.Plural(n, "cell") + " " + more
}
