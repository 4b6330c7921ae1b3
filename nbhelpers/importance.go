package nbhelpers

import (
	"cmp"
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
)

const (
	importanceRows  = 40
	importanceFloor = 1e-3 // smallest value on the axis
)

// ImportanceOptions are the options of Importance. Change the texts if the importances are relative
// to something else, or are another measure in which 1 means average importance.
type ImportanceOptions struct {
	// Subtitle is the smaller line below the title. The default describes what is drawn.
	Subtitle string
	// Name is the name of the axis. The default is "importance θ / θ₀".
	Name string
}

// Importance draws the importance of features, such as gp.ARDResult.Importance. Each feature has a
// bar, the most important first, on a log axis that starts at 1, the common width before the fit.
// Along features whose bars extend to the right, the kernel decays faster. At most 40 features are
// shown. Bars are cut at 0.001.
//
// Importance panics if the numbers of names and values differ, or if a value is negative or not
// finite.
func Importance(features []string, importance []float64, opt ImportanceOptions) Chart {
	defer chart.Readable()
	if len(features) != len(importance) {
		panic(fmt.Sprintf("nbhelpers: %d names for the importance of %d features", len(features),
			len(importance)))
	}
	for d, v := range importance {
		if !(v >= 0) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("nbhelpers: the importance %v of feature %q is negative or not finite", v,
				features[d]))
		}
	}
	order := chart.Falling(importance)
	f := &chart.Figure{Title: "Importance of features",
		Subtitle: cmp.Or(chart.Plain(opt.Subtitle),
			"θ of each feature relative to the one that all had before, on a log scale")}
	if n := len(order); n > importanceRows {
		order = order[:importanceRows]
		f.Subtitle = fmt.Sprintf("the %d most important of %d features, %s", importanceRows, n, f.Subtitle)
	}
	all := chart.NewSpan()
	all.Add(.5, 2)
	shown := make([]string, len(order))
	tip := []string{"{0 in names}", "importance *{3}*"}
	more := chart.NewBars("more", ClassColor(0), .66, tip...)
	less := chart.NewBars("less", ClassColor(4), .66, tip...)
	for r, d := range order {
		shown[r] = chart.Plain(features[d])
		v := math.Max(importance[d], importanceFloor)
		all.Add(v)
		side := less
		if v >= 1 {
			side = more
		}
		side.Rows = append(side.Rows,
			chart.Row{float64(r), 1, chart.Rounded(v, 5), chart.Rounded(importance[d], 5)})
	}
	x := all.Decades(cmp.Or(chart.Plain(opt.Name), "importance θ / θ₀"), false)
	ends := &chart.Sketch{Base: chart.Base{Z: 2, Silent: true}}
	for r, d := range order {
		ends.After(x.Hi, float64(r), 8, ratioText(importance[d]), chart.Ink)
	}
	f.Add(more, less, ends, chart.Baseline(1))
	f.Rows(shown, x, 24, 76)
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": shown}
	told := ""
	for r, d := range order[:min(len(order), 5)] {
		told = chart.JoinedBy(told, ", ", fmt.Sprintf("%s %s", shown[r], ratioText(importance[d])))
	}
	return f.Chart(chart.JoinedBy(fmt.Sprintf("Bar chart, %s: %s", f.Title,
		words.CountOf(len(features), "feature")), ", ", told)+".", 0)
}

// ratioText formats an importance with about three digits.
func ratioText(v float64) string {
	switch {
	case v < importanceFloor:
		return fmt.Sprintf("under %v", importanceFloor)
	case v < 1:
		return fmt.Sprintf("%.3f", v)
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	case v < 1e6:
		return words.Commas(fmt.Sprintf("%.0f", v))
	}
	return fmt.Sprintf("%.2g", v)
}
