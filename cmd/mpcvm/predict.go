package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/recipe"
)

// predictOptions are the flags of predict.
type predictOptions struct {
	*reading
	model, out  string
	costs       string
	keep        []string
	rename      pairs // from names in the file to columns of the model
	without     []string
	proba, json bool
	sets        float64
	given       func(flag string) bool
}

func predictCommand() *cobra.Command {
	o := &predictOptions{}
	cmd := &cobra.Command{
		Use: "predict FILE", Short: "apply a model to a file with any number of rows",
		Long: `Write the predicted class of each row of FILE. The columns can be in any order, and FILE
can have additional ones. Warnings at the end list rows and columns that differ from the training data. See also: mpcvm help
output.`,
		Example: `  mpcvm predict new.csv --model m.json --proba --keep id --out classes.csv
  mpcvm predict new.csv --model m.json --sets 0.9`,
		RunE: task(o.run),
	}
	o.given = cmd.Flags().Changed
	o.reading = formatFlags(cmd)
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.model, "model", "", "the model `FILE`; required")
		f.BoolVar(&o.proba, "proba", false, "also write the probability of each class")
		f.StringVar(&o.out, "out", "", "write to `FILE`: CSV, .parquet or .jsonl")
		f.BoolVar(&o.json, "json", false, "write JSON instead of CSV")
		f.StringSliceVar(&o.keep, "keep", nil, "also write these `COLUMNS` of FILE, or all")
		f.Float64Var(&o.sets, "sets", 0, "add a set that contains the true class with probability `P`")
		f.StringVar(&o.costs, "costs", "", costsUsage)
		f.Var(&o.rename, "rename", "`NEW=OLD`,...: read column OLD of the model from column NEW of FILE")
		f.StringSliceVar(&o.without, "without", nil, "treat these `COLUMNS`, which are not in FILE, as missing")
	})
	o.completions(cmd)
	return cmd
}

// run predicts.
func (o *predictOptions) run(ctx context.Context, out, errOut io.Writer) error {
	if err := needed("--model", o.model); err != nil {
		return err
	}
	if o.given("sets") && !(o.sets > 0 && o.sets < 1) {
		return misuse{fmt.Errorf("--sets %v: want a probability between 0 and 1, such as 0.9", o.sets)}
	}
	if o.json && (isParquet(o.out) || isLines(o.out)) {
		return misuse{fmt.Errorf("--json cannot be used with --out %s, whose extension sets the format", o.out)}
	}
	if err := checkOutputs([]file{{"--model", o.model}, o.file}, []file{{"--out", o.out}}); err != nil {
		return err
	}
	m, err := loadModel(ctx, o.model)
	if err != nil {
		return err
	}
	rename, err := reversed(o.rename.to(predict.Names(m)))
	if err != nil {
		return misuse{err}
	}
	l := predict.Layout{Recipe: predict.Recipe(m), Classes: m.ClassNames(), Keep: o.keep, Rename: rename,
		Without: o.without}
	if err := l.Check(); err != nil {
		return misuse{fmt.Errorf("--rename, --without: %w", err)}
	}
	if slices.Equal(o.keep, []string{"all"}) {
		l.Keep, l.All = nil, true
	}
	in, err := o.openSource(ctx, l)
	if errors.Is(err, recipe.ErrNoColumn) {
		err = fmt.Errorf("%w; use --rename NEW=OLD if it has another name, or --without COLUMN if it is absent",
			err)
	}
	if err != nil {
		return err
	}
	defer in.file.Close()
	p := predict.New(m, o.proba)
	p.Keep(in.Kept)
	p.Explain(func(err error) string { return inFlags(predict.Reason(err)) })
	if o.costs != "" {
		costs, err := parseCosts(ctx, o.costs, m.ClassNames())
		if err != nil {
			return err
		}
		p.Costs(costs)
	}
	if o.sets > 0 {
		if err := p.Sets(o.sets); err != nil {
			return fmt.Errorf("--sets: %s: %w", o.model, err)
		}
	}
	form := p.CSV()
	switch {
	case isLines(o.out):
		form = p.JSONLines()
	case o.json:
		form = p.JSON()
	case isParquet(o.out):
		form = p.Parquet()
	}
	shown := &pace{Progress: progress.New(errOut), in: in, start: time.Now()}
	defer shown.Clear()
	var total predict.Tally
	if o.out == "" {
		total, err = scoreTo(ctx, out, in, p, form, shown)
	} else {
		err = writeFile(o.out, func(w io.Writer) (err error) {
			total, err = scoreTo(ctx, w, in, p, form, shown)
			return err
		})
	}
	shown.Clear()
	if err != nil {
		return err
	}
	if err := total.Failure(in.name); err != nil {
		return err
	}
	printTally(errOut, total, o.costs != "" || m.Model().Costs() != nil)
	if o.sets > 0 {
		printSets(errOut, total, m.Model().Scores(), o.sets)
	}
	for _, w := range slices.Concat(in.Notes(), p.Warnings(total)) {
		fmt.Fprintln(errOut, "warning:", w)
	}
	return nil
}

