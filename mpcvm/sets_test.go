package mpcvm_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// TestPredictSet: the sets follow the plain rule, class by class, and contain the class with the largest
// potential. They grow with the coverage, and neither temperature nor floor changes them.
func TestPredictSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 10 {
		x, labels, k, about := problem(rng)
		m, _ := laws.Fit(t, mpcvm.BottomUp{Kernel: k}, x, labels)
		unseen, err := search.CrossValidate(bg, mpcvm.BottomUp{Kernel: k}, mpcvm.Samples{X: x, T: labels}, 4, 1)
		if err != nil {
			continue // too many classes with one sample
		}
		m = m.WithScores(search.Scores(unseen, labels))
		last := make([][]int, len(labels))
		for _, coverage := range []float64{0.3, 0.7, 0.9, 0.97} {
			sets := must.Get(m.PredictSet(x, coverage))(t)
			other, err := m.WithTemperature(3).WithFloor(make([]float64, m.Classes())).PredictSet(x, coverage)
			if err != nil || fmt.Sprint(other) != fmt.Sprint(sets) {
				t.Errorf("%s: temperature and floor change sets", about)
			}
			y := m.Potentials(nil, x)
			for i, set := range sets {
				if want := plainSet(y.RawRowView(i), unseen, labels, m.Scores().ByClass(), coverage); !slices.Equal(set,
					want) {
					t.Errorf("%s: row %d: %v at %g, want %v", about, i, set, coverage, want)
				}
				for _, c := range last[i] {
					if !slices.Contains(set, c) {
						t.Errorf("%s: row %d: %v at %g, %v before", about, i, set, coverage, last[i])
					}
				}
			}
			last = sets
		}
		if sets, err := load(t, save(t, m)).PredictSet(x, 0.97); err != nil ||
			fmt.Sprint(sets) != fmt.Sprint(last) {
			t.Errorf("%s: the loaded model gives different sets: %v", about, err)
		}
	}
}

// plainSet applies the rule directly: it counts the held-out samples whose margins are at most the margin of
// each class.
func plainSet(y []float64, unseen *mat.Dense, labels []int, byClass bool, coverage float64) []int {
	margin := func(y []float64, c int) float64 {
		others := slices.Delete(slices.Clone(y), c, c+1)
		return y[c] - slices.Max(others)
	}
	set := []int{}
	for c := range y {
		if y[c] == slices.Max(y) {
			set = append(set, c)
			continue
		}
		n, below := 0, 0
		for i, label := range labels {
			if row := unseen.RawRowView(i); !math.IsNaN(row[0]) && (!byClass || label == c) {
				n++
				if margin(row, label) <= margin(y, c) {
					below++
				}
			}
		}
		if float64(1+below)/float64(n+1) > 1-coverage+1e-12 {
			set = append(set, c)
		}
	}
	return set
}

// TestNoScores: a model from an old file has no sets, which the error reports. A coverage of 1 panics.
func TestNoScores(t *testing.T) {
	m := load(t, small)
	if _, err := m.PredictSet(mat.NewDense(1, 2, nil), 0.9); !errors.Is(err, mpcvm.ErrNoScores) {
		t.Error(err)
	}
	m = m.WithScores(mpcvm.Scores{{Count: 1, Values: []float64{0.5}}})
	sets, err := m.PredictSet(mat.NewDense(2, 2, []float64{math.NaN(), 0, 0, 0}), 0.9)
	if err != nil || sets[0] != nil || len(sets[1]) != 3 {
		t.Errorf("%v for a row with NaN and a single score, %v", sets, err)
	}
	for name, f := range map[string]func(){
		"coverage 1":  func() { _, _ = m.PredictSet(mat.NewDense(1, 2, nil), 1) },
		"coverage 0":  func() { _, _ = m.PredictSet(mat.NewDense(1, 2, nil), 0) },
		"two classes": func() { _, _ = m.SetsOf(mat.NewDense(1, 2, nil), nil, 0.9) },
		"scores":      func() { m.WithScores(mpcvm.Scores{}) },
		"reach":       func() { m.WithReach(mat.NewDense(8, 2, nil)) },
	} {
		must.Panic(t, name, f)
	}
}

// Samples that a model did not see determine the width and the scores.
func TestScoresOfLearners(t *testing.T) {
	set := data.Blobs(90, 3, 2, 1, 1)
	for name, l := range map[string]mpcvm.Learner{
		"width":     search.Width{Learner: mpcvm.BottomUp{}},
		"calibrate": search.Calibrated{Learner: mpcvm.TopDown{Kernel: kernel.RBF{Theta: 1}}},
		"given":     mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}},
	} {
		m, _ := laws.Fit(t, l, set.X, set.T)
		if (m.Scores() == nil) != (name == "given") {
			t.Errorf("%s: scores %v", name, m.Scores())
		}
	}
}

