package model

import (
	"cmp"
	"slices"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/recipe"
)

// Record describes how a model was fitted and how well it performed. It is saved with the model and does not
// affect predictions. It has no date, so the same fit gives the same file. Unknown fields are zero or nil.
type Record struct {
	// Program is the version of the program that fitted the model, as returned by mpcvm.Version.
	Program string `json:"program,omitempty" valid:"line max=1024"`
	// Learner names the learner, such as "mpcvm2".
	Learner string `json:"learner,omitempty" valid:"line max=1024"`
	Seed    uint64 `json:"seed,omitempty"`
	// Rows contains the number of training rows of each class.
	Rows []int `json:"rows,omitempty"`
	// Fit describes how the fit ended.
	Fit *FitInfo `json:"fit,omitempty"`
	// Figures contains the figures that were measured when the model was fitted.
	Figures []Figures `json:"figures,omitempty"`
}

// What ends a fit; see FitInfo.Ended.
const (
	Converged  = "converged"
	Iterations = "iterations"
	Budget     = "budget"
	Stop       = "stop"
	Collapse   = "collapse"
	Divergence = "divergence"
)

// FitInfo describes what ended a fit, and how far it came.
type FitInfo struct {
	// Ended is what ended the fit: Converged if the search tried all settings and the stopping rule of the
	// learner was met, Iterations if its limit of iterations was reached, Budget if the time was up, Stop if
	// the context or an observer ended the fit, Collapse if the model predicts the class frequencies, or
	// Divergence.
	Ended string `json:"ended" valid:"line max=1024"`
	// Tried is the number of settings that the search has tried, of the number Of. Of is an estimate if the
	// search was ended early, and larger than Tried. Both are 0 without a search.
	Tried int `json:"tried,omitempty"`
	Of    int `json:"of,omitempty"`
	// Rows is the number of rows that the model was trained on. If the fit was ended early, it may be a model
	// of one fold.
	Rows int `json:"rows"`
	// Iterations is the number of iterations of the learner.
	Iterations int `json:"iterations,omitempty"`
	// Partial describes the model if the fit was ended early; see mpcvm.Result.
	Partial string `json:"partial,omitempty" valid:"line max=1024"`
}

// NewFitInfo describes the end of a fit to rows samples.
func NewFitInfo(rows int, r mpcvm.Result) *FitInfo {
	f := &FitInfo{Tried: len(r.Trials), Of: max(r.Settings, len(r.Trials)), Rows: cmp.Or(r.Samples, rows),
		Iterations: r.Iterations, Partial: r.Partial}
	switch r.Status {
	case mpcvm.Cancelled, mpcvm.Stopped:
		f.Ended = Stop
	case mpcvm.TimeLimit:
		f.Ended = Budget
	case mpcvm.Collapsed:
		f.Ended = Collapse
	case mpcvm.Diverged:
		f.Ended = Divergence
	case mpcvm.IterationLimit:
		f.Ended = Iterations
	default:
		f.Ended = Converged
	}
	if f.Complete() && f.Tried < f.Of { // the budget ended the search, and the final fit was in time
		f.Ended = Budget
	}
	return f
}

// Complete reports whether neither the budget nor a stop ended the fit.
func (f *FitInfo) Complete() bool { return f.Ended != Budget && f.Ended != Stop }

// NewRecord returns the record of a fit to samples by this program, without scores. learner is a name such as
// "mpcvm2"; the setting that a search has chosen is added to it.
func NewRecord(learner string, seed uint64, s *recipe.Samples, r mpcvm.Result) Record {
	record := Record{Program: mpcvm.Version(), Learner: learner, Seed: seed, Rows: make([]int, len(s.Classes)),
		Fit: NewFitInfo(len(s.T), r)}
	for _, label := range s.T {
		record.Rows[label]++
	}
	for _, t := range r.Trials {
		if t.Chosen && t.Learner != "" {
			record.Learner += ": " + t.Learner
		}
	}
	return record
}

// Figures are the results of one evaluation with their standard errors. A value that is unknown or undefined
// is nil.
type Figures struct {
	// Of names the evaluation, such as "cross-validation", and How describes it, such as "5 folds".
	Of  string `json:"of" valid:"line max=1024"`
	How string `json:"how,omitempty" valid:"line max=1024"`
	// Rows is the number of predicted rows.
	Rows      int      `json:"n"`
	Error     *float64 `json:"err,omitempty"` // error rate, from 0 to 1
	ErrorSE   *float64 `json:"err_se,omitempty"`
	LogLoss   *float64 `json:"logloss,omitempty"` // in nats
	LogLossSE *float64 `json:"logloss_se,omitempty"`
	AUC       *float64 `json:"auc,omitempty"`
	AUCSE     *float64 `json:"auc_se,omitempty"`
}

// Record returns a copy of the record of the fit, or nil if the model has none.
func (m *Model) Record() *Record {
	if m.record == nil {
		return nil
	}
	return m.record.clone()
}

// WithRecord returns a copy of the model with a record of its fit. Save returns an error if the length of
// Rows is not the number of classes, if a count is negative, if a figure is not finite, or if a text is
// longer than 1024 bytes or contains characters that cannot be printed.
func (m *Model) WithRecord(r Record) *Model {
	with := *m
	with.record = r.clone()
	return &with
}

// clone returns a deep copy.
func (r *Record) clone() *Record {
	c := *r
	c.Rows, c.Figures = slices.Clone(r.Rows), slices.Clone(r.Figures)
	if r.Fit != nil {
		c.Fit = new(*r.Fit)
	}
	for i := range c.Figures {
		f := &c.Figures[i]
		for _, v := range []**float64{&f.Error, &f.ErrorSE, &f.LogLoss, &f.LogLossSE, &f.AUC, &f.AUCSE} {
			if *v != nil {
				*v = new(**v)
			}
		}
	}
	return &c
}
