package lesson

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/mpcvm/study"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Recorded sums up a study of this repository, such as "benchmark". It looks for
// notebooks/results/NAME, or results/NAME, in the folder of the notebook and in those
// above it. It panics if there is none or if it cannot be read.
func Recorded(name string) *study.Report { return Must(study.ReadReport(recordedIn(name))) }

// RecordedRuns returns the runs of a study that Recorded sums up.
func RecordedRuns(name string) []study.Result { return Must(study.ReadDir(recordedIn(name))) }

// RecordedTuning returns the runs by which a study that Recorded sums up chose its
// settings.
func RecordedTuning(name string) []study.Result { return Must(study.ReadTuning(recordedIn(name))) }

// recordedIn is the folder of a recorded study.
func recordedIn(name string) string {
	start := os.Getenv("GONB_DIR") // set in the cells of GoNB
	if start == "" {
		start = Must(os.Getwd())
	}
	for dir := Must(filepath.Abs(start)); ; dir = filepath.Dir(dir) {
		for _, results := range []string{"results", "notebooks/results"} {
			folder := filepath.Join(dir, results, name)
			if info, err := os.Stat(folder); err == nil && info.IsDir() {
				return folder
			}
		}
		if dir == filepath.Dir(dir) {
			panic(fmt.Sprintf("lesson: there is no recorded study %q in %s or above it", name, start))
		}
	}
}

// Studied lays a quantity of a recorded study out for Results: a row for each data set, a
// column for each system. The quantity is a field of a cell, such as Err. Where there was
// no run, or none with that quantity, the value is NaN.
func Studied(r *study.Report, datasets, systems []string, quantity func(study.Cell) *study.Stat) [][]nb.Measure {
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

// Growth draws a quantity of a study that adds classes over the number of classes: a curve
// for each system, with a band of two standard errors to each side. The curves of the
// baselines are dashed.
func Growth(r *study.Report, systems []string, opt nb.LinesOptions, quantity func(study.Cell) nb.Measure) nb.Chart {
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

// OverParameter is the mean of a quantity of runs, such as RecordedTuning returns, over a
// parameter of their settings, such as "theta". Runs without the parameter are left out.
func OverParameter(name string, runs []study.Result, parameter string, quantity func(study.Result) float64) nb.Series {
	values := map[float64][]float64{}
	for _, r := range runs {
		if p, ok := r.Params.Params[parameter]; ok {
			values[p] = append(values[p], quantity(r))
		}
	}
	line := nb.Series{Name: name, Dots: true, X: slices.Sorted(maps.Keys(values))}
	for _, p := range line.X {
		line.Y = append(line.Y, stat.Mean(values[p], nil))
	}
	return line
}

// MeanDifference is the mean of a − b, pair by pair, with its standard error. It panics if
// a and b differ in length.
func MeanDifference(a, b []float64) nb.Measure {
	return nb.Mean(floats.SubTo(make([]float64, len(a)), a, b))
}

// CorrectedDifference is the mean of a − b, partition by partition, with the standard error of Nadeau and Bengio
// (2003, DOI 10.1023/A:1024068626366), s √(1/n + ratio): the training parts of partitions of one set overlap. The
// ratio is that of the sizes of test and training part. It panics if a and b differ in length.
func CorrectedDifference(a, b []float64, ratio float64) nb.Measure {
	m := MeanDifference(a, b)
	m.Error *= math.Sqrt(1 + float64(len(a))*ratio)
	return m
}
