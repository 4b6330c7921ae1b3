package tables

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/polled"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Settings configure [Train]. The zero value chooses the learner and evaluates it in five folds.
type Settings struct {
	// Target is the name of the class column. If it is empty, table.Table.Target chooses the column.
	Target string
	// Merge maps names of classes to the names of the classes that they become.
	Merge map[string]string
	// ClassWeights are the weights of the rows of some classes; see table.Table.
	ClassWeights map[string]float64

	// EvaluateOptions configures the evaluation. Learner is also what is trained; nil means search.Auto. Seed is
	// also the seed of search.Auto if Learner is nil; 0 means 1. Result, Samples, Keep and Options.Progress are
	// ignored.
	eval.EvaluateOptions

	// Budget limits the time from Start, or from the call if Start is zero, until the evaluation has ended.
	// The search takes most of it. Zero means no limit. It requires search.Auto.
	Budget time.Duration
	Start  time.Time
	// Report reserves up to half of the budget for a report.
	Report bool
	// Finish evaluates the model, or the best one so far, even if the context is cancelled. Otherwise Train
	// returns that model at once, without an evaluation.
	Finish bool
	// Findings are the results of look.At for the table and Target; nil if they are not known yet.
	Findings *look.Findings

	// Save, if not nil, is called with the model when it is trained, or when the fit was stopped, and again
	// when it is evaluated, now with its scores. Its error ends Train.
	Save func(*Model) error
	// Progress, if not nil, is called during the fit and the evaluation. Calls do not overlap.
	Progress func(Progress)
}

// Stage is a stage of [Train].
type Stage string

// The stages. Searching is the whole work of search.Auto; others choose a kernel width before Fitting.
const (
	Searching  Stage = "search"
	Fitting    Stage = "fit"
	Evaluating Stage = "evaluation"
)

// Progress is how far a stage of [Train] has come.
type Progress struct {
	Stage Stage
	// Done is the number of settings tried and steps after that, of iterations or of folds, out of Total. In a
	// search, Total is an estimate until it equals Done.
	Done, Total int
	// Step describes the setting that is being tried, or names the system that is evaluated, "" for the model.
	Step string
	// Best is the best setting so far, or the last one that search.Width has tried. It is zero if there is none.
	Best mpcvm.Trial
	// Weights is the number of weights during the stage Fitting.
	Weights int
}

// Share returns the completed share of the stage.
func (p Progress) Share() float64 { return float64(p.Done) / float64(max(p.Total, 1)) }

// Train trains a model on the rows of a table that have a class, and evaluates it. It is [Prepare] followed
// by [Training.Run].
func Train(ctx context.Context, t *table.Table, s Settings) (*Model, *eval.Evaluation, error) {
	p, err := Prepare(ctx, t, s)
	if err != nil {
		return nil, nil, err
	}
	return p.Run(ctx)
}

// Training is a table that is ready for a fit. Its settings can still change, except for the classes.
type Training struct {
	Settings
	// Table is the table with merged classes, and Samples are its training samples.
	Table   *table.Table
	Samples *recipe.Samples
	// Why is the reason for the choice of the class column; it is zero if the column was named.
	Why table.Finding
	// SplitBy describes the column that determines the folds, if any; see table.Dealing.
	SplitBy table.Finding

	copies table.Finding // see table.Dealing
}

// Prepare makes the training samples of a table and looks at it. The table itself is not changed.
func Prepare(ctx context.Context, t *table.Table, s Settings) (*Training, error) {
	s.Start, s.Seed = cmp.Or(s.Start, time.Now()), cmp.Or(s.Seed, 1)
	column, why, err := t.Target(s.Target)
	if err != nil {
		return nil, err
	}
	s.Target = t.Columns[column].Name
	p := &Training{Settings: s, Table: t, Why: why}
	if len(s.Merge) > 0 || len(s.ClassWeights) > 0 {
		own := *t
		p.Table, own.Columns = &own, slices.Clone(t.Columns)
		if err := own.Merge(column, s.Merge); err != nil {
			return nil, err
		}
		if err := p.weigh(column); err != nil {
			return nil, err
		}
	}
	if p.Samples, err = recipe.Prepare(ctx, p.Table, s.Target, nil); err != nil {
		return nil, err
	}
	d, err := p.Samples.Dealing(ctx, p.Table)
	if err != nil {
		return nil, err
	}
	p.SplitBy, p.copies = d.By, d.Copies
	if t.Group != "" || t.Time != "" {
		o := eval.Options{Folds: max(s.Folds, 0), Seed: p.Seed, Samples: p.Samples}
		if _, err := eval.Split(ctx, p.Table, s.Target, o); err != nil && s.Folds >= 0 {
			return nil, err
		}
	}
	if p.Findings == nil {
		p.Findings, err = look.At(ctx, p.Table, s.Target)
	}
	return p, err
}

