package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
)

type compareOptions struct {
	*reading
	target        string
	systems, also []string
	cv            eval.Options
	rows          int // 0 if not given, −1 for all
	report, dealt string
	json          bool
}

const (
	manyRows    = 5000 // with more rows, compare takes a sample by default
	slowRows    = 2000 // with more rows, compare suggests using fewer
	sampledRows = 1000
	fewRows     = 300 // up to this many rows, the cross-validation is repeated by default
	manyRepeats = 3
)

// ofSquare lists the systems without candidates.
var ofSquare = []string{"svm", "mrvm2"}

func compareCommand() *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use: "compare FILE...", SuggestFor: []string{"benchmark", "evaluate"},
		Short: "compare systems on a table by cross-validation",
		Long: `Fit each system on the same folds of FILE and print how well it predicts the held-out rows. Each
system chooses its parameters on the training rows of a fold. Ctrl-C prints the scores of the completed folds.`,
		Example: "  mpcvm compare flowers.csv --target species --report compared.html",
		RunE:    task(o.run),
	}
	o.reading = readingFlags(cmd)
	names := systemNames()
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		targetFlag(f, &o.target)
		f.StringSliceVar(&o.systems, "systems", nil, "the `NAMES`: "+strings.Join(names, ", ")+" (default: all)")
		f.StringSliceVar(&o.also, "also", nil, "also score the predictions of other programs in these CSV `FILES`")
		o.groupFlag(f)
		f.Func("rows", fmt.Sprintf("use `N` rows, or all (default: all up to %d rows, otherwise %d)",
			manyRows, sampledRows), allOr(&o.rows, 2))
		f.StringVar(&o.report, "report", "", "write a page with charts to `FILE`, as HTML")
		f.BoolVar(&o.json, "json", false, "print JSON instead of a table")
		precisionFlag(f)
	})
	section(cmd, theSelection, func(f *pflag.FlagSet) {
		f.IntVar(&o.cv.Folds, "folds-k", 5, "the number `K` of folds")
		f.StringVar(&o.dealt, "folds", "", "write the folds to `FILE`, as CSV, for other programs, whose "+
			"predictions --also reads")
		f.IntVar(&o.cv.Repeats, "repeats", 0, fmt.Sprintf("run the cross-validation `R` times with different "+
			"folds. By default, %d times with up to %d rows and otherwise once", manyRepeats, fewRows))
		o.timeFlag(f)
		f.Uint64Var(&o.cv.Seed, "seed", 1, "the seed `S` of folds and systems")
	})
	o.completions(cmd)
	choices(cmd, "systems", names...)
	return cmd
}

// typed returns the name of a system as typed on the command line.
func typed(name string) string {
	return strings.NewReplacer("₁", "1", "₂", "2").Replace(strings.ToLower(strings.TrimSpace(name)))
}

func systemNames() (names []string) {
	for _, s := range eval.Systems(0) {
		names = append(names, typed(s.Name))
	}
	return names
}

// choose returns the systems with the given names, or all for nil. flag is the flag that lists the names.
func choose(flag string, names []string, seed uint64) (list []eval.System, err error) {
	all, known := eval.Systems(seed), systemNames()
	if names == nil {
		return all, nil
	}
	for i, name := range names {
		if names[i] = typed(name); names[i] == eval.Majority().Name {
			continue
		}
		if err := oneOf(flag, names[i], known); err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], names[i]) {
			return nil, misuse{fmt.Errorf("%s: %s is listed twice", flag, name)}
		}
		list = append(list, all[slices.Index(known, names[i])])
	}
	return list, nil
}

func (o *compareOptions) check() ([]eval.System, error) {
	a := o.cv
	switch {
	case a.Folds < 2:
		return nil, misuse{fmt.Errorf("--folds-k: %d is less than 2", a.Folds)}
	case a.Repeats < 0:
		return nil, misuse{fmt.Errorf("--repeats: %d is less than 1", a.Repeats)}
	case a.Repeats > 1 && o.options.Time != "":
		return nil, misuse{fmt.Errorf("--repeats %d cannot be used with --time, which allows only "+
			"one split into folds", a.Repeats)}
	}
	inputs := o.inputs()
	for _, path := range o.also {
		inputs = append(inputs, file{"--also", path})
	}
	systems, err := choose("--systems", o.systems, a.Seed)
	return systems, errors.Join(err, o.checkFolds(), checkOutputs(inputs, []file{{"--report", o.report},
		{"--folds", o.dealt}}))
}

