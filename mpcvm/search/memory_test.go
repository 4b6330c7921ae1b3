package search_test

import (
	"errors"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// If the final fit would need too much memory, Fit returns an error before the first trial.
func TestMemoryAtOnce(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(5200, 3, 2, 1, 1)
	defer memory.Pretend(8*5200*5200 + 400*3*5200 - 1)()
	for _, n := range []int{5200, 4900} {
		trials := 0
		a := search.Auto{Candidates: mpcvm.AllCandidates, OnTrial: func(mpcvm.Trial) { trials++ }}
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		some := set.Subset(rows)
		if n < 5000 {
			defer memory.Pretend(8 * 4900 * 4900)()
		}
		_, _, err := a.Fit(t.Context(), mpcvm.Samples{X: some.X, T: some.T})
		var refused *mpcvm.MemoryError
		if !errors.As(err, &refused) || trials > 0 {
			t.Errorf("%d samples: %v after %d trials", n, err, trials)
		}
		t.Log(err)
	}
}
