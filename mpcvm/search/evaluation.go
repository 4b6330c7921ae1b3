package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/args"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// evaluation is the common state of the fits of Width, Calibrated and Auto: the samples on which settings are
// trained and scored, the trials so far, and the model that Fit returns if it is interrupted.
type evaluation struct {
	whole      *fitting.Data     // all samples
	train      *fitting.Data     // the samples on which settings are trained: all or a subset
	validation *fitting.Data     // held-out samples that score the settings; nil for cross-validation
	seed       uint64            // of the folds
	onFold     func()            // called after each fold; may be nil
	onTrial    func(mpcvm.Trial) // called after each trial; may be nil
	trials     []mpcvm.Trial

	mu       sync.Mutex
	fallback partial // the best model of a single fold so far
}

// heldOut contains the predictions of a trial.
type heldOut struct {
	*fitting.HeldOut
	models []partial // the models of the fold with the lowest number so far
}

// fitter trains models on the training set of a fold and passes each to next until next returns false.
type fitter func(ctx context.Context, fold int, train *fitting.Data, next func(*mpcvm.Model) bool) error

// fitterOf returns a fitter that trains one model with a learner.
func fitterOf(l mpcvm.Learner) fitter {
	return func(ctx context.Context, _ int, train *fitting.Data, next func(*mpcvm.Model) bool) error {
		m, _, err := l.Fit(ctx, mpcvm.Samples(train.Samples()))
		if err == nil {
			next(m)
		}
		return err
	}
}

// forTrials returns the learner to use in trials for a fit to n samples; see Tunable.
func forTrials(l mpcvm.Learner, n int) mpcvm.Learner {
	if l, ok := l.(interface {
		ForTrials(n int) mpcvm.Learner
	}); ok {
		return l.ForTrials(n)
	}
	return l
}

// scored returns the samples that score a setting that is trained on d.
func (e *evaluation) scored(d *fitting.Data) *fitting.Data { return cmp.Or(e.validation, d) }

// predict trains models on d in the folds first to end−1 and adds their predictions to h. A validation set
// counts as one fold. After each model, next is called with the fold and the number of the model, and reports
// whether the next model of the fold is needed. predict returns a *mpcvm.CellError if most samples of d are
// the only one of their class.
func (e *evaluation) predict(ctx context.Context, d *fitting.Data, h *heldOut, first, end int,
	fit fitter, next func(fold, i int) bool) error {
	scored := e.scored(d)
	run := func(fold int, train *fitting.Data, out []int) error {
		var models []*mpcvm.Model
		err := fit(ctx, fold, train, func(m *mpcvm.Model) bool {
			scored.Predict(h.Y[len(models)], m, out)
			models = append(models, m)
			return next(fold, len(models)-1)
		})
		if err == nil {
			for _, m := range models {
				h.Counts[fold] = append(h.Counts[fold], m.WeightCount())
			}
			e.foldEnds(h, fold, func(i int) partial { return newPartial(models[i], train, scored) })
		}
		return err
	}
	if e.validation != nil {
		if first == end {
			return nil
		}
		return run(0, d, fitting.All(scored.N))
	}
	if err := d.CheckSingles(); err != nil {
		return err
	}
	h.Taken = func(fold int, out []int) { // the other replica keeps the models
		e.foldEnds(h, fold, func(int) partial { return partial{samples: e.train.N - len(out)} })
	}
	return d.EachFold(ctx, fitting.Folds, first, end, e.seed, h.HeldOut, run)
}

// foldEnds keeps the models of a fold if no fold with a lower number has ended. The models of a fold of
// another replica are not known and replace no others.
func (e *evaluation) foldEnds(h *heldOut, fold int, model func(i int) partial) {
	e.mu.Lock()
	if h.models == nil || fold < h.models[0].fold && model(0).model != nil {
		h.models = nil
		for i := range h.Counts[fold] {
			p := model(i)
			p.trial, p.fold = len(e.trials)+i, fold
			h.models = append(h.models, p)
		}
	}
	if len(e.trials) == 0 {
		e.fallback = h.models[0]
	}
	e.mu.Unlock()
	if e.onFold != nil {
		e.onFold()
	}
}

// record appends a trial whose model of a single fold is p, and returns p with the result of the trial. The
// model replaces the fallback if its log loss is lower. A model with more training samples also replaces it
// if the log loss is higher by at most a standard error, because the lowest of many scores owes more to
// chance. The fit of the chosen setting outside the validation set always replaces it.
func (e *evaluation) record(t mpcvm.Trial, p partial) partial {
	e.mu.Lock()
	p.trial, p.logLoss, p.trained = len(e.trials), t.LogLoss, t.Samples
	e.trials = append(e.trials, t)
	f := e.fallback
	better := p.validated || p.logLoss < f.logLoss ||
		p.trained > f.trained && p.logLoss <= f.logLoss+f.standardError
	if p.trial == 0 || p.model != nil && !t.GivenUp && better {
		e.fallback = p
	}
	e.mu.Unlock()
	if e.onTrial != nil {
		e.onTrial(t)
	}
	return p
}

// describe returns Result.Partial for the fallback. kind is what a trial varies, such as "width".
func (e *evaluation) describe(kind string) string {
	f := e.fallback
	source := fmt.Sprintf("one fold of the best of %s tried", words.Plural(len(e.trials), kind))
	switch {
	case f.trial == len(e.trials): // the trial is incomplete
		source = "one fold of the first " + kind
	case f.validated:
		source = "the fit for the choice of the temperature"
	}
	return fmt.Sprintf("trained on %d of %d samples: %s", f.samples, e.whole.N, source)
}

