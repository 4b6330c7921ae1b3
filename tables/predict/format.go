package predict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/tables/parquet"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Format is how predictions are written.
type Format interface {
	// Encode makes the bytes of u that a Sink writes. It is safe for concurrent use with
	// different u.
	Encode(u *Predictions) error
	// Open begins an output.
	Open(w io.Writer) (Sink, error)
}

// Sink is an output that is being written.
type Sink interface {
	Write(u *Predictions) error
	// Close ends the output. JSON has the warnings.
	Close(warnings []string) error
}

// Write encodes u and writes it to w as a whole output.
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
	// problemColumn is the reason why a row cannot be used.
	problemColumn = "problem"
	// setColumn has the names of the classes of a prediction set, joined by setJoin.
	setColumn = "set"
	setJoin   = " | "
)

// after are the names of the columns behind the probabilities.
func (p *Predictor) after() []string {
	if p.sets > 0 {
		return []string{setColumn, problemColumn}
	}
	return []string{problemColumn}
}

// set writes a prediction set. A name that could be taken for several, because it contains a quote or a
// mark of setJoin, is quoted as in CSV.
func set(names []string, classes []int) string {
	texts := make([]string, len(classes))
	for i, c := range classes {
		if texts[i] = names[c]; strings.ContainsAny(texts[i], `|"`) || strings.TrimSpace(texts[i]) != texts[i] {
			texts[i] = `"` + strings.ReplaceAll(texts[i], `"`, `""`) + `"`
		}
	}
	return strings.Join(texts, setJoin)
}

// CSV returns the format of a row for each sample: the columns that are kept, its class, the
// probability of each class if they are computed, its prediction set if it is computed, and the reason
// if the row cannot be used. All but the reason and what is kept are empty then.
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

// appendCell appends a cell of a CSV text, in quotes if it needs them.
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

// JSON returns the format of an object with the predictions and the warnings.
func (p *Predictor) JSON() Format { return jsonFormat{p.names, p.keep, p.proba, p.sets > 0, false} }

// JSONLines returns the format of a line for each sample, which is an element of the list in JSON.
func (p *Predictor) JSONLines() Format {
	return jsonFormat{p.names, p.keep, p.proba, p.sets > 0, true}
}

// Parquet returns the format of a file with the columns of CSV. Where CSV leaves a probability
// empty it is NaN.
func (p *Predictor) Parquet() Format {
	return parquetFormat{p.names, parquet.Layout{Before: p.keep, Text: table.ClassColumn, Numbers: p.columns(),
		After: p.after()}}
}

// columns are the names of the columns of the probabilities, none if they are not computed.
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

// textSink is an output of text. head comes before the first rows, between before others, and tail,
// if it is not nil, after all.
type textSink struct {
	w             io.Writer
	head, between string
	tail          func(warnings []string) []byte
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

func (t *textSink) Close(warnings []string) error {
	if !t.begun { // there are no rows
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
	class  []string // the same, quoted where need be
	proba  bool
	sets   bool
	keep   int    // columns
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
	names, keep []string
	proba, sets bool
	lines       bool
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
		if f.sets && label >= 0 {
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
			b.Truncate(b.Len() - 1) // the line end
		}
	}
	u.bytes = b.Bytes()
	return nil
}

func (f jsonFormat) Open(w io.Writer) (Sink, error) {
	if f.lines {
		return &textSink{w: w}, nil
	}
	tail := func(warnings []string) []byte {
		list, err := json.MarshalIndent(append([]string{}, warnings...), "", "  ")
		if err != nil {
			panic(err) // of texts
		}
		return fmt.Appendf(nil, "\n],\n\"warnings\": %s}\n", list)
	}
	return &textSink{w: w, head: fmt.Sprintf("{\"schema\": %d,\n\"predictions\": [\n  ", Schema),
		between: ",\n  ", tail: tail}, nil
}

// parquetFormat writes a row group for each unit, of the same columns as a CSV file.
type parquetFormat struct {
	names  []string // of the classes
	layout parquet.Layout
}

// Encode does nothing: the sink encodes.
func (parquetFormat) Encode(*Predictions) error { return nil }

func (f parquetFormat) Open(w io.Writer) (Sink, error) {
	return parquetSink{f, parquet.NewWriter(w, f.layout)}, nil
}

// parquetSink is a Parquet file that is being written.
type parquetSink struct {
	parquetFormat
	w *parquet.Writer
}

func (s parquetSink) Write(u *Predictions) error {
	further := make([][]string, 0, len(s.layout.Before)+len(s.layout.After))
	for k := range s.layout.Before {
		column := make([]string, len(u.Labels))
		for i := range column {
			column[i] = strings.ToValidUTF8(u.kept[k].Source(i), "�")
		}
		further = append(further, column)
	}
	if u.Sets != nil {
		sets := make([]string, len(u.Labels))
		for i := range sets {
			sets[i] = set(s.names, u.Sets[i])
		}
		further = append(further, sets)
	}
	return s.w.Write(u.Values, u.Classes, append(further, u.Problems)...)
}

// Close ends the file.
func (s parquetSink) Close([]string) error { return s.w.Close() }

// Schema is the version of the JSON that the command writes. It grows when a key changes its meaning.
const Schema = 2

// Document is an output in JSON.
type Document struct {
	Schema      int          `json:"schema"`
	Predictions []Prediction `json:"predictions"`
	Warnings    []string     `json:"warnings"`
}

// Prediction is the prediction of one sample in JSON.
type Prediction struct {
	Kept    map[string]string  `json:"kept,omitempty"`
	Class   string             `json:"class"` // "" if the row cannot be used
	Proba   map[string]float64 `json:"proba,omitempty"`
	Set     []string           `json:"set,omitzero"`      // names of the plausible classes
	Unlike  bool               `json:"unlike,omitempty"`  // all training rows
	Problem string             `json:"problem,omitempty"` // why it cannot
}
