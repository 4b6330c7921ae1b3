package look

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/tables/table"
)

// Column contains the findings about a column.
type Column struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Missing is the number of missing cells, and Faults the number of cells that are not of the kind.
	Missing int `json:"missing"`
	Faults  int `json:"faults"`
	// Distinct is the number of distinct values. If AtLeast is set, only a sample of the rows was counted,
	// so there may be more.
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

	features  int       // number of features in a recipe
	aside     bool      // table.Column.Aside
	whole     bool      // all numbers are integers
	sentinels []Level   // numbers or dates that may stand for missing values
	outlier   float64   // a number far from all others, or 0
	values    predictor // how well the values predict the class
	fills     filling   // how well the presence of a value predicts the class
}

// Range contains the minimum, the quartiles and the maximum, all of which are values of the column.
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
	var total []int
	for _, counts := range h.Counts {
		if total == nil {
			total = make([]int, len(counts))
		}
		for b, n := range counts {
			total[b] += n
		}
	}
	return total
}

// look analyses a column. labels may be nil. space is a buffer for numbers.
func look(c *table.Column, rows, labels []int32, classes int, space *[]float64) Column {
	s := Column{Name: c.Name, Kind: c.Kind.String(), Faults: len(c.Faults), AtLeast: rows != nil, aside: c.Aside}
	for i := range c.Len() {
		if c.Missing(i) {
			s.Missing++
		}
	}
	s.Missing = max(s.Missing-s.Faults, 0)
	t := newTally(labels, classes)
	switch {
	case c.Kind == table.Number || c.Kind == table.Date:
		s.numbers(c, rows, t, space)
	case c.Kind == table.Boolean:
		s.levels(c, rows, t, func(i int) int32 {
			if math.IsNaN(c.Numbers[i]) {
				return -1
			}
			return int32(c.Numbers[i])
		})
	default:
		s.levels(c, rows, t, func(i int) int32 { return c.Codes[i] })
	}
	switch {
	case s.aside:
		s.features = 0
	case s.features > 0 && s.Missing+s.Faults > 0:
		s.features++
	}
	return s
}

// tally compares a column with the classes.
type tally struct {
	labels  []int32
	classes int
}

func newTally(labels []int32, classes int) tally {
	if labels == nil {
		classes = 0
	}
	return tally{labels, classes}
}

// split returns the number of histograms of a column.
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
	return int(t.labels[i])
}

// label returns the class of a row, or −1.
func (t tally) label(i int) int {
	if t.classes == 0 {
		return -1
	}
	return int(t.labels[i])
}

func grid(rows, columns int) [][]int {
	all := make([]int, rows*columns)
	g := make([][]int, rows)
	for i := range g {
		g[i] = all[i*columns : (i+1)*columns]
	}
	return g
}

// numbers analyses a column of numbers or dates.
func (s *Column) numbers(c *table.Column, rows []int32, t tally, space *[]float64) {
	n := count(rows, c.Len())
	sorted := slices.Grow((*space)[:0], n)
	*space = sorted
	for k := range n {
		if v := c.Numbers[row(rows, k)]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			sorted = append(sorted, v)
		}
	}
	if len(sorted) == 0 {
		return
	}
	slices.Sort(sorted)
	s.features, s.whole = 1, true
	for k, v := range sorted {
		if k == 0 || v != sorted[k-1] {
			s.Distinct++
			s.whole = s.whole && v == math.Trunc(v) && math.Abs(v) < 1<<53
		}
	}
	at := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, sorted, nil) }
	r := Range{sorted[0], at(.25), at(.5), at(.75), sorted[len(sorted)-1]}
	for _, v := range c.Numbers { // all rows, not only the sample
		if !math.IsInf(v, 0) {
			if v < r.Min {
				r.Min = v
			}
			if v > r.Max {
				r.Max = v
			}
		}
	}
	s.Range = &r
	switch {
	case c.Kind == table.Number:
		s.sentinels = sentinels(sorted)
		s.outliers(sorted)
	default:
		s.sentinels = sentinelDates(sorted)
	}
	var edges []float64
	for k := 1; k < 10; k++ {
		edges = append(edges, at(float64(k)/10))
	}
	s.compare(c, rows, t, slices.Compact(edges))
}

