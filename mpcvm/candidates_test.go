package mpcvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm/internal/gram"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// saved returns a model as text, exact to the last bit.
func saved(t *testing.T, m *Model) string {
	t.Helper()
	if m == nil {
		return "none"
	}
	var b bytes.Buffer
	must.OK(t, m.Save(&b))
	return b.String()
}

// withCandidates returns learners with k candidates.
func withCandidates(k int, kern kernel.Kernel, limit int) map[string]Learner {
	return map[string]Learner{
		"TopDown":         TopDown{Kernel: kern, Candidates: k, MaxIterations: limit},
		"TopDown single":  TopDown{Kernel: kern, Candidates: k, MaxIterations: limit, Float32: true},
		"TopDown literal": TopDown{Kernel: kern, Candidates: k, MaxIterations: limit, AsPublished: true},
		"BottomUp":        BottomUp{Kernel: kern, Candidates: k, MaxIterations: limit},
		"BottomUp single": BottomUp{Kernel: kern, Candidates: k, MaxIterations: limit, Float32: true,
			LikelihoodPower: 10},
		"BottomUp bias":     BottomUp{Kernel: kern, Candidates: k, MaxIterations: limit, Bias: true, Additions: 1},
		"BottomUp literal":  BottomUp{Kernel: kern, Candidates: k, MaxIterations: limit, AsPublished: true},
		"BottomUp of two":   BottomUp{Kernel: kern, Candidates: k, MaxIterations: limit, Seed: 2},
		"BottomUp, no more": BottomUp{Kernel: kern, Candidates: k, MaxIterations: limit, Additions: 5},
	}
}

// TestCandidatesAll: if all samples are candidates, the result has the same bits as without Candidates.
func TestCandidatesAll(t *testing.T) {
	set := data.NewMixture(3, 2, 2, 0.6, 1).Set(120, 1)
	without, with := withCandidates(0, kernel.RBF{Theta: 0.5}, 60), withCandidates(120, kernel.RBF{Theta: 0.5},
		60)
	without["Theta"], with["Theta"] = BottomUp{MaxIterations: 20}, BottomUp{MaxIterations: 20, Candidates: 120}
	for name, l := range without {
		a, ra, err := l.Fit(t.Context(), Samples{X: set.X, T: set.T})
		must.OK(t, err)
		b, rb, err := with[name].Fit(t.Context(), Samples{X: set.X, T: set.T})
		must.OK(t, err)
		if saved(t, a) != saved(t, b) || ra.Objective != rb.Objective || ra.Iterations != rb.Iterations ||
			a.Temperature() != b.Temperature() {
			t.Errorf("%s: a different model with all samples as candidates", name)
		}
	}
}

// TestCandidates: models contain only candidates, obey the classification principle, have the same bits on
// any number of cores, and learn from the other samples.
func TestCandidates(t *testing.T) {
	density := data.NewMixture(4, 2, 2, 0.4, 3)
	set, test := density.Set(1500, 1), density.Set(4000, 2)
	tr := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	least, _ := density.BayesError(20000, 3)
	for name, l := range withCandidates(80, kernel.RBF{Theta: 1}, 60) {
		allowed := tr.Bases(80, 0)
		if name == "BottomUp of two" {
			allowed = tr.Bases(80, 2)
		}
		var text []string
		for _, cores := range []int{1, 3} {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			m, r, err := l.Fit(t.Context(), Samples{X: set.X, T: set.T})
			must.OK(t, err)
			text = append(text, saved(t, m))
			if cores > 1 {
				continue
			}
			for _, step := range r.Trace {
				for _, b := range slices.Concat(step.Added, step.Deleted) {
					if !slices.Contains(allowed, b.Sample) {
						t.Fatalf("%s: sample %d is not a candidate", name, b.Sample)
					}
				}
			}
			for _, v := range m.RelevanceVectors() {
				if !slices.Contains(allowed, v.Index) || v.Label != set.T[v.Index] ||
					!slices.Equal(v.X, set.X.RawRowView(v.Index)) {
					t.Fatalf("%s: relevance vector %d is not a candidate", name, v.Index)
				}
				for c, w := range v.Weights {
					if w*tr.Sign(v.Index, c) < 0 {
						t.Errorf("%s: vector %d of class %d has weight %g for class %d", name, v.Index, v.Label, w, c)
					}
				}
			}
			if strings.Contains(name, "literal") {
				continue // neither monotone nor accurate
			}
			for i, step := range r.Trace[1:] {
				if step.StartShare == 0 && step.Objective < r.Trace[i].Objective-1e-9*math.Abs(step.Objective) {
					t.Errorf("%s: objective falls from %g to %g", name, r.Trace[i].Objective, step.Objective)
				}
			}
			wrong := 0
			for i, label := range m.Predict(nil, test.X) {
				if label != test.T[i] {
					wrong++
				}
			}
			if got := float64(wrong) / 4000; got > least+0.025 {
				t.Errorf("%s: error rate %.3f, the Bayes error is %.3f", name, got, least)
			}
		}
		if text[0] != text[1] {
			t.Errorf("%s: a different model on three cores", name)
		}
	}
}

