package look

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mpcvm/mpcvm/tables/table"
)

// telling measures how well a column tells the class on its own. The zero value means that it does not.
type telling struct {
	right, rows int // rows whose class it tells, of those that have a value
	// logP is ln p that a column in no relation to the classes tells as much. A table has many
	// columns, so p times their number must be small.
	logP float64
}

const (
	tolerated = 0.05 // wrong rows relative to always naming the most frequent class
	mostSteps = 1e8  // of the search for intervals
	mostCells = 1e7  // of a table of levels and classes
)

// sure reports whether a column tells the class too well for chance, with so many tries.
func (l telling) sure(tries int) bool {
	return l.rows > 0 && l.logP+math.Log(float64(tries)) < math.Log(chance)
}

// allowed is how many of some rows may be wrong. counts has the rows of each class.
func allowed(counts []int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return int(tolerated * float64(total-slices.Max(counts)))
}

// sums are the sums of the columns of counts.
func sums(counts [][]int) []int {
	s := make([]int, len(counts[0]))
	for _, line := range counts {
		for k, n := range line {
			s[k] += n
		}
	}
	return s
}

// tellsByNumbers finds at most as many intervals as there are classes, each for a class, with the
// least number of wrong rows. bins are counts of the classes in ascending ranges of the values.
func tellsByNumbers(c *table.Column, rows []int32, t tally, bins [][]int) telling {
	counts := sums(bins)
	classes, most := 0, allowed(counts)
	for _, n := range counts {
		if n > 0 {
			classes++
		}
	}
	if classes < 2 {
		return telling{}
	}
	// A bin without an end of an interval has at least its rows of all classes but one wrong.
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
		return telling{}
	}
	runs := runsOf(c, rows, t)
	// A wrong row, or a value with rows of two classes, adds two runs at most.
	if len(runs) > classes+2*most || float64(len(runs))*float64(classes*len(counts)) > mostSteps {
		return telling{}
	}
	e, total := fewestWrong(runs, classes), 0
	for _, n := range counts {
		total += n
	}
	if e > most {
		return telling{}
	}
	return telling{right: total - e, rows: total, logP: orderChance(counts, e)}
}

// run is a stretch of ascending values: of rows of one class, or one value with rows of several.
type run struct {
	label  int
	rows   int
	counts []int // of the classes if there are several, else nil
}

// in counts the rows of a class.
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
func runsOf(c *table.Column, rows []int32, t tally) []run {
	type labelled struct {
		v     float64
		label int
	}
	var all []labelled
	for k := range places(rows, c.Len()) {
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

// fewestWrong is the least number of wrong rows if runs are divided into at most so many intervals of
// one class each.
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
	wrong := make([][]int, intervals+1) // with so many intervals so far, the last of this class
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

// orderChance is ln p that numbers in no relation to the classes have them one after another, but
// for e rows: at most C!·∏ n_c!/n! orders have none, and there are binom(n, e)·(C−1)^e ways to choose
// the wrong rows and their classes and (2e+1)^(C−1) ways to move the ends of the intervals.
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

// tellsByLevels judges the rows of each level, given as counts of the classes, by the most frequent
// class of its other rows. A level with a single row is judged by the most frequent class of all.
func tellsByLevels(levels [][]int) telling {
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
		return telling{}
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
		case first-1 <= second: // without a row of the first class, the second is as frequent
			wrong += rows
		default:
			wrong += rows - first
		}
		if wrong > most {
			return telling{}
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
		return telling{}
	}
	// The wrong rows may be divided among the levels in many ways.
	log += logBinomial(float64(missed+several-1), float64(missed))
	return telling{right: total - wrong, rows: total, logP: min(log, 0)}
}

// filling is what it says about the class whether a column has a value.
type filling struct {
	both telling // as of a column of two levels
	only telling // that the rows with a value are all of one class; zero if they are not
	of   int     // that class
}

// fills looks at the rows with and without a value, given as counts of the classes.
func fills(filled, missing []int) filling {
	f := filling{both: tellsByLevels([][]int{filled, missing})}
	all := sums([][]int{filled, missing})
	rows, total, classes := 0, 0, 0
	for k, n := range filled {
		if n > 0 {
			classes++
			f.of = k
		}
		rows += n
		total += all[k]
	}
	if classes != 1 || rows == total {
		return f
	}
	p := 0.0
	for _, n := range all {
		p += math.Pow(float64(n)/float64(total), float64(rows))
	}
	f.only = telling{right: rows, rows: rows, logP: math.Log(p)}
	return f
}

func logFactorial(n float64) float64 {
	v, _ := math.Lgamma(n + 1)
	return v
}

func logBinomial(n, k float64) float64 { return logFactorial(n) - logFactorial(k) - logFactorial(n-k) }
