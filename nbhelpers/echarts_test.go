package nbhelpers

import (
	"encoding/json"
	"testing"

	"github.com/mpcvm/mpcvm/internal/chart"
)

// TestMarksInBothOutputs checks that each mark of a figure is a series of the option, in its panel.
func TestMarksInBothOutputs(t *testing.T) {
	for name, c := range all(nil) {
		var o struct{ Series, Grid, XAxis, YAxis []any }
		if err := json.Unmarshal(c.Option(), &o); err != nil {
			t.Fatal(err)
		}
		if len(o.Series) != len(chart.FigureOf(c).Marks) || len(o.Grid) != len(chart.FigureOf(c).Panels) ||
			len(o.XAxis) != len(o.Grid) || len(o.YAxis) != len(o.Grid) {
			t.Errorf("%s: %d series for %d marks, %d grids for %d panels", name, len(o.Series),
				len(chart.FigureOf(c).Marks), len(o.Grid), len(chart.FigureOf(c).Panels))
		}
		for _, entry := range chart.FigureOf(c).Legend {
			if chart.FigureOf(c).Named(entry) == nil {
				t.Errorf("%s: no mark is named %q, as the legend says", name, entry)
			}
		}
	}
}
