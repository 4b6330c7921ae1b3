package fitting

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestBases checks the number of candidates, that each class has its share, but at least a few, and
// that another seed draws other candidates.
func TestBases(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 200 {
		c := 2 + rng.IntN(6)
		tr := &Data{C: c}
		for k := range c {
			for range 1 + rng.IntN([]int{5, 40, 400}[rng.IntN(3)]) {
				tr.T = append(tr.T, k)
			}
		}
		rng.Shuffle(len(tr.T), func(i, j int) { tr.T[i], tr.T[j] = tr.T[j], tr.T[i] })
		tr.N = len(tr.T)
		few := 1 + rng.IntN(tr.N)
		list := tr.Bases(few, 7)
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) ||
			!slices.Equal(list, tr.Bases(few, 7)) {
			t.Fatalf("trial %d: %v", trial, list)
		}
		got, counts, least := make([]int, c), tr.Counts(), 0
		for _, n := range list {
			got[tr.T[n]]++
		}
		for k, count := range counts {
			least += min(count, 10)
			if got[k] < min(count, 10) {
				t.Errorf("trial %d: %d of the %d samples of class %d", trial, got[k], count, k)
			}
		}
		if len(list) != max(few, least) && few < tr.N || few == tr.N && len(list) != tr.N {
			t.Errorf("trial %d: %d candidates for %d, of classes %v", trial, len(list), few, counts)
		}
		// No exchange between classes above the minimum brings both closer to their shares.
		for a := range c {
			for b := range c {
				high, low := (float64(got[a])-0.5)/float64(counts[a]), (float64(got[b])+0.5)/float64(counts[b])
				if got[a] > 10 && got[b] < counts[b] && high > low+1e-12 {
					t.Errorf("trial %d: %v of %v", trial, got, counts)
				}
			}
		}
		if few < tr.N/2 && few > 30 && slices.Equal(list, tr.Bases(few, 8)) {
			t.Errorf("trial %d: another seed gives the same candidates", trial)
		}
	}
	tr := &Data{C: 2, N: 4, T: []int{0, 1, 0, 1}}
	for _, few := range []int{0, 4, 9} {
		if got := tr.Bases(few, 1); !slices.Equal(got, []int{0, 1, 2, 3}) {
			t.Errorf("%d of four: %v", few, got)
		}
	}
}

// TestCover checks that Cover lists as many samples of each class as Bases, none of them twice even if most are
// equal, and that every sample of two uniform classes is closer to its nearest candidate.
func TestCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const n = 600
	tr := &Data{C: 2, N: n, D: 2, X: mat.NewDense(n, 2, nil)}
	for i := range n {
		tr.T = append(tr.T, min(i%5, 1))
		tr.X.SetRow(i, []float64{rng.Float64(), rng.Float64()})
	}
	radius := func(list []int) (largest float64) {
		for i := range n {
			nearest := math.Inf(1)
			for _, j := range list {
				if tr.T[i] == tr.T[j] {
					nearest = min(nearest, floats.Distance(tr.X.RawRowView(i), tr.X.RawRowView(j), 2))
				}
			}
			largest = max(largest, nearest)
		}
		return largest
	}
	random, spread := tr.Bases(80, 3), tr.Cover(80, 3)
	if r, s := radius(random), radius(spread); !(s < 0.7*r) {
		t.Errorf("radius %v, of random samples %v", s, r)
	}
	for range 2 {
		list := tr.Cover(80, 3)
		if !slices.Equal(tr.Part(list).Counts(), tr.Part(random).Counts()) || !slices.IsSorted(list) ||
			len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("candidates %v", list)
		}
		tr.X.Zero()
	}
}

// known is a model whose first potential is 1 for samples that it was trained on.
type known struct{ x *mat.Dense }

func (m known) Potentials(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	y := mat.NewDense(n, 4, nil)
	for i := range n {
		for j := range m.x.RawMatrix().Rows {
			if m.x.At(j, 0) == x.At(i, 0) {
				y.Set(i, 0, 1)
			}
		}
	}
	return y
}

// TestFolds checks that no sample is predicted by a model trained on it, and that the only sample of
// a class is not predicted.
func TestFolds(t *testing.T) {
	const n = 41
	tr := &Data{X: kernel.Indices(n), T: make([]int, n), N: n, D: 1, C: 4}
	for i := range n {
		tr.T[i] = i % 3
	}
	tr.T[17] = 3 // the only sample of its class
	for _, folds := range []int{2, 3, 5} {
		y := must.Get(tr.CrossValidate(t.Context(), folds, 0, func(_ int, part *Data) (Predictor, error) {
			return known{part.X}, nil
		}))(t)
		for i := range n {
			if got := y.At(i, 0); got != 0 && i != 17 || i == 17 && !math.IsNaN(got) {
				t.Errorf("%d folds: sample %d has %v", folds, i, got)
			}
		}
		for c, count := range tr.Counts() {
			perFold := make([]int, folds+1)
			for i, f := range tr.Deal(folds, 7).Fold {
				if tr.T[i] == c {
					perFold[f]++
				}
			}
			if low, high := slices.Min(perFold[:folds]), slices.Max(perFold[:folds]); count > 1 && high-low > 1 {
				t.Errorf("%d folds: class %d is dealt %v", folds, c, perFold)
			}
		}
	}
}

// TestSample checks that a sample has the right number of rows of each class, each row once, in
// order, and that another seed draws other rows.
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
	tr := must.Get(New(Samples{X: set.X, T: set.T}))(t)
	if tr.Sample(600, 1) != tr {
		t.Error("a sample of N rows is not the data")
	}
	rows := func(s *Data) (rows []int) {
		for i := range s.N {
			n := int(s.X.At(i, 0))
			if s.T[i] != set.T[n] {
				t.Errorf("row %d has label %d", n, s.T[i])
			}
			rows = append(rows, n)
		}
		return rows
	}
	a, b := rows(tr.Sample(60, 1)), rows(tr.Sample(60, 2))
	if got := tr.Sample(60, 1).Counts(); !slices.Equal(got, []int{40, 19, 6}) {
		t.Errorf("counts %v", got)
	}
	if !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != 65 || slices.Equal(a, b) ||
		!slices.Equal(a, rows(tr.Sample(60, 1))) {
		t.Errorf("rows %v and %v", a, b)
	}
	// All rows have the same probability: in 200 samples of 40 of the 400 rows, each row appears
	// about 20 times.
	times := make([]int, 400)
	for seed := range uint64(200) {
		for _, n := range rows(tr.Sample(60, seed)) {
			if n < 400 {
				times[n]++
			}
		}
	}
	if least, most := slices.Min(times), slices.Max(times); least < 5 || most > 38 {
		t.Errorf("rows are taken %d to %d times of 200", least, most)
	}
}
