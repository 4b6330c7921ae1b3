package main

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
	"github.com/mpcvm/mpcvm/data/recipe"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/assess"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// What a page shows at most.
const (
	mostPoints     = 20000 // samples one by one
	mostUnsure     = 10    // samples
	mostNeighbours = 3     // of each of them
	mostDependence = 4     // columns
	mostCells      = 6     // columns of a sample in a table
	importanceRows = 2000  // for which importance by cross-validation costs little
)

// write writes the report, if one is wanted.
func (f *fit) write(ctx context.Context) error {
	if f.report == "" {
		return nil
	}
	f.set(1, "report: begins")
	return writeReport(ctx, f.report, fmt.Sprintf("%s on %s", f.title(), f.Set), func() ([]nbhelpers.Block, error) { return f.page(ctx) })
}

// page is the report: how good the model is, then what it makes of the data, then what it is
// made of.
func (f *fit) page(ctx context.Context) ([]nbhelpers.Block, error) {
	blocks := []nbhelpers.Block{nbhelpers.Text(f.verdict())}
	for _, w := range f.Warnings {
		blocks = append(blocks, nbhelpers.Text("⚠ "+w.Text))
	}
	blocks = append(blocks, nbhelpers.Table(scoreHeader, f.scoreRows()))
	if how := f.how(); how != "" {
		blocks = append(blocks, nbhelpers.Text(how))
	}
	important, of, err := f.importance(f.inTime)
	if err != nil && (ctx.Err() != nil || f.inTime.Err() == nil) {
		return nil, err
	}
	j, err := f.predictions(ctx)
	if err != nil {
		return nil, err
	}
	errs, err := f.errorBlocks(j)
	if err != nil {
		return nil, err
	}
	unsure, err := f.unsure(j, important)
	if err != nil {
		return nil, err
	}
	columns, err := f.columnBlocks(ctx, important, of)
	if err != nil {
		return nil, err
	}
	blocks = slices.Concat(blocks, errs, unsure, columns)
	made, err := f.madeOf(ctx)
	if err != nil {
		return nil, err
	}
	blocks = append(blocks, made...)
	if rows := f.trialRows(); rows != nil {
		_, chart := nbhelpers.Trials(f.result)
		blocks = append(blocks, nbhelpers.Heading("Appendix: what was tried"), nbhelpers.Text(f.trialRule()), chart,
			nbhelpers.Text("The chart has all settings. The table has those that no model of the same size or a smaller one beats."), nbhelpers.Table(trialHeader, rows))
	}
	return blocks, nil
}

// judged are predictions for rows of the training table or of the test table.
type judged struct {
	rows   []int // of the table
	p      *mat.Dense
	t      []int
	labels []int
	of     string // what they are predictions for
}

// predictions are those that the charts of errors show: out of fold; without cross-validation
// those of the test data; without test data those of the training data.
func (f *fit) predictions(ctx context.Context) (j judged, err error) {
	if r := f.results; r != nil {
		j.of = "training rows, each predicted by a model that did not see it"
		var p []float64
		for i, label := range r.Systems[1].Labels[0] {
			if label >= 0 {
				j.rows, j.t, j.labels = append(j.rows, r.Rows[i]), append(j.t, r.T[i]), append(j.labels, label)
				p = append(p, r.Systems[1].Proba[0].RawRowView(i)...)
			}
		}
		j.p = mat.NewDense(len(j.t), len(f.Classes), p)
		return j, nil
	}
	t, truth := f.table, f.labels
	j.of = "training rows, which the model has seen: the figures are optimistic"
	if f.tested != nil {
		t, truth = f.tested, f.testLabels
		j.of = "rows of the test data"
	}
	all, err := f.trained.PredictTable(ctx, t)
	if err != nil {
		return j, err
	}
	var p []float64
	for i, one := range all {
		if truth[i] >= 0 && one.Err == nil {
			j.rows, j.t, j.labels, p = append(j.rows, i), append(j.t, truth[i]), append(j.labels, one.Label), append(p, one.Proba...)
		}
	}
	j.p = mat.NewDense(len(j.t), len(f.Classes), p)
	return j, nil
}

