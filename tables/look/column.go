package look

import (
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Column contains the findings about a column.
type Column struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Missing is the number of missing cells, and Faults the number of cells that are not of the kind.
	Missing int `json:"missing"`
	Faults  int `json:"faults"`
	// Distinct is the number of distinct values. If AtLeast is set, only a sample was counted.
	Distinct int  `json:"distinct"`
	AtLeast  bool `json:"distinct_at_least,omitempty"`
	// Range is the range of the numbers or dates, or nil if there are none.
	Range *Range `json:"range,omitempty"`
	// Top lists the most frequent levels of a category or a boolean.
	Top []Level `json:"top,omitempty"`
	// Information is an estimate of the mutual information with the class in nats, corrected for bias. Numbers
	// are divided into 10 bins of equal frequency, only the 50 most frequent levels are distinguished, and
	// missing cells count as a value. Without classes, it is 0.
	Information float64 `json:"information"`
	// Histogram is the distribution of the values of a feature.
	Histogram Histogram `json:"-"`

	feature   *recipe.Column // as a feature, or nil
	aside     bool           // table.Column.Aside
	whole     bool           // all numbers are integers
	sentinels []Level        // numbers or dates that may stand for missing values
	outlier   float64        // a number far from all others, or 0
	values    predictor      // how well the values predict the class
	fills     filling        // how well the presence of a value predicts the class
}

// Range contains the minimum, the quartiles and the maximum; see table.Profile.Quantile.
type Range struct {
	Min    float64 `json:"min"`
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	Max    float64 `json:"max"`
}

// Level is a value with its number of rows.
type Level struct {
	Text string `json:"value"`
	Rows int    `json:"rows"`
}

// Histogram counts the rows in bins. There is a histogram for each class, or a single one without classes or
// with more than 100.
type Histogram struct {
	// Low and High are the ends of the range of numbers, which is divided into bins of equal width. Values
	// farther from the quartiles than three times the interquartile range may be outside; they are counted in
	// the first or last bin, and Cut is set.
	Low, High float64
	Cut       bool
	// Levels contains the names of the bins of a category; it is nil for numbers. Rest reports whether the last
	// bin contains all other levels.
	Levels []string
	Rest   bool
	Counts [][]int // by class and bin
}

// Total returns the counts of all classes together.
func (h *Histogram) Total() []int {
	if len(h.Counts) == 0 {
		return nil
	}
	return sums(h.Counts)
}

func look(c *table.Column, rows []int, t tally) Column {
	p := c.Profile(rows)
	s := Column{Name: c.Name, Kind: c.Kind.String(), Faults: len(c.Faults),
		Distinct: p.Distinct, AtLeast: len(rows) < c.Len(), aside: c.Aside, whole: p.Whole}
	for i := range c.Len() { // all rows, even if the others are a sample
		if c.Missing(i) {
			s.Missing++
		}
	}
	s.Missing = max(s.Missing-s.Faults, 0)
	if feature, ok := recipe.FitColumn(c, p); ok {
		s.feature = &feature
	}
	switch {
	case p.Distinct == 0 || c.Kind == table.ID || c.Kind == table.Text:
	case p.Numbers != nil:
		s.numbers(c, p, rows, t)
	default:
		s.levels(c, p, rows, t)
	}
	return s
}

// tally compares a column with the classes, of which there may be none.
type tally struct {
	labels  []int // of each row, or −1
	classes int
}

func (t tally) split() int {
	if t.classes == 0 || t.classes > mostSplit {
		return 1
	}
	return t.classes
}

// histogram returns the index of the histogram that counts a row, or −1.
func (t tally) histogram(i int) int {
	if t.split() == 1 {
		return 0
	}
	return t.labels[i]
}

func grid(rows, columns int) [][]int {
	g := make([][]int, rows)
	for i := range g {
		g[i] = make([]int, columns)
	}
	return g
}

