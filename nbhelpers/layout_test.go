package nbhelpers

import (
	"testing"
)

// TestStretched: in another height the panels of a chart keep their shares of it, and the names
// of y axes stay within their panels and a margin, below the legend.
func TestStretched(t *testing.T) {
	for name, c := range all(nil) {
		if len(figureOf(c).panels) < 2 {
			continue
		}
		whole, _, height := laid(c)
		share := func(f *figure, height, i int) float64 {
			total := 0.0
			for _, p := range f.panels {
				total += float64(height) - p.top - p.bottom
			}
			return (float64(height) - f.panels[i].top - f.panels[i].bottom) / total
		}
		for _, high := range []int{340, 400, 700} {
			c.Width, c.Height = 400, high
			f, _, h := laid(c)
			for i, p := range f.panels {
				if was, is := share(whole, height, i), share(f, h, i); is < was-1e-9 || is > was+1e-9 {
					t.Errorf("%s, %d pixels high: panel %d has %.3f of the height of all, at first %.3f", name, high, i, is, was)
				}
				high := float64(h) - p.top - p.bottom
				if above := (textWidth(p.y.name, 12) - high) / 2; i == 0 && p.top-above < f.legendTop+symbolSide {
					t.Errorf("%s, %d pixels high: %q reaches %.0f pixels above its panel, into the legend", name, h, p.y.name, above)
				}
				if i > 0 && p.top < float64(h)-f.panels[i-1].bottom {
					t.Errorf("%s, %d pixels high: panel %d lies on the one above it", name, h, i)
				}
			}
		}
	}
}
