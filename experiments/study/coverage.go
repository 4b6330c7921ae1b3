package study

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Coverage is the coverage of prediction sets, the share that contain the true class, on the test
// sets of a problem: for all rows, or for the rows of one class.
type Coverage struct {
	Set                string
	Class              string // "" for all rows
	Classes            int
	Train, Test, Parts int     // training rows, test rows (of the class), partitions
	ByClass            int     // partitions whose sets cover each class separately; see mpcvm.Scores
	Nominal            float64 // the requested coverage
	// Conformal describes the sets of mpcvm.Model.PredictSet. Scaled describes the smallest sets of
	// most probable classes whose probabilities, calibrated by temperature and floor, sum to at
	// least Nominal.
	Conformal, Scaled SetFigures
}

// SetFigures are means over partitions, with the standard errors of the means. Because partitions
// share rows, the true standard errors are somewhat larger.
type SetFigures struct {
	Coverage, CoverageError float64
	Size, SizeError         float64
}

// MeasureCoverage fits the learner to each training set and returns the coverage of its prediction
// sets on the test set, for each of the nominal coverages and each class. learner is called with the
// number of the partition as the seed. done, if not nil, is called after each partition.
// MeasureCoverage returns the errors of the fit, and mpcvm.ErrNoScores if the learner's models do
// not support prediction sets.
func MeasureCoverage(ctx context.Context, p Problem, learner func(seed uint64) mpcvm.Learner,
	nominal []float64, done func(partition int)) ([]Coverage, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	figures := make([][]tried, len(nominal)) // for each partition
	byClass, rows := 0, [2]int{}
	for i := range p.Partitions {
		train, test := p.scaled(i)
		if err := train.CheckTrainable(); err != nil { // requires all classes
			return nil, err
		}
		m, _, err := learner(uint64(i)).Fit(ctx, mpcvm.Samples{X: train.X, T: train.T})
		if err != nil {
			return nil, fmt.Errorf("study: %s, partition %d: %w", p.Name, i, err)
		}
		if m.Scores().ByClass() {
			byClass++
		}
		rows = [2]int{train.N(), test.N()}
		y := m.Potentials(nil, test.X)
		proba := m.ProbaOf(nil, y)
		for k, coverage := range nominal {
			sets, err := m.SetsOf(y, nil, coverage)
			if err != nil {
				return nil, err
			}
			figures[k] = append(figures[k], tried{test, sets, probable(proba, coverage)})
		}
		if done != nil {
			done(i)
		}
	}
	var all []Coverage
	for k, coverage := range nominal {
		for class := -1; class < p.Set.C(); class++ {
			c := Coverage{Set: p.Name, Classes: p.Set.C(), Train: rows[0], Test: rows[1], Parts: len(p.Partitions),
				ByClass: byClass, Nominal: coverage}
			if class >= 0 {
				c.Class, c.Test = p.Set.Classes[class], figures[k][0].test.Counts()[class]
			}
			if c.Test == 0 {
				continue
			}
			c.Conformal = figuresOf(figures[k], class, func(t tried) [][]int { return t.conformal })
			c.Scaled = figuresOf(figures[k], class, func(t tried) [][]int { return t.scaled })
			all = append(all, c)
		}
	}
	return all, nil
}

// tried holds the sets for the rows of a test set.
type tried struct {
	test              *data.Set
	conformal, scaled [][]int
}

// probable returns, for each row, the fewest classes whose probabilities sum to a coverage.
func probable(p *mat.Dense, coverage float64) [][]int {
	n, c := p.Dims()
	sets := make([][]int, n)
	for i := range sets {
		order, falling := make([]int, c), slices.Clone(p.RawRowView(i))
		floats.Scale(-1, falling)
		floats.Argsort(falling, order)
		sum := 0.0
		for k := 0; k < c && sum < coverage; k++ {
			sum -= falling[k]
			sets[i] = append(sets[i], order[k])
		}
	}
	return sets
}

// figuresOf summarises the sets of all partitions, for the rows of a class, or for all rows if class
// is −1.
func figuresOf(parts []tried, class int, sets func(tried) [][]int) (f SetFigures) {
	var coverage, size []float64
	for _, part := range parts {
		rows, covered, classes := 0., 0., 0.
		for i, set := range sets(part) {
			truth := part.test.T[i]
			if class >= 0 && truth != class {
				continue
			}
			rows++
			classes += float64(len(set))
			if slices.Contains(set, truth) {
				covered++
			}
		}
		coverage, size = append(coverage, covered/rows), append(size, classes/rows)
	}
	root := math.Sqrt(float64(len(parts)))
	f.Coverage, f.CoverageError = stat.MeanStdDev(coverage, nil)
	f.Size, f.SizeError = stat.MeanStdDev(size, nil)
	f.CoverageError /= root
	f.SizeError /= root
	return f
}

// WriteCoverage writes a table of coverages as CSV. A row with an empty class is for all rows.
func WriteCoverage(w io.Writer, all []Coverage) error {
	out := csv.NewWriter(w)
	header := []string{"set", "classes", "train", "test", "partitions", "by_class", "nominal", "class"}
	for _, kind := range []string{"", "scaled_"} {
		for _, name := range []string{"coverage", "coverage_se", "size", "size_se"} {
			header = append(header, kind+name)
		}
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, c := range all {
		row := []string{c.Set}
		for _, v := range []int{c.Classes, c.Train, c.Test, c.Parts, c.ByClass} {
			row = append(row, strconv.Itoa(v))
		}
		row = append(row, strconv.FormatFloat(c.Nominal, 'g', -1, 64), c.Class)
		for _, f := range []SetFigures{c.Conformal, c.Scaled} {
			for _, v := range []float64{f.Coverage, f.CoverageError, f.Size, f.SizeError} {
				row = append(row, strconv.FormatFloat(v, 'f', 4, 64))
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
