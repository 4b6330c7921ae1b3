package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

type experiment struct {
	title, about string
	train, test  *data.Set
	theta        float64
	scale        data.Standardizer // zero for none
	regions      nbhelpers.RegionsOptions

	models   []*mpcvm.Model
	traces   []nbhelpers.Trace
	outcomes []outcome
}

// outcome is the result of a learner in an experiment.
type outcome struct {
	Set       string   `json:"dataset"`
	System    string   `json:"system"`
	Theta     float64  `json:"theta"`
	Train     int      `json:"n_train"`
	Test      int      `json:"n_test"`
	Err       float64  `json:"err"`
	AUC       float64  `json:"auc"`
	LogLoss   float64  `json:"logloss"`
	Vectors   int      `json:"relevance_vectors"`
	Weights   []int    `json:"weights_per_class"`
	Classes   []string `json:"classes"`
	Status    string   `json:"status"`
	Iteration int      `json:"iterations"`
	Seconds   float64  `json:"fit_s"`
}

type demoOptions struct {
	out  string
	seed uint64
	json bool
}

func demoCommand() *cobra.Command {
	o := &demoOptions{}
	cmd := &cobra.Command{
		Use: "demo", Short: "train both algorithms on two small data sets and draw charts",
		Long: `Train mPCVM₁ and mPCVM₂ on Iris and Overlap, which are included in the program, print their
scores on test data and write a page with charts, report.html.`,
		Example: "  mpcvm demo --out demo",
		Args:    arguments(0, 0, ""), RunE: task(o.run),
	}
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.out, "out", ".", "write report.html to the folder `DIR`, which is created if necessary")
		f.Uint64Var(&o.seed, "seed", 2, "the seed `S` of the test data")
		f.BoolVar(&o.json, "json", false, "print JSON instead of a table")
		precisionFlag(f)
	})
	return cmd
}

func (o *demoOptions) run(ctx context.Context, out, _ io.Writer) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil { // before the work, not after
		return err
	}
	report := filepath.Join(o.out, "report.html")
	if err := atomicfile.Check(report); err != nil {
		return named(report, err)
	}
	experiments, err := demoData(o.seed)
	if err != nil {
		return err
	}
	var all []outcome
	var rows [][]string
	for i := range experiments {
		if err := experiments[i].fit(ctx); err != nil {
			return err
		}
		for _, of := range experiments[i].outcomes {
			all, rows = append(all, of), append(rows, append([]string{of.Set}, of.cells()...))
		}
	}
	err = writeReport(ctx, report, "mPCVM on Iris and Overlap", func() (nbhelpers.Block, error) {
		blocks := []nbhelpers.Block{nbhelpers.Text("Two algorithms train the same model, the multi-class " +
			"probabilistic classification vector machine: mPCVM₁ prunes from the top down, mPCVM₂ builds from the " +
			"bottom up. The sign of every weight agrees with the class of its sample. The scores are computed on " +
			"test samples.")}
		for _, e := range experiments {
			blocks = append(blocks, e.blocks()...)
		}
		return nbhelpers.Page(blocks...), nil
	})
	switch {
	case err != nil:
		return err
	case o.json:
		return writeJSON(out, "runs", all)
	}
	if err := tabular.Write(out, outcomeHeader, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "charts: %s\n", report)
	return err
}

// demoData returns Iris with a fifth of the samples for testing, and two draws of Overlap.
func demoData(seed uint64) ([]experiment, error) {
	iris, err := data.Load("iris")
	if err != nil {
		return nil, err
	}
	overlap, err := data.Load("overlap")
	if err != nil {
		return nil, err
	}
	train, test := iris.Split(0.8, seed)
	fresh := data.Overlap(data.OverlapSeed + 1 + seed)
	return []experiment{{
		title: "Iris", theta: 0.1, train: train, test: test, scale: data.FitStandardizer(train.X),
		about: fmt.Sprintf("%d flowers for training and %d for testing; features standardised, RBF kernel "+
			"with θ = 0.1.", train.N(), test.N()),
		regions: nbhelpers.RegionsOptions{Features: [2]int{2, 3}, Units: []string{"cm", "cm", "cm", "cm"}},
	}, {
		title: "Overlap", theta: 1, train: overlap, test: fresh,
		about: fmt.Sprintf("The paper's synthetic problem with three overlapping classes: %d points for training "+
			"and %d new points from the same distribution for testing; RBF kernel with θ = 1.",
			overlap.N(), fresh.N()),
	}}, nil
}

