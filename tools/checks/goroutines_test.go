package checks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// No search of widths, cross-validation or study leaks a goroutine, whether it finishes or is
// cancelled: synctest.Test waits until all goroutines started in it have ended, and panics if one is blocked
// forever. The contract of the learners checks their fits in the same way.
func TestConcurrentNothingLeft(t *testing.T) {
	set := must.Load(t, "iris")
	set.X = data.FitStandardizer(set.X).Apply(nil, set.X)
	rbf := kernel.RBF{Theta: 0.2}
	samples := mpcvm.Samples{X: set.X, T: set.T}
	for name, work := range map[string]func(ctx context.Context) error{
		"Widths": func(ctx context.Context) error {
			_, _, err := gp.ARD{Rounds: 2, Steps: 2}.Fit(ctx, samples)
			return err
		},
		"CrossValidate": func(ctx context.Context) error {
			_, err := search.CrossValidate(ctx, mpcvm.BottomUp{Kernel: rbf}, samples, 3, 0)
			return err
		},
	} {
		for _, checks := range []int{5, math.MaxInt} {
			t.Run(fmt.Sprint(name, " ", checks), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					err := work(watch.NewCountdown(t.Context(), checks))
					if errors.Is(err, context.Canceled) != (checks == 5) {
						t.Error(err)
					}
				})
			})
		}
	}

	partitions := must.Get(data.Partitions("iris"))(t)
	for how, cut := range map[string]bool{"study": false, "study, cancelled": true} {
		t.Run(how, func(t *testing.T) {
			s := study.Study{
				Systems: []study.System{{Name: "mpcvm2", Fit: func(ctx context.Context, _ study.Params, x mat.Matrix,
					t []int, _ uint64) (study.Classifier, error) {
					m, _, err := mpcvm.BottomUp{Kernel: rbf}.Fit(ctx, mpcvm.Samples{X: x, T: t})
					return m, err
				}}},
				Problems: []study.Problem{{Name: "iris", Set: set, Partitions: partitions}}, Test: []int{0, 1, 2,
					3}, Jobs: 2,
			}
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				_, err := s.Run(ctx, t.TempDir(), func(study.Progress) {
					if cut {
						cancel()
					}
				})
				if errors.Is(err, context.Canceled) != cut {
					t.Error(err)
				}
			})
		})
	}
}