// errorBlocks show which errors the model makes.
func (f *fit) errorBlocks(j judged) ([]nbhelpers.Block, error) {
	counts, err := score.Confusion(j.labels, j.t, len(f.Classes))
	if err != nil {
		return nil, err
	}
	bins, _, err := score.Reliability(j.p, j.t, 10)
	if err != nil {
		return nil, err
	}
	blocks := []nbhelpers.Block{
		nbhelpers.Heading("Errors"), nbhelpers.Text("The charts show " + j.of + "."),
		nbhelpers.Confusion(counts, f.Classes),
	}
	header, rows := f.classTable(j, counts)
	blocks = append(blocks, nbhelpers.Table(header, rows))
	if rows := f.costRows(); rows != nil {
		blocks = append(blocks, nbhelpers.Text(fmt.Sprintf("Costs of decisions as of --costs. By the least expected cost, %d rows get another class.", f.Costs.Differently)),
			nbhelpers.Table(costHeader, rows))
		if len(f.Classes) == 2 {
			blocks = append(blocks, nbhelpers.Costs(assess.CostCurve(j.p, j.t, f.costMatrix)))
		}
	}
	if len(j.t) <= mostPoints {
		blocks = append(blocks, nbhelpers.Grid(2, nbhelpers.ROC(j.p, j.t, f.Classes), nbhelpers.PrecisionRecall(j.p, j.t, f.Classes)))
	}
	return append(blocks, nbhelpers.Heading("Can the probabilities be trusted?"),
		nbhelpers.Reliability([]nbhelpers.Calibration{{Bins: bins}}, nbhelpers.ReliabilityOptions{})), nil
}

// classTable has recall, precision and AUC of each class, and the class that it is most often taken
// for.
func (f *fit) classTable(j judged, counts [][]int) (header []string, rows [][]string) {
	percentOf := func(n, of int) string {
		if of == 0 {
			return "–"
		}
		return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
	}
	pair := mat.NewDense(len(j.t), 2, nil) // the class and the rest
	labels := make([]int, len(j.t))
	for c, name := range f.Classes {
		members, predicted, taken, most := 0, 0, "", 0
		for k, n := range counts[c] {
			members += n
			predicted += counts[k][c]
			if k != c && n > most {
				taken, most = fmt.Sprintf("%s (%d)", f.Classes[k], n), n
			}
		}
		for i, label := range j.t {
			p := j.p.At(i, c)
			pair.SetRow(i, []float64{p, 1 - p})
			if labels[i] = 1; label == c {
				labels[i] = 0
			}
		}
		auc := "–"
		if v, err := score.AUC(pair, labels); err == nil {
			auc = fmt.Sprintf("%.1f", 100*v)
		}
		rows = append(rows, []string{name, strconv.Itoa(members), percentOf(counts[c][c], members), percentOf(counts[c][c], predicted), auc, taken})
	}
	return []string{"class", "samples", "recall %", "precision %", "AUC %", "most often taken for"}, rows
}

// short is a text of at most 20 characters.
func short(text string) string {
	if r := []rune(text); len(r) > 20 {
		return string(r[:19]) + "…"
	}
	return text
}

