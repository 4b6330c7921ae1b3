package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
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
	data, test, algorithm, kernel       string
	parameters                          map[string]*string // of the kernel, by flag
	basis                               kernel.Kernel      // with them
	candidates                          int
	evidence                            float64
	model, report                       string
	json, calibrate, perFeature, single bool
	budget                              time.Duration
	seed                                uint64
	given                               map[string]bool // the flags that were
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

// fit trains a model on a CSV or Parquet file and writes it.
func fit(ctx context.Context, c *call) error {
	var o fitOptions
	f := c.flags()
	f.StringVar(&o.data, "data", "", "the training data, a CSV `FILE`: numeric features, and last a column named class; or a .parquet `FILE`, columns in any order; required")
	f.StringVar(&o.test, "test", "", "test data, a CSV or .parquet `FILE` of the same columns, in any order")
	f.StringVar(&o.algorithm, "algorithm", "auto", "algorithm `NAME`: auto chooses learner, kernel and temperature by cross-validation; mpcvm1 prunes from the top down, mpcvm2 builds from the bottom up (the default where a kernel is given)")
	f.DurationVar(&o.budget, "budget", 0, "auto: begin no further trial after `TIME`, such as 1m30s; 0 for no limit")
	f.BoolVar(&o.perFeature, "per-feature", false, "auto: try a width of the kernel for each feature as well")
	o.kernelFlags(f)
	f.StringVar(&o.model, "model", "", "write the model to `FILE`, as JSON; required")
	f.StringVar(&o.report, "report", "", "write a page with charts to `FILE`, as HTML")
	f.IntVar(&o.candidates, "candidates", 0, "mpcvm1, mpcvm2: let only `K` samples, drawn class by class, enter the model; for more than a few thousand samples (docs/LARGE.md); 0 for all")
	f.BoolVar(&o.single, "single", false, "mpcvm1, mpcvm2: store the kernel matrix in float32, which halves its memory")
	f.Float64Var(&o.evidence, "evidence", 1, "mpcvm2: raise the likelihood to the power `B`; 10 or 100 keep more weights and lower the error if labels have little noise")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	f.BoolVar(&o.calibrate, "calibrate", false, "set the temperature of the probabilities by cross-validation")
	f.Uint64Var(&o.seed, "seed", 1, "seed `S` that deals the folds of the cross-validation and draws the candidates")
	if _, err := c.parse(f, 0, 0); err != nil {
		return err
	}
	if err := needed("--data", o.data, "--model", o.model); err != nil {
		return err
	}
	o.given = map[string]bool{}
	f.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
	if !o.given["algorithm"] && (o.given["kernel"] || o.given["theta"] || o.given["candidates"]) {
		o.algorithm = "mpcvm2"
	}
	if _, err := o.learner(nil, nil); err != nil { // before the work, not after
		return misuse{err}
	}
	inputs := []file{{"--data", o.data}, {"--test", o.test}}
	if err := checkOutputs(inputs, []file{{"--model", o.model}, {"--report", o.report}}); err != nil {
		return err
	}
	train, test, err := o.read(ctx)
	if err != nil {
		return err
	}
	return o.run(ctx, c.out, c.errOut, train, test)
}

// read reads the training data and, if a file is given, the test data.
func (o *fitOptions) read(ctx context.Context) (train, test *data.Set, err error) {
	if train, err = readLabelled(ctx, o.data, nil); err != nil {
		return nil, nil, err
	}
	if err := train.CheckTrainable(); err != nil {
		return nil, nil, err
	}
	train.Name = setName(o.data)
	if o.test == "" {
		return train, nil, nil
	}
	test, err = readLabelled(ctx, o.test, train)
	return train, test, err
}

// run fits, writes the model and the report and prints the result.
func (o *fitOptions) run(ctx context.Context, out, errOut io.Writer, train, test *data.Set) error {
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
		Iteration: result.Iterations, Seconds: result.Seconds, Seed: o.seed, Model: o.model, Report: o.report, Candidate: o.candidates, summary: model.Summary(),
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
	if err := model.SaveFile(o.model); err != nil {
		return named(o.model, err)
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
		for _, name := range append([]string{"kernel", "calibrate", "candidates", "single", "evidence"}, slices.Sorted(maps.Keys(o.parameters))...) {
			if o.given[name] {
				return nil, fmt.Errorf("--algorithm auto has no --%s: it chooses by itself, among all samples", name)
			}
		}
		if o.budget < 0 {
			return nil, fmt.Errorf("--budget must not be negative: %v", o.budget)
		}
		return search.Auto{Budget: o.budget, PerFeature: o.perFeature, OnTrial: tried, Seed: o.seed}, nil
	}
	for _, name := range []string{"budget", "per-feature"} {
		if o.given[name] {
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
	case !(o.evidence > 0) || math.IsInf(o.evidence, 1):
		return nil, fmt.Errorf("--evidence must be positive and finite: %v", o.evidence)
	case o.algorithm == "mpcvm1" && o.given["evidence"]:
		return nil, errors.New("--evidence is for --algorithm mpcvm2")
	case o.algorithm == "mpcvm1":
		return mpcvm.TopDown{Kernel: k, Candidates: o.candidates, Float32: o.single, OnTrial: tried, Calibrate: o.calibrate, Seed: o.seed}, nil
	case o.algorithm == "mpcvm2":
		return mpcvm.BottomUp{Kernel: k, Candidates: o.candidates, Float32: o.single, LikelihoodPower: o.evidence, OnTrial: tried, Calibrate: o.calibrate, Seed: o.seed}, nil
	}
	return nil, fmt.Errorf("--algorithm %q is none of auto, mpcvm1, mpcvm2", o.algorithm)
}

// kernelFlags adds the flag for the kernel and one for each parameter of a kernel.
func (o *fitOptions) kernelFlags(f *flag.FlagSet) {
	var help []string
	users := map[string][]string{}
	for _, d := range kernel.Descriptions() {
		help = append(help, d.Name+" "+d.Formula)
		for _, p := range d.Parameters {
			users[p] = append(users[p], d.Name)
		}
	}
	f.StringVar(&o.kernel, "kernel", "rbf", "kernel `NAME`: "+strings.Join(help, "; "))
	known := map[string]struct{ value, more, def string }{
		"theta": {"T", ", or auto to choose by cross-validation", "auto"}, "thetas": {"T,...", ", one for each feature", ""},
		"degree": {"N", "", "2"}, "offset": {"B", "", "0"}, "scale": {"S", "", "1/features"}, "alpha": {"A", "", "1"},
	}
	o.parameters = map[string]*string{}
	for name, kernels := range users {
		p := known[name]
		o.parameters[name] = f.String(name, p.def, fmt.Sprintf("%s `%s` of the kernel %s%s", name, cmp.Or(p.value, "NUMBER"), strings.Join(kernels, ", "), p.more))
	}
}

// kernelFor returns the kernel that the flags ask for, for samples like x; if x is nil,
// it only checks the flags.
func (o *fitOptions) kernelFor(x *mat.Dense) (k kernel.Kernel, err error) {
	if o.basis == nil {
		given := map[string]string{}
		for name, value := range o.parameters {
			if o.given[name] {
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
	fmt.Fprintf(out, "\nmodel: %s\n", r.Model)
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

// needed returns an error for the first flag without a value; flags are names and values in
// turn.
func needed(flags ...string) error {
	for i := 0; i < len(flags); i += 2 {
		if flags[i+1] == "" {
			return misuse{fmt.Errorf("%s is missing", flags[i])}
		}
	}
	return nil
}
