package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// fitOptions are the flags of fit.
type fitOptions struct {
	*reading
	test, algorithm, kernel             string
	parameters                          map[string]*string // of the kernel, by flag
	basis                               kernel.Kernel      // with them
	candidates                          candidates
	power                               float64
	model, report                       string
	json, calibrate, perFeature, single bool
	budget                              time.Duration
	seed                                uint64
	given                               func(flag string) bool
}

// candidates is the value of --candidates: a number, or 0 for all.
type candidates int

func (c *candidates) Type() string { return "K" }

func (c *candidates) String() string {
	if *c == 0 {
		return "all"
	}
	return strconv.Itoa(int(*c))
}

func (c *candidates) Set(text string) error {
	if text == "all" {
		*c = 0
		return nil
	}
	k, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("neither all nor a whole number")
	}
	*c = candidates(k)
	return nil
}

// fitted is the result of a fit as JSON.
type fitted struct {
	Set       string               `json:"dataset"`
	Algorithm string               `json:"algorithm"`
	Kernel    string               `json:"kernel"`
	Features  int                  `json:"features"`
	Classes   []string             `json:"classes"`
	Trials    []trial              `json:"trials,omitempty"`
	Temper    float64              `json:"temperature"`
	Train     scores               `json:"train"`
	Test      *scores              `json:"test,omitempty"`
	Candidate int                  `json:"candidates,omitempty"`
	Vectors   int                  `json:"n_basis"`
	Weights   []int                `json:"weights_per_class"`
	Status    string               `json:"status"`
	Iteration int                  `json:"iterations"`
	Seconds   float64              `json:"fit_s"`
	Seed      uint64               `json:"seed"`
	Model     string               `json:"model"`
	Report    string               `json:"report,omitempty"`
	summary   []mpcvm.ClassSummary // for the table
}

// scores tell how well a model predicts a set. AUC is nil if it is undefined: for one class.
type scores struct {
	N       int      `json:"n"`
	Err     float64  `json:"err"`
	AUC     *float64 `json:"auc"`
	LogLoss float64  `json:"logloss"`
}

// trial is a kernel that was tried, with its results in cross-validation.
type trial struct {
	Learner     string  `json:"learner,omitempty"` // of auto only
	Kernel      string  `json:"kernel"`
	LogLoss     float64 `json:"logloss"`
	Err         float64 `json:"err"`
	Temperature float64 `json:"temperature,omitempty"`
	Weights     int     `json:"n_weights,omitempty"`
	Seconds     float64 `json:"seconds,omitempty"`
	Chosen      bool    `json:"chosen,omitempty"`
}

func fitCommand() *cobra.Command {
	o := &fitOptions{}
	cmd := &cobra.Command{
		Use: "fit FILE", Short: "train a model on a file of samples", SuggestFor: []string{"train"},
		Long: `It trains a model on FILE and prints how good it is. FILE is CSV with a header,
numeric features and last a column named class, or Parquet with the same
columns in any order. The features are standardised by the training data.

Algorithms:
  auto    chooses learner, kernel and temperature by cross-validation
  mpcvm1  starts with all samples and prunes them (top down)
  mpcvm2  starts with one sample a class and adds more (bottom up); it is the
          default if --kernel, --theta or --candidates K is given

Kernels:
`,
		Example: `  mpcvm fit flowers.csv --model m.json --report m.html
  mpcvm fit flowers.csv --algorithm mpcvm2 --kernel laplacian --test later.csv`,
		RunE: task(o.run),
	}
	o.given = cmd.Flags().Changed
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "evidence" { // the old name
			name = "likelihood-power"
		}
		return pflag.NormalizedName(name)
	})
	o.reading = readingFlags(cmd, "the training data, CSV or .parquet")
	section(cmd, "What to train", func(f *pflag.FlagSet) {
		f.StringVar(&o.test, "test", "", "also print figures on test data, a `FILE` of the same columns in any order")
		f.StringVar(&o.algorithm, "algorithm", "auto", "the algorithm `NAME`: "+strings.Join(algorithms, ", "))
		f.Uint64Var(&o.seed, "seed", 1, "seed `S` of the folds of the cross-validation and of the candidates")
	})
	section(cmd, "Algorithm auto", func(f *pflag.FlagSet) {
		f.DurationVar(&o.budget, "budget", 0, "begin no further trial after `TIME`, such as 1m30s; without it there is no limit")
		f.BoolVar(&o.perFeature, "per-feature", false, "also try kernels with a width for each feature")
	})
	section(cmd, "Algorithms mpcvm1 and mpcvm2", func(f *pflag.FlagSet) {
		f.Var(&o.candidates, "candidates", "let only `K` samples, drawn class by class, enter the model, or all; for more than a few thousand samples")
		f.BoolVar(&o.single, "single", false, "store the kernel matrix in float32, which halves its memory")
		f.Float64Var(&o.power, "likelihood-power", 1, "mpcvm2: raise the likelihood to the power `B`. 10 or 100 keep more weights and lower the error if labels have little noise")
		f.BoolVar(&o.calibrate, "calibrate", false, "set the temperature of the probabilities by cross-validation")
	})
	section(cmd, "Kernel of mpcvm1 and mpcvm2", func(f *pflag.FlagSet) { cmd.Long += o.kernelFlags(f) })
	section(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&o.model, "model", "", "save the model to `FILE`, as JSON; without it the model is not saved")
		f.StringVar(&o.report, "report", "", "write a page with charts to `FILE`, as HTML")
		f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	})
	choices(cmd, "algorithm", algorithms...)
	var kernels []string
	for _, d := range kernel.Descriptions() {
		kernels = append(kernels, d.Name)
	}
	choices(cmd, "kernel", kernels...)
	return cmd
}

