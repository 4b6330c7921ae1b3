package charts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/summary"
)

// What a report shows at most.
const (
	reportPoints     = 20000 // samples one by one
	reportMarks      = 2000  // of these as marks on a plane
	reportDependence = 4     // columns
)

// Report shows how good a model is, what it makes of the data, and what it is made of: the page of mpcvm fit
// --report. f and e are what assess.Evaluate returns. progress, which may be nil, hears of the importance of
// the columns, the longest part.
//
// If the deadline of ctx passes, parts that need more time are left out, and the page says so. The error is
// the context's if it is cancelled.
func Report(ctx context.Context, f *assess.Evaluation, e *assess.Evidence, progress func(assess.Progress)) (
	nbhelpers.PageBlock, error) {
	r := report{Evaluation: f, Evidence: e, ctx: ctx}
	r.text(summary.Verdict(f))
	for _, w := range f.Warnings {
		r.text("⚠ " + w.Text)
	}
	r.table(summary.FigureTable(f.Figures()))
	if method := summary.Method(f); method != "" {
		r.text(method)
	}
	var of string
	var err error
	if r.important, of, err = e.Importance(ctx, progress); err != nil && !r.late() {
		return nbhelpers.PageBlock{}, err
	}
	if r.p, err = e.Predictions(context.WithoutCancel(ctx)); err != nil {
		return nbhelpers.PageBlock{}, err
	}
	for _, part := range []func() error{
		r.alive, r.errors, r.trust, func() error {
			return r.columns(of)
		}, r.curve, r.data, r.unsure, r.madeOf, r.tried,
	} {
		if ctx.Err() == context.Canceled {
			return nbhelpers.PageBlock{}, ctx.Err()
		}
		if err := part(); err != nil {
			return nbhelpers.PageBlock{}, err
		}
	}
	return nbhelpers.Page(r.page...), nil
}

// report is a Report on its way.
type report struct {
	*assess.Evaluation
	*assess.Evidence
	p         assess.Predictions // of Evidence
	important []assess.Importance
	ctx       context.Context
	page      []nbhelpers.Block
	// rest says that what is added is left out in print, which has about two pages.
	rest bool
}

func (r *report) add(blocks ...nbhelpers.Block) {
	for _, b := range blocks {
		if r.rest {
			b = chart.Only{Block: b, Where: "screen"}
		}
		r.page = append(r.page, b)
	}
}

func (r *report) text(text string)                       { r.add(nbhelpers.Text(text)) }
func (r *report) table(header []string, rows [][]string) { r.add(nbhelpers.Table(header, rows)) }

// late reports whether the time is up.
func (r *report) late() bool { return r.ctx.Err() == context.DeadlineExceeded }

// alive lets the reader ask the model.
func (r *report) alive() error {
	if r.Model.Recipe() == nil || len(r.p.Rows) == 0 {
		return nil
	}
	block, err := newWhatIf(r.Model, r.p, r.important)
	if err == nil {
		r.add(block)
	}
	return err
}

// errors shows which errors the model makes.
func (r *report) errors() error {
	p := r.p
	list, confusion := p.Classes(r.Classes)
	r.add(nbhelpers.Heading("Errors"), nbhelpers.Text("The charts show "+p.Of+"."),
		nbhelpers.Confusion(confusion, r.Classes), nbhelpers.Table(summary.ClassTable(list, confusion)))
	if r.Costs != nil {
		r.add(nbhelpers.Text(summary.Decisions(r.Evaluation)), nbhelpers.Table(summary.CostTable(r.Evaluation)),
			nbhelpers.Table(summary.DecisionTable(r.Evaluation)))
		if len(r.Classes) == 2 {
			costs := mat.NewDense(2, 2, slices.Concat(r.Costs.Matrix...))
			r.add(Costs(assess.CostCurve(p.Proba, p.T, costs)))
		}
	}
	if len(p.T) <= reportPoints {
		r.rest = true
		r.add(nbhelpers.Grid(2, nbhelpers.ROC(p.Proba, p.T, r.Classes),
			nbhelpers.PrecisionRecall(p.Proba, p.T, r.Classes)), nbhelpers.Gain(p.Proba, p.T, r.Classes))
	}
	r.rest = false
	return nil
}

