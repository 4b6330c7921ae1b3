package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// number formats a value and its standard error, as far as they are known.
func number(v, se *float64, write func(float64) string) string {
	switch {
	case v == nil:
		return "undefined"
	case se == nil || *se == 0:
		return write(*v)
	}
	return write(*v) + " ± " + write(*se)
}

// share formats a share in percent with one decimal, or "–" if it is undefined.
func share(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100**v)
}

var longNumber = regexp.MustCompile(`\d+\.\d{4,}(e[+-]?\d+)?`)

// InBrief shortens the name of a kernel for a table: long numbers are rounded to four digits, and the result
// has at most 60 characters.
func InBrief(name string) string { return rounded(name, 4) }

func rounded(text string, digits int) string {
	return cell.Shorten(longNumber.ReplaceAllStringFunc(text, func(number string) string {
		v, _ := strconv.ParseFloat(number, 64)
		short := strconv.FormatFloat(v, 'g', max(digits, strings.IndexByte(number, '.')), 64)
		if len(short) < len(number) {
			return short
		}
		return number
	}))
}

// Verdict summarises the quality of a model in one or two sentences.
func Verdict(e *eval.Evaluation) string {
	base := fmt.Sprintf("always predicting the most frequent class, %q, misclassifies %s %%",
		e.Baseline.Class, tabular.Percent(*e.Baseline.Error))
	switch {
	case e.Frequencies():
		return fmt.Sprintf("No setting predicts held-out rows better than the class frequencies do. "+
			"The model therefore predicts the class frequencies and uses no features; %s.", base)
	case e.CV != nil && e.CV.Error != nil:
	case e.Test != nil:
		return fmt.Sprintf("On %d rows of test data, the model misclassifies %s %%; %s.",
			e.Test.Rows, tabular.Percent(*e.Test.Error), base)
	default:
		return "The error on new rows is unknown because there was no cross-validation. " +
			strings.ToUpper(base[:1]) + base[1:] + "."
	}
	text := fmt.Sprintf("On held-out rows, the model misclassifies %s %%; %s",
		number(e.CV.Error, e.CV.ErrorSE, tabular.Percent), base)
	loss, frequencies := e.CV.LogLoss, e.Baseline.LogLoss
	scored := loss != nil && frequencies != nil
	informs := scored && e.CV.LogLossSE != nil && *loss+2**e.CV.LogLossSE < *frequencies
	switch err, se := *e.CV.Error, *e.CV.ErrorSE; {
	case err > *e.Baseline.Error-1e-12 && informs:
		text += fmt.Sprintf(". The most probable class is therefore of no use, but the probabilities are: their "+
			"log loss is %s, compared with %s for the class frequencies. Give errors on rare classes a cost",
			tabular.Number(*loss), tabular.Number(*frequencies))
	case err > *e.Baseline.Error-1e-12:
		text += ". The model is therefore useless"
	case err+2*se >= *e.Baseline.Error:
		text += ". The difference may be chance"
	}
	if scored && *loss >= *frequencies {
		text += fmt.Sprintf(". Its probabilities are no better than the class frequencies: their log loss is %s, "+
			"compared with %s for the frequencies", tabular.Number(*loss), tabular.Number(*frequencies))
	}
	return text + "."
}

// method describes how the cross-validated figures were computed, or returns "" without cross-validation.
func method(e *eval.Evaluation) string {
	if e.CV == nil {
		return ""
	}
	if e.CV.HeldOut {
		return fmt.Sprintf("Held out: %d rows were held out by the search and predicted by the chosen setting, "+
			"trained on the other rows. They were also used to choose the setting, so the figures may be slightly "+
			"optimistic (nested cross-validation avoids this). ± is one standard error.", e.CV.Rows)
	}
	text := fmt.Sprintf("%d folds", e.CV.Folds)
	if e.CV.Done < e.CV.Folds {
		text = fmt.Sprintf("%d of %d folds, to save time", e.CV.Done, e.CV.Folds)
	}
	if e.CV.DealtBy != nil {
		text += ", split " + table.Go.Say(*e.CV.DealtBy)
	}
	what := "the chosen setting is trained without the rows of a fold and predicts them; the setting was " +
		"chosen on all rows, so the figures may be slightly optimistic (nested cross-validation avoids this)"
	if e.CV.Nested {
		what = "the whole search is repeated without the rows of each fold"
	}
	return fmt.Sprintf("Cross-validation: %s; %s. ± is one standard error.", text, what)
}

