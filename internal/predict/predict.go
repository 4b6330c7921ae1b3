// Package predict applies a model to batches of samples and writes the predictions as
// CSV, JSON or Parquet. It serves the command mpcvm and engines for many machines.
package predict

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// ErrTooFar is the cause of the error of a sample so far away that its potentials are not
// finite: linear and polynomial kernels overflow.
var ErrTooFar = errors.New("its features are too large for the model")

// Predictor applies a model. It is safe for concurrent use.
type Predictor struct {
	model *mpcvm.Model
	names []string       // of the classes
	label map[string]int // of each name
	proba bool
}

// New returns a Predictor that computes the classes and, if proba is true, the probability
// of each class.
func New(m *mpcvm.Model, proba bool) *Predictor {
	p := &Predictor{model: m, names: m.ClassNames(), label: map[string]int{}, proba: proba}
	for c, name := range p.names {
		p.label[name] = c
	}
	return p
}

// Predictions are those of a batch. The zero value is empty; predicting into one again
// reuses its memory.
type Predictions struct {
	Values  *mat.Dense // N×C: probabilities if they are asked for, otherwise potentials
	Labels  []int
	Classes []string // names of the labels
	Tally   Tally

	memory      []float64 // of Values
	bytes, meta []byte    // encoded: text, or the row group of a Parquet file and its metadata
}

// Meta is the metadata of an encoded row group of a Parquet file.
func (p *Predictions) Meta() []byte { return p.meta }

// Tally counts how the samples of a known class were predicted.
type Tally struct {
	Given   int64 `json:"given"`   // samples whose class is given
	Wrong   int64 `json:"wrong"`   // of those, predicted as another class
	Unknown int64 `json:"unknown"` // of those, of a class that the model does not know
}

// Add adds the counts of other samples.
func (t *Tally) Add(other Tally) {
	t.Given += other.Given
	t.Wrong += other.Wrong
	t.Unknown += other.Unknown
}

// Predict sets dst to the predictions for the samples x, which may be empty. The class of
// each is given, or "" if it is not known; given may be nil. For a sample without a finite
// potential the error is a *cell.Error with its Row and the cause ErrTooFar.
func (p *Predictor) Predict(dst *Predictions, x *mat.Dense, given []string) error {
	n, _ := x.Dims()
	c := len(p.names)
	dst.Labels, dst.Classes = slices.Grow(dst.Labels[:0], n)[:n], slices.Grow(dst.Classes[:0], n)[:n]
	dst.Tally, dst.bytes, dst.meta = Tally{}, dst.bytes[:0], nil
	if n == 0 {
		return nil
	}
	dst.memory = slices.Grow(dst.memory[:0], n*c)[:n*c]
	dst.Values = mat.NewDense(n, c, dst.memory)
	if p.proba {
		p.model.Proba(dst.Values, x)
	} else { // a third of the work
		p.model.Potentials(dst.Values, x)
	}
	for i := range n {
		row := dst.Values.RawRowView(i)
		label := Best(row)
		if label < 0 || math.IsInf(row[label], 0) {
			return &cell.Error{Package: "mpcvm", Row: int64(i) + 1, Err: ErrTooFar}
		}
		dst.Labels[i], dst.Classes[i] = label, p.names[label]
	}
	for i, class := range given {
		if class == "" {
			continue
		}
		label, known := p.label[class]
		dst.Tally.Given++
		if !known {
			dst.Tally.Unknown++
		}
		if !known || label != dst.Labels[i] {
			dst.Tally.Wrong++
		}
	}
	return nil
}

// At completes an error of Predict: x came from the file name, after first other rows.
// Other errors it leaves alone.
func At(err error, name string, first int64) error {
	if far := new(cell.Error); errors.Is(err, ErrTooFar) && errors.As(err, &far) {
		far.Name, far.Row = name, far.Row+first
	}
	return err
}

// Best returns the first index of the largest value, or −1 if a value is NaN: the label
// that Predict gives for potentials or probabilities.
func Best(row []float64) int { return slices.Index(row, slices.Max(row)) }