// reversed inverts the pairs of --rename: it maps columns of the model to names in the file.
func reversed(rename map[string]string) (map[string]string, error) {
	var of map[string]string
	for name, old := range rename {
		if of[old] != "" {
			return nil, fmt.Errorf("--rename: more than one name for %q", old)
		}
		if name == "" || old == "" {
			return nil, errors.New("--rename: want NEW=OLD, such as weight_kg=weight")
		}
		if of == nil {
			of = map[string]string{}
		}
		of[old] = name
	}
	return of, nil
}

// scoreTo writes the predictions to w batch by batch.
func scoreTo(ctx context.Context, w io.Writer, in *source, p *predict.Predictor, form predict.Format,
	shown *pace) (total predict.Tally, err error) {
	to, err := form.Open(w)
	if err != nil {
		return total, err
	}
	rows := int64(0)
	err = in.score(ctx, p, form, func(u *unit) error {
		if err := to.Write(&u.Predictions); err != nil {
			return err
		}
		rows += int64(len(u.Labels))
		total.Add(u.Tally)
		shown.show(rows)
		return nil
	})
	if err == nil {
		err = in.unchanged()
	}
	if err != nil {
		return total, withoutPackage(err)
	}
	return total, to.Close(slices.Concat(in.Notes(), p.Warnings(total)))
}

// probabilities returns the probabilities of each row of x, or the error of ctx when it is done.
func probabilities(ctx context.Context, m *mpcvm.Model, x *mat.Dense) (*mat.Dense, error) {
	const rows = 1024 // about 0.1 s for a large model
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

// mostProbable returns the most probable label of each row, the first in case of ties, or −1 if a probability
// is NaN. It returns the same as Model.Predict without computing the potentials again.
func mostProbable(p *mat.Dense) []int {
	n, _ := p.Dims()
	labels := make([]int, n)
	for i := range labels {
		labels[i] = predict.MostProbable(p.RawRowView(i))
	}
	return labels
}

// printTally prints the number of rows that could not be used, the error rate of the rows with a known class,
// and the number of rows whose class is not in the model.
func printTally(w io.Writer, t predict.Tally, costs bool) {
	if t.Unusable > 0 {
		fmt.Fprintf(w, "predicted %s, %s could not be used (first: row %d, %s)\n",
			words.Plural(t.Rows-t.Unusable, "row"), words.Plural(t.Unusable, "row"), t.First, t.Why)
	}
	if t.Given == 0 {
		return
	}
	fmt.Fprintf(w, "error rate: %s %% (%d of %d)", tabular.Percent(float64(t.Wrong)/float64(t.Given)), t.Wrong,
		t.Given)
	if costs {
		fmt.Fprint(w, ", with decisions that minimise the expected cost")
	}
	if t.Unknown > 0 {
		fmt.Fprintf(w, "; rows with a class that is not in the model: %d", t.Unknown)
	}
	fmt.Fprintln(w)
}

// printSets prints the coverage of the prediction sets, their mean size, and how many contain the known
// class.
func printSets(w io.Writer, t predict.Tally, scores mpcvm.Scores, coverage float64) {
	of := "over all rows"
	if scores.ByClass() {
		of = "for each class"
	}
	fmt.Fprintf(w, "sets: contain the true class with probability %g or more %s; %.2f classes per set",
		coverage, of, float64(t.SetSize)/float64(max(t.Rows-t.Unusable, 1)))
	if t.Empty > 0 {
		fmt.Fprintf(w, "; empty sets, for rows unlike all training rows: %d", t.Empty)
	}
	if t.Given > 0 {
		fmt.Fprintf(w, "; %.1f %% of %d contain the known class", 100*float64(t.Covered)/float64(t.Given),
			t.Given)
	}
	fmt.Fprintln(w)
}
