package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Trials shows the settings that a fit tried (Result.Trials) as a table and a chart. For search.Auto
// the chart has a dot for each trial: the cross-validated log loss against the number of non-zero
// weights, coloured by the family of the learner. The area of a dot grows with the duration of the
// trial. The selected setting is black. The table lists the trials of Result.Frontier. For
// search.Width, the chart shows the log loss against θ and the table lists every trial. Trials
// panics if the fit tried nothing.
func Trials(result mpcvm.Result) (TableBlock, Chart) {
	defer chart.Readable()
	if len(result.Trials) == 0 {
		panic("nbhelpers: the fit tried no settings")
	}
	if result.Trials[0].Learner == "" {
		return widths(result.Trials)
	}
	t := Table(Row("learner|kernel|log loss|ERR %%|T|weights|s|"), nil)
	for _, trial := range result.Frontier() {
		chosen := ""
		if trial.Chosen {
			chosen = "chosen"
		}
		t.Rows = append(t.Rows, Row("%s|%s|%.3f|%.1f|%.2f|%d|%.2f|%s", trial.Learner, brief(trial.Kernel),
			trial.LogLoss, 100*trial.ErrorRate,
			trial.Temperature, trial.Weights, trial.Seconds, chosen))
	}
	longest := slices.MaxFunc(result.Trials,
		func(a, b mpcvm.Trial) int { return cmp.Compare(a.Seconds, b.Seconds) }).Seconds
	var families []Series
	place := map[string]int{} // index of a family in families
	chosen := Series{Name: "chosen", NoLine: true, Color: "#000000"}
	for _, trial := range result.Trials {
		family := options.ReplaceAllString(trial.Learner, "")
		if trial.GivenUp {
			family = "given up after a fold"
		}
		if _, ok := place[family]; !ok {
			place[family] = len(families)
			families = append(families, Series{Name: family, NoLine: true})
		}
		s := &families[place[family]]
		if trial.Chosen {
			s = &chosen
		}
		s.X, s.Y = append(s.X, float64(trial.Weights)), append(s.Y, trial.LogLoss)
		// Rounded sizes need fewer marks.
		s.sizes = append(s.sizes, 5+math.Round(13*math.Sqrt(trial.Seconds/max(longest, 1e-9))))
	}
	if len(chosen.X) > 0 {
		families = append(families, chosen)
	}
	return t, Lines(families, LinesOptions{Title: "What was tried",
		Subtitle: fmt.Sprintf("area of a dot: time of the trial, at most %.2g s", longest),
		XName:    "non-zero weights", YName: "cross-validated log loss (nats)", LogX: true, LogY: true,
		Height: 400})
}

// widths shows trials that differ only in the width.
func widths(trials []mpcvm.Trial) (TableBlock, Chart) {
	t, s := Table(Row("kernel|log loss|ERR %%"), nil), Series{NoLine: true}
	for _, trial := range trials {
		t.Rows = append(t.Rows, Row("%s|%.3f|%.1f", brief(trial.Kernel), trial.LogLoss, 100*trial.ErrorRate))
		s.X, s.Y = append(s.X, width(trial.Kernel)), append(s.Y, trial.LogLoss)
	}
	return t, Lines([]Series{s}, LinesOptions{Title: "What was tried", XName: "θ",
		YName: "cross-validated log loss (nats)", LogX: true, Height: 400})
}

// options matches the numbers in the description of a learner, to obtain the name of its family.
var options = regexp.MustCompile(`,? (s²=|to |likelihood power )?\d[\d.]*( candidates)?`)

// width returns θ of a kernel that has one, and 0 otherwise.
func width(k kernel.Kernel) float64 {
	if t, ok := k.(kernel.Tunable); ok {
		return t.Width()
	}
	return 0
}

// brief names a kernel with few digits.
func brief(k kernel.Kernel) string {
	if name := kernel.Name(k); name != "" && width(k) > 0 {
		return fmt.Sprintf("%s, θ = %.3g", name, width(k))
	}
	if k, ok := k.(kernel.OfSum); ok {
		if widths := k.Sum().Weights; len(widths) > 0 {
			name, _, _ := strings.Cut(k.String(), "(")
			return fmt.Sprintf("%s, θ %.2g to %.2g", name, slices.Min(widths), slices.Max(widths))
		}
	}
	return k.String()
}
