package nbhelpers

import (
	"fmt"
	"regexp"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// Trials shows the settings that a fit tried, in the order in which it tried them
// (Result.Trials). The chart has the cross-validated log loss of each one over the number
// of non-zero weights, in a colour for each family of learners. Trials of a width alone,
// as of a learner without Theta, are shown over θ instead. The setting of the model is
// black. Trials panics if the fit tried nothing.
func Trials(result mpcvm.Result) (TableBlock, Chart) {
	if len(result.Trials) == 0 {
		panic("nbhelpers: the fit tried no settings")
	}
	widths := result.Trials[0].Learner == ""
	t := Table(Row("learner|kernel|log loss|ERR %%|T|weights|s|"), nil)
	opt := LinesOptions{Title: "What was tried", XName: "non-zero weights", YName: "cross-validated log loss (nats)", LogX: true, Height: 400}
	if widths {
		t.Header, opt.XName = Row("kernel|log loss|ERR %%"), "θ"
	}
	var families []Series
	place := map[string]int{} // of a family in families
	chosen := Series{Name: "chosen", NoLine: true, Dots: true, Color: "#000000"}
	for _, trial := range result.Trials {
		x, row := float64(trial.Weights), Row("%s|%.3f|%.1f", brief(trial.Kernel), trial.LogLoss, 100*trial.ErrorRate)
		if widths {
			x = width(trial.Kernel)
		} else {
			row = append(append([]string{trial.Learner}, row...), Row("%.2f|%d|%.1f|", trial.Temperature, trial.Weights, trial.Seconds)...)
		}
		family := options.ReplaceAllString(trial.Learner, "")
		if _, ok := place[family]; !ok {
			place[family] = len(families)
			families = append(families, Series{Name: family, NoLine: true, Dots: true})
		}
		s := &families[place[family]]
		if trial.Chosen && !widths {
			row[len(row)-1] = "chosen"
			s = &chosen
		}
		s.X, s.Y, t.Rows = append(s.X, x), append(s.Y, trial.LogLoss), append(t.Rows, row)
	}
	if len(chosen.X) > 0 {
		families = append(families, chosen)
	}
	return t, Lines(families, opt)
}

// options matches the numbers in the description of a learner, which its family has not.
var options = regexp.MustCompile(`,? (s²=|to |likelihood power )?\d[\d.]*( candidates)?`)

// width is the θ of a kernel that has one, else 0.
func width(k kernel.Kernel) float64 {
	if t, ok := k.(kernel.Tunable); ok {
		return t.Width()
	}
	return 0
}

// brief names a kernel in few digits.
func brief(k kernel.Kernel) string {
	if named, ok := k.(kernel.Named); ok && width(k) > 0 {
		return fmt.Sprintf("%s, θ = %.3g", named.Name(), width(k))
	}
	return k.String()
}
