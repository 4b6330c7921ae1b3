package recipe_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Cells that can be read by accident only are rejected if other cells of the column contradict the reading.
func TestDoubts(t *testing.T) {
	days := func(cells ...string) table.Column { // in the layout of the training rows, or a fault
		c := table.Column{Name: "x", Kind: table.Date, Layout: "2/1/2006"}
		for row, cell := range cells {
			at, err := time.Parse(c.Layout, cell)
			if c.Numbers = append(c.Numbers, float64(at.Unix())); err != nil {
				c.Numbers[row] = nan
				c.Faults = append(c.Faults, table.Fault{Row: row, Text: cell})
			}
		}
		return c
	}
	text := func(cells ...string) table.Column { return cat("x", cells...) }
	spelled := flag("x", "N", "Y", 0, 1, 0, 1)
	for _, c := range []struct {
		train, file table.Column
		want        []int // rows that are doubtful
	}{
		{spelled, text("1", "2", "1", "2"), []int{0, 2}},
		{spelled, num("x", 1, 2, 1, 2), []int{0, 2}},
		{spelled, text("1", "0", "1", "0"), nil},
		{spelled, text("Y", "n", "Y", "maybe"), nil},
		{spelled, text("yes", "Y", "yes", "2"), []int{0, 2}},
		{flag("x", "0", "1", 0, 1, 0, 1), num("x", 1, 2, 1, 2), []int{0, 2}},
		{flag("x", "0", "1", 0, 1, 0, 1), num("x", 1, 0, 1, 2), nil},
		{days("13/1/2023", "4/5/2023", "6/7/2023", "14/1/2023"), days("5/4/2023", "11/18/2023", "5/5/2023",
			"1/2/2023"), []int{0, 3}},
		{days("13/1/2023", "4/5/2023", "6/7/2023", "14/1/2023"), days("5/4/2023", "11/18/2023", "25/5/2023",
			"31/2/2023"), nil},
	} {
		r := fit(t, tab(c.train, cat("class", "a", "b", "a", "b")), 1, all(4))
		_, unusable := encode(t, r, tab(c.file))
		var got []int
		for row, err := range unusable {
			if f, ok := errors.AsType[table.Finding](err); ok && f.Code == texts.Contradicted {
				got = append(got, row)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: rows %v, want %v: %v", c.file, got, c.want, unusable)
		}
	}
}
