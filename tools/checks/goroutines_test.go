package checks

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/dlsr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/vote"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// No fit, study or progress line leaks a goroutine, whether it finishes or is cancelled: synctest.Test
// waits until all goroutines started in it have ended, and panics if one is blocked forever.
func TestConcurrentNothingLeft(t *testing.T) {
	set := must.Load(t, "iris")
	set.X = data.FitStandardizer(set.X).Apply(nil, set.X)
	rbf := kernel.RBF{Theta: 0.2}
	samples := mpcvm.Samples{X: set.X, T: set.T}
	type fit func(ctx context.Context, o ...mpcvm.Observer) error
	fits := map[string]fit{
		"Widths": func(ctx context.Context, o ...mpcvm.Observer) error {
			return failure(gp.ARD{Rounds: 2, Steps: 2}.Fit(ctx, samples, o...))
		},
		"CrossValidate": func(ctx context.Context, o ...mpcvm.Observer) error {
			for _, observe := range o {
				observe(nil)
			}
			_, err := search.CrossValidate(ctx, mpcvm.BottomUp{Kernel: rbf}, samples, 3, 0)
			return err
		},
		"dlsr": func(ctx context.Context, o ...mpcvm.Observer) error {
			return failure(dlsr.DLSR{}.Fit(ctx, samples, o...))
		},
		"mlr": func(ctx context.Context, o ...mpcvm.Observer) error {
			return failure(mlr.MLR{}.Fit(ctx, samples, o...))
		},
		"mRVM1": func(ctx context.Context, o ...mpcvm.Observer) error {
			return failure(mrvm.TopDown{}.Fit(ctx, samples, o...))
		},
		"mRVM2": func(ctx context.Context, o ...mpcvm.Observer) error {
			return failure(mrvm.BottomUp{}.Fit(ctx, samples, o...))
		},
		"SVM": func(ctx context.Context, o ...mpcvm.Observer) error {
			return failure(svm.SVM{}.Fit(ctx, samples, o...))
		},
		"one against one": func(ctx context.Context, o ...mpcvm.Observer) error {
			return failure(vote.OneVsOne{Base: mpcvm.BottomUp{Kernel: rbf}}.Fit(ctx, samples, o...))
		},
	}
	for name, l := range map[string]mpcvm.Learner{
		"TopDown":     search.Calibrated{Learner: mpcvm.TopDown{Kernel: rbf}},
		"BottomUp":    search.Calibrated{Learner: mpcvm.BottomUp{Kernel: rbf}},
		"KernelPrior": gp.KernelPrior{Kernel: rbf, Keep: 1},
	} {
		fits[name] = func(ctx context.Context, o ...mpcvm.Observer) error {
			return failure(l.Fit(ctx, samples, o...))
		}
	}
	for name, fit := range fits {
		t.Run(name, func(t *testing.T) {
			for how, cut := range map[string]func(cancel context.CancelFunc) mpcvm.Observer{
				"finished": func(context.CancelFunc) mpcvm.Observer { return func(*mpcvm.Step) {} },
				"cancelled": func(cancel context.CancelFunc) mpcvm.Observer {
					return func(*mpcvm.Step) { cancel() }
				},
				"cancelled before": func(cancel context.CancelFunc) mpcvm.Observer {
					cancel()
					return func(*mpcvm.Step) {}
				},
			} {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					err := fit(ctx, cut(cancel))
					if cancelled := errors.Is(err, context.Canceled); cancelled != (how != "finished") {
						t.Errorf("%s: %v", how, err)
					}
				})
			}
		})
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

	t.Run("progress", func(t *testing.T) {
		read, write, err := os.Pipe() // replaces standard error
		must.OK(t, err)
		stderr := os.Stderr
		os.Stderr = write
		defer func() { os.Stderr = stderr }()
		_, stop := nbhelpers.Context() // the first call starts the goroutine of package signal, which stays
		stop()
		synctest.Test(t, func(t *testing.T) {
			progress := nbhelpers.NewProgress("fit")
			_, result, err := mpcvm.BottomUp{Kernel: rbf}.Fit(t.Context(), mpcvm.Samples{X: set.X, T: set.T},
				progress.Observe)
			if err != nil {
				t.Error(err)
			}
			progress.Done(result)
			ctx, stop := nbhelpers.Context()
			stop()
			<-ctx.Done()
		})
		write.Close()
		if text, _ := io.ReadAll(read); len(text) == 0 {
			t.Error("no progress was printed")
		}
	})
}

// failure returns the error of a fit.
func failure[M, R any](_ M, _ R, err error) error { return err }
