package score

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"gonum.org/v1/gonum/mat"
)

// slowA computes A(i|j) by its definition, from all pairs of samples.
func slowA(p mat.Matrix, t []int, i, j int) float64 {
	wins, all := 0.0, 0.0
	for n := range t {
		for m := range t {
			if t[n] != i || t[m] != j {
				continue
			}
			all++
			switch {
			case p.At(n, i) > p.At(m, i):
				wins++
			case p.At(n, i) == p.At(m, i):
				wins += 0.5
			}
		}
	}
	return wins / all
}

// random returns n samples of c classes with coarse scores, so that ties occur.
func random(r *rand.Rand, n, c, levels int) (*mat.Dense, []int) {
	p := mat.NewDense(n, c, nil)
	t := make([]int, n)
	for i := range n {
		t[i] = r.IntN(c)
		for j := range c {
			p.Set(i, j, float64(r.IntN(levels))/float64(levels))
		}
	}
	return p, t
}

// The expected values are exact rational numbers, rounded once.
func TestAUCGolden(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/hand_till_auc.json"))(t)
	var golden struct {
		Cases []struct {
			Name   string
			Labels []int
			Scores [][]float64
			AUC    *float64
		}
	}
	must.OK(t, json.Unmarshal(text, &golden))
	if len(golden.Cases) < 12 {
		t.Fatalf("%d cases", len(golden.Cases))
	}
	const tolerance = 1e-14
	for _, tc := range golden.Cases {
		p := mat.NewDense(len(tc.Scores), len(tc.Scores[0]), nil)
		for n, row := range tc.Scores {
			p.SetRow(n, row)
		}
		auc, err := AUC(p, tc.Labels)
		if tc.AUC == nil {
			if !errors.Is(err, ErrUndefined) || !math.IsNaN(auc) {
				t.Errorf("%s: %v, %v, want undefined", tc.Name, auc, err)
			}
			continue
		}
		if err != nil || math.Abs(auc-*tc.AUC) > tolerance {
			t.Errorf("%s: %v, %v, want %v", tc.Name, auc, err, *tc.AUC)
		}
	}
}

func TestAUCAgainstSlowTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		c := 2 + r.IntN(6)
		p, labels := random(r, 2+r.IntN(60), c, 1+r.IntN(30))
		sum, pairs := 0.0, 0.0
		for i := range c {
			for j := range c {
				if i != j && slices.Contains(labels, i) && slices.Contains(labels, j) {
					sum += slowA(p, labels, i, j)
					pairs++
				}
			}
		}
		auc, err := AUC(p, labels)
		if pairs == 0 && !errors.Is(err, ErrUndefined) || pairs > 0 && !(math.Abs(auc-sum/pairs) <= 1e-14) {
			t.Fatalf("%v, %v, want %v", auc, err, sum/pairs)
		}
	}
}

func TestAUCErrors(t *testing.T) {
	p := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 0})
	var label *LabelError
	if _, err := AUC(p, []int{0, 1, 2}); !errors.As(err, &label) || *label != (LabelError{2, 2, 2}) {
		t.Errorf("more classes than columns: %v", err)
	}
	if _, err := AUC(p, []int{0, -1, 1}); !errors.As(err, &label) || *label != (LabelError{1, -1, 2}) {
		t.Errorf("negative label: %v", err)
	}
	for name, labels := range map[string][]int{"one class": {1, 1, 1}, "another": {0, 0, 0}} {
		if _, err := AUC(p, labels); !errors.Is(err, ErrUndefined) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := AUC(&mat.Dense{}, nil); !errors.Is(err, ErrUndefined) {
		t.Errorf("no samples: %v", err)
	}
	p.Set(1, 1, math.NaN())
	var bad *ValueError
	if _, err := AUC(p, []int{0, 1, 1}); !errors.As(err, &bad) || bad.Row != 1 || bad.Column != 1 {
		t.Errorf("NaN: %v", err)
	}
	p.Set(1, 1, math.Inf(1))
	if got, err := AUC(p, []int{0, 1, 0}); err != nil || got != 1 {
		t.Errorf("infinity: %v, %v", got, err)
	}
	if _, err := AUC(p, []int{0, 1}); err == nil {
		t.Error("no error for lengths that differ")
	}
}

// TestAUCMagnitudes: only the order of the scores matters, at any magnitude.
func TestAUCMagnitudes(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 0))
	p, labels := random(r, 60, 4, 9)
	want := must.Get(AUC(p, labels))(t)
	for _, scale := range []float64{5e-324, 1e-310, 1e-300, 1e300} {
		var q mat.Dense
		q.Apply(func(_, _ int, v float64) float64 { return math.Round(v*9) * scale }, p)
		if got, err := AUC(&q, labels); err != nil || got != want {
			t.Errorf("scores of %g: AUC %v, want %v, %v", scale, got, want, err)
		}
	}
}