// about describes the model and how the fit ended. It omits the time if Seconds is zero.
func about(e *eval.Evaluation) string {
	if e.Frequencies() {
		return fmt.Sprintf("Class frequencies of %d samples; %.2f s.", e.N, e.Seconds)
	}
	after, among := words.Plural(e.Iterations, "iteration"), ""
	if e.Seconds > 0 {
		after += fmt.Sprintf(", %.2f s", e.Seconds)
	}
	if e.Candidates > 0 && e.Candidates < e.N {
		among = fmt.Sprintf(" among %d candidates", e.Candidates)
	}
	if e.Fit != nil && !e.Fit.Complete() {
		among += "; " + Ended(e.Fit)
	}
	bases, weights := words.Plural(e.RelevanceVectors, "relevance vector"), 0
	for _, n := range e.Weights {
		weights += n
	}
	switch coefficients := e.Model != nil && e.Model.Model().Coefficients() != nil; {
	case e.RelevanceVectors == 0 && weights > 0:
		bases = words.Plural(weights, "coefficient")
	case coefficients:
		bases += fmt.Sprintf(" and coefficients, %d weights", weights)
	}
	return fmt.Sprintf("%s with the kernel %s on %d samples of %s: %s after %s; %s%s.",
		eval.Title(e.Algorithm), InBrief(e.Kernel), e.N, words.Plural(e.Features, "feature"), e.Status,
		after, bases, among)
}

// Ended describes what ended a fit, the settings that the search has tried and the rows of the model.
func Ended(f *model.FitInfo) string {
	early := f.Tried > 0 && f.Tried < f.Of
	what := map[bool]string{true: "search", false: "fit"}[early]
	text := map[string]string{model.Iterations: "the limit of iterations ended the fit",
		model.Budget: "the time limit ended the " + what, model.Stop: "the " + what + " was stopped"}[f.Ended]
	text = cmp.Or(text, f.Ended)
	switch {
	case early:
		text += fmt.Sprintf(" after %d of about %d settings", f.Tried, f.Of)
	case f.Tried > 0:
		text += fmt.Sprintf("; %s tried", words.Plural(f.Tried, "setting"))
	}
	return fmt.Sprintf("%s; trained on %s", text, words.Plural(f.Rows, "row"))
}

// FigureTable returns a row for each evaluation. See Evaluation.Figures.
func FigureTable(list []model.Figures) Table {
	var rows [][]string
	for _, f := range list {
		row := []string{f.Of, number(f.Error, f.ErrorSE, tabular.Percent), "", "", strconv.Itoa(f.Rows)}
		if f.LogLoss != nil || f.AUC != nil {
			row[2], row[3] = number(f.LogLoss, f.LogLossSE, tabular.Number), number(f.AUC, f.AUCSE, tabular.Number)
		}
		rows = append(rows, row)
	}
	return Table{[]string{"", "error %", "log loss", "AUC", "samples"}, rows}
}

// classTable returns a row for each class, with its figures and the class that it is most often mistaken for.
func classTable(list []eval.ClassFigures, confusion [][]int) Table {
	var rows [][]string
	for c, f := range list {
		confused, most, auc := "", 0, "–"
		for k, n := range confusion[c] {
			if k != c && n > most {
				confused, most = fmt.Sprintf("%s (%d)", list[k].Class, n), n
			}
		}
		if f.AUC != nil {
			auc = tabular.Number(*f.AUC)
		}
		rows = append(rows, []string{f.Class, strconv.Itoa(f.N), share(f.Recall), share(f.Precision), auc,
			confused})
	}
	return Table{[]string{"class", "samples", "recall %", "precision %", "AUC", "most often taken for"}, rows}
}

