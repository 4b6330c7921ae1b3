package study

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
)

// Stat is a mean with its standard error.
type Stat struct {
	// N is the number of runs in which the quantity is defined.
	N    int
	Mean float64
	// SE is the standard deviation (with N−1) divided by √N; nil for one run.
	SE *float64
}

// WithDeviation returns the mean with the standard deviation of the runs in brackets, as printed in
// the paper. It requires at least two runs.
func (s *Stat) WithDeviation() string {
	return fmt.Sprintf("%.2f (%.2f)", s.Mean, *s.SE*math.Sqrt(float64(s.N)))
}

// Cell summarises the runs of a system on a data set.
type Cell struct {
	System, Dataset, Series string
	Classes, Runs           int
	Whole                   bool // tested on the training set
	Failed                  int  // runs without a result
	// Err and AUC are in per cent, LogLoss in nats. AUC and LogLoss are nil if no run has them.
	Err, Basis, Weights, Fit, Predict Stat
	AUC, LogLoss                      *Stat
	// Params are the distinct settings of the runs, without the seeds.
	Params []string
	// PaperErr and PaperAUC are the paper's values, or nil.
	PaperErr, PaperAUC *Stat
}

// Ranking compares systems by their ranks over data sets.
type Ranking struct {
	Measure string // "err" or "auc"
	// Control is the system that the others are compared with by the Bonferroni–Dunn test at level
	// 0.10, as in the paper; "" if all pairs are compared by Nemenyi's test at level 0.05.
	Control           string
	Systems, Datasets []string
	ranktest.PostHoc  // its pairs are indices of Systems
	Friedman          ranktest.Result
}

// Time is the total time of a system.
type Time struct {
	System string
	// Tuning and Test are numbers of runs; the seconds are for their fits and predictions.
	Tuning, Test               int
	TuningSeconds, TestSeconds float64
}

// Report is the summary of a study.
type Report struct {
	Cells    []Cell
	Rankings []Ranking
	Times    []Time
	Failures []Failure
}

// ReadReport summarises the study in a folder. It returns the errors of ReadDir, ReadTuning and
// ReadFailures.
func ReadReport(dir string) (*Report, error) {
	results, errResults := ReadDir(dir)
	tuning, errTuning := ReadTuning(dir)
	failures, errFailures := ReadFailures(dir)
	if err := cmp.Or(errResults, errTuning, errFailures); err != nil {
		return nil, err
	}
	return NewReport(results, tuning, failures), nil
}

// NewReport summarises test runs, tuning runs and failures.
func NewReport(results, tuning []Result, failures []Failure) *Report {
	r := &Report{Failures: failures}
	type place struct{ dataset, system string }
	runs := map[place][]Result{}
	for _, res := range results {
		p := place{res.Dataset, res.System}
		runs[p] = append(runs[p], res)
	}
	for p, list := range runs {
		c := newCell(list)
		for _, f := range failures {
			if !f.Tuning && f.System == p.system && f.Dataset == p.dataset {
				c.Failed++
			}
		}
		r.Cells = append(r.Cells, c)
	}
	datasets, systems := r.names(func(*Cell) bool { return true })
	slices.SortFunc(r.Cells, func(a, b Cell) int {
		return cmp.Or(slices.Index(datasets, a.Dataset)-slices.Index(datasets, b.Dataset),
			slices.Index(systems, a.System)-slices.Index(systems, b.System))
	})
	for _, s := range systems {
		r.Times = append(r.Times, newTime(s, results, tuning))
	}
	for _, measure := range []string{"err", "auc"} {
		for _, control := range append(slices.Clone(controls), "") {
			if k, ok := r.rank(measure, control); ok {
				r.Rankings = append(r.Rankings, k)
			}
		}
	}
	return r
}

// newTime summarises the times of a system.
func newTime(system string, results, tuning []Result) Time {
	t := Time{System: system}
	sum := func(runs []Result, count *int, seconds *float64) {
		for _, r := range runs {
			if r.System == system {
				*count++
				*seconds += r.FitSeconds + r.PredictSeconds
			}
		}
	}
	sum(results, &t.Test, &t.TestSeconds)
	sum(tuning, &t.Tuning, &t.TuningSeconds)
	return t
}

