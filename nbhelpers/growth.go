package nbhelpers

import (
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// RecordedTuning returns the runs by which a study that Recorded sums up chose its
// settings.
func RecordedTuning(name string) []study.Result { return Must(study.ReadTuning(recordedIn(name))) }

// Growth draws a quantity of a study that adds classes over the number of classes: a curve
// for each system, with a band of two standard errors to each side. The curves of the
// baselines are dashed.
func Growth(r *study.Report, systems []string, opt LinesOptions, quantity func(study.Cell) Measure) Chart {
	var series []Series
	for _, s := range systems {
		line := Series{Name: study.Title(s), Dots: true, Dashed: !strings.HasPrefix(s, "mpcvm")}
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
	return Lines(series, opt)
}

// OverParameter is the mean of a quantity of runs, such as those of RecordedTuning, over a
// parameter of their settings, such as "theta". Runs without the parameter are left out.
func OverParameter(name string, runs []study.Result, parameter string, quantity func(study.Result) float64) Series {
	values := map[float64][]float64{}
	for _, r := range runs {
		if p, ok := r.Params.Params[parameter]; ok {
			values[p] = append(values[p], quantity(r))
		}
	}
	line := Series{Name: name, Dots: true, X: slices.Sorted(maps.Keys(values))}
	for _, p := range line.X {
		line.Y = append(line.Y, stat.Mean(values[p], nil))
	}
	return line
}
