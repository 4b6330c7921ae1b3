//go:build long

package baseline_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/contract"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

func TestLongAuto(t *testing.T) {
	auto := saved(contract.Of[*mpcvm.Model](search.Auto{}))
	auto.Slow, auto.CrossValidates = true, true
	auto.Linear = true                        // what Auto chooses for the usual problem
	auto.RowOrder, auto.ClassOrder = 0.5, 0.5 // the folds change, and with them possibly the chosen setting
	contract.Test(t, "Auto", auto)
}
