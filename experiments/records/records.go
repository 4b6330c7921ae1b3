// Package records reads the studies recorded in notebooks/results, and arranges them for the charts
// of the notebooks.
package records

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/experiments/study"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/notebooks/lesson"
)

// Report returns the summary of a recorded study, such as "benchmark". It looks for
// notebooks/results/NAME, or results/NAME, in the folder of the notebook and its parents. It panics
// if the study does not exist or cannot be read.
func Report(name string) *study.Report { return lesson.Must(study.ReadReport(folder(name))) }

// Runs returns the runs that Report summarises.
func Runs(name string) []study.Result { return lesson.Must(study.ReadDir(folder(name))) }

// Titles returns the names of systems as the paper writes them.
func Titles(systems []string) (titles []string) {
	for _, s := range systems {
		titles = append(titles, study.Title(s))
	}
	return titles
}

// folder returns the folder of a recorded study.
func folder(name string) string {
	start := os.Getenv("GONB_DIR") // set in the cells of GoNB
	if start == "" {
		start = lesson.Must(os.Getwd())
	}
	for dir := lesson.Must(filepath.Abs(start)); ; dir = filepath.Dir(dir) {
		for _, results := range []string{"results", "notebooks/results"} {
			folder := filepath.Join(dir, results, name)
			if info, err := os.Stat(folder); err == nil && info.IsDir() {
				return folder
			}
		}
		if dir == filepath.Dir(dir) {
			panic(fmt.Sprintf("records: no recorded study %q in %s or its parent folders", name, start))
		}
	}
}

// Table arranges a quantity of a recorded study for nbhelpers.Results, with a row for each data set
// and a column for each system. The quantity is a field of a cell, such as Err. The value is NaN for
// cells without runs or without that quantity.
func Table(r *study.Report, datasets, systems []string,
	quantity func(study.Cell) *study.Stat) [][]nb.Measure {
	rows := make([][]nb.Measure, len(datasets))
	for i, d := range datasets {
		for _, s := range systems {
			m := nb.Measure{Value: math.NaN(), Error: math.NaN()}
			if c := r.Cell(s, d); c != nil {
				if stat := quantity(*c); stat != nil {
					m.Value = stat.Mean
					if stat.SE != nil {
						m.Error = *stat.SE
					}
				}
			}
			rows[i] = append(rows[i], m)
		}
	}
	return rows
}

// Growth draws a quantity of a study over the number of classes: a curve for each system, with a
// band of two standard errors on each side. The curves of the baselines are dashed.
func Growth(r *study.Report, systems []string, opt nb.LinesOptions,
	quantity func(study.Cell) nb.Measure) nb.Chart {
	var series []nb.Series
	for _, s := range systems {
		line := nb.Series{Name: study.Title(s), Dots: true, Dashed: !strings.HasPrefix(s, "mpcvm")}
		for _, c := range r.Growth(s) {
			m := quantity(c)
			line.X, line.Y = append(line.X, float64(c.Classes)), append(line.Y, m.Value)
			line.Low, line.High = append(line.Low, m.Value-2*m.Error), append(line.High, m.Value+2*m.Error)
		}
		series = append(series, line)
	}
	if opt.XName == "" {
		opt.XName = "number of classes"
	}
	return nb.Lines(series, opt)
}

// OverTheta returns the mean of a quantity of the tuning runs of a system on a data set, over the width θ.
func OverTheta(name, system, dataset string, quantity func(study.Result) float64) nb.Series {
	values := map[float64][]float64{}
	for _, r := range lesson.Must(study.ReadTuning(folder(name))) {
		if p, ok := r.Params.Params["theta"]; ok && r.System == system && r.Dataset == dataset {
			values[p] = append(values[p], quantity(r))
		}
	}
	line := nb.Series{Name: study.Title(system) + ", " + dataset, Dots: true}
	for _, p := range slices.Sorted(maps.Keys(values)) {
		line.X, line.Y = append(line.X, p), append(line.Y, stat.Mean(values[p], nil))
	}
	return line
}

// Paper makes a table that compares the means of a recorded study and of the paper, with standard
// deviations in brackets. Each system has a third row with z, where a star marks |z| > 2; the second
// result is the number of stars. The function quantity returns the study's value of a cell and the
// paper's.
func Paper(title string, r *study.Report, datasets, systems []string,
	quantity func(c *study.Cell) (ours, paper *study.Stat),
	z func(ours, paper *study.Stat) float64) (nb.TableBlock, int) {
	var rows [][]string
	far := 0
	for _, s := range systems {
		row, theirs, apart := []string{study.Title(s)}, []string{"the paper"}, []string{"z"}
		for _, d := range datasets {
			ours, paper := quantity(r.Cell(s, d))
			row, theirs = append(row, ours.WithDeviation()), append(theirs, paper.WithDeviation())
			text := strings.ReplaceAll(fmt.Sprintf("%+.1f", z(ours, paper)), "-", "−")
			if math.Abs(z(ours, paper)) > 2 {
				text += " *"
				far++
			}
			apart = append(apart, text)
		}
		rows = append(rows, row, theirs, apart)
	}
	return nb.Table(append([]string{title}, datasets...), rows), far
}
