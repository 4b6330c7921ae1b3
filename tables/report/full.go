package report

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
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Limits of what a report shows.
const (
	reportPoints     = 20000 // samples in the curves
	reportMarks      = 2000  // samples drawn in a plane
	reportDependence = 4     // columns with a dependence chart
)

// Options configures Full.
type Options struct {
	// Voice puts the warnings into words. If nil, table.Go is used.
	Voice *table.Voice
	// Progress, if not nil, is called while the importance of the columns is computed, which takes longest.
	Progress func(assess.Progress)
}

// Full returns the report of mpcvm fit. It contains Brief, and the page shows how good a model is, how it
// uses the data and what it consists of.
//
// If the deadline of ctx passes, sections that need more time are omitted, which the page notes. If ctx is
// cancelled, Full returns its error.
func Full(ctx context.Context, e *assess.Evaluation, o Options) (Document, error) {
	r := full{Evaluation: e, ctx: ctx, m: page}
	r.text(all, Verdict(e))
	for _, text := range cmp.Or(o.Voice, table.Go).SayAll(e.Warnings) {
		r.text(page, "⚠ "+text)
	}
	r.table(all, FigureTable(e.Figures()))
	r.text(page, method(e))
	important, of, err := e.Importance(ctx, o.Progress)
	if err != nil && !r.late() {
		return Document{}, err
	}
	r.important = important
	for _, section := range []func() error{
		r.whatIf, r.errors, r.trust, func() error { return r.columns(of) }, r.curve, r.decide, r.data, r.unsure, r.madeOf,
		r.tried,
	} {
		if ctx.Err() == context.Canceled {
			return Document{}, ctx.Err()
		}
		if err := section(); err != nil {
			return Document{}, err
		}
	}
	return r.Document, nil
}

// full is a Document under construction.
type full struct {
	*assess.Evaluation
	Document
	important []assess.Importance
	ctx       context.Context
	// m is where sections appear: page, or screen for those that are omitted when printing, which keeps the
	// print to about two pages.
	m media
}

// late reports whether the deadline has passed.
func (r *full) late() bool { return r.ctx.Err() == context.DeadlineExceeded }

// whatIf adds the interactive section.
func (r *full) whatIf() error {
	if r.Model.Recipe() == nil || len(r.Shown.Rows) == 0 {
		return nil
	}
	block, err := newWhatIf(r.Evaluation, r.important)
	if err == nil {
		r.charts(page, block)
	}
	return err
}

// errors adds the errors of the model.
func (r *full) errors() error {
	p := r.Shown
	confusion := p.Confusion()
	r.heading(page, "Errors")
	r.text(page, "The charts show "+r.Of+".")
	r.charts(page, nbhelpers.Confusion(confusion, r.Classes))
	m := page
	if r.CV != nil {
		m = all
	}
	r.table(m, classTable(p.ByClass(), confusion))
	if r.CV != nil {
		r.table(terminal, confusionTable(r.CV))
		r.table(terminal, importanceTable(r.Evaluation))
	}
	if len(p.T) <= reportPoints {
		r.charts(screen, nbhelpers.Grid(2, nbhelpers.ROC(p.Proba, p.T, r.Classes),
			nbhelpers.PrecisionRecall(p.Proba, p.T, r.Classes)), nbhelpers.Gain(p.Proba, p.T, r.Classes))
	}
	return nil
}

// trust adds an assessment of the probabilities and prediction sets.
func (r *full) trust() error {
	bins, _, err := score.Reliability(r.Shown.Proba, r.Shown.T, 10)
	if err != nil {
		return err
	}
	curves := []nbhelpers.Calibration{{Bins: bins}}
	if r.Raw != nil {
		before, _, err := score.Reliability(r.Raw, r.Shown.T, 10)
		if err != nil {
			return err
		}
		curves = []nbhelpers.Calibration{{Name: "calibrated", Bins: bins}, {Name: "before", Bins: before}}
	}
	r.heading(page, "Can the probabilities be trusted?")
	r.text(page, calibration(r.Trust))
	r.charts(page, nbhelpers.Reliability(curves, nbhelpers.ReliabilityOptions{}))
	sets := setTable(r.Trust)
	if sets.Rows == nil {
		return nil
	}
	text := "A prediction set contains all plausible classes of a row, and at least the most probable one; " +
		"mpcvm predict --sets writes them. If the accuracy of the model exceeds the nominal coverage, the " +
		"coverage of the sets does too."
	if r.CV != nil {
		text += " The thresholds come from the same rows that are used to evaluate the sets here, so the " +
			"overall coverage is always as requested. The worst class (among those with 20 rows) and the sizes " +
			"are more informative."
	}
	r.text(page, text)
	r.table(page, sets)
	return nil
}