// trust shows how far the probabilities can be trusted.
func (r *report) trust() error {
	bins, _, err := score.Reliability(r.p.Proba, r.p.T, 10)
	if err != nil {
		return err
	}
	curves := []nbhelpers.Calibration{{Bins: bins}}
	if r.Uncalibrated != nil {
		before, _, err := score.Reliability(r.Uncalibrated, r.p.T, 10)
		if err != nil {
			return err
		}
		curves = []nbhelpers.Calibration{{Name: "calibrated", Bins: bins}, {Name: "before", Bins: before}}
	}
	r.add(nbhelpers.Heading("Can the probabilities be trusted?"))
	if text := summary.Calibration(r.Trust); text != "" {
		r.text(text)
	}
	r.add(nbhelpers.Reliability(curves, nbhelpers.ReliabilityOptions{}))
	if header, rows := summary.SetTable(r.Trust); rows != nil {
		text := "A prediction set has all plausible classes of a row, and at least the likeliest one; mpcvm " +
			"predict --sets writes them. Where the model is right more often than a set must be, the sets are, too."
		if r.Folds != nil {
			text += " Their thresholds come from the rows that judge them here, so that all classes together are " +
				"covered as asked for in any case. The worst class, of those with 20 rows, and the sizes tell more."
		}
		r.add(nbhelpers.Text(text), nbhelpers.Table(header, rows))
	}
	return nil
}

// unsure shows the rows that the model is least sure of: the relevance vectors most like each, and its cells
// in the most important columns.
func (r *report) unsure() error {
	const mostRows, mostNear, mostCells = 10, 3, 6
	p, own := r.p, r.Folds != nil || r.TestTable == nil
	order, top := make([]int, len(p.T)), make([]float64, len(p.T))
	for i := range order {
		order[i], top[i] = i, slices.Max(p.Proba.RawRowView(i))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(top[a], top[b]) })
	var rows [][]string
	for _, i := range order[:min(len(order), mostRows)] {
		x, err := assess.Explain(r.Model, p.Table, p.Rows[i])
		if err != nil {
			return err
		}
		name := strconv.Itoa(x.Row + 1)
		if x.ID != "" {
			name += " · " + x.ID
		}
		var near, cells []string
		for _, v := range x.Near {
			if (!own || v.Index != x.Row) && len(near) < mostNear {
				near = append(near, fmt.Sprintf("%s (%s)", v.Name(), cell.Cut(r.Classes[v.Label], 20)))
			}
		}
		for _, c := range r.important[:min(len(r.important), mostCells)] {
			text := p.Table.Columns[p.Table.Find(c.Column)].Text(x.Row)
			cells = append(cells, cell.Cut(c.Column, 20)+" "+cmp.Or(cell.Cut(text, 20), "?"))
		}
		rows = append(rows, []string{
			name, cell.Cut(r.Classes[p.T[i]], 20), fmt.Sprintf("%s (%.2f)", cell.Cut(r.Classes[p.Labels[i]], 20),
				top[i]),
			strings.Join(near, ", "), strings.Join(cells, ", "),
		})
	}
	r.add(nbhelpers.Heading("What the model is least sure of"),
		nbhelpers.Text("The rows with the lowest probability of the likeliest class, the relevance vectors most "+
			"like them by the kernel, with their classes, and the cells of the most important columns. Rows count "+
			"from 1, without the header, as for mpcvm explain --row."),
		nbhelpers.Table([]string{"row", "class", "predicted", "nearest relevance vectors", "cells"}, rows))
	return nil
}

// tried shows what search.Auto tried.
func (r *report) tried() error {
	if header, rows := summary.TrialTable(r.Evaluation); rows != nil {
		_, chart := nbhelpers.Trials(r.Result)
		r.add(nbhelpers.Heading("Appendix: what was tried"), nbhelpers.Text(summary.TrialRule(r.Evaluation)), chart,
			nbhelpers.Text("The chart has all settings. The table has those that no model of the same size or a "+
				"smaller one beats."), nbhelpers.Table(header, rows))
	}
	return nil
}

// curve shows how the figures fall with more rows, if that was measured.
func (r *report) curve() error {
	header, rows := summary.CurveTable(r.Evaluation)
	if rows == nil {
		return nil
	}
	s, reach := nbhelpers.Series{Dots: true}, chart.NewSpan()
	for _, p := range r.Curve {
		s.X, s.Y = append(s.X, float64(p.Rows)), append(s.Y, 100*p.Err)
		s.Low, s.High = append(s.Low, 100*max(p.Err-p.ErrSE, 0)), append(s.High, 100*(p.Err+p.ErrSE))
	}
	reach.Add(s.Y...)
	reach.Add(s.High...)
	r.add(nbhelpers.Heading("Would more rows help?"),
		nbhelpers.Text("The chosen setting learned from parts of the rows and predicted rows that it did not "+
			"see. Where the curve still falls at its right end, more rows would lower the error. The band is one "+
			"standard error."),
		nbhelpers.Lines([]nbhelpers.Series{s}, nbhelpers.LinesOptions{XName: "rows to learn from",
			YName: "error (%)", LogX: true, YRange: [2]float64{0, reach.FromZero("", 5).Hi}, Height: 300}),
		nbhelpers.Table(header, rows))
	return nil
}

