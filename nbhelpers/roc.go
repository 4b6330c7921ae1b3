package nbhelpers

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// ROC draws, for each class against the rest, how many of its samples are found
// (true positive rate) over how many others are taken for it (false positive
// rate) as the threshold on its probability falls. p holds the probabilities
// (N×C), t the N labels. The legend has the area under each curve (AUC), the
// title line the AUC of Hand and Till for all classes (score.AUC). A class of
// which there is no sample has no curve.
//
// It panics if the numbers of rows, labels and classes do not agree, a label is
// none of the classes, or a probability is NaN.
func ROC(p mat.Matrix, t []int, classes []string) Chart {
	checkScores(p, t, classes)
	colors := paletteOf(classes)
	var series []Series
	for c, name := range classes {
		series = append(series, rocOf(plain(name), colors.hex(c), func(n int) (float64, bool, bool) { return p.At(n, c), t[n] == c, true }, len(t)))
	}
	subtitle := "each class against the rest"
	if auc, err := score.AUC(p, t); err == nil {
		subtitle += fmt.Sprintf(" · AUC of Hand and Till %.4f", auc)
	}
	return rocChart("ROC", subtitle, series)
}

// ROCPair is ROC for classes i and j alone: the samples of i found over those of
// j taken for i by the probability of i, and the other way round, the two areas
// A(i|j) and A(j|i) of which score.AUC is the mean.
func ROCPair(p mat.Matrix, t []int, classes []string, i, j int) Chart {
	checkScores(p, t, classes)
	if i < 0 || j < 0 || i >= len(classes) || j >= len(classes) || i == j {
		panic(fmt.Sprintf("nbhelpers: classes %d and %d of %d", i, j, len(classes)))
	}
	colors := paletteOf(classes)
	var series []Series
	for _, pair := range [][2]int{{i, j}, {j, i}} {
		a, b := pair[0], pair[1]
		series = append(series, rocOf("by the probability of "+plain(classes[a]), colors.hex(a),
			func(n int) (float64, bool, bool) { return p.At(n, a), t[n] == a, t[n] == a || t[n] == b }, len(t)))
	}
	return rocChart(fmt.Sprintf("ROC: %s and %s", plain(classes[i]), plain(classes[j])), "samples of these two classes only", series)
}

func rocChart(title, subtitle string, series []Series) Chart {
	series = append(series, Series{X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true, Color: axisInk})
	return Lines(LinesOptions{Title: title, Subtitle: subtitle, XName: "false positive rate", YName: "true positive rate",
		XRange: [2]float64{0, 1}, YRange: [2]float64{0, 1}, Height: 460}, series...)
}

func checkScores(p mat.Matrix, t []int, classes []string) {
	n, c := p.Dims()
	if n != len(t) || c != len(classes) {
		panic(fmt.Sprintf("nbhelpers: %d×%d probabilities for %d labels and %d classes", n, c, len(t), len(classes)))
	}
	for i, label := range t {
		if label < 0 || label >= c {
			panic(fmt.Sprintf("nbhelpers: label %d of sample %d is none of %d classes", label, i, c))
		}
		for j := range c {
			if math.IsNaN(p.At(i, j)) {
				panic(fmt.Sprintf("nbhelpers: probability of class %d for sample %d is NaN", j, i))
			}
		}
	}
}

// rocOf is the curve of n samples, of which at tells the score, whether each is
// of the class, and whether it counts.
func rocOf(name, color string, at func(int) (value float64, member, counts bool), n int) Series {
	type sample struct {
		value  float64
		member bool
	}
	var samples []sample
	members := 0
	for i := range n {
		if v, member, counts := at(i); counts {
			samples = append(samples, sample{v, member})
			if member {
				members++
			}
		}
	}
	others := len(samples) - members
	s := Series{Name: name + "\u2002AUC undefined", Color: color}
	if members == 0 || others == 0 {
		return s
	}
	slices.SortFunc(samples, func(a, b sample) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	curve := []point{{0, 0}}
	area, found, taken := 0.0, 0, 0
	for i := 0; i < len(samples); {
		value := samples[i].value // those level with it come together
		for ; i < len(samples) && samples[i].value == value; i++ {
			if samples[i].member {
				found++
			} else {
				taken++
			}
		}
		last := curve[len(curve)-1]
		q := point{float64(taken) / float64(others), float64(found) / float64(members)}
		area += (q.x - last.x) * (q.y + last.y) / 2
		curve = append(curve, q)
	}
	for _, q := range simplified(curve, .0005) { // less than a pixel
		s.X, s.Y = append(s.X, q.x), append(s.Y, q.y)
	}
	s.Name = fmt.Sprintf("%s\u2002AUC %.3f", name, area)
	return s
}
