package tables

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/recipe"
)

// The search takes a share of the budget that depends on the evaluation, less the time already taken.
func TestSearchTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			budget, taken time.Duration
			folds         int
			nested        bool
			report        bool
			want          time.Duration
		}{
			{100 * time.Second, 0, 0, false, false, 73500 * time.Millisecond}, // 2 % are reserved
			{100 * time.Second, 58 * time.Second, 5, false, false, 30 * time.Second},
			{100 * time.Second, 58 * time.Second, -1, false, false, 40 * time.Second},
			{100 * time.Second, 58 * time.Second, 4, true, false, 8 * time.Second},
			{100 * time.Second, 47100 * time.Millisecond, -1, false, true, 40 * time.Second},
			{time.Second, time.Second, 5, false, false, 1},
		} {
			p := &Training{Samples: &recipe.Samples{}, Settings: Settings{Budget: tt.budget, Start: time.Now(),
				Report: tt.report, EvaluateOptions: assess.EvaluateOptions{Options: assess.Options{Folds: tt.folds},
					Nested: tt.nested}}}
			time.Sleep(tt.taken)
			if got := p.searchTime(); got != tt.want {
				t.Errorf("%+v: %v", tt, got)
			}
		}
	})
}