// TestOptions returns the options for reading test data like the table. o are the options for the table.
func (p *Training) TestOptions(o Options) Options {
	c := p.Table.Columns[p.Table.Find(p.Target)]
	o.Like = []table.Column{{Name: c.Name, Kind: c.Kind, Unit: c.Unit}}
	for name, kind := range o.Kinds { // of columns that may be absent from the test data
		o.Like = append(o.Like, table.Column{Name: name, Kind: kind})
	}
	o.Kinds, o.Drop, o.ID, o.Group, o.Time, o.Weight = nil, nil, nil, "", "", ""
	return ForRecipe(o, p.Samples.Recipe)
}

// ForRecipe returns the options for reading a file like the training file of a recipe.
func ForRecipe(o Options, r *recipe.Recipe) Options {
	like := r.Like()
	for _, name := range r.ID {
		like = append(like, table.Column{Name: name, Kind: table.ID})
	}
	o.Like, o.Missing, o.Limits = append(like, o.Like...), slices.Concat(r.Missing, o.Missing), cmp.Or(o.Limits,
		r.Limits)
	return o
}

func (p *Training) mergeTest() error {
	if p.Test == nil {
		return nil
	}
	column, _, err := p.Test.Target(p.Target)
	if err == nil {
		_, _, err = p.Samples.Recipe.Encode(nil, p.Test, nil) // checks the columns
	}
	if err != nil || len(p.Merge) == 0 {
		return err
	}
	own := *p.Test
	p.Test, own.Columns = &own, slices.Clone(own.Columns)
	_, classes := own.Labels(column)
	merged := maps.Clone(p.Merge)
	maps.DeleteFunc(merged, func(old, _ string) bool { return !slices.Contains(classes, old) })
	return own.Merge(column, merged)
}

func (p *Training) weigh(column int) error {
	_, classes := p.Table.Labels(column)
	for class, weight := range p.ClassWeights {
		if err := known("ClassWeights", class, classes); err != nil {
			return err
		}
		if !(weight > 0) || math.IsInf(weight, 1) {
			return table.Finding{Code: texts.ClassWeight, Option: "ClassWeights", Texts: []string{class}}
		}
	}
	p.Table.ClassWeights = maps.Clone(p.ClassWeights)
	return nil
}

func known(option, class string, classes []string) error {
	if slices.Contains(classes, class) {
		return nil
	}
	return table.Finding{Code: texts.UnknownClass, Option: option, Value: class, Texts: classes}
}

// Warnings returns the findings about the table that matter for a fit.
func (p *Training) Warnings() []table.Finding {
	warnings, _ := p.Findings.ForFit()
	known := func(w table.Finding) bool { return w.Code == p.copies.Code }
	if p.copies.Code != "" && !slices.ContainsFunc(warnings, known) { // package look stops at 1000 rows
		warnings = append(slices.Clip(warnings), p.copies)
	}
	return warnings
}

// Run trains a model and evaluates it. Evaluation.Warnings begins with the warnings about the table.
//
// If the context is cancelled during the fit, Run returns the best model so far, or nil if there is none,
// without an evaluation and with the error of the context, unless Settings.Finish is set. If it is cancelled
// during the evaluation, Run returns the model without its scores.
func (p *Training) Run(ctx context.Context) (*Model, *eval.Evaluation, error) {
	if p.Learner == nil {
		p.Learner = search.Auto{Seed: p.Seed}
	}
	if p.Save == nil {
		p.Save = func(*Model) error { return nil }
	}
	if p.Progress == nil {
		p.Progress = func(Progress) {}
	}
	if p.Find != "" {
		if err := known("Find", p.Find, p.Samples.Classes); err != nil {
			return nil, nil, err
		}
	}
	if err := p.mergeTest(); err != nil {
		return nil, nil, err
	}
	m, result, err := p.fit(ctx)
	if m == nil {
		return nil, nil, err
	}
	record := model.NewRecord(eval.Algorithm(p.Learner), p.Seed, p.Samples, result)
	m = m.WithRecord(record)
	stopped, deciding := err, withCosts(m, p.Costs)
	if err := p.Save(deciding); err != nil || stopped != nil && !p.Finish {
		return deciding, nil, errors.Join(err, stopped)
	}
	if p.Finish { // a stop ends the search; the rest goes on, also if the stop comes too late
		ctx = context.WithoutCancel(ctx)
	}
	e, err := p.evaluate(ctx, m, result)
	if err != nil {
		return deciding, nil, err
	}
	record.Figures = e.Figures()
	costs := p.Costs
	if c := e.Costs; c != nil { // chosen by Find
		costs = mat.NewDense(len(c.Matrix), len(c.Matrix), slices.Concat(c.Matrix...))
	}
	m = withCosts(m.WithRecord(record), costs)
	e.Model, e.Warnings = m, slices.Concat(p.Warnings(), e.Warnings)
	return m, e, p.Save(m)
}

