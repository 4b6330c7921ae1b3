package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/look"
	tablemodel "github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
)

// fitOptions are the flags of fit.
type fitOptions struct {
	*reading
	target, test, algorithm, kernel string
	merged, classWeights            pairs // of classes
	compare                         []string
	parameters                      map[string]*string // of the kernel, by flag
	basis                           kernel.Kernel      // with them
	candidates                      candidates
	power                           float64
	cv                              folds
	curve                           bool
	costs, model, report            string
	recall                          pairs
	json, calibrate, single         bool
	budget                          time.Duration
	prefer                          preference
	seed                            uint64
	given                           func(flag string) bool
}

// candidates is the value of --candidates: a number, 0 if not given, or allCandidates.
type candidates int

const allCandidates candidates = math.MinInt

func (c *candidates) Type() string { return "K" }

func (c *candidates) String() string {
	switch *c {
	case 0:
		return ""
	case allCandidates:
		return "all"
	}
	return strconv.Itoa(int(*c))
}

func (c *candidates) Set(text string) error {
	if text == "all" {
		*c = allCandidates
		return nil
	}
	k, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("not \"all\" or a whole number")
	}
	*c = candidates(k)
	return nil
}

// number returns the number of candidates for the learners.
func (c candidates) number() int {
	if c == allCandidates {
		return mpcvm.AllCandidates
	}
	return int(c)
}

// preference is the value of --prefer.
type preference search.Preference

var preferences = []string{search.Balance.String(), search.Accuracy.String(), search.Sparsity.String()}

func (p *preference) Type() string { return "WHAT" }

func (p *preference) String() string { return search.Preference(*p).String() }

func (p *preference) Set(text string) error {
	i := slices.Index(preferences, text)
	if i < 0 {
		return fmt.Errorf("not one of %s", strings.Join(preferences, ", "))
	}
	*p = preference(i)
	return nil
}

// folds is the value of --cv.
type folds struct {
	k      int  // 0: no cross-validation
	nested bool // repeat the whole selection in each fold
}

func (f *folds) Type() string { return "K" }

func (f *folds) String() string {
	switch {
	case f.nested:
		return "nested"
	case f.k == 0:
		return "none"
	}
	return strconv.Itoa(f.k)
}

func (f *folds) Set(text string) error {
	switch text {
	case "none":
		*f = folds{}
		return nil
	case "nested":
		*f = folds{5, true}
		return nil
	}
	k, err := strconv.Atoi(text)
	if err != nil || k < 2 {
		return errors.New("not none, nested or a number of at least 2 folds")
	}
	*f = folds{k: k}
	return nil
}

