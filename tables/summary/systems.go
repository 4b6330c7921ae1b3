package summary

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/tables/assess"
)

// SystemTable returns the figures of each system with their standard errors. The best figure of a column is
// marked with a star, and figures whose difference from the best is Noise with a tilde. If only one system
// has a figure, such as the log loss of the baseline when the other systems only predict labels, it is not
// marked.
func SystemTable(r *assess.Results) (header []string, rows [][]string) {
	rounded := func(v float64, format string) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "–"
		}
		return fmt.Sprintf(format, v)
	}
	scores := make([]assess.Score, len(r.Systems))
	for s := range scores {
		scores[s] = r.Score(s)
		rows = append(rows, []string{scores[s].System, "", "", "", rounded(scores[s].Weights, "%.0f"),
			rounded(scores[s].Seconds, "%.2f")})
		if r.Systems[s].Err != nil {
			rows[s][1] = "failed"
		}
	}
	for k, f := range []struct {
		of       func(*assess.Score) assess.Figure
		contrast func(*assess.Difference) assess.Contrast
		sign     float64
		write    func(float64) string
	}{
		{func(s *assess.Score) assess.Figure { return s.Err },
			func(d *assess.Difference) assess.Contrast { return d.Err }, 1, tabular.Percent},
		{func(s *assess.Score) assess.Figure { return s.LogLoss },
			func(d *assess.Difference) assess.Contrast { return d.LogLoss }, 1, tabular.Number},
		{func(s *assess.Score) assess.Figure { return s.AUC },
			func(d *assess.Difference) assess.Contrast { return d.AUC }, -1, tabular.Number},
	} {
		signed := make([]assess.Figure, len(scores))
		for s := range scores {
			signed[s].Value = f.sign * f.of(&scores[s]).Value
		}
		best := assess.Best(signed)
		noise := func(s int) bool {
			d := r.Difference(s, best)
			return f.contrast(&d).Noise()
		}
		for s := range scores {
			v := f.of(&scores[s])
			if math.IsNaN(v.Value) {
				rows[s][k+1] = cmp.Or(rows[s][k+1], "–")
				continue
			}
			text := f.write(v.Value)
			if !math.IsNaN(v.SE) {
				text += " ± " + f.write(v.SE)
			}
			switch {
			case best < 0:
			case s == best:
				text += " *"
			case noise(s):
				text += " ~"
			default:
				text += "  "
			}
			rows[s][k+1] = text
		}
	}
	return []string{"system", "error %", "log loss", "AUC", "weights", "seconds"}, rows
}

// PrintSystems writes SystemTable and the warnings. If bold is true, it prints the best figures in bold with
// ANSI escape codes.
func PrintSystems(w io.Writer, r *assess.Results, bold bool) error {
	head := fmt.Sprintf("%s: %s, %d rows, %d classes; %d-fold cross-validation",
		cmp.Or(r.Table, "table"), r.Target, len(r.Rows), len(r.Classes), r.Folds)
	if r.Repeats > 1 {
		head += fmt.Sprintf(", %d times", r.Repeats)
	}
	if r.DealtBy != "" {
		head += " " + r.DealtBy
	}
	if all := r.Folds * r.Repeats; r.Complete() < all {
		head += fmt.Sprintf("; %d of %d folds", r.Complete(), all)
	}
	header, rows := SystemTable(r)
	cells := slices.Insert(rows, 0, tabular.Upper(header))
	text := head + "\n\n" + tabular.Text(cells, func(row, column int) bool {
		return bold && strings.HasSuffix(cells[row][column], " *")
	}) + "\n± one standard error   * best   ~ the difference from the best may be noise (corrected t test, 5 %)\n"
	for _, w := range r.Warnings() {
		text += "warning: " + w.Text + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// PrintClasses writes the figures of each class for system s.
func PrintClasses(w io.Writer, r *assess.Results, s int) error {
	header, rows := ClassTable(r.Predictions(s).Classes(r.Classes))
	return tabular.Write(w, header, rows)
}
