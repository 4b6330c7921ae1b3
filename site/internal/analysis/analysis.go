// Package analysis is what the page "Your table" computes: it reads a table, looks at it, trains a model with
// search.Auto, evaluates it, makes the report of mpcvm fit --report, and predicts the rows of another table.
// With the same file, target and options, the command prints the same figures.
//
// A Session does one thing at a time. It keeps the bytes of the table and the model; nothing else keeps them.
package analysis

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Request is what a Session can be asked. Op names the request; the other fields are its arguments.
//
//	look      Name, Bytes, Options, Target,  what is in a table; without Bytes, in the last one
//	          Fixes, Settled
//	charts                                   a page with charts of that table
//	fit       Budget, Seed                   trains on that table: progress, and at last the figures
//	score     Name, Bytes, Sets, Plain       predictions for another table
//	save      What                           a file: model, onnx, javascript or predictions
//	notebook                                 the cells of a notebook that does the same
//	open      Name, Bytes, Row, Resumed      a model file: a page with a row to change
type Request struct {
	Op      string  `json:"op"`
	Name    string  `json:"name"` // of the file
	Bytes   []byte  `json:"-"`
	Options Options `json:"options"`
	// Fixes are set in addition to Options. Settled keeps the session from setting others on its own.
	Fixes   []Fix `json:"fixes"`
	Settled bool  `json:"settled"`
	// Target is the name of the class column. If it is empty, the session chooses it.
	Target string `json:"target"`
	// Budget is the time in seconds after which a fit ends with the best model so far. 0 means no limit.
	Budget float64 `json:"budget"`
	Seed   uint64  `json:"seed"` // 0 means 1, the default of the command
	// Sets is the coverage of the prediction sets, such as 0.9; 0 leaves them out.
	Sets float64 `json:"sets"`
	// Plain leaves texts as they are that a spreadsheet would take for formulas.
	Plain bool `json:"plain"`
	// Row contains the names and cells of columns.
	Row [][2]any `json:"row"`
	// Resumed keeps the table, on which the model was trained.
	Resumed bool   `json:"resumed"`
	What    string `json:"what"`
}

// Reply is an answer. Value becomes JSON, and Bytes is the content of a file.
type Reply struct {
	Value any
	Bytes []byte
}

// Session keeps a table, the model that was trained on it, and the predictions of another table. Requests
// must come one after another.
type Session struct {
	name    string
	content []byte
	options Options // with what the table needs
	target  string
	table   *table.Table
	found   *look.Findings

	figures     *eval.Evaluation
	predictions []byte
}

// Do answers a request. reply is called once, or for a fit several times. The error is a sentence for the
// user, with the names of the page's controls.
func (s *Session) Do(ctx context.Context, q Request, reply func(Reply)) error {
	answer := func(v any, err error) error {
		if err == nil {
			reply(Reply{Value: v})
		}
		return err
	}
	var err error
	switch q.Op {
	case "look":
		err = answer(s.look(ctx, q))
	case "charts":
		err = answer(s.charts(ctx))
	case "fit":
		err = s.fit(ctx, q, reply)
	case "score":
		err = answer(s.score(ctx, q))
	case "save":
		var f File
		if f, err = s.save(q.What); err == nil {
			reply(Reply{f, f.content})
		}
	case "open":
		err = answer(s.open(q))
	case "notebook":
		err = answer(s.notebook())
	default:
		return fmt.Errorf("unknown request %q", q.Op)
	}
	return inWords(err)
}

// Look is the reply to look.
type Look struct {
	Findings *look.Findings `json:"-"`
	// Said is Findings in the words of the page.
	Said any `json:"findings"`
	// Options contains the options of the request and the additional ones that a fit needs.
	Options Options `json:"options"`
	// Asides are the columns that are not features, by the reason: target, id, dropped, group or time.
	Asides map[string]string `json:"asides"`
	// Fixes are the options that settle each of the warnings, and Chosen those that the session has set.
	Fixes  [][]Fix `json:"fixes"`
	Chosen []Fix   `json:"chosen"`
	// Command does the same as the page.
	Command string `json:"command"`
}

