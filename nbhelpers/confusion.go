package nbhelpers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
)

// mostMargins is the largest number of classes for which a confusion matrix has margins.
const mostMargins = 30

// Confusion draws a confusion matrix, as returned by score.Confusion. Row i, column j is the number
// of samples of class i that were predicted to be of class j. Correct predictions are blue, errors
// orange; the colour is stronger the larger the share of the samples of the true class. With up to
// 30 classes, grey margins show the recall of each class at the right, its precision at the bottom,
// and the accuracy in the corner, in per cent. Confusion panics if there is not one row and one
// column for each class, or if a count is negative.
func Confusion(counts [][]int, classes []string) Chart {
	defer chart.Readable()
	c := len(classes)
	if len(counts) != c || c == 0 {
		panic(fmt.Sprintf("nbhelpers: the confusion matrix has %d rows for %d classes", len(counts), c))
	}
	names := chart.PlainAll(classes)
	across, down := names, names // names on the axes
	margin := 0
	if c <= mostMargins {
		margin = 1
		across, down = append(slices.Clone(names), "recall"), append(slices.Clone(names), "precision")
	}
	side := float64(c + margin)
	left := chart.NameColumn(down) + 24
	width := math.Min(math.Max(left+22+76*side, 440), chart.DefaultWidth)
	least := func(label string) int { return int(math.Ceil(left + 22 + side*(chart.TextWidth(label, 12)+2))) }
	cellW, cellH := (width-left-22)/side, math.Min(math.Max(480/side, 7), 46)

	total, wrong := 0, 0
	heat := &chart.Cells{Base: chart.Base{Z: 2, Tip: []string{"true class {1 in names}",
		"predicted {0 in names}", "{marker}*{2}* ({3} % of the class)"}}}
	edge := &chart.Cells{Base: chart.Base{Z: 2, Tip: []string{"{2 in margin}: *{3} %*"}}}
	if cellH > 12 {
		heat.Border, edge.Border = "#d8dade", "#d8dade"
	}
	for i, counts := range counts {
		if len(counts) != c {
			panic(fmt.Sprintf("nbhelpers: row %d of the confusion matrix has %d columns for %d classes", i+1,
				len(counts), c))
		}
		sum := 0
		for j, n := range counts {
			if n < 0 {
				panic(fmt.Sprintf("nbhelpers: the confusion matrix has the count %d in row %d, column %d", n,
					i+1, j+1))
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
			base := chart.RGB(0x0072b2)
			if i != j {
				base = chart.RGB(0xd55e00)
			}
			fill := chart.Mix(chart.RGB(0xffffff), base, share)
			if n > 0 { // visible even if one in a thousand
				fill = chart.Mix(chart.RGB(0xffffff), base, .12+.88*share)
			}
			one := chart.Cell{Row: chart.Row{float64(j), float64(i), float64(n), chart.Rounded(100*share, 4)},
				Fill: chart.HexColor(fill), Size: 12, Ink: chart.InkOn(fill)}
			if label := words.Count(n); chart.TextWidth(label, 12) < cellW-2 && cellH > 13 {
				one.Label, one.Least = label, least(label)
			}
			if n == 0 {
				one.Ink = chart.AxisInk
			}
			heat.Cells = append(heat.Cells, one)
		}
	}
	if margin > 0 {
		for _, one := range margins(counts, cellW) {
			one.Least, one.Short = least(one.Label), strings.TrimSuffix(one.Label, " %")
			one.Less = least(one.Short)
			edge.Cells = append(edge.Cells, one)
		}
	}
	f := &chart.Figure{Title: "Confusion matrix",
		Subtitle: fmt.Sprintf("%s of %s misclassified (%s) · colour: share of the true class",
			words.Count(wrong), words.CountOf(total, "sample"), chart.Percent(wrong, total))}
	f.Add(heat)
	if margin > 0 {
		f.Add(edge)
	}
	x, y := chart.Axis{Kind: "category", Name: "predicted class", Categories: across, NoLine: true},
		chart.NameAxis(down)
	x.Sparse = true
	x.Every, y.Every = int(math.Ceil(16/cellW)), int(math.Ceil(chart.LineHeight/cellH))
	if chart.WidestText(across) > cellW-8 {
		x.Turned, x.Room = true, 110
	}
	y.Name, y.NoLine = "true class", true
	x.Split, y.Split = c > 12 && cellH > 12, c > 12 && cellH > 12
	f.Panels, f.High = []chart.Panel{{X: x, Y: y}}, cellH*side
	// ECharts requires a scale for a heat map; the cells have their own colours.
	f.Scale = &chart.ColorScale{Hi: 1, Series: 9}
	told := []string{}
	for _, name := range names {
		told = append(told, "recall of "+name, "precision of "+name)
	}
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": names, "margin": append(told, "accuracy")}
	chart := f.Chart(fmt.Sprintf("Confusion matrix of %s: %s.", strings.Join(names, ", "), f.Subtitle), 0)
	chart.Width = int(width)
	return chart
}

// margins returns the cells of recall, precision and accuracy. The cell is empty for a class that
// has no samples or is never predicted.
func margins(counts [][]int, cellW float64) []chart.Cell {
	c := len(counts)
	var out []chart.Cell
	add := func(x, y, right, all int) {
		one := chart.Cell{Row: chart.Row{float64(x), float64(y), float64(len(out)), 0}, Fill: "#eef0f3",
			Size: 12, Ink: chart.Ink}
		if all > 0 {
			share := float64(right) / float64(all)
			one.Row[3] = chart.Rounded(100*share, 4)
			if one.Label = fmt.Sprintf("%.0f %%", 100*share); chart.TextWidth(one.Label, 12) > cellW-2 {
				one.Label = fmt.Sprintf("%.0f", 100*share)
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