// columns shows what the model makes of the columns.
func (r *report) columns(of string) error {
	list := r.important
	r.add(nbhelpers.Heading("Importance of the columns"))
	if list == nil {
		r.text("There was no time for the importance of the columns.")
		return nil
	}
	r.add(nbhelpers.Text("How much worse the model predicts "+of+
		" if the cells of a column are shuffled among the rows. Columns that say the same share their importance."),
		Permutation(list))
	r.rest = true
	defer func() { r.rest = false }()
	if widths := relativeWidths(r.Model.Model().Kernel()); widths != nil {
		r.add(nbhelpers.Importance(r.Model.Model().FeatureNames(), widths, nbhelpers.ImportanceOptions{
			Name:     "θ / mean θ",
			Subtitle: "θ of each standardised feature relative to their geometric mean, on a log scale",
		}))
	}
	var charts []nbhelpers.Block
	for _, i := range list[:min(len(list), reportDependence)] {
		d, err := assess.PartialDependence(r.ctx, r.Model, r.Table, i.Column,
			assess.DependenceOptions{MaxRows: 200, Seed: r.Seed})
		switch {
		case r.late():
			r.text("There was no time for the dependence on the columns.")
			return nil
		case errors.Is(err, recipe.ErrNoColumn): // it makes no feature
		case err != nil:
			return err
		default:
			charts = append(charts, Dependence(d, DependenceOptions{}))
		}
	}
	r.add(nbhelpers.Heading("Dependence on the most important columns"),
		nbhelpers.Text("The mean probability of each class if all rows had this value of the column. Where "+
			"columns depend on each other, some of these rows cannot exist."),
		nbhelpers.Grid(2, charts...))
	return nil
}

// madeOf shows what the model consists of.
func (r *report) madeOf() error {
	m := r.Model.Model()
	r.add(nbhelpers.Heading("What the model is made of"), nbhelpers.Text(summary.About(r.Evaluation)))
	var rows [][]string
	for _, s := range m.Summary() {
		rows = append(rows, []string{s.Name, fmt.Sprintf("%.4g", s.Bias), strconv.Itoa(s.Positive),
			fmt.Sprintf("%.4g", s.PositiveSum), strconv.Itoa(s.Negative), fmt.Sprintf("%.4g", s.NegativeSum)})
	}
	r.table([]string{"class", "bias", "weights for", "their sum", "weights against", "their sum"}, rows)
	r.add(nbhelpers.Sparsity(m, r.N), nbhelpers.Weights(m))
	if len(r.Result.Trace) > 0 {
		r.add(nbhelpers.Convergence(nbhelpers.Trace{Name: assess.Title(r.Algorithm), Steps: r.Result.Trace}))
	}
	if m.Features() < 2 || r.N > reportPoints || r.late() {
		return nil
	}
	s := r.Model.Samples()
	if !s.From(r.Table, r.Target) {
		var err error
		if s, err = recipe.Prepare(r.ctx, r.Table, r.Target, nil); err != nil {
			return err
		}
	}
	x, _, err := s.Recipe.Encode(nil, r.Table, s.Rows)
	if err != nil {
		return err
	}
	set := &data.Set{Name: r.Set, X: x, T: s.T, Classes: s.Classes, Features: m.FeatureNames()}
	if set.N() > reportMarks {
		set = set.Subset(everyNth(set.N(), reportMarks))
		r.text(fmt.Sprintf("The marks are %d of the rows.", set.N()))
	}
	if m.Features() > 2 {
		r.text("The regions are a plane through the space of all features. A point may seem misplaced where its " +
			"other features are far from their mean.")
	}
	// The chart scales on its own, and rings the vectors where the model has them.
	r.add(nbhelpers.Regions(m.WithScaling(nil, nil), set,
		nbhelpers.RegionsOptions{Scale: &data.Standardizer{Mean: s.Mean, Scale: s.Scale},
			Principal: m.Features() > 2}))
	return nil
}

