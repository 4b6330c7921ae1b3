package mpcvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestBases: candidates are as many as asked for, of each class its share, but a few at
// least, and another seed draws others.
func TestBases(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 200 {
		c := 2 + rng.IntN(6)
		tr := &training{c: c}
		for k := range c {
			for range 1 + rng.IntN([]int{5, 40, 400}[rng.IntN(3)]) {
				tr.t = append(tr.t, k)
			}
		}
		rng.Shuffle(len(tr.t), func(i, j int) { tr.t[i], tr.t[j] = tr.t[j], tr.t[i] })
		tr.n = len(tr.t)
		few := 1 + rng.IntN(tr.n)
		list := tr.bases(few, 7)
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) || !slices.Equal(list, tr.bases(few, 7)) {
			t.Fatalf("trial %d: %v", trial, list)
		}
		got, counts, least := make([]int, c), tr.counts(), 0
		for _, n := range list {
			got[tr.t[n]]++
		}
		for k, count := range counts {
			least += min(count, 10)
			if got[k] < min(count, 10) {
				t.Errorf("trial %d: %d of the %d samples of class %d", trial, got[k], count, k)
			}
		}
		if len(list) != max(few, least) && few < tr.n || few == tr.n && len(list) != tr.n {
			t.Errorf("trial %d: %d candidates for %d, of classes %v", trial, len(list), few, counts)
		}
		// Beyond the few, no class could give one to another and both be nearer to their share.
		for a := range c {
			for b := range c {
				high, low := (float64(got[a])-0.5)/float64(counts[a]), (float64(got[b])+0.5)/float64(counts[b])
				if got[a] > 10 && got[b] < counts[b] && high > low+1e-12 {
					t.Errorf("trial %d: %v of %v", trial, got, counts)
				}
			}
		}
		if few < tr.n/2 && few > 30 && slices.Equal(list, tr.bases(few, 8)) {
			t.Errorf("trial %d: another seed, the same candidates", trial)
		}
	}
	tr := &training{c: 2, n: 4, t: []int{0, 1, 0, 1}}
	for _, few := range []int{0, 4, 9} {
		if got := tr.bases(few, 1); !slices.Equal(got, []int{0, 1, 2, 3}) {
			t.Errorf("%d of four: %v", few, got)
		}
	}
}

// TestPhi compares what is computed of Φ where it is held with plain sums, and where it
// is computed block by block with the same to the bit.
func TestPhi(t *testing.T) {
	const n, k, c = segment + 300, 300, 3
	rng := rand.New(rand.NewPCG(3, 1))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	of := make([]int, k)
	for j := range of {
		of[j] = 100*j + j%7
	}
	z := mat.NewDense(c, n, nil)
	for i := range c {
		for j := range n {
			z.Set(i, j, rng.NormFloat64())
		}
	}
	rbf := kernel.RBF{Theta: 0.7}
	some := []int{3, 299, 17, 120}
	lists := [][]int{{5, 9, 250, 31, 77}, nil, {250, 2}}
	weights := [][]float64{{1, -2, 3, 0.5, -1}, nil, {4, -3}}
	for _, single := range []bool{false, true} {
		var results [2][]float64
		for i, held := range []bool{true, false} {
			p := newPhi(t.Context(), rbf, x, of, single, held)
			if p.held() != held || p.single != single {
				t.Fatalf("held %v, single %v", p.held(), p.single)
			}
			product := blas64.General{Rows: c + 9, Cols: k, Stride: k, Data: make([]float64, (c+9)*k)}
			p.multiply(product, z.RawMatrix(), some)
			at := mat.NewDense(c, k, nil)
			p.timesAt(at, z, func(c int) []int { return lists[c] })
			y := mat.DenseCopyOf(z)
			p.addTo(y, func(c int) ([]int, []float64) { return lists[c], weights[c] })
			norms, sums := p.norms()
			all := slices.Concat(product.Data, at.RawMatrix().Data, y.RawMatrix().Data, norms, sums)
			for _, rows := range [][][]float64{p.gram(some), p.pairs(some), p.square()} {
				all = slices.Concat(append(rows, all)...)
			}
			results[i] = all
			if !held {
				break
			}

			value := func(j, n int) float64 {
				v := rbf.Value(x.RawRowView(of[j]), x.RawRowView(n))
				if single {
					v = float64(float32(v))
				}
				return v
			}
			near := func(what string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
					t.Errorf("single %v: %s: %g, want %g", single, what, got, want)
				}
			}
			row := make([]float64, n)
			square := p.square()
			for _, j := range []int{0, 3, 255, 256, 299} {
				for i := range row {
					row[i] = value(j, i)
				}
				near("norm", norms[j], floats.Dot(row, row))
				near("sum", sums[j], floats.Sum(row))
				near("square", square[j][j], norms[j])
				for c := range c {
					near("product", product.Data[c*k+j], floats.Dot(row, z.RawRowView(c)))
				}
				for r, b := range some {
					sum := 0.0
					for i, v := range row {
						sum += v * value(b, i)
					}
					near("row of ΦΦᵀ", product.Data[(c+r)*k+j], sum)
					near("gram", p.gram(some)[r][j], sum)
					near("square", square[b][j], sum)
				}
			}
			for c, list := range lists {
				for _, i := range []int{0, 4095, 4096, segment, n - 1} {
					sum := z.At(c, i)
					for m, j := range list {
						sum += weights[c][m] * value(j, i)
					}
					near("potential", y.At(c, i), sum)
				}
				for _, j := range list {
					near("product at some", at.At(c, j), product.Data[c*k+j])
				}
			}
			for i, products := range p.pairs(some) {
				for j, v := range products {
					near("pair", v, square[some[i]][some[j]])
				}
			}
		}
		if !slices.Equal(results[0], results[1]) {
			t.Errorf("single %v: held and computed differ", single)
		}
	}
}

