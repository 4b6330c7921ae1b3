package eval

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mlr"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Comparison contains the out-of-fold predictions of several systems for the same folds.
type Comparison struct {
	*Folds
	// Systems contains the predictions of each system. The first one is the majority baseline.
	Systems []*Matrix

	// Complete is the number of folds, over all repeats, that all systems have completed.
	Complete int

	lost int // folds left out because a model collapsed
}

// compare collects the predictions for the folds that all systems have completed, given the fits of each
// system. It leaves out the folds in which a system collapsed. If these are more than half, the system that
// collapsed most often fails.
func (f *Folds) compare(systems []System, fits [][]fit) *Comparison {
	c := &Comparison{Folds: f}
	for s, system := range systems {
		m := &Matrix{System: system.Name, Table: f.table, Classes: f.Classes, K: f.K,
			models: make([]*fitted, len(fits[s]))}
		for fold, made := range fits[s] {
			switch {
			case errors.Is(made.err, errCollapsed):
				m.collapsed, m.ended = m.collapsed+1, m.ended+1
			case made.ended:
				m.ended++
			case made.err != nil && m.Err == nil:
				m.Err = fmt.Errorf("repeat %d, fold %d: %w", fold/f.K+1, fold%f.K+1, made.err)
			}
		}
		c.Systems = append(c.Systems, m)
	}
	for failMostCollapsed(c.Systems, fits) {
	}
	for fold := range f.K * f.Repeats {
		whole, collapsed := true, false
		for s, m := range c.Systems {
			if made := &fits[s][fold]; m.Err == nil {
				whole, collapsed = whole && made.ended, collapsed || made.err != nil
			}
		}
		switch {
		case whole && collapsed:
			c.lost++
		case whole:
			c.Complete++
			for s, m := range c.Systems {
				if m.Err == nil {
					m.add(f, fold, &fits[s][fold])
				}
			}
		}
	}
	return c
}

// add adds the predictions for a fold.
func (m *Matrix) add(f *Folds, fold int, made *fit) {
	_, out := f.parts(fold)
	var p []float64
	if m.Proba != nil {
		p = m.Proba.RawMatrix().Data
	}
	first := len(m.T) == 0
	for i, n := range out {
		m.Rows, m.T, m.Labels, m.Fold = append(m.Rows, f.Rows[n]), append(m.T, f.T[n]),
			append(m.Labels, made.labels[i]), append(m.Fold, fold)
		if f.by.Groups != nil {
			m.Groups = append(m.Groups, f.by.Groups[n])
		}
	}
	switch {
	case len(out) == 0:
	case made.p == nil || m.Proba == nil && !first:
		m.Proba = nil
	default:
		for i := range out {
			p = append(p, made.p.RawRowView(i)...)
		}
		m.Proba = mat.NewDense(len(m.T), len(m.Classes), p)
	}
	m.models[fold] = made.model
	m.Weights, m.Seconds = append(m.Weights, made.weights), append(m.Seconds, made.seconds)
}

// failMostCollapsed fails the system that collapsed most often if more than half of the folds would be lost.
func failMostCollapsed(systems []*Matrix, fits [][]fit) bool {
	lost, worst := map[int]bool{}, &Matrix{}
	for s, m := range systems {
		if m.Err != nil {
			continue
		}
		for fold, f := range fits[s] {
			if f.err != nil {
				lost[fold] = true
			}
		}
		if m.collapsed > worst.collapsed {
			worst = m
		}
	}
	if 2*len(lost) <= worst.ended {
		return false
	}
	worst.Err = table.Finding{Code: texts.CollapsedMostly, N: worst.collapsed, Of: worst.ended,
		Cause: errCollapsed}
	return true
}

// Best returns the index of the system with the best value of a metric, or −1 if fewer than two have one.
func (r *Comparison) Best(of Metric) int {
	best, least, defined := -1, math.Inf(1), 0
	for s, m := range r.Systems {
		v := m.Score(of).Value
		if of == AUC {
			v = -v
		}
		if math.IsNaN(v) {
			continue
		}
		if defined++; v < least {
			best, least = s, v
		}
	}
	if defined < 2 {
		return -1
	}
	return best
}