func (s *Column) numbers(c *table.Column, p *table.Profile, rows []int, t tally) {
	r := &Range{p.Quantile(0), p.Quantile(.25), p.Quantile(.5), p.Quantile(.75), p.Quantile(1)}
	for _, v := range c.Numbers { // all rows
		if fitting.IsFinite(v) {
			r.Min, r.Max = min(r.Min, v), max(r.Max, v)
		}
	}
	s.Range = r
	s.sentinels = sentinels(p.Numbers, c.Kind == table.Date)
	if c.Kind == table.Number {
		s.outlier = outlier(p.Numbers)
	}
	var edges []float64 // between the bins used for the information
	for k := 1; k < 10; k++ {
		edges = append(edges, p.Quantile(float64(k)/10))
	}
	edges = slices.Compact(edges)
	h := &s.Histogram
	drawn := h.span(r, p.Whole)
	width := h.High - h.Low
	shared := s.compare(rows, t, drawn, len(edges)+1, func(i int) (bin, group int) {
		v := c.Numbers[i]
		if !fitting.IsFinite(v) {
			return -1, 0
		}
		for group < len(edges) && v > edges[group] {
			group++
		}
		return int(min(max((v-h.Low)/width*float64(drawn), 0), float64(drawn-1))), group
	})
	if t.classes > 1 {
		s.values = predictByNumbers(c, rows, t, shared)
	}
}

// compare counts the rows in the bins of the histogram, and the rows of each class in groups of values, from
// which it computes the information. of returns the bin and the group of a row, or −1.
func (s *Column) compare(rows []int, t tally, bins, groups int, of func(i int) (bin, group int)) [][]int {
	s.Histogram.Counts = grid(t.split(), bins)
	shared := grid(groups+1, t.classes) // the last group has no value
	for _, i := range rows {
		bin, group := of(i)
		if bin < 0 {
			group = groups
		} else if p := t.histogram(i); p >= 0 {
			s.Histogram.Counts[p][bin]++
		}
		if label := t.labels[i]; label >= 0 {
			shared[group][label]++
		}
	}
	s.Information = information(shared)
	if t.classes > 1 {
		s.fills = fills(sums(shared[:groups]), shared[groups])
	}
	return shared[:groups]
}

// span sets the ends of a histogram and returns the number of its bins.
func (h *Histogram) span(r *Range, whole bool) int {
	reach := 3 * (r.Q3 - r.Q1)
	h.Low, h.High = r.Min, r.Max
	if reach > 0 {
		h.Low, h.High = max(r.Min, r.Q1-reach), min(r.Max, r.Q3+reach)
	}
	if whole {
		h.Low, h.High = math.Ceil(h.Low), math.Floor(h.High)
	}
	h.Low, h.High = max(h.Low, -1e300), min(h.High, 1e300)
	h.Cut = h.Low > r.Min || h.High < r.Max
	if whole && h.High-h.Low < bins { // one bin per integer
		h.Low, h.High = h.Low-.5, h.High+.5
		return int(h.High - h.Low)
	}
	if h.High-h.Low < 1e-300 {
		margin := max(math.Abs(h.Low)*1e-6, 1e-300)
		h.Low, h.High = h.Low-margin, h.High+margin
		return 1
	}
	return bins
}

func (s *Column) levels(c *table.Column, p *table.Profile, rows []int, t tally) {
	h := &s.Histogram
	order, rank := p.Frequent(), make([]int, len(c.Levels)) // rank is the index of a level in order
	for k, v := range order {
		if rank[v] = k; k < drawnLevels {
			s.Top = append(s.Top, Level{c.Levels[v], p.Counts[v]})
			h.Levels = append(h.Levels, c.Levels[v])
		}
	}
	if h.Rest = len(order) > drawnLevels; h.Rest {
		h.Levels = append(h.Levels, "others")
	}
	var counts [][]int // of the classes of each level
	if len(c.Levels)*t.classes <= mostCells {
		counts = grid(len(c.Levels), t.classes)
	}
	s.compare(rows, t, len(h.Levels), min(len(order), mostLevels)+1, func(i int) (bin, group int) {
		if c.Missing(i) {
			return -1, 0
		}
		v := 0
		if c.Kind == table.Boolean {
			v = int(c.Numbers[i])
		} else {
			v = int(c.Codes[i])
		}
		if label := t.labels[i]; label >= 0 && counts != nil {
			counts[v][label]++
		}
		return min(rank[v], len(h.Levels)-1), min(rank[v], mostLevels)
	})
	if t.classes > 1 && counts != nil {
		s.values = predictByLevels(counts)
	}
}