// columns adds the importance of the columns and the dependence on them.
func (r *full) columns(of string) error {
	list := r.important
	r.heading(page, "Importance of the columns")
	if list == nil {
		r.text(page, "The importance of the columns was not computed because the time limit was reached.")
		return nil
	}
	r.text(page, "How much worse the predictions for "+of+" get if the cells of a column are shuffled among the "+
		"rows. Redundant columns share their importance.")
	r.charts(page, charts.Permutation(list))
	if widths := relativeWidths(r.Model.Model().Kernel()); widths != nil {
		r.charts(screen, nbhelpers.Importance(r.Model.Model().FeatureNames(), widths, nbhelpers.ImportanceOptions{
			Name:     "θ / mean θ",
			Subtitle: "θ of each standardized feature relative to their geometric mean, on a log scale",
		}))
	}
	var blocks []nbhelpers.Block
	for _, i := range list[:min(len(list), reportDependence)] {
		d, err := assess.PartialDependence(r.ctx, r.Model, r.Table, i.Column,
			assess.DependenceOptions{MaxRows: 200, Seed: r.Seed})
		switch {
		case r.late():
			r.text(screen, "The dependence on the columns was not computed because the time limit was reached.")
			return nil
		case errors.Is(err, recipe.ErrNoColumn): // the column has no feature
		case err != nil:
			return err
		default:
			blocks = append(blocks, charts.Dependence(d))
		}
	}
	r.heading(screen, "Dependence on the most important columns")
	r.text(screen, "The mean probability of each class if all rows had this value in the column. If columns "+
		"are correlated, some of these combinations do not occur.")
	r.charts(screen, nbhelpers.Grid(2, blocks...))
	return nil
}

// curve adds the learning curve, if it was computed.
func (r *full) curve() error {
	points := curveTable(r.Evaluation)
	if points.Rows == nil {
		return nil
	}
	s, reach := nbhelpers.Series{Dots: true}, chart.NewSpan()
	for _, p := range r.Curve {
		s.X, s.Y = append(s.X, float64(p.Rows)), append(s.Y, 100*p.Err)
		s.Low, s.High = append(s.Low, 100*max(p.Err-p.ErrSE, 0)), append(s.High, 100*(p.Err+p.ErrSE))
	}
	reach.Add(s.Y...)
	reach.Add(s.High...)
	r.heading(page, "Would more data help?")
	r.text(page, "The chosen setting was trained on subsets of the rows and evaluated on rows that it did not see. "+
		"If the curve still falls at its right end, more rows would lower the error. The band is one standard error.")
	r.charts(page, nbhelpers.Lines([]nbhelpers.Series{s}, nbhelpers.LinesOptions{XName: "training rows",
		YName: "error (%)", LogX: true, YRange: [2]float64{0, reach.FromZero("", 5).Hi}, Height: 300}))
	r.table(all, points)
	return nil
}

// decide adds the costs of the decisions.
func (r *full) decide() error {
	if r.Costs == nil {
		return nil
	}
	r.heading(page, "Costs of the decisions")
	r.costs(r.Evaluation)
	if p := r.Shown; len(r.Classes) == 2 && p.Proba != nil {
		costs := mat.NewDense(2, 2, slices.Concat(r.Costs.Matrix...))
		r.charts(page, charts.Costs(p.Proba, p.T, costs))
	}
	return nil
}

