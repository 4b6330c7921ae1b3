// Package predict applies a model to batches of samples and writes the predictions as CSV, JSON or Parquet.
// It is used by the command mpcvm and by distributed engines.
package predict

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Names returns the names of the columns of a model, followed by the class column.
func Names(m *model.Model) (names []string) {
	r := m.RowRecipe()
	for i := range r.Columns {
		names = append(names, r.Columns[i].Name)
	}
	return append(names, cmp.Or(r.Target, table.ClassColumn))
}

// Predictor applies a model. It is safe for concurrent use.
type Predictor struct {
	model *model.Model
	names []string // of the classes
	label *celltext.Labels
	proba bool
	keep  []string
	costs *mat.Dense // costs for decisions; may be nil
	sets  float64    // coverage of prediction sets; zero for none
	voice *table.Voice
}

// New returns a Predictor that computes the classes and, if proba is true, the class probabilities.
func New(m *model.Model, proba bool) *Predictor {
	names := m.ClassNames()
	return &Predictor{model: m, names: names, label: celltext.NewLabels(names), proba: proba,
		costs: m.Model().Costs(), voice: table.Go}
}

// Keep makes the formats write columns of the input, taken from Batch.Kept, before the predictions. If a
// name is already used by a column of the predictions, "(kept)" is appended to it.
func (p *Predictor) Keep(names []string) {
	p.keep = slices.Clone(names)
	taken := slices.Concat(p.columns(), []string{table.ClassColumn}, p.after())
	for i, name := range p.keep {
		for slices.Contains(taken, p.keep[i]) {
			p.keep[i] += " (kept)"
		}
		taken = append(taken, name, p.keep[i])
	}
}

// Configure sets the costs by which classes are chosen instead of the costs of the model (see
// mpcvm.Model.Decide), the coverage of the prediction sets that the formats write (see
// mpcvm.Model.PredictSet), and the voice in which they explain why a row cannot be used. Zero values change
// nothing. The error is mpcvm.ErrNoScores if the model has no scores for prediction sets.
func (p *Predictor) Configure(costs *mat.Dense, sets float64, voice *table.Voice) error {
	if sets > 0 && p.model.Model().Scores() == nil {
		return mpcvm.ErrNoScores
	}
	p.sets = max(sets, 0)
	p.costs, p.voice = cmp.Or(costs, p.costs), cmp.Or(voice, p.voice)
	return nil
}

// Predictions contains the predictions for a batch. The zero value is empty. Reusing a value reuses its
// memory.
type Predictions struct {
	Values   *mat.Dense // N×C probabilities, or potentials without proba; NaN for unusable rows
	Labels   []int      // −1 for unusable rows
	Classes  []string   // names of the labels; empty for unusable rows
	Sets     [][]int    // prediction sets; nil for unusable rows, or if not requested
	Unlike   []bool     // whether each row is unlike all training rows; see mpcvm.Model.Unlike
	Problems []string   // why a row is unusable; empty if it is usable
	Tally    Tally
	// Novelty is Batch.Novelty.
	Novelty []recipe.Novelty

	kept   []*table.Column
	memory []float64 // of Values
	bytes  []byte    // encoded text
}

// Tally counts correct and wrong predictions for samples with a known class, and the unusable rows.
type Tally struct {
	Rows    int64 `json:"rows"`
	Given   int64 `json:"given"`   // samples with a given class
	Wrong   int64 `json:"wrong"`   // of these, predicted as another class
	Unknown int64 `json:"unknown"` // of these, with a class unknown to the model
	// Strange lists the first classes unknown to the model.
	Strange  []string `json:"unknown_classes,omitempty"`
	Unusable int64    `json:"unusable"`        // unusable rows
	First    int64    `json:"first,omitempty"` // the first unusable row, from 1
	Why      string   `json:"why,omitempty"`   // why that row is unusable
	// Far is the number of rows unlike all training rows (see mpcvm.Model.Unlike), and FirstFar the first
	// such row, from 1.
	Far      int64 `json:"far,omitempty"`
	FirstFar int64 `json:"first_far,omitempty"`
	// SetSize is the sum of the sizes of the prediction sets, Empty the number of empty sets, and Covered
	// the number of sets that contain the given class.
	SetSize int64 `json:"set_size,omitempty"`
	Empty   int64 `json:"empty,omitempty"`
	Covered int64 `json:"covered,omitempty"`
	// Classes is the number of rows predicted as each class.
	Classes []int64 `json:"classes,omitempty"`
	// Unlike describes, for each column of the model, the cells unlike the training rows.
	Unlike []drift.Cells `json:"unlike,omitempty"`
}

// strange adds a class to Strange, up to a few.
func (t *Tally) strange(class string) {
	if len(t.Strange) < 10 && !slices.Contains(t.Strange, class) {
		t.Strange = append(t.Strange, class)
	}
}

// Add adds the counts of the samples that follow those in t.
func (t *Tally) Add(other Tally) {
	if t.Unusable == 0 && other.Unusable > 0 {
		t.First, t.Why = t.Rows+other.First, other.Why
	}
	if t.Far == 0 && other.Far > 0 {
		t.FirstFar = t.Rows + other.FirstFar
	}
	for _, n := range []struct{ to, by *int64 }{{&t.Far, &other.Far}, {&t.SetSize, &other.SetSize},
		{&t.Empty, &other.Empty}, {&t.Covered, &other.Covered}, {&t.Rows, &other.Rows}, {&t.Given, &other.Given},
		{&t.Wrong, &other.Wrong}, {&t.Unknown, &other.Unknown}, {&t.Unusable, &other.Unusable}} {
		*n.to += *n.by
	}
	for _, class := range other.Strange {
		t.strange(class)
	}
	if t.Classes == nil {
		t.Classes = make([]int64, len(other.Classes))
	}
	for c, n := range other.Classes {
		t.Classes[c] += n
	}
	if t.Unlike == nil && other.Unlike != nil {
		t.Unlike = make([]drift.Cells, len(other.Unlike))
	}
	for i, u := range other.Unlike {
		t.Unlike[i].Add(u)
	}
}

