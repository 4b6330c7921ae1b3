package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"sync/atomic"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/replicas"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// outcome is what a fit and its evaluation give, without seconds.
type outcome struct{ model, figures, importance, probabilities string }

func outcomeOf(ctx context.Context, t testing.TB, tb *table.Table, l mpcvm.Learner, o EvaluateOptions) (made outcome) {
	m, result, err := model.Fit(ctx, tb, "", l)
	if err != nil {
		t.Error(err)
		return made
	}
	result.Seconds = 0
	for i := range result.Trials {
		result.Trials[i].Seconds = 0
	}
	o.Learner, o.Result = l, result
	f, err := Evaluate(ctx, tb, m, o)
	if err != nil {
		t.Error(err)
		return made
	}
	importance, _, err := f.Importance(ctx, nil)
	if err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Error(err)
	}
	text := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	return outcome{b.String(), text(f), text(importance), text(f.Shown.Proba.RawMatrix())}
}

func penguins(t testing.TB) *table.Table {
	return openPenguins(t, []string{"Sample Number", "Date Egg", "Comments"}, "Individual ID")
}

// replicasOfAuto tests that each replica of a search and its evaluation gives the same model and figures as a
// program on its own.
func replicasOfAuto(t *testing.T, size int) {
	watch.SkipUnderRace(t)
	tb, l := penguins(t), search.Auto{Seed: 1}
	o := EvaluateOptions{Options: Options{Seed: 1}}
	want := outcomeOf(t.Context(), t, tb, l, o)
	left := replicas.Run(t, size, func(ctx context.Context, rank int) {
		if got := outcomeOf(ctx, t, tb, l, o); got != want {
			t.Errorf("replica %d of %d:\n%.2000v\nwant\n%.2000v", rank, size, got, want)
		}
	})
	if left > 0 {
		t.Errorf("%d of %d replicas have left", left, size)
	}
}

// counted is a learner that counts its fits.
type counted struct {
	mpcvm.Learner
	fits *atomic.Int32
}

func (l counted) Fit(ctx context.Context, s mpcvm.Samples, o ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result,
	error) {
	l.fits.Add(1)
	return l.Learner.Fit(ctx, s, o...)
}

// TestReplicasShare: the replicas share the fits of the folds, and one that fails fails in all of them.
func TestReplicasShare(t *testing.T) {
	all := penguins(t)
	tb := all.Slice(100, 300) // with all species
	for name, inner := range map[string]mpcvm.Learner{
		"bottom up": mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}},
		"width":     search.Calibrated{Learner: search.Width{Learner: mpcvm.BottomUp{}}}, // has loops of its own
	} {
		o := EvaluateOptions{Nested: true}
		want := outcomeOf(t.Context(), t, tb, inner, o)
		for size, fits := range map[int][]int32{2: {1 + 3, 1 + 2}, 3: {1 + 2, 1 + 2, 1 + 1}} {
			left := replicas.Run(t, size, func(ctx context.Context, rank int) {
				l := counted{inner, new(atomic.Int32)}
				got := outcomeOf(ctx, t, tb, l, o)
				if got.model != want.model || got.importance != want.importance ||
					got.probabilities != want.probabilities || l.fits.Load() != fits[rank] {
					t.Errorf("%s, replica %d of %d: %d fits\n%.2000v\nwant\n%.2000v", name, rank, size, l.fits.Load(), got,
						want)
				}
			})
			if left > 0 {
				t.Errorf("%s: %d of %d replicas have left", name, left, size)
			}
		}
	}
	learner := Of("fails", failing{mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}})
	_, want := CrossValidate(t.Context(), all, "", []System{learner}, Options{Keep: true})
	if want == nil {
		t.Fatal("no fit has failed")
	}
	left := replicas.Run(t, 2, func(ctx context.Context, rank int) {
		r, err := CrossValidate(ctx, all, "", []System{learner}, Options{Keep: true})
		if err == nil || err.Error() != want.Error() || r.Systems[0].Err != nil {
			t.Errorf("replica %d: %v, want %v", rank, err, want)
		}
	})
	if left > 0 {
		t.Error("a replica has left")
	}
}

// failing is a learner that fails on some training parts.
type failing struct{ mpcvm.Learner }

func (l failing) Fit(ctx context.Context, s mpcvm.Samples, o ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result,
	error) {
	hash, n := fnv.New32a(), len(s.T)
	for i := range n {
		fmt.Fprint(hash, s.X.At(i, 0))
	}
	if hash.Sum32()%2 == 0 {
		return nil, mpcvm.Result{}, fmt.Errorf("no fit to %d samples", n)
	}
	return l.Learner.Fit(ctx, s, o...)
}
