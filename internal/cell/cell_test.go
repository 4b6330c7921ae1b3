package cell

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestError(t *testing.T) {
	notFinite := errors.New("feature is not finite")
	for want, e := range map[string]*Error{
		`tables: iris.csv: line 3, column 2 (petal width): not a number: "x"`: {
			Name: "iris.csv", Line: 3, Column: 2, Header: "petal width", Value: "x", Err: ErrNotNumber},
		`mpcvm: row 3, column 2 (petal width): feature is not finite: NaN`: {
			Package: "mpcvm", Row: 3, Column: 2, Header: "petal width", Value: math.NaN(), Err: notFinite},
		"mpcvm: row 3: negative label: -1": {Package: "mpcvm", Row: 3, Value: -1,
			Err: errors.New("negative label")},
		"tables: x: column 3: blank name": {Name: "x", Column: 3, Value: "",
			Err: ErrBlankHeader},
		"tables: x: no samples":                                    {Name: "x", Err: ErrEmpty},
		"tables: x: row 1: empty cell (missing value)":             {Name: "x", Row: 1, Err: ErrMissing},
		fmt.Sprintf("tables: not a number: %q", Shorten("longer")): {Value: "longer", Err: ErrNotNumber},
	} {
		if got := e.Error(); got != want || !errors.Is(e, e.Err) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if s := Shorten(strings.Repeat("ä", 61)); s != strings.Repeat("ä", 59)+"…" {
		t.Error(s)
	}
	if s := strings.Repeat("ä", 60); Shorten(s) != s {
		t.Error(Shorten(s))
	}
}
