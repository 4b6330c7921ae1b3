package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables/charts"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/table"
)

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
