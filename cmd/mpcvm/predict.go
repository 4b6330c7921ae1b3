package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/predict"
	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// predictCommand applies a model to a CSV or Parquet file of any number of rows.
func predictCommand(ctx context.Context, c *call) error {
	f := c.flags()
	modelFile := f.String("model", "", "the model, a JSON `FILE`; required")
	dataFile := f.String("data", "", "the samples, a CSV or .parquet `FILE` of the model's features, in any order, and optionally the class; required")
	proba := f.Bool("proba", false, "also write the probability of each class")
	out := f.String("out", "", "write to `FILE`, as Parquet if it ends in .parquet; the default is standard output. FILE appears when it is complete. Until then the finished part is in FILE.partial; after a stop the same command continues it")
	asJSON := f.Bool("json", false, "write JSON instead of CSV")
	if _, err := c.parse(f, 0, 0); err != nil {
		return err
	}
	if err := needed("--model", *modelFile, "--data", *dataFile); err != nil {
		return err
	}
	if *asJSON && isParquet(*out) {
		return misuse{errors.New("--json cannot write Parquet: " + *out)}
	}
	if err := checkOutputs([]file{{"--model", *modelFile}, {"--data", *dataFile}}, []file{{"--out", *out}}); err != nil {
		return err
	}
	modelText, err := readFile(ctx, *modelFile)
	if err != nil {
		return err
	}
	modelSum := sum(modelText)
	m, err := parseModel(modelText, *modelFile)
	if err != nil {
		return err
	}
	in, err := openSource(ctx, *dataFile, m.FeatureNames())
	if err != nil {
		return err
	}
	defer in.file.Close()
	p := predict.New(m, *proba)
	form := p.CSV()
	switch {
	case *asJSON:
		form = p.JSON()
	case isParquet(*out):
		form = p.Parquet()
	}
	shown := &pace{Progress: progress.New(c.errOut), in: in, start: time.Now()}
	defer shown.Clear()
	var total predict.Tally
	if *out == "" {
		total, err = scoreTo(ctx, c.out, in, p, form, shown)
	} else {
		kept := partial{path: *out, errOut: c.errOut}
		kept.header, err = newJournalHeader(in, modelSum, form)
		if err == nil {
			total, err = kept.score(ctx, in, p, form, shown)
		}
	}
	shown.Clear()
	if err != nil {
		return err
	}
	printTally(c.errOut, total)
	return nil
}

// scoreTo writes the predictions to w one batch after another.
func scoreTo(ctx context.Context, w io.Writer, in *source, p *predict.Predictor, form predict.Format, shown *pace) (total predict.Tally, err error) {
	to, err := form.Open(&predict.CountingWriter{W: w}, 0, nil)
	if err != nil {
		return total, err
	}
	rows := int64(0)
	err = in.score(ctx, p, form, 0, func(u *unit) error {
		if err := to.Write(&u.Predictions); err != nil {
			return err
		}
		rows += int64(len(u.Labels))
		total.Add(u.Tally)
		shown.show(rows, u.batch.End)
		return nil
	})
	if err == nil && rows == 0 {
		err = &data.CellError{Name: in.name, Err: data.ErrEmpty}
	}
	if err != nil {
		return total, err
	}
	return total, to.Close()
}

// probabilities returns the probabilities of each row of x, or the error of ctx if it ends.
func probabilities(ctx context.Context, m *mpcvm.Model, x *mat.Dense) (*mat.Dense, error) {
	const rows = 1024 // a large model takes 0.1 s for them
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

// mostProbable returns the label of the largest probability of each row, the first of equals,
// or −1 if one is NaN. It is what Model.Predict returns, without computing the potentials
// again.
func mostProbable(p *mat.Dense) []int {
	n, _ := p.Dims()
	labels := make([]int, n)
	for i := range labels {
		labels[i] = predict.Best(p.RawRowView(i))
	}
	return labels
}

// printTally prints how many of the samples of a given class were predicted wrongly, and
// how many of them are of a class that the model does not know.
func printTally(w io.Writer, t predict.Tally) {
	if t.Given == 0 {
		return
	}
	fmt.Fprintf(w, "error rate: %.2f %% (%d of %d)", 100*float64(t.Wrong)/float64(t.Given), t.Wrong, t.Given)
	if t.Unknown > 0 {
		fmt.Fprintf(w, "; rows of classes that the model does not know: %d", t.Unknown)
	}
	fmt.Fprintln(w)
}
