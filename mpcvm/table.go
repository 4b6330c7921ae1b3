package mpcvm

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// FitTable fits a model to the rows of a table that have a label. target is the name of the
// column of the classes; "" leaves the choice to table.Target. The model carries the recipe of
// the table and predicts rows as they are: see [Model.PredictTable] and [Model.PredictRow].
//
// The recipe is fitted to the rows with a label, and l to their standardised samples. If l
// cross-validates, it deals its folds by table.Table.Dealing: see [Grouped] and [Timed]. Where the
// table has weights, see [Weighted].
// RelevanceVector.Index is the row of the table, from 0. The models that observers see are
// without recipe, names and scaling. If ctx ends, FitTable returns the model so far together
// with the context's error, as l does.
//
// A program may act on these errors by errors.Is: recipe.ErrOneClass, recipe.ErrNotLabels,
// recipe.ErrNoFeatures and recipe.ErrNotKind, which are faults of the table; context.Canceled
// and context.DeadlineExceeded. A *[MemoryError] and the errors of l are returned as they are.
func FitTable(ctx context.Context, t *table.Table, target string, l Learner, observers ...Observer) (*Model, Result, error) {
	args.Learner("mpcvm: FitTable: l", l)
	s, err := recipe.Prepare(ctx, t, target, nil)
	if err != nil {
		return nil, Result{}, err
	}
	d, err := t.Dealing(s.Rows)
	if err != nil {
		return nil, Result{}, err
	}
	samples := Samples{X: s.X, T: s.T, Weights: s.Weights, Groups: d.Groups, Times: d.Times}
	m, result, err := l.Fit(ctx, samples, observers...)
	if m == nil {
		return nil, result, err
	}
	m = m.WithReach(s.X)
	m = m.WithNames(s.Classes, s.Recipe.Features()).WithScaling(s.Mean, s.Scale).WithRecipe(s.Recipe).WithRows(s.Rows)
	if len(s.Recipe.ID) > 0 {
		m.ids = make([]string, len(m.index))
		for i, row := range m.index {
			m.ids[i] = s.Recipe.Identify(t, row)
		}
	}
	return m, result, err
}

// WithRecipe returns the model that takes rows of tables by a recipe. It is for a model that
// was trained on the features of the recipe; nil removes it. It panics if the recipe does not
// have D features.
func (m *Model) WithRecipe(r *recipe.Recipe) *Model {
	if r != nil && r.Width() != m.dim {
		panic(fmt.Sprintf("mpcvm: recipe of %d features for a model of %d", r.Width(), m.dim))
	}
	with := *m
	with.recipe = nil
	if r != nil {
		with.recipe = r.Clone()
	}
	return &with
}

// Recipe returns a copy of the recipe of the model, nil if it has none.
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
	return recipe.Numbers(m.FeatureNames())
}

// Prediction is what a model says about one row of a table.
type Prediction struct {
	// Class is the name of the class that Model.Predict gives, Label its number.
	Class string
	Label int
	// Proba has the probability of each class.
	Proba []float64
	// Unlike says that the row is unlike all training rows; see Model.Unlike.
	Unlike bool
	// Missing has the columns of the model for which the row of PredictRow has no key, in the order of
	// the model. They were treated as missing cells.
	Missing []string
	// Err says why the row cannot be used; nil if it can. Class is "", Label −1 and Proba nil
	// then.
	Err error
}

// ErrOverflow is the Err of a row so far away that its potentials are not finite: linear and polynomial
// kernels overflow.
var ErrOverflow = errors.New("its features are too large for the model")

// batch is how many rows PredictTable encodes at a time.
const batch = 1 << 12

// PredictTable predicts each row of a table. It finds the columns by name, in any order;
// further columns do no harm. A row that cannot be used has the reason in Prediction.Err: a
// cell that is not of the kind of its column (recipe.ErrNotKind), no value at all
// (recipe.ErrNoValue), a missing value for a model without recipe (recipe.ErrMissing), or
// ErrOverflow. The error is recipe.ErrNoColumn if the table lacks a column of the model, or
// the context's; the predictions so far are returned with the latter.
func (m *Model) PredictTable(ctx context.Context, t *table.Table) ([]Prediction, error) {
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
			x = mat.NewDense(len(rows), m.dim, nil)
		}
		_, unusable, err := r.Encode(x, t, rows)
		if err != nil {
			return nil, err
		}
		predictions = m.predict(predictions, x, names, unusable)
		for i := done; i < len(predictions); i++ {
			if p := &predictions[i]; p.Label < 0 && p.Err == nil {
				p.Err = &cell.Error{Package: "mpcvm", Name: t.Name, Row: int64(i) + 1, Err: ErrOverflow}
			}
		}
	}
	return predictions, nil
}

// predict appends the predictions of samples x. unusable is as of Encode.
func (m *Model) predict(to []Prediction, x *mat.Dense, names []string, unusable []error) []Prediction {
	potentials, unlike := m.PotentialsUnlike(nil, x)
	labels, y := m.decide(potentials)
	for i, label := range labels {
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
// ErrUnknownColumn for any other name, and otherwise that of Prediction.Err in PredictTable.
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
	p := m.predict(nil, mat.NewDense(1, m.dim, x), m.ClassNames(), nil)[0]
	p.Missing = absent
	if p.Label < 0 {
		p.Err = fmt.Errorf("mpcvm: %w", ErrOverflow)
	}
	return p, p.Err
}

// Cells returns the cells of a sample x of D features, in the units that Predict takes, as
// texts: one for each column of the recipe, "" for a missing one, and "other" for a category
// without a feature of its own. For a model without recipe the columns are the features.
// RelevanceVector.Raw is such an x. It panics if len(x) is not D.
func (m *Model) Cells(x []float64) []string {
	if len(x) != m.dim {
		panic(fmt.Sprintf("mpcvm: %d features for a model of %d", len(x), m.dim))
	}
	return m.rows().Cells(x)
}

// Decide returns the class of the least expected cost for each row of p, N×C probabilities as
// of Proba: the j of the least Σ_c p_c·costs(c, j). costs is C×C; a row is the true class and
// a column the decision. The lower class wins a tie. A row of p with NaN gives −1. It panics
// if a shape does not fit or a cost is not finite.
//
// A threshold on the probability of class 1 of two is the special case costs = [0 1; c 0]: it
// decides for class 1 if p_1 > 1/(1+c). A threshold of 0.2 is c = 4.
func (m *Model) Decide(p, costs mat.Matrix) []int {
	n, c := p.Dims()
	if c != m.classes {
		panic(fmt.Sprintf("mpcvm: probabilities of %d classes for a model of %d", c, m.classes))
	}
	list := m.rowsOf(costs)
	decisions, row := make([]int, n), make([]float64, c)
	for i := range decisions {
		decisions[i] = fitting.LeastCost(mat.Row(row, i, p), list)
	}
	return decisions
}
