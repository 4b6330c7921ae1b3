package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Matrix contains the predictions of a system for rows whose class is known. In a cross-validation, there is
// a row for each held-out row of the table in each repeat, in the order of the folds; otherwise all rows
// belong to a single fold. All scores of a system are functions of its matrix.
type Matrix struct {
	// System is the name of the system, and Table the table that contains the rows.
	System string
	Table  *table.Table
	// Classes are the names of the C classes.
	Classes []string
	// Rows are row numbers of the table (from 0), T the labels of these rows (indices of Classes), and Labels
	// the predicted labels. Fold is repeat·K + fold, in ascending order.
	Rows, T, Labels, Fold []int
	// Groups contains the groups by which the rows were split into folds, or is nil.
	Groups []int
	// K is the number of folds of a repeat.
	K int
	// Proba contains the N×C probabilities. It is nil if the system has no probabilities, or if Rows is empty.
	Proba *mat.Dense
	// Weights contains the number of non-zero coefficients of each fit, and Seconds its wall time while other
	// fits ran concurrently. Unknown values are NaN.
	Weights, Seconds []float64
	// Err is the reason why the system failed, or nil. A system that failed has no rows.
	Err error

	models           []*fitted // for each value of Fold; nil if they were not kept
	collapsed, ended int       // fits
}

// Metric is a way to score a Matrix.
type Metric int

// The metrics.
const (
	// Error is the share of misclassified rows.
	Error Metric = iota
	// LogLoss is the mean −ln p of the true class in nats, with p at least 2^−1022 as in score.LogLoss.
	LogLoss
	// AUC is the mean over the folds of score.AUC for the classes that occur in the fold.
	AUC
)

// Figure is a value with its standard error. Both are NaN if undefined.
type Figure struct{ Value, SE float64 }

var undefined = Figure{math.NaN(), math.NaN()}

// Score returns a score with its standard error, which the package comment describes. It is undefined if the
// system failed or has no rows, or if the metric needs probabilities and the system has none.
func (m *Matrix) Score(of Metric) Figure {
	if len(m.T) == 0 {
		return undefined
	}
	if of == AUC {
		byFold := m.byFold(AUC)
		return Figure{floats.Sum(byFold) / float64(len(byFold)), corrected(byFold, m.K)}
	}
	return m.mean(m.losses(of), of == Error)
}

func (m *Matrix) losses(of Metric) []float64 {
	list := make([]float64, len(m.T))
	for i, label := range m.T {
		switch {
		case of == LogLoss && m.Proba == nil:
			list[i] = math.NaN()
		case of == LogLoss:
			list[i] = logLoss(m.Proba.At(i, label))
		case m.Labels[i] != label:
			list[i] = 1
		}
	}
	return list
}

// logLoss is score.LogLoss for one row.
func logLoss(p float64) float64 { return -math.Log(min(max(p, 0x1p-1022), 1)) }

// eachFold calls f with the rows of each fold: lo ≤ i < hi.
func (m *Matrix) eachFold(f func(lo, hi int)) {
	for lo, hi := 0, 0; lo < len(m.Fold); lo = hi {
		for hi = lo; hi < len(m.Fold) && m.Fold[hi] == m.Fold[lo]; hi++ {
		}
		f(lo, hi)
	}
}

func (m *Matrix) byFold(of Metric) (list []float64) {
	if of != AUC {
		return m.foldMeans(m.losses(of))
	}
	m.eachFold(func(lo, hi int) {
		auc := math.NaN()
		if m.Proba != nil {
			auc, _ = score.AUC(m.Proba.Slice(lo, hi, 0, len(m.Classes)), m.T[lo:hi]) // NaN with an error
		}
		if m.Proba == nil || !math.IsNaN(auc) { // the AUC is undefined for folds with one class
			list = append(list, auc)
		}
	})
	return list
}

func (m *Matrix) foldMeans(losses []float64) (list []float64) {
	m.eachFold(func(lo, hi int) {
		sum := 0.0
		for _, v := range losses[lo:hi] {
			sum += v
		}
		list = append(list, sum/float64(hi-lo))
	})
	return list
}

