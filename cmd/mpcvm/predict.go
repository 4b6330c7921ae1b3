package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// prediction is one sample's in JSON.
type prediction struct {
	Class string             `json:"class"`
	Proba map[string]float64 `json:"proba,omitempty"`
}

// predict applies a model to a CSV file.
func predict(ctx context.Context, c *call) error {
	f := c.flags()
	modelFile := f.String("model", "", "the model, a JSON `FILE`; needed")
	dataFile := f.String("data", "", "the samples, a CSV `FILE` of the model's features in any order and perhaps the class; needed")
	proba := f.Bool("proba", false, "write the probability of each class too")
	out := f.String("out", "", "write to `FILE` instead of standard output")
	asJSON := f.Bool("json", false, "write JSON instead of CSV")
	if _, err := c.parse(f, 0, 0); err != nil {
		return err
	}
	if err := needed("--model", *modelFile, "--data", *dataFile); err != nil {
		return err
	}
	if err := checkOutputs([]file{{"--model", *modelFile}, {"--data", *dataFile}}, []file{{"--out", *out}}); err != nil {
		return err
	}
	m, err := loadModel(ctx, *modelFile)
	if err != nil {
		return err
	}
	s, err := readSamples(ctx, *dataFile, m)
	if err != nil {
		return err
	}
	p, err := probabilities(ctx, m, s.x)
	if err != nil {
		return err
	}
	labels := mostProbable(p)
	for i, label := range labels {
		if err := decided(i, label, p.RawRowView(i)); err != nil {
			return err
		}
	}
	if !*proba {
		p = nil
	}
	write := func(w io.Writer) error {
		w = &untilEnd{w, ctx}
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

// probabilities returns the probabilities of each row of x, unless ctx ends.
func probabilities(ctx context.Context, m *mpcvm.Model, x *mat.Dense) (*mat.Dense, error) {
	const rows = 1024 // of which a large model takes a tenth of a second
	n, d := x.Dims()
	p := mat.NewDense(n, m.Classes(), nil)
	for from := 0; from < n; from += rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(n, from+rows)
		m.Proba(p.Slice(from, to, 0, m.Classes()).(*mat.Dense), x.Slice(from, to, 0, d))
	}
	return p, ctx.Err()
}

// mostProbable returns the label of the largest probability of each row, the first
// of equals, −1 where one is no number: what Predict says, without computing the
// potentials once more.
func mostProbable(p *mat.Dense) []int {
	n, _ := p.Dims()
	labels := make([]int, n)
	for i := range labels {
		row := p.RawRowView(i)
		labels[i] = slices.Index(row, slices.Max(row))
	}
	return labels
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

// readSamples reads a CSV file whose columns are the model's features and perhaps
// the class.
func readSamples(ctx context.Context, path string, m *mpcvm.Model) (s samples, err error) {
	text, err := readFile(ctx, path)
	if err != nil {
		return s, err
	}
	s.x, s.class, err = data.ReadFeatures(text, path, m.FeatureNames())
	return s, err
}

// printErrors prints how many of the classes given were predicted wrongly, and how
// many of them the model does not know.
func (s samples) printErrors(w io.Writer, names []string, labels []int) {
	given, wrong, unknown := 0, 0, 0
	for i, class := range s.class {
		if class == "" {
			continue
		}
		given++
		if class != names[labels[i]] {
			wrong++
		}
		if !slices.Contains(names, class) {
			unknown++
		}
	}
	if given == 0 {
		return
	}
	fmt.Fprintf(w, "error rate: %.2f %% (%d of %d)", 100*float64(wrong)/float64(given), wrong, given)
	if unknown > 0 {
		fmt.Fprintf(w, "; rows of classes that the model does not know: %d", unknown)
	}
	fmt.Fprintln(w)
}

// writePredictions writes a row for each sample: its class and, unless p is nil,
// the probability of each class.
func writePredictions(out io.Writer, names []string, labels []int, p *mat.Dense) error {
	w := csv.NewWriter(out)
	row := []string{"class"}
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
