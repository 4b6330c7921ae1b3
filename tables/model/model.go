// Package model contains the model of a table: a recipe, which turns the cells of a row into features, and an
// [mpcvm.Model], which predicts the class from the features. A program that only loads and applies a model
// needs this package but not the readers of files in package tables.
package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Model predicts the rows of tables. It consists of a recipe, which turns the cells of a row into features,
// and an [mpcvm.Model], which predicts the class from the features. It is immutable and safe for concurrent
// use.
type Model struct {
	model  *mpcvm.Model
	recipe *recipe.Recipe // or nil
	ids    []string       // of the training rows of the relevance vectors, or nil
	record *Record        // of the fit, or nil

	samples *recipe.Samples // of the fit; nil after loading
	ready   func() prepared // is called for the first prediction
}

// prepared is what predictions need from a model.
type prepared struct {
	recipe *recipe.Recipe
	rows   *recipe.RowEncoder
	names  []string // of the classes
	costs  *mat.Dense
}

// prepare sets Model.ready.
func (m *Model) prepare() *Model {
	m.ready = sync.OnceValue(func() prepared {
		r := m.recipe
		if r == nil {
			r = recipe.Numbers(m.model.FeatureNames())
		}
		return prepared{r, r.ForRows(), m.model.ClassNames(), m.model.Costs()}
	})
	return m
}

// NewModel combines a recipe with a model that was trained on the features of the recipe. If r is nil, each
// feature of the model is a column of numbers, and a missing cell is an error. NewModel panics if the recipe
// and the model differ in the number of features.
func NewModel(m *mpcvm.Model, r *recipe.Recipe) *Model {
	if r == nil {
		return (&Model{model: m}).prepare()
	}
	if r.Width() != m.Features() {
		panic(fmt.Sprintf("tables: recipe with %d features for a model with %d", r.Width(), m.Features()))
	}
	return (&Model{model: m, recipe: r.Clone()}).prepare()
}

// Fit trains a model on the rows of a table that have a label. target is the name of the column of the
// classes; if it is "", table.Table.Target chooses the column.
//
// Fit fits a recipe to the rows with a label, and then trains l on their standardised samples. The weights
// of the rows are given by table.Table.Weights, and if l cross-validates, the folds are determined by
// recipe.Samples.Dealing. RelevanceVector.Index is the row of the table, counted from 0. The models passed to
// observers have neither names nor scaling. If ctx is done early, Fit returns the model so far together with
// the error of ctx, as l does.
//
// If the table cannot be used, the error wraps recipe.ErrOneClass, recipe.ErrNotLabels, recipe.ErrNoFeatures
// or recipe.ErrNotKind. A *mpcvm.MemoryError and other errors of l are returned as they are.
func Fit(ctx context.Context, t *table.Table, target string, l mpcvm.Learner,
	observers ...mpcvm.Observer) (*Model, mpcvm.Result, error) {
	args.Learner("tables: Fit: l", l)
	s, err := recipe.Prepare(ctx, t, target, nil)
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	return FitSamples(ctx, t, s, l, observers...)
}