// data describes which columns entered the model, and how.
func (r *report) data() error {
	var rows [][]string
	for _, u := range r.Columns {
		rows = append(rows, []string{u.Name, u.Kind, u.Use, fmt.Sprintf("%.1f", 100*u.Missing)})
	}
	r.add(nbhelpers.Heading("The data"),
		nbhelpers.Text(fmt.Sprintf("%s: %s, %d columns, read as %s. %d rows with a class and at least one cell "+
			"were learned from. The program is mPCVM %s.",
			r.Table.Name, words.CountOf(r.Table.Rows, "row"), len(r.Table.Columns), r.Reading, r.N,
			r.Version)))
	if r.Command != "" {
		r.text("Made on " + r.Date + " by: " + r.Command)
	}
	r.page = append(r.page, chart.Only{Where: "print",
		Block: nbhelpers.Text("This print has the first parts of the report. Its file has more: rows to ask " +
			"about, what the model is least sure of, and what it is made of.")})
	r.rest = true // from here on
	r.table([]string{"column", "kind", "used as", "missing %"}, rows)
	return nil
}

// relativeWidths are the widths of a kernel that has one for each feature, relative to the geometric
// mean of those that are not zero; of other kernels nil.
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

// ExplainedReport shows why a model decides as it does on a row: the page of mpcvm explain --report.
func ExplainedReport(x *assess.Explained) nbhelpers.PageBlock {
	blocks := []nbhelpers.Block{nbhelpers.Text("This is " + summary.Decision(x) + ".")}
	if header, rows := summary.ShareTable(x); rows != nil {
		blocks = append(blocks, nbhelpers.Text(summary.ShareMeaning), nbhelpers.Table(header, rows))
	}
	return nbhelpers.Page(append(blocks, nbhelpers.Explanation(x.Model.Model(), x.X),
		nbhelpers.Heading("Beside training rows"), nbhelpers.Text(summary.NeighbourMeaning),
		nbhelpers.Table(summary.NeighbourTable(x)),
		nbhelpers.Heading("What each training row adds"), nbhelpers.Text(summary.SumMeaning(x)),
		nbhelpers.Table(summary.SumTable(x)),
	)...)
}

// ComparisonReport shows which of several systems is best, and where it errs: the page of mpcvm
// compare --report.
func ComparisonReport(r *assess.Results) nbhelpers.PageBlock {
	best, figureOf := leastLoss(r)
	s := r.Score(best)
	runs, by := "one run", ""
	if r.Repeats > 1 {
		runs = strconv.Itoa(r.Repeats) + " runs"
	}
	if r.DealtBy != "" {
		by = ", dealt " + r.DealtBy
	}
	blocks := []nbhelpers.Block{nbhelpers.Text(fmt.Sprintf("%s has the least %s. It misclassifies %.1f %% of "+
		"the rows that it did not see, the majority baseline %.1f %%. "+
		"The figures are of %d rows of %d classes and %s of %d-fold cross-validation%s.",
		s.System, figureOf, 100*s.Err.Value, 100*r.Score(0).Err.Value, len(r.Rows), len(r.Classes), runs,
		r.Folds, by))}
	for _, warning := range r.Warnings() {
		blocks = append(blocks, nbhelpers.Text("Warning: "+warning.Text))
	}
	blocks = append(blocks, nbhelpers.Table(summary.SystemTable(r)),
		nbhelpers.Text("± is one standard error. In the charts a star is the best system and a hollow dot one "+
			"whose difference to the best may be noise."),
		Comparison(r, ComparisonOptions{}), Comparison(r, ComparisonOptions{LogLoss: true}),
		nbhelpers.Heading("Where "+s.System+" errs"), nbhelpers.Confusion(s.Confusion, r.Classes))
	if p, labels := r.OutOfFold(best); p != nil {
		blocks = append(blocks, nbhelpers.ROC(p, labels, r.Classes))
	}
	return nbhelpers.Page(blocks...)
}

// leastLoss is the system with the least log loss. If a system has labels only, it is the one with
// the least error, because the log loss does not compare them all. figure is what is least.
func leastLoss(r *assess.Results) (best int, figure string) {
	errs, losses := make([]assess.Figure, len(r.Systems)), make([]assess.Figure, len(r.Systems))
	figure = "log loss"
	for s := range r.Systems {
		score := r.Score(s)
		errs[s], losses[s] = score.Err, score.LogLoss
		if r.Systems[s].Err == nil && math.IsNaN(score.LogLoss.Value) {
			figure = "error"
		}
	}
	if figure == "error" {
		losses = errs
	}
	return max(assess.Best(losses), 0), figure
}
