package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
)

// fit is a run of the verb, with its flags.
type fit struct {
	*reading
	*progress.Progress
	settings tables.Settings
	training *tables.Training

	test, algorithm, kernel, prefer, costs, model, report, like string
	merged, classWeights, recall                                pairs // of classes
	compare                                                     []string
	parameters                                                  map[string]*string // of the kernel, by flag
	basis                                                       kernel.Kernel
	candidates                                                  int // 0 if not given
	power                                                       float64
	json, calibrate, single                                     bool

	old   *tables.Model // of --like
	saved string        // the file of the model, once it is saved
	best  mpcvm.Trial   // the last one shown
}

var preferences = []string{search.Balance.String(), search.Accuracy.String(), search.Sparsity.String()}

func (f *fit) setFolds(text string) error {
	k, err := strconv.Atoi(text)
	switch {
	case text == "none":
		k = -1
	case text == "nested":
		k = 5
	case err != nil || k < 2:
		return errors.New("not none, nested or a number of at least 2 folds")
	}
	f.settings.Folds, f.settings.Nested = k, text == "nested"
	return nil
}

func fitCommand() *cobra.Command {
	o := &fit{}
	s := &o.settings
	s.Folds = 5
	cmd := &cobra.Command{
		Use: "fit FILE...", Short: "train a model on a file of samples", SuggestFor: []string{"train", "learn"},
		Long: "Train a model on FILE, or on several files with the same columns, and print how well it predicts " +
			"held-out rows.",
		Example: `  mpcvm fit flowers.csv --model m.json --report m.html
  mpcvm fit patients.xlsx --target outcome --drop id --costs ill:well=5`,
		RunE: task(o.run),
	}
	o.reading = readingFlags(cmd)
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		targetFlag(f, &s.Target)
		f.StringVar(&o.model, "model", "", "save the model to `FILE`, as JSON")
		f.StringVar(&o.report, "report", "", "write a page with charts to `FILE`, as HTML")
		f.StringVar(&o.test, "test", "", "also evaluate on `FILE`, which must have the same columns")
		f.StringVar(&o.like, "like", "", "use the columns, algorithm, kernel, seed and costs of the model `FILE`")
		o.groupFlag(f)
		f.StringVar(&o.costs, "costs", "", costsUsage)
		f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
		precisionFlag(f)
	})
	section(cmd, theLearner, func(f *pflag.FlagSet) {
		f.StringVar(&o.algorithm, "algorithm", "auto", "the `NAME` of the algorithm: "+strings.Join(algorithms,
			", "))
		f.StringVar(&o.prefer, "prefer", "balance", "auto: `WHAT` to prefer: accuracy (the lowest log loss), "+
			"balance (the smallest model within one standard error of it) or sparsity (within two standard errors)")
		f.DurationVar(&s.Budget, "budget", 0, "auto: the time limit `TIME` for the whole command, such as 1m30s")
		f.Func("candidates", "choose the vectors of the model from a stratified sample of `K` "+
			"samples, or from all (default: all up to 5000 samples, otherwise 2000)", allOr(&o.candidates, 0))
		f.Uint64Var(&s.Seed, "seed", 1, "the seed `S` of folds and candidates; 0 is the same as 1")
		f.BoolVar(&o.calibrate, "calibrate", false, "mpcvm1, mpcvm2: choose the temperature of the "+
			"probabilities by cross-validation")
		f.BoolVar(&o.single, "single", false, "mpcvm1, mpcvm2: store the kernel matrix in float32, which halves "+
			"its memory")
		f.Float64Var(&o.power, "likelihood-power", 1, "mpcvm2: raise the likelihood to the power `B`. Values such "+
			"as 10 or 100 keep more weights and lower the error if the labels are not noisy")
	})
	section(cmd, theKernel, o.kernelFlags)
	section(cmd, theClasses, func(f *pflag.FlagSet) {
		f.Func("merge-labels", "`OLD=NEW`,...: treat rows of class OLD as class NEW", o.merged.Set)
		f.Func("class-weights", "`CLASS=W`,...: count each row of the class W times", o.classWeights.Set)
		f.StringVar(&o.options.Weight, "weight", "", "the `COLUMN` of the weights of the rows: a row with "+
			"weight 2 counts twice, and rows with weight 0 are skipped. The column is not a feature unless "+
			"--kind names it")
		f.Func("recall", "`CLASS=SHARE`, such as ill=0.95: choose costs so that this share of the rows "+
			"of the class is found in cross-validation", o.recall.Set)
	})
	section(cmd, theSelection, func(f *pflag.FlagSet) {
		f.Func("cv", "evaluate in `K` folds; none; or nested, which repeats the whole selection in each of "+
			"5 folds. With many samples, only one fold is used unless K is given (default 5)", o.setFolds)
		o.timeFlag(f)
		f.StringSliceVar(&o.compare, "compare", nil, "also evaluate these `SYSTEMS` in the same folds: "+
			strings.Join(systemNames(), ", "))
		f.BoolVar(&s.Curve, "curve", false, "also fit to 10, 20, 40 and 70 % of the rows, to see whether more "+
			"rows would help")
	})
	o.completions(cmd)
	choices(cmd, "algorithm", algorithms...)
	choices(cmd, "kernel", kernelNames()...)
	choices(cmd, "prefer", preferences...)
	choices(cmd, "cv", "5", "10", "nested", "none")
	return cmd
}