// unsure shows the samples that the model is least sure of, with their nearest relevance vectors
// and the cells of the most important columns.
func (f *fit) unsure(j judged, important []assess.Importance) ([]nbhelpers.Block, error) {
	t := f.table
	if f.results == nil && f.tested != nil {
		t = f.tested
	}
	order := make([]int, len(j.t))
	top := make([]float64, len(j.t))
	for i := range order {
		order[i], top[i] = i, slices.Max(j.p.RawRowView(i))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(top[a], top[b]) })
	order = order[:min(len(order), mostUnsure)]
	r, vectors := f.trained.Recipe(), neighboursOf(f.trained)
	var rows [][]string
	for _, i := range order {
		at := j.rows[i]
		x, _, err := r.Encode(nil, t, j.rows[i:i+1])
		if err != nil {
			return nil, err
		}
		name, own := strconv.Itoa(at+1), at
		if id := r.Identify(t, at); id != "" {
			name += " · " + id
		}
		if t != f.table {
			own = -1 // no training row
		}
		var near, cells []string
		for _, v := range vectors.nearest(x.RawRowView(0), own, mostNeighbours) {
			near = append(near, fmt.Sprintf("%s (%s)", v.name(), short(f.Classes[v.Label])))
		}
		for _, c := range important[:min(len(important), mostCells)] {
			cells = append(cells, short(c.Column)+" "+cmp.Or(short(t.Columns[t.Find(c.Column)].Text(at)), "?"))
		}
		rows = append(rows, []string{
			name, short(f.Classes[j.t[i]]), fmt.Sprintf("%s (%.2f)", short(f.Classes[j.labels[i]]), top[i]),
			strings.Join(near, ", "), strings.Join(cells, ", "),
		})
	}
	return []nbhelpers.Block{
		nbhelpers.Heading("What the model is least sure of"),
		nbhelpers.Text("The rows with the lowest probability of the likeliest class, the relevance vectors most like them by the kernel, with their classes, and the cells of the most important columns. Rows count from 1, without the header, as for mpcvm explain --row."),
		nbhelpers.Table([]string{"row", "class", "predicted", "nearest relevance vectors", "cells"}, rows),
	}, nil
}

// columnBlocks show what the model makes of the columns.
func (f *fit) columnBlocks(ctx context.Context, list []assess.Importance, of string) ([]nbhelpers.Block, error) {
	if list == nil {
		return []nbhelpers.Block{nbhelpers.Heading("Importance of the columns"), nbhelpers.Text("There was no time for the importance of the columns.")}, nil
	}
	blocks := []nbhelpers.Block{
		nbhelpers.Heading("Importance of the columns"),
		nbhelpers.Text("How much worse the model predicts " + of + " if the cells of a column are shuffled among the rows. Columns that say the same share their importance."),
		nbhelpers.Permutation(list, nbhelpers.PermutationOptions{}),
	}
	if widths := relativeWidths(f.trained.Kernel()); widths != nil {
		blocks = append(blocks, nbhelpers.Importance(f.trained.FeatureNames(), widths, nbhelpers.ImportanceOptions{
			Name: "θ / mean θ", Subtitle: "θ of each standardised feature relative to their geometric mean, on a log scale",
		}))
	}
	var charts []nbhelpers.Block
	for _, i := range list[:min(len(list), mostDependence)] {
		d, err := assess.PartialDependence(f.inTime, f.trained, f.table, i.Column, assess.DependenceOptions{MaxRows: 200, Seed: f.seed})
		switch {
		case f.inTime.Err() != nil && ctx.Err() == nil:
			return append(blocks, nbhelpers.Text("There was no time for the dependence on the columns.")), nil
		case errors.Is(err, recipe.ErrNoColumn): // it makes no feature
		case err != nil:
			return nil, err
		default:
			charts = append(charts, nbhelpers.Dependence(d, nbhelpers.DependenceOptions{}))
		}
	}
	return append(blocks, nbhelpers.Heading("Dependence on the most important columns"),
		nbhelpers.Text("The mean probability of each class if all rows had this value of the column. Where columns depend on each other, some of these rows cannot exist."),
		nbhelpers.Grid(2, charts...)), nil
}