// newCell summarises the runs of one system on one data set.
func newCell(runs []Result) Cell {
	// so that sums do not depend on the order of the files
	slices.SortFunc(runs, func(a, b Result) int { return a.Partition - b.Partition })
	c := Cell{System: runs[0].System, Dataset: runs[0].Dataset, Runs: len(runs), Series: runs[0].Series,
		Classes: runs[0].Classes, Whole: runs[0].Whole}
	of := func(f func(Result) *float64) *Stat {
		var v []float64
		for _, r := range runs {
			if x := f(r); x != nil {
				v = append(v, *x)
			}
		}
		return newStat(v)
	}
	always := func(f func(Result) float64) Stat {
		return *of(func(r Result) *float64 { return new(f(r)) })
	}
	c.Err = always(func(r Result) float64 { return 100 * r.Err })
	c.AUC = of(func(r Result) *float64 {
		if r.AUC == nil {
			return nil
		}
		return new(100 * *r.AUC)
	})
	c.LogLoss = of(func(r Result) *float64 { return r.LogLoss })
	c.Basis = always(func(r Result) float64 { return float64(r.Basis) })
	c.Weights = always(func(r Result) float64 { return float64(r.Weights) })
	c.Fit = always(func(r Result) float64 { return r.FitSeconds })
	c.Predict = always(func(r Result) float64 { return r.PredictSeconds })
	settings := map[string]bool{}
	for _, r := range runs {
		settings[r.Params.Params.String()] = true
	}
	c.Params = slices.Sorted(maps.Keys(settings))
	c.PaperErr = paper[paperKey{"err", stem(c.System), c.Dataset}]
	c.PaperAUC = paper[paperKey{"auc", stem(c.System), c.Dataset}]
	return c
}

// newStat returns the mean of the values, or nil if there are none.
func newStat(v []float64) *Stat {
	if len(v) == 0 {
		return nil
	}
	mean, deviation := stat.MeanStdDev(v, nil)
	s := &Stat{N: len(v), Mean: mean}
	if len(v) > 1 {
		s.SE = new(deviation / math.Sqrt(float64(len(v))))
	}
	return s
}

// names returns the data sets and systems of the cells for which keep is true, in order.
func (r *Report) names(keep func(*Cell) bool) (datasets, systems []string) {
	d, s := map[string]bool{}, map[string]bool{}
	for i := range r.Cells {
		if keep(&r.Cells[i]) {
			d[r.Cells[i].Dataset], s[r.Cells[i].System] = true, true
		}
	}
	return inOrder(slices.Collect(maps.Keys(d)), paperDatasets), inOrder(slices.Collect(maps.Keys(s)),
		paperSystems)
}

// Cell returns the cell of a system on a data set, or nil without runs. It must not be
// changed.
func (r *Report) Cell(system, dataset string) *Cell {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.System == system && c.Dataset == dataset {
			return c
		}
	}
	return nil
}

// benchmark reports whether the cell measures accuracy on a whole data set.
func benchmark(c *Cell) bool { return !c.Whole && c.Series == "" }

// rank ranks the systems over the data sets on which all of them have runs: all systems or, with a
// control, the control and the paper's baselines. ok is false for fewer than two systems or data
// sets.
func (r *Report) rank(measure, control string) (k Ranking, ok bool) {
	datasets, systems := r.names(func(c *Cell) bool { return benchmark(c) && stem(c.System) == c.System })
	if control != "" {
		if !slices.Contains(systems, control) {
			return k, false
		}
		systems = slices.DeleteFunc(systems,
			func(s string) bool { return s != control && !slices.Contains(baselines, s) })
	}
	number := func(c *Cell) float64 { return c.Err.Mean }
	if measure == "auc" {
		number = func(c *Cell) float64 {
			if c.AUC == nil {
				return math.NaN()
			}
			return -c.AUC.Mean
		}
	}
	datasets = slices.DeleteFunc(datasets, func(d string) bool {
		return slices.ContainsFunc(systems, func(s string) bool {
			c := r.Cell(s, d)
			return c == nil || math.IsNaN(number(c))
		})
	})
	k = Ranking{Measure: measure, Control: control, Systems: systems, Datasets: datasets}
	if len(systems) < 2 || len(datasets) < 2 {
		return k, false
	}
	test, err := r.Friedman(systems, datasets, number)
	if err != nil {
		return k, false
	}
	if k.Friedman = test; control == "" {
		k.PostHoc = test.Nemenyi(0.05)
	} else {
		k.PostHoc = test.BonferroniDunn(slices.Index(systems, control), 0.10)
	}
	return k, true
}

// exact rounds, so that means of the same numbers in a different order have equal ranks.
func exact(percent float64) float64 { return math.Round(percent*1e9) / 1e9 }