// TestCandidatesComputed: if the memory is too small to store Φ, it is computed when needed, with the same
// bits; if the memory is too small for that, the fit is refused.
func TestCandidatesComputed(t *testing.T) {
	watch.SkipUnderRace(t)
	const n, k, c = gram.SegmentColumns + 5000, 240, 3
	set := data.NewMixture(c, 2, 2, 0.6, 1).Set(n, 1)
	rbf := kernel.RBF{Theta: 1}
	rows, big, block := 8.*n*c, 8.*n*k, float64(gram.WorkBytes)
	bottomUp := 2*rows + 8*k*k + 8*c*3*(gram.SegmentColumns+k) + 8*n
	topDown := 2*rows + 8*k*k + block + 8*n
	for _, tt := range []struct {
		l                  Learner
		stored, need, less float64 // bytes
	}{
		{BottomUp{Kernel: rbf, Candidates: k, MaxIterations: 6}, big + bottomUp, block + bottomUp, 1},
		// a block needs as much memory
		{BottomUp{Kernel: rbf, Candidates: k, MaxIterations: 2, Float32: true}, big/2 + bottomUp, big/2 + bottomUp,
			0},
		{TopDown{Kernel: rbf, Candidates: k, MaxIterations: 2}, big + topDown, block + topDown, 1},
	} {
		var models []string
		for _, have := range []float64{tt.stored, tt.stored - tt.less, tt.need} {
			restore := memory.Pretend(have)
			m, _, err := tt.l.Fit(t.Context(), Samples{X: set.X, T: set.T})
			restore()
			if err != nil {
				t.Fatalf("%T with %.0f bytes: %v", tt.l, have, err)
			}
			models = append(models, saved(t, m))
		}
		if models[0] != models[1] || models[0] != models[2] {
			t.Errorf("%T: a different model if Φ is computed block by block", tt.l)
		}
		restore := memory.Pretend(tt.need - 1)
		_, _, err := tt.l.Fit(t.Context(), Samples{X: set.X, T: set.T})
		restore()
		var refused *MemoryError
		if !errors.As(err, &refused) || refused.Need != tt.need || !strings.Contains(err.Error(),
			"lower Candidates") || !strings.Contains(err.Error(), "240 candidates") {
			t.Errorf("%T with one byte less than %.0f: %v", tt.l, tt.need, err)
		}
	}
}

// TestCandidatesCancelled: wherever the context ends during a fit, the model is the one after the last
// recorded epoch.
func TestCandidatesCancelled(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.NewMixture(3, 2, 2, 0.6, 1).Set(gram.SegmentColumns+2000, 1)
	rbf := kernel.RBF{Theta: 1}
	for _, l := range []Learner{
		BottomUp{Kernel: rbf, Candidates: 40, MaxIterations: 5, Bias: true},
		TopDown{Kernel: rbf, Candidates: 40, MaxIterations: 4},
		BottomUp{Kernel: rbf, Candidates: 40, MaxIterations: 3, AsPublished: true},
	} {
		within := 0
		for after := 1; ; after = after*5/4 + 1 {
			ctx := watch.NewCountdown(t.Context(), after)
			last := "none"
			m, r, err := l.Fit(ctx, Samples{X: set.X, T: set.T}, func(s *Step) { last = saved(t, s.Model()) })
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || r.Status != Cancelled {
				t.Fatalf("%T after %d checks: %v, %v", l, after, r.Status, err)
			}
			if saved(t, m) != last {
				t.Errorf("%T after %d checks, %d epochs: not the model of the last epoch", l, after, r.Iterations)
			}
			if r.Iterations > 0 {
				within++
			}
		}
		if within < 3 {
			t.Errorf("%T: ended %d times during an epoch, too few for this test", l, within)
		}
	}
}

