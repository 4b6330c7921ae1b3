package predict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Unlike counts the cells of a column that are unlike the training rows, in rows that can
// be used.
type Unlike struct {
	Missing int64 `json:"missing,omitempty"`
	// Beyond counts numbers and dates outside of the range of the training rows. Low and High are
	// the least and the greatest of them.
	Beyond int64   `json:"beyond,omitempty"`
	Low    float64 `json:"low,omitempty"`
	High   float64 `json:"high,omitempty"`
	// Unknown counts cells of levels that the training rows did not have. Levels has the first of
	// these levels, with their numbers of cells.
	Unknown int64            `json:"unknown,omitempty"`
	Levels  map[string]int64 `json:"levels,omitempty"`
}

const mostUnknown = 100 // levels that are counted one by one

func (u *Unlike) add(other Unlike) {
	u.Missing += other.Missing
	if other.Beyond > 0 {
		u.beyond(other.Beyond, other.Low, other.High)
	}
	u.Unknown += other.Unknown
	for _, level := range slices.Sorted(maps.Keys(other.Levels)) {
		u.level(level, other.Levels[level])
	}
}

func (u *Unlike) beyond(n int64, low, high float64) {
	if u.Beyond == 0 {
		u.Low, u.High = low, high
	}
	u.Beyond, u.Low, u.High = u.Beyond+n, min(u.Low, low), max(u.High, high)
}

// level counts n cells of a level.
func (u *Unlike) level(text string, n int64) {
	if _, met := u.Levels[text]; !met && len(u.Levels) >= mostUnknown {
		return
	}
	if u.Levels == nil {
		u.Levels = map[string]int64{}
	}
	u.Levels[text] += n
}

// watch compares rows with the training rows.
type watch []watched

// watched is a column of the recipe.
type watched struct {
	at        int // its first feature
	low, high float64
	other     int                  // the feature of levels without one; −1 if unknown levels cannot be told
	rare      map[string]bool      // levels of the training rows without a feature
	numbers   map[float64]struct{} // those that are numbers
}

func newWatch(r *recipe.Recipe) watch {
	w := make(watch, len(r.Columns))
	at := 0
	sources := r.Sources()
	for i := range r.Columns {
		c := &r.Columns[i]
		w[i] = watched{at: at, low: math.Inf(-1), high: math.Inf(1), other: -1}
		if len(c.Range) == 2 {
			w[i].low, w[i].high = c.Range[0], c.Range[1]
		}
		if c.Others != nil {
			w[i].other, w[i].rare, w[i].numbers = at+len(c.Levels), map[string]bool{}, map[float64]struct{}{}
			for _, level := range c.Others {
				w[i].rare[level] = true
				if v, err := strconv.ParseFloat(level, 64); err == nil {
					w[i].numbers[v] = struct{}{}
				}
			}
		}
		for at < len(sources) && sources[at] == i {
			at++
		}
	}
	return w
}

// see counts the cells of a table, whose rows the batch has encoded.
func (w watch) see(b *Batch, t *table.Table, r *recipe.Recipe) {
	usable := func(row int) bool { return b.Problems == nil || b.Problems[row] == nil }
	for i := range w {
		c, from := &w[i], &t.Columns[t.Find(r.Columns[i].Name)]
		for row := range t.Rows {
			if !usable(row) {
				continue
			}
			if b.Unlike == nil {
				b.Unlike = make([]Unlike, len(w))
			}
			x := b.X.RawRowView(row)
			v := x[c.at]
			switch {
			case from.Missing(row):
				b.Unlike[i].Missing++
			case c.other >= 0 && x[c.other] == 1:
				if level := from.Text(row); !c.known(level) {
					b.Unlike[i].Unknown++
					b.Unlike[i].level(cell.Shorten(strings.ToValidUTF8(strings.TrimSpace(level), "�")), 1)
				}
			case v < c.low || v > c.high:
				b.Unlike[i].beyond(1, v, v)
			}
		}
	}
}

// known reports whether a level without a feature is one of the training rows.
func (c *watched) known(level string) bool {
	level = strings.TrimSpace(level)
	if c.rare[level] {
		return true
	}
	v, err := strconv.ParseFloat(level, 64)
	_, is := c.numbers[v]
	return err == nil && is
}

// Shares and distances above which cells are told of as unlike the training rows.
const (
	mostBeyond  = 0.05 // of the rows, if two numbers are beyond the range
	farBeyond   = 1    // lengths of the range
	moreMissing = 0.1  // of the rows, beside three standard deviations of the share
)

// Warnings say how many rows are unlike all training rows, and which columns have cells unlike theirs:
// levels that these did not have, many numbers or a far one beyond their range, and a much greater
// share of missing cells. Old model files do not know all of it.
func (p *Predictor) Warnings(t Tally) []string {
	list := []string{}
	if t.Far > 0 {
		text := "%d of %d rows are"
		if t.Far == 1 {
			text = "%d of %d rows is"
		}
		list = append(list, fmt.Sprintf(text+" unlike all training rows (first: row %d); about 1 %% of rows "+
			"drawn as those are", t.Far, t.Rows-t.Unusable, t.FirstFar))
	}
	columns, rows := Recipe(p.table).Columns, float64(t.Rows-t.Unusable)
	for i, u := range t.Unlike {
		c := &columns[i]
		name := cell.Shorten(c.Name)
		if u.Unknown > 0 {
			list = append(list, fmt.Sprintf("column %s: %s a level that training did not have (%s)", name,
				cells(u.Unknown, "has", "have"), u.levels()))
		}
		if u.Beyond > 0 {
			far := farBeyond * (c.Range[1] - c.Range[0])
			if u.Beyond > 1 && float64(u.Beyond) > mostBeyond*rows || c.Range[0]-u.Low > far ||
				u.High-c.Range[1] > far {
				text := written(c, u.Low)
				if u.Low < u.High {
					text = "from " + text + " to " + written(c, u.High)
				}
				list = append(list, fmt.Sprintf("column %s: %s beyond the range of the training rows, %s to %s (%s)",
					name, cells(u.Beyond, "is", "are"),
					written(c, c.Range[0]), written(c, c.Range[1]), text))
			}
		}
		share := float64(u.Missing) / rows
		if u.Missing > 0 && (!c.Missing || c.Absent > 0) &&
			share-c.Absent > max(moreMissing, 3*math.Sqrt(c.Absent*(1-c.Absent)/rows)) {
			list = append(list, fmt.Sprintf("column %s: %.0f %% of the cells are missing, %.0f %% of those of the "+
				"training rows were", name, 100*share, 100*c.Absent))
		}
	}
	return list
}

// levels lists the most frequent unknown levels.
func (u *Unlike) levels() string {
	const most = 5
	names := slices.SortedFunc(maps.Keys(u.Levels), func(a, b string) int {
		return cmp.Or(cmp.Compare(u.Levels[b], u.Levels[a]), strings.Compare(a, b))
	})
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return strings.Join(names, ", ")
}

func cells(n int64, one, more string) string {
	if n == 1 {
		return "1 cell " + one
	}
	return fmt.Sprintf("%d cells %s", n, more)
}

// written is a number or date of a column as a text.
func written(c *recipe.Column, v float64) string {
	if c.Kind == table.Date.String() {
		return table.FormatDate(v)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
