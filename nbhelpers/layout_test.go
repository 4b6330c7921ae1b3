package nbhelpers

import (
	"testing"

	"github.com/mpcvm/mpcvm/internal/chart"
)

// TestStretched checks that at other heights the panels of a chart keep their shares of the height,
// and that the names of y axes stay within their panels and a margin, below the legend.
func TestStretched(t *testing.T) {
	for name, c := range all(nil) {
		if len(chart.FigureOf(c).Panels) < 2 {
			continue
		}
		whole, _, height := chart.Laid(c)
		share := func(f *chart.Figure, height, i int) float64 {
			total := 0.0
			for _, p := range f.Panels {
				total += float64(height) - p.Top - p.Bottom
			}
			return (float64(height) - f.Panels[i].Top - f.Panels[i].Bottom) / total
		}
		for _, high := range []int{340, 400, 700} {
			c.Width, c.Height = 400, high
			f, _, h := chart.Laid(c)
			for i, p := range f.Panels {
				if was, is := share(whole, height, i), share(f, h, i); is < was-1e-9 || is > was+1e-9 {
					t.Errorf("%s, %d pixels high: panel %d has %.3f of the total height, was %.3f",
						name, high, i, is, was)
				}
				high := float64(h) - p.Top - p.Bottom
				if above := (chart.TextWidth(p.Y.Name, 12) - high) / 2; i == 0 &&
					p.Top-above < f.LegendTop+chart.SymbolSide {
					t.Errorf("%s, %d pixels high: %q reaches %.0f pixels above its panel, into the legend",
						name, h, p.Y.Name, above)
				}
				if i > 0 && p.Top < float64(h)-f.Panels[i-1].Bottom {
					t.Errorf("%s, %d pixels high: panel %d overlaps the one above it", name, h, i)
				}
			}
		}
	}
}
