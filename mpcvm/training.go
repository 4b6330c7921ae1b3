package mpcvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// DataError reports training data from which nothing can be learned.
type DataError struct {
	// Row and Col are the place of the fault in x, 0-based; −1 where it has none.
	// A wrong label has a Row and no Col.
	Row, Col int
	// Value is the offending number: a feature, a label or a count.
	Value float64
	// Reason says what is wrong.
	Reason string
}

// Error names row, column and value.
func (e *DataError) Error() string {
	switch {
	case e.Row >= 0 && e.Col >= 0:
		return fmt.Sprintf("mpcvm: row %d, column %d: %s: %v", e.Row, e.Col, e.Reason, e.Value)
	case e.Row >= 0:
		return fmt.Sprintf("mpcvm: row %d: %s: %v", e.Row, e.Reason, e.Value)
	default:
		return fmt.Sprintf("mpcvm: %s: %v", e.Reason, e.Value)
	}
}

// training is checked training data.
type training struct {
	x       *mat.Dense // N×D
	t       []int      // N labels
	n, d, c int
}

// Check returns the number of classes C of training data: N samples x (rows) with
// labels t, 0 to C−1. It returns the *DataError of [TopDown.Fit] and panics as that
// does. It is for other learners, as those in rival.
func Check(x mat.Matrix, t []int) (classes int, err error) {
	tr, err := newTraining(x, t)
	if err != nil {
		return 0, err
	}
	return tr.c, nil
}

// newTraining checks and copies x and t.
func newTraining(x mat.Matrix, t []int) (*training, error) {
	n, d := x.Dims()
	if len(t) != n {
		panic(fmt.Sprintf("mpcvm: %d samples and %d labels", n, len(t)))
	}
	if n == 0 || d == 0 {
		return nil, &DataError{Row: -1, Col: -1, Reason: "no samples or no features", Value: 0}
	}
	tr := &training{x: mat.DenseCopyOf(x), t: slices.Clone(t), n: n, d: d}
	for i := range n {
		for j, v := range tr.x.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, &DataError{Row: i, Col: j, Value: v, Reason: "feature is not finite"}
			}
		}
	}
	for i, l := range t {
		if l < 0 {
			return nil, &DataError{Row: i, Col: -1, Value: float64(l), Reason: "negative label"}
		}
		if l >= n { // cannot have every class 0..l present
			return nil, &DataError{Row: i, Col: -1, Value: float64(l),
				Reason: fmt.Sprintf("label out of range: %d samples have labels 0 to %d at most", n, n-1)}
		}
		tr.c = max(tr.c, l+1)
	}
	if tr.c < 2 {
		return nil, &DataError{Row: -1, Col: -1, Value: 1, Reason: "two classes are needed; classes found"}
	}
	for c, count := range tr.counts() {
		if count == 0 {
			return nil, &DataError{Row: -1, Col: -1, Value: float64(c),
				Reason: fmt.Sprintf("labels reach %d but a class has no samples", tr.c-1)}
		}
	}
	return tr, nil
}

// counts returns the number of samples of each class.
func (tr *training) counts() []int {
	counts := make([]int, tr.c)
	for _, l := range tr.t {
		counts[l]++
	}
	return counts
}

// bases lists the samples that may enter a model, ascending: all if few is zero, else so
// many of them, drawn at random class by class, see BottomUp.Candidates.
func (tr *training) bases(few int, seed uint64) []int {
	if few == 0 || few >= tr.n {
		return all(tr.n)
	}
	counts := tr.counts()
	want, sum := make([]int, tr.c), 0
	for c, count := range counts {
		want[c] = min(count, leastBases)
		sum += want[c]
	}
	for ; sum < few; sum++ { // the next is of the class that has the smallest share of its samples
		next, least := 0, math.Inf(1)
		for c, count := range counts {
			if share := (float64(want[c]) + 0.5) / float64(count); want[c] < count && share < least {
				next, least = c, share
			}
		}
		want[next]++
	}
	return tr.draw(want, rand.New(rand.NewPCG(seed, 3)))
}

// leastBases is how many samples of a class may enter at least, if it has as many.
const leastBases = 10

// draw lists so many samples of each class, at random, ascending.
func (tr *training) draw(want []int, rng *rand.Rand) []int {
	var rows []int
	for c, count := range tr.counts() {
		for i, left := 0, want[c]; left > 0; i++ {
			if tr.t[i] != c {
				continue
			}
			if rng.IntN(count) < left { // each of the class is as likely
				rows = append(rows, i)
				left--
			}
			count--
		}
	}
	slices.Sort(rows)
	return rows
}

