package predict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/tables/table"
)

// Format is an output format for predictions.
type Format interface {
	// Encode encodes u for a Sink. It is safe for concurrent use with different u.
	Encode(u *Predictions) error
	// Open starts an output.
	Open(w io.Writer) (Sink, error)
}

// Sink is an open output.
type Sink interface {
	Write(u *Predictions) error
	// Close ends the output. Only JSON writes the warnings.
	Close(warnings []table.Finding) error
}

// Write encodes u and writes it to w as a complete output.
func Write(w io.Writer, f Format, u *Predictions) error {
	if err := f.Encode(u); err != nil {
		return err
	}
	s, err := f.Open(w)
	if err != nil {
		return err
	}
	if err := s.Write(u); err != nil {
		return err
	}
	return s.Close(nil)
}

const (
	// problemColumn contains the reason why a row cannot be used.
	problemColumn = "problem"
	// setColumn contains the class names of a prediction set, joined by setJoin.
	setColumn = "set"
	setJoin   = " | "
)

// after returns the names of the columns after the probabilities.
func (p *Predictor) after() []string {
	if p.sets > 0 {
		return []string{setColumn, problemColumn}
	}
	return []string{problemColumn}
}

// set formats a prediction set. A name that contains a quote or the character | is ambiguous and is quoted
// as in CSV, as are names with spaces at either end.
func set(names []string, classes []int) string {
	texts := make([]string, len(classes))
	for i, c := range classes {
		if texts[i] = names[c]; strings.ContainsAny(texts[i], `|"`) || strings.TrimSpace(texts[i]) != texts[i] {
			texts[i] = `"` + strings.ReplaceAll(texts[i], `"`, `""`) + `"`
		}
	}
	return strings.Join(texts, setJoin)
}

// CSV returns a format with one line per sample: the columns that are kept, the class, the probability of
// each class (if computed), the prediction set (if computed), and the reason why the row cannot be used.
// For such a row, only the kept columns and the reason are filled in.
func (p *Predictor) CSV() Format {
	f := csvFormat{names: p.names, proba: p.proba, sets: p.sets > 0, keep: len(p.keep)}
	for _, name := range slices.Concat(p.keep, []string{table.ClassColumn}, p.columns(), p.after()) {
		f.header += string(appendCell(nil, name)) + ","
	}
	f.header = f.header[:len(f.header)-1] + "\n"
	for _, name := range p.names {
		f.class = append(f.class, string(appendCell(nil, name)))
	}
	f.blank = strings.Repeat(",", len(p.columns()))
	return f
}

