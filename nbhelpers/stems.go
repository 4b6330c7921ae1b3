package nbhelpers

import (
	"fmt"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
)

// Stems draws the weights of a set with one feature: a vertical line at each sample whose weight is
// not zero. w has a row for each potential and a column for each sample. With one row, the lines are
// coloured by the class of the sample; with several rows, by the class of the potential.
//
// Stems panics if the set does not have exactly one feature, if the number of rows of w is neither 1
// nor the number of classes, if the number of columns is not the number of samples, or if opt.LogY is set.
func Stems(set *data.Set, w [][]float64, opt LinesOptions) Chart {
	defer chart.Readable()
	if set.D() != 1 || len(w) != 1 && len(w) != set.C() {
		panic(fmt.Sprintf("nbhelpers: Stems has %d rows of weights for %d features and %d classes", len(w),
			set.D(), set.C()))
	}
	series := make([]Series, set.C())
	for c, class := range set.Classes {
		series[c] = Series{Name: "for " + class, stem: true, Color: ClassColor(c)}
		if len(w) == 1 {
			series[c].Name = "of " + class
		}
	}
	for c, row := range w {
		if len(row) != set.N() {
			panic(fmt.Sprintf("nbhelpers: Stems has %d weights for %d samples", len(row), set.N()))
		}
		for n, v := range row {
			s := &series[c]
			if len(w) == 1 {
				s = &series[set.T[n]]
			}
			if v != 0 {
				s.X, s.Y = append(s.X, set.X.At(n, 0)), append(s.Y, v)
			}
		}
	}
	return Lines(series, opt)
}