// means sets the posterior means Z̄, eqs. (z_nj) and (z_nc), and log p(t_n) of potentials
// Y, all C×N, until the context ends.
func (tr *training) means(ctx context.Context, z *mat.Dense, logp []float64, y *mat.Dense) {
	for lo := 0; lo < tr.n && ctx.Err() == nil; lo += segment {
		hi := min(lo+segment, tr.n)
		part := func(m *mat.Dense) *mat.Dense { return m.Slice(0, tr.c, lo, hi).(*mat.Dense) }
		probit.Batch{}.Means(part(z), logp[lo:hi], part(y), tr.t[lo:hi])
	}
}

// sign is f_nc: +1 where sample n is of class c, else −1; eq. (truncatd_gaussian).
func (tr *training) sign(n, c int) float64 {
	if tr.t[n] == c {
		return 1
	}
	return -1
}

// outset sets Z̄ (C×N) to 5T + ½, 5 for the own class above the others.
func (tr *training) outset(z *mat.Dense) {
	for c := range tr.c {
		for n := range tr.n {
			if z.Set(c, n, 0.5); tr.t[n] == c {
				z.Set(c, n, 5.5)
			}
		}
	}
}

// frequencies returns the biases, of mean zero, with which a model without weights
// predicts the frequencies of the classes.
func (tr *training) frequencies() []float64 {
	counts := tr.counts()
	b, zbar, mean := make([]float64, tr.c), make([]float64, tr.c), make([]float64, tr.c)
	for range 10000 { // EM for the biases alone: all samples of a class are alike
		clear(mean)
		for t, count := range counts {
			zbar, _ = probit.Means(zbar, b, t)
			floats.AddScaled(mean, float64(count)/float64(tr.n), zbar)
		}
		moved := floats.Distance(mean, b, math.Inf(1))
		copy(b, mean)
		if moved < 1e-7 {
			break
		}
	}
	return b
}

// biasLikelihood is Σ log p(t_n | b).
func (tr *training) biasLikelihood(b []float64) float64 {
	sum := 0.0
	for t, count := range tr.counts() {
		sum += float64(count) * probit.LogProb(b, t)
	}
	return sum
}

// model gathers the non-zero weights into a Model. active[c] lists the samples in
// the potential of class c, in any order, and w[c] their weights.
func (tr *training) model(k kernel.Kernel, active [][]int, w [][]float64, bias []float64) *Model {
	m := &Model{kernel: k, classes: tr.c, dim: tr.d, bias: slices.Clone(bias), weights: make([]column, tr.c)}
	row := make([]int, tr.n) // 1 + row of Model.x of each sample, 0 if not in the model
	for c, list := range active {
		for i, n := range list {
			if w[c][i] != 0 {
				row[n] = 1
			}
		}
	}
	for n := range row {
		if row[n] != 0 {
			m.index, m.label = append(m.index, n), append(m.label, tr.t[n])
			row[n] = len(m.index)
		}
	}
	if len(m.index) > 0 {
		m.x = mat.NewDense(len(m.index), tr.d, nil)
		for i, n := range m.index {
			m.x.SetRow(i, tr.x.RawRowView(n))
		}
		m.vectors = prepared(k, m.x)
	}
	for c, list := range active {
		order := make([]int, 0, len(list))
		for i := range list {
			if w[c][i] != 0 {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(i, j int) int { return list[i] - list[j] })
		for _, i := range order {
			m.weights[c].vector = append(m.weights[c].vector, row[list[i]]-1)
			m.weights[c].w = append(m.weights[c].w, w[c][i])
		}
	}
	return m
}

// positive returns v, or def where v is zero: the rule of all options.
func positive(v, def float64) float64 {
	if v == 0 {
		return def
	}
	return v
}

// finite reports a basis whose squared norm φᵀφ is not a finite number; of says of which
// samples they are.
func (tr *training) finite(k kernel.Kernel, of []int, norm func(j int) float64) error {
	for j, n := range of {
		if v := norm(j); !isFinite(v) {
			return &DataError{Row: n, Col: -1, Value: v, Reason: fmt.Sprintf(
				"kernel %v: sum of squared values is not finite; standardise the features or choose another kernel", k)}
		}
	}
	return nil
}