// compare computes the histogram of numbers, and compares them with the classes. edges separates the bins
// used for the information.
func (s *Column) compare(c *table.Column, rows []int32, t tally, edges []float64) {
	h := &s.Histogram
	b := h.span(s.Range, s.whole)
	h.Counts = grid(t.split(), b)
	width := h.High - h.Low
	shared := grid(len(edges)+2, t.classes)
	for k := range count(rows, c.Len()) {
		i := row(rows, k)
		v, label := c.Numbers[i], t.label(i)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if label >= 0 {
				shared[len(edges)+1][label]++
			}
			continue
		}
		if p := t.histogram(i); p >= 0 {
			h.Counts[p][int(min(max((v-h.Low)/width*float64(b), 0), float64(b-1)))]++
		}
		if label < 0 {
			continue
		}
		bin := 0
		for bin < len(edges) && v > edges[bin] {
			bin++
		}
		shared[bin][label]++
	}
	s.Information = information(shared)
	if t.classes > 1 {
		with, without := shared[:len(edges)+1], shared[len(edges)+1]
		s.values, s.fills = predictByNumbers(c, rows, t, with), fills(sums(with), without)
	}
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

// levels analyses a column of categories, booleans, ids or texts. code returns the code of a row.
func (s *Column) levels(c *table.Column, rows []int32, t tally, code func(i int) int32) {
	counts := make([]int32, len(c.Levels))
	for k := range count(rows, c.Len()) {
		if v := code(row(rows, k)); v >= 0 {
			counts[v]++
		}
	}
	for _, n := range counts {
		if n > 0 {
			s.Distinct++
		}
	}
	if s.Distinct == 0 || c.Kind == table.ID || c.Kind == table.Text {
		return
	}
	order := make([]int32, 0, s.Distinct)
	for v, n := range counts {
		if n > 0 {
			order = append(order, int32(v))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]),
			cmp.Compare(a, b))
	})
	s.features = 1
	for k, v := range order {
		if k < drawnLevels {
			s.Top = append(s.Top, Level{c.Levels[v], int(counts[v])})
			s.Histogram.Levels = append(s.Histogram.Levels, c.Levels[v])
		}
		if c.Kind == table.Category && k < mostLevels && counts[v] >= rareLevel && c.Levels[v] != "other" {
			s.features++
		}
	}
	if constant := s.features == 1 || len(order) == 1; c.Kind == table.Category && constant &&
		s.Missing+s.Faults == 0 {
		s.features = 0
	}
	s.compareLevels(c, rows, t, code, order, counts)
}

// compareLevels computes the histogram of levels in the given order, and compares them with the classes.
func (s *Column) compareLevels(c *table.Column, rows []int32, t tally, code func(i int) int32, order,
	counts []int32) {
	h := &s.Histogram
	drawn, distinguished := len(h.Levels), min(len(order), mostLevels)
	if h.Rest = len(order) > drawn; h.Rest {
		h.Levels = append(h.Levels, "others")
	}
	h.Counts = grid(t.split(), len(h.Levels))
	rank := make([]int32, len(counts)) // of each level in the order
	for k, v := range order {
		rank[v] = int32(k)
	}
	shared := grid(distinguished+2, t.classes) // the levels, others, missing
	var levels [][]int                         // counts of the classes of each level
	if len(counts)*t.classes <= mostCells {
		levels = grid(len(counts), t.classes)
	}
	for k := range count(rows, c.Len()) {
		i := row(rows, k)
		v, label := code(i), t.label(i)
		bin := distinguished + 1
		if v >= 0 {
			bin = min(int(rank[v]), distinguished)
			if p := t.histogram(i); p >= 0 {
				h.Counts[p][min(int(rank[v]), len(h.Levels)-1)]++
			}
		}
		if label >= 0 {
			shared[bin][label]++
			if v >= 0 && levels != nil {
				levels[v][label]++
			}
		}
	}
	s.Information = information(shared)
	if t.classes > 1 {
		if levels != nil {
			s.values = predictByLevels(levels)
		}
		s.fills = fills(sums(shared[:distinguished+1]), shared[distinguished+1])
	}
}

// information returns the mutual information in nats of the rows and columns of counts, with the bias
// correction of Miller and Madow. It is at least 0.
func information(counts [][]int) float64 {
	if len(counts) == 0 || len(counts[0]) == 0 {
		return 0
	}
	sums := make([]int, len(counts[0]))
	total, used, classes := 0, 0, 0
	for _, line := range counts {
		here := 0
		for k, n := range line {
			sums[k] += n
			here += n
		}
		if here > 0 {
			used++
		}
		total += here
	}
	for _, n := range sums {
		if n > 0 {
			classes++
		}
	}
	if total == 0 {
		return 0
	}
	mutual := 0.0
	for _, line := range counts {
		here := 0
		for _, n := range line {
			here += n
		}
		for k, n := range line {
			if n > 0 {
				mutual += float64(n) * math.Log(float64(n)*float64(total)/(float64(here)*float64(sums[k])))
			}
		}
	}
	return max(0, (mutual-float64((used-1)*(classes-1))/2)/float64(total))
}