var algorithms = []string{"auto", "mpcvm1", "mpcvm2"}

// run checks the flags, reads the data and fits.
func (o *fitOptions) run(ctx context.Context, out, errOut io.Writer) error {
	if !o.given("algorithm") && (o.given("kernel") || o.given("theta") || o.candidates != 0) {
		o.algorithm = "mpcvm2"
	}
	if _, err := o.learner(nil, nil); err != nil { // before the work, not after
		return misuse{err}
	}
	inputs := []file{o.file, {"--test", o.test}}
	if err := checkOutputs(inputs, []file{{"--model", o.model}, {"--report", o.report}}); err != nil {
		return err
	}
	train, test, err := o.read(ctx)
	if err != nil {
		return err
	}
	return o.fit(ctx, out, errOut, train, test)
}

// read reads the training data and, if a file is given, the test data.
func (o *fitOptions) read(ctx context.Context) (train, test *data.Set, err error) {
	if train, err = readLabelled(ctx, o.path, nil); err != nil {
		return nil, nil, err
	}
	if err := train.CheckTrainable(); err != nil {
		return nil, nil, err
	}
	train.Name = setName(o.path)
	if o.test == "" {
		return train, nil, nil
	}
	test, err = readLabelled(ctx, o.test, train)
	return train, test, err
}

