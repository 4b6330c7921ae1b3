// Package predict applies a model to batches of samples and writes the predictions as CSV, JSON or Parquet.
// It is used by the command mpcvm and by distributed engines.
package predict

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/drift"
	"github.com/mpcvm/mpcvm/tables/internal/celltext"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Recipe returns the recipe of a model. If it has none, each feature is treated as a column of numbers.
func Recipe(m *model.Model) *recipe.Recipe {
	if r := m.Recipe(); r != nil {
		return r
	}
	return recipe.Numbers(m.Model().FeatureNames())
}

// Names returns the names of the columns of a model, followed by the class column.
func Names(m *model.Model) (names []string) {
	r := Recipe(m)
	for i := range r.Columns {
		names = append(names, r.Columns[i].Name)
	}
	return append(names, cmp.Or(r.Target, table.ClassColumn))
}

// Predictor applies a model. It is safe for concurrent use.
type Predictor struct {
	table *model.Model
	model *mpcvm.Model // of table
	names []string     // of the classes
	label *celltext.Labels
	proba bool
	keep  []string
	costs *mat.Dense // costs for decisions; may be nil
	sets  float64    // coverage of prediction sets; zero for none
	why   func(error) string
}

// New returns a Predictor that computes the classes and, if proba is true, the class probabilities.
func New(m *model.Model, proba bool) *Predictor {
	names := m.ClassNames()
	return &Predictor{table: m, model: m.Model(), names: names, label: celltext.NewLabels(names), proba: proba,
		costs: m.Model().Costs(), why: Reason}
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

// Costs makes each row's class the one with the lowest expected cost, using these costs instead of the
// model's; see mpcvm.Model.Decide.
func (p *Predictor) Costs(costs *mat.Dense) { p.costs = costs }

// Explain sets the function that describes why a row cannot be used. The default is [Reason].
func (p *Predictor) Explain(why func(error) string) { p.why = why }

// Sets makes the formats write the prediction set of each row; see mpcvm.Model.PredictSet. It returns
// mpcvm.ErrNoScores if the model has no scores.
func (p *Predictor) Sets(coverage float64) error {
	if p.model.Scores() == nil {
		return mpcvm.ErrNoScores
	}
	p.sets = coverage
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

	kept   []*table.Column
	memory []float64 // of Values
	bytes  []byte    // encoded text
}

// Tally counts correct and wrong predictions for samples with a known class, and the unusable rows.
type Tally struct {
	Rows     int64  `json:"rows"`
	Given    int64  `json:"given"`           // samples with a given class
	Wrong    int64  `json:"wrong"`           // of these, predicted as another class
	Unknown  int64  `json:"unknown"`         // of these, with a class unknown to the model
	Unusable int64  `json:"unusable"`        // unusable rows
	First    int64  `json:"first,omitempty"` // the first unusable row, from 1
	Why      string `json:"why,omitempty"`   // why that row is unusable
	// Far is the number of rows unlike all training rows (see mpcvm.Model.Unlike), and FirstFar the first
	// such row, from 1.
	Far      int64 `json:"far,omitempty"`
	FirstFar int64 `json:"first_far,omitempty"`
	// SetSize is the sum of the sizes of the prediction sets, Empty the number of empty sets, and Covered
	// the number of sets that contain the given class.
	SetSize int64 `json:"set_size,omitempty"`
	Empty   int64 `json:"empty,omitempty"`
	Covered int64 `json:"covered,omitempty"`
	// Unlike describes, for each column of the model, the cells unlike the training rows.
	Unlike []drift.Cells `json:"unlike,omitempty"`
}

// Add adds the counts of the samples that follow those in t.
func (t *Tally) Add(other Tally) {
	if t.Unusable == 0 && other.Unusable > 0 {
		t.First, t.Why = t.Rows+other.First, other.Why
	}
	if t.Far == 0 && other.Far > 0 {
		t.FirstFar = t.Rows + other.FirstFar
	}
	t.Far += other.Far
	t.SetSize += other.SetSize
	t.Empty += other.Empty
	t.Covered += other.Covered
	t.Rows += other.Rows
	t.Given += other.Given
	t.Wrong += other.Wrong
	t.Unknown += other.Unknown
	t.Unusable += other.Unusable
	if t.Unlike == nil && other.Unlike != nil {
		t.Unlike = make([]drift.Cells, len(other.Unlike))
	}
	for i, u := range other.Unlike {
		t.Unlike[i].Add(u)
	}
}

// Warnings reports how many rows are unlike all training rows, and which columns have cells unlike the
// training data; see drift.Watch.Warnings.
func (p *Predictor) Warnings(t Tally) []string {
	list, rows := []string{}, t.Rows-t.Unusable
	if t.Far > 0 {
		text := "%d of %d rows are"
		if t.Far == 1 {
			text = "%d of %d rows is"
		}
		list = append(list, fmt.Sprintf(text+" unlike all training rows (first: row %d); about 1 %% of rows "+
			"from the same distribution would be", t.Far, rows, t.FirstFar))
	}
	return append(list, table.Go.SayAll(drift.NewWatch(Recipe(p.table)).Warnings(t.Unlike, rows))...)
}

// Failure returns an error if no row of a file could be used, otherwise nil.
func (t *Tally) Failure(file string) error {
	if t.Rows == 0 || t.Unusable < t.Rows {
		return nil
	}
	return fmt.Errorf("%s: no usable rows (%d read); the first error: %s; compare its columns with "+
		"the training file: mpcvm look %[1]s", file, t.Rows, t.Why)
}

// Predict stores the predictions for a batch, which may be empty, in dst. For a row that cannot be used,
// dst.Problems contains the reason from the batch, or model.ErrOverflow.
func (p *Predictor) Predict(dst *Predictions, b *Batch) {
	n, c := b.Rows(), len(p.names)
	dst.Labels, dst.Classes, dst.Problems = slices.Grow(dst.Labels[:0], n)[:n],
		slices.Grow(dst.Classes[:0], n)[:n], slices.Grow(dst.Problems[:0], n)[:n]
	dst.Sets, dst.Unlike = nil, nil
	dst.Tally, dst.bytes, dst.kept = Tally{Rows: int64(n), Unlike: b.Unlike}, dst.bytes[:0], b.Kept
	if n == 0 {
		return
	}
	dst.memory = slices.Grow(dst.memory[:0], n*c)[:n*c]
	dst.Values = mat.NewDense(n, c, dst.memory)
	var decisions []int // decisions by cost; nil without costs
	floored := p.model.Floor() != nil
	probable := p.proba || p.costs != nil || floored
	_, dst.Unlike = p.model.PotentialsUnlike(dst.Values, b.X)
	if p.sets > 0 {
		var err error
		if dst.Sets, err = p.model.SetsOf(dst.Values, dst.Unlike, p.sets); err != nil {
			panic(err) // Sets has rejected such models
		}
	}
	if probable { // two thirds of the work
		p.model.ProbaOf(dst.Values, dst.Values)
		if p.costs != nil {
			decisions = p.model.Decide(dst.Values, p.costs)
		}
	}
	for i := range n {
		row := dst.Values.RawRowView(i)
		label := Best(row)
		switch {
		case floored:
			label = MostProbable(row)
		case probable && near(row, label): // rounding may have changed their order
			_, d := b.X.Dims()
			label = Best(p.model.Potentials(nil, b.X.Slice(i, i+1, 0, d)).RawRowView(0))
		}
		problem := ""
		switch {
		case b.Problems != nil && b.Problems[i] != nil:
			problem = p.why(b.Problems[i])
		case label < 0 || math.IsInf(row[label], 0):
			problem = model.ErrOverflow.Error()
		default:
			if decisions != nil {
				label = decisions[i]
			}
			dst.Labels[i], dst.Classes[i], dst.Problems[i] = label, p.names[label], ""
			dst.Tally.see(dst, i)
			continue
		}
		setNaN(row)
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
		}
		if label != dst.Labels[i] {
			dst.Tally.Wrong++
		}
		if dst.Sets != nil && slices.Contains(dst.Sets[i], label) {
			dst.Tally.Covered++
		}
	}
}

// see counts the prediction set of a usable row, and whether the row is unlike the training rows.
func (t *Tally) see(p *Predictions, i int) {
	if p.Unlike[i] {
		if t.Far++; t.Far == 1 {
			t.FirstFar = int64(i) + 1
		}
	}
	if p.Sets != nil {
		t.SetSize += int64(len(p.Sets[i]))
		if len(p.Sets[i]) == 0 {
			t.Empty++
		}
	}
}

// MostProbable returns the class with the highest probability, which is the label that mpcvm.Model.Predict
// returns, or −1 if a probability is NaN. Differences below 1e-9 count as ties, which the first class wins.
func MostProbable(p []float64) int {
	best := 0
	for c, v := range p {
		switch {
		case math.IsNaN(v):
			return -1
		case v > p[best]+1e-9:
			best = c
		}
	}
	return best
}

// near reports whether another class is as probable as a label up to rounding errors.
func near(p []float64, label int) bool {
	for c, v := range p {
		if c != label && label >= 0 && p[label]-v < 1e-9 {
			return true
		}
	}
	return false
}

// Best returns the first index of the largest value, or −1 if a value is NaN. For potentials, this is the
// label.
func Best(row []float64) int { return slices.Index(row, slices.Max(row)) }