// confusionTable returns the confusion matrix: a row for each class and a column for each predicted class. If
// names are long, the columns are numbered. It has no rows if there are more than 12 classes.
func confusionTable(v *eval.CrossValidation) Table {
	var rows [][]string
	const columns, letters = 12, 10
	if len(v.Classes) > columns {
		return Table{}
	}
	long := slices.ContainsFunc(v.Classes, func(f eval.ClassFigures) bool {
		return utf8.RuneCountInString(f.Class) > letters
	})
	header := []string{"predicted"}
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
	return Table{header, rows}
}

func importanceTable(e *eval.Evaluation) Table {
	var rows [][]string
	const most = 8
	columns := slices.DeleteFunc(slices.Clone(e.Columns), func(c eval.Column) bool {
		return c.Importance == nil || !(*c.Importance > 0)
	})
	slices.SortStableFunc(columns, func(a, b eval.Column) int {
		return cmp.Compare(*b.Importance, *a.Importance)
	})
	for _, c := range columns[:min(most, len(columns))] {
		rows = append(rows, []string{c.Name, fmt.Sprintf("%+.3f nats", *c.Importance),
			fmt.Sprintf("%+.1f points", 100**c.ImportanceErr)})
	}
	return Table{[]string{"if shuffled", "log loss", "error"}, rows}
}

func curveTable(e *eval.Evaluation) Table {
	var rows [][]string
	for _, p := range e.Curve {
		rows = append(rows, []string{strconv.Itoa(p.Rows), number(&p.Err, &p.ErrSE, tabular.Percent),
			number(&p.LogLoss, &p.LogLossSE, tabular.Number)})
	}
	return Table{[]string{"training rows", "error %", "log loss"}, rows}
}

func setTable(sets []eval.SetFigures) Table {
	var rows [][]string
	for _, s := range sets {
		worst := "–"
		if s.Class != "" {
			worst = fmt.Sprintf("%.1f, %s", 100*s.Least, cell.Cut(s.Class, 20))
		}
		rows = append(rows, []string{fmt.Sprintf("%g", 100*s.Coverage),
			fmt.Sprintf("%.1f ± %.1f", 100*s.Covered, 100*s.SE), worst,
			fmt.Sprintf("%.2f", s.Size), fmt.Sprintf("%.1f", 100*s.Single)})
	}
	return Table{[]string{"target coverage %", "coverage %", "worst class %", "mean size", "one class %"}, rows}
}

// decisions explains how the costs affect the decisions.
func decisions(e *eval.Evaluation) string {
	c := e.Costs
	rows := fmt.Sprintf("%d rows get", c.Differently)
	if c.Differently == 1 {
		rows = "1 row gets"
	}
	text := fmt.Sprintf("The model predicts the class with the lowest expected cost: in cross-validation, %s a "+
		"class that is not the most probable one.", rows)
	if class := slices.Index(e.Classes, c.Find); class >= 0 {
		text += fmt.Sprintf(" An error on a row of class %s costs as much as %.3g other errors, so that %.4g %% "+
			"of these rows are found.", c.Find, c.Matrix[class][(class+1)%len(e.Classes)], 100*c.Recall)
	}
	return text + " The costs are saved with the model and apply to all its predictions."
}