// fit fits, writes the model and the report and prints the result.
func (o *fitOptions) fit(ctx context.Context, out, errOut io.Writer, train, test *data.Set) error {
	scale := data.FitStandardizer(train.X)
	x := scale.Apply(nil, train.X)
	l, err := o.learner(x, func(t mpcvm.Trial) {
		what := t.Kernel.String()
		if t.Learner != "" {
			what = t.Learner + ", " + what
		}
		fmt.Fprintf(errOut, "tried %s: cross-validated log loss %.4f, error %.2f %%\n", what, t.LogLoss, 100*t.ErrorRate)
	})
	if err != nil {
		return misuse{err}
	}
	progress := nbhelpers.NewProgress(o.title() + " on " + train.Name)
	model, result, err := l.Fit(ctx, x, train.T, progress.Observe)
	ended(progress, result)
	if err != nil {
		return err // an interrupted model is not written
	}
	model = model.WithNames(train.Classes, train.Features).WithScaling(scale.Mean, scale.Scale)
	report := fitted{
		Set: train.Name, Algorithm: o.algorithm, Kernel: model.Kernel().String(), Features: train.D(), Classes: train.Classes,
		Vectors: len(model.RelevanceVectors()), Weights: model.NonZero(), Status: result.Status.String(),
		Iteration: result.Iterations, Seconds: result.Seconds, Seed: o.seed, Model: o.model, Report: o.report, Candidate: int(o.candidates), summary: model.Summary(),
	}
	report.Temper = model.Temperature()
	for _, t := range result.Trials {
		report.Trials = append(report.Trials, trial{t.Learner, t.Kernel.String(), t.LogLoss, t.ErrorRate, t.Temperature, t.Weights, t.Seconds, t.Chosen})
	}
	if report.Train, err = measure(ctx, model, train); err != nil {
		return err
	}
	if test != nil {
		s, err := measure(ctx, model, test)
		if err != nil {
			return err
		}
		report.Test = &s
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.model != "" {
		if err := model.SaveFile(o.model); err != nil {
			return named(o.model, err)
		}
	}
	if o.report != "" {
		err := writeReport(ctx, o.report, fmt.Sprintf("%s on %s", o.title(), train.Name), func() ([]nbhelpers.Block, error) {
			return o.page(report, model, result, train, test, scale)
		})
		if err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(out, report)
	}
	return report.print(out)
}

// learner returns the algorithm with its kernel; x are the standardised training
// samples, whose number of features scales a kernel. Without x only the flags are
// checked.
func (o *fitOptions) learner(x *mat.Dense, tried func(mpcvm.Trial)) (mpcvm.Learner, error) {
	if o.algorithm == "auto" {
		for _, name := range append([]string{"kernel", "calibrate", "single", "likelihood-power"}, slices.Sorted(maps.Keys(o.parameters))...) {
			if o.given(name) {
				return nil, fmt.Errorf("--algorithm auto has no --%s: it chooses by itself", name)
			}
		}
		switch {
		case o.candidates != 0:
			return nil, errors.New("--algorithm auto has no --candidates but all: it chooses among all samples")
		case o.budget < 0:
			return nil, fmt.Errorf("--budget must not be negative: %v", o.budget)
		}
		return search.Auto{Budget: o.budget, PerFeature: o.perFeature, OnTrial: tried, Seed: o.seed}, nil
	}
	for _, name := range []string{"budget", "per-feature"} {
		if o.given(name) {
			return nil, fmt.Errorf("--%s is for --algorithm auto", name)
		}
	}
	k, err := o.kernelFor(x)
	if err != nil {
		return nil, err
	}
	switch {
	case o.candidates < 0:
		return nil, fmt.Errorf("--candidates must not be negative: %d", o.candidates)
	case !(o.power > 0) || math.IsInf(o.power, 1):
		return nil, fmt.Errorf("--likelihood-power must be positive and finite: %v", o.power)
	case o.algorithm == "mpcvm1" && o.given("likelihood-power"):
		return nil, errors.New("--likelihood-power is for --algorithm mpcvm2")
	case o.algorithm == "mpcvm1":
		return mpcvm.TopDown{Kernel: k, Candidates: int(o.candidates), Float32: o.single, OnTrial: tried, Calibrate: o.calibrate, Seed: o.seed}, nil
	case o.algorithm == "mpcvm2":
		return mpcvm.BottomUp{Kernel: k, Candidates: int(o.candidates), Float32: o.single, LikelihoodPower: o.power, OnTrial: tried, Calibrate: o.calibrate, Seed: o.seed}, nil
	}
	return nil, fmt.Errorf("--algorithm %q is none of %s", o.algorithm, strings.Join(algorithms, ", "))
}

// kernelFlags adds the flag for the kernel and one for each parameter of a kernel. It
// returns a table of the kernels.
func (o *fitOptions) kernelFlags(f *pflag.FlagSet) string {
	var table strings.Builder
	users := map[string][]string{}
	for _, d := range kernel.Descriptions() {
		fmt.Fprintf(&table, "  %-18s  %s\n", d.Name, d.Formula)
		for _, p := range d.Parameters {
			users[p] = append(users[p], d.Name)
		}
	}
	f.StringVar(&o.kernel, "kernel", "rbf", "the kernel `NAME`")
	known := map[string]struct{ about, def string }{
		"theta": {"the width `T`, or auto to choose it by cross-validation", "auto"}, "thetas": {"the widths `T,...`, one for each feature", ""},
		"degree": {"the degree `N`", "2"}, "offset": {"the offset `B`", "0"}, "scale": {"the scale `S`", "1/features"}, "alpha": {"the exponent `A`", "1"},
	}
	o.parameters = map[string]*string{}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		p := known[name]
		o.parameters[name] = f.String(name, p.def, cmp.Or(p.about, "a `NUMBER`")+"; for "+strings.Join(users[name], ", "))
	}
	return table.String()
}