// look reads a table and returns what is in it.
func (s *Session) look(ctx context.Context, q Request) (*Look, error) {
	next := *s
	if q.Bytes != nil {
		next = Session{name: q.Name, content: q.Bytes}
	}
	if next.content == nil {
		return nil, errors.New("no file was opened")
	}
	next.options, next.figures, next.predictions = q.Options, nil, nil
	next.options.apply(q.Fixes)
	if err := next.inspect(ctx, q.Target); err != nil {
		return nil, err
	}
	chosen := next.certain()
	if q.Settled {
		chosen = nil
	}
	next.options.apply(chosen)
	if chosen != nil {
		if err := next.inspect(ctx, q.Target); err != nil {
			return nil, err
		}
	}
	next.target = ""
	if next.found.Target != nil {
		next.target = *next.found.Target
	}
	l := &Look{Findings: next.found, Said: next.found.Said(voice), Options: next.options,
		Asides: map[string]string{}, Chosen: chosen}
	for _, w := range next.found.Warnings {
		l.Fixes = append(l.Fixes, next.fixes(w))
	}
	for name, why := range map[string]string{next.target: "target", next.options.Group: "group",
		next.options.Time: "time"} {
		if name != "" {
			l.Asides[name] = why
		}
	}
	for _, name := range next.options.ID {
		l.Asides[name] = "id"
	}
	for _, name := range next.options.Drop {
		l.Asides[name] = "dropped"
	}
	l.Command = next.command()
	*s = next
	return l, nil
}

// inspect reads the table, and sets what a fit requires. That may depend on the reading: a second round has
// the answers of the first one.
func (s *Session) inspect(ctx context.Context, target string) error {
	for range 2 {
		needs, err := s.read(ctx, target)
		if err != nil || len(needs) == 0 {
			return err
		}
		for _, need := range needs {
			s.options.set(need.Option, need.Value)
		}
	}
	return nil
}

// read reads the table and looks at it.
func (s *Session) read(ctx context.Context, target string) ([]table.Finding, error) {
	o, err := s.options.tables()
	if err != nil {
		return nil, err
	}
	var needs []table.Finding
	s.table, needs, err = tables.Inspect(&o, func(o tables.Options) (*table.Table, error) {
		return tables.Read(ctx, bytes.NewReader(s.content), s.name, o)
	})
	if err != nil {
		return nil, err
	}
	if err := s.merge(target); err != nil {
		return nil, err
	}
	if s.found, err = look.At(ctx, s.table, target); err != nil {
		return nil, err
	}
	s.found.Needs, s.found.Notes = slices.Concat(needs, s.found.Needs), slices.Concat(needs, s.found.Notes)
	return s.found.Needs, nil
}

// merge joins classes of the table. The option keeps those that the table has.
func (s *Session) merge(target string) error {
	if len(s.options.Merge) == 0 {
		return nil
	}
	column, _, err := s.table.Target(target)
	if err != nil {
		return err
	}
	_, classes := s.table.Labels(column)
	s.options.Merge = maps.Clone(s.options.Merge)
	maps.DeleteFunc(s.options.Merge, func(old, _ string) bool { return !slices.Contains(classes, old) })
	return s.table.Merge(column, s.options.Merge)
}

// page is the reply to charts and a part of the one to fit: a whole HTML page.
type page struct {
	HTML string `json:"html"`
}

// charts returns a page with charts of the table.
func (s *Session) charts(ctx context.Context) (page, error) {
	if s.table == nil {
		return page{}, errors.New("no file was opened")
	}
	block, err := charts.LookWith(ctx, s.table, charts.LookOptions{Target: s.target, Findings: s.found})
	if err != nil {
		return page{}, err
	}
	var b bytes.Buffer
	err = nbhelpers.WritePage(&b, s.name, block)
	return page{b.String()}, err
}
