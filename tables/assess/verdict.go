package assess

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables"
)

// number writes a figure with its standard error, if they are known.
func number(v, se *float64, write func(float64) string) string {
	switch {
	case v == nil:
		return "undefined"
	case se == nil || *se == 0:
		return write(*v)
	}
	return write(*v) + " ± " + write(*se)
}

// tenths writes a share in percent with one decimal.
func tenths(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

// frequencies reports whether search.Auto found nothing better than the frequencies of the classes.
func (j *Judgement) frequencies() bool { return j.Prefer != "" && j.Vectors == 0 }

// Verdict says in two sentences how good the model is.
func (j *Judgement) Verdict() string {
	base := fmt.Sprintf("always naming the most frequent class, %q, errs in %s %%", j.Baseline.Class, tabular.Percent(j.Baseline.Err))
	if j.frequencies() {
		return fmt.Sprintf("No setting predicts rows that it did not see better than the frequencies of the classes. So these are the model: it uses no feature, and %s.", base)
	}
	const unknown = "How good the model is on new rows is not known: there was no cross-validation. "
	if j.CV == nil || j.CV.Err == nil {
		if t := j.Test; t != nil {
			return fmt.Sprintf("On %d rows of test data the model errs in %s %%; %s.", t.N, tabular.Percent(t.Err), base)
		}
		return unknown + strings.ToUpper(base[:1]) + base[1:] + "."
	}
	text := fmt.Sprintf("On rows that it did not see, the model errs in %s %%; %s", number(j.CV.Err, j.CV.ErrSE, tabular.Percent), base)
	switch e, se := *j.CV.Err, *j.CV.ErrSE; {
	case e > j.Baseline.Err-1e-12:
		text += ". So the model is of no use"
	case e+2*se >= j.Baseline.Err:
		text += ". The difference may be chance"
	}
	if loss, base := j.CV.LogLoss, j.Baseline.LogLoss; loss != nil && base != nil && *loss >= *base {
		text += fmt.Sprintf(". Its probabilities are no better than the frequencies of the classes: their log loss is %s, the log loss of the frequencies %s", tabular.Number(*loss), tabular.Number(*base))
	}
	return text + "."
}

// Method says how the figures of cross-validation were made; it is empty without.
func (j *Judgement) Method() string {
	if j.CV == nil {
		return ""
	}
	what := "the chosen setting is fitted again without the rows of a fold and predicts them; the choice has seen all rows, so the figures may be a little too good (nested cross-validation repeats the choice)"
	if j.CV.Nested {
		what = "the whole choice is repeated without the rows of a fold"
	}
	if j.CV.Held {
		return fmt.Sprintf("Held out: the search had set aside %d rows; the chosen setting, fitted without them, predicts them. They also chose it among its rivals, so the figures may be a little too good (nested cross-validation repeats the choice). ± is one standard error.", j.CV.N)
	}
	text := fmt.Sprintf("%d folds", j.CV.Folds)
	if j.CV.Done < j.CV.Folds {
		text = fmt.Sprintf("%d of %d folds, because of the time that all take", j.CV.Done, j.CV.Folds)
	}
	if j.CV.By != "" {
		text += ", dealt " + j.CV.By
	}
	return fmt.Sprintf("Cross-validation: %s; %s. ± is one standard error.", text, what)
}

// About describes the model and how the fit ended. It leaves out the time if Seconds is zero.
func (j *Judgement) About() string {
	among := ""
	if j.Candidate > 0 && j.Candidate < j.N {
		among = fmt.Sprintf(" among %d candidates", j.Candidate)
	}
	if j.frequencies() {
		return fmt.Sprintf("Frequencies of the classes of %d samples; %.2f s.", j.N, j.Seconds)
	}
	after := words.Plural(j.Iteration, "iteration")
	if j.Seconds > 0 {
		after += fmt.Sprintf(", %.2f s", j.Seconds)
	}
	return fmt.Sprintf("%s with the kernel %s on %d samples of %s: %s after %s; %s%s.",
		j.Title(), InBrief(j.Kernel), j.N, words.Plural(j.Features, "feature"), j.Status,
		after, words.Plural(j.Vectors, "relevance vector"), among)
}

// Figures returns the figures of ScoreTable, for the record of the model.
func (j *Judgement) Figures() []tables.Figures {
	base := tables.Figures{Of: "majority baseline", Rows: j.N, Error: new(j.Baseline.Err)}
	var list []tables.Figures
	if v := j.CV; v != nil {
		base.Rows, base.LogLoss, base.AUC = v.N, j.Baseline.LogLoss, new(0.5)
		list = append(list, base, tables.Figures{
			Of: "cross-validation", How: v.how(), Rows: v.N, Error: v.Err, ErrorSE: v.ErrSE,
			LogLoss: v.LogLoss, LogLossSE: v.LogLossSE, AUC: v.AUC, AUCSE: v.AUCSE,
		})
		for _, b := range j.Beside {
			list = append(list, tables.Figures{
				Of: b.System, Rows: b.N, Error: b.Err, ErrorSE: b.ErrSE, LogLoss: b.LogLoss, LogLossSE: b.LogLossSE, AUC: b.AUC,
			})
		}
	} else {
		list = append(list, base)
	}
	of := func(name string, s *Measured) {
		if s != nil {
			list = append(list, tables.Figures{Of: name, Rows: s.N, Error: &s.Err, LogLoss: &s.LogLoss, AUC: s.AUC})
		}
	}
	of("test", j.Test)
	of("training (optimistic)", j.Train)
	return list
}

// how describes the cross-validation in a few words. It does not name the column by which the folds are dealt.
func (v *Validated) how() string {
	if v.Held {
		return "rows that the search held out"
	}
	text := words.Plural(v.Folds, "fold")
	if v.Done < v.Folds {
		text = fmt.Sprintf("%d of %s", v.Done, text)
	}
	if v.By != "" {
		text += ", dealt by groups or by time"
	}
	if v.Nested {
		text = "nested, " + text
	}
	return text
}

// ScoreTable has the figures, the honest ones first.
func (j *Judgement) ScoreTable() (header []string, rows [][]string) { return FigureTable(j.Figures()) }

// FigureTable returns a table of figures with a row for each evaluation.
func FigureTable(list []tables.Figures) (header []string, rows [][]string) {
	for _, f := range list {
		row := []string{f.Of, number(f.Error, f.ErrorSE, tabular.Percent), "", "", strconv.Itoa(f.Rows)}
		if f.LogLoss != nil || f.AUC != nil {
			row[2], row[3] = number(f.LogLoss, f.LogLossSE, tabular.Number), number(f.AUC, f.AUCSE, tabular.Number)
		}
		rows = append(rows, row)
	}
	return []string{"", "error %", "log loss", "AUC", "samples"}, rows
}

// ClassTable has recall, precision and AUC of each class, and the class that it is most often taken
// for. The AUC is of the probability of the class, against all other classes.
func (p Predictions) ClassTable(classes []string) (header []string, rows [][]string) {
	header = []string{"class", "samples", "recall %", "precision %", "AUC", "most often taken for"}
	counts, err := score.Confusion(p.Labels, p.T, len(classes))
	if err != nil {
		panic("assess: " + err.Error()) // no labels of these classes
	}
	share := func(n, of int) string {
		if of == 0 {
			return "–"
		}
		return tenths(float64(n) / float64(of))
	}
	pair := mat.NewDense(max(len(p.T), 1), 2, nil) // the class and the rest
	labels := make([]int, len(p.T))
	for c, name := range classes {
		members, predicted, taken, most := 0, 0, "", 0
		for k, n := range counts[c] {
			members += n
			predicted += counts[k][c]
			if k != c && n > most {
				taken, most = fmt.Sprintf("%s (%d)", classes[k], n), n
			}
		}
		auc := "–"
		if p.Proba != nil {
			for i, label := range p.T {
				v := p.Proba.At(i, c)
				pair.SetRow(i, []float64{v, 1 - v})
				if labels[i] = 1; label == c {
					labels[i] = 0
				}
			}
			if v, err := score.AUC(pair, labels); err == nil {
				auc = tabular.Number(v)
			}
		}
		rows = append(rows, []string{name, strconv.Itoa(members), share(counts[c][c], members), share(counts[c][c], predicted), auc, taken})
	}
	return header, rows
}

// confusionTable counts the rows of each class by the class that the model predicted for them. Long
// names are numbered. It has no rows for more classes than fit in a line.
func (j *Judgement) confusionTable() (header []string, rows [][]string) {
	const columns, letters = 12, 10
	if len(j.Classes) > columns {
		return nil, nil
	}
	long := slices.ContainsFunc(j.Classes, func(name string) bool { return utf8.RuneCountInString(name) > letters })
	header = []string{"taken for"}
	for c, name := range j.Classes {
		if long {
			header, name = append(header, strconv.Itoa(c+1)), fmt.Sprintf("%d: %s", c+1, name)
		} else {
			header = append(header, name)
		}
		row := []string{name}
		for _, n := range j.CV.Confusion[c] {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	return header, rows
}

// importanceTable has the columns that matter most, if that was measured.
func (j *Judgement) importanceTable() (header []string, rows [][]string) {
	const most = 8
	for _, one := range j.important.list[:min(most, len(j.important.list))] {
		if one.LogLoss.Mean > 0 {
			rows = append(rows, []string{one.Column, fmt.Sprintf("%+.3f nats", one.LogLoss.Mean), fmt.Sprintf("%+.1f points", 100*one.Err.Mean)})
		}
	}
	return []string{"if shuffled", "log loss", "error"}, rows
}

// UnsureTable has the rows with the lowest probability of the likeliest class, at most ten: the
// relevance vectors most like each, and its cells in the most important columns.
func (j *Judgement) UnsureTable(p Predictions, important []Importance) (header []string, rows [][]string, err error) {
	const (
		mostRows  = 10
		mostNear  = 3
		mostCells = 6
	)
	t, own := j.Table, true
	if j.Folds == nil && j.TestTable != nil {
		t, own = j.TestTable, false
	}
	order, top := make([]int, len(p.T)), make([]float64, len(p.T))
	for i := range order {
		order[i], top[i] = i, slices.Max(p.Proba.RawRowView(i))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(top[a], top[b]) })
	vectors := neighboursOf(j.Model)
	for _, i := range order[:min(len(order), mostRows)] {
		x, err := Explain(j.Model, t, p.Rows[i])
		if err != nil {
			return nil, nil, err
		}
		name, but := strconv.Itoa(x.Row+1), x.Row
		if x.ID != "" {
			name += " · " + x.ID
		}
		if !own {
			but = -1
		}
		var near, cells []string
		for _, v := range vectors.nearest(x.X, but, mostNear) {
			near = append(near, fmt.Sprintf("%s (%s)", v.name(), inShort(j.Classes[v.Label])))
		}
		for _, c := range important[:min(len(important), mostCells)] {
			cells = append(cells, inShort(c.Column)+" "+cmp.Or(inShort(t.Columns[t.Find(c.Column)].Text(x.Row)), "?"))
		}
		rows = append(rows, []string{
			name, inShort(j.Classes[p.T[i]]), fmt.Sprintf("%s (%.2f)", inShort(j.Classes[p.Labels[i]]), top[i]),
			strings.Join(near, ", "), strings.Join(cells, ", "),
		})
	}
	return []string{"row", "class", "predicted", "nearest relevance vectors", "cells"}, rows, nil
}

// inShort is a text of at most 20 characters.
func inShort(text string) string { return cell.Cut(text, 20) }

// CostCurve is the mean cost over the threshold; nil without costs or with more than two classes.
func (j *Judgement) CostCurve(p Predictions) []CostPoint {
	if j.options.Costs == nil || len(j.Classes) != 2 {
		return nil
	}
	return CostCurve(p.Proba, p.T, j.options.Costs)
}

// CostMatrix has the cost of naming class c where t is true in row t; it is nil without costs.
func (j *Judgement) CostMatrix() (costs [][]float64) {
	if j.options.Costs == nil {
		return nil
	}
	return rowsOf(j.options.Costs)
}

// CostTable has the mean costs of three ways to decide; it has no rows without costs.
func (j *Judgement) CostTable() (header []string, rows [][]string) {
	header = []string{"decision", "mean cost"}
	if j.Costs == nil {
		return header, nil
	}
	cost := func(c MeanCost) string {
		return number(&c.Cost, c.SE, func(v float64) string { return fmt.Sprintf("%.4g", v) })
	}
	return header, [][]string{
		{"always " + j.Baseline.Class, cost(j.Costs.Baseline)}, {"the likeliest class", cost(j.Costs.Likeliest)},
		{"the class of the least expected cost", cost(j.Costs.LeastCost)},
	}
}

// Decisions says in a sentence how costs decide; "" without costs.
func (j *Judgement) Decisions() string {
	if j.Costs == nil {
		return ""
	}
	say := fmt.Sprintf("Decisions are for the class of the least expected cost: in cross-validation %s another class than the likeliest.", gets(j.Costs.Differently))
	if class := slices.Index(j.Classes, j.options.Find); class >= 0 {
		say += fmt.Sprintf(" An error on a row of %s counts as %.3g others, so that %.4g %% of these rows are found.",
			j.options.Find, j.options.Costs.At(class, (class+1)%len(j.Classes)), 100*j.options.Recall)
	}
	return say + " The model has these costs: it decides by them, wherever it is used."
}

func gets(n int) string {
	if n == 1 {
		return "1 row gets"
	}
	return fmt.Sprintf("%d rows get", n)
}

// DecisionTable has the recall and precision of each class by the least expected cost; it has no rows
// without costs.
func (j *Judgement) DecisionTable() (header []string, rows [][]string) {
	header = []string{"by cost", "rows", "recall %", "precision %"}
	if j.Costs == nil {
		return header, nil
	}
	for _, c := range j.Costs.Classes {
		rows = append(rows, []string{c.Class, strconv.Itoa(c.N), number(c.Recall, nil, tenths), number(c.Precision, nil, tenths)})
	}
	return header, rows
}

// WeightTable counts the weights of each class.
func (j *Judgement) WeightTable() (header []string, rows [][]string) {
	for _, s := range j.Model.Model().Summary() {
		rows = append(rows, []string{s.Name, fmt.Sprintf("%.4g", s.Bias), strconv.Itoa(s.Positive), fmt.Sprintf("%.4g", s.PositiveSum),
			strconv.Itoa(s.Negative), fmt.Sprintf("%.4g", s.NegativeSum)})
	}
	return []string{"class", "bias", "weights for", "their sum", "weights against", "their sum"}, rows
}

// TrialTable has the trials of search.Auto in Frontier, the chosen one marked; it has no rows for
// other learners. The figures of trials that learned from a sample of the rows have a star.
func (j *Judgement) TrialTable() (header []string, rows [][]string) {
	header = []string{"", "tried", "kernel", "rows", "log loss", "error %", "T", "weights", "s"}
	if j.Prefer == "" {
		return header, nil
	}
	for _, t := range tried(j.Result.Frontier()) {
		mark, sampled := "", ""
		if t.Chosen {
			mark = "chosen"
		}
		if t.Samples < j.N {
			sampled = "*"
		}
		rows = append(rows, []string{mark, t.Learner, InBrief(t.Kernel), strconv.Itoa(t.Samples) + sampled, tabular.Number(t.LogLoss) + sampled,
			tabular.Percent(t.Err) + sampled, fmt.Sprintf("%.2f", t.Temperature), strconv.Itoa(t.Weights), fmt.Sprintf("%.2f", t.Seconds)})
	}
	if j.Seconds == 0 { // the times are not known
		header = header[:len(header)-1]
		for i := range rows {
			rows[i] = rows[i][:len(header)]
		}
	}
	return header, rows
}

// TrialRule says how the trials were judged.
func (j *Judgement) TrialRule() string {
	chosen := "the smallest model whose log loss exceeds the least one by at most " + map[string]string{
		search.Balance.String(): "one standard error", search.Sparsity.String(): "two standard errors",
	}[j.Prefer] + " of the mean difference, row by row"
	if j.Prefer == search.Accuracy.String() {
		chosen = "the model of the least log loss"
	}
	return fmt.Sprintf("Each setting was judged by its log loss at its own temperature and mixed with the frequencies of the classes, in 5-fold cross-validation within the training data "+
		"or, of more than 5000 rows, on up to 4000 that were set aside. "+
		"The choice is %s (preference: %s), of the settings that learned from as many rows as the search could use. "+
		"A star marks settings that learned from a sample of the rows; they do not compare with those of other rows. T is the temperature, s are seconds.", chosen, j.Prefer)
}

var longNumber = regexp.MustCompile(`\d+\.\d{4,}(e[+-]?\d+)?`)

// InBrief is the name of a kernel or the text of a cell for a table: numbers have four digits, and
// the whole at most 60 characters.
func InBrief(name string) string {
	name = longNumber.ReplaceAllStringFunc(name, func(number string) string {
		v, _ := strconv.ParseFloat(number, 64) // it is one
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
	return cell.Shorten(name)
}

// Print writes the verdict, the figures, which classes are confused, what the model is and what was
// tried.
func (j *Judgement) Print(ctx context.Context, w io.Writer) error {
	var b strings.Builder
	b.WriteString(j.Verdict() + "\n")
	table := func(header []string, rows [][]string) {
		if len(rows) > 0 {
			b.WriteString("\n")
			_ = tabular.Write(&b, header, rows) // a Builder has no errors
		}
	}
	table(j.ScoreTable())
	if j.CV != nil {
		p, err := j.Predictions(ctx)
		if err != nil {
			return err
		}
		table(p.ClassTable(j.Classes))
		table(j.confusionTable())
		table(j.importanceTable())
	}
	table(j.CurveTable())
	table(j.CostTable())
	table(j.DecisionTable())
	if say := j.Decisions(); say != "" {
		fmt.Fprintf(&b, "\n%s\n", say)
	}
	if method := j.Method(); method != "" {
		fmt.Fprintf(&b, "\n%s\n", method)
	}
	fmt.Fprintf(&b, "\n%s\n", j.About())
	header, rows := j.TrialTable()
	left := len(j.Trials) - len(rows)
	table(header, rows)
	if j.Prefer != "" && left > 0 {
		fmt.Fprintf(&b, "\nThe table leaves out %s: a model of the same size or a smaller one has a log loss no higher, or one fold showed that they are worse. --json prints all of them.\n", words.Plural(left, "setting"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