func fitCommand() *cobra.Command {
	o := &fitOptions{cv: folds{k: 5}}
	cmd := &cobra.Command{
		Use: "fit FILE", Short: "train a model on a file of samples", SuggestFor: []string{"train"},
		Long: "Train a model on FILE and print how well it predicts held-out rows.",
		Example: `  mpcvm fit flowers.csv --model m.json --report m.html
  mpcvm fit patients.xlsx --target outcome --drop id --costs ill:well=5`,
		RunE: task(o.run),
	}
	o.given = cmd.Flags().Changed
	o.reading = readingFlags(cmd)
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		targetFlag(f, &o.target)
		f.StringVar(&o.model, "model", "", "save the model to `FILE`, as JSON")
		f.StringVar(&o.report, "report", "", "write a page with charts to `FILE`, as HTML")
		f.StringVar(&o.test, "test", "", "also evaluate on `FILE`, which must have the same columns")
		o.groupFlag(f)
		f.StringVar(&o.costs, "costs", "", costsUsage)
		f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
		precisionFlag(f)
	})
	section(cmd, theLearner, func(f *pflag.FlagSet) {
		f.StringVar(&o.algorithm, "algorithm", "auto", "the `NAME` of the algorithm: "+strings.Join(algorithms,
			", "))
		f.Var(&o.prefer, "prefer", "auto: `WHAT` to prefer: accuracy (the lowest log loss), balance (the smallest "+
			"model within one standard error of it) or sparsity (within two standard errors)")
		f.DurationVar(&o.budget, "budget", 0, "auto: the time limit `TIME` for the whole command, such as 1m30s")
		f.Var(&o.candidates, "candidates", "choose the vectors of the model from a stratified sample of `K` "+
			"samples, or from all (default: all up to 5000 samples, otherwise 2000)")
		f.Uint64Var(&o.seed, "seed", 1, "the seed `S` of folds and candidates")
		f.BoolVar(&o.calibrate, "calibrate", false, "mpcvm1, mpcvm2: choose the temperature of the "+
			"probabilities by cross-validation")
		f.BoolVar(&o.single, "single", false, "mpcvm1, mpcvm2: store the kernel matrix in float32, which halves "+
			"its memory")
		f.Float64Var(&o.power, "likelihood-power", 1, "mpcvm2: raise the likelihood to the power `B`. Values such "+
			"as 10 or 100 keep more weights and lower the error if the labels are not noisy")
	})
	section(cmd, theKernel, o.kernelFlags)
	section(cmd, theClasses, func(f *pflag.FlagSet) {
		f.Var(&o.merged, "merge-labels", "`OLD=NEW`,...: treat rows of class OLD as class NEW")
		f.Var(&o.classWeights, "class-weights", "`CLASS=W`,...: count each row of the class W times")
		f.StringVar(&o.options.Weight, "weight", "", "the `COLUMN` of the weights of the rows: a row with "+
			"weight 2 counts twice, and rows with weight 0 are skipped. The column is not a feature unless "+
			"--kind names it")
		f.Var(&o.recall, "recall", "`CLASS=SHARE`, such as ill=0.95: choose costs so that this share of the rows "+
			"of the class is found in cross-validation")
	})
	section(cmd, theSelection, func(f *pflag.FlagSet) {
		f.Var(&o.cv, "cv", "evaluate in `K` folds; none; or nested, which repeats the whole selection in each of "+
			"5 folds. With many samples, only one fold is used unless K is given")
		o.timeFlag(f)
		f.StringSliceVar(&o.compare, "compare", nil, "also evaluate these `SYSTEMS` in the same folds: "+
			strings.Join(systemNames(), ", "))
		f.BoolVar(&o.curve, "curve", false, "also fit to 10, 20, 40 and 70 % of the rows, to see whether more "+
			"rows would help")
	})
	o.completions(cmd)
	choices(cmd, "algorithm", algorithms...)
	var kernels []string
	for _, d := range kernel.Descriptions() {
		kernels = append(kernels, d.Name)
	}
	choices(cmd, "kernel", kernels...)
	choices(cmd, "prefer", preferences...)
	choices(cmd, "cv", "5", "10", "nested", "none")
	return cmd
}

var algorithms = []string{"auto", "mpcvm1", "mpcvm2"}

// run checks the flags, reads the data, fits the model and prints its scores.
func (o *fitOptions) run(ctx context.Context, out, errOut io.Writer) error {
	f := &fit{fitOptions: o, start: time.Now()}
	if !o.given("algorithm") && (o.given("kernel") || o.given("theta") || o.candidates != 0 &&
		o.candidates != allCandidates) {
		o.algorithm = "mpcvm2"
	}
	if _, err := o.learner(nil, nil); err != nil { // check the flags early
		return misuse{err}
	}
	if err := o.checkFolds(); err != nil {
		return err
	}
	if err := o.checkRecall(); err != nil {
		return misuse{err}
	}
	if err := o.checkWeights(); err != nil {
		return misuse{err}
	}
	if o.compare != nil {
		var err error
		if f.others, err = choose("--compare", o.compare, o.seed); err != nil {
			return err
		}
	}
	inputs := []file{o.file, {"--test", o.test}, {"--costs", o.costs}}
	if o.path == standardInput && o.test == standardInput {
		return misuse{errors.New("FILE and --test are both standard input; save one of them to a file")}
	}
	if err := checkOutputs(inputs, []file{{"--model", o.model}, {"--report", o.report}}); err != nil {
		return err
	}
	f.status, f.inTime = newStatus(errOut), ctx
	defer f.stop()
	if o.budget > 0 {
		inTime, done := context.WithDeadline(ctx, f.start.Add(o.budget))
		defer done()
		f.inTime = inTime
	}
	saved := false
	for _, step := range []func(context.Context) error{f.read, f.train, f.evaluate, f.write} {
		err := step(ctx)
		if err == nil {
			saved, err = f.trained != nil && f.model != "", ctx.Err()
		}
		if err != nil {
			if saved && ctx.Err() != nil {
				f.status.print("the model is saved to %s, but its scores are incomplete", f.model)
			}
			return err
		}
	}
	f.stop()
	if o.json {
		return errors.Join(writeJSON(out, "", fitReply{f.figures, voice.Said(f.figures.Warnings)}), f.untested())
	}
	if err := report.Brief(f.figures).WriteText(out, false); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nmodel: %s\n", cmp.Or(o.model, "not saved; --model FILE saves it"))
	if o.report != "" {
		fmt.Fprintf(out, "report: %s\n", o.report)
	}
	return f.untested()
}