// information returns the mutual information in nats, with the bias correction of Miller and Madow.
func information(counts [][]int) float64 {
	if len(counts[0]) == 0 {
		return 0
	}
	var lines []int
	for _, line := range counts {
		lines = append(lines, total(line))
	}
	classes, n := sums(counts), float64(total(lines))
	mutual := 0.0
	for i, line := range counts {
		for k, m := range line {
			if m > 0 {
				mutual += float64(m) * math.Log(float64(m)*n/(float64(lines[i])*float64(classes[k])))
			}
		}
	}
	return max(0, (mutual-float64((used(lines)-1)*(used(classes)-1))/2)/max(n, 1))
}

// sentinels finds numbers or dates that may stand for missing values: up to two at each end.
func sentinels(sorted []float64, dates bool) (found []Level) {
	text := exactly
	if dates {
		text = table.FormatDate
	}
	for _, sign := range []float64{1, -1} {
		if sign < 0 { // the largest values with their signs changed
			sorted = slices.Clone(sorted)
			slices.Reverse(sorted)
			floats.Scale(sign, sorted)
		}
		for range 2 {
			rows := 1
			for rows < len(sorted) && sorted[rows] == sorted[0] {
				rows++
			}
			if len(sorted) < 4 || rows == len(sorted) ||
				!isSentinel(sorted, rows, sign) && !(dates && isSentinelDate(sorted, rows, sign)) {
				break
			}
			found, sorted = append(found, Level{text(sign * sorted[0]), rows}), sorted[rows:]
		}
	}
	return found
}

// isSentinel reports whether the first number, which has the given number of rows, is a sentinel: it occurs
// at least twice, there are at least two other values, and it is one of
//   - a number of nines (−9, 99, −999) whose distance from the next value is at least three times the largest
//     step between the following ten values,
//   - −99, −999, … if no other number is negative,
//   - any number with at least three rows whose distance from the next value is at least three times the
//     range of the other values, if there are at least five of them.
func isSentinel(sorted []float64, rows int, sign float64) bool {
	first, next, last := sorted[0], sorted[rows], sorted[len(sorted)-1]
	largest, values := 0.0, 1
	for i := rows + 1; i < len(sorted) && values <= 10; i++ {
		if step := sorted[i] - sorted[i-1]; step > 0 {
			largest = max(largest, step)
			values++
		}
	}
	return rows >= 2 && values >= 2 && (nines(first) && next-first >= 3*largest ||
		nines(first) && sign > 0 && first <= -99 && next >= 0 ||
		rows >= 3 && values >= 5 && next-first >= 3*(last-next))
}

// isSentinelDate is like isSentinel, for dates that are often used for missing or unlimited dates:
//   - the last date if it is in 2099 or later and far from the others,
//   - the first date if it is in the year 1 or before, or 1601-01-01 or 1753-01-01,
//   - 1900-01-01 or day 0 of Excel, if the next date is more than a year later,
//   - 1970-01-01, if its distance from the next date exceeds the range of the other dates.
func isSentinelDate(sorted []float64, rows int, sign float64) bool {
	at := func(i int) time.Time { return time.Unix(int64(sign*sorted[i]), 0).UTC() }
	year, day, distance := at(0).Year(), at(0).Format(time.DateOnly), sorted[rows]-sorted[0]
	if sign < 0 {
		return year >= 2099 && (at(rows).Year() < 2090 || year >= 9000)
	}
	return year <= 1 || day == "1753-01-01" || day == "1601-01-01" ||
		(day == "1900-01-01" || day == "1899-12-30" || day == "1899-12-31") && distance > 365*86400 ||
		day == "1970-01-01" && distance > sorted[len(sorted)-1]-sorted[rows]
}

// outlier finds a number whose distance from the others is more than a thousand times their range, so that
// the others are nearly equal after standardisation. It returns 0 if there is none.
func outlier(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n < leastRows:
	case sorted[n-1]/1e3-sorted[n-2]/1e3 > sorted[n-2]-sorted[0] && sorted[n-2] > sorted[0]:
		return sorted[n-1]
	case sorted[1]/1e3-sorted[0]/1e3 > sorted[n-1]-sorted[1] && sorted[n-1] > sorted[1]:
		return sorted[0]
	}
	return 0
}

// exactly formats a number with the smallest number of digits that is exact.
func exactly(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func nines(v float64) bool {
	for p := 10.0; p < 1e10; p *= 10 {
		if math.Abs(v) == p-1 {
			return true
		}
	}
	return false
}
