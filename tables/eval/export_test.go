package eval

import (
	"testing"

	"github.com/mpcvm/mpcvm/tables/table"
)

// Open is tables.Open, which imports this package, for the tests of this package.
var Open func(path string, drop, id []string) (*table.Table, error)

func openPenguins(t testing.TB, drop []string, id ...string) *table.Table {
	tb, err := Open("../../data/penguins.csv", drop, id)
	if err != nil {
		t.Fatal(err)
	}
	return tb
}