// fitReply is what fit --json prints.
type fitReply struct {
	*assess.Evaluation
	Warnings []table.Said `json:"warnings"`
}

// fit is a run of the verb.
type fit struct {
	*fitOptions
	*status
	figures *assess.Evaluation // the printed scores
	start   time.Time

	table, tested *table.Table // tested: from --test, or nil
	samples       *recipe.Samples
	found         []table.Finding
	others        []assess.System // from --compare
	costMatrix    *mat.Dense
	plain         mpcvm.Learner // without callbacks
	trained       *tables.Model
	result        mpcvm.Result
	inTime        context.Context // ends with the budget
}

// read reads the data and prints what was detected.
func (f *fit) read(ctx context.Context) (err error) {
	if f.table, err = f.open(ctx); err != nil {
		return err
	}
	t := f.table
	column, why, err := t.Target(f.target)
	if err != nil {
		return err
	}
	_, classes := t.Labels(column)
	if err = merge(t, column, f.merged.of(classes)); err != nil {
		return err
	}
	if err = f.weigh(column); err != nil {
		return err
	}
	if f.samples, err = recipe.Prepare(ctx, t, t.Columns[column].Name, nil); err != nil {
		return err
	}
	s := f.samples
	f.target = t.Columns[column].Name
	reason := ""
	if why.Code != "" {
		reason = " (" + table.Go.Say(why) + ")"
	}
	f.status.print("%s: %s; %d rows; classes: column %q%s", f.path, t.Reading, t.Rows, f.target, reason)
	if without := slices.Concat(s.Recipe.ID, s.Recipe.Unused); len(without) > 0 {
		f.status.print("not features: %s", words.List(without, 20))
	}
	for _, note := range t.Notes {
		f.status.print("note: %s", inFlags(table.Go.Say(note)))
	}
	if s.Weights != nil {
		sum := floats.Sum(s.Weights)
		f.status.print("weights: %d rows count as %.6g in the fit; the scores count each row once", len(s.T), sum)
		if mean := sum / float64(len(s.T)); f.options.Weight != "" && (mean > 3 || mean < 1./3) {
			f.status.print("note: the mean weight is %.4g, so a row counts as that many cases on average; if it does "+
				"not stand for that many, divide the weights by their mean", mean)
		}
	}
	if err := f.readDealing(ctx); err != nil {
		return err
	}
	found, err := look.At(ctx, t, f.target)
	if err != nil {
		return err
	}
	warnings, notes := found.ForFit()
	f.found = warnings
	for _, w := range warnings {
		f.status.print("warning: %s", voice.Say(w))
	}
	for _, note := range notes {
		f.status.print("note: %s", voice.Say(note))
	}
	if f.costs != "" {
		if f.costMatrix, err = parseCosts(ctx, f.costs, s.Classes); err != nil {
			return err
		}
	}
	for class := range f.recall.numbers() {
		if !slices.Contains(s.Classes, class) {
			return fmt.Errorf("--recall: unknown class %q; the classes are %s", class, words.List(s.Classes, 20))
		}
	}
	if f.test == "" {
		return nil
	}
	like := f.options
	like.Group, like.Time, like.Weight = "", "", ""
	like.Drop, like.ID = nil, nil
	like.Like = []table.Column{{Name: f.target, Kind: t.Columns[column].Kind, Unit: t.Columns[column].Unit}}
	for name, kind := range f.options.Kinds { // of columns that may be absent from the test data
		like.Like = append(like.Like, table.Column{Name: name, Kind: kind})
	}
	like.Kinds = nil
	if f.tested, err = openFor(ctx, f.test, like, s.Recipe); err != nil {
		return err
	}
	if column, _, err = f.tested.Target(f.target); err != nil { // before the fit
		return err
	}
	_, classes = f.tested.Labels(column)
	merged := f.merged.of(classes)
	maps.DeleteFunc(merged, func(old, _ string) bool { return !slices.Contains(classes, old) })
	if err = merge(f.tested, column, merged); err != nil {
		return err
	}
	labels, err := f.tested.LabelsAs(column, s.Classes)
	if slices.ContainsFunc(labels, func(label int) bool { return label >= 0 }) {
		return nil // assess.Evaluate counts the rows of other classes
	}
	return err
}

