package fitting

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// dealt checks that every class is in every training set.
func dealt(t *testing.T, d *Data, g Dealing, folds int) {
	t.Helper()
	scored := 0
	for f := range folds {
		in, out := g.Split(f)
		scored += len(out)
		classes := map[int]bool{}
		for _, n := range in {
			classes[d.T[n]] = true
		}
		if len(classes) != d.C {
			t.Errorf("fold %d: the training set has %d of %d classes", f, len(classes), d.C)
		}
		if !g.Ahead {
			kept := 0
			for _, fold := range g.Fold {
				if fold == folds {
					kept++
				}
			}
			if len(in)+len(out) != d.N || kept+g.Scored != d.N {
				t.Errorf("fold %d: %d and %d of %d samples", f, len(in), len(out), d.N)
			}
		}
	}
	must.Equal(t, scored, g.Scored)
}

// TestDealGroups checks that a group is in one fold, that all classes are in every training set,
// that folds are as balanced as groups allow, and that another seed gives other folds.
func TestDealGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for trial := range 100 {
		d := &Data{C: 2 + rng.IntN(4)}
		for g := range 10 + rng.IntN(40) {
			for range 1 + rng.IntN(12) {
				label := g % d.C // of the whole group
				if trial%2 == 0 {
					label = rng.IntN(d.C)
				}
				d.T, d.Groups = append(d.T, label), append(d.Groups, 1000-7*g)
			}
		}
		if trial%5 == 0 { // a class in only one group, together with other classes
			d.T[slices.Index(d.Groups, 1000)] = d.C
			d.C++
		}
		d.N = len(d.T)
		const folds = 5
		g := d.DealBound(folds, 7)
		dealt(t, d, g, folds)
		of := map[int]int{}
		size := make([]int, folds+1)
		for n, f := range g.Fold {
			if was, met := of[d.Groups[n]]; met && was != f {
				t.Fatalf("trial %d: a group in folds %d and %d", trial, was, f)
			}
			of[d.Groups[n]] = f
			size[f]++
		}
		if low, high := slices.Min(size[:folds]), slices.Max(size[:folds]); high-low > 24 {
			t.Errorf("trial %d: folds of %v samples", trial, size)
		}
		if trial%5 == 0 && of[1000] != folds {
			t.Errorf("trial %d: the only group of a class is in fold %d", trial, of[1000])
		}
		if !slices.Equal(g.Fold, d.DealBound(folds, 7).Fold) {
			t.Error("the same seed gives other folds")
		}
		if slices.Equal(g.Fold, d.DealBound(folds, 8).Fold) {
			t.Errorf("trial %d: another seed gives the same folds", trial)
		}
	}
	// Thirty groups of one class each, alternating: every fold has three groups of each class.
	d := &Data{C: 2, N: 300}
	for n := range d.N {
		d.T, d.Groups = append(d.T, n/10%2), append(d.Groups, n/10)
	}
	for f := range 5 {
		_, out := d.Deal(5, 3).Split(f)
		ones := 0
		for _, n := range out {
			ones += d.T[n]
		}
		if len(out) != 60 || ones != 30 {
			t.Errorf("fold %d: %d of %d", f, ones, len(out))
		}
	}
	// Training and held-out samples share no group.
	d.X, d.D = kernel.Indices(d.N), 1
	in, out := d.HoldOut(1)
	for _, g := range out.Groups {
		if slices.Contains(in.Groups, g) {
			t.Fatalf("group %d is in both sets", g)
		}
	}
	if in.N+out.N != d.N || out.N != 60 {
		t.Errorf("%d and %d of %d samples", in.N, out.N, d.N)
	}
	// Each class is one group: nothing could be scored, so samples are dealt one by one.
	d.Groups = d.T
	if g := d.DealBound(5, 1); g.Scored != 0 {
		t.Errorf("%d scored", g.Scored)
	}
	if g := d.Deal(5, 1); g.Scored != d.N {
		t.Errorf("%d scored", g.Scored)
	}
}

// TestDealTimes checks that each fold is later than its training set, that samples of one time stay
// together, and that fold 0 is the last.
func TestDealTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := range 100 {
		d := &Data{C: 3, N: 60 + rng.IntN(100)}
		d.Groups = make([]int, d.N) // times take precedence over groups
		for range d.N {
			d.T, d.Times = append(d.T, rng.IntN(3)), append(d.Times, float64(rng.IntN([]int{10, 1000}[trial%2])))
		}
		g := d.DealBound(5, uint64(trial))
		dealt(t, d, g, 5)
		for f := range 5 {
			in, out := g.Split(f)
			for _, n := range out {
				for _, m := range in {
					if d.Times[m] >= d.Times[n] {
						t.Fatalf("trial %d, fold %d: trains on %v and scores %v", trial, f, d.Times[m], d.Times[n])
					}
				}
			}
		}
		if in, out := g.Split(0); len(in)+len(out) != d.N || 2*g.Scored < d.N {
			t.Errorf("fold 0: %d and %d of %d samples, %d scored", len(in), len(out), d.N, g.Scored)
		}
	}
	// Half of the samples have the last time. They are fold 0, with the samples just before, so no
	// empty fold precedes a full one.
	late := &Data{C: 2, N: 40}
	for n := range late.N {
		late.T, late.Times = append(late.T, n%2), append(late.Times, float64(min(n, 20)))
	}
	if in, out := late.DealBound(5, 1).Split(0); len(in) != 14 || len(out) != 26 ||
		slices.Max(late.DealBound(5, 1).Fold) != 5 {
		t.Errorf("%v and %v", in, out)
	}
	// If a class comes last, nothing can be scored.
	d := &Data{C: 2, N: 40, T: slices.Concat(make([]int, 39), []int{1}), Times: make([]float64, 40)}
	for n := range d.Times {
		d.Times[n] = float64(n)
	}
	if g := d.DealBound(5, 1); g.Scored != 0 {
		t.Errorf("%d scored", g.Scored)
	}
	if g := d.Deal(5, 1); g.Ahead || g.Scored != 39 {
		t.Errorf("%d scored", g.Scored)
	}
}