// TestCancelledAnywhere: wherever the context ends during a fit, Partial describes the model, and its
// relevance vectors are rows of the data.
func TestCancelledAnywhere(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 4)
	rbf := kernel.RBF{Theta: 0.5}
	for _, tt := range []struct {
		l    Learner
		want []string
	}{
		{BottomUp{Kernel: rbf, MaxIterations: 5}, []string{"", "the fit ended in iteration 2"}},
		{TopDown{MaxIterations: 5}, []string{"", "the fit ended in iteration 2"}},
	} {
		seen := map[string]bool{}
		for after := 1; ; after = after*21/20 + 1 {
			ctx := watch.NewCountdown(t.Context(), after)
			m, r, err := tt.l.Fit(ctx, Samples{X: set.X, T: set.T})
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || r.Status != Cancelled || (m == nil) != (r.Partial == "") {
				t.Fatalf("%T after %d checks: %v, %v, %q, model %v", tt.l, after, r.Status, err, r.Partial, m)
			}
			if seen[r.Partial] = true; m == nil {
				continue
			}
			for _, v := range m.RelevanceVectors() {
				if v.Label != set.T[v.Index] || !slices.Equal(v.X, set.X.RawRowView(v.Index)) {
					t.Fatalf("%T after %d checks: a relevance vector is not row %d", tt.l, after, v.Index)
				}
			}
		}
		for _, want := range tt.want {
			if !seen[want] {
				t.Errorf("%T: never %q, but %v", tt.l, want, seen)
			}
		}
	}
}

// TestDefaultCandidates: with more than 5000 samples, 2000 are candidates by default, but not with
// AsPublished.
func TestDefaultCandidates(t *testing.T) {
	density := data.NewMixture(3, 2, 2, 0.5, 3)
	few, many := density.Set(5000, 1), density.Set(5001, 1)
	rbf := kernel.RBF{Theta: 0.5}
	for _, tt := range []struct {
		name string
		l    Learner
		set  *data.Set
		want int
	}{
		{"few", BottomUp{Kernel: rbf, MaxIterations: 1}, few, 0},
		{"BottomUp", BottomUp{Kernel: rbf, MaxIterations: 1}, many, 2000},
		{"TopDown", TopDown{Kernel: rbf, MaxIterations: 1}, many, 2000},
		{"all", BottomUp{Kernel: rbf, MaxIterations: 1, Candidates: AllCandidates}, many, 0},
		{"as published", BottomUp{Kernel: rbf, MaxIterations: 1, AsPublished: true}, many, 0},
		{"so many", BottomUp{Kernel: rbf, MaxIterations: 1, Candidates: 40}, few, 40},
	} {
		m, r, err := tt.l.Fit(t.Context(), Samples{X: tt.set.X, T: tt.set.T})
		if err != nil || m == nil || r.Candidates != tt.want {
			t.Errorf("%s: %d candidates, want %d (%v)", tt.name, r.Candidates, tt.want, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for −2 candidates")
		}
	}()
	_, _, _ = BottomUp{Candidates: -2}.Fit(t.Context(), Samples{X: few.X, T: few.T})
}

// With candidates, a fit to a million samples does not need a matrix of a million times a million numbers.
// Here, 300 of 20,000 samples are candidates.
func ExampleBottomUp_candidates() {
	density := data.NewMixture(5, 3, 4, 0.5, 1)
	train, test := density.Set(20000, 1), density.Set(20000, 2)
	l := BottomUp{Kernel: kernel.RBF{Theta: 0.5}, Candidates: 300, MaxIterations: 60}
	model, _, err := l.Fit(context.Background(), Samples{X: train.X, T: train.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	wrong := 0
	for i, label := range model.Predict(nil, test.X) {
		if label != test.T[i] {
			wrong++
		}
	}
	least, _ := density.BayesError(20000, 3)
	vectors := model.VectorCount()
	fmt.Println("within one percentage point of the Bayes error:", float64(wrong)/20000 < least+0.01)
	fmt.Println("at most 300 relevance vectors:", vectors <= 300)
	// Output:
	// within one percentage point of the Bayes error: true
	// at most 300 relevance vectors: true
}
