package nbhelpers

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// Must returns v. It panics if err is not nil, which ends a notebook's cell with the
// message of the error.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Check ends the cell with an error if a claim of the text around it is false. If it is
// true, Check prints it after a tick. The format and the values are those of fmt.Sprintf.
func Check(claim bool, format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if !claim {
		panic("this is not true: " + text)
	}
	fmt.Println("✓ " + text)
}

// Fit fits a learner to a set until the Stop button of the notebook is pressed. The model
// has the names of the set if it can have names. Fit panics if the learner returns an
// error.
func Fit[M mpcvm.Classifier](l mpcvm.LearnerOf[M], set *data.Set, observers ...mpcvm.Observer) (M, mpcvm.Result) {
	ctx, stop := Context()
	defer stop()
	model, result, err := l.Fit(ctx, set.X, set.T, observers...)
	if err != nil {
		panic(err)
	}
	if m, ok := any(model).(interface {
		WithNames(classes, features []string) M
	}); ok {
		model = m.WithNames(set.Classes, set.Features)
	}
	return model, result
}

// Wrong is the number of samples of a set that a model assigns to a wrong class.
func Wrong(m interface {
	Predict(dst []int, x mat.Matrix) []int
}, set *data.Set) (n int) {
	for i, label := range m.Predict(nil, set.X) {
		if label != set.T[i] {
			n++
		}
	}
	return n
}

// Signs counts the weights of a model that are not zero, and those of them that disagree
// with the multi-class classification principle: negative for the class of the vector or
// positive for another one.
func Signs(m interface {
	RelevanceVectors() []mpcvm.RelevanceVector
}) (weights, against int) {
	for _, v := range m.RelevanceVectors() {
		for c, w := range v.Weights {
			if w != 0 {
				weights++
				if (w > 0) != (c == v.Label) {
					against++
				}
			}
		}
	}
	return weights, against
}

// Row makes the cells of a row for Table. The format is that of fmt.Sprintf, and | stands
// between two cells: Row("%s|%.1f", name, err).
func Row(format string, values ...any) []string {
	return strings.Split(fmt.Sprintf(format, values...), "|")
}

// Span returns n numbers from lo to hi, evenly spaced. It panics if n is less than 2.
func Span(lo, hi float64, n int) []float64 { return floats.Span(make([]float64, n), lo, hi) }

// LogSpan returns n numbers from lo to hi whose logarithms are evenly spaced. It panics
// if n is less than 2 or lo is not positive.
func LogSpan(lo, hi float64, n int) []float64 {
	if lo <= 0 {
		panic(fmt.Sprintf("nbhelpers: the logarithm of %g does not exist", lo))
	}
	return floats.LogSpan(make([]float64, n), lo, hi)
}

// Curve is the series of f over x. Its other fields may be set afterwards.
func Curve(name string, x []float64, f func(float64) float64) Series {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return Series{Name: name, X: x, Y: y}
}

// Mean returns the mean of values with its standard error, s/√n. With fewer than two
// values there is no error.
func Mean(values []float64) Measure {
	m := Measure{Value: stat.Mean(values, nil), Error: math.NaN()}
	if n := len(values); n > 1 {
		m.Error = stat.StdDev(values, nil) / math.Sqrt(float64(n))
	}
	return m
}

// Text writes a measure with the given number of decimals, as "3.21 ± 0.08", or as
// "3.21" if there is no error.
func (m Measure) Text(decimals int) string {
	if m.Error == 0 || math.IsNaN(m.Error) {
		return fmt.Sprintf("%.*f", decimals, m.Value)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, m.Value, decimals, m.Error)
}

// Recorded sums up a study of this repository, such as "benchmark". It looks for
// notebooks/results/NAME, or results/NAME, in the folder of the notebook and in those
// above it. It panics if there is none or if it cannot be read.
func Recorded(name string) *study.Report { return Must(study.ReadReport(recordedIn(name))) }

// RecordedRuns returns the runs of a study that Recorded sums up.
func RecordedRuns(name string) []study.Result { return Must(study.ReadDir(recordedIn(name))) }

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
			panic(fmt.Sprintf("nbhelpers: there is no recorded study %q in %s or above it", name, start))
		}
	}
}
