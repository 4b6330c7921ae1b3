package nbhelpers

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// PrecisionRecall draws a curve for each class against the rest: precision (the share of samples
// assigned to the class that belong to it) against recall (the share of its samples that are found)
// as the threshold on its probability falls. For a rare class it is more informative than ROC. p
// holds the probabilities (N×C) and t the N labels. The legend shows the average precision (AP). A
// class without samples has no curve. PrecisionRecall panics in the same cases as ROC.
func PrecisionRecall(p mat.Matrix, t []int, classes []string) Chart {
	defer chart.Readable()
	checkScores(p, t, classes)
	colors := chart.PaletteOf(classes)
	var series []Series
	for c, name := range classes {
		s := Series{Name: chart.Plain(name) + "\u2002AP undefined", Color: colors.Hex(c)}
		points, average := []score.Threshold(nil), 0.
		if len(t) > 0 {
			points, average = score.PrecisionRecall(p, t, c)
		}
		if points != nil {
			s.Name = fmt.Sprintf("%s\u2002AP %.3f", chart.Plain(name), average)
			curve := []chart.Point{{0, points[0].Precision}}
			for _, q := range points {
				curve = append(curve, chart.Point{q.Recall, q.Precision})
			}
			for _, q := range chart.Simplified(curve, .0005) { // less than a pixel
				s.X, s.Y = append(s.X, q[0]), append(s.Y, q[1])
			}
		}
		series = append(series, s)
	}
	return Lines(series, LinesOptions{Title: "Precision and recall", Subtitle: "each class against the rest",
		XName: "recall", YName: "precision",
		XRange: [2]float64{0, 1}, YRange: [2]float64{0, 1}, Height: 460})
}

// Gain draws a cumulative gain curve for each class: the share of its samples found among the
// samples with the highest probability, against the share of all samples taken. The ratio of the two
// is the lift; the legend shows the lift of the first tenth of the samples. The dashed line
// corresponds to a random order. The arguments are those for PrecisionRecall.
func Gain(p mat.Matrix, t []int, classes []string) Chart {
	defer chart.Readable()
	checkScores(p, t, classes)
	colors := chart.PaletteOf(classes)
	var series []Series
	for c, name := range classes {
		s := Series{Name: chart.Plain(name), Color: colors.Hex(c)}
		members := 0
		for _, label := range t {
			if label == c {
				members++
			}
		}
		if members > 0 {
			const first = 0.1
			order := make([]int, len(t))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p.At(b, c), p.At(a, c)) })
			curve, share, found := []chart.Point{{}}, 0., 0.
			for i, n := range order {
				if t[n] == c {
					found++
				}
				if i+1 < len(order) && p.At(order[i+1], c) == p.At(n, c) {
					continue
				}
				before, next := curve[len(curve)-1],
					chart.Point{float64(i+1) / float64(len(t)), found / float64(members)}
				if before[0] < first && next[0] >= first {
					share = before[1] + (next[1]-before[1])*(first-before[0])/(next[0]-before[0])
				}
				curve = append(curve, next)
			}
			s.Name += fmt.Sprintf("\u2002lift %.3g", share/first)
			for _, q := range chart.Simplified(curve, .0005) { // less than a pixel
				s.X, s.Y = append(s.X, q[0]), append(s.Y, q[1])
			}
		}
		series = append(series, s)
	}
	series = append(series,
		Series{X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true, Color: chart.AxisInk})
	return Lines(series, LinesOptions{Title: "Gain",
		Subtitle: "of a list by the probability of the class · lift of its first tenth",
		XName:    "share of all samples", YName: "share of the class that is found",
		XRange: [2]float64{0, 1}, YRange: [2]float64{0, 1}, Height: 460})
}