// Verdict compares the system with the lowest log loss, or with the lowest error if a system predicts only
// labels, with the systems whose difference from it may be noise. The first text of the finding is the best
// system. The finding is zero if there is nothing to compare.
func (r *Comparison) Verdict() table.Finding {
	of, name := LogLoss, "log loss"
	for _, m := range r.Systems {
		if m.Err == nil && math.IsNaN(m.Score(of).Value) {
			of, name = Error, "error"
		}
	}
	best := r.Systems[max(r.Best(of), 0)]
	var level []string
	fast := best
	for s, m := range r.Systems {
		if m == best || m.Err != nil || !Difference(m, best, of).Noise() {
			continue
		}
		if s == 0 {
			return table.Finding{Code: texts.VerdictNone, Texts: []string{best.System, name, m.System}}
		}
		if level = append(level, m.System); m.MeanSeconds() < fast.MeanSeconds() {
			fast = m
		}
	}
	f := table.Finding{Code: texts.VerdictBest, Texts: []string{best.System, name}}
	took, slow := fast.MeanSeconds(), best.MeanSeconds()
	switch {
	case best == r.Systems[0] && r.Best(of) >= 0:
		return table.Finding{Code: texts.VerdictNone, Texts: []string{best.System, name, best.System}}
	case r.Best(of) < 0:
		return table.Finding{}
	case 2*took < slow:
		f.Code, f.Texts = texts.VerdictFaster, append(f.Texts, fast.System, duration(took), duration(slow))
	case level != nil:
		f.Code, f.Texts = texts.VerdictLevel, append(f.Texts, strings.Join(level, ", "))
	}
	return f
}

// duration formats a time with two digits.
func duration(seconds float64) string {
	if seconds < 0.01 {
		return "under 0.01 s"
	}
	return strconv.FormatFloat(seconds, 'f', max(0, 1-int(math.Floor(math.Log10(seconds)))), 64) + " s"
}

// fewRows is the number of rows below which the scores of a class are unreliable.
const fewRows = 5

// scored reports whether any row of a class is held out in a fold.
func (f *Folds) scored(class int) bool {
	for _, fold := range f.Fold {
		for n, at := range fold {
			if f.T[n] == class && at < f.K {
				return true
			}
		}
	}
	return false
}

// Warnings lists problems that can invalidate the scores: copies, small classes, and systems that
// failed, collapsed, never predict a class, or whose error or log loss is not lower than the baseline's.
func (r *Comparison) Warnings() (list []table.Finding) {
	if d := math.Round(r.Duplicates); d > 0 {
		list = append(list, table.Finding{Code: texts.CopiesInFolds, N: int(d), Of: len(r.Rows)})
	}
	if r.by.Copies.Code != "" {
		list = append(list, r.by.Copies)
	}
	count := make([]int, len(r.Classes))
	for _, label := range r.T {
		count[label]++
	}
	for c, n := range count {
		about := table.Finding{N: n, Texts: []string{r.Classes[c]}}
		switch {
		case n > 1 && !r.scored(c):
			about.Code = texts.NotScored
		case n == 1:
			about.Code = texts.SingleRow
		case n < fewRows:
			about.Code = texts.SmallClass
		default:
			continue
		}
		list = append(list, about)
	}
	for s, m := range r.Systems {
		list = append(list, r.warningsOf(m, s > 0, count)...)
	}
	return list
}