// merge renames classes.
func merge(t *table.Table, column int, as map[string]string) error {
	if len(as) == 0 {
		return nil
	}
	if err := t.Merge(column, as); err != nil {
		return fmt.Errorf("--merge-labels: %w", err)
	}
	return nil
}

// readDealing prints which column determines the folds. It returns an error if --group or --time cannot split
// the rows.
func (f *fit) readDealing(ctx context.Context) error {
	d, err := f.table.Dealing(f.samples.Rows)
	if err != nil || d.By.Code == "" {
		return err
	}
	if f.options.Group == "" && f.options.Time == "" { // a warning of package look reports it
		return nil
	}
	f.status.print("folds: split %s", table.Go.Say(d.By))
	if f.cv.k == 0 {
		return nil
	}
	_, err = assess.Split(ctx, f.table, f.target, assess.Options{Folds: f.cv.k, Seed: f.seed, Samples: f.samples})
	return err
}

// train fits the model and saves it. If ctx is done, it saves the best model so far.
func (f *fit) train(ctx context.Context) error {
	n := len(f.samples.T)
	if n > manySamples && f.candidates == 0 {
		f.status.print("%d samples: the candidates for relevance vectors are a stratified subset; use "+
			"--candidates all to make all samples candidates", n)
	}
	var err error
	if f.plain, err = f.learner(f.samples.X, nil); err != nil {
		return misuse{err}
	}
	const say = "%s: cross-validated log loss %s, error %s %%"
	l, err := f.learner(f.samples.X, func(t mpcvm.Trial) {
		f.status.print("tried "+say, report.InBrief(t.Kernel.String()), tabular.Number(t.LogLoss),
			tabular.Percent(t.ErrorRate))
	})
	if err != nil {
		return misuse{err}
	}
	if auto, ok := l.(search.Auto); ok {
		auto.Budget = f.searchTime()
		var best mpcvm.Trial
		auto.OnProgress = func(p search.Progress) {
			if b := p.Best; b.Learner != best.Learner || b.LogLoss != best.LogLoss {
				what := "best so far: "
				if best.Learner != "" && b.LogLoss > best.LogLoss { // preferred, or scored on other folds
					what = "chosen: "
				}
				f.status.print(what+say, b.Learner+", "+report.InBrief(b.Kernel.String()),
					tabular.Number(b.LogLoss), tabular.Percent(b.ErrorRate))
				best = b
			}
			f.set(float64(p.Done)/float64(max(p.Total, 1)), "%v; %s", p, report.InBrief(p.Step))
		}
		l = auto
		auto.OnProgress = nil
		f.plain = auto
	}
	f.set(0, "%s: starting", assess.Title(f.algorithm))
	f.trained, f.result, err = tablemodel.FitSamples(ctx, f.table, f.samples, l, func(s *mpcvm.Step) {
		if f.algorithm != "auto" {
			f.set(float64(s.Iteration)/float64(max(s.Limit(), 1)), "%s: iteration %d of at most %d, %d weights",
				assess.Title(f.algorithm), s.Iteration, s.Limit(), s.NonZero())
		}
	})
	f.set(0, "")
	f.samples.X = nil
	if f.trained != nil {
		f.trained = f.trained.WithRecord(f.record())
	}
	if err == nil && f.trained == nil { // the budget was too short
		err = fmt.Errorf("no model was found within --budget %v", f.budget)
	}
	if err != nil && ctx.Err() != nil {
		return f.interrupted(err)
	}
	if err != nil {
		return err
	}
	return f.save()
}

