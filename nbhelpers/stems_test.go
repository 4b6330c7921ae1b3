package nbhelpers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

func TestWeightsOf(t *testing.T) {
	set := data.Line(data.LineSeed)
	model, _ := nb.Fit(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}, set)
	w := nb.WeightsOf(model, set.N())
	count := 0
	for c, row := range w {
		if len(row) != set.N() {
			t.Fatalf("row %d has %d weights", c, len(row))
		}
		for n, v := range row {
			if v == 0 {
				continue
			}
			count++
			if (v > 0) != (set.T[n] == c) {
				t.Errorf("the weight of sample %d for class %d is %v", n, c, v)
			}
		}
	}
	if len(w) != 3 || count != model.WeightCount() {
		t.Errorf("%d weights in %d rows, want %d in 3", count, len(w), model.WeightCount())
	}
}

func TestStems(t *testing.T) {
	set := data.Line(data.LineSeed)
	one, three := make([]float64, 60), [][]float64{make([]float64, 60), make([]float64, 60), make([]float64, 60)}
	one[slices.Index(set.T, 1)], three[2][slices.Index(set.T, 1)] = 0.5, 0.5 // a sample of B
	for _, c := range []struct {
		chart nb.Chart
		color int
		name  string
	}{{nb.Stems(set, [][]float64{one}, nb.LinesOptions{}), 1, "of B"}, {nb.Stems(set, three, nb.LinesOptions{}), 2, "for C"}} {
		svg := c.chart.SVG()
		for k := range 3 { // strokes of stems are coloured, and there is one
			if drawn := strings.Contains(svg, `stroke="`+nb.ClassColor(k)+`"`); drawn != (k == c.color) {
				t.Errorf("%s: colour of class %d is drawn: %v", c.name, k, drawn)
			}
		}
		if !strings.Contains(svg, c.name) {
			t.Errorf("the legend lacks %q", c.name)
		}
	}
	for _, w := range [][][]float64{three[:2], {one[:59]}} {
		if panicOf(func() { nb.Stems(set, w, nb.LinesOptions{}) }) == "" {
			t.Errorf("%d rows of %d weights do not panic", len(w), len(w[0]))
		}
	}
}
