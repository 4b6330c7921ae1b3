package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/predict"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type predictOptions struct {
	*reading
	model, out string
	costs      string
	rename     pairs // from names in the file to columns of the model
	json       bool
	settings   tables.ScoreSettings
}

func predictCommand() *cobra.Command {
	o := &predictOptions{}
	s := &o.settings
	cmd := &cobra.Command{
		Use: "predict FILE", SuggestFor: []string{"apply", "score", "classify"},
		Short: "apply a model to a file with any number of rows",
		Long: `Write the predicted class of each row of FILE. The columns can be in any order, and FILE
can have additional ones. Warnings at the end list rows and columns that differ from the
training data. See also: mpcvm help output.`,
		Example: `  mpcvm predict new.csv --model m.json --proba --keep id --out classes.csv
  mpcvm predict new.csv --model m.json --sets 0.9`,
		RunE: task(o.run),
	}
	o.reading = formatFlags(cmd)
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.model, "model", "", "the model `FILE`; required")
		f.BoolVar(&s.Proba, "proba", false, "also write the probability of each class")
		f.StringVar(&o.out, "out", "", "write to `FILE`: CSV, .parquet or .jsonl")
		f.BoolVar(&o.json, "json", false, "write JSON instead of CSV")
		f.StringSliceVar(&s.Keep, "keep", nil, "also write these `COLUMNS` of FILE, or all")
		f.Float64Var(&s.Sets, "sets", 0, "add a set that contains the true class with probability `P`")
		f.StringVar(&o.costs, "costs", "", costsUsage)
		f.Func("rename", "`NEW=OLD`,...: read column OLD of the model from column NEW of FILE", o.rename.Set)
		f.StringSliceVar(&s.Without, "without", nil, "treat these `COLUMNS`, which are not in FILE, as missing")
	})
	o.completions(cmd)
	return cmd
}

func (o *predictOptions) run(ctx context.Context, out, errOut io.Writer) error {
	s := &o.settings
	if err := needed("--model", o.model); err != nil {
		return err
	}
	if o.given("sets") && !(s.Sets > 0 && s.Sets < 1) {
		return misuse{fmt.Errorf("--sets %v: want a probability between 0 and 1, such as 0.9", s.Sets)}
	}
	if err := checkOutputs([]file{{"--model", o.model}, o.file}, []file{{"--out", o.out}}); err != nil {
		return err
	}
	var err error
	if s.Format, err = o.format(); err != nil {
		return misuse{err}
	}
	m, err := loadModel(ctx, o.model)
	if err != nil {
		return err
	}
	if s.Rename, err = reversed(o.rename.to(predict.Names(m))); err != nil {
		return misuse{err}
	}
	if err := s.Check(m); err != nil {
		return misuse{fmt.Errorf("--rename, --without: %w", err)}
	}
	if slices.Equal(s.Keep, []string{"all"}) {
		s.Keep, s.All = nil, true
	}
	in, err := o.openFile(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	before, err := in.Stat()
	if err != nil {
		return err
	}
	s.Model, s.Name, s.Options, s.Voice = m, o.path, o.options, voice
	if o.costs != "" {
		if s.Costs, err = parseCosts(ctx, o.costs, m.ClassNames()); err != nil {
			return err
		}
	}
	shown, start := progress.New(errOut), time.Now()
	defer shown.Clear()
	s.Progress = func(rows int64, share float64) {
		shown.Show(share, "%d rows, %.0f per second", rows, float64(rows)/time.Since(start).Seconds())
	}
	var total tables.Tally
	var failed error
	score := func(w io.Writer) error {
		if total, failed = tables.Score(ctx, in, w, *s); failed == nil {
			failed = unchanged(in, before)
		}
		return failed
	}
	if o.out == "" {
		err = score(out)
	} else {
		err = writeFile(o.out, score)
	}
	shown.Clear()
	if failed != nil { // it names FILE
		return o.advised(failed)
	}
	if err != nil {
		return err
	}
	if err := total.Failure(o.path); err != nil {
		return likeTraining(err, o.path)
	}
	printTally(errOut, total.Tally, o.costs != "" || m.Model().Costs() != nil)
	if s.Sets > 0 {
		printSets(errOut, total.Tally, m.Model().Scores(), s.Sets)
	}
	for _, w := range total.Warnings {
		fmt.Fprintln(errOut, "warning:", voice.Say(w))
	}
	return nil
}

// otherFormats are extensions of files that predict does not write.
var otherFormats = strings.Fields(`.xlsx .xlsm .xlsb .xls .ods .arff .tsv .tab .html .htm .pdf .md .xml .yaml .docx
	.gz .zip .bz2 .xz .zst .feather .arrow .orc .avro .sav .dta .rds .pkl .npy .mat .h5 .sqlite .db .svm .libsvm`)

// format returns the format of the output, which the extension of --out must not contradict.
func (o *predictOptions) format() (string, error) {
	format, ext := "csv", strings.ToLower(filepath.Ext(o.out))
	if o.json {
		format = "json"
	}
	switch {
	case (ext == ".csv" || ext == ".json") && ext[1:] != format, o.json && (ext == ".jsonl" || ext == ".parquet"),
		slices.Contains(otherFormats, ext):
		return "", fmt.Errorf("--out %s: predict writes .csv, .jsonl or .parquet without --json, and .json "+
			"with it", o.out)
	case ext == ".jsonl" || ext == ".parquet":
		format = ext[1:]
	}
	return format, nil
}

// advised adds to an error which flag helps.
func (o *predictOptions) advised(err error) error {
	switch {
	case errors.Is(err, mpcvm.ErrNoScores):
		return fmt.Errorf("--sets: %s: %w", o.model, err)
	case errors.Is(err, recipe.ErrNoColumn):
		return fmt.Errorf("%w; use --rename NEW=OLD if it has another name, or --without COLUMN if it is absent",
			err)
	}
	return err
}

// likeTraining adds advice to an error about a file of which no row can be used.
func likeTraining(err error, path string) error {
	return fmt.Errorf("%w; compare its columns with the training file: mpcvm look %s", err, words.Shell(path))
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

// printTally prints the number of unusable rows, the error rate, and the number of rows of unknown classes.
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
		fmt.Fprintf(w, "; rows with a class that is not in the model: %d (%s)", t.Unknown,
			words.ListBy(words.Quote, t.Strange, 5))
	}
	fmt.Fprintln(w)
}

// printSets prints the coverage of the prediction sets, their mean size, and how many contain the class.
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
