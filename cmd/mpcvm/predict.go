package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

const classColumn = "class"

// prediction is one sample's in JSON.
type prediction struct {
	Class string             `json:"class"`
	Proba map[string]float64 `json:"proba,omitempty"`
}

// predict applies a model to a CSV file.
func predict(_ context.Context, c *call) error {
	f := c.flags()
	modelFile := f.String("model", "", "")
	dataFile := f.String("data", "", "")
	proba := f.Bool("proba", false, "")
	out := f.String("out", "", "")
	asJSON := f.Bool("json", false, "")
	if _, err := c.parse(f, 0, 0); err != nil {
		return err
	}
	if err := needed("--model", *modelFile, "--data", *dataFile); err != nil {
		return err
	}
	m, err := mpcvm.LoadFile(*modelFile)
	if err != nil {
		return err
	}
	s, err := readSamples(*dataFile, m.FeatureNames())
	if err != nil {
		return err
	}
	labels, p := m.Predict(nil, s.x), m.Proba(nil, s.x)
	for i, label := range labels {
		if err := decided(i, label, p.RawRowView(i)); err != nil {
			return err
		}
	}
	if !*proba {
		p = nil
	}
	write := func(w io.Writer) error {
		if *asJSON {
			return writePredictionsJSON(w, m.ClassNames(), labels, p)
		}
		return writePredictions(w, m.ClassNames(), labels, p)
	}
	if *out != "" {
		err = writeWhole(*out, write)
	} else {
		err = write(c.out)
	}
	if err != nil {
		return err
	}
	s.printErrors(c.errOut, m.ClassNames(), labels)
	return nil
}

// decided reports a sample too far away for numbers: linear and polynomial kernels
// overflow.
func decided(row, label int, p []float64) error {
	if label < 0 || slices.ContainsFunc(p, math.IsNaN) {
		return fmt.Errorf("row %d, counted from 0: its features are too large for the model", row)
	}
	return nil
}

// samples are the rows of a CSV file, with the features in a model's order.
type samples struct {
	x     *mat.Dense
	class []string // of each row, "" where it is not known; nil if there is no such column
}

// readSamples reads a CSV file whose columns are the features, in any order, and
// perhaps a last one named class.
func readSamples(path string, features []string) (*samples, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	header, class, err := headerAndClasses(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	x, err := data.ReadFeatures(bytes.NewReader(text), name, header)
	if err != nil {
		return nil, err
	}
	for _, f := range header {
		if !slices.Contains(features, f) {
			return nil, fmt.Errorf("%s: column %q is no feature of the model, which are: %s", name, f, strings.Join(features, ", "))
		}
	}
	n, _ := x.Dims()
	s := &samples{x: mat.NewDense(n, len(features), nil), class: class}
	column := make([]float64, n)
	for d, f := range features {
		j := slices.Index(header, f)
		if j < 0 {
			return nil, fmt.Errorf("%s: no column %q, a feature of the model", name, f)
		}
		s.x.SetCol(d, mat.Col(column, j, x))
	}
	return s, nil
}

// headerAndClasses returns the names of the features and, if the last column is
// named class, its cells. What is wrong with the rows is for data.ReadFeatures
// to say.
func headerAndClasses(text []byte) (header, class []string, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	for {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && header == nil:
			return nil, nil, data.ErrEmpty
		case errors.Is(err, io.EOF):
			return header, class, nil
		case err != nil:
			return nil, nil, err
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		last := len(cells) - 1
		switch {
		case header == nil && cells[last] == classColumn:
			header, class = cells[:last:last], []string{}
		case header == nil:
			header = cells
		case class != nil && len(cells) == len(header)+1: // not a line of spaces
			class = append(class, cells[last])
		}
	}
}

// printErrors prints how many of the known classes were predicted wrongly.
func (s *samples) printErrors(w io.Writer, names []string, labels []int) {
	known, wrong := 0, 0
	for i, class := range s.class {
		if class == "" {
			continue
		}
		known++
		if class != names[labels[i]] {
			wrong++
		}
	}
	if known > 0 {
		fmt.Fprintf(w, "error rate: %.2f %% (%d of %d)\n", 100*float64(wrong)/float64(known), wrong, known)
	}
}

// writePredictions writes a row for each sample: its class and, unless p is nil,
// the probability of each class.
func writePredictions(out io.Writer, names []string, labels []int, p *mat.Dense) error {
	w := csv.NewWriter(out)
	row := []string{classColumn}
	if p != nil {
		for _, name := range names {
			row = append(row, "p("+name+")")
		}
	}
	if err := w.Write(row); err != nil {
		return err
	}
	for i, label := range labels {
		row[0] = names[label]
		for c := range row[1:] {
			row[c+1] = strconv.FormatFloat(p.At(i, c), 'g', -1, 64)
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func writePredictionsJSON(out io.Writer, names []string, labels []int, p *mat.Dense) error {
	all := make([]prediction, len(labels))
	for i, label := range labels {
		all[i].Class = names[label]
		if p == nil {
			continue
		}
		all[i].Proba = make(map[string]float64, len(names))
		for c, name := range names {
			all[i].Proba[name] = p.At(i, c)
		}
	}
	return writeJSON(out, all)
}

// writeWhole writes a file that appears whole or not at all.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriter(f)
	for _, step := range []func() error{
		func() error { return write(w) }, w.Flush,
		func() error { return f.Chmod(0o644) }, f.Close,
		func() error { return os.Rename(f.Name(), path) },
	} {
		if err = step(); err != nil {
			return err
		}
	}
	return nil
}
