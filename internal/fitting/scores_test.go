package fitting

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// listOf returns scores with one list.
func listOf(values []float64) Scores {
	values = slices.Sorted(slices.Values(values))
	return Scores{{len(values), thinned(values)}}
}

// TestThresholds leaves out each of n + 1 scores in turn. At least the coverage of them is at or
// above the threshold of the others, also with ties, and hardly more if they are distinct.
func TestThresholds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 5, 9, 10, 19, 20, 99, 255, 256, 257, 300, 700} {
		for _, ties := range []bool{false, true} {
			all := make([]float64, n+1)
			for i := range all {
				all[i] = rng.NormFloat64()
				if ties {
					all[i] = math.Round(all[i])
				}
			}
			for _, coverage := range []float64{0.01, 0.5, 0.8, 0.9, 0.95, 0.99} {
				in := 0
				for i, v := range all {
					s := listOf(slices.Delete(slices.Clone(all), i, i+1))
					must.OK(t, s.Check(2))
					if v >= s.Thresholds(coverage, 2)[1] {
						in++
					}
				}
				want := coverage * float64(n+1)
				most := want + 1 + 1e-9
				if n > mostScores { // thinned
					most += 2 / math.Sqrt(mostScores) * (float64(n+1) - want)
				}
				if float64(in) < want-1e-9 || !ties && float64(in) > most {
					t.Errorf("n = %d, coverage %g, ties %v: %d, want %g to %g", n, coverage, ties, in, want, most)
				}
			}
		}
	}
}

// TestNewScores checks that each class has a list if there are at most 10 with at least 20 samples
// each, and that rows with NaN do not count.
func TestNewScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, tt := range []struct {
		classes, each int
		byClass       bool
	}{{2, 20, true}, {10, 20, true}, {11, 40, false}, {3, 19, false}} {
		n := tt.classes*tt.each + 1
		y, labels := mat.NewDense(n, tt.classes, nil), make([]int, n)
		for i := range n {
			labels[i] = i % tt.classes
			for c := range tt.classes {
				y.Set(i, c, rng.NormFloat64())
			}
		}
		y.Set(n-1, 1, math.NaN())
		s := NewScores(y, labels)
		if s.ByClass() != tt.byClass {
			t.Errorf("%+v: by class %v", tt, s.ByClass())
		}
		if err := s.Check(tt.classes); err != nil {
			t.Error(err)
		}
		sum := 0
		for _, list := range s {
			sum += list.Count
		}
		if sum != n-1 {
			t.Errorf("%+v: %d samples, want %d", tt, sum, n-1)
		}
		var own []float64 // scores of class 0, or of all
		for i := range n - 1 {
			if labels[i] == 0 || !tt.byClass {
				own = append(own, Margin(y.RawRowView(i), labels[i]))
			}
		}
		slices.Sort(own)
		if want := thinned(own); !slices.Equal(s[0].Values, want) {
			t.Errorf("%+v: %v, want %v", tt, s[0].Values, want)
		}
	}
	nothing := mat.NewDense(1, 2, []float64{math.NaN(), 1})
	if s := NewScores(nothing, []int{0}); s != nil {
		t.Errorf("%+v without samples", s)
	}
}

// TestScoresCheck checks invalid contents of a file.
func TestScoresCheck(t *testing.T) {
	for _, s := range []Scores{
		{},
		{{1, []float64{0}}, {1, []float64{0}}},
		{{0, nil}},
		{{-1, nil}},
		{{3, []float64{1, 2}}},
		{{2, []float64{2, 1}}},
		{{2, []float64{1, math.Inf(1)}}},
		{{300, make([]float64, 300)}},
	} {
		if s.Check(3) == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}
