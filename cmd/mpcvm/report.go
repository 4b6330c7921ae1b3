package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

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
		blocks = append(blocks, nbhelpers.Text("⚠ "+w))
	}
	blocks = append(blocks, nbhelpers.Table(scoreHeader, f.scoreRows()))
	if how := f.how(); how != "" {
		blocks = append(blocks, nbhelpers.Text(how))
	}
	errs, err := f.errorBlocks(ctx)
	if err != nil {
		return nil, err
	}
	blocks = append(blocks, errs...)
	columns, err := f.columnBlocks(ctx)
	if err != nil {
		return nil, err
	}
	blocks = append(blocks, columns...)
	made, err := f.madeOf(ctx)
	if err != nil {
		return nil, err
	}
	blocks = append(blocks, made...)
	if rows := f.trialRows(); rows != nil {
		blocks = append(blocks, nbhelpers.Heading("Appendix: what was tried"), nbhelpers.Text(trialRule), nbhelpers.Table(trialHeader, rows))
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
		for i, label := range r.Systems[1].Labels[0] {
			if label >= 0 {
				j.rows, j.t, j.labels = append(j.rows, r.Rows[i]), append(j.t, r.T[i]), append(j.labels, label)
			}
		}
		j.p, _ = r.OutOfFold(1)
		return j, nil
	}
	t, truth := f.table, f.labels
	j.of = "training rows, which the model has seen: the figures are optimistic"
	if f.tested != nil {
		t = f.tested
		j.of = "rows of the test data"
		column, _, err := t.Target(f.Target)
		if err != nil {
			return j, err
		}
		if truth, err = labelsFor(t, column, f.Classes); err != nil {
			return j, err
		}
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
func (f *fit) errorBlocks(ctx context.Context) ([]nbhelpers.Block, error) {
	j, err := f.predictions(ctx)
	if err != nil || j.p == nil {
		return nil, err
	}
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
	if rows := f.classRows(); rows != nil {
		blocks = append(blocks, nbhelpers.Table(classHeader, rows))
	}
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
	blocks = append(blocks, nbhelpers.Heading("Can the probabilities be trusted?"),
		nbhelpers.Reliability([]nbhelpers.Calibration{{Bins: bins}}, nbhelpers.ReliabilityOptions{}))
	unsure, err := f.unsure(j)
	return append(blocks, unsure...), err
}

// unsure shows the samples that the model is least sure of, with their nearest relevance vectors.
func (f *fit) unsure(j judged) ([]nbhelpers.Block, error) {
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
	r := f.trained.Recipe()
	header := []string{"row"}
	if len(r.ID) > 0 {
		header = append(header, "id")
	}
	header = append(header, "class", "predicted", "nearest relevance vectors")
	columns := r.Columns[:min(len(r.Columns), mostCells)]
	for _, c := range columns {
		header = append(header, c.Name)
	}
	vectors := neighboursOf(f.trained)
	var rows [][]string
	for _, i := range order {
		x, _, err := r.Encode(nil, t, j.rows[i:i+1])
		if err != nil {
			return nil, err
		}
		row := []string{strconv.Itoa(j.rows[i])}
		if len(r.ID) > 0 {
			row = append(row, r.Identify(t, j.rows[i]))
		}
		near := ""
		own := j.rows[i]
		if t != f.table {
			own = -1
		}
		for _, v := range vectors.nearest(x.RawRowView(0), own, mostNeighbours) {
			near += v.name() + " (" + f.Classes[v.Label] + "), "
		}
		row = append(row, f.Classes[j.t[i]], fmt.Sprintf("%s (%.2f)", f.Classes[j.labels[i]], j.p.At(i, j.labels[i])), near[:max(len(near)-2, 0)])
		for _, c := range columns {
			row = append(row, t.Columns[t.Find(c.Name)].Text(j.rows[i]))
		}
		rows = append(rows, row)
	}
	return []nbhelpers.Block{
		nbhelpers.Heading("What the model is least sure of"),
		nbhelpers.Text("The rows with the lowest probability of their likeliest class, and the relevance vectors most like them by the kernel, with their classes. Rows count from 0, as for mpcvm explain --row."),
		nbhelpers.Table(header, rows),
	}, nil
}

// columnBlocks show what the model makes of the columns.
func (f *fit) columnBlocks(ctx context.Context) ([]nbhelpers.Block, error) {
	list, of, err := f.importance(f.inTime)
	skipped := nbhelpers.Text("There was no time for the importance of the columns.")
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case f.inTime.Err() != nil:
		return []nbhelpers.Block{nbhelpers.Heading("Importance of the columns"), skipped}, nil
	case err != nil:
		return nil, err
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
	o := assess.ImportanceOptions{Options: assess.Options{Folds: max(f.cv.k, 2), Seed: f.seed}}
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
		nbhelpers.Sparsity(m, f.Train.N), nbhelpers.Weights(m),
	}
	if len(f.result.Trace) > 0 {
		blocks = append(blocks, nbhelpers.Convergence(nbhelpers.Trace{Name: f.title(), Steps: f.result.Trace}))
	}
	if m.Features() < 2 || f.Train.N > mostPoints {
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

// name is the id of the vector, or its row.
func (n neighbour) name() string { return cmp.Or(n.ID, strconv.Itoa(n.Index)) }

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
