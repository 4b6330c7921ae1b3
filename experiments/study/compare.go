package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
)

// Datasets returns the names of the eight data sets of the paper's benchmark, in its order.
func Datasets() []string { return slices.Clone(paperDatasets) }

// Systems returns the names of the seven systems of the paper's benchmark, in its order: five
// baselines, then mpcvm1 and mpcvm2.
func Systems() []string { return slices.Clone(paperSystems) }

// Title returns the name of a system in the paper: "mPCVM₁" for "mpcvm1". A variant keeps its
// suffix. Other names are returned unchanged.
func Title(system string) string {
	name := stem(system)
	title := map[string]string{
		"mrvm1": "mRVM₁", "mrvm2": "mRVM₂", "svm": "SVM", "dlsr": "DLSR", "mlr": "MLR", "mpcvm1": "mPCVM₁",
		"mpcvm2": "mPCVM₂",
	}[name]
	return cmp.Or(title, name) + system[len(name):]
}

// Errors returns the error rates of a system on a data set, in per cent, in the order of the
// partitions.
func Errors(results []Result, system, dataset string) []float64 {
	var errs []float64
	for _, r := range of(results, system, dataset) {
		errs = append(errs, 100*r.Err)
	}
	return errs
}

// of returns the runs of a system on a data set, in the order of the partitions.
func of(results []Result, system, dataset string) []Result {
	runs := slices.DeleteFunc(slices.Clone(results),
		func(r Result) bool { return r.System != system || r.Dataset != dataset })
	slices.SortFunc(runs, func(a, b Result) int { return cmp.Compare(a.Partition, b.Partition) })
	return runs
}

// Difference is the difference of the error rates of two systems on a data set.
type Difference struct {
	// Values are the differences of the error rates in percentage points, in the order of the
	// partitions. Mean is their mean.
	Values []float64
	Mean   float64
	// Independent, Paired and Corrected are standard errors of Mean, for n partitions. Independent
	// is √((s_a² + s_b²)/n), which ignores that the partitions are shared. Paired is s/√n of Values.
	// Corrected is s·√(1/n + n_test/n_train) (Nadeau and Bengio 2003, DOI 10.1023/A:1024068626366):
	// because training sets overlap, Values are correlated and Paired is too small.
	Independent, Paired, Corrected float64
}

// Paired returns the difference of the error rates of the systems a and b on a data set, a − b, over
// the partitions. It panics unless both have the same partitions, at least two.
func Paired(results []Result, a, b, dataset string) Difference {
	runsA, runsB := of(results, a, dataset), of(results, b, dataset)
	if len(runsA) < 2 || !slices.EqualFunc(runsA, runsB,
		func(p, q Result) bool { return p.Partition == q.Partition }) {
		panic(fmt.Sprintf("study: %s and %s do not have the same two or more partitions of %s", a, b, dataset))
	}
	errsA, errsB := Errors(results, a, dataset), Errors(results, b, dataset)
	n := float64(len(errsA))
	d := Difference{Values: floats.SubTo(make([]float64, len(errsA)), errsA, errsB)}
	d.Independent = math.Sqrt((stat.Variance(errsA, nil) + stat.Variance(errsB, nil)) / n)
	var s float64
	d.Mean, s = stat.MeanStdDev(d.Values, nil)
	d.Paired = s / math.Sqrt(n)
	d.Corrected = s * math.Sqrt(1/n+float64(runsA[0].NTest)/float64(runsA[0].NTrain))
	return d
}

// Friedman ranks systems over data sets by a number of each cell. Lower is better, and numbers that
// agree to nine decimals are ties. It panics if a cell is missing, and returns the errors of
// ranktest.Friedman.
func (r *Report) Friedman(systems, datasets []string, number func(*Cell) float64) (ranktest.Result, error) {
	m := mat.NewDense(len(datasets), len(systems), nil)
	for i, d := range datasets {
		for j, s := range systems {
			c := r.Cell(s, d)
			if c == nil {
				panic(fmt.Sprintf("study: no run of %s on %s", s, d))
			}
			m.Set(i, j, exact(number(c)))
		}
	}
	return ranktest.Friedman(m)
}

// Growth returns the cells of a system in the order of the number of classes, for a study with an
// increasing number of classes.
func (r *Report) Growth(system string) []Cell {
	cells := slices.DeleteFunc(slices.Clone(r.Cells), func(c Cell) bool { return c.System != system })
	slices.SortStableFunc(cells, func(a, b Cell) int { return a.Classes - b.Classes })
	return cells
}

// Shared returns the results of the given systems on the partitions that all of them have, in their
// order, so that means over the same partitions can be compared.
func Shared(results []Result, systems []string) []Result {
	type part struct {
		dataset   string
		partition int
	}
	of := map[part][]string{} // the systems with a result
	for _, r := range results {
		p := part{r.Dataset, r.Partition}
		if slices.Contains(systems, r.System) && !slices.Contains(of[p], r.System) {
			of[p] = append(of[p], r.System)
		}
	}
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		return !slices.Contains(systems, r.System) || len(of[part{r.Dataset, r.Partition}]) < len(systems)
	})
}
