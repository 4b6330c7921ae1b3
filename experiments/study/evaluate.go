package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// evaluate fits the system to the training set and measures it on the test set. Without parameters
// the error is errNoSetting.
func (j *job) evaluate(ctx context.Context) (res Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	if j.params == nil {
		return res, errNoSetting
	}
	p := j.pair.problem
	train, test := p.Split(j.partition)
	x, xTest := train.X, test.X
	t, classes := present(train.T)
	res = Result{
		System: j.pair.system.Name, Dataset: p.Name, Partition: j.partition, NTrain: train.N(), NTest: test.N(),
		Params: j.setting(), Classes: p.Set.C(), Series: p.Series, Raw: p.Raw, Missing: p.Missing,
		Whole: train.N() == p.Set.N(), Jobs: j.pair.study.Jobs, Data: p.prints[j.partition],
	}
	if j.pair.tuned() && !j.tuning {
		res.Rule = string(j.pair.study.Rule)
	}

	fit, labelsOnly := j.pair.system.Fit, j.labelsOnly()
	if labelsOnly {
		fit = j.pair.system.Labels
	}
	start := time.Now()
	c, err := fit(ctx, *j.params, x, t, res.Params.Seed)
	res.FitSeconds = time.Since(start).Seconds()
	if err != nil {
		return res, err
	}
	if c == nil {
		return res, errors.New("no classifier")
	}
	start = time.Now()
	labels := c.Predict(nil, xTest)
	res.PredictSeconds = time.Since(start).Seconds()
	if len(labels) != test.N() {
		return res, fmt.Errorf("%d predictions for %d samples", len(labels), test.N())
	}
	for i, l := range labels {
		if l >= len(classes) {
			return res, fmt.Errorf("label %d of %d classes", l, len(classes))
		}
		if l >= 0 {
			labels[i] = classes[l]
		}
	}
	if res.Err, err = score.ErrorRate(labels, test.T); err != nil {
		return res, err
	}
	res.Basis, res.Weights = c.VectorCount(), c.WeightCount()
	if labelsOnly {
		return res, res.check()
	}
	if err := res.scores(c, xTest, test.T, classes, p.Set.C()); err != nil {
		return res, err
	}
	if n, ok := c.(Noter); ok {
		res.Note = n.Note()
	}
	return res, res.check()
}

// labelsOnly reports whether the run does not need probabilities.
func (j *job) labelsOnly() bool {
	return j.tuning && j.pair.study.Rule == ByError && j.pair.system.Labels != nil
}

// present renumbers the classes that occur in labels from 0. It returns the new labels and the
// classes.
func present(labels []int) (t, classes []int) {
	classes = slices.Compact(slices.Sorted(slices.Values(labels)))
	t = make([]int, len(labels))
	for n, l := range labels {
		t[n], _ = slices.BinarySearch(classes, l)
	}
	return t, classes
}

// scores sets AUC and log loss. classes are the classes of the training set, all is the number of
// classes of the data set.
func (r *Result) scores(c Classifier, x mat.Matrix, t, classes []int, all int) error {
	p, err := spread(c.Proba(nil, x), len(t), classes, all)
	if err != nil {
		return err
	}
	ranks := p
	if s, ok := c.(Scorer); ok {
		if ranks, err = spread(s.Scores(nil, x), len(t), classes, all); err != nil {
			return err
		}
	}
	switch auc, err := score.AUC(ranks, t); {
	case err == nil:
		r.AUC = &auc
	case !errors.Is(err, score.ErrUndefined):
		return err
	}
	known := mat.NewDense(len(t), all, nil)
	var labels []int
	for n, l := range t {
		if slices.Contains(classes, l) {
			known.SetRow(len(labels), p.RawRowView(n))
			labels = append(labels, l)
		}
	}
	r.Unseen = len(t) - len(labels)
	if len(labels) == 0 {
		return nil
	}
	loss, err := score.LogLoss(known.Slice(0, len(labels), 0, all), labels)
	r.LogLoss = &loss
	return err
}

// spread returns a column for each of all classes; columns of classes that are not in classes are
// zero.
func spread(p *mat.Dense, n int, classes []int, all int) (*mat.Dense, error) {
	if rows, cols := p.Dims(); rows != n || cols != len(classes) {
		return nil, fmt.Errorf("probabilities or scores are %d×%d, want %d×%d", rows, cols, n, len(classes))
	}
	if len(classes) == all {
		return p, nil
	}
	wide := mat.NewDense(n, all, nil)
	for i := range n {
		for j, c := range classes {
			wide.Set(i, c, p.At(i, j))
		}
	}
	return wide, nil
}
