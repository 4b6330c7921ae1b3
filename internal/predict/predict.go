// Package predict applies a model to batches of samples and writes the predictions as
// CSV, JSON or Parquet. It serves the command mpcvm and engines for many machines.
package predict

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/table"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// ErrTooFar is the problem of a sample so far away that its potentials are not finite: linear
// and polynomial kernels overflow.
var ErrTooFar = errors.New("its features are too large for the model")

// Predictor applies a model. It is safe for concurrent use.
type Predictor struct {
	model *mpcvm.Model
	names []string       // of the classes
	label map[string]int // of each name
	proba bool
	keep  []string
	costs *mat.Dense // of decisions; nil without them
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

// Keep has the formats write columns of the input before the predictions. Their cells are Kept
// of a batch. One that is called as a column of the predictions gets "(kept)" after its name.
func (p *Predictor) Keep(names []string) {
	p.keep = slices.Clone(names)
	taken := append(p.columns(), table.ClassColumn, problemColumn)
	for i, name := range p.keep {
		for slices.Contains(taken, p.keep[i]) {
			p.keep[i] += " (kept)"
		}
		taken = append(taken, name, p.keep[i])
	}
}

// Costs makes the class of a row that of the least expected cost; see mpcvm.Model.Decide.
func (p *Predictor) Costs(costs *mat.Dense) { p.costs = costs }

// Predictions are those of a batch. The zero value is empty; predicting into one again
// reuses its memory.
type Predictions struct {
	Values   *mat.Dense // N×C: probabilities if they are asked for, otherwise potentials; NaN for a row that cannot be used
	Labels   []int      // −1 for a row that cannot be used
	Classes  []string   // names of the labels, "" for −1
	Problems []string   // why a row cannot be used, "" if it can
	Tally    Tally

	kept        *Cells
	memory      []float64 // of Values
	bytes, meta []byte    // encoded: text, or the row group of a Parquet file and its metadata
}

// Meta is the metadata of an encoded row group of a Parquet file.
func (p *Predictions) Meta() []byte { return p.meta }

// Tally counts how the samples of a known class were predicted, and the rows that cannot be used.
type Tally struct {
	Rows     int64  `json:"rows"`
	Given    int64  `json:"given"`           // samples whose class is given
	Wrong    int64  `json:"wrong"`           // of those, predicted as another class
	Unknown  int64  `json:"unknown"`         // of those, of a class that the model does not know
	Unusable int64  `json:"unusable"`        // rows that cannot be used
	First    int64  `json:"first,omitempty"` // the first of them, from 1
	Why      string `json:"why,omitempty"`   // why it cannot
}

// Add adds the counts of the samples that follow.
func (t *Tally) Add(other Tally) {
	if t.Unusable == 0 && other.Unusable > 0 {
		t.First, t.Why = t.Rows+other.First, other.Why
	}
	t.Rows += other.Rows
	t.Given += other.Given
	t.Wrong += other.Wrong
	t.Unknown += other.Unknown
	t.Unusable += other.Unusable
}

// Predict sets dst to the predictions for the samples of a batch, which may be empty. A row that
// cannot be used has the reason in dst.Problems: that of the batch, or ErrTooFar.
func (p *Predictor) Predict(dst *Predictions, b *Batch) {
	n, c := b.Rows(), len(p.names)
	dst.Labels, dst.Classes, dst.Problems = slices.Grow(dst.Labels[:0], n)[:n], slices.Grow(dst.Classes[:0], n)[:n], slices.Grow(dst.Problems[:0], n)[:n]
	dst.Tally, dst.bytes, dst.meta, dst.kept = Tally{Rows: int64(n)}, dst.bytes[:0], nil, &b.Kept
	if n == 0 {
		return
	}
	dst.memory = slices.Grow(dst.memory[:0], n*c)[:n*c]
	dst.Values = mat.NewDense(n, c, dst.memory)
	var decisions []int // by costs; nil without them
	if p.proba || p.costs != nil {
		p.model.Proba(dst.Values, b.X)
		if p.costs != nil {
			decisions = p.model.Decide(dst.Values, p.costs)
		}
	} else { // a third of the work
		p.model.Potentials(dst.Values, b.X)
	}
	for i := range n {
		row := dst.Values.RawRowView(i)
		label := Best(row)
		problem := ""
		switch {
		case b.Problems != nil && b.Problems[i] != nil:
			problem = reason(b.Problems[i])
		case label < 0 || math.IsInf(row[label], 0):
			problem = ErrTooFar.Error()
		default:
			if decisions != nil {
				label = decisions[i]
			}
			dst.Labels[i], dst.Classes[i], dst.Problems[i] = label, p.names[label], ""
			continue
		}
		setNaN(row)
		dst.Labels[i], dst.Classes[i], dst.Problems[i] = -1, "", problem
		if dst.Tally.Unusable++; dst.Tally.Unusable == 1 {
			dst.Tally.First, dst.Tally.Why = int64(i)+1, problem
		}
	}
	for i, class := range b.Class {
		if class == "" || dst.Labels[i] < 0 {
			continue
		}
		label, known := p.labelOf(class)
		dst.Tally.Given++
		if !known {
			dst.Tally.Unknown++
		}
		if !known || label != dst.Labels[i] {
			dst.Tally.Wrong++
		}
	}
}

// labelOf returns the label of a class name. A number such as 1.0 is the class 1.
func (p *Predictor) labelOf(class string) (label int, known bool) {
	if label, known = p.label[class]; known {
		return label, true
	}
	if v, err := strconv.ParseFloat(class, 64); err == nil {
		label, known = p.label[strconv.FormatFloat(v, 'g', -1, 64)]
	}
	return label, known
}

// Best returns the first index of the largest value, or −1 if a value is NaN: the label
// that Predict gives for potentials or probabilities.
func Best(row []float64) int { return slices.Index(row, slices.Max(row)) }
