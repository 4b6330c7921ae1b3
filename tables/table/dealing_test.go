package table

import (
	"math"
	"slices"
	"strings"
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
		d.By != `by the id in column "patient", which repeats: 2 values in 5 rows` {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := tb.Dealing(some); err != nil || d.Groups != nil || d.By != "" { // without repeated values
		t.Errorf("%+v, %v", d, err)
	}
	tb.Group = "site"
	if d, err := tb.Dealing(some); err != nil || !slices.Equal(d.Groups, []int{0, 1, 1}) ||
		d.By != `by column "site": 2 values in 3 rows` {
		t.Errorf("%+v, %v", d, err)
	}
	tb.Time = "day"
	if d, err := tb.Dealing(all[:4]); err != nil || d.Groups != nil ||
		!slices.Equal(d.Times, []float64{4, 3, 2, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
	fails := func(say string) {
		t.Helper()
		if _, err := tb.Dealing(all); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%v does not contain %q", err, say)
		}
	}
	fails(`row 5, column 4 (day): the row has no time`)
	tb.Time = "site"
	fails("needs numbers or dates, not a category")
	tb.Time = "week"
	fails(`Table.Time: no column "week"; there are row, patient`)
	tb.Time, tb.Group = "", "ward"
	fails(`Table.Group: no column "ward"`)
}
