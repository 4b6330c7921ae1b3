package nbhelpers

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// mostMargins is the number of classes up to which a confusion matrix has margins.
const mostMargins = 30

// Confusion draws a confusion matrix, such as score.Confusion returns. Row i, column j
// is the number of samples of class i that were predicted to be of class j. Correct
// predictions are blue, errors orange. The colour is stronger the larger the share of
// the samples of its class. Up to 30 classes, a grey margin has the recall of each class at the
// right, its precision at the bottom, and the accuracy in the corner, in percent. Confusion
// panics if there is not one row and one column for
// each class, or if a count is negative.
func Confusion(counts [][]int, classes []string) Chart {
	defer readable()
	c := len(classes)
	if len(counts) != c || c == 0 {
		panic(fmt.Sprintf("nbhelpers: the confusion matrix has %d rows for %d classes", len(counts), c))
	}
	names := plainAll(classes)
	across, down := names, names // of the axes
	margin := 0
	if c <= mostMargins {
		margin = 1
		across, down = append(slices.Clone(names), "recall"), append(slices.Clone(names), "precision")
	}
	side := float64(c + margin)
	left := nameColumn(down) + 24
	width := math.Min(math.Max(left+22+76*side, 440), defaultWidth)
	least := func(label string) int { return int(math.Ceil(left + 22 + side*(textWidth(label, 12)+2))) } // the chart has room for it
	cellW, cellH := (width-left-22)/side, math.Min(math.Max(480/side, 7), 46)

	total, wrong := 0, 0
	heat := &cells{base: base{z: 2, tip: []string{"true class {1 in names}", "predicted {0 in names}", "{marker}*{2}* ({3} % of the class)"}}}
	edge := &cells{base: base{z: 2, tip: []string{"{2 in margin}: *{3} %*"}}}
	if cellH > 12 {
		heat.border, edge.border = "#d8dade", "#d8dade"
	}
	for i, counts := range counts {
		if len(counts) != c {
			panic(fmt.Sprintf("nbhelpers: row %d of the confusion matrix has %d columns for %d classes", i+1, len(counts), c))
		}
		sum := 0
		for j, n := range counts {
			if n < 0 {
				panic(fmt.Sprintf("nbhelpers: the confusion matrix has the count %d in row %d, column %d", n, i+1, j+1))
			}
			sum += n
			if i != j {
				wrong += n
			}
		}
		total += sum
		for j, n := range counts {
			if n == 0 && c > 12 {
				continue
			}
			share := float64(n) / math.Max(float64(sum), 1)
			base := rgb(0x0072b2)
			if i != j {
				base = rgb(0xd55e00)
			}
			fill := mix(rgb(0xffffff), base, share)
			if n > 0 { // even one in a thousand is seen
				fill = mix(rgb(0xffffff), base, .12+.88*share)
			}
			one := cell{row: row{float64(j), float64(i), float64(n), rounded(100*share, 4)}, fill: hexColor(fill), size: 12, ink: inkOn(fill)}
			if label := count(n); textWidth(label, 12) < cellW-2 && cellH > 13 {
				one.label, one.least = label, least(label)
			}
			if n == 0 {
				one.ink = axisInk
			}
			heat.cells = append(heat.cells, one)
		}
	}
	if margin > 0 {
		for _, one := range margins(counts, cellW) {
			one.least, one.short = least(one.label), strings.TrimSuffix(one.label, " %")
			one.less = least(one.short)
			edge.cells = append(edge.cells, one)
		}
	}
	f := &figure{title: "Confusion matrix", subtitle: fmt.Sprintf("%s of %s misclassified (%s) · colour: share of the true class", count(wrong), plural(total, "sample"), percent(wrong, total))}
	f.add(heat)
	if margin > 0 {
		f.add(edge)
	}
	x, y := axis{kind: "category", name: "predicted class", categories: across, noLine: true}, nameAxis(down)
	x.sparse = true
	x.every, y.every = int(math.Ceil(16/cellW)), int(math.Ceil(lineHeight/cellH))
	if widestText(across) > cellW-8 {
		x.turned, x.room = true, 110
	}
	y.name, y.noLine = "true class", true
	x.split, y.split = c > 12 && cellH > 12, c > 12 && cellH > 12
	f.panels, f.high = []panel{{x: x, y: y}}, cellH*side
	// ECharts demands a scale for a heat map; the cells have their own colours.
	f.scale = &colorScale{hi: 1, series: 9}
	told := []string{}
	for _, name := range names {
		told = append(told, "recall of "+name, "precision of "+name)
	}
	f.tip.trigger, f.tip.texts = "item", node{"names": names, "margin": append(told, "accuracy")}
	chart := f.chart(fmt.Sprintf("Confusion matrix of %s: %s.", strings.Join(names, ", "), f.subtitle), 0)
	chart.Width = int(width)
	return chart
}

// margins are the cells of recall, precision and accuracy. A class without samples, or that is
// never predicted, has an empty one.
func margins(counts [][]int, cellW float64) []cell {
	c := len(counts)
	var out []cell
	add := func(x, y, right, all int) {
		one := cell{row: row{float64(x), float64(y), float64(len(out)), 0}, fill: "#eef0f3", size: 12, ink: ink}
		if all > 0 {
			share := float64(right) / float64(all)
			one.row[3] = rounded(100*share, 4)
			if one.label = fmt.Sprintf("%.0f %%", 100*share); textWidth(one.label, 12) > cellW-2 {
				one.label = fmt.Sprintf("%.0f", 100*share)
			}
		}
		out = append(out, one)
	}
	right, total := 0, 0
	for i := range c {
		members, taken := 0, 0
		for j := range c {
			members, taken = members+counts[i][j], taken+counts[j][i]
		}
		right, total = right+counts[i][i], total+members
		add(c, i, counts[i][i], members)
		add(i, c, counts[i][i], taken)
	}
	add(c, c, right, total)
	return out
}
