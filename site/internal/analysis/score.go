package analysis

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/export"
)

// Scored is the reply to score.
type Scored struct {
	// Summary has a sentence each on the rows, the error rate if the classes are known, and the sets.
	Summary  []string `json:"summary"`
	Warnings []string `json:"warnings"`
	Classes  []count  `json:"classes"` // as predicted
	// Header and First are the first rows of the file of predictions, which begin with Own columns of the
	// table.
	Header []string   `json:"header"`
	First  [][]string `json:"first"`
	Own    int        `json:"own"`
	Rows   int64      `json:"rows"`
}

type count struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// shown is how many rows of the predictions the page shows.
const shown = 20

// score predicts the rows of another table with its columns in front, and keeps the predictions as CSV.
func (s *Session) score(ctx context.Context, q Request) (*Scored, error) {
	if s.figures == nil {
		return nil, errors.New("there is no model yet")
	}
	m := s.figures.Model
	o, err := s.options.tables()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	// how numbers are written may be another matter in this file, and is detected
	total, err := tables.Score(ctx, bytes.NewReader(q.Bytes), &out, tables.ScoreSettings{Model: m, Name: q.Name,
		Options: tables.Options{Missing: o.Missing,
			Limits: o.Limits}, Layout: tables.Layout{All: true}, Proba: true,
		Sets: q.Sets, Voice: voice})
	if err != nil {
		return nil, err
	}
	if total.Rows == 0 {
		return nil, fmt.Errorf("%s has no rows", q.Name)
	}
	if total.Unusable == total.Rows {
		return nil, fmt.Errorf("no row of %s can be used; the first one because of %s", q.Name, total.Why)
	}
	s.predictions = out.Bytes()
	if !q.Plain {
		if s.predictions, err = guarded(s.predictions); err != nil {
			return nil, err
		}
	}
	r := &Scored{Warnings: voice.SayAll(total.Warnings), Own: len(total.Kept), Rows: total.Rows}
	for c, name := range m.ClassNames() {
		r.Classes = append(r.Classes, count{name, int(total.Classes[c])})
	}
	r.Summary = append(r.Summary, fmt.Sprintf("Predicted %s.", words.CountOf(int(total.Rows-total.Unusable), "row")))
	if total.Unusable > 0 {
		r.Summary = append(r.Summary, fmt.Sprintf("%s cannot be used; the first is row %d: %s.",
			words.CountOf(int(total.Unusable), "row"), total.First, total.Why))
	}
	if total.Given > 0 {
		r.Summary = append(r.Summary, fmt.Sprintf("The file contains the classes of %s; %s %% are misclassified.",
			words.CountOf(int(total.Given), "row"), tabular.Percent(float64(total.Wrong)/float64(total.Given))))
	}
	if q.Sets > 0 {
		text := fmt.Sprintf("A set contains the true class with probability %g or more and has %.2f classes on average.",
			q.Sets, float64(total.SetSize)/float64(max(total.Rows-total.Unusable, 1)))
		if total.Given > 0 {
			text += fmt.Sprintf(" %.1f %% of the sets contain the class given in the file.",
				100*float64(total.Covered)/float64(total.Given))
		}
		r.Summary = append(r.Summary, text)
	}
	records := csv.NewReader(bytes.NewReader(s.predictions))
	if r.Header, err = records.Read(); err != nil {
		return nil, err
	}
	for len(r.First) < shown {
		record, err := records.Read()
		if err != nil {
			break
		}
		r.First = append(r.First, record)
	}
	return r, nil
}

// guarded returns a CSV file with a quote before texts that a spreadsheet would take for formulas.
func guarded(file []byte) ([]byte, error) {
	records, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		return nil, err
	}
	changed := false
	for _, record := range records {
		for i, text := range record {
			record[i] = cell.Safe(text)
			changed = changed || record[i] != text
		}
	}
	if !changed {
		return file, nil
	}
	var b bytes.Buffer
	err = csv.NewWriter(&b).WriteAll(records)
	return b.Bytes(), err
}

// File is the reply to save; its content is in Reply.Bytes.
type File struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	content []byte
}

// save returns a file.
func (s *Session) save(what string) (File, error) {
	if s.figures == nil {
		return File{}, errors.New("there is no model yet")
	}
	base := strings.TrimSuffix(path.Base(s.name), path.Ext(s.name))
	m := s.figures.Model
	var b bytes.Buffer
	switch what {
	case "predictions":
		if s.predictions == nil {
			return File{}, errors.New("no file was scored")
		}
		return File{base + "-predictions.csv", "text/csv", s.predictions}, nil
	case "model":
		err := m.Save(&b)
		return File{base + "-model.json", "application/json", b.Bytes()}, err
	case "onnx", "javascript":
		err := export.Write(&b, m, what)
		kind := map[string]string{"onnx": "application/octet-stream", "javascript": "text/javascript"}[what]
		return File{base + "-" + cmp.Or(export.File(what), what), kind, b.Bytes()}, err
	}
	return File{}, fmt.Errorf("unknown file %q", what)
}
