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
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Limits of what a report shows.
const (
	reportPoints     = 20000 // samples in the curves
	reportPlane      = 3e5   // vectors times features and classes of a model whose regions are drawn
	reportMarks      = 2000  // samples drawn in a plane
	reportDependence = 4     // columns with a dependence chart
)

// Options configures Full.
type Options struct {
	// Voice puts the warnings into words. If nil, table.Go is used.
	Voice *table.Voice
	// Progress, if not nil, is called while the importance of the columns is computed, which takes longest.
	Progress func(eval.Progress)
}

// Full returns the report of mpcvm fit. It contains Brief, and the page shows how good a model is, how it
// uses the data and what it consists of.
//
// If the deadline of ctx passes, sections that need more time are omitted, which the page notes. If ctx is
// cancelled, Full returns its error.
func Full(ctx context.Context, e *eval.Evaluation, o Options) (Document, error) {
	r := full{Evaluation: e, voice: cmp.Or(o.Voice, table.Go), ctx: ctx}
	important, of, err := e.Importance(ctx, o.Progress)
	if err != nil && !r.late() {
		return Document{}, err
	}
	r.important = important
	r.verdict()
	for _, section := range []func() error{
		r.whatIf, r.errors, r.decide, func() error { return r.columns(of) }, r.trust, r.data, r.curve, r.madeOf,
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

type full struct {
	*eval.Evaluation
	Document
	voice     *table.Voice
	important []eval.Importance
	ctx       context.Context
}

func (r *full) late() bool { return r.ctx.Err() == context.DeadlineExceeded }

// verdict adds what is always visible: how often the model is right, what it mixes up, and what matters.
func (r *full) verdict() {
	r.charts(page, chart.Markup("<div>\n"))
	r.headline()
	if r.Fit != nil && !r.Fit.Complete() {
		text := Ended(r.Fit)
		r.text(page, strings.ToUpper(text[:1])+text[1:]+".")
	}
	r.text(page, mixedUp(r.Shown.Confusion(), r.Classes))
	if list := r.important[:min(len(r.important), 3)]; len(list) > 0 && list[0].Err.Mean > 0 {
		html := "<p>What matters most: how much more often the model is wrong if a column is shuffled.</p>\n" +
			`<div class="mpcvm-most">`
		for _, i := range list {
			html += string(chart.Element("<span>", i.Column, "</span>")) +
				fmt.Sprintf(`<meter max="%.4f" value="%.4f"></meter><span>%+.1f points</span>`+"\n", list[0].Err.Mean,
					max(i.Err.Mean, 0), 100*i.Err.Mean)
		}
		r.charts(page, chart.Markup(html+"</div>\n"))
	}
	if warnings := r.voice.SayAll(r.Warnings); len(warnings) > 0 {
		html := chart.Element("<details><summary>⚠ ", words.CountOf(len(warnings), "warning"), "</summary><ul>")
		for _, text := range warnings {
			html += chart.Element("<li>", text, "</li>")
		}
		r.charts(page, html+"</ul></details>\n")
	}
	r.charts(page, chart.Markup("</div>\n"))
}

func (r *full) headline() {
	r.charts(page, chart.Element(`<p class="mpcvm-headline">`, headline(r.Evaluation), "</p>"))
	r.text(all, Verdict(r.Evaluation))
}

// headline returns how often a model is right, in a few words.
func headline(e *eval.Evaluation) string {
	of, wrong := "new rows", (*float64)(nil)
	switch {
	case e.Frequencies():
		return "The columns do not tell the classes apart"
	case e.CV != nil && e.CV.Error != nil:
		wrong = e.CV.Error
	case e.Test != nil:
		of, wrong = "test rows", e.Test.Error
	default:
		return "How often the model is right on new rows is unknown"
	}
	n := 100.
	switch {
	case *wrong == 0:
		return "Right in all " + of + " that were tried"
	case *wrong > *e.Baseline.Error-1e-12:
		return fmt.Sprintf("Not right more often than always predicting %s", e.Baseline.Class)
	case *wrong < .005:
		n = 1000
	}
	return fmt.Sprintf("Right in %.0f of %.0f %s", n*(1-*wrong), n, of)
}

// mixedUp names the most frequent errors. It returns "" if there are none.
func mixedUp(confusion [][]int, classes []string) string {
	type pair struct{ truth, label, n, of int }
	var pairs []pair
	for t, row := range confusion {
		of := 0
		for _, n := range row {
			of += n
		}
		for c, n := range row {
			if c != t && n > 0 {
				pairs = append(pairs, pair{t, c, n, of})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return b.n - a.n })
	var list []string
	for _, p := range pairs[:min(len(pairs), 2)] {
		list = append(list, fmt.Sprintf("%s is taken for %s (%d of %s)", cell.Cut(classes[p.truth], 40),
			cell.Cut(classes[p.label], 40), p.n, words.CountOf(p.of, "row")))
	}
	if list == nil {
		return ""
	}
	return "Most often mixed up: " + strings.Join(list, ", and ") + "."
}

func (r *full) whatIf() error {
	if r.Model.Recipe() == nil || len(r.Shown.Rows) == 0 {
		return nil
	}
	block, err := newWhatIf(r.Evaluation, r.important, nil)
	if err != nil {
		return err
	}
	r.interactive(block)
	return nil
}

func (r *full) interactive(block nbhelpers.Block) {
	r.charts(page, block)
	r.fold("What if", "What if")
	r.live("what-if")
}

// live adds the place of an interactive section; see whatif.js.
func (r *full) live(name string) {
	r.charts(screen, chart.Element(`<div class="mpcvm-live" data-live="`+name+`">`, "", "</div>"))
}

func (r *full) errors() error {
	p := r.Shown
	confusion := p.Confusion()
	r.fold("Errors", "Errors")
	r.table(all, FigureTable(r.Figures()))
	r.text(page, method(r.Evaluation)+" The tables and charts show "+r.Of+".")
	r.live("errors")
	m := page
	if r.CV != nil {
		m = all
	}
	r.table(m, classTable(p.ByClass(), confusion))
	if r.CV != nil {
		r.table(terminal|paper, confusionTable(r.CV))
		r.table(terminal, importanceTable(r.Evaluation))
	}
	if len(p.T) <= reportPoints {
		r.charts(screen, nbhelpers.Grid(2, nbhelpers.ROC(p.Proba, p.T, r.Classes),
			nbhelpers.PrecisionRecall(p.Proba, p.T, r.Classes)), nbhelpers.Gain(p.Proba, p.T, r.Classes))
	}
	return r.unsure()
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
	r.fold("Probabilities", "Can the probabilities be trusted?")
	t := r.Trust
	if t != nil {
		r.text(page, fmt.Sprintf("The log loss of the probabilities is %.4f nats; before calibration it was "+
			"%.4f. With the best temperature for these rows, %.4f would remain (refinement); the rest, %.4f, is "+
			"the calibration error.", t.LogLoss, t.Uncalibrated, t.Refinement, t.LogLoss-t.Refinement))
	}
	r.charts(page, nbhelpers.Reliability(curves, nbhelpers.ReliabilityOptions{}))
	if t == nil || t.Sets == nil {
		return nil
	}
	text := r.voice.Say(table.Finding{Code: texts.PredictionSets})
	if r.CV != nil {
		text += " The thresholds come from the same rows that are used to evaluate the sets here, so the " +
			"overall coverage is always as requested. The worst class (among those with 20 rows) and the sizes " +
			"are more informative."
	}
	r.text(page, text)
	r.table(page, setTable(t.Sets))
	return nil
}

// columns adds the importance of the columns and the dependence on them.
func (r *full) columns(of string) error {
	list := r.important
	r.fold("Importance", "Importance of the columns")
	if list == nil {
		r.text(page, "There was no time to compute the importance of the columns.")
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
		d, err := eval.PartialDependence(r.ctx, r.Model, r.Table, i.Column,
			eval.DependenceOptions{MaxRows: 200, Seed: r.Seed})
		switch {
		case r.late():
			r.text(screen, "There was no time to compute the dependence on the columns.")
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

func (r *full) decide() error {
	r.fold("Costs", "Costs of the decisions")
	r.costs(r.Evaluation)
	r.live("costs")
	if p := r.Shown; r.Costs != nil && len(r.Classes) == 2 && p.Proba != nil {
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
	r.fold("Model", "The data and the model")
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

// unsure adds the least certain predictions with the nearest relevance vectors and the important cells.
func (r *full) unsure() error {
	const mostRows, mostNear, mostCells = 10, 3, 6
	p := r.Shown
	order, top := fitting.All(len(p.T)), make([]float64, len(p.T))
	for i := range top {
		top[i] = slices.Max(p.Proba.RawRowView(i))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(top[a], top[b]) })
	var rows [][]string
	for _, i := range order[:min(len(order), mostRows)] {
		x, err := eval.Explain(r.Model, p.Table, p.Rows[i])
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
	header := []string{"row", "class", "predicted", "nearest relevance vectors", "cells"}
	if r.RelevanceVectors == 0 {
		header = slices.Delete(header, 3, 4)
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 3, 4)
		}
	}
	r.heading(screen, "Least certain predictions")
	r.text(screen, r.voice.Say(table.Finding{Code: texts.LeastCertain}))
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
	}
	if m.VectorCount() > 0 || m.WeightCount() == 0 {
		r.charts(screen, nbhelpers.Sparsity(m, r.N), nbhelpers.Weights(m))
	}
	if len(r.Result.Trace) > 0 {
		r.charts(screen, nbhelpers.Convergence(nbhelpers.Trace{Name: eval.Title(r.Algorithm),
			Steps: r.Result.Trace}))
	}
	if n := m.VectorCount() * (m.Features() + m.Classes()); n > reportPlane || r.N > reportPoints ||
		m.Features() < 2 || r.late() {
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

func (r *full) tried() error {
	if trialTable(r.Evaluation).Rows != nil {
		_, chart := nbhelpers.Trials(r.Result)
		r.heading(screen, "Appendix: what was tried")
		r.text(screen, trialRule(r.Evaluation))
		r.charts(screen, chart)
		r.text(screen, "The chart shows all settings. The table lists those that are better than every model of "+
			"the same or a smaller size.")
	}
	r.trials(r.Evaluation, r.voice)
	return nil
}

// relativeWidths returns the widths of the features relative to their geometric mean; nil for other kernels.
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

// Shared returns a page for somebody who has a model, but not its table: how good the model was when it was
// fitted, and a row to change. The row starts with the given cells, by column; the others come from a
// typical row. The columns in first are shown first. Shared returns an error if the model has no columns or
// no profile of its training rows.
func Shared(m *model.Model, row map[string]any, first []string) (Document, error) {
	if m.Recipe() == nil {
		return Document{}, errors.New("the model is for a matrix, so it has no columns to change")
	}
	e := &eval.Evaluation{Model: m, Classes: m.ClassNames()}
	if record := m.Record(); record != nil && len(record.Rows) > 0 {
		e.Baseline.Class = e.Classes[slices.Index(record.Rows, slices.Max(record.Rows))]
		for _, f := range record.Figures {
			switch f.Of {
			case "majority baseline":
				e.Baseline.Figures = f
			case "cross-validation":
				if f.Error != nil && f.ErrorSE != nil {
					e.CV = &eval.CrossValidation{Figures: f}
				}
			}
		}
	}
	r := full{Evaluation: e}
	r.charts(page, chart.Markup("<div>\n"))
	if e.Baseline.Error != nil {
		r.headline()
	} else {
		r.text(page, "The file has no scores of the model.")
	}
	r.charts(page, chart.Markup("</div>\n"))
	order := make([]eval.Importance, len(first))
	for i, name := range first {
		order[i].Column = name
	}
	block, err := newWhatIf(e, order, row)
	if err != nil {
		return Document{}, err
	}
	r.interactive(block)
	return r.Document, nil
}