// record describes the fit, without the scores, which are not known yet.
func (f *fit) record() tablemodel.Record {
	return tablemodel.NewRecord(f.algorithm, f.seed, f.samples, f.result)
}

// manySamples is the number of samples above which learners select candidates by default.
const manySamples = 5000

// searchTime returns the part of the budget for the search and the final fit; 0 means no limit.
func (f *fit) searchTime() time.Duration {
	if f.budget == 0 {
		return 0
	}
	share := 0.75
	switch {
	case f.cv.nested:
		share = 1 / float64(f.cv.k+1)
	case f.cv.k == 0:
		share = 1
	case len(f.samples.T) > manySamples: // a fold takes about as long as the fit
		share = 0.65
	}
	return max(time.Duration(share*float64(f.budget-f.reserved()-time.Since(f.start))), 1)
}

// reserved returns the part of the budget for the final scores and the report.
func (f *fit) reserved() time.Duration {
	if f.report == "" {
		return f.budget / 50
	}
	return min(f.budget/8+400*time.Millisecond, f.budget/2)
}

// save saves the model, with the costs if they are known.
func (f *fit) save() error {
	if f.model == "" {
		return nil
	}
	return named(f.model, f.decider().SaveFile(f.model))
}

// decider returns the model with the costs.
func (f *fit) decider() *tables.Model {
	if f.costMatrix == nil {
		return f.trained
	}
	return f.trained.With(f.trained.Model().WithCosts(f.costMatrix))
}

// interrupted saves the model of an interrupted fit and reports it. It returns the error of the context.
func (f *fit) interrupted(err error) error {
	what := cmp.Or(f.result.Partial, fmt.Sprintf("iteration %d", f.result.Iterations))
	switch {
	case f.trained == nil:
		return fmt.Errorf("no model was saved, because none was complete yet: %w", err)
	case f.model == "":
		return fmt.Errorf("the best model so far (%s) was not saved; use --model FILE to save it: %w", what, err)
	}
	if failed := f.save(); failed != nil {
		return errors.Join(failed, err)
	}
	f.status.print("the best model so far was saved to %s: %s", f.model, what)
	return err
}

// learner returns the algorithm with its kernel. x contains the standardised training samples, whose number
// of features scales a kernel. If x is nil, only the flags are checked.
func (o *fitOptions) learner(x *mat.Dense, tried func(mpcvm.Trial)) (mpcvm.Learner, error) {
	if o.algorithm == "auto" {
		for _, name := range append([]string{"kernel", "calibrate", "single", "likelihood-power"},
			slices.Sorted(maps.Keys(o.parameters))...) {
			if o.given(name) {
				return nil, fmt.Errorf("--%s cannot be used with --algorithm auto, which chooses it automatically", name)
			}
		}
		switch {
		case o.candidates != 0 && o.candidates != allCandidates:
			return nil, errors.New("--algorithm auto chooses the number of candidates; only --candidates all " +
				"is allowed")
		case o.budget < 0:
			return nil, fmt.Errorf("--budget must not be negative: %v", o.budget)
		}
		return search.Auto{Candidates: o.candidates.number(), Prefer: search.Preference(o.prefer), Seed: o.seed},
			nil
	}
	for _, name := range []string{"budget", "prefer"} {
		if o.given(name) {
			return nil, fmt.Errorf("--%s requires --algorithm auto", name)
		}
	}
	k, err := o.kernelFor(x)
	if err != nil {
		return nil, err
	}
	switch {
	case o.candidates < 0 && o.candidates != allCandidates:
		return nil, fmt.Errorf("--candidates must not be negative: %d", o.candidates)
	case !(o.power > 0) || math.IsInf(o.power, 1):
		return nil, fmt.Errorf("--likelihood-power must be positive and finite: %v", o.power)
	case o.algorithm == "mpcvm1" && o.given("likelihood-power"):
		return nil, errors.New("--likelihood-power requires --algorithm mpcvm2")
	case o.algorithm == "mpcvm1":
		return o.tuned(mpcvm.TopDown{Candidates: o.candidates.number(), Float32: o.single, Seed: o.seed}, k, tried),
			nil
	case o.algorithm == "mpcvm2":
		return o.tuned(mpcvm.BottomUp{Candidates: o.candidates.number(), Float32: o.single,
			LikelihoodPower: o.power, Seed: o.seed}, k, tried), nil
	}
	return nil, fmt.Errorf("unknown --algorithm %q; want %s", o.algorithm, strings.Join(algorithms, ", "))
}