// mean returns the mean loss of the rows with its standard error; see the package comment.
func (m *Matrix) mean(losses []float64, share bool) Figure {
	most := slices.Max(m.Rows) + 1
	sum, count, group := make([]float64, most), make([]int, most), make([]int, most)
	for i, row := range m.Rows {
		sum[row] += losses[i]
		count[row]++
		if m.Groups != nil {
			group[row] = m.Groups[i]
		}
	}
	var means []float64
	var groups []int
	for row, k := range count {
		if k > 0 {
			means, groups = append(means, sum[row]/float64(k)), append(groups, group[row])
		}
	}
	n := float64(len(means))
	mean, deviation := stat.MeanStdDev(means, nil)
	se := deviation / math.Sqrt(n)
	if share {
		p := (mean*n + 2) / (n + 4)
		se = math.Sqrt(p * (1 - p) / (n + 4))
	}
	if m.Groups != nil {
		se = max(se, clustered(means, groups, mean))
	}
	if byFold := m.foldMeans(losses); len(byFold) > m.K {
		se = max(se, corrected(byFold, m.K))
	}
	return Figure{mean, se}
}

// clustered returns the cluster-robust standard error of the mean loss of rows, with the factor G/(G−1).
func clustered(losses []float64, groups []int, mean float64) float64 {
	sums := map[int]float64{}
	var order []int // groups in the order of their first rows
	for i, g := range groups {
		if _, met := sums[g]; !met {
			order = append(order, g)
		}
		sums[g] += losses[i] - mean
	}
	if len(order) < 2 {
		return 0
	}
	squares := 0.0
	for _, g := range order {
		squares += sums[g] * sums[g]
	}
	n := float64(len(order))
	return math.Sqrt(squares*n/(n-1)) / float64(len(losses))
}

// corrected returns the standard error of Nadeau and Bengio for the scores of the folds.
func corrected(v []float64, folds int) float64 {
	return stat.StdDev(v, nil) * math.Sqrt(1/float64(len(v))+1/float64(folds-1))
}

// Contrast is the difference between two scores on the same folds, with the corrected standard error and
// the p-value of a two-sided test that the difference is zero.
type Contrast struct{ Value, SE, P float64 }

// Noise reports whether the difference is not significant at the 5 % level.
func (c Contrast) Noise() bool { return !(c.P < 0.05) }