// data adds the columns and how they are used.
func (r *full) data() error {
	var rows [][]string
	for _, u := range r.Columns {
		rows = append(rows, []string{u.Name, u.Kind, u.Use, fmt.Sprintf("%.1f", 100*u.Missing)})
	}
	r.heading(page, "The data")
	r.text(page, fmt.Sprintf("%s: %s, %d columns, read as %s. The model was trained on %d rows with a class "+
		"and at least one cell. The program is mPCVM %s.", r.Table.Name, words.CountOf(r.Table.Rows, "row"),
		len(r.Table.Columns), r.Reading, r.N, r.Version))
	if r.Command != "" {
		text := "Created on " + r.Date + " with: " + r.Command
		if r.Fit != nil && !r.Fit.Complete() {
			text += " (" + Ended(r.Fit) + "; the command may now make another model)"
		}
		r.text(page, text)
	}
	r.text(paper, "The printed version contains the first sections of the report. The file also has "+
		"an interactive section, the least certain predictions, and a description of the model.")
	r.table(screen, Table{[]string{"column", "kind", "used as", "missing %"}, rows})
	return nil
}

// unsure adds the rows with the least certain predictions, the relevance vectors closest to each, and their
// cells in the most important columns.
func (r *full) unsure() error {
	const mostRows, mostNear, mostCells = 10, 3, 6
	p := r.Shown
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
			if (p.Table != r.Table || v.Index != x.Row) && len(near) < mostNear {
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
	header, vectors := []string{"row", "class", "predicted", "nearest relevance vectors", "cells"},
		", the relevance vectors most similar to them according to the kernel, with their classes,"
	if r.RelevanceVectors == 0 {
		vectors, header = "", slices.Delete(header, 3, 4)
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 3, 4)
		}
	}
	r.heading(screen, "Least certain predictions")
	r.text(screen, "The rows whose most probable class has the lowest probability"+vectors+" and the cells of the "+
		"most important columns. Rows are counted from 1, without the header, as in mpcvm explain --row.")
	r.table(screen, Table{header, rows})
	return nil
}

// madeOf adds what the model consists of.
func (r *full) madeOf() error {
	m := r.Model.Model()
	r.heading(screen, "What the model consists of")
	r.text(terminal, method(r.Evaluation))
	r.text(terminal|screen, about(r.Evaluation))
	var rows [][]string
	for _, s := range m.Summary() {
		rows = append(rows, []string{s.Name, fmt.Sprintf("%.4g", s.Bias), strconv.Itoa(s.Positive),
			fmt.Sprintf("%.4g", s.PositiveSum), strconv.Itoa(s.Negative), fmt.Sprintf("%.4g", s.NegativeSum)})
	}
	r.table(screen, Table{[]string{"class", "bias", "weights for", "their sum", "weights against", "their sum"},
		rows})
	if coefficients := CoefficientTable(m); coefficients.Rows != nil {
		r.text(screen, CoefficientMeaning)
		r.table(screen, coefficients)
	} else {
		r.charts(screen, nbhelpers.Sparsity(m, r.N), nbhelpers.Weights(m))
	}
	if len(r.Result.Trace) > 0 {
		r.charts(screen, nbhelpers.Convergence(nbhelpers.Trace{Name: assess.Title(r.Algorithm),
			Steps: r.Result.Trace}))
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
		r.text(screen, fmt.Sprintf("The chart shows %d of the rows.", set.N()))
	}
	if m.Features() > 2 {
		r.text(screen, "The chart shows a plane through the space of all features. Points whose other features are "+
			"far from their mean may appear in the region of another class.")
	}
	// The chart scales the features and marks the vectors in the model's units.
	r.charts(screen, nbhelpers.Regions(m.WithScaling(nil, nil), set,
		nbhelpers.RegionsOptions{Scale: &data.Standardizer{Mean: s.Mean, Scale: s.Scale},
			Principal: m.Features() > 2}))
	return nil
}

// tried adds the settings that search.Auto tried.
func (r *full) tried() error {
	if trialTable(r.Evaluation).Rows != nil {
		_, chart := nbhelpers.Trials(r.Result)
		r.heading(screen, "Appendix: what was tried")
		r.text(screen, trialRule(r.Evaluation))
		r.charts(screen, chart)
		r.text(screen, "The chart shows all settings. The table lists those that are better than every model of "+
			"the same or a smaller size.")
	}
	r.trials(r.Evaluation)
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
