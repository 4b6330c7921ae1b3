package nbhelpers

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate"
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
	colors := chart.PaletteOf(classes)
	var series []Series
	for c, name := range classes {
		series = append(series,
			rocOf(chart.Plain(name), colors.Hex(c), p, t, c, func(int) bool { return true }))
	}
	subtitle := "each class against the rest"
	if auc, err := score.AUC(p, t); err == nil {
		subtitle += fmt.Sprintf(" · AUC of Hand and Till %.4f", auc)
	}
	return rocChart("ROC", subtitle, series)
}

// ROCPair is ROC restricted to the samples of classes i and j, by the probability of i and by the
// probability of j. score.AUC is the mean of the two areas over all pairs.
func ROCPair(p mat.Matrix, t []int, classes []string, i, j int) Chart {
	defer chart.Readable()
	checkScores(p, t, classes)
	if i < 0 || j < 0 || i >= len(classes) || j >= len(classes) || i == j {
		panic(fmt.Sprintf("nbhelpers: %d and %d are not two of %d classes", i, j, len(classes)))
	}
	colors := chart.PaletteOf(classes)
	var series []Series
	for _, pair := range [][2]int{{i, j}, {j, i}} {
		a, b := pair[0], pair[1]
		series = append(series,
			rocOf("by the probability of "+chart.Plain(classes[a]), colors.Hex(a), p, t, a,
				func(label int) bool { return label == a || label == b }))
	}
	return rocChart(fmt.Sprintf("ROC: %s and %s", chart.Plain(classes[i]), chart.Plain(classes[j])),
		"samples of these two classes only", series)
}

func rocChart(title, subtitle string, series []Series) Chart {
	series = append(series,
		Series{X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true, Color: chart.AxisInk})
	return Lines(series, LinesOptions{Title: title, Subtitle: subtitle, XName: "false positive rate",
		YName:  "true positive rate",
		XRange: [2]float64{0, 1}, YRange: [2]float64{0, 1}, Height: 460})
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

// rocOf returns the curve of class c by its probability, over the samples whose label counts.
func rocOf(name, color string, p mat.Matrix, t []int, c int, counts func(label int) bool) Series {
	var values []float64
	var member []bool
	for n, label := range t {
		if counts(label) {
			values, member = append(values, p.At(n, c)), append(member, label == c)
		}
	}
	s := Series{Name: name + "\u2002AUC undefined", Color: color}
	if !slices.Contains(member, true) || !slices.Contains(member, false) {
		return s
	}
	stat.SortWeightedLabeled(values, member, nil)
	found, taken, _ := stat.ROC(nil, values, member, nil)
	curve := make([]chart.Point, len(found))
	for i := range curve {
		curve[i] = chart.Point{taken[i], found[i]}
	}
	for _, q := range chart.Simplified(curve, .0005) { // less than a pixel
		s.X, s.Y = append(s.X, q[0]), append(s.Y, q[1])
	}
	s.Name = fmt.Sprintf("%s\u2002AUC %.3f", name, integrate.Trapezoidal(taken, found))
	return s
}
