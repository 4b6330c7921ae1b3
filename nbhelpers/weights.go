package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// signScale goes from negative over nearly white to positive: purple to olive, which are not colours
// of classes.
var signScale = []string{"#542788", "#8073ac", "#b2abd2", "#dcdcec", "#f3edc8", "#d8c25a", "#a08a1c",
	"#665600"}

// Weights draws the weights of a model as a heat map. Each relevance vector has a column, labelled
// with its row in the training data, counted from 1. Columns are grouped by class (the strip at the
// top). Each class has a row. Zero weights are blank, and cells that are wide enough show the
// weight. By the sign principle, positive weights are in the row of the vector's own class.
func Weights(m Sparse) Chart {
	names, vectors := chart.PlainAll(m.ClassNames()), slices.Clone(m.RelevanceVectors())
	slices.SortStableFunc(vectors, func(a, b mpcvm.RelevanceVector) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Index, b.Index))
	})

	largest := 0.0
	heat := &chart.Cells{Base: chart.Base{Name: "weight", Z: 2,
		Tip: []string{"{0 in vectors}", "{marker}weight for class {1 in rows}: *{2}*"}}}
	columns, told := make([]string, len(vectors)), make([]string, len(vectors))
	for i, v := range vectors {
		columns[i] = strconv.Itoa(v.Index + 1)
		told[i] = fmt.Sprintf("row %s of class %s", columns[i], names[v.Label])
		for c, w := range v.Weights {
			if w != 0 {
				heat.Cells = append(heat.Cells,
					chart.Cell{Row: chart.Row{float64(i), float64(c + 1), chart.Rounded(w, 4)}})
				largest = math.Max(largest, math.Abs(w))
			}
		}
	}
	largest = cmp.Or(largest, 1)

	rows := append([]string{"vector's class"}, names...)
	sideWidth := chart.NameColumn(rows) + 24 + 84 // including the scale
	band := (chart.DefaultWidth - sideWidth) / math.Max(1, float64(len(vectors)))
	if band > 5 {
		heat.Border = "#ffffff"
	}
	f := &chart.Figure{Title: "Weights", Subtitle: fmt.Sprintf("%s of %s, largest %s",
		words.CountOf(len(heat.Cells), "non-zero weight"), words.CountOf(len(vectors), "relevance vector"),
		chart.Nats(largest))}
	strip, groups := classStrip(names, vectors), []string{}
	for _, g := range strip.Groups {
		groups = append(groups,
			fmt.Sprintf("class %s: %s", g.Name, words.CountOf(g.Last-g.First+1, "relevance vector")))
	}
	f.Add(strip, heat)

	x := chart.Axis{Kind: "category", Name: "relevance vector (row of the training data)",
		Categories: columns, Sparse: true}
	if band < 34 {
		x.Turned, x.Every = true, int(math.Ceil(chart.LineHeight/band))
	}
	y := chart.NameAxis(rows)
	y.Name, y.Split = "class", true
	x.NoLine, y.NoLine = true, true // the cells would cover a line
	f.Panels, f.High = []chart.Panel{{X: x, Y: y}}, min(24+28*float64(max(len(rows), 4)), 860)
	f.Scale = &chart.ColorScale{Lo: -largest, Hi: largest, Colors: signScale, Low: "−" + chart.Nats(largest),
		High: "+" + chart.Nats(largest), Series: 1}
	for i := range heat.Cells {
		one := &heat.Cells[i]
		label := weightText(one.Row[2])
		one.Least = int(math.Ceil(sideWidth + (chart.TextWidth(label, 11)+4)*float64(len(vectors))))
		if one.Least <= chart.DefaultWidth {
			one.Label, one.Size, one.Ink = label, 11, chart.InkOn(chart.ParseHex(f.Scale.Color(one.Row[2])))
		}
	}
	f.Tip.Trigger, f.Tip.Texts = "item", chart.Node{"vectors": told, "rows": rows, "groups": groups}
	return f.Chart(fmt.Sprintf("Heat map of the weights of %s for %s: %s.",
		words.CountOf(len(vectors), "relevance vector"), words.Count(len(names))+" classes", f.Subtitle), 0)
}

// classStrip shows the vectors' own classes: a bar with the name over each group.
func classStrip(names []string, vectors []mpcvm.RelevanceVector) *chart.Groups {
	strip := &chart.Groups{Base: chart.Base{Name: "class", Z: 2, Tip: []string{"{# in groups}"}}}
	colors := chart.PaletteOf(names)
	for first := 0; first < len(vectors); {
		class, end := vectors[first].Label, first
		for end < len(vectors) && vectors[end].Label == class {
			end++
		}
		strip.Groups = append(strip.Groups, chart.Group{First: first, Last: end - 1, Row: 0,
			Name: names[class], Fill: colors.Hex(class), Ink: chart.InkOn(colors[class])})
		first = end
	}
	return strip
}

// weightText formats a weight with its sign, with about three digits.
func weightText(w float64) string {
	decimals := 2
	if a := math.Abs(w); a >= 99.95 {
		decimals = 0
	} else if a >= 9.995 {
		decimals = 1
	}
	return strings.Replace(strconv.FormatFloat(w, 'f', decimals, 64), "-", "−", 1)
}