// TestSamples checks that groups and times stay with the samples through New, Part and Samples.
func TestSamples(t *testing.T) {
	labels := []int{0, 1, 0, 1}
	d, err := New(Samples{X: kernel.Indices(4), T: labels, Groups: []int{5, 5, 6, 6}, Times: []float64{1, 2, 3,
		4}})
	must.OK(t, err)
	p := d.Part([]int{1, 2})
	if !slices.Equal(p.Groups, []int{5, 6}) || !slices.Equal(p.Times, []float64{2, 3}) {
		t.Errorf("%v, %v", p.Groups, p.Times)
	}
	again, err := New(d.Samples())
	if err != nil || !again.Bound() || !slices.Equal(again.Groups, d.Groups) {
		t.Errorf("%v, %+v", err, again)
	}
	if plain, err := New(Samples{X: kernel.Indices(4), T: labels}); err != nil || plain.Bound() ||
		plain.Weights != nil {
		t.Errorf("%v, %+v", err, plain)
	}
	for _, groups := range [][]int{{1}, {1, 2, 3, 4, 5}} {
		if _, err := New(Samples{X: kernel.Indices(4), T: labels, Groups: groups}); err == nil {
			t.Errorf("%d groups for 4 samples", len(groups))
		}
	}
}

// TestDealCopies checks a law: copying each sample k times does not change the folds, if the copies of a group
// are in the group.
func TestDealCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for trial := range 200 {
		n, k := 20+rng.IntN(100), 2+rng.IntN(6)
		d := &Data{N: n, C: 2 + rng.IntN(3)}
		groups := make([]int, n)
		for i := range n {
			d.T = append(d.T, rng.IntN(d.C))
			groups[i] = rng.IntN(n / 2)
		}
		copy(d.T, []int{0, 1, 2, 3}[:d.C])
		if trial%2 == 0 {
			d.Groups = groups
		} else {
			groups = All(n)
		}
		copied := &Data{N: n * k, C: d.C}
		from := make([]int, n*k)
		for i := range from { // all samples in order, and then their copies in any order
			from[i] = i % n
		}
		rng.Shuffle(n*k-n, func(i, j int) { from[n+i], from[n+j] = from[n+j], from[n+i] })
		for _, i := range from {
			copied.T, copied.Groups = append(copied.T, d.T[i]), append(copied.Groups, groups[i])
		}
		seed := rng.Uint64()
		want, got := d.Deal(Folds, seed), copied.Deal(Folds, seed)
		for i, first := range from {
			if got.Fold[i] != want.Fold[first] {
				t.Fatalf("trial %d: sample %d, a copy of %d, is in fold %d instead of %d", trial, i, first,
					got.Fold[i], want.Fold[first])
			}
		}
		if got.Scored != k*want.Scored {
			t.Errorf("trial %d: %d scored, want %d", trial, got.Scored, k*want.Scored)
		}
	}
}

// TestRareClass checks that enough samples of rare classes are held out.
func TestRareClass(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, of := range []struct{ rare, folds, held int }{{1, 1, 0}, {2, 5, 1}, {6, 5, 3}, {20, 3, 10}, {60, 1, 10}} {
		d := &Data{N: 12000, C: 2, D: 1, X: mat.NewDense(12000, 1, nil)}
		for _, n := range rng.Perm(d.N) {
			d.T = append(d.T, 0)
			if n < of.rare {
				d.T[len(d.T)-1] = 1
			}
		}
		for _, grouped := range []bool{false, true} {
			if grouped { // pairs, some of both classes
				for n := range d.N {
					d.Groups = append(d.Groups, n/2)
				}
			}
			g := d.Deal(Folds, 1)
			folds := g.ToScore(d.T, Folds, 1)
			if !grouped && folds > of.folds {
				t.Errorf("%d rare samples: %d folds, want up to %d", of.rare, folds, of.folds)
			}
			scored, all := 0, 0
			for n, fold := range g.Fold {
				if d.T[n] == 1 && fold < Folds {
					all++
					if fold < folds {
						scored++
					}
				}
			}
			if scored < min(classSamples, all) {
				t.Errorf("%d rare samples: %d are held out in %d folds", of.rare, scored, folds)
			}
			train, validation := d.HoldOut(1)
			if in, out := train.Counts()[1], validation.Counts()[1]; out < of.held || in < 1 || in+out != of.rare {
				t.Errorf("%d rare samples: %d in the training set, %d in the validation set", of.rare, in, out)
			}
			if share := validation.Mass()[1] / float64(validation.N); validation.Weights != nil &&
				math.Abs(share-float64(of.rare)/float64(d.N)) > 1e-9 {
				t.Errorf("%d of %d rare samples: their weight in the validation set is %v", of.rare, d.N, share)
			}
			for n, row := range train.Groups {
				if _, both := slices.BinarySearch(validation.Groups, row); both {
					t.Fatalf("sample %d of the training set is in a group of the validation set", n)
				}
			}
		}
	}
}
