package mpcvm

import (
	"math"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/data"
)

// A setting beats another if it is better by more than the standard error of the mean
// difference: here .1 of four differences with a deviation of .2.
func TestBeats(t *testing.T) {
	with := func(losses ...float64) *setting { return &setting{losses: losses} }
	other := with(1, 1, 1, 1)
	d := 0.1 * math.Sqrt(3) // deviation .2 of ±d about the mean
	for _, c := range []struct {
		gain float64
		want bool
	}{{0.11, true}, {0.09, false}, {-0.2, false}} {
		m := 1 - c.gain
		if got := with(m-d, m-d, m+d, m+d).beats(other); got != c.want {
			t.Errorf("gain %g: %v", c.gain, got)
		}
	}
	if !other.beats(nil) || other.beats(other) {
		t.Error("against nothing it should, against itself not")
	}
}

// A sample has the right number of each class, each row once, in order, another for
// another seed.
func TestSample(t *testing.T) {
	set := data.Blobs(600, 3, 2, 1, 1)
	for n := range set.N() { // 400, 194 and 6
		set.X.Set(n, 0, float64(n))
		switch {
		case n < 400:
			set.T[n] = 0
		case n < 594:
			set.T[n] = 1
		default:
			set.T[n] = 2
		}
	}
	tr, err := newTraining(set.X, set.T)
	if err != nil {
		t.Fatal(err)
	}
	if tr.sample(600, 1) != tr {
		t.Error("all are not all")
	}
	rows := func(s *training) (rows []int) {
		for i := range s.n {
			n := int(s.x.At(i, 0))
			if s.t[i] != set.T[n] {
				t.Errorf("row %d has label %d", n, s.t[i])
			}
			rows = append(rows, n)
		}
		return rows
	}
	a, b := rows(tr.sample(60, 1)), rows(tr.sample(60, 2))
	if got := tr.sample(60, 1).counts(); !slices.Equal(got, []int{40, 19, 6}) {
		t.Errorf("counts %v", got)
	}
	if !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != 65 || slices.Equal(a, b) || !slices.Equal(a, rows(tr.sample(60, 1))) {
		t.Errorf("rows %v and %v", a, b)
	}
	// Each row is as likely: of 200 samples of a tenth of the 400, each in about 20.
	times := make([]int, 400)
	for seed := range uint64(200) {
		for _, n := range rows(tr.sample(60, seed)) {
			if n < 400 {
				times[n]++
			}
		}
	}
	if least, most := slices.Min(times), slices.Max(times); least < 5 || most > 38 {
		t.Errorf("rows are taken %d to %d times of 200", least, most)
	}
}