// warningsOf returns the warnings about a system. count contains the number of rows of each class. If scores
// is false, they are not about the scores.
func (r *Comparison) warningsOf(m *Matrix, scores bool, count []int) (list []table.Finding) {
	warn := func(code table.Code, n, of int, more ...string) {
		list = append(list, table.Finding{Code: code, N: n, Of: of, Texts: append([]string{m.System}, more...)})
	}
	if m.Err != nil {
		return []table.Finding{{Code: texts.Failed, Texts: []string{m.System}, Cause: m.Err}}
	}
	if m.collapsed > 0 {
		warn(texts.CollapsedFolds, m.collapsed, m.ended)
	}
	if !scores || r.Complete == 0 {
		return list
	}
	loss, base := m.Score(LogLoss).Value, r.Systems[0].Score(LogLoss).Value
	switch n, class := m.constant(); {
	case n > 0 && loss < base:
		warn(texts.SystemOneClass, n, r.Complete, class)
	case n > 0:
		warn(texts.SystemConstant, n, r.Complete, class)
	}
	without := 0 // folds whose model has no weights
	for _, weights := range m.Weights {
		if weights == 0 {
			without++
		}
	}
	if without > 0 && without < r.Complete {
		warn(texts.Frequencies, without, r.Complete)
	}
	predicted := make([]bool, len(r.Classes))
	for _, label := range m.Labels {
		predicted[label] = true
	}
	var never []string
	rows := 0
	for c, n := range count {
		if !predicted[c] && n > 1 && r.scored(c) {
			never, rows = append(never, r.Classes[c]), rows+n
		}
	}
	if never != nil {
		warn(texts.SystemNever, rows, 0, never...)
	}
	if m.Score(Error).Value >= r.Systems[0].Score(Error).Value {
		warn(texts.NoBetter, 0, 0)
	}
	if loss > base {
		warn(texts.WorseLogLoss, 0, 0, tabular.Number(loss), tabular.Number(base))
	}
	return list
}

// constant returns the number of folds in which a system predicts one class for every row although another
// class has at least two rows in the fold, and the last class so predicted. Classes with a single row in a
// fold are ignored, because a good model may miss one row. For the same reason, the number is 0 unless at
// least fewRows rows of other classes are missed in all of these folds together.
func (m *Matrix) constant() (n int, class string) {
	missed := 0
	m.eachFold(func(lo, hi int) {
		truth, others := make([]int, len(m.Classes)), 0
		for i := lo; i < hi; i++ {
			if m.Labels[i] != m.Labels[lo] {
				return
			}
			truth[m.T[i]]++
		}
		for label, rows := range truth {
			if label != m.Labels[lo] && rows > 1 {
				others += rows
			}
		}
		if others > 0 {
			n++
			missed += others
			class = m.Classes[m.Labels[lo]]
		}
	})
	if missed < fewRows {
		return 0, ""
	}
	return n, class
}

// MarshalJSON writes the scores of each system: err is its error rate, n_weights the mean number of
// non-zero coefficients and fit_s the mean duration of a fit in seconds. An undefined value is null.
func (r *Comparison) MarshalJSON() ([]byte, error) {
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
	for s, m := range r.Systems {
		f := m.figures()
		systems[s] = system{m.System, f.Error, f.ErrorSE, f.LogLoss, f.AUC, finite(m.MeanWeights()),
			finite(m.MeanSeconds())}
	}
	return json.Marshal(systems)
}

// Write writes the folds as CSV for other programs, with a line for each row in each fold: the repeat and the
// fold, the number of the row in the table, its class, and "train" or "test". All numbers count from 1.
func (f *Folds) Write(w io.Writer) error {
	records := [][]string{{"repeat", "fold", "row", "class", "part"}}
	for fold := range f.K * f.Repeats {
		in, out := f.parts(fold)
		for i, n := range slices.Concat(in, out) {
			part := "train"
			if i >= len(in) {
				part = "test"
			}
			records = append(records, []string{strconv.Itoa(fold/f.K + 1), strconv.Itoa(fold%f.K + 1),
				strconv.Itoa(f.Rows[n] + 1), f.Classes[f.T[n]], part})
		}
	}
	return csv.NewWriter(w).WriteAll(records)
}

