package play

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// model is the classifier of an iteration.
type model struct {
	mpcvm.Classifier
	*samples
}

// weight is the weight of a training sample in the potential of a class of the points.
type weight struct {
	sample, class int
	value         float64
}

// expansion returns all non-zero weights, ascending by class and sample, and the bias of each class of the
// points.
//
// For the SVM, the potential of a class is the sum of the decision values of its pairs, with a positive sign
// in favour of the class.
func (m model) expansion() (weights []weight, bias []float64) {
	bias = make([]float64, m.classes)
	switch c := m.Classifier.(type) {
	case *svm.Model:
		sums := make([]float64, m.classes*len(m.t))
		for i, pair := range c.Pairs() {
			lower, higher := m.present[pair[0]], m.present[pair[1]]
			bias[lower] += c.Bias()[i]
			bias[higher] -= c.Bias()[i]
			for n, v := range c.Coefficients(i) {
				sums[lower*len(m.t)+n] += v
				sums[higher*len(m.t)+n] -= v
			}
		}
		for i, v := range sums {
			if v != 0 {
				weights = append(weights, weight{i % len(m.t), i / len(m.t), v})
			}
		}
		return weights, bias
	case *mpcvm.Model:
		for i, b := range c.Bias() {
			bias[m.present[i]] = b
		}
	}
	if v, ok := m.Classifier.(interface {
		RelevanceVectors() []mpcvm.RelevanceVector
	}); ok {
		for _, v := range v.RelevanceVectors() {
			for i, w := range v.Weights {
				if w != 0 {
					weights = append(weights, weight{v.Index, m.present[i], w})
				}
			}
		}
	}
	slices.SortStableFunc(weights, func(a, b weight) int { return cmp.Or(a.class-b.class, a.sample-b.sample) })
	return weights, bias
}

// kernel returns the kernel of the classifier.
func (m model) kernel() kernel.Kernel {
	return m.Classifier.(interface{ Kernel() kernel.Kernel }).Kernel()
}

// potentials returns the potential of each class of the points at each row of x, or −Inf for a class without
// points. See expansion for the SVM.
func (m model) potentials(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	y := mat.NewDense(n, m.classes, nil)
	for i := range n {
		row := y.RawRowView(i)
		for c := range row {
			if !slices.Contains(m.present, c) {
				row[c] = math.Inf(-1)
			}
		}
	}
	switch c := m.Classifier.(type) {
	case *svm.Model:
		f := c.Decision(nil, x)
		for i := range n {
			for j, pair := range c.Pairs() {
				v, row := f.At(i, j), y.RawRowView(i)
				row[m.present[pair[0]]] += v
				row[m.present[pair[1]]] -= v
			}
		}
	case interface {
		Potentials(*mat.Dense, mat.Matrix) *mat.Dense
	}:
		m.spread(y, c.Potentials(nil, x))
	}
	return y
}

// proba returns the probability of each class of the points at each row of x, or 0 for a class without
// points.
func (m model) proba(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	p := mat.NewDense(n, m.classes, nil)
	m.spread(p, m.Proba(nil, x))
	return p
}

// spread copies the columns of the model's classes to the columns of the points' classes.
func (m model) spread(dst, src *mat.Dense) {
	n, _ := src.Dims()
	for i := range n {
		from, to := src.RawRowView(i), dst.RawRowView(i)
		for c, v := range from {
			to[m.present[c]] = v
		}
	}
}

// labels returns the class of the points predicted for each row of x, or −1 if there is no prediction.
func (m model) labels(x *mat.Dense) []int {
	labels := m.Predict(nil, x)
	for i, l := range labels {
		if l >= 0 {
			labels[i] = m.present[l]
		}
	}
	return labels
}

// save returns the model as JSON.
func (m model) save() (string, error) {
	s, ok := m.Classifier.(*mpcvm.Model)
	if !ok {
		return "", errors.New("only mPCVM models can be saved to a file")
	}
	names := make([]string, len(m.present))
	for i, c := range m.present {
		names[i] = strconv.Itoa(c)
	}
	var b bytes.Buffer
	err := s.WithNames(names, []string{"x", "y"}).Save(&b)
	return b.String(), err
}
