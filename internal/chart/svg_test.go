package chart

import (
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	var p path
	p.polyline([]Point{{10.04, -.5}, {10.5, .5}, {.26, 100}})
	p.polyline([]Point{{0, 0}, {0, .1}, {-12, .1}})
	if got, want := p.String(), "m10-.5.5 1-10.2 99.5m-.3-100 0 .1-12 0"; got != want {
		t.Errorf("path is %s, want %s", got, want)
	}
}

// TestSymbols: each place is a corner that has a mark, whatever their number.
func TestSymbols(t *testing.T) {
	p := Painter{markers: map[string]int{}}
	p.symbols(nil, Symbol{}, 9, "")
	if p.Len() > 0 {
		t.Errorf("no places give %s", p.String())
	}
	p.symbols([]Point{{1, 2}}, Symbol{}, 9, `fill="red"`)
	p.symbols([]Point{{1, 2}, {3, 1.5}}, Symbol{outline: []float64{-1, -1, 1, 1}}, 10, "")
	for _, want := range []string{
		`<marker id="m1"><circle r="4.5" fill="red"/></marker><path d="m1 2h0" marker-start="url(#m1)"/>`,
		`<marker id="m2"><path d="m-5-5 10 10z" /></marker><path d="m1 2 2-.5" fill="none" style="marker:url(#m2)"/>`,
	} {
		if !strings.Contains(p.String(), want) {
			t.Errorf("%s lacks %s", p.String(), want)
		}
	}
}