// kernelFor returns the kernel that the flags ask for, for samples like x; if x is nil,
// it only checks the flags.
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

// title is the printed name of the algorithm.
func (o *fitOptions) title() string {
	return strings.NewReplacer("mpcvm1", "mPCVM₁", "mpcvm2", "mPCVM₂", "auto", "mPCVM").Replace(o.algorithm)
}

// measure scores a model on a set in raw units.
func measure(ctx context.Context, m *mpcvm.Model, set *data.Set) (scores, error) {
	p, err := probabilities(ctx, m, set.X)
	if err != nil {
		return scores{}, err
	}
	s := scores{N: set.N(), Err: score.ErrorRate(mostProbable(p), set.T)}
	if s.LogLoss, err = score.LogLoss(p, set.T); err != nil {
		return s, err
	}
	switch auc, err := score.AUC(p, set.T); {
	case err == nil:
		s.AUC = &auc
	case !errors.Is(err, score.ErrUndefined):
		return s, err
	}
	return s, nil
}

// cells are error rate, AUC and log loss as texts.
func (s scores) cells() []string {
	auc := "undefined"
	if s.AUC != nil {
		auc = fmt.Sprintf("%.2f", 100**s.AUC)
	}
	return []string{strconv.Itoa(s.N), fmt.Sprintf("%.2f", 100*s.Err), auc, fmt.Sprintf("%.3f", s.LogLoss)}
}

var scoreHeader = []string{"samples", "ERR %", "AUC %", "log loss"}

// scoreRows are the rows of the table of scores, with their names.
func (r fitted) scoreRows() [][]string {
	rows := [][]string{append([]string{"training"}, r.Train.cells()...)}
	if r.Test != nil {
		rows = append(rows, append([]string{"test"}, r.Test.cells()...))
	}
	return rows
}

var weightHeader = []string{"class", "bias", "weights for", "their sum", "weights against", "their sum"}

func (r fitted) weightRows() [][]string {
	var rows [][]string
	for _, s := range r.summary {
		rows = append(rows, []string{s.Name, fmt.Sprintf("%.4g", s.Bias), strconv.Itoa(s.Positive), fmt.Sprintf("%.4g", s.PositiveSum),
			strconv.Itoa(s.Negative), fmt.Sprintf("%.4g", s.NegativeSum)})
	}
	return rows
}

var trialHeader = []string{"", "tried", "kernel", "log loss", "ERR %", "T", "weights", "s"}

// trialRows are the trials of auto, the chosen one marked; empty for other algorithms.
func (r fitted) trialRows() [][]string {
	var rows [][]string
	for _, t := range r.Trials {
		if t.Learner == "" {
			return nil
		}
		mark := ""
		if t.Chosen {
			mark = "chosen"
		}
		rows = append(rows, []string{mark, t.Learner, inBrief(t.Kernel), fmt.Sprintf("%.4f", t.LogLoss), fmt.Sprintf("%.2f", 100*t.Err),
			fmt.Sprintf("%.2f", t.Temperature), strconv.Itoa(t.Weights), fmt.Sprintf("%.2f", t.Seconds)})
	}
	return rows
}

var longNumber = regexp.MustCompile(`\d+\.\d{3,}(e[+-]?\d+)?`)

// inBrief is the name of a kernel for a table: with numbers of three digits, at most 40
// characters.
func inBrief(name string) string {
	name = longNumber.ReplaceAllStringFunc(name, func(number string) string {
		v, _ := strconv.ParseFloat(number, 64) // it is one
		return strconv.FormatFloat(v, 'g', 3, 64)
	})
	if short := []rune(name); len(short) > 40 {
		name = string(short[:39]) + "…"
	}
	return name
}

// about is a sentence on how the fit ended.
func (r fitted) about() string {
	among := ""
	if r.Candidate > 0 && r.Candidate < r.Train.N {
		among = fmt.Sprintf(" among %d candidates", r.Candidate)
	}
	return fmt.Sprintf("%s with the kernel %s on %d samples of %d features: %s after %d iterations, %.2f s; %d relevance vectors%s.",
		(&fitOptions{algorithm: r.Algorithm}).title(), r.Kernel, r.Train.N, r.Features, r.Status, r.Iteration, r.Seconds, r.Vectors, among)
}

