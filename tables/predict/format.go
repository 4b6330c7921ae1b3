package predict

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Format is an output format for predictions.
type Format interface {
	// Encode encodes u for a Sink. It is safe for concurrent use with different u.
	Encode(u *Predictions) error
	// Open starts an output.
	Open(w io.Writer) Sink
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
	s := f.Open(w)
	if err := s.Write(u); err != nil {
		return err
	}
	return s.Close(nil)
}

// after returns the names of the columns after the probabilities: the classes of a prediction set (if
// requested), whether the row is unlike all training rows, the columns beyond their range, the new levels,
// and the reason why a row cannot be used.
func (p *Predictor) after() []string {
	columns := []string{"set", "unlike", "beyond", "new_levels", "problem"}
	if p.sets > 0 {
		return columns
	}
	return columns[1:]
}

// blank are the cells of most rows.
var blank [4]string

// cells returns the cells of the columns after the probabilities.
func (p *Predictor) cells(u *Predictions, i int) (list []string) {
	n := u.novelty(i)
	if p.sets == 0 && !u.Unlike[i] && len(n.Beyond)+len(n.NewLevels) == 0 && u.Problems[i] == "" {
		return blank[:] // without an allocation
	}
	if p.sets > 0 {
		var names []string
		for _, c := range u.Sets[i] {
			names = append(names, p.names[c])
		}
		list = append(list, joined(names))
	}
	unlike := ""
	if u.Unlike[i] {
		unlike = "yes"
	}
	var levels []string
	if len(n.NewLevels) > 0 { // of few rows
		for _, column := range slices.Sorted(maps.Keys(n.NewLevels)) {
			levels = append(levels, column+"="+n.NewLevels[column])
		}
	}
	return append(list, unlike, joined(n.Beyond), joined(levels), u.Problems[i])
}

// novelty returns the cells of a row that no training row resembles. It is empty for unusable rows.
func (u *Predictions) novelty(i int) (n recipe.Novelty) {
	if u.Novelty != nil && u.Labels[i] >= 0 {
		n = u.Novelty[i]
	}
	return n
}

// joined formats a list of names in a cell. A name that contains a quote or the character | is ambiguous and
// is quoted as in CSV, as are names with spaces at either end.
func joined(names []string) string {
	if len(names) == 0 {
		return ""
	}
	texts := slices.Clone(names)
	for i, name := range names {
		if strings.ContainsAny(name, `|"`) || strings.TrimSpace(name) != name {
			texts[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return strings.Join(texts, " | ")
}

// CSV returns a format with one line per sample: the columns that are kept, the class, the probability of
// each class (if computed), the prediction set (if computed), how the row differs from the training rows
// (unlike, beyond, new_levels), and the reason why the row cannot be used (problem). For such a row, only the
// kept columns and the reason are filled in.
func (p *Predictor) CSV() Format {
	var header, class []string
	for _, name := range slices.Concat(p.keep, []string{table.ClassColumn}, p.columns(), p.after()) {
		header = append(header, string(appendCell(nil, name)))
	}
	for _, name := range p.names {
		class = append(class, string(appendCell(nil, name)))
	}
	blank := strings.Repeat(",", len(p.columns()))
	row := func(b []byte, u *Predictions, i int) ([]byte, error) {
		for _, c := range u.kept {
			b = append(appendCell(b, c.Source(i)), ',')
		}
		if label := u.Labels[i]; label < 0 {
			b = append(b, blank...)
		} else if b = append(b, class[label]...); p.proba {
			for _, v := range u.Values.RawRowView(i) {
				b = strconv.AppendFloat(append(b, ','), v, 'g', -1, 64)
			}
		}
		for _, cell := range p.cells(u, i) {
			b = appendCell(append(b, ','), cell)
		}
		return append(b, '\n'), nil
	}
	return &textFormat{head: strings.Join(header, ",") + "\n", row: row}
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
		return p.json(), nil
	case "jsonl": // one line per sample, which is an element of the list in JSON
		return &textFormat{row: func(b []byte, u *Predictions, i int) ([]byte, error) {
			text, err := json.Marshal(p.prediction(u, i))
			return append(append(b, text...), '\n'), err
		}}, nil
	}
	if name == "parquet" && parquetOf != nil {
		return parquetOf(p), nil
	}
	return nil, fmt.Errorf("predict: unknown format %q; want csv, json, jsonl or parquet", name)
}

// json returns a format with a single object that contains the predictions and the warnings.
func (p *Predictor) json() Format {
	row := func(b []byte, u *Predictions, i int) ([]byte, error) {
		text, err := json.MarshalIndent(p.prediction(u, i), "  ", "  ")
		return append(b, text...), err
	}
	tail := func(warnings []table.Finding) []byte {
		list, _ := json.MarshalIndent(p.voice.Said(warnings), "", "  ") // strings can always be encoded
		return fmt.Appendf(nil, "\n],\n\"warnings\": %s}\n", list)
	}
	return &textFormat{fmt.Sprintf("{\"schema\": %d,\n\"predictions\": [\n  ", Schema), ",\n  ", row, tail}
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

// textFormat is a format of texts. row appends a row; between separates the rows. head comes before them, and
// tail, if not nil, after them.
type textFormat struct {
	head, between string
	row           func(b []byte, u *Predictions, i int) ([]byte, error)
	tail          func(warnings []table.Finding) []byte
}

func (f *textFormat) Encode(u *Predictions) (err error) {
	b := u.bytes[:0]
	for i := range u.Labels {
		if i > 0 {
			b = append(b, f.between...)
		}
		if b, err = f.row(b, u, i); err != nil {
			return err
		}
	}
	u.bytes = b
	return nil
}

func (f *textFormat) Open(w io.Writer) Sink { return &textSink{textFormat: f, w: w} }

// textSink is a text output.
type textSink struct {
	*textFormat
	w     io.Writer
	begun bool
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
	var rest []byte
	if !t.begun { // no rows
		rest = []byte(t.head)
	}
	if t.tail != nil {
		rest = append(rest, t.tail(warnings)...)
	}
	_, err := t.w.Write(rest)
	return err
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
	Kept   map[string]string  `json:"kept,omitempty"`
	Class  string             `json:"class"` // empty if the row cannot be used
	Proba  map[string]float64 `json:"proba,omitempty"`
	Set    []string           `json:"set,omitzero"`     // names of the plausible classes
	Unlike bool               `json:"unlike,omitempty"` // whether the row is unlike all training rows
	recipe.Novelty
	Problem string `json:"problem,omitempty"` // why the row cannot be used
}

// prediction returns the prediction for the i-th row.
func (p *Predictor) prediction(u *Predictions, i int) Prediction {
	to := Prediction{Class: u.Classes[i], Unlike: u.Unlike[i], Novelty: u.novelty(i), Problem: u.Problems[i]}
	if len(p.keep) > 0 {
		to.Kept = make(map[string]string, len(p.keep))
	}
	for k, name := range p.keep {
		to.Kept[name] = u.kept[k].Source(i)
	}
	if u.Labels[i] < 0 {
		return to
	}
	if p.proba {
		to.Proba = make(map[string]float64, len(p.names))
		for c, name := range p.names {
			to.Proba[name] = u.Values.At(i, c)
		}
	}
	if p.sets > 0 {
		to.Set = []string{}
		for _, c := range u.Sets[i] {
			to.Set = append(to.Set, p.names[c])
		}
	}
	return to
}