// tuned returns a learner that chooses the kernel width, if it is not given, and calibrates if requested.
func (o *fitOptions) tuned(l mpcvm.Learner, k kernel.Kernel, tried func(mpcvm.Trial)) mpcvm.Learner {
	l = search.Width{Learner: l, Kernel: k, OnTrial: tried, Seed: o.seed}
	if o.calibrate {
		return search.Calibrated{Learner: l}
	}
	return l
}

// kernelFlags adds the flag for the kernel and one for each parameter of a kernel.
func (o *fitOptions) kernelFlags(f *pflag.FlagSet) {
	users := map[string][]string{}
	for _, d := range kernel.Descriptions() {
		for _, p := range d.Parameters {
			users[p] = append(users[p], d.Name)
		}
	}
	f.StringVar(&o.kernel, "kernel", "rbf", "the `NAME` of the kernel of mpcvm1 and mpcvm2")
	known := map[string]struct{ about, def string }{
		"theta": {"the width `T`, or auto to choose it by cross-validation",
			"auto"}, "thetas": {"the widths `T,...`, one for each feature", ""},
		"degree": {"the degree `N`", "2"}, "offset": {"the offset `B`", "0"}, "scale": {"the scale `S`",
			"1/features"}, "alpha": {"the exponent `A`", "1"},
	}
	o.parameters = map[string]*string{}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		p := known[name]
		o.parameters[name] = f.String(name, p.def, cmp.Or(p.about, "a `NUMBER`")+"; for "+strings.Join(users[name],
			", "))
	}
}

// kernelFor returns the kernel given by the flags for samples like x. If x is nil, it only checks the flags.
func (o *fitOptions) kernelFor(x *mat.Dense) (k kernel.Kernel, err error) {
	if o.basis == nil {
		given := map[string]string{}
		for name, value := range o.parameters {
			if o.given(name) {
				given[name] = *value
			}
		}
		if o.basis, err = kernel.New(o.kernel, given); err != nil {
			return nil, err
		}
	}
	if x == nil {
		return o.basis, nil
	}
	_, d := x.Dims()
	k = o.basis
	if scaled, ok := k.(interface{ ForFeatures(d int) kernel.Kernel }); ok {
		k = scaled.ForFeatures(d)
	}
	return k, kernel.CheckFeatures(k, d)
}

