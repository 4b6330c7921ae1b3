package look

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mpcvm/mpcvm/internal/fitting"
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

// significant reports whether a column predicts too well for chance, after Bonferroni's correction.
func (l predictor) significant(tests int) bool {
	return l.rows > 0 && l.logP+math.Log(float64(tests)) < math.Log(chance)
}

func total(counts []int) (n int) {
	for _, m := range counts {
		n += m
	}
	return n
}

// used returns the number of counts that are not 0.
func used(counts []int) (n int) {
	for _, m := range counts {
		n += min(m, 1)
	}
	return n
}

func sums(counts [][]int) []int {
	s := make([]int, len(counts[0]))
	for _, line := range counts {
		for k, n := range line {
			s[k] += n
		}
	}
	return s
}

// allowed returns the maximum number of wrong rows, given the number of rows of each class.
func allowed(counts []int) int { return int(tolerated * float64(total(counts)-slices.Max(counts))) }

// predictByNumbers divides the numbers into at most as many intervals as there are classes, each predicting
// one class, with the smallest number of wrong rows. bins has the counts of the classes in ascending ranges.
func predictByNumbers(c *table.Column, rows []int, t tally, bins [][]int) predictor {
	counts := sums(bins)
	classes, most := used(counts), allowed(counts)
	if classes < 2 {
		return predictor{}
	}
	// In a bin that lies within an interval, all rows are wrong except the rows of one class.
	var wrong []int
	for _, bin := range bins {
		wrong = append(wrong, total(bin)-slices.Max(bin))
	}
	if slices.Sort(wrong); total(wrong[:max(0, len(wrong)-classes+1)]) > most {
		return predictor{}
	}
	// A wrong row, or a value with rows of two classes, adds at most two runs.
	runs := runsOf(c, rows, t, classes+2*most)
	if runs == nil || float64(len(runs))*float64(classes*len(counts)) > mostSteps {
		return predictor{}
	}
	e, n := fewestWrong(runs, classes), total(counts)
	if e > most {
		return predictor{}
	}
	return predictor{right: n - e, rows: n, logP: orderChance(counts, e)}
}

// runsOf returns the runs of a column of numbers: ranges of ascending values that consist of rows of one
// class, and single values with rows of several classes, each with the number of rows of each class. It
// returns nil if there are more than most.
func runsOf(c *table.Column, rows []int, t tally, most int) [][]int {
	var order []int
	for _, i := range rows {
		if v := c.Numbers[i]; t.labels[i] >= 0 && fitting.IsFinite(v) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.Numbers[a], c.Numbers[b]) })
	var runs [][]int
	last, run := -1, make([]int, t.classes) // last is the class of the last run, or −1 if it has several
	for k := 0; k < len(order); {
		class, v := t.labels[order[k]], c.Numbers[order[k]]
		for ; k < len(order) && c.Numbers[order[k]] == v; k++ {
			label := t.labels[order[k]]
			if run[label]++; label != class {
				class = -1
			}
		}
		switch {
		case class >= 0 && class == last:
			runs[len(runs)-1][class] += run[class]
			run[class] = 0
		case len(runs) == most:
			return nil
		default:
			runs, last, run = append(runs, run), class, make([]int, t.classes)
		}
	}
	return runs
}

// fewestWrong returns the smallest number of wrong rows of runs divided into at most so many intervals.
func fewestWrong(runs [][]int, intervals int) int {
	const never = math.MaxInt / 2
	wrong := make([][]int, intervals+1) // by the number of intervals so far, and the class of the last
	for k := range wrong {
		wrong[k] = slices.Repeat([]int{never}, len(runs[0]))
	}
	wrong[0][0] = 0
	for _, run := range runs {
		for k := intervals; k > 0; k-- {
			before := slices.Min(wrong[k-1])
			for class, right := range run {
				wrong[k][class] = min(wrong[k][class], before) + total(run) - right
			}
		}
		wrong[0][0] = never
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
	all, often := total(counts), slices.Index(counts, slices.Max(counts))
	most := allowed(counts)
	if all == 0 || counts[often] == all {
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
				p += distuv.Binomial{N: float64(rows), P: 1 - float64(n)/float64(all)}.CDF(float64(rows - first))
			}
		}
		log += math.Log(min(p, 1))
	}
	if wrong > most || several == 0 {
		return predictor{}
	}
	// Count the ways to distribute the wrong rows among the levels.
	log += logBinomial(float64(missed+several-1), float64(missed))
	return predictor{right: all - wrong, rows: all, logP: min(log, 0)}
}

// filling measures how well the presence of a value in a column predicts the class.
type filling struct {
	both predictor // the prediction by the presence of a value
	only predictor // nonzero if all rows with a value are of one class
	// of is the class whose share of rows with a value differs most from the share of the other rows. filled of
	// its rows have a value, and others of the otherRows.
	of, filled, rows, others, otherRows int
}

// fills computes the filling of a column from the classes of the rows with and without a value.
func fills(filled, missing []int) filling {
	f := filling{both: predictByLevels([][]int{filled, missing})}
	all := sums([][]int{filled, missing})
	values, n := total(filled), total(all)
	largest := -1.0
	for k, with := range filled {
		rest := n - all[k]
		d := float64(with)/float64(max(all[k], 1)) - float64(values-with)/float64(max(rest, 1))
		if d < 0 { // of two classes, prefer the one with values
			d *= -1 + 1e-9
		}
		if all[k] > 0 && d > largest {
			largest = d
			f.of, f.filled, f.rows, f.others, f.otherRows = k, with, all[k], values-with, rest
		}
	}
	if used(filled) != 1 || values == n {
		return f
	}
	p := 0.0
	for _, m := range all {
		p += math.Pow(float64(m)/float64(n), float64(values))
	}
	f.only = predictor{right: values, rows: values, logP: math.Log(p)}
	return f
}

func logFactorial(n float64) float64 {
	v, _ := math.Lgamma(n + 1)
	return v
}

func logBinomial(n, k float64) float64 { return logFactorial(n) - logFactorial(k) - logFactorial(n-k) }
