package report_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/report"
	"github.com/mpcvm/mpcvm/tables/table"
)

func TestInBrief(t *testing.T) {
	for name, want := range map[string]string{
		"rbf(theta=0.0012552973818531652)":                     "rbf(theta=0.001255)",
		"laplacian(theta=1.5e-07)":                             "laplacian(theta=1.5e-07)",
		"rbf(theta=9.360108489722848e-05)":                     "rbf(theta=9.36e-05)",
		"polynomial(degree=2, offset=1)":                       "polynomial(degree=2, offset=1)",
		"ard(theta=[0.12345 0.23456 0.34567 0.45678 0.56789])": "ard(theta=[0.1235 0.2346 0.3457 0.4568 0.5679])",
	} {
		if got := report.InBrief(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// letters returns a table with three overlapping classes.
func letters(n int) *table.Table {
	random := rand.New(rand.NewPCG(8, 1))
	t := &table.Table{Name: "test.csv", Rows: n, Columns: []table.Column{
		{Name: "x", Kind: table.Number}, {Name: "class", Kind: table.Category, Levels: []string{"a", "b", "c"}},
	}}
	for i := range n {
		t.Columns[0].Numbers = append(t.Columns[0].Numbers, float64(i%3)+0.5*random.NormFloat64())
		t.Columns[1].Codes = append(t.Columns[1].Codes, int32(i%3))
	}
	return t
}

// second is a learner whose model always predicts the second class. If it is broken, Fit fails.
type second struct{ broken bool }

func (l second) Fit(_ context.Context, s mpcvm.Samples, _ ...mpcvm.Observer) (second, mpcvm.Result, error) {
	if l.broken {
		return l, mpcvm.Result{}, errors.New("no luck")
	}
	return l, mpcvm.Result{}, nil
}

func (second) Calibrated() bool { return false }

func (second) Predict(_ []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	return slices.Repeat([]int{1}, n)
}

func (second) Proba(_ *mat.Dense, x mat.Matrix) *mat.Dense { panic("predicts labels only") }

func TestComparison(t *testing.T) {
	systems := []eval.System{eval.Of("logistic", mlr.MLR{}), eval.Of("labels", second{}),
		eval.Of("broken", second{true})}
	r, err := eval.CrossValidate(t.Context(), letters(90), "class", systems, eval.Options{Repeats: 2})
	if err != nil {
		t.Fatal(err)
	}
	var plain, bold, classes strings.Builder
	if err := errors.Join(report.Comparison(r).WriteText(&plain, false), report.Comparison(r).WriteText(&bold,
		true),
		report.Classes(r.Systems[2]).WriteText(&classes, false)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(plain.String(), "\n")
	if lines[0] != "test.csv: class, 90 rows, 3 classes; 5-fold cross-validation, 2 times" ||
		!strings.HasPrefix(lines[2], "SYSTEM") || !strings.HasPrefix(lines[3], "majority") ||
		!strings.Contains(lines[4], "*") || !strings.Contains(lines[5], "–") ||
		!strings.Contains(lines[6], "failed") || !strings.Contains(plain.String(), "warning: labels collapsed") {
		t.Errorf("%s", &plain)
	}
	stripped := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(bold.String())
	if strings.Contains(plain.String(), "\x1b") || strings.Count(bold.String(), "\x1b[1m") != 3 ||
		stripped != plain.String() {
		t.Errorf("%q", bold.String())
	}
	if !strings.Contains(classes.String(), "b (60)") || strings.Count(classes.String(), "\n") != 4 {
		t.Errorf("%s", &classes)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err = eval.CrossValidate(ctx, letters(90), "class", systems[:1], eval.Options{Repeats: 2,
		Progress: func(p eval.Progress) {
			if p.Done == p.Total/2 {
				cancel()
			}
		}})
	plain.Reset()
	if err == nil || report.Comparison(r).WriteText(&plain, false) != nil ||
		!strings.Contains(plain.String(), fmt.Sprintf("; %d of 10 folds", r.Complete)) {
		t.Errorf("%v: %s", err, &plain)
	}
}

// Brief needs only the figures of an evaluation.
func TestBrief(t *testing.T) {
	half, tenth := 0.5, 0.1
	e := &eval.Evaluation{
		Algorithm: "mpcvm2", Kernel: "linear", N: 2100, Features: 2, Classes: []string{"no", "yes"},
		Status: "converged", Iterations: 3, RelevanceVectors: 1, Candidates: 7,
		CV: &eval.CrossValidation{
			Figures: model.Figures{Of: "cross-validation", Rows: 300, Error: &tenth, ErrorSE: &tenth},
			Folds:   5, Done: 1, HeldOut: true, Confusion: [][]int{{140, 10}, {20, 130}},
			Classes: []eval.ClassFigures{{Class: "no", N: 150}, {Class: "yes", N: 150, AUC: &half}},
		},
	}
	e.Baseline.Figures, e.Baseline.Class = model.Figures{Of: "majority baseline", Error: &half}, "no"
	var b strings.Builder
	if err := report.Brief(e, nil).WriteText(&b, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"the model misclassifies 10.00 ± 10.00 %; always predicting the most frequent class, \"no\", misclassifies 50.00 %.\n",
		"no (20)", "PREDICTED   NO  YES", "Held out: 300 rows were held out by the search",
		"mPCVM₂ with the kernel linear on 2100 samples of 2 features: converged after 3 iterations; " +
			"1 relevance vector among 7 candidates.",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// Show the page of mpcvm fit --report in a notebook.
func ExampleFull() {
	t := &table.Table{Name: "fruit.csv", Rows: 40, Columns: []table.Column{
		{Name: "weight", Kind: table.Number},
		{Name: "class", Kind: table.Category, Levels: []string{"apple", "pear"}},
	}}
	for i := range 40 {
		t.Columns[0].Numbers = append(t.Columns[0].Numbers, 150+30*float64(i%2)+float64(i*i%41))
		t.Columns[1].Codes = append(t.Columns[1].Codes, int32(i%2))
	}
	ctx, l := context.Background(), search.Width{Learner: mpcvm.BottomUp{}}
	model, result, err := tables.Fit(ctx, t, "class", l)
	if err != nil {
		log.Fatal(err)
	}
	f, err := eval.Evaluate(ctx, t, model, eval.EvaluateOptions{Learner: l, Result: result})
	if err != nil {
		log.Fatal(err)
	}
	document, err := report.Full(ctx, f, report.Options{})
	if err != nil {
		log.Fatal(err)
	}
	page := document.Page()
	page.Display() // in a notebook; use nbhelpers.WritePageFile to write a file
	fmt.Println(len(page.HTML()) > 10000)
	// Output: true
}

// Full has the text of Brief, and its page has a section for each part of the evaluation.
func TestFull(t *testing.T) {
	ctx, l := t.Context(), mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.3}}
	m, result, err := tables.Fit(ctx, letters(90), "class", l)
	if err != nil {
		t.Fatal(err)
	}
	e, err := eval.Evaluate(ctx, letters(90), m, eval.EvaluateOptions{Learner: l, Result: result,
		Curve: true,
		Costs: mat.NewDense(3, 3, []float64{0, 1, 1, 5, 0, 1, 1, 1, 0})})
	if err != nil {
		t.Fatal(err)
	}
	document, err := report.Full(ctx, e, report.Options{})
	var brief, full strings.Builder
	if err := errors.Join(err, report.Brief(e, nil).WriteText(&brief, false), document.WriteText(&full,
		false)); err != nil {
		t.Fatal(err)
	}
	if brief.String() != full.String() {
		t.Errorf("%s\nwant\n%s", &full, &brief)
	}
	page := document.Page().HTML()
	for _, heading := range []string{"<h2>Errors", "<h2>Can the probabilities be trusted?",
		"<h2>Importance of the columns", "<h3>Dependence on the most important columns",
		"<h3>Would more data help?",
		"<h2>Costs of the decisions", "<h2>The data", "<h3>Least certain predictions",
		"<h3>What the model consists of",
		`headline">Right in`, "Most often mixed up: ", `<a href="#what-if">What if</a>`} {
		if strings.Count(page, heading) != 1 {
			t.Errorf("%d times %q", strings.Count(page, heading), heading)
		}
	}
}

// reportOf is the report of a model of a table.
func reportOf(t *testing.T, path string, k kernel.Kernel, costs *mat.Dense) nbhelpers.Block {
	t.Helper()
	all, err := tables.Open(path, tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learner := mpcvm.BottomUp{Kernel: k}
	m, result, err := tables.Fit(t.Context(), all, "", learner)
	if err != nil {
		t.Fatal(err)
	}
	opt := eval.EvaluateOptions{Learner: learner, Result: result}
	if costs != nil {
		m, opt.Costs = m.With(m.Model().WithCosts(costs)), costs
	}
	figures, err := eval.Evaluate(t.Context(), all, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	document, err := report.Full(t.Context(), figures, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return document.Page()
}

// TestScripts: every report contains the same scripts, Scripts, and the same policy.
func TestScripts(t *testing.T) {
	var hashes []string
	for _, script := range report.Scripts() {
		sum := sha256.Sum256([]byte(script))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	slices.Sort(hashes)
	penguins := reportOf(t, "../../data/penguins.csv", kernel.RBF{Theta: 0.1}, nil)
	iris := reportOf(t, "../../data/iris.csv", kernel.Polynomial{Degree: 2, Offset: 1},
		mat.NewDense(3, 3, []float64{0, 1, 5, 1, 0, 1, 2, 1, 0}))
	var first []string
	for i, blocks := range [][]nbhelpers.Block{{penguins}, {iris}, {iris, penguins}} {
		var b strings.Builder
		if err := nbhelpers.WritePage(&b, fmt.Sprint("report ", i), blocks...); err != nil {
			t.Fatal(err)
		}
		var scripts []string
		data := 0
		for _, m := range regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`).FindAllStringSubmatch(b.String(), -1) {
			if strings.Contains(m[1], `type="text/plain"`) {
				data++
				continue
			}
			scripts = append(scripts, m[2])
			if !slices.Contains(report.Scripts(), m[2]) {
				t.Errorf("page %d contains another script: %.80q", i, m[2])
			}
		}
		if want := len(blocks) + 1; data != want { // the rows of each report, and the charts
			t.Errorf("page %d has %d blocks of data, want %d", i, data, want)
		}
		if i == 0 {
			first = scripts
		}
		if !slices.Equal(scripts, first) {
			t.Errorf("page %d differs from the first in its scripts", i)
		}
		policy := regexp.MustCompile(`script-src ([^;]*);`).FindStringSubmatch(b.String())[1]
		if got := slices.Sorted(slices.Values(strings.Fields(policy))); !slices.Equal(got, hashes) {
			t.Errorf("page %d allows %q, want %q", i, got, hashes)
		}
	}
}

// A page of your own can show reports in frames (<iframe srcdoc>) if its policy allows their scripts.
func ExampleScripts() {
	policy := "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src"
	for _, script := range report.Scripts() {
		sum := sha256.Sum256([]byte(script))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	fmt.Println(strings.Count(policy, "sha256-"), "scripts")
	// Output: 4 scripts
}
