package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	importanceRows  = 40
	importanceFloor = 1e-3 // where the axis ends at the latest
)

// ImportanceOptions are the choices of ImportanceWith; the zero value is that of
// Importance.
type ImportanceOptions struct {
	// Title; the default is "Importance of features". Subtitle is the smaller line
	// below it, Name that of the axis; by default they say what Importance draws.
	Title, Subtitle, Name string
}

// Importance draws how important features are, such as WidthsResult.Importance of
// mpcvm.Widths: a bar for each, the most important first, on a log axis from 1, the
// width that all had before. Bars to the right are of features along which the kernel
// came to fall faster. At most 40 are shown; what is below a thousandth is cut
// there.
//
// It panics if there are not as many names as values, or a value is negative or
// not finite.
func Importance(features []string, importance []float64) Chart {
	return ImportanceWith(ImportanceOptions{}, features, importance)
}

// ImportanceWith is Importance with other choices: of values that are relative to
// something else, or of another measure where 1 says that a feature is as
// important as not known.
func ImportanceWith(opt ImportanceOptions, features []string, importance []float64) Chart {
	if len(features) != len(importance) {
		panic(fmt.Sprintf("nbhelpers: %d names for the importance of %d features", len(features), len(importance)))
	}
	order := make([]int, len(features))
	for d, v := range importance {
		if !(v >= 0) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("nbhelpers: importance %v of feature %q", v, features[d]))
		}
		order[d] = d
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(importance[b], importance[a]) })
	title, name := or(plain(opt.Title), "Importance of features"), or(plain(opt.Name), "importance θ / θ₀")
	subtitle := or(plain(opt.Subtitle), "θ of each feature relative to the one that all had before, on a log scale")
	if n := len(order); n > importanceRows {
		order = order[:importanceRows]
		subtitle = fmt.Sprintf("the %d most important of %d features, %s", importanceRows, n, subtitle)
	}
	all := newSpan()
	all.add(.5)
	all.add(2)
	shown := make([]string, len(order))
	var more, less []any
	values := []any{} // of the tooltips
	for r, d := range order {
		shown[r] = plain(features[d])
		v := math.Max(importance[d], importanceFloor)
		all.add(v)
		bar := []any{r, 1, rounded(v, 5)}
		if v >= 1 {
			more = append(more, bar)
		} else {
			less = append(less, bar)
		}
		values = append(values, rounded(importance[d], 5))
	}
	axis, _ := all.decades(name, false)
	hi := number(1, axis, "max")
	var ends sketch
	for r, d := range order {
		ends = append(ends, stroke{at: []point{{hi, float64(r)}}, text: ratioText(importance[d]), color: ink, align: "left", shift: point{8, 0}})
	}
	o := headed(title, subtitle, nil, 0)
	left := nameColumn(shown)
	const top, each = legendTop + 8, 24
	axis["nameGap"] = 30
	o["grid"] = grid(left, top, 76, plotBottom)
	y := nameAxis(shown, left)
	y["axisTick"] = node{"show": false}
	o["xAxis"], o["yAxis"] = axis, y
	o["series"] = []any{segments{.66, ClassColor(0)}.series("more", more), segments{.66, ClassColor(4)}.series("less", less), ends.series(""), base(1)}
	o["tooltip"] = tooltip("item", fmt.Sprintf(`var c=%s,w=%s,i=p.value[0];return e(c[i])+"<br>importance <b>"+n(w[i])+"</b>"`, quote(shown), quote(values)), nil)
	told := ""
	for r, d := range order[:min(len(order), 5)] {
		told = joinedBy(told, ", ", fmt.Sprintf("%s %s", shown[r], ratioText(importance[d])))
	}
	return newChart(o, joinedBy(fmt.Sprintf("Bar chart, %s: %s", title, plural(len(features), "feature")), ", ", told)+".", top+plotBottom+each*max(len(order), 2))
}

// ratioText writes an importance with three digits or so.
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
		return commas(fmt.Sprintf("%.0f", v))
	}
	return fmt.Sprintf("%.2g", v)
}
