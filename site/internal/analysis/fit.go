package analysis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/internal/polled"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/assess"
	tablemodel "github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/report"
)

// Progress is a reply to fit while it runs.
type Progress struct {
	Stage string  `json:"stage"` // search, evaluation or report
	Text  string  `json:"text"`
	Share float64 `json:"share"` // of the stage
	// Best describes the best setting so far, and Error and LogLoss are its cross-validated figures; it is ""
	// until there is one.
	Best    string  `json:"best,omitempty"`
	Error   string  `json:"error_percent,omitempty"`
	LogLoss string  `json:"log_loss,omitempty"`
	Seconds float64 `json:"seconds"`
}

// Fitted is the last reply to fit.
type Fitted struct {
	Done    bool               `json:"done"`
	Verdict string             `json:"verdict"`
	Figures *assess.Evaluation `json:"figures"`
	HTML    string             `json:"html"` // the report, a whole page
	// Stopped reports that the search was stopped, and the model is the best one so far.
	Stopped bool `json:"stopped"`
	// Sets reports that the model has what prediction sets need.
	Sets    bool    `json:"sets"`
	Seconds float64 `json:"seconds"`
}

// shares of the budget: the search and the final fit, and what is left for the report.
const searchShare, reportShare = 0.7, 0.1

// A page has 4 GiB of memory. With more rows than manyRows, candidates of them, drawn at random and stratified by
// class, can become relevance vectors; the command lets all of up to 25,000 do so.
const manyRows, candidates = 10000, 4000

// fit trains a model, evaluates it and writes the report. If ctx ends during the search, the best model so
// far is evaluated in the same way; the page ends the session if it does not want it.
func (s *Session) fit(ctx context.Context, q Request, reply func(Reply)) error {
	if s.table == nil {
		return errors.New("no file was opened")
	}
	begin := time.Now()
	seconds := func() float64 { return time.Since(begin).Seconds() }
	samples, err := recipe.Prepare(ctx, s.table, s.target, nil)
	if err != nil {
		return err
	}
	seed := cmp.Or(q.Seed, 1)
	auto := search.Auto{Seed: seed}
	if len(samples.T) > manyRows {
		auto.Candidates = candidates
	}
	learner := auto // without what it calls
	budget := time.Duration(q.Budget * float64(time.Second))
	if budget > 0 {
		auto.Budget = time.Duration(searchShare * float64(budget))
	}
	auto.OnProgress = func(p search.Progress) {
		r := Progress{Stage: "search", Text: p.String() + "; " + report.InBrief(p.Step),
			Share: float64(p.Done) / float64(max(p.Total, 1)), Seconds: seconds()}
		if b := p.Best; b.Learner != "" {
			r.Best, r.Error, r.LogLoss = b.Learner+", "+report.InBrief(b.Kernel.String()), tabular.Percent(b.ErrorRate),
				tabular.Number(b.LogLoss)
		}
		reply(Reply{Value: r})
	}
	model, result, err := tablemodel.FitSamples(ctx, s.table, samples, auto)
	stopped := model != nil && err != nil && errors.Is(err, context.Canceled)
	if err != nil && !stopped {
		return err
	}
	if stopped {
		// A stop ends the search; the rest goes on.
		ctx = context.WithoutCancel(ctx)
	}
	samples.X = nil
	record := tablemodel.NewRecord("auto", seed, samples, result)
	inTime, stop := ctx, func() {}
	if budget > 0 {
		inTime, stop = polled.WithDeadline(ctx, begin.Add(time.Duration((1-reportShare)*float64(budget))))
	}
	defer stop()
	figures, err := assess.Evaluate(inTime, s.table, model, assess.EvaluateOptions{
		Options: assess.Options{Folds: 5, Seed: seed, Progress: func(p assess.Progress) {
			reply(Reply{Value: Progress{Stage: "evaluation", Text: fmt.Sprintf("%s: %d of %d folds",
				cmp.Or(p.System, "cross-validation"), p.Done, p.Total), Share: share(p), Seconds: seconds()}})
		}}, Learner: learner, Result: result})
	if err != nil {
		return err
	}
	record.Figures = figures.Figures()
	model = model.WithRecord(record)
	figures.Model = model
	figures.Set = strings.TrimSuffix(path.Base(s.name), path.Ext(s.name))
	if auto.Candidates == 0 && !stopped && figures.Partial == "" { // else the command makes another model
		figures.Command, figures.Date = s.command(), begin.UTC().Format(time.RFC3339)
	}
	found, _ := s.found.ForFit()
	figures.Warnings = slices.Concat(found, figures.Warnings)
	inTime, stop = ctx, func() {}
	if budget > 0 {
		inTime, stop = polled.WithDeadline(ctx, begin.Add(budget))
	}
	defer stop()
	document, err := report.Full(inTime, figures, report.Options{Voice: voice, Progress: func(p assess.Progress) {
		reply(Reply{Value: Progress{Stage: "report", Text: fmt.Sprintf("importance of the columns: %d of %d folds",
			p.Done, p.Total), Share: share(p), Seconds: seconds()}})
	}})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := nbhelpers.WritePage(&b, fmt.Sprintf("%s on %s", assess.Title(figures.Algorithm), figures.Set),
		document.Page()); err != nil {
		return err
	}
	s.figures, s.report, s.predictions = figures, b.Bytes(), nil
	reply(Reply{Value: Fitted{Done: true, Verdict: report.Verdict(figures), Figures: figures, HTML: b.String(),
		Stopped: stopped, Sets: model.Model().Scores() != nil, Seconds: seconds()}})
	return nil
}

// share is the share of the folds that are done.
func share(p assess.Progress) float64 { return float64(p.Done) / float64(max(p.Total, 1)) }