// saved is a model as text, to the last bit.
func saved(t *testing.T, m *Model) string {
	t.Helper()
	if m == nil {
		return "none"
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// withCandidates are learners that let k samples in.
func withCandidates(k int, kern kernel.Kernel, limit int) map[string]Learner {
	return map[string]Learner{
		"TopDown":           TopDown{Kernel: kern, Candidates: k, Iterations: limit},
		"TopDown single":    TopDown{Kernel: kern, Candidates: k, Iterations: limit, Single: true},
		"TopDown literal":   TopDown{Kernel: kern, Candidates: k, Iterations: limit, Literal: true},
		"BottomUp":          BottomUp{Kernel: kern, Candidates: k, Epochs: limit},
		"BottomUp single":   BottomUp{Kernel: kern, Candidates: k, Epochs: limit, Single: true, Evidence: 10},
		"BottomUp bias":     BottomUp{Kernel: kern, Candidates: k, Epochs: limit, NoSweep: true, Bias: true, Additions: 1},
		"BottomUp literal":  BottomUp{Kernel: kern, Candidates: k, Epochs: limit, Literal: true},
		"BottomUp of two":   BottomUp{Kernel: kern, Candidates: k, Epochs: limit, Seed: 2},
		"BottomUp, no more": BottomUp{Kernel: kern, Candidates: k, Epochs: limit, Additions: 5},
	}
}

// TestCandidatesAll: with as many candidates as samples all is as without them, to the
// bit.
func TestCandidatesAll(t *testing.T) {
	set := data.NewMixture(3, 2, 2, 0.6, 1).Set(120, 1)
	without, with := withCandidates(0, kernel.RBF{Theta: 0.5}, 60), withCandidates(120, kernel.RBF{Theta: 0.5}, 60)
	without["Theta"], with["Theta"] = BottomUp{Calibrate: true, Epochs: 20}, BottomUp{Calibrate: true, Epochs: 20, Candidates: 120}
	for name, l := range without {
		a, ra, err := l.Fit(t.Context(), set.X, set.T)
		if err != nil {
			t.Fatal(err)
		}
		b, rb, err := with[name].Fit(t.Context(), set.X, set.T)
		if err != nil {
			t.Fatal(err)
		}
		if saved(t, a) != saved(t, b) || ra.Objective != rb.Objective || ra.Iterations != rb.Iterations || a.Temperature() != b.Temperature() {
			t.Errorf("%s: another model with all samples as candidates", name)
		}
	}
}

// TestCandidates: models are of candidates alone, obey the classification principle, have
// the same bits on any number of cores, and learn from the other samples.
func TestCandidates(t *testing.T) {
	density := data.NewMixture(4, 2, 2, 0.4, 3)
	set, test := density.Set(1500, 1), density.Set(4000, 2)
	tr, err := newTraining(set.X, set.T)
	if err != nil {
		t.Fatal(err)
	}
	least, _ := density.BayesError(20000, 3)
	for name, l := range withCandidates(80, kernel.RBF{Theta: 1}, 60) {
		allowed := tr.bases(80, 0)
		if name == "BottomUp of two" {
			allowed = tr.bases(80, 2)
		}
		var text []string
		for _, cores := range []int{1, 3} {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			m, r, err := l.Fit(t.Context(), set.X, set.T)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, saved(t, m))
			if cores > 1 {
				continue
			}
			for _, step := range r.Trace {
				for _, b := range slices.Concat(step.Added, step.Deleted) {
					if !slices.Contains(allowed, b.Sample) {
						t.Fatalf("%s: sample %d is none of the candidates", name, b.Sample)
					}
				}
			}
			for _, v := range m.RelevanceVectors() {
				if !slices.Contains(allowed, v.Index) || v.Label != set.T[v.Index] || !slices.Equal(v.X, set.X.RawRowView(v.Index)) {
					t.Fatalf("%s: relevance vector %d is none of the candidates", name, v.Index)
				}
				for c, w := range v.Weights {
					if w*tr.sign(v.Index, c) < 0 {
						t.Errorf("%s: vector %d of class %d has weight %g for class %d", name, v.Index, v.Label, w, c)
					}
				}
			}
			if strings.Contains(name, "literal") {
				continue // is not monotone, nor good
			}
			for i, step := range r.Trace[1:] {
				if step.Objective < r.Trace[i].Objective-1e-9*math.Abs(step.Objective) {
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
				t.Errorf("%s: errs on %.3f, the least is %.3f", name, got, least)
			}
		}
		if text[0] != text[1] {
			t.Errorf("%s: another model on three cores", name)
		}
	}
}

// TestCandidatesComputed: where memory does not suffice to hold Φ it is computed when it is
// needed, with the same result to the bit; and where it does not suffice for that, the fit
// is refused.
func TestCandidatesComputed(t *testing.T) {
	const n, k, c = segment + 5000, 240, 3
	set := data.NewMixture(c, 2, 2, 0.6, 1).Set(n, 1)
	rbf := kernel.RBF{Theta: 1}
	rows, big, block := 8.*n*c, 8.*n*k, 8.*blockNumbers
	bottomUp := 2*rows + 8*k*k + 8*c*3*(segment+k) + 8*n
	topDown := 2*rows + 8*k*k + block + 8*n
	for _, tt := range []struct {
		l                Learner
		held, need, less float64 // bytes
	}{
		{BottomUp{Kernel: rbf, Candidates: k, Epochs: 6}, big + bottomUp, block + bottomUp, 1},
		{BottomUp{Kernel: rbf, Candidates: k, Epochs: 2, Single: true}, big/2 + bottomUp, big/2 + bottomUp, 0}, // a block takes no less
		{TopDown{Kernel: rbf, Candidates: k, Iterations: 2}, big + topDown, block + topDown, 1},
	} {
		var models []string
		for _, have := range []float64{tt.held, tt.held - tt.less, tt.need} {
			restore := memory.Pretend(have)
			m, _, err := tt.l.Fit(t.Context(), set.X, set.T)
			restore()
			if err != nil {
				t.Fatalf("%T with %.0f bytes: %v", tt.l, have, err)
			}
			models = append(models, saved(t, m))
		}
		if models[0] != models[1] || models[0] != models[2] {
			t.Errorf("%T: another model where Φ is computed block by block", tt.l)
		}
		restore := memory.Pretend(tt.need - 1)
		_, _, err := tt.l.Fit(t.Context(), set.X, set.T)
		restore()
		var refused *MemoryError
		if !errors.As(err, &refused) || refused.Need != tt.need || !strings.Contains(err.Error(), "lower Candidates") || !strings.Contains(err.Error(), "240 candidates") {
			t.Errorf("%T with a byte less than %.0f: %v", tt.l, tt.need, err)
		}
	}
}

// countdown is a context that ends when it has been asked so many times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCandidatesCancelled: wherever in a fit the context ends, the model is that of the last
// epoch seen.
func TestCandidatesCancelled(t *testing.T) {
	set := data.NewMixture(3, 2, 2, 0.6, 1).Set(segment+2000, 1)
	rbf := kernel.RBF{Theta: 1}
	for _, l := range []Learner{
		BottomUp{Kernel: rbf, Candidates: 40, Epochs: 5, Bias: true},
		TopDown{Kernel: rbf, Candidates: 40, Iterations: 4},
		BottomUp{Kernel: rbf, Candidates: 40, Epochs: 3, Literal: true},
	} {
		within := 0
		for after := int64(0); ; after = after*5/4 + 1 {
			ctx := &countdown{Context: t.Context()}
			ctx.left.Store(after)
			last := "none"
			m, r, err := l.Fit(ctx, set.X, set.T, func(s *Step) { last = saved(t, s.Model()) })
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || r.Status != Cancelled {
				t.Fatalf("%T after %d looks: %v, %v", l, after, r.Status, err)
			}
			if saved(t, m) != last {
				t.Errorf("%T after %d looks, %d epochs: not the model of the last", l, after, r.Iterations)
			}
			if r.Iterations > 0 {
				within++
			}
		}
		if within < 3 {
			t.Errorf("%T: ended %d times after an epoch: what is tested here?", l, within)
		}
	}
}

// TestCandidatesChoice: of many samples some choose Theta, and some that a fit has not seen
// choose the temperature.
func TestCandidatesChoice(t *testing.T) {
	density := data.NewMixture(3, 2, 2, 0.5, 3)
	set, test := density.Set(5000, 1), density.Set(2000, 2)
	trials := 0
	l := BottomUp{Candidates: 30, Epochs: 15, Calibrate: true, Tried: func(Trial) { trials++ }}
	m, r, err := l.Fit(t.Context(), set.X, set.T)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTraining(set.X, set.T)
	if err != nil {
		t.Fatal(err)
	}
	part := tr.sample(selectionRows, 0)
	if part.n > selectionRows+30 || part.n == tr.n {
		t.Errorf("%d samples choose", part.n)
	}
	few, rf, err := BottomUp{Candidates: 30, Epochs: 15}.Fit(t.Context(), part.x, part.t)
	if err != nil {
		t.Fatal(err)
	}
	if m.Kernel() != few.Kernel() || len(r.Trials) != trials || len(r.Trials) != len(rf.Trials) {
		t.Errorf("%v after %d trials (%d told), of the part alone %v after %d", m.Kernel(), len(r.Trials), trials, few.Kernel(), len(rf.Trials))
	}
	y, held, err := tr.heldOut(t.Context(), m.Kernel(), 0, l.defaults().learn)
	if err != nil {
		t.Fatal(err)
	}
	if held.n != 1000 || m.Temperature() != Temperature(y, held.t) || m.Temperature() == 1 {
		t.Errorf("temperature %v of %d samples", m.Temperature(), held.n)
	}
	loss := func(m *Model) (sum float64) {
		p := m.Proba(nil, test.X)
		for i, label := range test.T {
			sum -= math.Log(p.At(i, label)) / 2000
		}
		return sum
	}
	if a, b := loss(m), loss(m.WithTemperature(1)); a > b {
		t.Errorf("log loss %.4f at temperature %.3f, %.4f at 1", a, m.Temperature(), b)
	}
}

// A million samples need no matrix of a million times a million numbers: here 300 of
// 20,000 are candidates.
func ExampleBottomUp_candidates() {
	density := data.NewMixture(5, 3, 4, 0.5, 1)
	train, test := density.Set(20000, 1), density.Set(20000, 2)
	l := BottomUp{Kernel: kernel.RBF{Theta: 0.5}, Candidates: 300, Epochs: 60}
	model, _, err := l.Fit(context.Background(), train.X, train.T)
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
	vectors, _ := model.Size()
	fmt.Println("within a per cent of the least error possible:", float64(wrong)/20000 < least+0.01)
	fmt.Println("of at most 300 samples:", vectors <= 300)
	// Output:
	// within a per cent of the least error possible: true
	// of at most 300 samples: true
}

// BenchmarkPhi is a pass over Φ of 500 candidates and 66,000 samples of 16 features, for ten
// classes: held, held in float32, and computed anew.
func BenchmarkPhi(b *testing.B) {
	set := data.NewMixture(10, 4, 16, 1, 1).Set(2*segment, 1)
	tr := &training{x: set.X, t: set.T, n: set.N(), d: 16, c: 10}
	z, p := mat.NewDense(10, tr.n, nil), mat.NewDense(10, 500, nil)
	for name, kind := range map[string][2]bool{"held": {false, true}, "single": {true, true}, "computed": {false, false}} {
		phi := newPhi(b.Context(), kernel.RBF{Theta: 0.1}, tr.x, tr.bases(500, 1), kind[0], kind[1])
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				phi.times(p, z)
			}
		})
	}
}