func (o *compareOptions) run(ctx context.Context, out, errOut io.Writer) error {
	systems, err := o.check()
	if err != nil {
		return err
	}
	t, err := o.open(ctx)
	if err != nil {
		return err
	}
	column, why, err := t.Target(o.target)
	if err != nil {
		return err
	}
	name := t.Columns[column].Name
	if why.Code != "" {
		fmt.Fprintf(errOut, "classes: column %q (%s); use --target to choose another\n", name, table.Go.Say(why))
	}
	t, rows := o.sample(t, column, errOut)
	if rows > slowRows && len(systems) > 0 {
		fmt.Fprintf(errOut, "%d rows may take long, because the time grows with their cube (up to %d rows); use "+
			"--rows %d to save time\n", rows, manyRows, sampledRows)
	}
	if o.systems == nil && rows > manyRows {
		systems = slices.DeleteFunc(systems, func(s eval.System) bool {
			return slices.Contains(ofSquare, typed(s.Name))
		})
		fmt.Fprintf(errOut, "skipping %s, whose time and memory grow with the square of the rows; use --systems "+
			"to include them\n", strings.Join(ofSquare, " and "))
	}
	dealt, err := o.split(ctx, t, name)
	if err != nil {
		return err
	}
	if dealt.SplitBy.Code != "" {
		fmt.Fprintf(errOut, "folds: split %s\n", voice.Say(dealt.SplitBy))
	}
	if left := dealt.LeftOut - (t.Rows - rows); left > 0 {
		fmt.Fprintf(errOut, "rows skipped because they have no class or no values: %d\n", left)
	}
	others, err := o.made(ctx, dealt)
	if err != nil {
		return err
	}
	shown := progress.New(errOut)
	o.cv.Progress = func(p eval.Progress) {
		text := fmt.Sprintf("%d of %d fits", p.Done, p.Total)
		if p.System != "" {
			text += fmt.Sprintf("; last: %s, fold %d", p.System, (p.Repeat-1)*o.cv.Folds+p.Fold)
		}
		shown.Show(float64(p.Done)/float64(p.Total), "%s", text)
	}
	results, err := eval.CrossValidate(ctx, t, name, append(systems, others...), o.cv)
	shown.Clear()
	if ctx.Err() != nil && results != nil && results.Complete > 0 { // at least one fold is complete
		return errors.Join(o.print(out, results), err)
	}
	if err == nil && o.report != "" {
		err = writeReport(ctx, o.report, "Systems compared on "+filepath.Base(o.path),
			func() (nbhelpers.Block, error) { return report.Comparison(results).Page(), nil })
	}
	if err != nil {
		return err
	}
	return o.print(out, results)
}

// sample returns the table with a sample of its rows if there are many, and the number of rows to compare on.
func (o *compareOptions) sample(t *table.Table, column int, errOut io.Writer) (*table.Table, int) {
	most := o.rows
	if most == 0 && t.Rows > manyRows {
		most = sampledRows
	}
	if most <= 0 || most >= t.Rows {
		return t, t.Rows
	}
	part, rows := drawn(t, column, most, o.cv.Folds, o.cv.Seed)
	fmt.Fprintf(errOut, "comparing on a stratified sample of %d of %d rows; --rows N uses more, for smaller "+
		"standard errors, and --rows all can take hours\n", rows, t.Rows)
	return part, rows
}

// split assigns the rows to folds, which it writes if requested.
func (o *compareOptions) split(ctx context.Context, t *table.Table, target string) (f *eval.Folds,
	err error) {
	a := &o.cv
	if a.Samples, err = recipe.Prepare(ctx, t, target, nil); err != nil {
		return nil, err
	}
	if a.Repeats == 0 && len(a.Samples.Rows) <= fewRows {
		a.Repeats = manyRepeats
	}
	if f, err = eval.Split(ctx, t, target, *a); err == nil && o.dealt != "" {
		err = writeFile(o.dealt, f.Write)
	}
	return f, err
}

// made returns the systems of --also.
func (o *compareOptions) made(ctx context.Context, f *eval.Folds) (all []eval.System, err error) {
	for _, path := range o.also {
		text, err := readFile(ctx, path)
		if err != nil {
			return nil, err
		}
		systems, err := f.Given(bytes.NewReader(text), path)
		if err != nil {
			return nil, err
		}
		all = append(all, systems...)
	}
	return all, nil
}

type compareReply struct {
	Systems  *eval.Comparison `json:"systems"`
	Warnings []table.Said     `json:"warnings"`
	Verdict  table.Said       `json:"verdict"`
}

func (o *compareOptions) print(out io.Writer, r *eval.Comparison) error {
	if o.json {
		said := voice.Said(append(r.Warnings(), r.Verdict()))
		return writeJSON(out, "", compareReply{r, said[:len(said)-1], said[len(said)-1]})
	}
	return report.Comparison(r).WriteText(out, inBold(out))
}

// drawn draws a stratified sample of about most rows with a class, with at least as many rows of each class
// as there are folds. All rows stay in the returned table, but the others lose their class and are not used.
// It also returns the number of rows with a class.
func drawn(t *table.Table, column, most, folds int, seed uint64) (*table.Table, int) {
	labels, classes := t.Labels(column)
	members := make([][]int, len(classes))
	labelled := 0
	for row, label := range labels {
		if label >= 0 {
			members[label] = append(members[label], row)
			labelled++
		}
	}
	if labelled <= most {
		return t, t.Rows
	}
	random := rand.New(rand.NewPCG(seed, 6))
	smaller, kept := *t, 0
	smaller.Columns = slices.Clone(t.Columns)
	c := &smaller.Columns[column]
	c.Codes, c.Numbers = slices.Clone(c.Codes), slices.Clone(c.Numbers)
	for _, rows := range members {
		n := int(math.Round(float64(most) * float64(len(rows)) / float64(labelled)))
		n = min(max(n, folds), len(rows))
		kept += n
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for _, row := range rows[n:] {
			if c.Kind.Numeric() {
				c.Numbers[row] = math.NaN()
			} else {
				c.Codes[row] = -1
			}
		}
	}
	return &smaller, kept
}
