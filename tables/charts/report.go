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

// Limits of what a report shows.
const (
	reportPoints     = 20000 // samples in the curves
	reportMarks      = 2000  // samples drawn in a plane
	reportDependence = 4     // columns with a dependence chart
)

// Report returns the page of mpcvm fit --report. It shows how good a model is, how it uses the data and
// what it consists of. progress, which may be nil, is called while the importance of the columns is computed, which takes longest.
//
// If the deadline of ctx passes, sections that need more time are omitted, which the page notes. If ctx is
// cancelled, Report returns its error.
func Report(ctx context.Context, f *assess.Evaluation, progress func(assess.Progress)) (nbhelpers.PageBlock,
	error) {
	r := report{Evaluation: f, ctx: ctx}
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
	if r.important, of, err = f.Importance(ctx, progress); err != nil && !r.late() {
		return nbhelpers.PageBlock{}, err
	}
	if r.p, err = f.Predictions(context.WithoutCancel(ctx)); err != nil {
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

// report is a Report under construction.
type report struct {
	*assess.Evaluation
	p         assess.Predictions
	important []assess.Importance
	ctx       context.Context
	page      []nbhelpers.Block
	// If rest is true, blocks are omitted when printing, which keeps the print to about two pages.
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

// late reports whether the deadline has passed.
func (r *report) late() bool { return r.ctx.Err() == context.DeadlineExceeded }

// alive adds the interactive section.
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

// errors adds the errors of the model.
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

// trust adds an assessment of the probabilities and prediction sets.
func (r *report) trust() error {
	bins, _, err := score.Reliability(r.p.Proba, r.p.T, 10)
	if err != nil {
		return err
	}
	curves := []nbhelpers.Calibration{{Bins: bins}}
	if r.Raw != nil {
		before, _, err := score.Reliability(r.Raw, r.p.T, 10)
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
		text := "A prediction set contains all plausible classes of a row, and at least the most probable one; " +
			"mpcvm predict --sets writes them. If the accuracy of the model exceeds the nominal coverage, the " +
			"coverage of the sets does too."
		if r.Folds != nil {
			text += " The thresholds come from the same rows that are used to evaluate the sets here, so the " +
				"overall coverage is always as requested. The worst class (among those with 20 rows) and the sizes " +
				"are more informative."
		}
		r.add(nbhelpers.Text(text), nbhelpers.Table(header, rows))
	}
	return nil
}

// unsure adds the rows with the least certain predictions, the relevance vectors closest to each, and their
// cells in the most important columns.
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
	r.add(nbhelpers.Heading("Least certain predictions"),
		nbhelpers.Text("The rows whose most probable class has the lowest probability, the relevance vectors most "+
			"similar to them according to the kernel, with their classes, and the cells of the most important "+
			"columns. Rows are counted from 1, without the header, as in mpcvm explain --row."),
		nbhelpers.Table([]string{"row", "class", "predicted", "nearest relevance vectors", "cells"}, rows))
	return nil
}

// tried adds the settings that search.Auto tried.
func (r *report) tried() error {
	if header, rows := summary.TrialTable(r.Evaluation); rows != nil {
		_, chart := nbhelpers.Trials(r.Result)
		r.add(nbhelpers.Heading("Appendix: what was tried"), nbhelpers.Text(summary.TrialRule(r.Evaluation)), chart,
			nbhelpers.Text("The chart shows all settings. The table lists those that are better than every model of "+
				"the same or a smaller size."), nbhelpers.Table(header, rows))
	}
	return nil
}

// curve adds the learning curve, if it was computed.
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
	r.add(nbhelpers.Heading("Would more data help?"),
		nbhelpers.Text("The chosen setting was trained on subsets of the rows and evaluated on rows that it did "+
			"not see. If the curve still falls at its right end, more rows would lower the error. The band is one "+
			"standard error."),
		nbhelpers.Lines([]nbhelpers.Series{s}, nbhelpers.LinesOptions{XName: "training rows",
			YName: "error (%)", LogX: true, YRange: [2]float64{0, reach.FromZero("", 5).Hi}, Height: 300}),
		nbhelpers.Table(header, rows))
	return nil
}

// columns adds the importance of the columns and the dependence on them.
func (r *report) columns(of string) error {
	list := r.important
	r.add(nbhelpers.Heading("Importance of the columns"))
	if list == nil {
		r.text("The importance of the columns was not computed because the time limit was reached.")
		return nil
	}
	r.add(nbhelpers.Text("How much worse the predictions for "+of+" get if the cells of a column are shuffled "+
		"among the rows. Redundant columns share their importance."),
		Permutation(list))
	r.rest = true
	defer func() { r.rest = false }()
	if widths := relativeWidths(r.Model.Model().Kernel()); widths != nil {
		r.add(nbhelpers.Importance(r.Model.Model().FeatureNames(), widths, nbhelpers.ImportanceOptions{
			Name:     "θ / mean θ",
			Subtitle: "θ of each standardized feature relative to their geometric mean, on a log scale",
		}))
	}
	var charts []nbhelpers.Block
	for _, i := range list[:min(len(list), reportDependence)] {
		d, err := assess.PartialDependence(r.ctx, r.Model, r.Table, i.Column,
			assess.DependenceOptions{MaxRows: 200, Seed: r.Seed})
		switch {
		case r.late():
			r.text("The dependence on the columns was not computed because the time limit was reached.")
			return nil
		case errors.Is(err, recipe.ErrNoColumn): // the column has no feature
		case err != nil:
			return err
		default:
			charts = append(charts, Dependence(d, DependenceOptions{}))
		}
	}
	r.add(nbhelpers.Heading("Dependence on the most important columns"),
		nbhelpers.Text("The mean probability of each class if all rows had this value in the column. If columns "+
			"are correlated, some of these combinations do not occur."),
		nbhelpers.Grid(2, charts...))
	return nil
}

// madeOf adds what the model consists of.
func (r *report) madeOf() error {
	m := r.Model.Model()
	r.add(nbhelpers.Heading("What the model consists of"), nbhelpers.Text(summary.About(r.Evaluation)))
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
		r.text(fmt.Sprintf("The chart shows %d of the rows.", set.N()))
	}
	if m.Features() > 2 {
		r.text("The chart shows a plane through the space of all features. Points whose other features are far " +
			"from their mean may appear in the region of another class.")
	}
	// The chart scales the features and marks the vectors in the model's units.
	r.add(nbhelpers.Regions(m.WithScaling(nil, nil), set,
		nbhelpers.RegionsOptions{Scale: &data.Standardizer{Mean: s.Mean, Scale: s.Scale},
			Principal: m.Features() > 2}))
	return nil
}