// FitSamples is like Fit for samples that recipe.Prepare has made from the table.
func FitSamples(ctx context.Context, t *table.Table, s *recipe.Samples, l mpcvm.Learner,
	observers ...mpcvm.Observer) (*Model, mpcvm.Result, error) {
	args.Learner("tables: FitSamples: l", l)
	d, err := s.Dealing(context.WithoutCancel(ctx), t)
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

// Samples returns the samples of the fit without their features X, or nil if the model was loaded from a
// file. They must not be modified.
func (m *Model) Samples() *recipe.Samples { return m.samples }

// Model returns the underlying model, which predicts samples encoded by the recipe.
func (m *Model) Model() *mpcvm.Model { return m.model }

// With returns a copy of m with another underlying model, such as m.Model().WithCosts(costs). The copy keeps
// the record of m, so the other model should come from the same fit. With panics if the number of features
// differs.
func (m *Model) With(of *mpcvm.Model) *Model {
	if of.Features() != m.model.Features() {
		panic(fmt.Sprintf("tables: model with %d features, want %d", of.Features(), m.model.Features()))
	}
	with := *m
	with.model = of
	if of.VectorCount() != len(m.ids) {
		with.ids = nil
	}
	return with.prepare()
}

// Recipe returns a copy of the recipe, or nil if each feature is a column of numbers.
func (m *Model) Recipe() *recipe.Recipe {
	if m.recipe == nil {
		return nil
	}
	return m.recipe.Clone()
}

// RowRecipe returns the recipe of the model, or a recipe for columns of numbers if it has none. It must not
// be modified.
func (m *Model) RowRecipe() *recipe.Recipe { return m.ready().recipe }

// ClassNames returns the names of the classes.
func (m *Model) ClassNames() []string { return m.model.ClassNames() }

// ID returns a string that identifies the training row of the i-th relevance vector: the cells of the columns
// of kind id, joined by blanks. It returns "" if the table had no such columns.
func (m *Model) ID(i int) string {
	if m.ids == nil {
		return ""
	}
	return m.ids[i]
}

// String describes the model in one line: the names of up to 8 columns, and the underlying model.
func (m *Model) String() string {
	columns := m.RowRecipe().Columns
	var names []string
	for i := range columns[:min(len(columns), 8)] {
		names = append(names, cell.Shorten(strings.Join(strings.Fields(columns[i].Name), " ")))
	}
	if len(columns) > len(names) {
		names = append(names, "…")
	}
	return fmt.Sprintf("table model of %d columns (%s): %v", len(columns), strings.Join(names, ", "), m.model)
}

// Prediction is the prediction for one row of a table.
type Prediction struct {
	// Class is the name of the predicted class, and Label its index; see mpcvm.Model.Predict.
	Class string
	Label int
	// Proba contains the probability of each class.
	Proba []float64
	// Unlike reports whether the row differs from all training rows; see mpcvm.Model.Unlike. Novelty lists
	// the cells outside the range of the training rows, and the levels that they do not have.
	Unlike bool
	recipe.Novelty
	// Missing lists the columns of the model for which the row passed to PredictRow has no key, in the
	// order of the model. They are treated as missing cells.
	Missing []string
	// Err is nil, or the reason why the row cannot be predicted. In that case Class is "", Label is −1 and
	// Proba is nil.
	Err error

	classes []string
}

// ByClass returns the probability of each class by its name, or nil if the row cannot be predicted.
func (p *Prediction) ByClass() map[string]float64 {
	if p.Proba == nil {
		return nil
	}
	proba := make(map[string]float64, len(p.Proba))
	for c, v := range p.Proba {
		proba[p.classes[c]] = v
	}
	return proba
}

// ErrOverflow is the Err of a row whose features are so large that the potentials of the model overflow,
// which can happen with linear and polynomial kernels.
var ErrOverflow = errors.New("its features are too large for the model")

// batch is the number of rows that Predict encodes at a time.
const batch = 1 << 12

// Predict predicts each row of a table. Columns are found by name, in any order; other columns are ignored.
//
// If a row cannot be predicted, its Prediction.Err gives the reason: a cell is not of the kind of its column
// (recipe.ErrNotKind), the row has no value at all (recipe.ErrNoValue), a value is missing and the model has
// no recipe (recipe.ErrMissing), or a potential overflows (ErrOverflow). Predict itself returns
// recipe.ErrNoColumn if the table lacks a column of the model. If ctx is done early, it returns the
// predictions so far and the error of ctx.
func (m *Model) Predict(ctx context.Context, t *table.Table) ([]Prediction, error) {
	r := m.RowRecipe()
	predictions := make([]Prediction, 0, t.Rows)
	for rows := range slices.Chunk(fitting.All(t.Rows), batch) {
		if err := ctx.Err(); err != nil {
			return predictions, err
		}
		x, unusable, err := r.Encode(nil, t, rows)
		if err != nil {
			return nil, err
		}
		predictions = m.predict(predictions, x, unusable)
		for k, n := range r.Novelty(t, rows, x, unusable) {
			p := &predictions[rows[k]]
			if p.Label >= 0 {
				p.Novelty = n
			} else if p.Err == nil {
				p.Err = &cell.Error{Name: t.Name, Row: int64(rows[k]) + 1, Err: ErrOverflow}
			}
		}
	}
	return predictions, nil
}

// predict appends the predictions for the samples x. unusable comes from Encode.
func (m *Model) predict(to []Prediction, x *mat.Dense, unusable []error) []Prediction {
	y, unlike := m.model.PotentialsUnlike(nil, x)
	of := m.ready()
	for i, label := range Labels(m.model, y, of.costs, true) {
		p := Prediction{Label: label, classes: of.names}
		if label >= 0 {
			p.Class, p.Proba, p.Unlike = of.names[label], y.RawRowView(i), unlike[i]
		}
		if unusable != nil {
			p.Err = unusable[i]
		}
		to = append(to, p)
	}
	return to
}

// Labels returns the class of each sample with the potentials y, or −1 if the potentials are NaN. It is the
// rule of mpcvm.Model.Predict, with these costs, which may be nil, instead of the costs of the model. If proba is
// true, or if the class depends on the probabilities, they replace the potentials in y.
func Labels(m *mpcvm.Model, y, costs *mat.Dense, proba bool) []int {
	n, classes := y.Dims()
	labels := make([]int, n)
	for i := range labels {
		labels[i] = fitting.Argmax(y.RawRowView(i))
	}
	decision := fitting.Calibration{Floor: m.Floor()}
	if costs != nil {
		for c := range classes {
			decision.Costs = append(decision.Costs, costs.RawRowView(c))
		}
	}
	if !proba && !decision.ByProba() {
		return labels
	}
	m.ProbaOf(y, y)
	for i, label := range labels {
		labels[i] = decision.Label(label, y.RawRowView(i))
	}
	return labels
}

// PredictRow predicts a single row, which maps the names of columns to values; see recipe.RowEncoder.Encode.
// A column of the model without a key in row is treated as missing and listed in Prediction.Missing; a nil
// value is not listed. The row may contain the columns of the classes, ids and free texts of the training
// table, which are ignored; any other name is a recipe.ErrUnknownColumn. Otherwise the error is the one that
// Predict stores in Prediction.Err.
func (m *Model) PredictRow(row map[string]any) (Prediction, error) {
	encoded, err := m.ready().rows.Encode(row)
	if err != nil {
		return Prediction{Label: -1, Missing: encoded.Missing, Err: err}, err
	}
	var to [1]Prediction
	p := &m.predict(to[:0], mat.NewDense(1, len(encoded.X), encoded.X), nil)[0]
	if p.Missing = encoded.Missing; p.Label < 0 {
		p.Err = fmt.Errorf("tables: %w", ErrOverflow)
	} else {
		p.Novelty = encoded.Novelty
	}
	return *p, p.Err
}

// Cells decodes a sample x of the underlying model, such as mpcvm.RelevanceVector.Raw. It returns a string
// for each column of the recipe: "" for a missing cell, and "other" for a category without a feature of its
// own. Without a recipe, the columns are the features. Cells panics if len(x) is not the number of features.
func (m *Model) Cells(x []float64) []string {
	if len(x) != m.model.Features() {
		panic(fmt.Sprintf("tables: %d features for a model with %d", len(x), m.model.Features()))
	}
	return m.RowRecipe().Cells(x)
}