func (r fitted) print(out io.Writer) error {
	fmt.Fprintln(out, r.about())
	for _, t := range []struct {
		header []string
		rows   [][]string
	}{{upper(append([]string{""}, scoreHeader...)...), r.scoreRows()}, {upper(weightHeader...), r.weightRows()}, {upper(trialHeader...), r.trialRows()}} {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Fprintln(out)
		if err := printTable(out, t.header, t.rows); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nmodel: %s\n", cmp.Or(r.Model, "not saved; --model FILE saves it"))
	if r.Report != "" {
		fmt.Fprintf(out, "report: %s\n", r.Report)
	}
	return nil
}

// printTable prints a table in columns.
func printTable(out io.Writer, header []string, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// upper returns the words of a header in upper case.
func upper(words ...string) []string {
	return strings.Split(strings.ToUpper(strings.Join(words, "\t")), "\t")
}

// ended shows how the fit ended. Before the first iteration the error suffices.
func ended(p *nbhelpers.Progress, r mpcvm.Result) {
	if r.Iterations > 0 {
		p.Done(r)
	}
}

// mostPoints is the largest number of samples that a page shows one by one.
const mostPoints = 20000

// page is the report with the charts; test may be nil.
func (o *fitOptions) page(r fitted, m *mpcvm.Model, result mpcvm.Result, train, test *data.Set, scale data.Standardizer) ([]nbhelpers.Block, error) {
	blocks := []nbhelpers.Block{
		nbhelpers.Text(r.about()),
		nbhelpers.Table(append([]string{""}, scoreHeader...), r.scoreRows()),
		nbhelpers.Table(weightHeader, r.weightRows()),
		nbhelpers.Convergence(nbhelpers.Trace{Name: o.title(), Steps: result.Trace}),
		nbhelpers.Sparsity(m, train.N()), nbhelpers.Weights(m),
	}
	if train.D() > 1 && train.N() <= mostPoints {
		// The chart scales by itself, and rings the vectors where the model has them.
		blocks = append(blocks, nbhelpers.Regions(m.WithScaling(nil, nil), train,
			nbhelpers.RegionsOptions{Scale: &scale, Principal: train.D() > 2}))
	}
	if widths := relativeWidths(m.Kernel()); widths != nil {
		blocks = append(blocks, nbhelpers.Importance(train.Features, widths, nbhelpers.ImportanceOptions{
			Name: "θ / mean θ", Subtitle: "θ of each standardised feature relative to their geometric mean, on a log scale",
		}))
	}
	if rows := r.trialRows(); rows != nil {
		blocks = append(blocks, nbhelpers.Text("What was tried, by 5-fold cross-validation within the training data, at the temperature best for each (T is that of the fit, a little more cautious; s are seconds). Chosen is the least log loss of the sparse settings; the dense ones choose the kernel."),
			nbhelpers.Table(trialHeader, rows))
	}
	if test != nil {
		charts, err := testCharts(m, test)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, nbhelpers.Heading("Test data"), charts)
	}
	return blocks, nil
}

// relativeWidths are the widths of a kernel that has one for each feature, relative
// to the geometric mean of those that are not zero; of other kernels nil.
func relativeWidths(k kernel.Kernel) []float64 {
	var theta []float64
	if k, ok := k.(kernel.OfSum); ok {
		_, theta = k.Sum()
	}
	sum, n := 0.0, 0
	for _, v := range theta {
		if v > 0 {
			sum, n = sum+math.Log(v), n+1
		}
	}
	if n == 0 {
		return nil
	}
	relative := make([]float64, len(theta))
	for d, v := range theta {
		relative[d] = v / math.Exp(sum/float64(n))
	}
	return relative
}

// testCharts show the errors of the model on test data and the reliability of its
// probabilities.
func testCharts(m *mpcvm.Model, test *data.Set) (nbhelpers.Block, error) {
	p := m.Proba(nil, test.X)
	counts, err := score.Confusion(mostProbable(p), test.T, test.C())
	if err != nil {
		return nil, err
	}
	bins, _, err := score.Reliability(p, test.T, 10)
	if err != nil {
		return nil, err
	}
	return nbhelpers.Grid(2, nbhelpers.Confusion(counts, test.Classes),
		nbhelpers.Reliability([]nbhelpers.Calibration{nbhelpers.Calibration{Bins: bins}}, nbhelpers.ReliabilityOptions{})), nil
}