// Warnings reports how many rows are unlike all training rows, and which columns have cells unlike the
// training data; see drift.Warnings.
func (p *Predictor) Warnings(t Tally) []table.Finding {
	list, rows := []table.Finding{}, t.Rows-t.Unusable
	if t.Far > 0 {
		list = append(list, table.Finding{Code: texts.UnlikeRows, N: int(t.Far), Of: int(rows),
			Row: int(t.FirstFar)})
	}
	return append(list, drift.Warnings(p.model.RowRecipe(), t.Unlike, rows)...)
}

// Failure returns an error if no row of a file could be used, otherwise nil.
func (t *Tally) Failure(file string) error {
	if t.Rows == 0 || t.Unusable < t.Rows {
		return nil
	}
	return &cell.Error{Name: file, Err: table.Finding{Code: texts.NoUsableRows, N: int(t.Rows),
		Cause: errors.New(t.Why)}}
}

// Predict stores the predictions for a batch, which may be empty, in dst. For a row that cannot be used,
// dst.Problems contains the reason from the batch, or model.ErrOverflow.
func (p *Predictor) Predict(dst *Predictions, b *Batch) {
	n, c := b.Rows(), len(p.names)
	dst.Labels, dst.Classes, dst.Problems = slices.Grow(dst.Labels[:0], n)[:n],
		slices.Grow(dst.Classes[:0], n)[:n], slices.Grow(dst.Problems[:0], n)[:n]
	dst.Sets, dst.Unlike, dst.Novelty = nil, nil, b.Novelty
	dst.Tally, dst.bytes, dst.kept = Tally{Rows: int64(n), Unlike: b.Unlike}, dst.bytes[:0], b.Kept
	if n == 0 {
		return
	}
	dst.memory = slices.Grow(dst.memory[:0], n*c)[:n*c]
	dst.Values = mat.NewDense(n, c, dst.memory)
	dst.Tally.Classes = make([]int64, c)
	m := p.model.Model()
	_, dst.Unlike = m.PotentialsUnlike(dst.Values, b.X)
	if p.sets > 0 {
		var err error
		if dst.Sets, err = m.SetsOf(dst.Values, dst.Unlike, p.sets); err != nil {
			panic(err) // Sets has rejected such models
		}
	}
	for i, label := range model.Labels(p.model.Model(), dst.Values, p.costs, p.proba) {
		problem := ""
		switch {
		case b.Problems != nil && b.Problems[i] != nil:
			problem = Reason(b.Problems[i], p.voice)
		case label < 0:
			problem = model.ErrOverflow.Error()
		default:
			dst.Labels[i], dst.Classes[i], dst.Problems[i] = label, p.names[label], ""
			dst.Tally.Classes[label]++
			if dst.Unlike[i] {
				if dst.Tally.Far++; dst.Tally.Far == 1 {
					dst.Tally.FirstFar = int64(i) + 1
				}
			}
			if dst.Sets != nil {
				dst.Tally.SetSize += int64(len(dst.Sets[i]))
				if len(dst.Sets[i]) == 0 {
					dst.Tally.Empty++
				}
			}
			continue
		}
		dst.Values.SetRow(i, slices.Repeat([]float64{math.NaN()}, c))
		dst.Unlike[i] = false
		dst.Labels[i], dst.Classes[i], dst.Problems[i] = -1, "", problem
		if dst.Tally.Unusable++; dst.Tally.Unusable == 1 {
			dst.Tally.First, dst.Tally.Why = int64(i)+1, problem
		}
	}
	for i, class := range b.Class {
		if class == "" || dst.Labels[i] < 0 {
			continue
		}
		label := p.label.Find(class, nil)
		dst.Tally.Given++
		if label < 0 {
			dst.Tally.Unknown++
			dst.Tally.strange(class)
		}
		if label != dst.Labels[i] {
			dst.Tally.Wrong++
		}
		if dst.Sets != nil && slices.Contains(dst.Sets[i], label) {
			dst.Tally.Covered++
		}
	}
}

// Batch is a batch of consecutive rows of a file.
type Batch struct {
	X        *mat.Dense      // one sample per row; NaN in rows that cannot be used
	Class    []string        // of each row, as named by the model; empty if missing, nil without a class column
	Problems []error         // for each row, why it cannot be used; nil if all rows can be used
	Kept     []*table.Column // columns to pass through
	Unlike   []drift.Cells   // for each column of the recipe; nil if no row can be used
	// Novelty lists the cells of each row that no training row resembles; nil if unknown.
	Novelty []recipe.Novelty
}

// Rows returns the number of rows.
func (b *Batch) Rows() int {
	if b.X == nil {
		return 0
	}
	n, _ := b.X.Dims()
	return n
}

// Reason describes why a row cannot be used in the words of v, without the name of the file and the row
// number.
func Reason(err error, v *table.Voice) string {
	e, ok := errors.AsType[*cell.Error](err)
	if !ok {
		return v.Explain(err)
	}
	text := v.Explain(e.Err)
	if e.Header != "" {
		text = fmt.Sprintf("column %s: %s", cell.Shorten(e.Header), text)
	}
	if v, _ := e.Value.(string); v != "" {
		text += fmt.Sprintf(": %q", cell.Shorten(v))
	}
	return text
}
