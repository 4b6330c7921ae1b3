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

	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	*reading
	target         string
	systems, also  []string
	folds, repeats int
	rows           int // 0 if not given, −1 for all
	seed           uint64
	report, dealt  string
	json           bool
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
		Use: "compare FILE...", SuggestFor: []string{"benchmark", "evaluate"}, Short: "compare systems on a table by cross-validation",
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
		f.IntVar(&o.folds, "folds-k", 5, "the number `K` of folds")
		f.StringVar(&o.dealt, "folds", "", "write the folds to `FILE`, as CSV, for programs whose predictions --also reads")
		f.IntVar(&o.repeats, "repeats", 0, fmt.Sprintf("run the cross-validation `R` times with different folds. "+
			"By default, %d times with up to %d rows and otherwise once", manyRepeats, fewRows))
		o.timeFlag(f)
		f.Uint64Var(&o.seed, "seed", 1, "the seed `S` of folds and systems")
	})
	o.completions(cmd)
	choices(cmd, "systems", names...)
	return cmd
}

// typed returns the name of a system as typed on the command line.
func typed(name string) string {
	return strings.NewReplacer("₁", "1", "₂", "2").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// systemNames returns the values of --systems.
func systemNames() []string {
	var names []string
	for _, s := range assess.Systems(0) {
		names = append(names, typed(s.Name))
	}
	return names
}

// choose returns the systems with the given names, or all systems if names is nil. flag is the flag that
// lists the names.
func choose(flag string, names []string, seed uint64) ([]assess.System, error) {
	all := assess.Systems(seed)
	if names == nil {
		return all, nil
	}
	var list []assess.System
	for _, name := range names {
		i := slices.IndexFunc(all, func(s assess.System) bool { return typed(s.Name) == typed(name) })
		switch {
		case i >= 0 && slices.ContainsFunc(list, func(s assess.System) bool { return s.Name == all[i].Name }):
			return nil, misuse{fmt.Errorf("%s: %s is listed twice", flag, all[i].Name)}
		case i >= 0:
			list = append(list, all[i])
		case typed(name) != typed(assess.Majority().Name):
			return nil, oneOf(flag, typed(name), systemNames())
		}
	}
	return list, nil
}

// check checks the flags and returns the systems.
func (o *compareOptions) check() ([]assess.System, error) {
	if o.folds < 2 {
		return nil, misuse{fmt.Errorf("--folds-k: %d is less than 2", o.folds)}
	}
	if o.repeats < 0 {
		return nil, misuse{fmt.Errorf("--repeats: %d is less than 1", o.repeats)}
	}
	if o.repeats > 1 && o.options.Time != "" {
		return nil, misuse{fmt.Errorf("--repeats %d cannot be used with --time, which allows only "+
			"one split into folds", o.repeats)}
	}
	if err := o.checkFolds(); err != nil {
		return nil, err
	}
	systems, err := choose("--systems", o.systems, o.seed)
	if err != nil {
		return nil, err
	}
	inputs := o.inputs()
	for _, path := range o.also {
		inputs = append(inputs, file{"--also", path})
	}
	return systems, checkOutputs(inputs, []file{{"--report", o.report}, {"--folds", o.dealt}})
}

// run compares systems.
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
	rows := t.Rows
	most := o.rows
	if most == 0 && rows > manyRows {
		most = sampledRows
	}
	if most > 0 && most < rows {
		t, rows = drawn(t, column, most, o.folds, o.seed)
		fmt.Fprintf(errOut, "comparing on a stratified sample of %d of %d rows; --rows N uses more, for smaller "+
			"standard errors, and --rows all can take hours\n", rows, t.Rows)
	}
	if rows > slowRows && len(systems) > 0 {
		fmt.Fprintf(errOut, "%d rows may take long, because the time grows with their cube (up to %d rows); use "+
			"--rows %d to save time\n", rows, manyRows, sampledRows)
	}
	if o.systems == nil && rows > manyRows {
		systems = slices.DeleteFunc(systems, func(s assess.System) bool {
			return slices.Contains(ofSquare, typed(s.Name))
		})
		fmt.Fprintf(errOut, "skipping %s, whose time and memory grow with the square of the rows; use --systems "+
			"to include them\n", strings.Join(ofSquare, " and "))
	}
	options := assess.Options{Folds: o.folds, Repeats: o.repeats, Seed: o.seed}
	if options.Samples, err = recipe.Prepare(ctx, t, name, nil); err != nil {
		return err
	}
	if o.repeats == 0 && len(options.Samples.Rows) <= fewRows {
		options.Repeats = manyRepeats
	}
	dealt, err := assess.Split(ctx, t, name, options)
	if err != nil {
		return err
	}
	if o.dealt != "" {
		if err := writeFile(o.dealt, dealt.Write); err != nil {
			return err
		}
	}
	for _, path := range o.also {
		text, err := readFile(ctx, path)
		if err != nil {
			return err
		}
		others, err := dealt.Given(bytes.NewReader(text), path)
		if err != nil {
			return err
		}
		systems = append(systems, others...)
	}
	if dealt.SplitBy.Code != "" {
		fmt.Fprintf(errOut, "folds: split %s\n", voice.Say(dealt.SplitBy))
	}
	if left := dealt.LeftOut - (t.Rows - rows); left > 0 {
		fmt.Fprintf(errOut, "rows skipped because they have no class or no values: %d\n", left)
	}
	shown := newStatus(errOut)
	options.Progress = func(p assess.Progress) {
		shown.set(float64(p.Done)/float64(p.Total), "%s", describe(p, o.folds))
	}
	results, err := assess.CrossValidate(ctx, t, name, systems, options)
	shown.stop()
	switch {
	case results == nil:
		return err
	case ctx.Err() != nil:
		if results.Complete > 0 { // at least one fold is complete
			err = errors.Join(o.print(out, results), err)
		}
		return err
	case err != nil:
		return err
	}
	if o.report != "" {
		title := "Systems compared on " + filepath.Base(o.path)
		if err := writeReport(ctx, o.report, title,
			func() (nbhelpers.Block, error) { return report.Comparison(results).Page(), nil }); err != nil {
			return err
		}
	}
	return o.print(out, results)
}

// describe describes the progress of a comparison.
func describe(p assess.Progress, folds int) string {
	text := fmt.Sprintf("%d of %d fits", p.Done, p.Total)
	if p.System != "" {
		text += fmt.Sprintf("; last: %s, fold %d", p.System, (p.Repeat-1)*folds+p.Fold)
	}
	return text
}

// compareReply is what compare --json prints.
type compareReply struct {
	Systems  *assess.Comparison `json:"systems"`
	Warnings []table.Said       `json:"warnings"`
	Verdict  table.Said         `json:"verdict"`
}

// print prints the results.
func (o *compareOptions) print(out io.Writer, r *assess.Comparison) error {
	if o.json {
		return writeJSON(out, "", compareReply{r, voice.Said(r.Warnings()), voice.Said([]table.Finding{r.Verdict()})[0]})
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
	c := t.Columns[column]
	c.Codes, c.Numbers = slices.Clone(c.Codes), slices.Clone(c.Numbers)
	kept := 0
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
	smaller := *t
	smaller.Columns = slices.Clone(t.Columns)
	smaller.Columns[column] = c
	return &smaller, kept
}