// Difference returns the score of a minus the score of b, which must have the same rows. It is NaN if it is
// undefined for one of the two.
func Difference(a, b *Matrix, of Metric) Contrast {
	none := Contrast{math.NaN(), math.NaN(), math.NaN()}
	x, y := a.byFold(of), b.byFold(of)
	if len(x) != len(y) || len(x) < 2 {
		return none
	}
	d := floats.SubTo(make([]float64, len(x)), x, y)
	c := Contrast{Value: stat.Mean(d, nil), SE: corrected(d, a.K)}
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

// Confusion returns the confusion matrix, whose element (i, j) is the number of rows of class i that are
// predicted as class j, over all repeats.
func (m *Matrix) Confusion() [][]int {
	confusion, err := score.Confusion(m.Labels, m.T, len(m.Classes))
	if err != nil {
		panic("eval: " + err.Error()) // the labels are not of these classes
	}
	return confusion
}

// ByClass returns the scores of each class.
func (m *Matrix) ByClass() (list []ClassFigures) {
	confusion := m.Confusion()
	pair := mat.NewDense(max(len(m.T), 1), 2, nil) // the class against the rest
	labels := make([]int, len(m.T))
	for c, name := range m.Classes {
		f, predicted, right := ClassFigures{Class: name}, 0, float64(confusion[c][c])
		for k, n := range confusion[c] {
			f.N += n
			predicted += confusion[k][c]
		}
		f.Recall, f.Precision = finite(right/float64(f.N)), finite(right/float64(predicted))
		if m.Proba != nil {
			for i, label := range m.T {
				v := m.Proba.At(i, c)
				pair.SetRow(i, []float64{v, 1 - v})
				if labels[i] = 1; label == c {
					labels[i] = 0
				}
			}
			if v, err := score.AUC(pair, labels); err == nil {
				f.AUC = &v
			}
		}
		list = append(list, f)
	}
	return list
}

// finite returns a pointer to v for JSON, or nil if v is not finite.
func finite(v float64) *float64 {
	if !fitting.IsFinite(v) {
		return nil
	}
	return &v
}

func (m *Matrix) figures() model.Figures {
	err, loss, auc := m.Score(Error), m.Score(LogLoss), m.Score(AUC)
	return model.Figures{Rows: len(m.T), Error: finite(err.Value), ErrorSE: finite(err.SE),
		LogLoss: finite(loss.Value), LogLossSE: finite(loss.SE), AUC: finite(auc.Value), AUCSE: finite(auc.SE)}
}

// measured returns the scores of all rows without standard errors.
func (m *Matrix) measured() model.Figures {
	f := model.Figures{Rows: len(m.T)}
	if wrong, err := score.ErrorRate(m.Labels, m.T); err == nil {
		f.Error = &wrong
	}
	if loss, err := score.LogLoss(m.Proba, m.T); err == nil {
		f.LogLoss = &loss
	}
	if auc, err := score.AUC(m.Proba, m.T); err == nil {
		f.AUC = &auc
	}
	return f
}

// pooled returns the scores of all rows as if there were one fold, with the standard errors of their means.
func (m *Matrix) pooled() model.Figures {
	f := model.Figures{Rows: len(m.T)}
	meanSE := func(of Metric) (mean, se *float64) {
		v, deviation := stat.MeanStdDev(m.losses(of), nil)
		return finite(v), finite(deviation / math.Sqrt(float64(len(m.T))))
	}
	f.Error, f.ErrorSE = meanSE(Error)
	if m.Proba != nil {
		f.LogLoss, f.LogLossSE = meanSE(LogLoss)
		if auc, err := score.AUC(m.Proba, m.T); err == nil {
			f.AUC = &auc
		}
	}
	return f
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

// MeanWeights returns the mean number of non-zero coefficients of a fit, and MeanSeconds its mean wall time.
// They are NaN if unknown.
func (m *Matrix) MeanWeights() float64 { return known(m.Weights) }

// MeanSeconds is described at MeanWeights.
func (m *Matrix) MeanSeconds() float64 { return known(m.Seconds) }

// costsOfRecall returns costs for which the decision with the lowest expected cost reaches the given recall
// for a class while predicting the class as rarely as possible: an error on a row of the class costs r, any
// other error costs 1. The class is then predicted if r times its probability is not lower than the
// probability of any other class. p contains N×C probabilities of rows that the model did not see, and t
// their labels. costsOfRecall returns an error if no row belongs to the class, if recall is not in (0, 1],
// or if it can only be reached by finding rows whose probability of the class is zero.
func costsOfRecall(p mat.Matrix, t []int, class int, recall float64) (*mat.Dense, error) {
	_, c := p.Dims()
	if !(recall > 0 && recall <= 1) {
		return nil, fmt.Errorf("recall must be above 0 and at most 1, not %v", recall)
	}
	var needed []float64 // for each row of the class, the smallest r for which it is found
	for i, label := range t {
		if label == class {
			others := mat.Row(nil, i, p)
			own := others[class]
			others[class] = 0
			needed = append(needed, slices.Max(others)/own)
		}
	}
	if needed == nil {
		return nil, errors.New("no row belongs to the class")
	}
	slices.Sort(needed)
	const above = 1 + 1e-9 // protects the comparison from rounding errors
	r := needed[int(math.Ceil(recall*float64(len(needed))*(1-1e-12)))-1] * above
	if !fitting.IsFinite(r) {
		return nil, errors.New("the probability of the class is zero for a row that must be found")
	}
	costs := mat.NewDense(c, c, slices.Repeat([]float64{1}, c*c))
	for k := range c {
		costs.Set(class, k, r)
		costs.Set(k, k, 0)
	}
	costs.Set(class, class, 0)
	return costs, nil
}

// Decide returns a matrix whose labels are the classes with the lowest expected cost under the probabilities;
// the lower class wins a tie. costs is C×C, with true classes as rows and decisions as columns. Decide panics
// if costs is not C×C or the system has no probabilities.
func (m *Matrix) Decide(costs mat.Matrix) *Matrix {
	m.checkCosts(costs)
	if m.Proba == nil {
		panic(fmt.Sprintf("eval: %s has no probabilities", m.System))
	}
	with := *m
	with.System += " by cost"
	with.Labels = make([]int, len(m.Labels))
	list := rowsOf(costs)
	for i := range with.Labels {
		with.Labels[i] = fitting.LeastCost(m.Proba.RawRowView(i), list)
	}
	return &with
}

// Cost returns the mean cost of the labels, with a standard error computed as for the log loss. costs is C×C,
// with true classes as rows and decisions as columns. The cost is NaN if the system failed. Cost panics if
// costs is not C×C.
func (m *Matrix) Cost(costs mat.Matrix) Figure {
	m.checkCosts(costs)
	if len(m.T) == 0 {
		return undefined
	}
	list := make([]float64, len(m.T))
	for i, label := range m.T {
		list[i] = costs.At(label, m.Labels[i])
	}
	return m.mean(list, false)
}

func (m *Matrix) checkCosts(costs mat.Matrix) {
	if rows, columns := costs.Dims(); rows != len(m.Classes) || columns != rows {
		panic(fmt.Sprintf("eval: %d×%d costs for %d classes", rows, columns, len(m.Classes)))
	}
}

func rowsOf(m mat.Matrix) (list [][]float64) {
	n, _ := m.Dims()
	for i := range n {
		list = append(list, mat.Row(nil, i, m))
	}
	return list
}
