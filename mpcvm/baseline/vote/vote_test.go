package vote_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/vote"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

var bg = context.Background()

var base = mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}, MaxIterations: 100}

// TestOneVsOne compares votes, ties, coupling and size with pairs that are fitted separately.
func TestOneVsOne(t *testing.T) {
	set := data.Blobs(80, 4, 2, 1.2, 3)
	grid := gridOf(-3, 9, 30)
	m, r := laws.Fit(t, vote.OneVsOne{Base: base}, set.X, set.T)
	n, _ := grid.Dims()
	votes, sum, inverse := mat.NewDense(n, 4, nil), mat.NewDense(n, 4, nil), mat.NewDense(n, 4, nil)
	used, weights, logLik, pairs := map[int]bool{}, 0, 0.0, 0
	for i := range 4 {
		for j := i + 1; j < 4; j++ {
			var rows []int
			for k, c := range set.T {
				if c == i || c == j {
					rows = append(rows, k)
				}
			}
			part := set.Subset(rows)
			labels := make([]int, len(rows))
			for k, row := range rows {
				if set.T[row] == j {
					labels[k] = 1
				}
			}
			b, br := laws.Fit(t, base, part.X, labels)
			for _, v := range b.RelevanceVectors() {
				used[rows[v.Index]] = true
			}
			w := b.WeightCount()
			weights += w
			logLik += br.LogLik
			pairs++
			p := b.Proba(nil, grid)
			for k := range n {
				c := i
				if p.At(k, 1) > 0.5 {
					c = j
				}
				votes.Set(k, c, votes.At(k, c)+1)
				for side, c := range []int{i, j} {
					sum.Set(k, c, sum.At(k, c)+p.At(k, side))
					inverse.Set(k, c, inverse.At(k, c)+1/p.At(k, side))
				}
			}
		}
	}
	if v, w := m.VectorCount(), m.WeightCount(); v != len(used) || w != weights {
		t.Errorf("size %d, %d, want %d, %d", v, w, len(used), weights)
	}
	if r.Iterations != pairs || math.Abs(r.LogLik-logLik) > 1e-9*math.Abs(logLik) {
		t.Errorf("%d iterations with log likelihood %v, want %d with %v", r.Iterations, r.LogLik, pairs, logLik)
	}
	labels, p, got, regions := m.Predict(nil, grid), m.Proba(nil, grid), m.Votes(nil, grid), m.Regions(nil, grid)
	for k := range n {
		if !slices.Equal(got.RawRowView(k), votes.RawRowView(k)) {
			t.Fatalf("row %d has votes %v, want %v", k, got.RawRowView(k), votes.RawRowView(k))
		}
		want := make([]float64, 4)
		for c := range want {
			want[c] = 1 / (inverse.At(k, c) - 2)
		}
		floats.Scale(1/floats.Sum(want), want)
		if !floats.EqualApprox(p.RawRowView(k), want, 1e-9) {
			t.Fatalf("row %d has probabilities %v, want %v", k, p.RawRowView(k), want)
		}
		top, label := floats.Max(votes.RawRowView(k)), -1
		winners := 0
		for c := range 4 {
			if votes.At(k, c) == top {
				winners++
				if label < 0 || sum.At(k, c) > sum.At(k, label) {
					label = c
				}
			}
		}
		if labels[k] != label {
			t.Errorf("row %d has label %d, want %d", k, labels[k], label)
		}
		if regions[k].Ambiguous() != (winners > 1) || winners > 1 && regions[k] != vote.Tied {
			t.Errorf("row %d with votes %v is %v", k, votes.RawRowView(k), regions[k])
		}
	}
}

// gridOf returns a grid of points in a square of the plane.
func gridOf(lo, hi float64, side int) *mat.Dense {
	x := mat.NewDense(side*side, 2, nil)
	at := func(i int) float64 { return lo + (hi-lo)*float64(i)/float64(side-1) }
	for i := range side * side {
		x.SetRow(i, []float64{at(i / side), at(i % side)})
	}
	return x
}