// Given returns systems whose predictions another program has made for the folds of Write. r is a CSV text
// with the columns system, repeat, row and p(CLASS) for each class, and a line for each test row of each
// repeat. name is the name of the file, for errors.
func (f *Folds) Given(r io.Reader, name string) (systems []System, err error) {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil {
		return nil, &cell.Error{Name: name, Err: err}
	}
	want := []string{"system", "repeat", "row"}
	for _, class := range f.Classes {
		want = append(want, "p("+class+")")
	}
	at := make([]int, len(want))
	for j, column := range want {
		if at[j] = slices.Index(header, column); at[j] < 0 {
			return nil, &cell.Error{Name: name, Err: table.Finding{Code: texts.LackingScore, Column: column,
				Texts: header}}
		}
	}
	for line := 2; ; line++ {
		cells, err := in.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, &cell.Error{Name: name, Err: err}
		}
		fault := func(j int, what string) error {
			return &cell.Error{Name: name, Line: line, Column: at[j] + 1, Header: want[j], Value: cells[at[j]],
				Err: table.Finding{Code: texts.WrongScore, Texts: []string{what}}}
		}
		s := slices.IndexFunc(systems, func(s System) bool { return s.Name == cells[at[0]] })
		if s < 0 {
			s, systems = len(systems), append(systems, System{Name: cells[at[0]], given: map[[2]int][]float64{}})
		}
		var key [2]int
		for j := range key {
			if key[j], err = strconv.Atoi(cells[at[1+j]]); err != nil {
				return nil, fault(1+j, "a whole number")
			}
		}
		if systems[s].given[key] != nil {
			return nil, fault(2, "in this repeat for the first time")
		}
		p := make([]float64, len(f.Classes))
		for c := range p {
			if p[c], err = strconv.ParseFloat(cells[at[3+c]], 64); err != nil || !(p[c] >= 0 && p[c] <= 1) {
				return nil, fault(3+c, "a probability from 0 to 1")
			}
		}
		sum := floats.Sum(p)
		if math.Abs(sum-1) > 1e-3 {
			return nil, fault(3, fmt.Sprintf("one of %d probabilities with the sum 1, not %.4g", len(p), sum))
		}
		floats.Scale(1/sum, p)
		systems[s].given[key] = p
	}
	for _, s := range systems {
		if err := f.complete(s); err != nil {
			return nil, &cell.Error{Name: name, Err: err}
		}
	}
	return systems, nil
}

// complete returns an error unless a system has a prediction for each held-out row.
func (f *Folds) complete(s System) error {
	lacking := table.Finding{Code: texts.LackingScores, Texts: []string{s.Name, "", ""}}
	for fold := range f.K * f.Repeats {
		_, out := f.parts(fold)
		lacking.Of += len(out)
		for _, row := range f.tableRows(out) {
			if s.given[[2]int{fold/f.K + 1, row + 1}] != nil {
				continue
			}
			if lacking.N++; lacking.N == 1 {
				lacking.Texts[1], lacking.Texts[2] = strconv.Itoa(row+1), strconv.Itoa(fold/f.K+1)
			}
		}
	}
	if lacking.N == 0 {
		return nil
	}
	return lacking
}

// given returns the predictions of a system for the held-out rows of a fold, given as indices of Rows.
func (f *Folds) given(s *System, fold int, out []int) fit {
	made := fit{ended: true, weights: math.NaN(), seconds: math.NaN()}
	made.p = mat.NewDense(len(out), len(f.Classes), nil)
	for i, row := range f.tableRows(out) {
		p := s.given[[2]int{fold/f.K + 1, row + 1}]
		made.p.SetRow(i, p)
		made.labels = append(made.labels, fitting.Argmax(p))
	}
	return made
}

