package analysis

import (
	"testing"
	"time"
)

// TestMaps: while a search runs, each new best setting has a map, whose cells mostly have the class of the
// samples in them. Maps take little of the time.
func TestMaps(t *testing.T) {
	for _, name := range []string{"iris.csv", "glass.csv"} {
		s, maps, begin := new(Session), 0, time.Now()
		do[*Look](t.Context(), t, s, Request{Op: "look", Name: name, Bytes: file(t, name)})
		var last *Map
		err := s.Do(t.Context(), Request{Op: "fit"}, func(r Reply) {
			if p, ok := r.Value.(Progress); ok && p.Map != nil {
				maps, last = maps+1, p.Map
			}
		})
		if err != nil || maps == 0 {
			t.Fatalf("%s: %d maps, %v", name, maps, err)
		}
		right := 0
		for _, p := range last.Points {
			if last.Cells[int(p[1]*mapSide)*mapSide+int(p[0]*mapSide)] == int(p[2]) {
				right++
			}
		}
		t.Logf("%s: %d maps in %v; %d of %d samples are in a cell of their class", name, maps,
			time.Since(begin).Round(time.Millisecond), right, len(last.Points))
		if right < len(last.Points)/2 {
			t.Errorf("%s: only %d of %d samples are in a cell of their class", name, right, len(last.Points))
		}
	}
}
