// Package summary puts the figures of package assess into sentences and tables of text: what the commands
// fit, explain and compare print, and what the pages of their reports share with that.
//
// A function whose name ends in Table returns a header and rows. It returns no rows if there is nothing to
// show.
package summary

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/assess"
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

// share writes a share in percent with one decimal, "–" if it is not defined.
func share(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100**v)
}

var longNumber = regexp.MustCompile(`\d+\.\d{4,}(e[+-]?\d+)?`)

// InBrief returns the name of a kernel or the text of a cell for a table: numbers have four digits, and the
// whole at most 60 characters.
func InBrief(name string) string {
	return cell.Shorten(longNumber.ReplaceAllStringFunc(name, func(number string) string {
		v, _ := strconv.ParseFloat(number, 64) // it is one
		return strconv.FormatFloat(v, 'g', 4, 64)
	}))
}

// Verdict says in two sentences how good a model is.
func Verdict(e *assess.Evaluation) string {
	base := fmt.Sprintf("always naming the most frequent class, %q, errs in %s %%",
		e.Baseline.Class, tabular.Percent(*e.Baseline.Error))
	switch {
	case e.Frequencies():
		return fmt.Sprintf("No setting predicts rows that it did not see better than the frequencies of the "+
			"classes. So these are the model: it uses no feature, and %s.", base)
	case e.CV != nil && e.CV.Error != nil:
	case e.Test != nil:
		return fmt.Sprintf("On %d rows of test data the model errs in %s %%; %s.",
			e.Test.Rows, tabular.Percent(*e.Test.Error), base)
	default:
		return "How good the model is on new rows is not known: there was no cross-validation. " +
			strings.ToUpper(base[:1]) + base[1:] + "."
	}
	text := fmt.Sprintf("On rows that it did not see, the model errs in %s %%; %s",
		number(e.CV.Error, e.CV.ErrorSE, tabular.Percent), base)
	switch err, se := *e.CV.Error, *e.CV.ErrorSE; {
	case err > *e.Baseline.Error-1e-12:
		text += ". So the model is of no use"
	case err+2*se >= *e.Baseline.Error:
		text += ". The difference may be chance"
	}
	if loss, base := e.CV.LogLoss, e.Baseline.LogLoss; loss != nil && base != nil && *loss >= *base {
		text += fmt.Sprintf(". Its probabilities are no better than the frequencies of the classes: their log "+
			"loss is %s, the log loss of the frequencies %s", tabular.Number(*loss), tabular.Number(*base))
	}
	return text + "."
}

// Method describes how the figures of cross-validation were made; it is empty without.
func Method(e *assess.Evaluation) string {
	if e.CV == nil {
		return ""
	}
	if e.CV.HeldOut {
		return fmt.Sprintf("Held out: the search had set aside %d rows; the chosen setting, fitted without them, "+
			"predicts them. They also chose it among its rivals, so the figures may be a little too good (nested "+
			"cross-validation repeats the choice). ± is one standard error.", e.CV.Rows)
	}
	text := fmt.Sprintf("%d folds", e.CV.Folds)
	if e.CV.Done < e.CV.Folds {
		text = fmt.Sprintf("%d of %d folds, because of the time that all take", e.CV.Done, e.CV.Folds)
	}
	if e.CV.DealtBy != "" {
		text += ", dealt " + e.CV.DealtBy
	}
	what := "the chosen setting is fitted again without the rows of a fold and predicts them; the choice has " +
		"seen all rows, so the figures may be a little too good (nested cross-validation repeats the choice)"
	if e.CV.Nested {
		what = "the whole choice is repeated without the rows of a fold"
	}
	return fmt.Sprintf("Cross-validation: %s; %s. ± is one standard error.", text, what)
}

// About describes the model and how the fit ended. It leaves out the time if Seconds is zero.
func About(e *assess.Evaluation) string {
	if e.Frequencies() {
		return fmt.Sprintf("Frequencies of the classes of %d samples; %.2f s.", e.N, e.Seconds)
	}
	after, among := words.Plural(e.Iterations, "iteration"), ""
	if e.Seconds > 0 {
		after += fmt.Sprintf(", %.2f s", e.Seconds)
	}
	if e.Candidates > 0 && e.Candidates < e.N {
		among = fmt.Sprintf(" among %d candidates", e.Candidates)
	}
	return fmt.Sprintf("%s with the kernel %s on %d samples of %s: %s after %s; %s%s.",
		assess.Title(e.Algorithm), InBrief(e.Kernel), e.N, words.Plural(e.Features, "feature"), e.Status,
		after, words.Plural(e.RelevanceVectors, "relevance vector"), among)
}

// FigureTable has a row for each evaluation, such as those of Evaluation.Figures.
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

