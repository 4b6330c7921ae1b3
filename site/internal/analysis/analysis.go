// Package analysis is what the page "Your table" computes: it reads a table, looks at it, trains a model with
// search.Auto, evaluates it, makes the report of mpcvm fit --report, and predicts the rows of another table.
// With the same file, target and options, the command prints the same figures.
//
// A Session does one thing at a time. It keeps the bytes of the table and the model; nothing else keeps them.
package analysis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/look"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Request is what a Session can be asked. Op names the request; the other fields are its arguments.
//
//	look      Name, Bytes, Options, Target   what is in a table; without Bytes, in the last one
//	charts                                   a page with charts of that table
//	fit       Budget, Seed                   trains on that table: progress, and at last the figures
//	score     Name, Bytes, Sets              predictions for another table
//	save      What                           a file: report, model, onnx, javascript or predictions
//	notebook                                 the cells of a notebook that does the same
type Request struct {
	Op      string  `json:"op"`
	Name    string  `json:"name"` // of the file
	Bytes   []byte  `json:"-"`
	Options Options `json:"options"`
	// Target is the name of the class column. If it is empty, the session chooses it.
	Target string `json:"target"`
	// Budget is the time in seconds after which a fit ends with the best model so far. 0 means no limit.
	Budget float64 `json:"budget"`
	Seed   uint64  `json:"seed"` // 0 means 1, the default of the command
	// Sets is the coverage of the prediction sets, such as 0.9; 0 leaves them out.
	Sets float64 `json:"sets"`
	What string  `json:"what"`
}

// Options are the options of package tables that the page has controls for.
type Options struct {
	Separator string            `json:"separator,omitempty"`
	Decimal   string            `json:"decimal,omitempty"`
	Encoding  string            `json:"encoding,omitempty"`
	Header    string            `json:"header,omitempty"`
	Sheet     string            `json:"sheet,omitempty"`
	Ragged    string            `json:"ragged,omitempty"`
	Limits    string            `json:"limits,omitempty"`
	Missing   []string          `json:"missing,omitempty"`
	Kinds     map[string]string `json:"kinds,omitempty"` // by column
	Drop      []string          `json:"drop,omitempty"`
	ID        []string          `json:"id,omitempty"`
	Group     string            `json:"group,omitempty"`
	Time      string            `json:"time,omitempty"`
}

// tables returns the options of package tables.
func (o Options) tables() (tables.Options, error) {
	t := tables.Options{Separator: o.Separator, Decimal: o.Decimal, Encoding: o.Encoding, Header: o.Header,
		Sheet: o.Sheet, Ragged: o.Ragged, Limits: o.Limits, Missing: o.Missing, Drop: o.Drop, ID: o.ID,
		Group: o.Group, Time: o.Time}
	for name, kind := range o.Kinds {
		k, err := table.ParseKind(kind)
		if err != nil {
			return t, err
		}
		if t.Kinds == nil {
			t.Kinds = map[string]table.Kind{}
		}
		t.Kinds[name] = k
	}
	return t, nil
}

