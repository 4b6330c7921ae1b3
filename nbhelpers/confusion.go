package nbhelpers

import (
	"fmt"
	"math"
	"strings"
)

// Confusion draws a confusion matrix, such as score.Confusion returns. Row i, column j
// is the number of samples of class i that were predicted to be of class j. Correct
// predictions are blue, errors orange. The colour is stronger the larger the share of
// the samples of its class. Confusion panics if there is not one row and one column for
// each class, or if a count is negative.
func Confusion(counts [][]int, classes []string) Chart {
	c := len(classes)
	if len(counts) != c || c == 0 {
		panic(fmt.Sprintf("nbhelpers: the confusion matrix has %d rows for %d classes", len(counts), c))
	}
	names := plainAll(classes)
	left := nameColumn(names) + 22
	width := math.Min(math.Max(left+22+76*float64(c), 440), defaultWidth)
	cellW, cellH := (width-left-22)/float64(c), math.Min(math.Max(480/float64(c), 7), 46)

	total, wrong := 0, 0
	heat := &cells{base: base{z: 2}}
	if cellH > 12 {
		heat.border = "#d8dade"
	}
	for i, counts := range counts {
		if len(counts) != c {
			panic(fmt.Sprintf("nbhelpers: row %d of the confusion matrix has %d columns for %d classes", i, len(counts), c))
		}
		sum := 0
		for j, n := range counts {
			if n < 0 {
				panic(fmt.Sprintf("nbhelpers: the confusion matrix has the count %d in row %d, column %d", n, i, j))
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
			one := cell{row: row{float64(j), float64(i), float64(n), rounded(share, 4)}, fill: hexColor(fill), size: 12, ink: inkOn(fill)}
			if label := count(n); textWidth(label, 12) < cellW-2 && cellH > 13 {
				one.label = label
			}
			if n == 0 {
				one.ink = axisInk
			}
			heat.cells = append(heat.cells, one)
		}
	}
	f := &figure{title: "Confusion matrix", subtitle: fmt.Sprintf("%s of %s misclassified (%s) · colour: share of the true class", count(wrong), plural(total, "sample"), percent(wrong, total))}
	f.add(heat)
	widest := widestText(names)
	x, y := axis{kind: "category", name: "predicted class", categories: names, noLine: true}, nameAxis(names, left-22)
	x.every, y.every = int(math.Ceil(16/cellW)), int(math.Ceil(lineHeight/cellH))
	down := float64(lineHeight)
	if widest > cellW-8 {
		down = math.Min(widest, 110) + 4
		x.turned, x.room = true, 110
	}
	x.gap = down + 14
	y.name, y.gap, y.noLine = "true class", left-16, true
	x.split, y.split = c > 12 && cellH > 12, c > 12 && cellH > 12
	const top = legendTop + 10
	bottom := down + 36
	f.panels = []panel{{left, top, 22, bottom, x, y}}
	// ECharts demands a scale for a heat map; the cells have their own colours.
	f.scale = &colorScale{hi: 1, series: 9}
	f.tip = tooltip("item", fmt.Sprintf(`var c=%s,v=p.value;return "true class "+e(c[v[1]])+"<br>predicted "+e(c[v[0]])+"<br>"+p.marker+"<b>"+v[2]+"</b> ("+n(100*v[3])+" %% of the class)"`, quote(names)))
	chart := f.chart(fmt.Sprintf("Confusion matrix of %s: %s.", strings.Join(names, ", "), f.subtitle), int(math.Ceil(top+bottom+cellH*float64(c))))
	chart.Width = int(width)
	return chart
}
