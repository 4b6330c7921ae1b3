package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Model predicts the rows of tables. It consists of a recipe, which turns the cells of a row into features,
// and of a [mpcvm.Model] of these features. It is immutable and safe for concurrent use.
type Model struct {
	model  *mpcvm.Model
	recipe *recipe.Recipe // nil without
	ids    []string       // of the relevance vectors' rows; nil without
	record *Record        // of the fit; nil without

	samples *recipe.Samples // of the fit; nil after loading
}

// NewModel returns a table model of a recipe and of a model that was trained on the features of the recipe.
// If r is nil, each feature of the model is a column of numbers, and a missing cell is an error. NewModel
// panics if the recipe has another number of features than the model.
func NewModel(m *mpcvm.Model, r *recipe.Recipe) *Model {
	if r == nil {
		return &Model{model: m}
	}
	if r.Width() != m.Features() {
		panic(fmt.Sprintf("tables: recipe of %d features for a model of %d", r.Width(), m.Features()))
	}
	return &Model{model: m, recipe: r.Clone()}
}

// Fit trains a model on the rows of a table that have a label. target is the name of the column of the
// classes; if it is "", table.Target chooses the column.
//
// The recipe is fitted to the rows with a label, and l to their standardised samples. If l cross-validates,
// it deals its folds by table.Table.Dealing, and it uses the weights of table.Table.Weights.
// RelevanceVector.Index is the row of the table, from 0. The models that observers see have neither names
// nor scaling. If ctx ends, Fit returns the model so far together with the context's error, as l does.
//
// A program may act on these errors by errors.Is: recipe.ErrOneClass, recipe.ErrNotLabels,
// recipe.ErrNoFeatures and recipe.ErrNotKind, which are faults of the table; context.Canceled and
// context.DeadlineExceeded. A *mpcvm.MemoryError and the errors of l are returned as they are.
func Fit(ctx context.Context, t *table.Table, target string, l mpcvm.Learner,
	observers ...mpcvm.Observer) (*Model, mpcvm.Result, error) {
	args.Learner("tables: Fit: l", l)
	s, err := recipe.Prepare(ctx, t, target, nil)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	return FitSamples(ctx, t, s, l, observers...)
}

// FitSamples is Fit for samples that recipe.Prepare has made of rows of the table.
func FitSamples(ctx context.Context, t *table.Table, s *recipe.Samples, l mpcvm.Learner,
	observers ...mpcvm.Observer) (*Model, mpcvm.Result, error) {
	args.Learner("tables: FitSamples: l", l)
	d, err := t.Dealing(s.Rows)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	samples := mpcvm.Samples{X: s.X, T: s.T, Weights: s.Weights, Groups: d.Groups, Times: d.Times}
	m, result, err := l.Fit(ctx, samples, observers...)
	if m == nil {
		return nil, result, err
	}
	m = m.WithReach(s.X).WithNames(s.Classes, s.Recipe.Features()).WithScaling(s.Mean, s.Scale).WithRows(s.Rows)
	fitted, without := NewModel(m, s.Recipe), *s
	without.X = nil
	fitted.samples = &without
	if len(s.Recipe.ID) > 0 {
		for _, v := range m.RelevanceVectors() {
			fitted.ids = append(fitted.ids, s.Recipe.Identify(t, v.Index))
		}
	}
	return fitted, result, err
}

// Samples returns the samples of the fit without their features X, nil if the model was not fitted by this
// program. They must not be changed.
func (m *Model) Samples() *recipe.Samples { return m.samples }

// Model returns the model of the features. Its samples are rows of Recipe().Encode.
func (m *Model) Model() *mpcvm.Model { return m.model }

// With returns the table model with another model of the same features, such as m.Model().WithCosts(costs).
// The record stays, so the other model should come from the same fit.
// It panics if the number of features differs.
func (m *Model) With(of *mpcvm.Model) *Model {
	if of.Features() != m.model.Features() {
		panic(fmt.Sprintf("tables: model of %d features instead of one of %d", of.Features(), m.model.Features()))
	}
	with := *m
	with.model = of
	if of.VectorCount() != len(m.ids) {
		with.ids = nil
	}
	return &with
}

// Recipe returns a copy of the recipe, nil if each feature is a column of numbers.
func (m *Model) Recipe() *recipe.Recipe {
	if m.recipe == nil {
		return nil
	}
	return m.recipe.Clone()
}

// rows is the recipe of the model. Without one, each feature is a column of numbers.
func (m *Model) rows() *recipe.Recipe {
	if m.recipe != nil {
		return m.recipe
	}
	return recipe.Numbers(m.model.FeatureNames())
}

// ClassNames returns the names of the classes.
func (m *Model) ClassNames() []string { return m.model.ClassNames() }

// ID returns the text that identifies the training row of the i-th relevance vector: the cells of the
// columns of kind id with a blank between them. It is "" if the table had no such columns.
func (m *Model) ID(i int) string {
	if m.ids == nil {
		return ""
	}
	return m.ids[i]
}

// String describes the model in one line: its columns, of which at most 8 are named, and the model of the
// features.
func (m *Model) String() string {
	columns := m.rows().Columns
	var names []string
	for i := range columns[:min(len(columns), 8)] {
		names = append(names, cell.Shorten(strings.Join(strings.Fields(columns[i].Name), " ")))
	}
	if len(columns) > len(names) {
		names = append(names, "…")
	}
	return fmt.Sprintf("table model of %d columns (%s): %v", len(columns), strings.Join(names, ", "), m.model)
}