// withCosts returns a model that decides by costs, which may be nil.
func withCosts(m *Model, costs mat.Matrix) *Model {
	if costs == nil {
		return m
	}
	return m.With(m.Model().WithCosts(costs))
}

// fit trains the model. If ctx is cancelled, it returns the best model so far, or nil, and the error.
func (p *Training) fit(ctx context.Context) (*Model, mpcvm.Result, error) {
	if auto, ok := p.Learner.(search.Auto); ok && p.Budget > 0 {
		auto.Budget = p.searchTime()
		p.Learner = auto
	}
	learner := calling(p.Learner, func(at search.Progress) {
		p.Progress(Progress{Stage: Searching, Done: at.Done, Total: at.Total, Step: at.Step, Best: at.Best})
	}, func(t mpcvm.Trial) { p.Progress(Progress{Stage: Searching, Best: t}) })
	_, searches := learner.(search.Auto)
	m, result, err := model.FitSamples(ctx, p.Table, p.Samples, learner, func(s *mpcvm.Step) {
		if !searches {
			p.Progress(Progress{Stage: Fitting, Done: s.Iteration, Total: s.Limit(), Weights: s.NonZero()})
		}
	})
	p.Learner, p.Samples.X = calling(p.Learner, nil, nil), nil
	switch {
	case err == nil && m == nil:
		err = table.Finding{Code: texts.NoModelInTime, Option: "Budget", Value: p.Budget.String()}
	case err != nil && ctx.Err() == nil:
		m = nil
	}
	return m, result, err
}

// calling returns a learner that calls the functions, which may be nil.
func calling(l mpcvm.Learner, progress func(search.Progress), tried func(mpcvm.Trial)) mpcvm.Learner {
	switch l := l.(type) {
	case search.Auto:
		l.OnProgress = progress
		return l
	case search.Width:
		l.OnTrial = tried
		return l
	case search.Calibrated:
		l.Learner = calling(l.Learner, progress, tried)
		return l
	}
	return l
}

// searchTime returns the part of the budget for the search and the final fit.
func (p *Training) searchTime() time.Duration {
	share := 0.75
	switch {
	case p.Nested:
		share = 1 / float64(cmp.Or(p.Folds, fitting.Folds)+1)
	case p.Folds < 0:
		share = 1
	case len(p.Samples.T) > fitting.Many: // a fold takes about as long as the fit
		share = 0.65
	}
	return max(time.Duration(share*float64(p.Budget-p.reserved()-time.Since(p.Start))), 1)
}

// reserved returns the part of the budget for the final scores and the report.
func (p *Training) reserved() time.Duration {
	if !p.Report {
		return p.Budget / 50
	}
	return min(p.Budget/8+400*time.Millisecond, p.Budget/2)
}

func (p *Training) evaluate(ctx context.Context, m *Model, result mpcvm.Result) (*eval.Evaluation, error) {
	o := p.EvaluateOptions
	o.Result, o.Options.Samples = result, nil
	o.Options.Progress = func(at eval.Progress) {
		p.Progress(Progress{Stage: Evaluating, Done: at.Done, Total: at.Total, Step: at.System})
	}
	if p.Budget > 0 {
		inTime, stop := polled.WithDeadline(ctx, p.Start.Add(p.Budget-p.reserved()))
		defer stop()
		ctx = inTime
	}
	return eval.Evaluate(ctx, p.Table, m, o)
}
