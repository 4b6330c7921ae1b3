package assess

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Results contains the out-of-fold predictions of several systems.
type Results struct {
	// Table and Target are the names of the table and of the class column.
	Table, Target string
	// Classes are the C class names, in the order of strings.Compare.
	Classes []string
	// Rows are the row numbers (from 0) that were assigned to folds, in ascending order, and T their labels
	// (indices of Classes). LeftOut is the number of other rows, which have no label or no value.
	Rows    []int
	T       []int
	LeftOut int
	// Folds is the number of folds K, and Repeats the number of repeats.
	Folds, Repeats int
	// Fold contains, for each repeat, the fold of each of Rows, from 0 to K−1. It is K for a row that is
	// used for training in every fold, such as the only row of its class.
	Fold [][]int
	// DealtBy describes the columns by which the rows were split into folds; it is empty if each row was
	// assigned individually. See table.Dealing.By.
	DealtBy string
	// Duplicates is the mean number of rows per repeat whose features are identical to those in one of their
	// training rows.
	Duplicates float64
	// Systems contains the majority baseline, followed by the given systems.
	Systems []Outcome

	baseline bool            // whether the first of Systems is the majority baseline
	samples  *recipe.Samples // all rows, without X
	table    *table.Table
	by       table.Dealing // of Rows
	done     []int         // folds completed by all systems, as repeat·K + fold
	// number of folds left out because a model collapsed
	collapsedFolds int
}

// Outcome contains the predictions of a system.
type Outcome struct {
	Name string
	// Labels contains, for each repeat, the predicted label of each of Rows; −1 if the row is not scored.
	Labels [][]int
	// Proba contains, for each repeat, the N×C probabilities; NaN if the row is not scored. It is nil if the
	// system has no probabilities.
	Proba []*mat.Dense
	// Weights contains the number of non-zero coefficients of each fit, in the order of repeats and folds,
	// and Seconds its wall time while other fits ran concurrently. Unknown values are NaN.
	Weights, Seconds []float64
	// Err is the reason why the system failed, or nil. A system that failed has no scores.
	Err error

	ended, noProba []bool    // of each fold
	collapsed      []bool    // for each fold, whether the model was discarded
	models         []*fitted // for each fold; nil if not kept
	failedAt       int       // the fold in which Err occurred
}

// newOutcome returns an Outcome without predictions.
func newOutcome(r *Results, name string) Outcome {
	fits := r.Repeats * r.Folds
	o := Outcome{Name: name, Weights: make([]float64, fits), Seconds: make([]float64, fits),
		ended: make([]bool, fits), noProba: make([]bool, fits), collapsed: make([]bool, fits)}
	for i := range fits {
		o.Weights[i], o.Seconds[i] = math.NaN(), math.NaN()
	}
	for range r.Repeats {
		o.Labels = append(o.Labels, slices.Repeat([]int{-1}, len(r.Rows)))
		o.Proba = append(o.Proba, mat.NewDense(len(r.Rows), len(r.Classes), slices.Repeat([]float64{math.NaN()},
			len(r.Rows)*len(r.Classes))))
	}
	return o
}

// complete determines the folds that all systems have completed and discards the others, including those in
// which a system collapsed. If more than half would be discarded, the system that collapsed most often
// fails.
func (r *Results) complete() {
	r.done, r.collapsedFolds = nil, 0
	for r.failMostCollapsed() {
	}
	for fit := range r.Folds * r.Repeats {
		whole, collapsed := true, false
		for i := range r.Systems {
			o := &r.Systems[i]
			whole = whole && (o.ended[fit] || o.Err != nil)
			collapsed = collapsed || o.collapsed[fit] && o.Err == nil
		}
		if whole && collapsed {
			r.collapsedFolds++
			whole = false
		}
		if whole {
			r.done = append(r.done, fit)
			continue
		}
		_, out := r.parts(fit/r.Folds, fit%r.Folds)
		for i := range r.Systems {
			o := &r.Systems[i]
			for _, n := range out {
				o.Labels[fit/r.Folds][n] = -1
				floats.AddConst(math.NaN(), o.Proba[fit/r.Folds].RawRowView(n))
			}
			o.Weights[fit], o.Seconds[fit] = math.NaN(), math.NaN()
			if o.models != nil {
				o.models[fit] = nil
			}
		}
	}
	for i := range r.Systems {
		if o := &r.Systems[i]; slices.Contains(o.noProba, true) || o.Err != nil {
			o.Proba = nil
		}
	}
}

