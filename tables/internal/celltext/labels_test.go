package celltext

import (
	"strconv"
	"strings"
	"testing"
)

func TestLabels(t *testing.T) {
	comma := func(text string) (float64, bool) {
		v, err := strconv.ParseFloat(strings.ReplaceAll(strings.ReplaceAll(text, ".", ""), ",", "."), 64)
		return v, err == nil
	}
	for _, tt := range []struct {
		classes string
		number  func(string) (float64, bool)
		want    map[string]int
	}{
		{"1000000 2000000", nil, map[string]int{"1000000": 0, "1000000.0": 0, "1e+06": 0, " " + "2e6": 1,
			"2000001": -1, "": -1, "NaN": -1, "inf": -1}},
		{"1000000 2000000", comma, map[string]int{"1000000,0": 0, "1.000.000": 0, "2000000": 1, "2,0": -1}},
		{"01 1 1.0 2", nil, map[string]int{"01": 0, "1": 1, "1.0": 2, "1.00": 1, "2.0": 3, "02": 3}},
		{"no yes", nil, map[string]int{"no": 0, "NO": 0, "Yes": 1, "maybe": -1}},
		{"A a b", nil, map[string]int{"A": 0, "a": 1, "B": 2, "c": -1}},
		{"AB Ab c", nil, map[string]int{"ab": -1, "C": 2}},
		{"0.1 inf", nil, map[string]int{".10": 0, "+Inf": -1, "INF": 1}},
	} {
		l := NewLabels(strings.Fields(tt.classes))
		for text, want := range tt.want {
			if got := l.Find(text, tt.number); got != want {
				t.Errorf("%s: %q is %d, want %d", tt.classes, text, got, want)
			}
		}
	}
}
