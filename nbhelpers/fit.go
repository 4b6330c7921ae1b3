package nbhelpers

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Fit fits a learner to a set until the Stop button of the notebook is pressed. The model
// has the names of the set if it can have names. Fit panics if the learner returns an
// error.
func Fit[M mpcvm.Classifier](l mpcvm.LearnerOf[M], set *data.Set, observers ...mpcvm.Observer) (M, mpcvm.Result) {
	ctx, stop := Context()
	defer stop()
	model, result, err := l.Fit(ctx, set.X, set.T, observers...)
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

// Wrong is the number of samples of a set that a model assigns to a wrong class.
func Wrong(m interface {
	Predict(dst []int, x mat.Matrix) []int
}, set *data.Set) (n int) {
	for i, label := range m.Predict(nil, set.X) {
		if label != set.T[i] {
			n++
		}
	}
	return n
}