func kernelNames() (names []string) {
	for _, d := range kernel.Descriptions() {
		names = append(names, d.Name)
	}
	return names
}

var algorithms = []string{"auto", "mpcvm1", "mpcvm2"}

// run checks the flags, reads the data, fits the model and prints its scores.
func (f *fit) run(ctx context.Context, out, errOut io.Writer) error {
	s := &f.settings
	s.Start, s.Report, s.Save, s.Progress = time.Now(), f.report != "", f.save, f.show
	if err := cmp.Or(f.adopt(ctx), f.check()); err != nil {
		return err
	}
	inputs := f.inputs(file{"--test", f.test}, file{"--costs", f.costs}, file{"--like", f.like})
	if err := checkOutputs(inputs, []file{{"--model", f.model}, {"--report", f.report}}); err != nil {
		return err
	}
	f.Progress = progress.New(errOut)
	defer f.Clear()
	if err := f.read(ctx); err != nil {
		return err
	}
	m, figures, err := f.training.Run(ctx)
	f.Clear()
	if err != nil && ctx.Err() != nil {
		return f.interrupted(m, err)
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	f.say("warning", figures.Warnings[len(f.training.Warnings()):])
	f.printFolds(figures.CV)
	figures.Command, figures.Date = commandLine(ctx), f.settings.Start.UTC().Format(time.RFC3339)
	figures.Set, figures.ModelFile, figures.ReportFile = setName(f.path), f.saved, f.report
	if err := f.write(ctx, figures); err != nil {
		return err
	}
	f.Clear()
	if f.json {
		return errors.Join(writeJSON(out, "", fitReply{figures, voice.Said(figures.Warnings)}), f.untested(figures))
	}
	if err := report.Brief(figures, voice).WriteText(out, false); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nmodel: %s\n", cmp.Or(f.saved, "not saved; --model FILE saves it"))
	if f.report != "" {
		fmt.Fprintf(out, "report: %s\n", f.report)
	}
	return f.untested(figures)
}

type fitReply struct {
	*eval.Evaluation
	Warnings []table.Said `json:"warnings"`
}

// adopt takes the settings that are not given as flags from the model of --like.
func (f *fit) adopt(ctx context.Context) (err error) {
	if f.like == "" {
		return nil
	}
	if f.old, err = loadModel(ctx, f.like); err != nil {
		return err
	}
	r, record := f.old.RowRecipe(), f.old.Record()
	if f.old.Recipe() == nil || record == nil {
		return fmt.Errorf("%s has no columns or no record of its fit; use a model of mpcvm fit", f.like)
	}
	f.settings.Target = cmp.Or(f.settings.Target, r.Target)
	if f.options = tables.ForRecipe(f.options, r); f.options.ID == nil {
		f.options.ID = r.ID
	}
	if !f.given("seed") {
		f.settings.Seed = record.Seed
	}
	name, _, _ := strings.Cut(record.Learner, ":")
	if !f.given("algorithm") && !f.given("kernel") && !f.given("theta") && slices.Contains(algorithms, name) {
		if f.algorithm = name; name != "auto" {
			f.basis = f.old.Model().Kernel()
			if k, ok := f.basis.(kernel.Tunable); ok && record.Fit != nil && record.Fit.Tried > 0 {
				f.basis = k.WithTheta(0) // the width was chosen
			}
		}
	}
	return nil
}

// keepColumns removes the columns that the model of --like lacks, and requires the others.
func (f *fit) keepColumns(t *table.Table) error {
	if f.old == nil {
		return nil
	}
	r, o := f.old.RowRecipe(), f.options
	kept := append([]string{f.settings.Target}, o.ID...)
	for i := range r.Columns {
		kept = append(kept, r.Columns[i].Name)
	}
	lacking := slices.DeleteFunc(slices.Clone(kept), func(name string) bool {
		return t.Find(name) >= 0 || slices.Contains(o.Drop, name)
	})
	if len(lacking) > 0 {
		return named(t.Name, table.Finding{Code: "lacking-columns", Columns: lacking, Texts: t.Names()})
	}
	for i := range r.Columns {
		if at := t.Find(r.Columns[i].Name); at >= 0 {
			t.Columns[at].Unit = r.Columns[i].Unit // without the one in its name, which the reader adds
		}
	}
	kept = append(append(kept, o.Group, o.Time, o.Weight), r.Unused...)
	t.Columns = slices.DeleteFunc(t.Columns, func(c table.Column) bool { return !slices.Contains(kept, c.Name) })
	return nil
}

// check checks the flags and completes the settings.
func (f *fit) check() error {
	if !f.given("algorithm") && (f.given("kernel") || f.given("theta") || f.candidates > 0) {
		f.algorithm = "mpcvm2"
	}
	if err := f.checkFlags(); err != nil {
		return misuse{err}
	}
	if err := f.checkFolds(); err != nil {
		return err
	}
	s := &f.settings
	weights, err := f.classWeights.weights("--class-weights")
	shares, failed := f.recall.weights("--recall")
	for class, share := range shares {
		s.Find, s.Recall = class, share
		if share > 1 {
			failed = fmt.Errorf("--recall %s=%v: the share must be above 0 and at most 1, such as 0.95", class, share)
		}
	}
	s.ClassWeights, s.All, err = weights, f.given("cv"), cmp.Or(err, failed)
	switch {
	case err != nil:
	case len(shares) > 1:
		err = errors.New("--recall takes only one class; use --costs for more")
	case len(shares) > 0 && f.costs != "":
		err = errors.New("--recall and --costs cannot be used together, because both determine the decisions")
	case len(shares) > 0 && s.Folds < 0:
		err = errors.New("--recall needs cross-validation; omit --cv none")
	case f.path == standardInput && f.test == standardInput:
		err = errors.New("FILE and --test are both standard input; save one of them to a file")
	case f.compare != nil:
		s.Compare, err = choose("--compare", f.compare, s.Seed)
	}
	if err != nil {
		return misuse{err}
	}
	return nil
}

// read reads the data and prints what was detected.
func (f *fit) read(ctx context.Context) (err error) {
	t, err := f.open(ctx)
	if err != nil {
		return err
	}
	if err := f.keepColumns(t); err != nil {
		return err
	}
	if len(f.merged) > 0 {
		column, _, err := t.Target(f.settings.Target)
		if err != nil {
			return err
		}
		_, classes := t.Labels(column)
		f.settings.Merge = f.merged.of(classes)
	}
	p, err := tables.Prepare(ctx, t, f.settings)
	if err != nil {
		return err
	}
	f.training = p
	if n, rows := len(p.Samples.Classes), len(p.Samples.T); manyClasses(n, rows) &&
		f.options.Kinds[p.Target] != table.Category {
		return misuse{fmt.Errorf("column %q has %d classes in %d rows, too few to learn from; use --target to choose "+
			"another column, or %s to train anyway", p.Target, n, rows, flagFor("Kinds", p.Target+"=category"))}
	}
	s, why := p.Samples, voice.Say(p.Why)
	if why != "" {
		why = " (" + why + ")"
	}
	f.Print("%s: %s; %d rows; classes: column %q%s", t.Name, t.Reading, t.Rows, p.Target, why)
	if without := slices.Concat(s.Recipe.ID, s.Recipe.Unused); len(without) > 0 {
		f.Print("not features: %s", words.List(without, 20))
	}
	f.say("note", t.Notes)
	if s.Weights != nil {
		f.Print("weights: %d rows count as %.6g in the fit; the scores count each row once", len(s.T),
			floats.Sum(s.Weights))
	}
	if f.options.Group != "" || f.options.Time != "" { // otherwise a warning of package look reports it
		f.Print("folds: split %s", voice.Say(p.SplitBy))
	}
	warnings, notes := p.Findings.ForFit()
	f.say("warning", warnings)
	f.say("note", notes)
	if f.costs != "" {
		costs, err := parseCosts(ctx, f.costs, s.Classes)
		if err != nil {
			return err
		}
		p.Costs = costs
	} else if f.old != nil && f.old.Model().Costs() != nil && slices.Equal(s.Classes, f.old.ClassNames()) {
		p.Costs = f.old.Model().Costs()
	}
	if f.test != "" {
		o := p.TestOptions(f.options)
		if p.Test, err = waiting(ctx, func() (*table.Table, error) { return openTable(ctx, f.test, o) }); err != nil {
			return err
		}
	}
	if n := len(s.T); n > manySamples && f.candidates == 0 {
		f.Print("%d samples: the candidates for relevance vectors are a stratified subset; use "+
			"--candidates all to make all samples candidates", n)
	}
	if p.Learner, err = f.learner(s.Recipe.Width()); err != nil {
		return misuse{err}
	}
	f.Show(0, "%s: starting", eval.Title(f.algorithm))
	return nil
}

func (f *fit) say(what string, list []table.Finding) {
	for _, text := range voice.SayAll(list) {
		f.Print("%s: %s", what, text)
	}
}

// manyClasses reports whether a column has so many classes that it is hardly the class column.
func manyClasses(classes, rows int) bool { return classes > 30 && rows < 5*classes }

// manySamples is the number of samples above which learners select candidates by default.
const manySamples = 5000

// save saves the model, if requested. The model of a fit that ended early does not replace a complete model.
func (f *fit) save(m *tables.Model) error {
	if f.model == "" {
		return nil
	}
	path := f.model
	if m.Record().Fit.Partial != "" && keeps(path) {
		path = strings.TrimSuffix(path, filepath.Ext(path)) + ".partial" + filepath.Ext(path)
		if f.saved == "" {
			f.Print("note: the fit ended early, so its model does not replace %s and is saved to %s", f.model, path)
		}
	}
	if err := m.SaveFile(path); err != nil {
		return named(path, err)
	}
	f.saved = path
	return nil
}

// keeps reports whether a file exists that is not the model of a fit that ended early.
func keeps(path string) bool {
	if m, err := tables.LoadFile(path); err == nil {
		r := m.Record()
		return r == nil || r.Fit == nil || r.Fit.Partial == ""
	}
	return exists(path)
}

func (f *fit) show(p tables.Progress) {
	const say = "%s: cross-validated log loss %s, error %s %%"
	print := func(what string, t mpcvm.Trial) {
		rate := tabular.Percent(t.ErrorRate)
		if t.ErrorSE > 0 {
			rate += " ± " + tabular.Percent(t.ErrorSE)
		}
		f.Print(say, what+report.InBrief(t.Kernel.String()), tabular.Number(t.LogLoss), rate)
	}
	switch b := p.Best; {
	case p.Stage == tables.Evaluating:
		f.Show(p.Share(), "%s: %d of %d folds", cmp.Or(p.Step, "cross-validation"), p.Done, p.Total)
	case p.Stage == tables.Fitting:
		f.Show(p.Share(), "%s: iteration %d of at most %d, %d weights", eval.Title(f.algorithm), p.Done, p.Total,
			p.Weights)
	case p.Total == 0: // of a width
		print("tried ", b)
	default:
		if b.Learner != f.best.Learner || b.LogLoss != f.best.LogLoss {
			what := "best so far: "
			if f.best.Learner != "" && b.LogLoss > f.best.LogLoss { // preferred, or scored on other folds
				what = "chosen: "
			}
			print(what+b.Learner+", ", b)
			f.best = b
		}
		f.Show(p.Share(), "%v; %s", search.Progress{Done: p.Done, Total: p.Total}, report.InBrief(p.Step))
	}
}

// printFolds prints why the scores are not from all rows.
func (f *fit) printFolds(v *eval.CrossValidation) {
	switch {
	case v == nil || v.Done == v.Folds || f.settings.All:
	case v.HeldOut:
		f.Print("note: the scores are from rows that the search held out; use --cv %d to evaluate on "+
			"all rows", v.Folds)
	default:
		f.Print("note: the scores are from %d of %d folds, to save time; use --cv %d for all folds",
			v.Done, v.Folds, v.Folds)
	}
}

// interrupted reports which model of an interrupted fit was saved. It returns the error of the context.
func (f *fit) interrupted(m *tables.Model, err error) error {
	if m == nil {
		return fmt.Errorf("no model was saved, because none was complete yet: %w", err)
	}
	info := m.Record().Fit
	what := cmp.Or(info.Partial, fmt.Sprintf("iteration %d", info.Iterations))
	switch {
	case info.Complete() && f.saved != "":
		f.Print("the model is saved to %s, but its scores are incomplete", f.saved)
	case info.Complete():
	case f.saved != "":
		f.Print("the best model so far was saved to %s: %s", f.saved, what)
	case f.model == "":
		return fmt.Errorf("the best model so far (%s) was not saved; use --model FILE to save it: %w", what, err)
	}
	if f.saved == f.model && f.report != "" && exists(f.report) {
		f.Print("note: %s is the report of an earlier model", f.report)
	}
	return err
}

func (f *fit) checkFlags() error {
	err := cmp.Or(oneOf("--algorithm", f.algorithm, algorithms), oneOf("--kernel", f.kernel, kernelNames()),
		oneOf("--prefer", f.prefer, preferences))
	if err != nil {
		return err
	}
	if f.algorithm == "auto" {
		for _, name := range append([]string{"kernel", "calibrate", "single", "likelihood-power"},
			slices.Sorted(maps.Keys(f.parameters))...) {
			if f.given(name) {
				return fmt.Errorf("--%s cannot be used with --algorithm auto, which chooses it automatically", name)
			}
		}
		switch {
		case f.candidates > 0:
			return errors.New("--algorithm auto chooses the number of candidates; only --candidates all " +
				"is allowed")
		case f.settings.Budget < 0:
			return fmt.Errorf("--budget must not be negative: %v", f.settings.Budget)
		}
		return nil
	}
	for _, name := range []string{"budget", "prefer"} {
		if f.given(name) {
			return fmt.Errorf("--%s requires --algorithm auto", name)
		}
	}
	given := map[string]string{}
	for name, value := range f.parameters {
		if f.given(name) {
			given[name] = *value
		}
	}
	if f.basis == nil {
		if f.basis, err = kernel.New(f.kernel, given); err != nil {
			return err
		}
	}
	switch {
	case !(f.power > 0) || math.IsInf(f.power, 1):
		return fmt.Errorf("--likelihood-power must be positive and finite: %v", f.power)
	case f.algorithm == "mpcvm1" && f.given("likelihood-power"):
		return errors.New("--likelihood-power requires --algorithm mpcvm2")
	}
	return nil
}

// learner returns the algorithm for a number of features. The flags have been checked.
func (f *fit) learner(features int) (l mpcvm.Learner, err error) {
	seed := f.settings.Seed
	switch f.algorithm {
	case "mpcvm1":
		l = mpcvm.TopDown{Candidates: f.candidates, Float32: f.single, Seed: seed}
	case "mpcvm2":
		l = mpcvm.BottomUp{Candidates: f.candidates, Float32: f.single, LikelihoodPower: f.power, Seed: seed}
	default:
		prefer := search.Preference(slices.Index(preferences, f.prefer))
		return search.Auto{Candidates: f.candidates, Prefer: prefer, Seed: seed}, nil
	}
	k := f.basis
	if scaled, ok := k.(interface{ ForFeatures(d int) kernel.Kernel }); ok {
		k = scaled.ForFeatures(features)
	}
	l = search.Width{Learner: l, Kernel: k, Seed: seed}
	if f.calibrate {
		l = search.Calibrated{Learner: l}
	}
	return l, kernel.CheckFeatures(k, features)
}

// kernelFlags adds the flag for the kernel and one for each parameter of a kernel.
func (f *fit) kernelFlags(flags *pflag.FlagSet) {
	users := map[string][]string{}
	for _, d := range kernel.Descriptions() {
		for _, p := range d.Parameters {
			users[p] = append(users[p], d.Name)
		}
	}
	flags.StringVar(&f.kernel, "kernel", "rbf", "the `NAME` of the kernel of mpcvm1 and mpcvm2")
	known := map[string]struct{ about, def string }{
		"theta": {"the width `T`, or auto to choose it by cross-validation",
			"auto"}, "thetas": {"the widths `T,...`, one for each feature", ""},
		"degree": {"the degree `N`", "2"}, "offset": {"the offset `B`", "0"}, "scale": {"the scale `S`",
			"1/features"}, "alpha": {"the exponent `A`", "1"},
	}
	f.parameters = map[string]*string{}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		p := known[name]
		f.parameters[name] = flags.String(name, p.def, cmp.Or(p.about, "a `NUMBER`")+"; for "+strings.Join(users[name],
			", "))
	}
}