// need sets the option of a finding of look.
func (o *Options) need(n table.Finding) {
	switch n.Option {
	case "Separator":
		o.Separator = n.Value
	case "Decimal":
		o.Decimal = n.Value
	case "Header":
		o.Header = n.Value
	case "Ragged":
		o.Ragged = n.Value
	case "Limits":
		o.Limits = n.Value
	case "Missing":
		o.Missing = append(slices.Clone(o.Missing), n.Value)
	case "Kinds":
		if name, kind, ok := cutLast(n.Value, "="); ok {
			kinds := map[string]string{name: kind}
			for other, kind := range o.Kinds {
				kinds[other] = cmp.Or(kinds[other], kind)
			}
			o.Kinds = kinds
		}
	}
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
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

	figures     *assess.Evaluation
	evidence    *assess.Evidence
	report      []byte
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
	next.options, next.figures, next.evidence, next.report, next.predictions = q.Options, nil, nil, nil, nil
	var err error
	var needs []table.Finding
	// What is needed may depend on the reading: a second round has the answers of the first one.
	for range 2 {
		if needs, err = next.read(ctx, q.Target); err != nil || len(needs) == 0 {
			break
		}
		for _, need := range needs {
			next.options.need(need)
		}
	}
	if err != nil {
		return nil, err
	}
	next.target = ""
	if next.found.Target != nil {
		next.target = *next.found.Target
	}
	l := &Look{Findings: next.found, Said: next.found.Said(voice), Options: next.options, Asides: map[string]string{}}
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

// read reads the table and looks at it.
func (s *Session) read(ctx context.Context, target string) ([]table.Finding, error) {
	o, err := s.options.tables()
	if err != nil {
		return nil, err
	}
	var needs []table.Finding
	s.table, needs, err = look.Open(&o, func(o tables.Options) (*table.Table, error) {
		return tables.ReadContext(ctx, bytes.NewReader(s.content), s.name, o)
	})
	if err != nil {
		return nil, err
	}
	for i, note := range s.table.Notes {
		s.table.Notes[i] = controls(note)
	}
	if s.found, err = look.At(ctx, s.table, target); err != nil {
		return nil, err
	}
	s.found.Needs, s.found.Notes = slices.Concat(needs, s.found.Needs), slices.Concat(needs, s.found.Notes)
	return s.found.Needs, nil
}

// command is the line of a shell that trains the same model.
func (s *Session) command() string {
	line := []string{"mpcvm", "fit", words.Shell(s.name)}
	add := func(flag, value string) {
		if value != "" {
			line = append(line, flag, words.Shell(value))
		}
	}
	add("--target", s.target)
	o := s.options
	add("--separator", o.Separator)
	add("--decimal", o.Decimal)
	add("--encoding", o.Encoding)
	add("--header", o.Header)
	add("--sheet", o.Sheet)
	add("--ragged", o.Ragged)
	add("--limits", o.Limits)
	if len(o.Missing) > 0 {
		add("--na", words.CommaSeparated(o.Missing))
	}
	for _, c := range s.table.Columns {
		if kind := o.Kinds[c.Name]; kind != "" {
			add("--kind", c.Name+"="+kind)
		}
	}
	if len(o.Drop) > 0 {
		add("--drop", words.CommaSeparated(o.Drop))
	}
	if len(o.ID) > 0 {
		add("--id", words.CommaSeparated(o.ID))
	}
	add("--group", o.Group)
	add("--time", o.Time)
	return strings.Join(append(line, "--report", "report.html", "--model", "model.json"), " ")
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

// labels are the controls of the page that set an option.
var labels = map[string]string{
	"Separator": "Separator", "Decimal": "Decimal mark", "Encoding": "Encoding", "Header": "Header",
	"Sheet": "Sheet", "Ragged": "Uneven rows", "Limits": "Values such as <0.5", "Missing": "Further texts for missing",
	"Kinds": "Kind", "Drop": "Use: leave out", "ID": "Use: ID", "Group": "Use: group", "Time": "Use: time",
}

var (
	optionNames = regexp.MustCompile(`\b(?:Options|EvaluateOptions|Table)\.([A-Z][A-Za-z]*)`)
	// an option with the columns that it is for
	optionFor = regexp.MustCompile(`\bOptions\.(Drop|ID|Group|Time) ('[^']*'|[^\s.;)]*[^\s.,;)])`)
)

// voice names options by their controls.
var voice = &table.Voice{Option: func(name, value string) string {
	label := cmp.Or(labels[name], name)
	if slices.Contains([]string{"Drop", "ID", "Group", "Time"}, name) && value != "" {
		return "“" + label + "” for " + value
	}
	return strings.TrimSpace("“" + label + "” " + value)
}}

// controls puts the names of controls in the place of options of package tables.
func controls(text string) string {
	text = optionFor.ReplaceAllString(text, "Options.$1 for $2")
	text = optionNames.ReplaceAllStringFunc(text, func(name string) string {
		_, option, _ := strings.Cut(name, ".")
		if label := labels[option]; label != "" {
			return "“" + label + "”"
		}
		return name
	})
	return strings.NewReplacer("as the target", "under “Use: classes”", "name the target",
		"choose it under “Use: classes”", "; mpcvm.AllCandidates uses all rows", "").Replace(text)
}

// sentence is an error in the words of the page.
type sentence struct {
	error
	text string
}

func (e sentence) Error() string { return e.text }
func (e sentence) Unwrap() error { return e.error }

// inWords returns an error with the names of controls and without the name of a package.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	return sentence{err, controls(strings.TrimPrefix(err.Error(), "tables: "))}
}
