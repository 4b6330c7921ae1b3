package look

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mpcvm/mpcvm/tables/table"
)

// predictor measures how well a column alone predicts the class. The zero value means that it does not.
type predictor struct {
	right, rows int // number of correctly predicted rows, and of rows with a value
	// logP is the logarithm of the probability that a column which is independent of the classes predicts
	// them at least as well.
	logP float64
}

const (
	tolerated = 0.05 // wrong rows, relative to always predicting the most frequent class
	mostSteps = 1e8  // maximum number of steps of the search for intervals
	mostCells = 1e7  // maximum size of a table of levels and classes
)

// significant reports whether a column predicts the class too well for chance, with Bonferroni's correction
// for the number of tests.
func (l predictor) significant(tests int) bool {
	return l.rows > 0 && l.logP+math.Log(float64(tests)) < math.Log(chance)
}

// allowed returns the maximum number of wrong rows, given the number of rows of each class.
func allowed(counts []int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return int(tolerated * float64(total-slices.Max(counts)))
}

// sums returns the sums of the columns of counts.
func sums(counts [][]int) []int {
	s := make([]int, len(counts[0]))
	for _, line := range counts {
		for k, n := range line {
			s[k] += n
		}
	}
	return s
}

// predictByNumbers divides the numbers into at most as many intervals as there are classes, each predicting
// one class, with the smallest number of wrong rows. bins has the counts of the classes in ascending ranges.
func predictByNumbers(c *table.Column, rows []int, t tally, bins [][]int) predictor {
	counts := sums(bins)
	classes, most := 0, allowed(counts)
	for _, n := range counts {
		if n > 0 {
			classes++
		}
	}
	if classes < 2 {
		return predictor{}
	}
	// In a bin that lies within an interval, all rows are wrong except the rows of one class.
	var wrong []int
	for _, bin := range bins {
		total := 0
		for _, n := range bin {
			total += n
		}
		wrong = append(wrong, total-slices.Max(bin))
	}
	slices.Sort(wrong)
	least := 0
	for _, n := range wrong[:max(0, len(wrong)-classes+1)] {
		least += n
	}
	if least > most {
		return predictor{}
	}
	runs := runsOf(c, rows, t)
	// A wrong row, or a value with rows of two classes, adds at most two runs.
	if len(runs) > classes+2*most || float64(len(runs))*float64(classes*len(counts)) > mostSteps {
		return predictor{}
	}
	e, total := fewestWrong(runs, classes), 0
	for _, n := range counts {
		total += n
	}
	if e > most {
		return predictor{}
	}
	return predictor{right: total - e, rows: total, logP: orderChance(counts, e)}
}

// run is a range of ascending values that consists of rows of one class, or a single value with rows of
// several classes.
type run struct {
	label  int
	rows   int
	counts []int // of the classes if there are several, else nil
}

// in returns the number of rows of a class.
func (r *run) in(class int) int {
	switch {
	case r.counts != nil:
		return r.counts[class]
	case class == r.label:
		return r.rows
	}
	return 0
}

// runsOf returns the runs of a column of numbers.
func runsOf(c *table.Column, rows []int, t tally) []run {
	type labelled struct {
		v     float64
		label int
	}
	var all []labelled
	for k := range count(rows, c.Len()) {
		i := row(rows, k)
		if v, label := c.Numbers[i], t.label(i); label >= 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, labelled{v, label})
		}
	}
	slices.SortFunc(all, func(a, b labelled) int { return cmp.Compare(a.v, b.v) })
	var runs []run
	for i := 0; i < len(all); {
		one := run{label: all[i].label}
		for ; i < len(all) && all[i-one.rows].v == all[i].v; i++ {
			if label := all[i].label; label != one.label && one.counts == nil {
				one.counts = make([]int, t.classes)
				one.counts[one.label] = one.rows
			}
			if one.rows++; one.counts != nil {
				one.counts[all[i].label]++
			}
		}
		if last := len(runs) - 1; last >= 0 && one.counts == nil && runs[last].counts == nil &&
			runs[last].label == one.label {
			runs[last].rows += one.rows
			continue
		}
		runs = append(runs, one)
	}
	return runs
}

