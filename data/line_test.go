package data_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
)

// best is the class with the largest potential at x.
func best(x float64) int {
	y := data.LinePotentials(x)
	return slices.Index(y[:], slices.Max(y[:]))
}

// TestLineError checks the numbers in the comment of LineSeed.
func TestLineError(t *testing.T) {
	random, wrong := rand.New(rand.NewPCG(5, 5)), 0
	const draws = 200000
	for range draws {
		x := 10 * random.Float64()
		z, label := data.LinePotentials(x), 0
		for c := range z {
			if z[c] += random.NormFloat64(); z[c] > z[label] {
				label = c
			}
		}
		if label != best(x) {
			wrong++
		}
	}
	if share := float64(wrong) / draws; math.Abs(share-0.113) > 0.003 {
		t.Errorf("the best guess has error %.4f, want 0.113 as in the comment of LineSeed", share)
	}

	set := data.Line(data.LineSeed)
	wrong = 0
	for n, label := range set.T {
		if label != best(set.X.At(n, 0)) {
			wrong++
		}
	}
	if wrong != 8 || set.N() != 60 || !slices.Equal(set.Counts(), []int{26, 17, 17}) {
		t.Errorf("%d labels of %d differ from the best guess, counts %v", wrong, set.N(), set.Counts())
	}
	x := make([]float64, set.N())
	for n := range x {
		x[n] = set.X.At(n, 0)
	}
	if !slices.IsSorted(x) || x[0] < 0 || x[len(x)-1] > 10 {
		t.Errorf("x is not sorted from 0 to 10: %v", x)
	}
}

func TestLineOf(t *testing.T) {
	if few, line := data.LineOf(60, 3), data.Line(3); !slices.Equal(few.T, line.T) || !mat.Equal(few.X, line.X) {
		t.Error("LineOf of 60 samples is not Line")
	}
	if n := data.LineOf(7, 3).N(); n != 7 {
		t.Errorf("%d samples, want 7", n)
	}
}

func TestStandardizerSet(t *testing.T) {
	set := data.Line(data.LineSeed)
	scale := data.FitStandardizer(set.X)
	scaled := scale.Set(set)
	if again := data.FitStandardizer(scaled.X); math.Abs(again.Mean[0]) > 1e-12 ||
		math.Abs(again.Scale[0]-1) > 1e-12 {
		t.Errorf("the scaled set has mean %v and deviation %v", again.Mean[0], again.Scale[0])
	}
	if set.X.At(0, 0) == scaled.X.At(0, 0) || &scaled.T[0] != &set.T[0] {
		t.Error("Set changed its argument or copied the labels")
	}
}