// Figure is a value with its standard error. Both are NaN if undefined.
type Figure struct{ Value, SE float64 }

var undefined = Figure{math.NaN(), math.NaN()}

// Score contains the scores of a system.
type Score struct {
	// System is the name of the system.
	System string
	// Err is the share of misclassified rows. LogLoss is the mean −ln p of the true class in nats, with p at
	// least 2^−1022 as in score.LogLoss. AUC is the mean over the folds of score.AUC for the classes that
	// occur in the fold. The package comment describes the standard errors.
	Err, LogLoss, AUC Figure
	// Recall is the share of the rows of each class that are predicted as that class; NaN for a class that
	// is not scored. Precision is the share of the rows predicted as each class that belong to it; NaN for a
	// class that is never predicted.
	Recall, Precision []float64
	// Confusion[i][j] is the number of rows of class i predicted as class j, over all repeats.
	Confusion [][]int
	// Weights is the mean number of non-zero coefficients, and Seconds the mean wall time of a fit. Unknown
	// values are NaN.
	Weights, Seconds float64
}

// Score returns the scores of system s, an index of Systems. All are NaN if the system failed or no fold is
// complete.
func (r *Results) Score(s int) Score {
	o := &r.Systems[s]
	sc := Score{System: o.Name, Err: undefined, LogLoss: undefined, AUC: undefined, Weights: known(o.Weights),
		Seconds: known(o.Seconds)}
	counts := make([][]int, len(r.Classes))
	for c := range counts {
		counts[c] = make([]int, len(r.Classes))
	}
	if o.Err == nil {
		r.eachScored(func(repeat, n int) { counts[r.T[n]][o.Labels[repeat][n]]++ })
	}
	sc.Confusion = counts
	_, sc.Recall, sc.Precision = recalls(counts)
	if o.Err != nil || len(r.done) == 0 {
		return sc
	}
	f := r.byFold(o)
	sc.Err, sc.LogLoss = r.figure(f.err, r.errors(o), true), r.figure(f.logLoss, r.logLosses(o), false)
	sc.AUC = Figure{floats.Sum(f.auc) / float64(len(f.auc)), corrected(f.auc, r.Folds)}
	return sc
}

// recalls returns the number of rows, the recall and the precision of each class of a confusion matrix.
// Undefined values are NaN.
func recalls(confusion [][]int) (rows []int, recall, precision []float64) {
	for c := range confusion {
		of, predicted, right := 0, 0, float64(confusion[c][c])
		for k, n := range confusion[c] {
			of += n
			predicted += confusion[k][c]
		}
		rows, recall, precision = append(rows, of), append(recall, right/float64(of)),
			append(precision, right/float64(predicted))
	}
	return rows, recall, precision
}

// Best returns the index of the lowest defined value, or −1 if fewer than two values are defined.
func Best(figures []Figure) int {
	best, defined := -1, 0
	for i, f := range figures {
		if math.IsNaN(f.Value) {
			continue
		}
		if defined++; best < 0 || f.Value < figures[best].Value {
			best = i
		}
	}
	if defined < 2 {
		return -1
	}
	return best
}

