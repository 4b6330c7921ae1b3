package nbhelpers

import (
	"fmt"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
)

// Stems draws weights over a set of one feature: an upright line at the place of each sample
// whose weight is not zero. w has a row for each potential and a column for each sample. Of
// one row the colours are those of the classes of the samples. Of several rows the colours are
// those of the classes of the potentials.
//
// Stems panics if the set does not have one feature, or if w has neither one row nor one for
// each class, or not as many columns as the set has samples.
func Stems(set *data.Set, w [][]float64, opt LinesOptions) Chart {
	defer chart.Readable()
	if set.D() != 1 || len(w) != 1 && len(w) != set.C() {
		panic(fmt.Sprintf("nbhelpers: Stems has %d rows of weights for %d features and %d classes", len(w),
			set.D(), set.C()))
	}
	series := make([]Series, set.C())
	for c, class := range set.Classes {
		series[c] = Series{Name: "for " + class, Stem: true, Color: ClassColor(c)}
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
