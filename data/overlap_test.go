package data

import (
	"math"
	"slices"
	"testing"
)

// The labels of the largest posterior are those of bayesError, which looks for them in
// another way.
func TestOverlapPosterior(t *testing.T) {
	for _, seed := range []uint64{OverlapSeed, 1, 2} {
		s, wrong := Overlap(seed), 0
		if want := []string{"black", "blue", "red"}; !slices.Equal(s.Classes, want) {
			t.Fatalf("classes %v, want %v", s.Classes, want)
		}
		for n, label := range s.T {
			p := OverlapPosterior(s.X.At(n, 0), s.X.At(n, 1))
			if sum := p[0] + p[1] + p[2]; math.Abs(sum-1) > 1e-12 {
				t.Fatalf("the probabilities of sample %d sum to %v", n, sum)
			}
			if slices.Max(p[:]) != p[label] {
				wrong++
			}
		}
		if got, want := float64(wrong)/float64(s.N()), bayesError(s, overlapBlobs, math.Inf(1)); math.Abs(got-want) > 1e-12 {
			t.Errorf("seed %d: the largest posterior errs by %v, want %v", seed, got, want)
		}
	}
}