// known returns the mean of the values that are not NaN, or NaN if there are none.
func known(v []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range v {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// folds contains the scores of each complete fold. Undefined values are NaN.
type folds struct{ err, logLoss, auc []float64 }

func (r *Results) byFold(o *Outcome) folds {
	var f folds
	for _, fit := range r.done {
		repeat := fit / r.Folds
		_, out := r.parts(repeat, fit%r.Folds)
		if len(out) == 0 {
			continue
		}
		labels, t := make([]int, len(out)), make([]int, len(out))
		for i, n := range out {
			labels[i], t[i] = o.Labels[repeat][n], r.T[n]
		}
		f.err = append(f.err, score.ErrorRate(labels, t))
		loss, auc := math.NaN(), math.NaN()
		if o.Proba != nil {
			p := mat.NewDense(len(out), len(r.Classes), nil)
			for i, n := range out {
				p.SetRow(i, o.Proba[repeat].RawRowView(n))
			}
			loss, _ = score.LogLoss(p, t) // NaN with an error
			auc, _ = score.AUC(p, t)
		}
		f.logLoss = append(f.logLoss, loss)
		if o.Proba == nil || !math.IsNaN(auc) { // the AUC is undefined for folds with one class
			f.auc = append(f.auc, auc)
		}
	}
	return f
}

// eachScored calls f for each row of the complete folds.
func (r *Results) eachScored(f func(repeat, n int)) {
	for _, fit := range r.done {
		for n, fold := range r.Fold[fit/r.Folds] {
			if fold == fit%r.Folds {
				f(fit/r.Folds, n)
			}
		}
	}
}

// rowMeans returns the mean loss over the repeats for each scored row.
func (r *Results) rowMeans(loss func(repeat, n int) float64) []float64 {
	sum, count := make([]float64, len(r.Rows)), make([]int, len(r.Rows))
	r.eachScored(func(repeat, n int) {
		sum[n] += loss(repeat, n)
		count[n]++
	})
	var means []float64
	for n, k := range count {
		if k > 0 {
			means = append(means, sum[n]/float64(k))
		}
	}
	return means
}

func (r *Results) errors(o *Outcome) []float64 {
	return r.rowMeans(func(repeat, n int) float64 {
		if o.Labels[repeat][n] == r.T[n] {
			return 0
		}
		return 1
	})
}

func (r *Results) logLosses(o *Outcome) []float64 {
	return r.rowMeans(func(repeat, n int) float64 {
		if o.Proba == nil {
			return math.NaN()
		}
		return logLoss(o.Proba[repeat].At(n, r.T[n]))
	})
}

// logLoss is score.LogLoss for one row.
func logLoss(p float64) float64 { return -math.Log(min(max(p, 0x1p-1022), 1)) }

// figure returns the mean loss of the rows with its standard error; see the package comment.
func (r *Results) figure(byFold, rows []float64, share bool) Figure {
	n := float64(len(rows))
	mean, deviation := stat.MeanStdDev(rows, nil)
	se := deviation / math.Sqrt(n)
	if share {
		p := (mean*n + 2) / (n + 4)
		se = math.Sqrt(p * (1 - p) / (n + 4))
	}
	if r.by.Groups != nil {
		se = max(se, r.clustered(rows, mean))
	}
	if len(byFold) > r.Folds {
		se = max(se, corrected(byFold, r.Folds))
	}
	return Figure{mean, se}
}

// clustered returns the cluster-robust standard error of the mean loss of the scored rows, based on the
// sums over the groups, with the factor G/(G−1) for G groups.
func (r *Results) clustered(rows []float64, mean float64) float64 {
	isScored := make([]bool, len(r.Rows))
	r.eachScored(func(_, n int) { isScored[n] = true })
	sums := map[int]float64{}
	var order []int // groups in the order of their first rows
	i := 0
	for n, scored := range isScored {
		if scored {
			g := r.by.Groups[n]
			if _, met := sums[g]; !met {
				order = append(order, g)
			}
			sums[g] += rows[i] - mean
			i++
		}
	}
	if len(order) < 2 {
		return 0
	}
	squares := 0.0
	for _, g := range order {
		squares += sums[g] * sums[g]
	}
	groups := float64(len(order))
	return math.Sqrt(squares*groups/(groups-1)) / float64(len(rows))
}

// corrected returns the standard error of Nadeau and Bengio for the scores of the folds.
func corrected(v []float64, folds int) float64 {
	return stat.StdDev(v, nil) * math.Sqrt(1/float64(len(v))+1/float64(folds-1))
}

// Difference contains the differences between the scores of two systems.
type Difference struct{ Err, LogLoss, AUC Contrast }

// Contrast is the difference between two scores on the same folds, with the corrected standard error and
// the p-value of a two-sided test that the difference is zero.
type Contrast struct{ Value, SE, P float64 }

// Noise reports whether the difference is not significant at the 5 % level.
func (c Contrast) Noise() bool { return !(c.P < 0.05) }

// Difference returns the scores of system i minus the scores of system j. A difference is NaN if it is
// undefined for one of the two.
func (r *Results) Difference(i, j int) Difference {
	none := Contrast{math.NaN(), math.NaN(), math.NaN()}
	if r.Systems[i].Err != nil || r.Systems[j].Err != nil {
		return Difference{none, none, none}
	}
	a, b := r.byFold(&r.Systems[i]), r.byFold(&r.Systems[j])
	contrast := func(a, b []float64) Contrast {
		if len(a) != len(b) || len(a) < 2 {
			return none
		}
		d := floats.SubTo(make([]float64, len(a)), a, b)
		c := Contrast{Value: stat.Mean(d, nil), SE: corrected(d, r.Folds)}
		switch {
		case math.IsNaN(c.Value):
			return none
		case c.Value == 0:
			c.P = 1
		default:
			c.P = 2 * distuv.StudentsT{Sigma: 1, Nu: float64(len(d) - 1)}.Survival(math.Abs(c.Value)/c.SE)
		}
		return c
	}
	return Difference{contrast(a.err, b.err), contrast(a.logLoss, b.logLoss), contrast(a.auc, b.auc)}
}

// OutOfFold returns the out-of-fold probabilities of system s and the true labels, with one row for each
// scored row of the table in each repeat. p is nil if the system has no probabilities or failed. The result
// can be passed to score.Reliability and nbhelpers.ROC.
func (r *Results) OutOfFold(s int) (p *mat.Dense, t []int) {
	o := &r.Systems[s]
	if o.Proba == nil {
		return nil, nil
	}
	var v []float64
	r.eachScored(func(repeat, n int) {
		v, t = append(v, o.Proba[repeat].RawRowView(n)...), append(t, r.T[n])
	})
	if len(t) == 0 {
		return nil, nil
	}
	return mat.NewDense(len(t), len(r.Classes), v), t
}

// fewRows is the number of rows below which the scores of a class are unreliable.
const fewRows = 5

// tested reports whether any row of a class is held out in a fold.
func (r *Results) tested(class int) bool {
	for _, fold := range r.Fold {
		for n, f := range fold {
			if r.T[n] == class && f < r.Folds {
				return true
			}
		}
	}
	return false
}

// Warnings lists problems that can invalidate the scores: duplicates, small classes, and systems that
// failed, collapsed, never predict a class, or whose error or log loss is not lower than the baseline's.
func (r *Results) Warnings() []Warning {
	var list []Warning
	warn := func(code, format string, args ...any) {
		list = append(list, Warning{code, fmt.Sprintf(format, args...)})
	}
	if d := math.Round(r.Duplicates); d > 0 {
		warn("duplicates", "%.0f of %d rows have the same features as a row of their training set; if these "+
			"are copies of one case, the figures are too good.", d, len(r.Rows))
	}
	count := make([]int, len(r.Classes))
	for _, label := range r.T {
		count[label]++
	}
	for c, n := range count {
		switch {
		case n > 1 && !r.tested(c):
			warn("not-scored", "Class %q (%d rows) is in every training set and is not scored, because of the "+
				"groups or times of its rows.", r.Classes[c], n)
		case n == 1:
			warn("small-class", "Class %q has 1 row: it is in every training set and is not scored.", r.Classes[c])
		case n < fewRows:
			warn("small-class", "Class %q has %d rows, too few for reliable figures.", r.Classes[c], n)
		}
	}
	for s := range r.Systems {
		o := &r.Systems[s]
		if o.Err != nil {
			warn("failed", "%s failed: %v.", o.Name, o.Err)
			continue
		}
		if n := howMany(o.collapsed); n > 0 {
			warn("collapsed", "%s collapsed in %d of %d folds: these are left out of all figures, which may "+
				"therefore be too good.",
				o.Name, n, howMany(o.ended))
		}
		if s == 0 && r.baseline || len(r.done) == 0 {
			continue
		}
		sc := r.Score(s)
		if n, class := r.collapsed(o); n > 0 && r.baseline && sc.LogLoss.Value < r.Score(0).LogLoss.Value {
			warn("one-class", "%s predicts %q for every row in %d of %d folds. Its probabilities are better than the "+
				"class frequencies.", o.Name, class, n, len(r.done))
		} else if n > 0 {
			warn("collapsed", "%s collapsed: it predicts %q for every row in %d of %d folds.", o.Name, class, n,
				len(r.done))
		}
		if n := o.withoutWeights(r.done); n > 0 && n < len(r.done) {
			warn("frequencies", "%s predicts the class frequencies in %d of %d folds: no setting did better there.",
				o.Name, n, len(r.done))
		}
		var never []string
		for c, p := range sc.Precision {
			if math.IsNaN(p) && count[c] > 1 && r.tested(c) {
				never = append(never, fmt.Sprintf("%q (%d rows)", r.Classes[c], count[c]))
			}
		}
		if len(never) > 0 {
			warn("never-predicted", "%s never predicts %s.", o.Name, words.List(never, 5))
		}
		if r.baseline && sc.Err.Value >= r.Score(0).Err.Value {
			warn("no-better", "%s does not have a lower error than the majority baseline.", o.Name)
		}
		if base := r.Score(0).LogLoss.Value; r.baseline && sc.LogLoss.Value > base {
			warn("log-loss", "The log loss of %s, %s, is worse than the log loss of the class frequencies, %s: do "+
				"not rely on its probabilities.",
				o.Name, tabular.Number(sc.LogLoss.Value), tabular.Number(base))
		}
	}
	return list
}

// withoutWeights returns the number of folds whose model has no weights.
func (o *Outcome) withoutWeights(done []int) (n int) {
	for _, fit := range done {
		if o.Weights[fit] == 0 {
			n++
		}
	}
	return n
}

// failMostCollapsed marks the system that collapsed most often as failed if more than half of the folds
// would be discarded, and reports whether it did.
func (r *Results) failMostCollapsed() bool {
	lost, worst, most := make([]bool, r.Folds*r.Repeats), -1, 0
	for i := range r.Systems {
		o := &r.Systems[i]
		if n := howMany(o.collapsed); o.Err == nil && n > 0 {
			for fit, collapsed := range o.collapsed {
				lost[fit] = lost[fit] || collapsed
			}
			if n > most {
				worst, most = i, n
			}
		}
	}
	if worst < 0 || 2*howMany(lost) <= howMany(r.Systems[worst].ended) {
		return false
	}
	r.Systems[worst].Err = fmt.Errorf("%w, in %d of %d folds", errCollapsed, most,
		howMany(r.Systems[worst].ended))
	return true
}

// howMany returns the number of true values.
func howMany(v []bool) (n int) {
	for _, is := range v {
		if is {
			n++
		}
	}
	return n
}

// collapsed returns the number of folds in which a system predicts one class for every row although another
// class has at least two rows in the fold, and the last class so predicted. Classes with a single row in a
// fold are ignored, because a good model may miss one row. For the same reason, the number is 0 unless at
// least fewRows rows of other classes are missed in all of these folds together.
func (r *Results) collapsed(o *Outcome) (n int, class string) {
	missed := 0
	for _, fit := range r.done {
		_, out := r.parts(fit/r.Folds, fit%r.Folds)
		labels, truth := map[int]bool{}, map[int]int{}
		last := 0
		for _, i := range out {
			last = o.Labels[fit/r.Folds][i]
			labels[last] = true
			truth[r.T[i]]++
		}
		if len(labels) != 1 {
			continue
		}
		others := 0
		for label, rows := range truth {
			if label != last && rows > 1 {
				others += rows
			}
		}
		if others > 0 {
			n++
			missed += others
			class = r.Classes[last]
		}
	}
	if missed < fewRows {
		return 0, ""
	}
	return n, class
}

// figures converts the scores, which were computed from n rows.
func (s Score) figures(n int) model.Figures {
	return model.Figures{
		Rows: n, Error: finite(s.Err.Value), ErrorSE: finite(s.Err.SE), LogLoss: finite(s.LogLoss.Value),
		LogLossSE: finite(s.LogLoss.SE), AUC: finite(s.AUC.Value), AUCSE: finite(s.AUC.SE),
	}
}

// MarshalJSON writes the scores of each system: err is its error rate, n_weights the mean number of
// non-zero coefficients and fit_s the mean duration of a fit in seconds. An undefined value is null.
func (r *Results) MarshalJSON() ([]byte, error) {
	type system struct {
		System  string   `json:"system"`
		Err     *float64 `json:"err"`
		ErrSE   *float64 `json:"err_se"`
		LogLoss *float64 `json:"logloss"`
		AUC     *float64 `json:"auc"`
		Weights *float64 `json:"n_weights"`
		Seconds *float64 `json:"fit_s"`
	}
	systems := make([]system, len(r.Systems))
	for s := range systems {
		sc := r.Score(s)
		f := sc.figures(0)
		systems[s] = system{sc.System, f.Error, f.ErrorSE, f.LogLoss, f.AUC, finite(sc.Weights), finite(sc.Seconds)}
	}
	return json.Marshal(systems)
}

// Complete returns the number of folds, over all repeats, that all systems have completed.
func (r *Results) Complete() int { return len(r.done) }
