package nbhelpers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

func TestStems(t *testing.T) {
	set := data.Line(data.LineSeed)
	one, three := make([]float64, 60),
		[][]float64{make([]float64, 60), make([]float64, 60), make([]float64, 60)}
	one[slices.Index(set.T, 1)], three[2][slices.Index(set.T, 1)] = 0.5, 0.5 // a sample of B
	for _, c := range []struct {
		chart nb.Chart
		color int
		name  string
	}{{nb.Stems(set, [][]float64{one}, nb.LinesOptions{}), 1, "of B"},
		{nb.Stems(set, three, nb.LinesOptions{}), 2, "for C"}} {
		option := drawn.Texts(t, c.chart)
		for k := range 3 { // only the stems have strokes of the colour of a class
			if drawn := strings.Contains(option, `"stroke":"`+nb.ClassColor(k)+`"`); drawn != (k == c.color) {
				t.Errorf("%s: colour of class %d is drawn: %v", c.name, k, drawn)
			}
		}
		if !strings.Contains(option, c.name) {
			t.Errorf("the legend lacks %q", c.name)
		}
	}
	for _, w := range [][][]float64{three[:2], {one[:59]}} {
		must.Panic(t, "the number of weights", func() { nb.Stems(set, w, nb.LinesOptions{}) })
	}
}