// TestUnlike: the reach is the plain sum, at most 1 % of the training samples are unlike with leave-one-out,
// samples far away are unlike, and a loaded model gives the same results.
func TestUnlike(t *testing.T) {
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 1}, kernel.RationalLaplacian{Theta: 1},
		kernel.ARD{Theta: []float64{1, 2}}, kernel.Matern52{Theta: 0.5}} {
		for _, n := range []int{50, 450} {
			set := data.Blobs(n, 3, 2, 1, 4)
			m, _ := laws.Fit(t, mpcvm.BottomUp{Kernel: k}, set.X, set.T)
			m = m.WithReach(set.X)
			reach := func(x []float64, but int) (sum float64) {
				for _, v := range m.RelevanceVectors() {
					for _, w := range v.Weights {
						if v.Index != but {
							sum += math.Abs(w) * k.Value(x, v.X)
						}
					}
				}
				return sum
			}
			left := make([]float64, n)
			for i := range n {
				left[i] = reach(set.X.RawRowView(i), i)
			}
			least := slices.Sorted(slices.Values(left))[n/100]
			unlike := 0
			for _, r := range left {
				if r < least {
					unlike++
				}
			}
			if unlike > n/100 {
				t.Errorf("%v: %d of %d training samples are unlike", k, unlike, n)
			}
			rng := rand.New(rand.NewPCG(8, 8))
			x := mat.NewDense(500, 2, nil)
			for i := range 500 {
				x.SetRow(i, []float64{4 * rng.NormFloat64(), 4 * rng.NormFloat64()})
			}
			x.SetRow(0, []float64{100, -100})
			x.SetRow(1, []float64{math.NaN(), 0})
			got, again := m.Unlike(nil, x), load(t, save(t, m)).Unlike(nil, x)
			y, both := m.PotentialsUnlike(nil, x)
			for i, is := range got {
				if r := reach(x.RawRowView(i), -1); is != (r < least) && math.Abs(r/least-1) > 1e-9 {
					t.Errorf("%v: unlike %v at reach %g, threshold %g", k, is, r, least)
				}
				if is != again[i] || is != both[i] || is != m.Explain(x.RawRowView(i)).Unlike {
					t.Errorf("%v: row %d: %v, then %v, %v", k, i, is, again[i], both[i])
				}
			}
			if !got[0] || got[1] || !slices.Contains(got[2:], false) {
				t.Errorf("%v: %v", k, got)
			}
			if want := m.Potentials(nil, x); !mat.Equal(y.Slice(2, 500, 0, 3), want.Slice(2, 500, 0, 3)) {
				t.Errorf("%v: potentials differ", k)
			}
			if p := m.ProbaOf(nil, y); !mat.Equal(p.Slice(2, 500, 0, 3), m.Proba(nil, x).Slice(2, 500, 0, 3)) {
				t.Errorf("%v: probabilities differ", k)
			}
		}
	}
}

// TestEmptySets: a set is empty only if the sample is unlike the training samples and the margins of
// all classes are below their thresholds.
func TestEmptySets(t *testing.T) {
	set := data.Blobs(150, 3, 2, 0.5, 4)
	l := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}
	m, _ := laws.Fit(t, l, set.X, set.T)
	unseen := must.Get(search.CrossValidate(bg, l, mpcvm.Samples{X: set.X, T: set.T}, 5, 1))(t)
	m = m.WithScores(search.Scores(unseen, set.T)).WithReach(set.X)
	rng := rand.New(rand.NewPCG(8, 8))
	x := mat.NewDense(600, 2, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		if i < 300 {
			return set.X.At(i/2, j) + 0.1*rng.NormFloat64()
		}
		return 6 * rng.NormFloat64()
	}, x)
	kinds := map[string]int{}
	y, unlike := m.PotentialsUnlike(nil, x)
	for _, coverage := range []float64{0.3, 0.8, 0.95} {
		sets := must.Get(m.PredictSet(x, coverage))(t)
		known, err := m.SetsOf(y, nil, coverage) // as if no sample were unlike
		must.OK(t, err)
		least := m.Scores().Thresholds(coverage, 3)
		for i := range sets {
			var plain []int
			for c := range least {
				if others := slices.Delete(slices.Clone(y.RawRowView(i)), c, c+1); y.At(i, c)-slices.Max(others) >= least[c] {
					plain = append(plain, c)
				}
			}
			top := slices.Index(y.RawRowView(i), slices.Max(y.RawRowView(i)))
			with := slices.Compact(slices.Sorted(slices.Values(append([]int{top}, plain...))))
			want := with
			if unlike[i] {
				want = plain
			}
			if !slices.Equal(sets[i], want) || !slices.Equal(known[i], with) {
				t.Errorf("row %d, unlike %v: %v, %v, want %v, %v", i, unlike[i], sets[i], known[i], want, with)
			}
			kinds[fmt.Sprint(unlike[i], len(plain) == 0)]++
		}
	}
	if len(kinds) != 4 {
		t.Errorf("%v: a kind of row was not tested", kinds)
	}
}

// TestReachOfLinear: with a kernel that increases with the distance, a sample is unlike if it is farther from
// the mean than 99 % of the training samples, also after loading. Version 4 of the file lacks this reach.
func TestReachOfLinear(t *testing.T) {
	set := data.Blobs(450, 2, 2, 1, 4)
	scale := data.FitStandardizer(set.X)
	x := scale.Apply(nil, set.X)
	for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.Polynomial{Degree: 2}} {
		m, _ := laws.Fit(t, mpcvm.BottomUp{Kernel: k}, x, set.T)
		m = m.WithReach(x).WithScaling(scale.Mean, scale.Scale)
		text := save(t, m)
		unlike := 0
		for i, is := range m.Unlike(nil, set.X) {
			if is {
				unlike++
			}
			if is != (1/(1+floats.Dot(x.RawRowView(i), x.RawRowView(i))) < m.Reach()) {
				t.Errorf("%v: row %d: %v", k, i, is)
			}
		}
		far := mat.NewDense(3, 2, []float64{1e9, scale.Mean[1], scale.Mean[0], scale.Mean[1], math.NaN(), 0})
		if got := load(t, text).Unlike(nil, far); unlike != 4 || !slices.Equal(got, []bool{true, false, false}) {
			t.Errorf("%v: %d of the training samples are unlike; %v", k, unlike, got)
		}
		older := strings.Replace(text, `"version": 5`, `"version": 4`, 1)
		if _, err := mpcvm.Load(strings.NewReader(older)); err == nil || !strings.Contains(err.Error(),
			"reach: not") {
			t.Error(err)
		}
	}
}