// trialTable returns the trials of search.Auto that are marked Frontier, in ascending order of size. A star
// marks the figures of trials that were trained on a subset of the rows.
func trialTable(e *eval.Evaluation) Table {
	var rows [][]string
	header := []string{"", "tried", "kernel", "rows", "log loss", "error %", "temp.", "weights", "seconds"}
	for _, t := range slices.SortedStableFunc(slices.Values(e.Trials), func(a, b eval.Trial) int {
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
		kernel := InBrief(t.Kernel)
		if t.Weights == 0 { // the model predicts the class frequencies
			kernel = "–"
		}
		rows = append(rows, []string{mark, t.Learner, kernel, strconv.Itoa(t.Samples) + sampled,
			tabular.Number(t.LogLoss) + sampled, tabular.Percent(t.Err) + sampled, fmt.Sprintf("%.2f", t.Temperature),
			strconv.Itoa(t.Weights), fmt.Sprintf("%.2f", t.Seconds)})
	}
	if e.Seconds == 0 { // the times are unknown
		header = header[:len(header)-1]
		for i := range rows {
			rows[i] = rows[i][:len(header)]
		}
	}
	return Table{header, rows}
}

// trialRule explains how search.Auto chose among the trials.
func trialRule(e *eval.Evaluation) string {
	chosen := "the smallest model whose log loss exceeds the lowest by at most " + map[string]string{
		search.Balance.String(): "one standard error", search.Sparsity.String(): "two standard errors",
	}[e.Prefer] + " of the paired difference"
	if e.Prefer == search.Accuracy.String() {
		chosen = "the model with the lowest log loss"
	}
	again := ""
	if slices.ContainsFunc(e.Trials, func(t eval.Trial) bool { return strings.HasSuffix(t.Learner, "other folds") }) {
		again = " The best settings were scored again on other folds, where a kernel must be better than the " +
			"linear model by one standard error. Kernels are compared by the mean of both scores."
	}
	if slices.ContainsFunc(e.Trials, func(t eval.Trial) bool {
		return t.Chosen && strings.HasPrefix(t.Learner, "mean of ")
	}) {
		again += " Because neither was better by two standard errors, the model is the mean of their potentials, " +
			"each divided by its temperature."
	}
	return fmt.Sprintf("Each setting was scored by its log loss after calibration by temperature and mixing "+
		"with the class frequencies, in 5-fold cross-validation on the training data or, with more than 5000 "+
		"rows, on up to 4000 held-out rows. The choice is %s (preference: %s) among the settings that were "+
		"trained on as many rows as the search could use. A star marks settings that were trained on a subset of "+
		"the rows; their figures are not comparable with the others. %s%s", chosen, e.Prefer, temperature, again)
}

// Brief returns what mpcvm fit prints: the verdict, the scores, the confusion matrix, a description of the
// model and the trials. v names options; nil means table.Go.
func Brief(e *eval.Evaluation, v *table.Voice) (d Document) {
	d.text(all, Verdict(e))
	d.table(all, FigureTable(e.Figures()))
	if e.CV != nil {
		d.table(all, classTable(e.CV.Classes, e.CV.Confusion))
		d.table(terminal, confusionTable(e.CV))
		d.table(terminal, importanceTable(e))
	}
	d.costs(e)
	d.table(all, curveTable(e))
	d.text(all, method(e))
	d.text(all, about(e))
	d.trials(e, v)
	return d
}

// costs adds the mean costs of three decision rules, and the recall and precision of the last one.
func (d *Document) costs(e *eval.Evaluation) {
	if e.Costs == nil {
		return
	}
	cost := func(c eval.MeanCost) string {
		return number(&c.Cost, c.SE, func(v float64) string { return fmt.Sprintf("%.4g", v) })
	}
	d.table(all, Table{[]string{"decision", "mean cost"}, [][]string{
		{"always " + e.Baseline.Class, cost(e.Costs.Baseline)},
		{"the most probable class", cost(e.Costs.Likeliest)},
		{"the class with the lowest expected cost", cost(e.Costs.LeastCost)},
	}})
	var rows [][]string
	tenths := func(v float64) string { return share(&v) }
	for _, c := range e.Costs.Classes {
		rows = append(rows, []string{c.Class, strconv.Itoa(c.N), number(c.Recall, nil, tenths),
			number(c.Precision, nil, tenths)})
	}
	d.table(all, Table{[]string{"by cost", "rows", "recall %", "precision %"}, rows})
	d.text(all, decisions(e))
}

const temperature = "temp. is the temperature of the probabilities; above 1, it makes them more cautious."

func (d *Document) trials(e *eval.Evaluation, v *table.Voice) {
	t := trialTable(e)
	d.table(terminal|screen, t)
	if len(t.Rows) > 0 {
		star := ""
		if slices.ContainsFunc(t.Rows, func(row []string) bool { return strings.HasSuffix(row[3], "*") }) {
			star = " * marks figures from a subset of the rows, which are not comparable with the others."
		}
		d.text(terminal, temperature+star)
	}
	if left := len(e.Trials) - len(t.Rows); e.Prefer != "" && left > 0 {
		d.text(terminal, cmp.Or(v, table.Go).Say(table.Finding{Code: texts.OmittedSettings, N: left}))
	}
}

// systemTable returns the figures of each system with their standard errors. The best figure of a column is
// marked with a star, and figures whose difference from the best is Noise with a tilde. If only one system
// has a figure, such as the log loss of the baseline when the other systems only predict labels, it is not
// marked.
func systemTable(r *eval.Comparison) Table {
	var rows [][]string
	rounded := func(v float64, format string) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "–"
		}
		return fmt.Sprintf(format, v)
	}
	for _, m := range r.Systems {
		rows = append(rows, []string{m.System, "", "", "", rounded(m.MeanWeights(), "%.0f"),
			rounded(m.MeanSeconds(), "%.2f")})
		if m.Err != nil {
			rows[len(rows)-1][1] = "failed"
		}
	}
	for k, write := range []func(float64) string{tabular.Percent, tabular.Number, tabular.Number} {
		of := []eval.Metric{eval.Error, eval.LogLoss, eval.AUC}[k]
		best := r.Best(of)
		for s, m := range r.Systems {
			v := m.Score(of)
			if math.IsNaN(v.Value) {
				rows[s][k+1] = cmp.Or(rows[s][k+1], "–")
				continue
			}
			text := write(v.Value)
			if !math.IsNaN(v.SE) {
				text += " ± " + write(v.SE)
			}
			switch {
			case best < 0:
			case s == best:
				text += " *"
			case eval.Difference(m, r.Systems[best], of).Noise():
				text += " ~"
			default:
				text += "  "
			}
			rows[s][k+1] = text
		}
	}
	return Table{[]string{"system", "error %", "log loss", "AUC", "weights", "seconds"}, rows}
}