// weights returns numbers above 0 by class.
func (p pairs) weights(flag string) (map[string]float64, error) {
	weights := map[string]float64{}
	for class, text := range p.numbers() {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("%s %s=%s: want a number above 0, such as 0.5", flag, class, text)
		}
		weights[class] = v
	}
	return weights, nil
}

func commandLine(ctx context.Context) string {
	args, _ := ctx.Value(argsKey{}).([]string)
	line := []string{"mpcvm"}
	for _, word := range args {
		line = append(line, words.Shell(word))
	}
	return strings.Join(line, " ")
}

// untested returns an error if no row of --test could be used.
func (f *fit) untested(e *eval.Evaluation) error {
	if e.Unusable == nil {
		return nil
	}
	return likeTraining(fmt.Errorf("--test: %w", e.Unusable), f.test)
}

func (f *fit) write(ctx context.Context, e *eval.Evaluation) error {
	if f.report == "" {
		return nil
	}
	f.Show(1, "report: starting")
	inTime := ctx
	if f.settings.Budget > 0 {
		within, done := context.WithDeadline(ctx, f.settings.Start.Add(f.settings.Budget))
		defer done()
		inTime = within
	}
	return writeReport(ctx, f.report, fmt.Sprintf("%s on %s", eval.Title(f.algorithm), e.Set),
		func() (nbhelpers.Block, error) {
			page, err := report.Full(inTime, e, report.Options{Voice: voice, Progress: func(p eval.Progress) {
				f.Show(float64(p.Done)/float64(p.Total), "importance of the columns: %d of %d folds", p.Done, p.Total)
			}})
			return page.Page(), err
		})
}
