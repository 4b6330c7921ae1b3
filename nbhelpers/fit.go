package nbhelpers

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Fit fits a learner to a set until the Stop button of the notebook is pressed. The model
// has the names of the set if it can have names. Fit panics if the learner returns an
// error.
func Fit[M mpcvm.Classifier](l mpcvm.LearnerOf[M], set *data.Set, observers ...mpcvm.Observer) (M, mpcvm.Result) {
	defer readable()
	if any(l) == nil {
		panic("nbhelpers: Fit: l is nil; give it a learner, such as mpcvm.BottomUp{}")
	}
	ctx, stop := Context()
	defer stop()
	model, result, err := l.Fit(ctx, mpcvm.Samples{X: set.X, T: set.T}, observers...)
	if err != nil {
		panic(err)
	}
	if m, ok := any(model).(interface {
		WithNames(classes, features []string) M
	}); ok {
		model = m.WithNames(set.Classes, set.Features)
	}
	return model, result
}

// Wrong is the number of rows that a model assigns to a wrong class. It panics if the rows are a set that
// is not in the units of the model, as [Regions] does.
func Wrong[R Rows](m interface {
	Predict(dst []int, x mat.Matrix) []int
}, rows R) (n int) {
	defer readable()
	var set *data.Set
	switch rows := any(rows).(type) {
	case *table.Table:
		set = encode("Wrong", tableModel("Wrong", m), rows).set
	case *data.Set:
		checkUnits("Wrong", m, rows, nil)
		set = rows
	}
	for i, label := range m.Predict(nil, set.X) {
		if label != set.T[i] {
			n++
		}
	}
	return n
}
