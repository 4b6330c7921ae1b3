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
	return newConfusion(counts, classes).chart()
}

// confusion holds the sums and the layout of a confusion matrix.
type confusion struct {
	counts         [][]int
	names          []string
	members, taken []int // the samples of each class, and those predicted to be of each class
	right, total   int

	down                      []string // names of the rows
	left, width, cellW, cellH float64  // left is the width of the names
}

func newConfusion(counts [][]int, classes []string) *confusion {
	c := len(classes)
	if len(counts) != c || c == 0 {
		panic(fmt.Sprintf("nbhelpers: the confusion matrix has %d rows for %d classes", len(counts), c))
	}
	m := &confusion{counts: counts, names: chart.PlainAll(classes), members: make([]int, c),
		taken: make([]int, c)}
	for i, row := range counts {
		if len(row) != c {
			panic(fmt.Sprintf("nbhelpers: row %d of the confusion matrix has %d columns for %d classes", i+1,
				len(row), c))
		}
		for j, n := range row {
			if n < 0 {
				panic(fmt.Sprintf("nbhelpers: the confusion matrix has the count %d in row %d, column %d", n,
					i+1, j+1))
			}
			m.members[i], m.taken[j], m.total = m.members[i]+n, m.taken[j]+n, m.total+n
		}
		m.right += row[i]
	}
	if m.down = m.names; c <= mostMargins {
		m.down = append(slices.Clone(m.names), "precision")
	}
	side := float64(len(m.down))
	m.left = chart.NameColumn(m.down) + 24
	m.width = min(max(m.left+22+76*side, 440), chart.DefaultWidth)
	m.cellW, m.cellH = (m.width-m.left-22)/side, min(max(480/side, 7), 46)
	return m
}

// chart draws the matrix.
func (m *confusion) chart() Chart {
	heat := &chart.Cells{Base: chart.Base{Z: 2, Tip: []string{"true class {1 in names}",
		"predicted {0 in names}", "{marker}*{2}* ({3} % of the class)"}}, Cells: m.cells()}
	if m.cellH > 12 {
		heat.Border = "#d8dade"
	}
	f := &chart.Figure{Title: "Confusion matrix",
		Subtitle: fmt.Sprintf("%s of %s misclassified (%s) · colour: share of the true class",
			words.Count(m.total-m.right), words.CountOf(m.total, "sample"), chart.Percent(m.total-m.right, m.total))}
	f.Add(heat)
	if len(m.down) > len(m.names) {
		f.Add(&chart.Cells{Base: chart.Base{Z: 2, Tip: []string{"{2 in margin}: *{3} %*"}},
			Border: heat.Border, Cells: m.margins()})
	}
	across := append(slices.Clone(m.names), "recall")[:len(m.down)]
	split := len(m.names) > 12 && m.cellH > 12
	x, y := chart.Axis{Kind: "category", Name: "predicted class", Categories: across, NoLine: true,
		Sparse: true, Split: split, Every: int(math.Ceil(16 / m.cellW))}, chart.NameAxis(m.down)
	y.Name, y.NoLine, y.Split, y.Every = "true class", true, split, int(math.Ceil(chart.LineHeight/m.cellH))
	if chart.WidestText(across) > m.cellW-8 {
		x.Turned, x.Room = true, 110
	}
	f.Panels, f.High = []chart.Panel{{X: x, Y: y}}, m.cellH*float64(len(m.down))
	// ECharts requires a scale for a heat map; the cells have their own colours.
	f.Scale = &chart.ColorScale{Hi: 1, Series: 9}
	margin := []string{}
	for _, name := range m.names {
		margin = append(margin, "recall of "+name, "precision of "+name)
	}
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"names": m.names, "margin": append(margin, "accuracy")}
	chart := f.Chart(fmt.Sprintf("Confusion matrix of %s: %s.", strings.Join(m.names, ", "), f.Subtitle), 0)
	chart.Width = int(m.width)
	return chart
}

// least returns the smallest width of the chart at which a label fits in its cell.
func (m *confusion) least(label string) int {
	return int(math.Ceil(m.left + 22 + float64(len(m.down))*(chart.TextWidth(label, 12)+2)))
}

// cells returns the cells of the counts, without zeros if there are many classes.
func (m *confusion) cells() (cells []chart.Cell) {
	for i, row := range m.counts {
		for j, n := range row {
			if n == 0 && len(row) > 12 {
				continue
			}
			share := float64(n) / max(float64(m.members[i]), 1)
			base := chart.RGB(0x0072b2)
			if i != j {
				base = chart.RGB(0xd55e00)
			}
			strength := 0.0
			if n > 0 { // visible even if one in a thousand
				strength = .12 + .88*share
			}
			fill := chart.Mix(chart.RGB(0xffffff), base, strength)
			one := chart.Cell{Row: chart.Row{float64(j), float64(i), float64(n), chart.Rounded(100*share, 4)},
				Fill: chart.HexColor(fill), Size: 12, Ink: chart.InkOn(fill)}
			if n == 0 {
				one.Ink = chart.AxisInk
			}
			if label := words.Count(n); chart.TextWidth(label, 12) < m.cellW-2 && m.cellH > 13 {
				one.Label, one.Least = label, m.least(label)
			}
			cells = append(cells, one)
		}
	}
	return cells
}

// margins returns the cells of recall, precision and accuracy. The cell is empty for a class that
// has no samples or is never predicted.
func (m *confusion) margins() (cells []chart.Cell) {
	add := func(x, y, right, all int) {
		one := chart.Cell{Row: chart.Row{float64(x), float64(y), float64(len(cells)), 0}, Fill: "#eef0f3",
			Size: 12, Ink: chart.Ink}
		if all > 0 {
			share := 100 * (float64(right) / float64(all))
			one.Row[3], one.Short = chart.Rounded(share, 4), fmt.Sprintf("%.0f", share)
			if one.Label = one.Short + " %"; chart.TextWidth(one.Label, 12) > m.cellW-2 {
				one.Label = one.Short
			}
		}
		one.Least, one.Less = m.least(one.Label), m.least(one.Short)
		cells = append(cells, one)
	}
	c := len(m.names)
	for i := range c {
		add(c, i, m.counts[i][i], m.members[i])
		add(i, c, m.counts[i][i], m.taken[i])
	}
	add(c, c, m.right, m.total)
	return cells
}