// evaluate scores the model and prints warnings. The model has already been saved, in case ctx is done.
func (f *fit) evaluate(ctx context.Context) error {
	o := assess.EvaluateOptions{
		Options: assess.Options{Folds: f.cv.k, Seed: f.seed, Progress: func(p assess.Progress) {
			f.set(float64(p.Done)/float64(p.Total), "%s: %d of %d folds", cmp.Or(p.System, "cross-validation"), p.Done,
				p.Total)
		}},
		Learner: f.plain, Result: f.result, Nested: f.cv.nested, All: f.given(
			"cv"), Curve: f.curve, Test: f.tested, Compare: f.others,
	}
	if f.cv.k == 0 {
		o.Folds = -1
	}
	if f.costMatrix != nil {
		o.Costs = f.costMatrix
	}
	for class, share := range f.recall.numbers() {
		o.Find = class
		o.Recall, _ = strconv.ParseFloat(share, 64) // checked
	}
	inTime, stop := ctx, func() {}
	if f.budget > 0 {
		inTime, stop = context.WithDeadline(ctx, f.start.Add(f.budget-f.reserved()))
	}
	defer stop()
	figures, err := assess.Evaluate(inTime, f.table, f.trained, o)
	f.set(0, "")
	if err != nil {
		return err
	}
	for _, text := range voice.SayAll(figures.Warnings) {
		f.status.print("warning: %s", text)
	}
	switch v := figures.CV; {
	case v == nil || v.Done == v.Folds || o.All:
	case v.HeldOut:
		f.status.print("note: the scores are from rows that the search held out; use --cv %d to evaluate on "+
			"all rows", v.Folds)
	default:
		f.status.print("note: the scores are from %d of %d folds, to save time; use --cv %d for all folds",
			v.Done, v.Folds, v.Folds)
	}
	if c := figures.Costs; c != nil {
		f.costMatrix = mat.NewDense(len(c.Matrix), len(c.Matrix), slices.Concat(c.Matrix...))
	}
	r := f.record()
	r.Figures = figures.Figures()
	f.trained = f.trained.WithRecord(r)
	if err := f.save(); err != nil {
		return err
	}
	figures.Command, figures.Date = commandLine(ctx), f.start.UTC().Format(time.RFC3339)
	figures.Set, figures.ModelFile, figures.ReportFile = setName(f.path), f.model, f.report
	figures.Warnings = slices.Concat(f.found, figures.Warnings)
	figures.Model = f.decider()
	f.figures = figures
	return nil
}

// commandLine returns the command as typed.
func commandLine(ctx context.Context) string {
	args, _ := ctx.Value(argsKey{}).([]string)
	words := []string{"mpcvm"}
	for _, word := range args {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_=./,:%+@", r)
		}) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// checkRecall checks --recall.
func (o *fitOptions) checkRecall() error {
	switch {
	case len(o.recall) == 0:
		return nil
	case len(o.recall) > 1:
		return errors.New("--recall takes only one class; use --costs for more")
	case o.costs != "":
		return errors.New("--recall and --costs cannot be used together, because both determine the decisions")
	case o.cv.k == 0:
		return errors.New("--recall needs cross-validation; omit --cv none")
	}
	for class, share := range o.recall.numbers() {
		if v, err := strconv.ParseFloat(share, 64); err != nil || !(v > 0 && v <= 1) {
			return fmt.Errorf("--recall %s=%s: the share must be above 0 and at most 1, such as 0.95", class, share)
		}
	}
	return nil
}

// checkWeights checks --class-weights.
func (o *fitOptions) checkWeights() error {
	for class, text := range o.classWeights.numbers() {
		if v, err := strconv.ParseFloat(text, 64); err != nil || !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("--class-weights %s=%s: the weight must be a number above 0, such as 5", class, text)
		}
	}
	return nil
}

// weigh sets the class weights of the table; column is the class column.
func (f *fit) weigh(column int) error {
	if len(f.classWeights) == 0 {
		return nil
	}
	_, classes := f.table.Labels(column)
	f.table.ClassWeights = map[string]float64{}
	for class, text := range f.classWeights.numbers() {
		if !slices.Contains(classes, class) {
			return fmt.Errorf("--class-weights: unknown class %q; the classes are %s", class, words.List(classes, 20))
		}
		f.table.ClassWeights[class], _ = strconv.ParseFloat(text, 64) // checked
	}
	return nil
}

// untested returns an error if no row of --test could be used.
func (f *fit) untested() error {
	err := f.figures.Unusable
	if err == nil {
		return nil
	}
	return fmt.Errorf("--test: %w; compare its columns with the training file: mpcvm look %s", err,
		f.test)
}

// write writes the report, if requested.
func (f *fit) write(ctx context.Context) error {
	if f.report == "" {
		return nil
	}
	f.set(1, "report: starting")
	return writeReport(ctx, f.report, fmt.Sprintf("%s on %s", assess.Title(f.algorithm), f.figures.Set),
		func() (nbhelpers.Block, error) {
			page, err := report.Full(f.inTime, f.figures, report.Options{Voice: voice, Progress: func(p assess.Progress) {
				f.set(float64(p.Done)/float64(p.Total), "importance of the columns: %d of %d folds", p.Done, p.Total)
			}})
			return page.Page(), err
		})
}
