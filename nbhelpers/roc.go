package nbhelpers

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// ROC draws a curve for each class against the rest: the true positive rate (the share of its
// samples that are found) against the false positive rate (the share of other samples assigned to
// it) as the threshold on its probability falls. p holds the probabilities (N×C) and t the N labels.
// The legend shows the area under each curve (AUC), the subtitle the AUC of Hand and Till for all
// classes (score.AUC). A class without samples has no curve.
//
// ROC panics if the numbers of rows, labels and classes do not match, a label is not one of the
// classes, or a probability is NaN.
func ROC(p mat.Matrix, t []int, classes []string) Chart {
	defer chart.Readable()
	checkScores(p, t, classes)
	opt := LinesOptions{Title: "ROC", Subtitle: "each class against the rest", XName: "false positive rate",
		YName: "true positive rate"}
	if auc, err := score.AUC(p, t); err == nil {
		opt.Subtitle += fmt.Sprintf(" · AUC of Hand and Till %.4f", auc)
	}
	return oneVsRest(classes, true, opt, func(c int) ([]chart.Point, string) {
		found, taken, _ := rates(p, t, c)
		if found == nil {
			return nil, "AUC undefined"
		}
		curve := make([]chart.Point, len(found))
		for i := range curve {
			curve[i] = chart.Point{taken[i], found[i]}
		}
		return curve, fmt.Sprintf("AUC %.3f", integrate.Trapezoidal(taken, found))
	})
}

// rates returns the shares of the samples of class c that are found, and of the others that are taken, as the
// threshold on its probability falls, and the share of the class among the samples. found is nil if that is 0
// or 1.
func rates(p mat.Matrix, t []int, c int) (found, taken []float64, share float64) {
	values, member := mat.Col(nil, c, p), make([]bool, len(t))
	for i, label := range t {
		if member[i] = label == c; member[i] {
			share++
		}
	}
	share /= float64(len(t))
	if slices.Contains(member, true) && slices.Contains(member, false) {
		stat.SortWeightedLabeled(values, member, nil)
		found, taken, _ = stat.ROC(nil, values, member, nil)
	}
	return found, taken, share
}

// PrecisionRecall draws a curve for each class against the rest: precision (the share of samples
// assigned to the class that belong to it) against recall (the share of its samples that are found)
// as the threshold on its probability falls. For a rare class it is more informative than ROC. p
// holds the probabilities (N×C) and t the N labels. The legend shows the average precision (AP). A
// class without samples has no curve. PrecisionRecall panics in the same cases as ROC.
func PrecisionRecall(p mat.Matrix, t []int, classes []string) Chart {
	defer chart.Readable()
	checkScores(p, t, classes)
	return oneVsRest(classes, false, LinesOptions{Title: "Precision and recall",
		Subtitle: "each class against the rest", XName: "recall", YName: "precision"},
		func(c int) ([]chart.Point, string) {
			points, average, err := score.PrecisionRecall(p, t, c)
			if err != nil {
				return nil, "AP undefined"
			}
			curve := []chart.Point{{0, points[0].Precision}}
			for _, q := range points {
				curve = append(curve, chart.Point{q.Recall, q.Precision})
			}
			return curve, fmt.Sprintf("AP %.3f", average)
		})
}

// Gain draws a cumulative gain curve for each class: the share of its samples found among the
// samples with the highest probability, against the share of all samples taken. The ratio of the two
// is the lift; the legend shows the lift of the first tenth of the samples. The dashed line
// corresponds to a random order. The arguments are those for PrecisionRecall.
func Gain(p mat.Matrix, t []int, classes []string) Chart {
	defer chart.Readable()
	checkScores(p, t, classes)
	return oneVsRest(classes, true, LinesOptions{Title: "Gain",
		Subtitle: "of a list by the probability of the class · lift of its first tenth",
		XName:    "share of all samples", YName: "share of the class that is found"},
		func(c int) ([]chart.Point, string) {
			found, taken, share := rates(p, t, c)
			if found == nil {
				return nil, "lift undefined"
			}
			curve, all := make([]chart.Point, len(found)), make([]float64, len(found))
			for i := range curve {
				all[i] = share*found[i] + (1-share)*taken[i]
				curve[i] = chart.Point{all[i], found[i]}
			}
			var line interp.PiecewiseLinear
			if err := line.Fit(all, found); err != nil {
				panic("nbhelpers: " + err.Error())
			}
			return curve, fmt.Sprintf("lift %.3g", line.Predict(.1)/.1)
		})
}

// oneVsRest draws a curve for each class, on axes from 0 to 1, and the diagonal if asked to. curve returns
// the points of class c and the text after its name in the legend.
func oneVsRest(classes []string, diagonal bool, opt LinesOptions,
	curve func(c int) ([]chart.Point, string)) Chart {
	colors := chart.PaletteOf(classes)
	var series []Series
	for c, name := range classes {
		points, text := curve(c)
		s := Series{Name: chart.JoinedBy(chart.Plain(name), "\u2002", text), Color: colors.Hex(c)}
		for _, q := range chart.Simplified(points, .0005) { // less than a pixel
			s.X, s.Y = append(s.X, q[0]), append(s.Y, q[1])
		}
		series = append(series, s)
	}
	if diagonal {
		series = append(series,
			Series{X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true, Color: chart.AxisInk})
	}
	opt.XRange, opt.YRange, opt.Height = [2]float64{0, 1}, [2]float64{0, 1}, 460
	return Lines(series, opt)
}

func checkScores(p mat.Matrix, t []int, classes []string) {
	n, c := p.Dims()
	if n != len(t) || c != len(classes) {
		panic(fmt.Sprintf("nbhelpers: %d×%d probabilities for %d labels and %d classes", n, c, len(t),
			len(classes)))
	}
	for i, label := range t {
		if label < 0 || label >= c {
			panic(fmt.Sprintf("nbhelpers: label %d of sample %d is not one of %d classes", label, i, c))
		}
		for j := range c {
			if math.IsNaN(p.At(i, j)) {
				panic(fmt.Sprintf("nbhelpers: the probability of class %d for sample %d is NaN", j, i))
			}
		}
	}
}