// Systems returns the systems that are compared by default. (CrossValidate always adds the majority
// baseline.) Each system chooses its parameters from the training rows of a fold:
//
//   - multinomial logistic regression (mlr.MLR), which has no parameters to choose;
//   - a support vector machine with an RBF kernel, whose C and width minimize the error of 5-fold
//     cross-validation (svm.SVM.Tune), with Platt's probabilities;
//   - mRVM₂ with an RBF kernel, whose width minimizes the log loss of 5-fold cross-validation;
//   - mPCVM₁ (mpcvm.TopDown) and mPCVM₂ (mpcvm.BottomUp), with a width chosen in the same way;
//   - search.Auto.
//
// The inner folds depend on seed.
func Systems(seed uint64) []System {
	return []System{
		Of("logistic", mlr.MLR{}),
		Of("SVM", tunedSVM{seed}),
		Of("mRVM₂", tunedMRVM{seed}),
		Of("mPCVM₁", search.Width{Learner: mpcvm.TopDown{Seed: seed}, Seed: seed}),
		Of("mPCVM₂", search.Width{Learner: mpcvm.BottomUp{Seed: seed}, Seed: seed}),
		Of("Auto", search.Auto{Seed: seed}),
	}
}

// tunedSVM is an SVM whose parameters are tuned on its training data.
type tunedSVM struct{ seed uint64 }

// Fit implements mpcvm.LearnerOf.
func (l tunedSVM) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*svm.Model,
	mpcvm.Result, error) {
	tuned, _, err := svm.SVM{Seed: l.seed}.Tune(ctx, s, svm.Grid{})
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	return tuned.Fit(ctx, s, observers...)
}

// tunedMRVM is mRVM₂ with an RBF kernel, whose width has the lowest log loss in 5-fold cross-validation.
type tunedMRVM struct{ seed uint64 }

// Fit implements mpcvm.LearnerOf.
func (l tunedMRVM) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (m *mrvm.Model,
	result mpcvm.Result, err error) {
	d, err := fitting.New(fitting.Samples(s))
	if err != nil {
		return m, result, err
	}
	var best kernel.Kernel
	least := math.Inf(1)
	start := kernel.RBF{}.MedianTheta(d.X)
	if err := d.CheckDistances(start); err != nil {
		return m, result, err
	}
	err = fitting.SearchWidth(start, func(theta float64) (better bool, err error) {
		k := kernel.RBF{Theta: theta}
		y, err := d.Unseen(ctx, fitting.Folds, l.seed, func(_ int, in *fitting.Data) (fitting.Predictor, error) {
			m, _, err := mrvm.TopDown{Kernel: k}.Fit(ctx, mpcvm.Samples{X: in.X, T: in.T})
			return m, err
		})
		if err != nil {
			return false, err
		}
		loss, _ := fitting.Evaluate(y, d.T, nil)
		if better = loss < least; better {
			best, least = k, loss
		}
		return better, nil
	})
	if err != nil {
		return m, result, err
	}
	if best == nil {
		return m, result, fmt.Errorf("eval: no kernel width gives a finite log loss")
	}
	return mrvm.TopDown{Kernel: best}.Fit(ctx, s, observers...)
}

// Chosen returns a system with the setting that a fit of l has chosen: the setting chosen by search.Auto or
// the kernel chosen by search.Width. Any other learner is used unchanged. Cross-validating the system costs
// five fits instead of five searches.
//
// The setting was chosen from all rows, including the held-out ones, so the scores are slightly optimistic
// even though CrossValidate uses other folds than the search. For an unbiased estimate, repeat the search
// in every fold: use CrossValidate with Of(name, l). The table compares both ("honest" repeats the search)
// for search.Auto with 5 folds; the values are means over seeds:
//
//	                            error (%)         log loss (nats)
//	               seeds    Chosen  honest       Chosen  honest
//	noise            100      48.8    50.9        0.707   0.721
//	Iris              20       3.9     4.4        0.091   0.117
//	Wine              12       1.7     2.3        0.064   0.071
//	Glass             10      22.0    20.9        0.652   0.647
//
// Noise has 100 rows with five normal features and labels that do not depend on them, so its true error is
// 50 %. Repeat the search where a difference of this size matters.
func Chosen(name string, l mpcvm.Learner, result mpcvm.Result) System {
	s := Of(name, l)
	if refit := search.Chosen(result); refit != nil {
		s = Of(name, refit)
	}
	s.constant = result.Status == mpcvm.Collapsed
	return s
}
