package mpcvm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// reach detects samples that are far from all training samples.
type reach struct {
	threshold float64   // a sample is unlike if its reach is lower; zero: no sample is unlike
	pull      []float64 // a_n of each relevance vector; nil if the kernel is not a function of a distance
}

const (
	// mostUnlike is the largest share of training samples that are unlike the others.
	mostUnlike = 0.01
	// reachSamples is the largest number of training samples whose reach is computed.
	reachSamples = 4000
)

// ofDistance reports whether a kernel is a function of a distance and therefore decreases with it.
func ofDistance(k kernel.Kernel) bool {
	if of, ok := k.(kernel.OfSum); ok {
		return of.Sum().Kind != kernel.Products
	}
	return false
}

// pull returns a_n = Σ_c |w_nc| of each relevance vector.
func (m *Model) pull() []float64 {
	a := make([]float64, len(m.index))
	for _, col := range m.weights {
		for j, v := range col.vector {
			if v < len(a) { // not a coefficient
				a[v] += math.Abs(col.w[j])
			}
		}
	}
	return a
}

// WithReach returns a copy of the model that recognises samples unlike the training samples x (N×D, in the
// units that Predict takes); see Unlike. If the kernel is a function of a distance, the relevance vectors
// must be rows of x, and a model without relevance vectors does not recognise such samples. tables.Fit
// calls WithReach. WithReach panics if x does not have D columns or does not contain every relevance
// vector.
func (m *Model) WithReach(x mat.Matrix) *Model {
	known := *m
	known.reach = reach{}
	distance := ofDistance(m.kernel)
	if distance && len(m.index) == 0 {
		return &known
	}
	n, _ := x.Dims()
	own := make(map[int]int, len(m.index))
	if distance {
		if last := m.index[len(m.index)-1]; last >= n {
			panic("mpcvm: WithReach: x does not contain all relevance vectors")
		}
		known.reach.pull = m.pull()
		for v, i := range m.index {
			own[i] = v
		}
	}
	step := (n + reachSamples - 1) / reachSamples
	rows := mat.NewDense((n+step-1)/step, m.dim, nil)
	for i := 0; i < n; i += step {
		mat.Row(rows.RawRowView(i/step), i, x)
	}
	reaches := make([]float64, (n+step-1)/step)
	m.each(rows, func(i int, row, _, k []float64) {
		if v, is := own[i*step]; is { // leave one out
			k[v] = 0
		}
		reaches[i] = known.reach.of(row, k)
	})
	known.reach.exceed(reaches)
	return &known
}

// exceed sets the threshold to the first percentile of reaches, which it sorts.
func (r *reach) exceed(reaches []float64) {
	slices.Sort(reaches)
	if r.threshold = reaches[int(mostUnlike*float64(len(reaches)))]; !(r.threshold > 0) {
		*r = reach{}
	}
}

// reachOfVectors sets the reach of a linear model that was saved with its relevance vectors and a scaling.
// Because no other training samples are known, a sample is unlike if it is more than twice as far from their
// mean as the relevance vectors are, except for the farthest 1 %.
func (m *Model) reachOfVectors() {
	reaches := make([]float64, len(m.index))
	for i := range reaches {
		x := m.x.RawRowView(i)
		reaches[i] = 1 / (1 + 4*floats.Dot(x, x))
	}
	m.reach.exceed(reaches)
}

// of returns the reach of the standardised sample x with the values k, which begin with the k(x, x_n).
func (r *reach) of(x, k []float64) float64 {
	if r.pull == nil {
		return 1 / (1 + floats.Dot(x, x))
	}
	return floats.Dot(k[:len(r.pull)], r.pull)
}

// Unlike reports in dst (allocated if nil) whether each of the N samples x is unlike all training samples,
// and returns dst. The model has little information about such a sample.
//
// The reach of a sample is Σ_n a_n k(x, x_n), where a_n = Σ_c |w_nc| sums the weights of a relevance vector;
// if it is zero, the potentials equal the biases. If the kernel is not a function of a distance (for example
// kernel.Linear), the reach is 1/(1 + |x|²) after the scaling of WithScaling, so it decreases with the
// distance from the mean of the training samples. A sample is unlike if its reach is below the first
// percentile of the reaches of the training samples, each computed without the sample's own weight. At most 1
// % of the training samples are therefore unlike the others. With more than 4000 training samples, an evenly
// spaced subset is used.
//
// If the model has no threshold (see WithReach), no sample is unlike. A model of kernel.Linear with
// a scaling that was saved before file version 5 gets one from its relevance vectors. Unlike panics in the
// same cases as Predict.
func (m *Model) Unlike(dst []bool, x mat.Matrix) []bool {
	dst = args.Slice("mpcvm", dst, x)
	m.each(x, func(i int, row, _, k []float64) { dst[i] = m.unlike(row, k) })
	return dst
}

// Reach returns the threshold of Unlike: the reach below which a sample is unlike the training samples. It
// returns 0 if the model has no threshold.
func (m *Model) Reach() float64 { return m.reach.threshold }

// unlike implements Unlike for the standardised sample x with the values k of reach.of.
func (m *Model) unlike(x, k []float64) bool {
	return m.reach.threshold > 0 && m.reach.of(x, k) < m.reach.threshold
}

// PotentialsUnlike returns the results of Potentials and Unlike, and evaluates the kernel only once.
func (m *Model) PotentialsUnlike(dst *mat.Dense, x mat.Matrix) (y *mat.Dense, unlike []bool) {
	n, _ := x.Dims()
	y, unlike = args.Matrix("mpcvm", dst, n, m.classes), make([]bool, n)
	m.each(x, func(i int, row, potentials, k []float64) {
		copy(y.RawRowView(i), potentials)
		unlike[i] = m.unlike(row, k)
	})
	return y, unlike
}

// ProbaOf is like Proba, but takes the potentials y (N×C) that Potentials returns instead of samples. It
// writes the probabilities to dst (N×C; allocated if nil) and returns dst, which may be y.
func (m *Model) ProbaOf(dst, y *mat.Dense) *mat.Dense {
	n, c := y.Dims()
	dst = args.Matrix("mpcvm", dst, n, c)
	dst.Copy(y)
	m.calibration.Proba(dst)
	return dst
}
