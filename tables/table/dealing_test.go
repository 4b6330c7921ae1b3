package table

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestDealing(t *testing.T) {
	codes := func(name string, kind Kind, v ...int32) Column {
		return Column{Name: name, Kind: kind, Codes: v, Levels: []string{"a", "b", "c", "d", "e"}}
	}
	tb := &Table{Name: "t.csv", Rows: 5, Columns: []Column{
		codes("row", ID, 0, 1, 2, 3, 4), codes("patient", ID, 3, 3, -1, -1, 2), codes("site", Category, 0, 1, 0, 1,
			0),
		{Name: "day", Kind: Number, Numbers: []float64{4, 3, 2, 1, math.NaN()},
			Faults: []Fault{{Row: 4, Text: "soon"}}},
	}}
	all, some := []int{0, 1, 2, 3, 4}, []int{1, 2, 4}
	if d, err := tb.Dealing(all); err != nil || !slices.Equal(d.Groups, []int{0, 0, -1, -2, 1}) ||
		Go.Say(d.By) != `by the id in column "patient", which repeats: 2 values in 5 rows` {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := tb.Dealing(some); err != nil || d.Groups != nil || d.By.Code != "" { // without repeated values
		t.Errorf("%+v, %v", d, err)
	}
	tb.Group = "site"
	if d, err := tb.Dealing(some); err != nil || !slices.Equal(d.Groups, []int{0, 1, 1}) ||
		d.By.Code != splitByGroup || d.By.N != 2 || d.By.Of != 3 {
		t.Errorf("%+v, %v", d, err)
	}
	tb.Time = "day"
	if d, err := tb.Dealing(all[:4]); err != nil || d.Groups != nil ||
		!slices.Equal(d.Times, []float64{4, 3, 2, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
	for _, tt := range []struct {
		time, group string
		code        Code
		value       string
	}{{"day", "", noTime, ""}, {"site", "", timeOfKind, ""}, {"week", "site", NoSuchColumn, "week"},
		{"", "ward", NoSuchColumn, "ward"}} {
		tb.Time, tb.Group = tt.time, tt.group
		_, err := tb.Dealing(all)
		if f, ok := errors.AsType[Finding](err); !ok || f.Code != tt.code || f.Value != tt.value {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