// TestRegions: three clusters around a point have a region that no class claims and another that several
// classes claim. In some region, the pairs of the same clusters tie.
func TestRegions(t *testing.T) {
	set := must.Load(t, "overlap")
	grid := gridOf(-4, 4, 60)
	rest, _ := laws.Fit(t, vote.OneVsRest{Base: base}, set.X, set.T)
	count := map[vote.Region]int{}
	votes := rest.Votes(nil, grid)
	for i, r := range rest.Regions(nil, grid) {
		count[r]++
		if claims := floats.Sum(votes.RawRowView(i)); (claims == 0) != (r == vote.Unclaimed) ||
			(claims > 1) != (r == vote.Contested) {
			t.Errorf("%v with %v claims", r, claims)
		}
	}
	if count[vote.Unclaimed] == 0 || count[vote.Contested] == 0 || count[vote.Clear] == 0 {
		t.Errorf("one against the rest: %v", count)
	}
	pairs, _ := laws.Fit(t, vote.OneVsOne{Base: base}, set.X, set.T)
	clear(count)
	for _, r := range pairs.Regions(nil, gridOf(-3.1126, 3.3388, 80)) {
		count[r]++
	}
	if count[vote.Tied] == 0 || count[vote.Clear] < 5000 {
		t.Errorf("one against one: %v", count)
	}
	nan := mat.NewDense(1, 2, []float64{0, math.NaN()})
	if r := rest.Regions(nil, nan)[0]; r != vote.NoNumber || r.Ambiguous() {
		t.Errorf("a row with NaN is %v", r)
	}
	if !math.IsNaN(rest.Votes(nil, nan).At(0, 0)) {
		t.Error("a row with NaN has votes")
	}
}

// failing is a learner that returns an error for a problem with few samples.
type failing struct{ panics bool }

func (f failing) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*mpcvm.Model,
	mpcvm.Result, error) {
	x := s.X
	if n, _ := x.Dims(); n < 40 {
		if f.panics {
			panic("as requested")
		}
		return nil, mpcvm.Result{}, cell.New("mpcvm", 1, -1, 5, "as requested")
	}
	return base.Fit(ctx, s, observers...)
}

// TestErrors: an error names the pair and the row in the whole data. If Base panics, Fit panics.
func TestErrors(t *testing.T) {
	set := data.Blobs(66, 3, 2, 1, 1)
	rows := make([]int, 0, 66)
	for i := range 66 {
		if set.T[i] != 2 || i < 30 {
			rows = append(rows, i)
		}
	}
	set = set.Subset(rows) // 22, 22 and 10 samples: the pair of 0 and 2 has fewer than 40
	_, _, err := vote.OneVsOne{Base: failing{}}.Fit(bg, mpcvm.Samples{X: set.X, T: set.T})
	var bad *mpcvm.CellError
	if !errors.As(err, &bad) || bad.Row != 3 {
		t.Errorf("error %v", err)
	}
	if want := "vote: class 0 against class 2: mpcvm: row 3: as requested: 5"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	defer func() {
		if recover() != "as requested" {
			t.Error("no panic")
		}
	}()
	_, _, _ = vote.OneVsOne{Base: failing{true}}.Fit(bg, mpcvm.Samples{X: set.X, T: set.T})
}

// TestPart: in the model of a stopped fit, missing pairs predict their class frequencies.
func TestPart(t *testing.T) {
	set := data.Blobs(60, 3, 2, 0.5, 2)
	m, r, err := vote.OneVsOne{Base: base}.Fit(bg, mpcvm.Samples{X: set.X, T: set.T},
		func(s *mpcvm.Step) { s.Stop() })
	if err != nil || r.Status != mpcvm.Stopped || r.Iterations != 1 {
		t.Fatalf("%v after %d, %v", r.Status, r.Iterations, err)
	}
	// Only the pair of 0 and 1 is fitted; the classes of the other pairs have equal frequencies.
	wrong := 0
	for i, l := range m.Predict(nil, set.X) {
		if set.T[i] < 2 && l != set.T[i] {
			wrong++
		}
	}
	if wrong > 2 {
		t.Errorf("%d errors in the two classes of the fitted pair", wrong)
	}
}

// TestZeroValue: without Base, the width is set for each pair.
func TestZeroValue(t *testing.T) {
	set := data.Blobs(45, 3, 2, 0.5, 2)
	for name, l := range map[string]interface {
		Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*vote.Model, mpcvm.Result, error)
	}{"OneVsOne": vote.OneVsOne{}, "OneVsRest": vote.OneVsRest{}} {
		m, r := laws.Fit(t, l, set.X, set.T)
		if e := must.Get(score.ErrorRate(m.Predict(nil, set.X), set.T))(t); e > 0.1 || r.Iterations != 3 {
			t.Errorf("%s: training error %v, %d iterations", name, e, r.Iterations)
		}
	}
}