// Comparison returns what mpcvm compare prints: the scores of the systems and the warnings, and for a page
// the errors of the best system.
func Comparison(r *eval.Comparison) (d Document) {
	head := fmt.Sprintf("%s: %s, %d rows, %d classes; %d-fold cross-validation",
		cmp.Or(r.Table, "table"), r.Target, len(r.Rows), len(r.Classes), r.K)
	runs, by := "one run", ""
	if r.Repeats > 1 {
		head += fmt.Sprintf(", %d times", r.Repeats)
		runs = fmt.Sprintf("%d runs", r.Repeats)
	}
	if r.SplitBy.Code != "" {
		by = table.Go.Say(r.SplitBy)
		head, by = head+" "+by, ", split "+by
	}
	if all := r.K * r.Repeats; r.Complete < all {
		head += fmt.Sprintf("; %d of %d folds", r.Complete, all)
	}
	verdict, s := r.Verdict(), r.Systems[0]
	for _, m := range r.Systems {
		if verdict.Texts != nil && m.System == verdict.Texts[0] {
			s = m
		}
	}
	conclusion := table.Go.Say(verdict)
	d.text(terminal, head)
	d.text(page, fmt.Sprintf("%s %s misclassifies %.1f %% of the held-out rows; the majority "+
		"baseline misclassifies %.1f %%. The results are based on %d rows of %d classes and %s of %d-fold "+
		"cross-validation%s.", conclusion, s.System, 100*s.Score(eval.Error).Value,
		100*r.Systems[0].Score(eval.Error).Value, len(r.Rows), len(r.Classes), runs, r.K, by))
	end := "± one standard error   * best   ~ the difference from the best may be noise (corrected t test, 5 %)"
	for _, text := range table.Go.SayAll(r.Warnings()) {
		d.text(page, "Warning: "+text)
		end += "\nwarning: " + text
	}
	d.table(all, systemTable(r))
	d.text(terminal, strings.TrimSuffix(end+"\n"+conclusion, "\n"))
	d.text(page, "± is one standard error. In the charts, a star marks the best system, and a hollow dot "+
		"marks a system whose difference from the best may be noise.")
	d.charts(page, charts.Comparison(r, eval.Error), charts.Comparison(r, eval.LogLoss))
	d.heading(page, "Errors of "+s.System)
	d.charts(page, nbhelpers.Confusion(s.Confusion(), r.Classes))
	if s.Proba != nil {
		d.charts(page, nbhelpers.ROC(s.Proba, s.T, r.Classes))
	}
	return d
}

// Classes returns the scores of each class.
func Classes(m *eval.Matrix) (d Document) {
	d.table(all, classTable(m.ByClass(), m.Confusion()))
	return d
}