// sentinels finds numbers that may stand for missing values: up to two at each end of the sorted numbers.
func sentinels(sorted []float64) []Level {
	var found []Level
	rest := sorted
	for range 2 { // from below
		k, ok := sentinel(rest, true)
		if !ok {
			break
		}
		found = append(found, Level{Text: exactly(rest[0]), Rows: k})
		rest = rest[k:]
	}
	for range 2 { // from above
		k, ok := sentinel(rest, false)
		if !ok {
			break
		}
		found = append(found, Level{Text: exactly(rest[len(rest)-1]), Rows: k})
		rest = rest[:len(rest)-k]
	}
	return found
}

// sentinel reports whether the smallest or the largest of the sorted numbers is a sentinel, and its number of
// rows. A sentinel occurs at least twice, there are at least two other values, and it is one of
//   - a number of nines (−9, 99, −999) whose distance from the next value is at least three times the largest
//     step between the following ten values,
//   - −99, −999, … if no other number is negative,
//   - any number with at least three rows whose distance from the next value is at least three times the
//     range of the other values, if there are at least five of them.
func sentinel(sorted []float64, least bool) (rows int, ok bool) {
	n := len(sorted)
	if n < 4 {
		return 0, false
	}
	at := func(i int) float64 { // in ascending order; for the largest, with signs changed
		if least {
			return sorted[i]
		}
		return -sorted[n-1-i]
	}
	first := at(0)
	for rows < n && at(rows) == first {
		rows++
	}
	if rows < 2 || rows == n {
		return 0, false
	}
	next := at(rows)
	distance, largest, values := next-first, 0.0, 1
	last := next
	for i := rows; i < n && values <= 10; i++ {
		if v := at(i); v != last {
			largest, last = max(largest, v-last), v
			values++
		}
	}
	if values < 2 {
		return 0, false
	}
	switch {
	case nines(first) && distance >= 3*largest,
		nines(first) && least && first <= -99 && next >= 0,
		rows >= 3 && values >= 5 && distance >= 3*(at(n-1)-next):
		return rows, true
	}
	return 0, false
}

// sentinelDates finds dates that may stand for missing or unlimited dates:
//   - the last date if it is in 2099 or later and far from the others,
//   - the first date if it is in the year 1 or before, or 1601-01-01 or 1753-01-01,
//   - 1900-01-01 or day 0 of Excel, if the next date is more than a year later,
//   - 1970-01-01, if its distance from the next date exceeds the range of the other dates,
//   - dates that are sentinels as numbers.
func sentinelDates(sorted []float64) (found []Level) {
	for _, least := range []bool{true, false} {
		for range 2 {
			n := len(sorted)
			if n < 4 {
				break
			}
			first, last, rows := sorted[0], sorted[n-1], 0
			v := first
			if !least {
				v = last
			}
			for _, other := range sorted {
				if other == v {
					rows++
				}
			}
			if rows == n {
				break
			}
			rest := sorted[:n-rows]
			distance := last - rest[len(rest)-1]
			if least {
				rest = sorted[rows:]
				distance = rest[0] - first
			}
			at := time.Unix(int64(v), 0).UTC()
			inner := time.Unix(int64(rest[len(rest)-1]), 0).UTC()
			_, is := sentinel(sorted, least)
			switch day := at.Format(time.DateOnly); {
			case is:
			case !least && at.Year() >= 2099 && (inner.Year() < 2090 || at.Year() >= 9000):
			case least && (at.Year() <= 1 || day == "1753-01-01" || day == "1601-01-01"):
			case least && (day == "1900-01-01" || day == "1899-12-30" || day == "1899-12-31") &&
				distance > 365*86400:
			case least && day == "1970-01-01" && distance > rest[len(rest)-1]-rest[0]:
			default:
				rows = 0
			}
			if rows == 0 {
				break
			}
			found = append(found, Level{Text: table.FormatDate(v), Rows: rows})
			sorted = rest
		}
	}
	return found
}

// outliers finds a number whose distance from the others is more than a thousand times their range, so that
// the others are nearly equal after standardisation.
func (s *Column) outliers(sorted []float64) {
	n := len(sorted)
	if n < leastRows {
		return
	}
	switch {
	case sorted[n-1]/1e3-sorted[n-2]/1e3 > sorted[n-2]-sorted[0] && sorted[n-2] > sorted[0]:
		s.outlier = sorted[n-1]
	case sorted[1]/1e3-sorted[0]/1e3 > sorted[n-1]-sorted[1] && sorted[n-1] > sorted[1]:
		s.outlier = sorted[0]
	}
}

// exactly formats a number with the smallest number of digits that is exact.
func exactly(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// nines reports whether all digits of a number are nines.
func nines(v float64) bool {
	for p := 10.0; p < 1e10; p *= 10 {
		if math.Abs(v) == p-1 {
			return true
		}
	}
	return false
}
