package nbhelpers

import (
	"encoding/json"
	"testing"
)

// TestMarksInBothOutputs: each mark of a figure is a series of the option, in its panel.
func TestMarksInBothOutputs(t *testing.T) {
	for name, c := range all(nil) {
		var o struct{ Series, Grid, XAxis, YAxis []any }
		if err := json.Unmarshal(c.Option(), &o); err != nil {
			t.Fatal(err)
		}
		if len(o.Series) != len(figureOf(c).marks) || len(o.Grid) != len(figureOf(c).panels) || len(o.XAxis) != len(o.Grid) || len(o.YAxis) != len(o.Grid) {
			t.Errorf("%s: %d series for %d marks, %d grids for %d panels", name, len(o.Series), len(figureOf(c).marks), len(o.Grid), len(figureOf(c).panels))
		}
		for _, entry := range figureOf(c).legend {
			if figureOf(c).named(entry) == nil {
				t.Errorf("%s: no mark is named %q, as the legend says", name, entry)
			}
		}
	}
}