// data adds the columns and how they are used.
func (r *report) data() error {
	var rows [][]string
	for _, u := range r.Columns {
		rows = append(rows, []string{u.Name, u.Kind, u.Use, fmt.Sprintf("%.1f", 100*u.Missing)})
	}
	r.add(nbhelpers.Heading("The data"),
		nbhelpers.Text(fmt.Sprintf("%s: %s, %d columns, read as %s. The model was trained on %d rows with a class "+
			"and at least one cell. The program is mPCVM %s.",
			r.Table.Name, words.CountOf(r.Table.Rows, "row"), len(r.Table.Columns), r.Reading, r.N,
			r.Version)))
	if r.Command != "" {
		r.text("Created on " + r.Date + " with: " + r.Command)
	}
	r.page = append(r.page, chart.Only{Where: "print",
		Block: nbhelpers.Text("The printed version contains the first sections of the report. The file also has " +
			"an interactive section, the least certain predictions, and a description of the model.")})
	r.rest = true // from here on
	r.table([]string{"column", "kind", "used as", "missing %"}, rows)
	return nil
}

// relativeWidths returns the widths of a kernel that has one for each feature, relative to the geometric
// mean of the non-zero ones; nil for other kernels.
func relativeWidths(k kernel.Kernel) []float64 {
	var theta []float64
	if k, ok := k.(kernel.OfSum); ok {
		theta = k.Sum().Weights
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

// ExplainedReport returns the page of mpcvm explain --report, which explains the prediction for a row.
func ExplainedReport(x *assess.Explained) nbhelpers.PageBlock {
	blocks := []nbhelpers.Block{nbhelpers.Text("This is " + summary.Decision(x) + ".")}
	if header, rows := summary.ShareTable(x); rows != nil {
		blocks = append(blocks, nbhelpers.Text(summary.ShareMeaning), nbhelpers.Table(header, rows))
	}
	return nbhelpers.Page(append(blocks, nbhelpers.Explanation(x.Model.Model(), x.X),
		nbhelpers.Heading("Comparison with training rows"), nbhelpers.Text(summary.NeighbourMeaning),
		nbhelpers.Table(summary.NeighbourTable(x)),
		nbhelpers.Heading("Contributions of the training rows"), nbhelpers.Text(summary.SumMeaning(x)),
		nbhelpers.Table(summary.SumTable(x)),
	)...)
}

// ComparisonReport returns the page of mpcvm compare --report, which compares systems and shows the errors
// of the best one.
func ComparisonReport(r *assess.Results) nbhelpers.PageBlock {
	best, figureOf := lowestLoss(r)
	s := r.Score(best)
	runs, by := "one run", ""
	if r.Repeats > 1 {
		runs = strconv.Itoa(r.Repeats) + " runs"
	}
	if r.DealtBy != "" {
		by = ", split " + r.DealtBy
	}
	blocks := []nbhelpers.Block{nbhelpers.Text(fmt.Sprintf("%s has the lowest %s. It misclassifies %.1f %% of "+
		"the held-out rows; the majority baseline misclassifies %.1f %%. "+
		"The results are based on %d rows of %d classes and %s of %d-fold cross-validation%s.",
		s.System, figureOf, 100*s.Err.Value, 100*r.Score(0).Err.Value, len(r.Rows), len(r.Classes), runs,
		r.Folds, by))}
	for _, warning := range r.Warnings() {
		blocks = append(blocks, nbhelpers.Text("Warning: "+warning.Text))
	}
	blocks = append(blocks, nbhelpers.Table(summary.SystemTable(r)),
		nbhelpers.Text("± is one standard error. In the charts, a star marks the best system, and a hollow dot "+
			"marks a system whose difference from the best may be noise."),
		Comparison(r, ComparisonOptions{}), Comparison(r, ComparisonOptions{LogLoss: true}),
		nbhelpers.Heading("Errors of "+s.System), nbhelpers.Confusion(s.Confusion, r.Classes))
	if p, labels := r.OutOfFold(best); p != nil {
		blocks = append(blocks, nbhelpers.ROC(p, labels, r.Classes))
	}
	return nbhelpers.Page(blocks...)
}

// lowestLoss returns the system with the lowest log loss, or with the lowest error if some system predicts
// only labels, and the name of that score.
func lowestLoss(r *assess.Results) (best int, figure string) {
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