// fewestWrong returns the smallest number of wrong rows if the runs are divided into at most the given number
// of intervals, each predicting one class.
func fewestWrong(runs []run, intervals int) int {
	labels := map[int]bool{}
	for _, r := range runs {
		labels[r.label] = true
		for k, n := range r.counts {
			if n > 0 {
				labels[k] = true
			}
		}
	}
	classes := slices.Sorted(maps.Keys(labels))
	const never = math.MaxInt / 2
	wrong := make([][]int, intervals+1) // by the number of intervals so far, and the class of the last
	for k := range wrong {
		wrong[k] = slices.Repeat([]int{never}, len(classes))
	}
	for i := range runs {
		for k := intervals; k > 0; k-- {
			before := 0
			if i > 0 {
				before = slices.Min(wrong[k-1])
			}
			for j, class := range classes {
				wrong[k][j] = min(wrong[k][j], before) + runs[i].rows - runs[i].in(class)
				if i == 0 && k > 1 {
					wrong[k][j] = never
				}
			}
		}
	}
	least := never
	for _, line := range wrong {
		least = min(least, slices.Min(line))
	}
	return least
}

// orderChance returns an upper bound of ln p, where p is the probability that numbers which are independent
// of the classes separate them, except for e rows. Without wrong rows, p is C!·∏ n_c!/n!. There are binom(n,
// e)·(C−1)^e ways to choose the wrong rows and their classes, and (2e+1)^(C−1) ways to move the ends of the
// intervals.
func orderChance(counts []int, e int) float64 {
	classes, total, log := 0.0, 0.0, 0.0
	for _, rows := range counts {
		if n := float64(rows); n > 0 {
			classes++
			total += n
			log += logFactorial(n)
		}
	}
	log += logFactorial(classes) - logFactorial(total)
	if w := float64(e); e > 0 {
		log += logBinomial(total, w) + w*math.Log(classes-1) + (classes-1)*math.Log(2*w+1)
	}
	return min(log, 0)
}

// predictByLevels predicts each row by the most frequent class of the other rows of its level, or, without
// other rows, by the most frequent class of all rows. levels has the counts of the classes of each level.
func predictByLevels(levels [][]int) predictor {
	counts := sums(levels)
	total, often := 0, 0
	for k, n := range counts {
		total += n
		if n > counts[often] {
			often = k
		}
	}
	most := allowed(counts)
	if total == 0 || counts[often] == total {
		return predictor{}
	}
	wrong, missed, several, log := 0, 0, 0, 0.0
	for _, line := range levels {
		rows, first, second := 0, 0, 0
		for _, n := range line {
			rows += n
			switch {
			case n > first:
				first, second = n, first
			case n > second:
				second = n
			}
		}
		switch {
		case rows == 0:
			continue
		case rows == 1:
			wrong += 1 - line[often]
			continue
		case first-1 <= second: // without the row, the second class is as frequent
			wrong += rows
		default:
			wrong += rows - first
		}
		if wrong > most {
			return predictor{}
		}
		several++
		missed += rows - first
		p := 0.0
		for _, n := range counts {
			if n > 0 {
				p += distuv.Binomial{N: float64(rows), P: 1 - float64(n)/float64(total)}.CDF(float64(rows - first))
			}
		}
		log += math.Log(min(p, 1))
	}
	if wrong > most || several == 0 {
		return predictor{}
	}
	// Count the ways to distribute the wrong rows among the levels.
	log += logBinomial(float64(missed+several-1), float64(missed))
	return predictor{right: total - wrong, rows: total, logP: min(log, 0)}
}

// filling measures how well the presence of a value in a column predicts the class.
type filling struct {
	both predictor // the prediction by the presence of a value
	only predictor // nonzero if all rows with a value are of one class
	// of is the class whose share of rows with a value differs most from the share of the other rows. filled of
	// its rows have a value, and others of the otherRows.
	of, filled, rows, others, otherRows int
}

// fills computes the filling of a column, given the counts of the classes of the rows with and without a
// value.
func fills(filled, missing []int) filling {
	f := filling{both: predictByLevels([][]int{filled, missing})}
	all := sums([][]int{filled, missing})
	values, total, classes := 0, 0, 0
	for k, n := range filled {
		classes += min(n, 1)
		values += n
		total += all[k]
	}
	largest := -1.0
	for k, n := range filled {
		rest := total - all[k]
		d := math.Abs(float64(n)/float64(max(all[k], 1)) - float64(values-n)/float64(max(rest, 1)))
		if all[k] > 0 && d > largest {
			largest = d
			f.of, f.filled, f.rows, f.others, f.otherRows = k, n, all[k], values-n, rest
		}
	}
	if classes != 1 || values == total {
		return f
	}
	p := 0.0
	for _, n := range all {
		p += math.Pow(float64(n)/float64(total), float64(values))
	}
	f.only = predictor{right: values, rows: values, logP: math.Log(p)}
	return f
}

func logFactorial(n float64) float64 {
	v, _ := math.Lgamma(n + 1)
	return v
}

func logBinomial(n, k float64) float64 { return logFactorial(n) - logFactorial(k) - logFactorial(n-k) }