// appendCell appends a cell of a CSV file, quoted if necessary.
func appendCell(dst []byte, cell string) []byte {
	if len(cell) == 0 || !strings.ContainsAny(cell, ",\"\r\n") && cell[0] != ' ' && cell[0] != '\t' {
		return append(dst, cell...)
	}
	dst = append(dst, '"')
	for _, c := range []byte(cell) {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// parquetOf is Predictor.Parquet, which pages lack.
var parquetOf func(*Predictor) Format

// Format returns the format with a name: csv, json, jsonl or parquet. "" is csv.
func (p *Predictor) Format(name string) (Format, error) {
	switch name {
	case "", "csv":
		return p.CSV(), nil
	case "json":
		return p.JSON(), nil
	case "jsonl":
		return p.JSONLines(), nil
	}
	if name == "parquet" && parquetOf != nil {
		return parquetOf(p), nil
	}
	return nil, fmt.Errorf("predict: unknown format %q; want csv, json, jsonl or parquet", name)
}

// JSON returns a format with a single object that contains the predictions and the warnings.
func (p *Predictor) JSON() Format { return jsonFormat{p, false} }

// JSONLines returns a format with one line per sample, which is an element of the list in JSON.
func (p *Predictor) JSONLines() Format {
	return jsonFormat{p, true}
}

// columns returns the names of the probability columns, or nil if probabilities are not computed.
func (p *Predictor) columns() []string {
	if !p.proba {
		return nil
	}
	columns := make([]string, len(p.names))
	for c, name := range p.names {
		columns[c] = "p(" + name + ")"
	}
	return columns
}

// textSink is a text output. head is written before the first rows, between before all others, and tail, if
// not nil, at the end.
type textSink struct {
	w             io.Writer
	head, between string
	tail          func(warnings []table.Finding) []byte
	begun         bool
}

func (t *textSink) Write(u *Predictions) error {
	if len(u.Labels) == 0 {
		return nil
	}
	lead := t.between
	if !t.begun {
		lead = t.head
	}
	t.begun = true
	if _, err := io.WriteString(t.w, lead); err != nil {
		return err
	}
	_, err := t.w.Write(u.bytes)
	return err
}

func (t *textSink) Close(warnings []table.Finding) error {
	if !t.begun { // no rows
		if _, err := io.WriteString(t.w, t.head); err != nil {
			return err
		}
	}
	if t.tail == nil {
		return nil
	}
	_, err := t.w.Write(t.tail(warnings))
	return err
}

type csvFormat struct {
	header string
	names  []string // of the classes
	class  []string // the same, quoted if necessary
	proba  bool
	sets   bool
	keep   int    // number of kept columns
	blank  string // instead of probabilities
}

func (f csvFormat) Encode(u *Predictions) error {
	b := u.bytes[:0]
	for i, label := range u.Labels {
		for _, c := range u.kept {
			b = append(appendCell(b, c.Source(i)), ',')
		}
		switch {
		case label < 0:
			b = append(b, f.blank...)
		case f.proba:
			b = append(b, f.class[label]...)
			for _, p := range u.Values.RawRowView(i) {
				b = append(b, ',')
				b = strconv.AppendFloat(b, p, 'g', -1, 64)
			}
		default:
			b = append(b, f.class[label]...)
		}
		if f.sets {
			b = appendCell(append(b, ','), set(f.names, u.Sets[i]))
		}
		b = append(appendCell(append(b, ','), u.Problems[i]), '\n')
	}
	u.bytes = b
	return nil
}

func (f csvFormat) Open(w io.Writer) (Sink, error) {
	return &textSink{w: w, head: f.header}, nil
}

type jsonFormat struct {
	*Predictor
	lines bool
}

func (f jsonFormat) Encode(u *Predictions) error {
	b := bytes.NewBuffer(u.bytes[:0])
	enc := json.NewEncoder(b)
	if !f.lines {
		enc.SetIndent("  ", "  ")
	}
	for i, label := range u.Labels {
		p := Prediction{Class: u.Classes[i], Problem: u.Problems[i]}
		for k, name := range f.keep {
			if p.Kept == nil {
				p.Kept = make(map[string]string, len(f.keep))
			}
			p.Kept[name] = u.kept[k].Source(i)
		}
		if f.proba && label >= 0 {
			p.Proba = make(map[string]float64, len(f.names))
			for c, name := range f.names {
				p.Proba[name] = u.Values.At(i, c)
			}
		}
		if f.sets > 0 && label >= 0 {
			p.Set = []string{}
			for _, c := range u.Sets[i] {
				p.Set = append(p.Set, f.names[c])
			}
		}
		p.Unlike = u.Unlike[i]
		if i > 0 && !f.lines {
			b.WriteString(",\n  ")
		}
		if err := enc.Encode(p); err != nil {
			return err
		}
		if !f.lines {
			b.Truncate(b.Len() - 1) // the line break
		}
	}
	u.bytes = b.Bytes()
	return nil
}

func (f jsonFormat) Open(w io.Writer) (Sink, error) {
	if f.lines {
		return &textSink{w: w}, nil
	}
	tail := func(warnings []table.Finding) []byte {
		list, err := json.MarshalIndent(f.voice.Said(warnings), "", "  ")
		if err != nil {
			panic(err) // strings can always be encoded
		}
		return fmt.Appendf(nil, "\n],\n\"warnings\": %s}\n", list)
	}
	return &textSink{w: w, head: fmt.Sprintf("{\"schema\": %d,\n\"predictions\": [\n  ", Schema),
		between: ",\n  ", tail: tail}, nil
}

// Schema is the version of the JSON output. It is increased when the meaning of a key changes.
const Schema = 2

// Document is the JSON output.
type Document struct {
	Schema      int          `json:"schema"`
	Predictions []Prediction `json:"predictions"`
	Warnings    []table.Said `json:"warnings"`
}

// Prediction is the prediction for one sample in JSON.
type Prediction struct {
	Kept    map[string]string  `json:"kept,omitempty"`
	Class   string             `json:"class"` // empty if the row cannot be used
	Proba   map[string]float64 `json:"proba,omitempty"`
	Set     []string           `json:"set,omitzero"`      // names of the plausible classes
	Unlike  bool               `json:"unlike,omitempty"`  // whether the row is unlike all training rows
	Problem string             `json:"problem,omitempty"` // why the row cannot be used
}