// partial is a model that was trained on a subset of the samples before the final fit.
type partial struct {
	model         *mpcvm.Model         // indexed by rows of the whole data; may be nil
	samples       int                  // the number of training samples
	unseen        []int                // the rows of the whole data that score the model
	calibration   *fitting.Calibration // nil: calibrate on the unseen samples
	trial, fold   int                  // the numbers of the trial and of the fold
	validated     bool                 // the model is trained on all samples outside the validation set
	logLoss       float64              // of the setting
	standardError float64              // of logLoss; zero if it is not known
	trained       int                  // the number of samples of the trial
}

// newPartial returns the model m that was trained on train and is scored by the other samples of d.
func newPartial(m *mpcvm.Model, train, d *fitting.Data) partial {
	seen := make(map[int]bool, train.N)
	for _, n := range train.Rows {
		seen[n] = true
	}
	p := partial{model: m.WithRows(train.Rows), samples: train.N}
	for n := range d.N {
		if d.Rows != nil {
			n = d.Rows[n]
		}
		if !seen[n] {
			p.unseen = append(p.unseen, n)
		}
	}
	return p
}

// validate returns the model with its calibration, and the rows that score it.
func (p partial) validate(whole *fitting.Data) *mpcvm.Validated {
	c := p.calibration
	if c == nil {
		unseen := whole.Part(p.unseen)
		own := fitting.Calibrate(p.model.Potentials(nil, unseen.X), unseen.T, unseen.Weights, whole.Mass())
		c = &own
	}
	return &mpcvm.Validated{Model: calibrated(p.model, *c), Unseen: p.unseen}
}

// calibrated returns a model with a calibration. A model without weights predicts the class frequencies; it
// receives only the scores, if the calibration belongs to the class frequencies.
func calibrated(m *mpcvm.Model, c fitting.Calibration) *mpcvm.Model {
	switch {
	case m.WeightCount() > 0:
		return m.WithTemperature(c.Temperature).WithFloor(c.Floor).WithScores(mpcvm.Scores(c.Scores))
	case c.Temperature == 0:
		return m.WithScores(mpcvm.Scores(c.Scores))
	}
	return m
}

// losesTo reports whether the log loss of another model is not higher on the unseen samples. It returns true
// if p has no model.
func (p partial) losesTo(other *mpcvm.Model, whole *fitting.Data) bool {
	if p.model == nil {
		return true
	}
	unseen := whole.Part(p.unseen)
	logLoss := func(m *mpcvm.Model) (sum float64) {
		p := m.Proba(nil, unseen.X)
		for n, label := range unseen.T {
			sum -= unseen.Weight(n) * math.Log(p.At(n, label))
		}
		return sum
	}
	own, others := logLoss(p.validate(whole).Model), logLoss(other)
	return others <= own || math.IsNaN(own)
}

// CrossValidate returns the potentials (N×C) of the samples, each computed by a model that l fitted without
// the fold of the sample. The folds are stratified by class and shuffled by seed, or follow the groups or
// times of the samples; see mpcvm.Samples. A sample that is the only one of its class is in every training
// set, and its potentials are NaN. The folds are fitted in parallel, so functions of l such as Width.OnTrial
// may be called from several goroutines.
//
// CrossValidate returns the errors of Fit, and a *mpcvm.CellError if most samples are alone in their class.
// It panics if folds is less than 2.
func CrossValidate(ctx context.Context, l mpcvm.Learner, s mpcvm.Samples,
	folds int, seed uint64) (*mat.Dense, error) {
	args.Learner("search: CrossValidate: l", l)
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return nil, err
	}
	if folds < 2 {
		panic(fmt.Sprintf("search: CrossValidate: folds is %d; want at least 2", folds))
	}
	return d.CrossValidate(ctx, folds, seed, func(_ int, part *fitting.Data) (fitting.Predictor, error) {
		m, _, err := l.Fit(ctx, mpcvm.Samples(part.Samples()))
		return m, err
	})
}

// Temperature returns the temperature T between 1/20 and 20 that minimises the log loss of the probabilities
// of y/T, for potentials y (N×C) and labels t; see Model.WithTemperature. As in Platt scaling, the target is
// 1 − ε for the class of the label, with ε = 1/(N+2) shared by the other classes, because a model without an
// error on these samples may still err on others. Rows of y with NaN are skipped. The model must not have
// been trained on these samples; pass the result of CrossValidate, for example. Temperature panics if the
// lengths differ or a label is not between 0 and C−1.
func Temperature(y *mat.Dense, t []int) float64 { return fitting.Temperature(y, t, nil) }

// Scores returns the conformal scores of potentials y (N×C) with labels t, for Model.WithScores. With up to
// 10 classes of at least 20 samples each, every class has its own scores, so that prediction sets cover each
// class separately. Rows of y with NaN are skipped; if no row remains, the result is nil. The model must not
// have been trained on these samples; pass the result of CrossValidate, for example. Scores panics under the
// same conditions as Temperature.
func Scores(y *mat.Dense, t []int) mpcvm.Scores { return mpcvm.Scores(fitting.NewScores(y, t)) }