// ClassTable has the figures of each class, and the class that it is most often taken for.
func ClassTable(list []assess.ClassFigures, confusion [][]int) (header []string, rows [][]string) {
	for c, f := range list {
		taken, most, auc := "", 0, "–"
		for k, n := range confusion[c] {
			if k != c && n > most {
				taken, most = fmt.Sprintf("%s (%d)", list[k].Class, n), n
			}
		}
		if f.AUC != nil {
			auc = tabular.Number(*f.AUC)
		}
		rows = append(rows, []string{f.Class, strconv.Itoa(f.N), share(f.Recall), share(f.Precision), auc, taken})
	}
	return []string{"class", "samples", "recall %", "precision %", "AUC", "most often taken for"}, rows
}

// confusionTable counts the rows of each class by the class that the model predicted for them. Long names are
// numbered. It has no rows for more classes than fit in a line.
func confusionTable(v *assess.CrossValidation) (header []string, rows [][]string) {
	const columns, letters = 12, 10
	if len(v.Classes) > columns {
		return nil, nil
	}
	long := slices.ContainsFunc(v.Classes, func(f assess.ClassFigures) bool {
		return utf8.RuneCountInString(f.Class) > letters
	})
	header = []string{"taken for"}
	for c, f := range v.Classes {
		name, number := f.Class, f.Class
		if long {
			name, number = fmt.Sprintf("%d: %s", c+1, f.Class), strconv.Itoa(c+1)
		}
		header = append(header, number)
		row := []string{name}
		for _, n := range v.Confusion[c] {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	return header, rows
}

// importanceTable has the columns that matter most, if that was measured.
func importanceTable(e *assess.Evaluation) (header []string, rows [][]string) {
	const most = 8
	columns := slices.DeleteFunc(slices.Clone(e.Columns), func(c assess.Column) bool {
		return c.Importance == nil || !(*c.Importance > 0)
	})
	slices.SortStableFunc(columns, func(a, b assess.Column) int {
		return cmp.Compare(*b.Importance, *a.Importance)
	})
	for _, c := range columns[:min(most, len(columns))] {
		rows = append(rows, []string{c.Name, fmt.Sprintf("%+.3f nats", *c.Importance),
			fmt.Sprintf("%+.1f points", 100**c.ImportanceErr)})
	}
	return []string{"if shuffled", "log loss", "error"}, rows
}

// CurveTable has the learning curve.
func CurveTable(e *assess.Evaluation) (header []string, rows [][]string) {
	for _, p := range e.Curve {
		rows = append(rows, []string{strconv.Itoa(p.Rows), number(&p.Err, &p.ErrSE, tabular.Percent),
			number(&p.LogLoss, &p.LogLossSE, tabular.Number)})
	}
	return []string{"learned from rows", "error %", "log loss"}, rows
}

// Calibration explains the log losses of Trust; "" without.
func Calibration(t *assess.Trust) string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf("The log loss of the probabilities is %.4f nats, and was %.4f before calibration. %.4f "+
		"would remain with the temperature that is the best for these rows (refinement): the rest, %.4f, is the "+
		"part of calibration.", t.LogLoss, t.Uncalibrated, t.Refinement, t.LogLoss-t.Refinement)
}

// SetTable has the prediction sets.
func SetTable(t *assess.Trust) (header []string, rows [][]string) {
	if t == nil {
		return nil, nil
	}
	for _, s := range t.Sets {
		worst := "–"
		if s.Class != "" {
			worst = fmt.Sprintf("%.1f, %s", 100*s.Least, cell.Cut(s.Class, 20))
		}
		rows = append(rows, []string{fmt.Sprintf("%g", 100*s.Coverage),
			fmt.Sprintf("%.1f ± %.1f", 100*s.Covered, 100*s.SE), worst,
			fmt.Sprintf("%.2f", s.Size), fmt.Sprintf("%.1f", 100*s.Single)})
	}
	return []string{"sets of %", "hold the class %", "of the worst class %", "mean size", "one class %"}, rows
}

// CostTable has the mean costs of three ways to decide.
func CostTable(e *assess.Evaluation) (header []string, rows [][]string) {
	header = []string{"decision", "mean cost"}
	if e.Costs == nil {
		return header, nil
	}
	cost := func(c assess.MeanCost) string {
		return number(&c.Cost, c.SE, func(v float64) string { return fmt.Sprintf("%.4g", v) })
	}
	return header, [][]string{
		{"always " + e.Baseline.Class, cost(e.Costs.Baseline)}, {"the likeliest class", cost(e.Costs.Likeliest)},
		{"the class of the least expected cost", cost(e.Costs.LeastCost)},
	}
}

// Decisions explains how costs decide; "" without costs.
func Decisions(e *assess.Evaluation) string {
	c := e.Costs
	if c == nil {
		return ""
	}
	rows := fmt.Sprintf("%d rows get", c.Differently)
	if c.Differently == 1 {
		rows = "1 row gets"
	}
	text := fmt.Sprintf("Decisions are for the class of the least expected cost: in cross-validation %s "+
		"another class than the likeliest.", rows)
	if class := slices.Index(e.Classes, c.Find); class >= 0 {
		text += fmt.Sprintf(" An error on a row of %s counts as %.3g others, so that %.4g %% of these rows are "+
			"found.", c.Find, c.Matrix[class][(class+1)%len(e.Classes)], 100*c.Recall)
	}
	return text + " The model has these costs: it decides by them, wherever it is used."
}

// DecisionTable has the recall and precision of each class by the least expected cost.
func DecisionTable(e *assess.Evaluation) (header []string, rows [][]string) {
	if e.Costs != nil {
		for _, c := range e.Costs.Classes {
			tenths := func(v float64) string { return share(&v) }
			rows = append(rows, []string{c.Class, strconv.Itoa(c.N), number(c.Recall, nil, tenths),
				number(c.Precision, nil, tenths)})
		}
	}
	return []string{"by cost", "rows", "recall %", "precision %"}, rows
}

// TrialTable has the trials of search.Auto that are marked Frontier, the smallest first. The figures of
// trials that learned from a sample of the rows have a star.
func TrialTable(e *assess.Evaluation) (header []string, rows [][]string) {
	header = []string{"", "tried", "kernel", "rows", "log loss", "error %", "T", "weights", "s"}
	for _, t := range slices.SortedStableFunc(slices.Values(e.Trials), func(a, b assess.Trial) int {
		return cmp.Or(cmp.Compare(a.Weights, b.Weights), cmp.Compare(a.LogLoss, b.LogLoss))
	}) {
		if !t.Frontier {
			continue
		}
		mark, sampled := "", ""
		if t.Chosen {
			mark = "chosen"
		}
		if t.Samples < e.N {
			sampled = "*"
		}
		rows = append(rows, []string{mark, t.Learner, InBrief(t.Kernel), strconv.Itoa(t.Samples) + sampled,
			tabular.Number(t.LogLoss) + sampled, tabular.Percent(t.Err) + sampled, fmt.Sprintf("%.2f", t.Temperature),
			strconv.Itoa(t.Weights), fmt.Sprintf("%.2f", t.Seconds)})
	}
	if e.Seconds == 0 { // the times are not known
		header = header[:len(header)-1]
		for i := range rows {
			rows[i] = rows[i][:len(header)]
		}
	}
	return header, rows
}

// TrialRule explains how search.Auto chose among the trials.
func TrialRule(e *assess.Evaluation) string {
	chosen := "the smallest model whose log loss exceeds the least one by at most " + map[string]string{
		search.Balance.String(): "one standard error", search.Sparsity.String(): "two standard errors",
	}[e.Prefer] + " of the mean difference, row by row"
	if e.Prefer == search.Accuracy.String() {
		chosen = "the model with the lowest log loss"
	}
	again := ""
	if slices.ContainsFunc(e.Trials, func(t assess.Trial) bool { return strings.HasSuffix(t.Learner, "other folds") }) {
		again = " The best settings were scored again on other folds, where a kernel has to beat the linear model " +
			"by one standard error. Among kernels, the mean of both scores decides."
	}
	return fmt.Sprintf("Each setting was judged by its log loss at its own temperature and mixed with the "+
		"frequencies of the classes, in 5-fold cross-validation within the training data or, of more than 5000 "+
		"rows, on up to 4000 that were set aside. The choice is %s (preference: %s), of the settings that "+
		"learned from as many rows as the search could use. A star marks settings that learned from a sample of "+
		"the rows; they do not compare with those of other rows. T is the temperature, s are seconds.%s",
		chosen, e.Prefer, again)
}

// Print writes the verdict, the figures, which classes are confused, what the model is and what was tried.
func Print(w io.Writer, e *assess.Evaluation) error {
	var b strings.Builder
	b.WriteString(Verdict(e) + "\n")
	text := func(text string) {
		if text != "" {
			b.WriteString("\n" + text + "\n")
		}
	}
	table := func(header []string, rows [][]string) {
		if len(rows) > 0 {
			b.WriteString("\n")
			_ = tabular.Write(&b, header, rows) // a Builder has no errors
		}
	}
	table(FigureTable(e.Figures()))
	if e.CV != nil {
		table(ClassTable(e.CV.Classes, e.CV.Confusion))
		table(confusionTable(e.CV))
		table(importanceTable(e))
	}
	table(CurveTable(e))
	table(CostTable(e))
	table(DecisionTable(e))
	text(Decisions(e))
	text(Method(e))
	text(About(e))
	header, rows := TrialTable(e)
	table(header, rows)
	if left := len(e.Trials) - len(rows); e.Prefer != "" && left > 0 {
		text(fmt.Sprintf("The table leaves out %s: a model of the same size or a smaller one has a log loss no "+
			"higher, or one fold showed that they are worse. --json prints all of them.", words.Plural(left,
			"setting")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
