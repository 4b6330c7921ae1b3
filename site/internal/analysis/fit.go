package analysis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/internal/polled"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/report"
)

// Progress is a reply to fit while it runs.
type Progress struct {
	Stage string  `json:"stage"` // search, evaluation or report
	Text  string  `json:"text"`
	Step  string  `json:"step"`  // the setting that was tried
	Share float64 `json:"share"` // of the stage
	// Best describes the best setting so far, and Error is its cross-validated error; it is "" until there is one.
	Best  string `json:"best,omitempty"`
	Error string `json:"error_percent,omitempty"`
	Map   *Map   `json:"map,omitempty"` // of the best setting, if it is new
}

// Fitted is the last reply to fit.
type Fitted struct {
	Done    bool             `json:"done"`
	Verdict string           `json:"verdict"`
	Figures *eval.Evaluation `json:"figures"`
	HTML    string           `json:"html"` // the report, a whole page
	// Sets reports that the model has what prediction sets need.
	Sets bool `json:"sets"`
}

// A page has 4 GiB of memory. With more rows than manyRows, candidates of them, drawn at random and stratified by
// class, can become relevance vectors; the command lets all of up to 25,000 do so.
const manyRows, candidates = 10000, 4000

// fit trains a model, evaluates it and writes the report. If ctx ends during the search, the best model so
// far is evaluated in the same way; the page ends the session if it does not want it.
func (s *Session) fit(ctx context.Context, q Request, reply func(Reply)) error {
	if s.table == nil {
		return errors.New("no file was opened")
	}
	begin, maps := time.Now(), (*mapper)(nil)
	tell := func(p Progress) { reply(Reply{Value: p}) }
	auto := search.Auto{Seed: cmp.Or(q.Seed, 1)}
	training, err := tables.Prepare(ctx, s.table, tables.Settings{Target: s.target, Findings: s.found,
		Start: begin, Budget: time.Duration(q.Budget * float64(time.Second)), Report: true, Finish: true,
		EvaluateOptions: eval.EvaluateOptions{Options: eval.Options{Folds: 5, Seed: auto.Seed}},
		Progress: func(p tables.Progress) {
			now := progress(p)
			now.Map = maps.draw(ctx, p.Best, time.Since(begin))
			tell(now)
		}})
	if err != nil {
		return err
	}
	if len(training.Samples.T) > manyRows {
		auto.Candidates = candidates
	}
	training.Learner, maps = auto, newMapper(training.Samples, auto.Seed)
	_, figures, err := training.Run(ctx)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a stop ends the search only
	figures.Set = strings.TrimSuffix(path.Base(s.name), path.Ext(s.name))
	if auto.Candidates == 0 && figures.Fit.Complete() { // else the command makes another model
		figures.Command, figures.Date = s.command(), begin.UTC().Format(time.RFC3339)
	}
	if training.Budget > 0 {
		inTime, stop := polled.WithDeadline(ctx, begin.Add(training.Budget))
		defer stop()
		ctx = inTime
	}
	document, err := report.Full(ctx, figures, report.Options{Voice: voice, Progress: func(p eval.Progress) {
		tell(Progress{Stage: "report", Text: fmt.Sprintf("importance of the columns: %d of %d folds", p.Done,
			p.Total), Share: float64(p.Done) / float64(max(p.Total, 1))})
	}})
	if err != nil {
		return err
	}
	fitted, err := s.fitted(figures, document, eval.Title(figures.Algorithm)+" on "+figures.Set)
	if err != nil {
		return err
	}
	fitted.Verdict = report.Verdict(figures)
	reply(Reply{Value: *fitted})
	return nil
}

// fitted keeps a model in the session and writes its report.
func (s *Session) fitted(figures *eval.Evaluation, document report.Document, title string) (*Fitted, error) {
	var b bytes.Buffer
	if err := nbhelpers.WritePage(&b, title, document.Page()); err != nil {
		return nil, err
	}
	s.figures, s.predictions = figures, nil
	return &Fitted{Done: true, Figures: figures, HTML: b.String(),
		Sets: figures.Model.Model().Scores() != nil}, nil
}

// open makes a model file the model of the session, which has no table unless the model is resumed.
func (s *Session) open(q Request) (*Fitted, error) {
	m, err := model.Load(bytes.NewReader(q.Bytes))
	if err != nil {
		return nil, err
	}
	row, columns := map[string]any{}, []string(nil)
	for _, c := range q.Row {
		if name, ok := c[0].(string); ok {
			row[name], columns = c[1], append(columns, name)
		}
	}
	document, err := report.Shared(m, row, columns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.Name, err)
	}
	if !q.Resumed {
		*s = Session{name: q.Name}
	}
	return s.fitted(&eval.Evaluation{Model: m, RelevanceVectors: m.Model().VectorCount()}, document, q.Name)
}

// progress describes a stage of the training.
func progress(p tables.Progress) Progress {
	r := Progress{Stage: string(p.Stage), Share: p.Share()}
	if p.Stage == tables.Evaluating {
		r.Text = fmt.Sprintf("%s: %d of %d folds", cmp.Or(p.Step, "cross-validation"), p.Done, p.Total)
		return r
	}
	at := search.Progress{Done: p.Done, Total: p.Total, Step: p.Step, Best: p.Best}
	r.Text, r.Step = at.String()+" settings", report.InBrief(p.Step)
	if b := p.Best; b.Learner != "" {
		r.Best, r.Error = b.Learner, tabular.Percent(b.ErrorRate)
		if b.Weights > 0 {
			r.Best += ", " + report.InBrief(b.Kernel.String())
		}
	}
	return r
}
