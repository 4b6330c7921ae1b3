package nbhelpers

import (
	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Fit fits a learner to a set; the Stop button of the notebook stops the fit. The model is given the
// names of the set if its type supports names. Fit panics if the learner returns an error.
func Fit[M mpcvm.Classifier](l mpcvm.LearnerOf[M], set *data.Set, observers ...mpcvm.Observer) (M,
	mpcvm.Result) {
	defer chart.Readable()
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

// Wrong returns the number of samples that a model misclassifies. It panics if the set is not in the
// units of the model, as [Regions] does.
func Wrong(m mpcvm.Classifier, set *data.Set) (n int) {
	defer chart.Readable()
	checkUnits("Wrong", m, set, nil)
	for i, label := range m.Predict(nil, set.X) {
		if label != set.T[i] {
			n++
		}
	}
	return n
}