func (e *experiment) fit(ctx context.Context) error {
	x := e.train.X
	if e.scale.Mean != nil {
		x = e.scale.Apply(nil, x)
	}
	k := kernel.RBF{Theta: e.theta}
	for _, s := range []struct {
		name string
		mpcvm.Learner
	}{{"mPCVM₁", mpcvm.TopDown{Kernel: k}}, {"mPCVM₂", mpcvm.BottomUp{Kernel: k}}} {
		progress := nbhelpers.NewProgress(s.name + " on " + e.title)
		m, r, err := s.Fit(ctx, mpcvm.Samples{X: x, T: e.train.T}, progress.Observe)
		if r.Iterations > 0 { // else it failed before the first
			progress.Done(r)
		}
		if err != nil {
			return err
		}
		m = m.WithNames(e.train.Classes, e.train.Features).WithScaling(e.scale.Mean, e.scale.Scale)
		p, labels := m.Proba(nil, e.test.X), m.Predict(nil, e.test.X)
		loss, errLoss := score.LogLoss(p, e.test.T)
		auc, errAUC := score.AUC(p, e.test.T)
		wrong, errWrong := score.ErrorRate(labels, e.test.T)
		if err = cmp.Or(ctx.Err(), errLoss, errAUC, errWrong); err != nil {
			return err
		}
		e.models, e.traces = append(e.models, m), append(e.traces, nbhelpers.Trace{Name: s.name, Steps: r.Trace})
		e.outcomes = append(e.outcomes, outcome{
			Set: e.title, System: s.name, Theta: e.theta, Train: e.train.N(), Test: len(e.test.T),
			Err: wrong, AUC: auc, LogLoss: loss,
			Vectors: len(m.RelevanceVectors()), Weights: m.NonZero(), Classes: m.ClassNames(),
			Status: r.Status.String(), Iteration: r.Iterations, Seconds: r.Seconds,
		})
	}
	return nil
}

func (e *experiment) blocks() []nbhelpers.Block {
	var rows [][]string
	for _, o := range e.outcomes {
		rows = append(rows, o.cells())
	}
	page := []nbhelpers.Block{nbhelpers.Heading(e.title), nbhelpers.Text(e.about),
		nbhelpers.Table(outcomeHeader[1:], rows), nbhelpers.Convergence(e.traces...)}
	for i, m := range e.models {
		regions := e.regions
		regions.Title = fmt.Sprintf("%s by %s", e.title, e.traces[i].Name)
		page = append(page, nbhelpers.Heading(regions.Title), nbhelpers.Sparsity(m, e.train.N()),
			nbhelpers.Weights(m), nbhelpers.Regions(m, e.train, regions))
	}
	return page
}

var outcomeHeader = []string{"set", "system", "error %", "log loss", "AUC", "relevance vectors",
	"non-zero weights (per class)", "iterations", "seconds", "status"}

// cells returns the cells of a table row after the name of the set.
func (o outcome) cells() []string {
	total := 0
	var each []string
	for c, n := range o.Weights {
		total += n
		each = append(each, fmt.Sprintf("%s %d", o.Classes[c], n))
	}
	return []string{o.System, tabular.Percent(o.Err), tabular.Number(o.LogLoss), tabular.Number(o.AUC),
		strconv.Itoa(o.Vectors), fmt.Sprintf("%d (%s)", total, strings.Join(each, ", ")),
		strconv.Itoa(o.Iteration), fmt.Sprintf("%.2f", o.Seconds), o.Status}
}
