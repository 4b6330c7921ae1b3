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
	auto.RowOrder, auto.ClassOrder = 0.5, 0.5 // the folds are dealt in another way, and another setting may win
	contract.Test(t, "Auto", auto)
}