// Prediction is what a model says about one row of a table.
type Prediction struct {
	// Class is the name of the class that mpcvm.Model.Predict gives, Label its number.
	Class string
	Label int
	// Proba has the probability of each class.
	Proba []float64
	// Unlike says that the row is unlike all training rows; see mpcvm.Model.Unlike.
	Unlike bool
	// Missing has the columns of the model for which the row of PredictRow has no key, in the order of
	// the model. They were treated as missing cells.
	Missing []string
	// Err is the reason why the row cannot be used; nil if it can. Class is "", Label −1 and Proba nil
	// then.
	Err error
}

// ErrOverflow is the Err of a row so far away that its potentials are not finite: linear and polynomial
// kernels overflow.
var ErrOverflow = errors.New("its features are too large for the model")

// batch is how many rows Predict encodes at a time.
const batch = 1 << 12

// Predict predicts each row of a table. It finds the columns by name, in any order;
// further columns do no harm. A row that cannot be used has the reason in Prediction.Err: a
// cell that is not of the kind of its column (recipe.ErrNotKind), no value at all
// (recipe.ErrNoValue), a missing value for a model without recipe (recipe.ErrMissing), or
// ErrOverflow. The error is recipe.ErrNoColumn if the table lacks a column of the model, or
// the context's; the predictions so far are returned with the latter.
func (m *Model) Predict(ctx context.Context, t *table.Table) ([]Prediction, error) {
	r, names := m.rows(), m.ClassNames()
	predictions := make([]Prediction, 0, t.Rows)
	rows := make([]int, 0, batch)
	var x *mat.Dense
	for len(predictions) < t.Rows {
		if err := ctx.Err(); err != nil {
			return predictions, err
		}
		done := len(predictions)
		rows = rows[:0]
		for i := done; i < min(done+batch, t.Rows); i++ {
			rows = append(rows, i)
		}
		if x == nil || len(rows) < batch {
			x = mat.NewDense(len(rows), m.model.Features(), nil)
		}
		_, unusable, err := r.Encode(x, t, rows)
		if err != nil {
			return nil, err
		}
		predictions = m.predict(predictions, x, names, unusable)
		for i := done; i < len(predictions); i++ {
			if p := &predictions[i]; p.Label < 0 && p.Err == nil {
				p.Err = &cell.Error{Name: t.Name, Row: int64(i) + 1, Err: ErrOverflow}
			}
		}
	}
	return predictions, nil
}

// predict appends the predictions of samples x. unusable is as of Encode.
func (m *Model) predict(to []Prediction, x *mat.Dense, names []string, unusable []error) []Prediction {
	y, unlike := m.model.PotentialsUnlike(nil, x)
	labels := make([]int, len(unlike))
	for i := range labels {
		labels[i] = fitting.Argmax(y.RawRowView(i))
	}
	m.model.ProbaOf(y, y)
	decision := fitting.Calibration{Floor: m.model.Floor()}
	if costs := m.model.Costs(); costs != nil {
		for c := range len(names) {
			decision.Costs = append(decision.Costs, costs.RawRowView(c))
		}
	}
	for i, label := range labels {
		label = decision.Label(label, y.RawRowView(i))
		p := Prediction{Label: label, Unlike: unlike[i]}
		if label >= 0 {
			p.Class, p.Proba = names[label], y.RawRowView(i)
		}
		if unusable != nil {
			p.Err = unusable[i]
		}
		to = append(to, p)
	}
	return to
}

// PredictRow predicts one row, given by the names of the columns. A value is a number of any
// type of Go, a json.Number, a string, a bool, a time.Time, or nil for a missing one. A
// string is read as a cell of a file. A column of the model without a key in row is treated as
// missing and listed in Prediction.Missing; a nil is a missing cell and is not listed. The columns
// of the classes, of ids and of texts may be in row; they are not used. The error is
// ErrUnknownColumn for any other name, and otherwise Prediction.Err of Predict.
func (m *Model) PredictRow(row map[string]any) (Prediction, error) {
	r := m.rows()
	var absent []string
	for i := range r.Columns {
		if _, given := row[r.Columns[i].Name]; !given {
			absent = append(absent, r.Columns[i].Name)
		}
	}
	x, err := r.EncodeRow(row)
	if err != nil {
		return Prediction{Label: -1, Missing: absent, Err: err}, err
	}
	p := m.predict(nil, mat.NewDense(1, m.model.Features(), x), m.ClassNames(), nil)[0]
	p.Missing = absent
	if p.Label < 0 {
		p.Err = fmt.Errorf("tables: %w", ErrOverflow)
	}
	return p, p.Err
}

// Cells returns the cells of a sample x of the model of the features as texts: one for each column of the
// recipe, "" for a missing one, and "other" for a category without a feature of its own. Without a recipe
// the columns are the features. mpcvm.RelevanceVector.Raw is such an x. Cells panics if len(x) is not the
// number of features.
func (m *Model) Cells(x []float64) []string {
	if len(x) != m.model.Features() {
		panic(fmt.Sprintf("tables: %d features for a model of %d", len(x), m.model.Features()))
	}
	return m.rows().Cells(x)
}