// importance is that of the columns, and what rows it is of: the test data, those of the folds,
// or of many samples the training rows.
func (f *fit) importance(ctx context.Context) ([]assess.Importance, string, error) {
	o := assess.ImportanceOptions{Options: assess.Options{Folds: max(f.cv.k, 2), Seed: f.seed, Progress: func(p assess.Progress) {
		f.set(float64(p.Done)/float64(p.Total), "importance of the columns: %d of %d folds", p.Done, p.Total)
	}}}
	if f.tested != nil {
		list, err := assess.ImportanceOn(ctx, f.trained, f.tested, o)
		return list, "rows of the test data", err
	}
	if f.results != nil && !f.cv.nested && len(f.labels) <= importanceRows {
		if system, ok := f.system(); ok {
			list, err := assess.PermutationImportance(ctx, f.table, f.Target, system, o)
			return list, "rows that it did not see", err
		}
	}
	o.Permutations = 2
	list, err := assess.ImportanceOn(ctx, f.trained, f.table, o)
	return list, "training rows (optimistic)", err
}

// madeOf shows what the model consists of.
func (f *fit) madeOf(ctx context.Context) ([]nbhelpers.Block, error) {
	m := f.trained
	blocks := []nbhelpers.Block{
		nbhelpers.Heading("What the model is made of"), nbhelpers.Text(f.about()),
		nbhelpers.Table(weightHeader, f.weightRows()),
		nbhelpers.Sparsity(m, f.N), nbhelpers.Weights(m),
	}
	if len(f.result.Trace) > 0 {
		blocks = append(blocks, nbhelpers.Convergence(nbhelpers.Trace{Name: f.title(), Steps: f.result.Trace}))
	}
	if m.Features() < 2 || f.N > mostPoints || f.inTime.Err() != nil {
		return blocks, nil
	}
	s, err := recipe.Prepare(ctx, f.table, f.Target, nil)
	if err != nil {
		return nil, err
	}
	x, _, err := s.Recipe.Encode(nil, f.table, s.Rows)
	if err != nil {
		return nil, err
	}
	set := &data.Set{Name: f.Set, X: x, T: s.T, Classes: s.Classes, Features: m.FeatureNames()}
	if m.Features() > 2 {
		blocks = append(blocks, nbhelpers.Text("The regions are a plane through the space of all features. A point may seem misplaced where its other features are far from their mean."))
	}
	// The chart scales by itself, and rings the vectors where the model has them.
	return append(blocks, nbhelpers.Regions(m.WithScaling(nil, nil), set,
		nbhelpers.RegionsOptions{Scale: &data.Standardizer{Mean: s.Mean, Scale: s.Scale}, Principal: m.Features() > 2})), nil
}

// neighbours are the relevance vectors of a model.
type neighbours struct {
	model   *mpcvm.Model
	vectors map[int]mpcvm.RelevanceVector // by training row
}

// neighbour is a relevance vector and its kernel with a sample.
type neighbour struct {
	mpcvm.RelevanceVector
	kernel float64
}

// name is the id of the vector, or its row, counted from 1.
func (n neighbour) name() string { return cmp.Or(n.ID, strconv.Itoa(n.Index+1)) }

func neighboursOf(m *mpcvm.Model) neighbours {
	n := neighbours{m, map[int]mpcvm.RelevanceVector{}}
	for _, v := range m.RelevanceVectors() {
		n.vectors[v.Index] = v
	}
	return n
}

// nearest returns the relevance vectors of the largest kernel with a sample, the largest first,
// but not the one of a training row.
func (n neighbours) nearest(x []float64, but, most int) []neighbour {
	var list []neighbour
	met := map[int]bool{but: true}
	for _, c := range n.model.Explain(x).Contributions {
		if !met[c.Index] {
			met[c.Index] = true
			list = append(list, neighbour{n.vectors[c.Index], c.Kernel})
		}
	}
	slices.SortStableFunc(list, func(a, b neighbour) int { return cmp.Or(cmp.Compare(b.kernel, a.kernel), a.Index-b.Index) })
	return list[:min(len(list), most)]
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
