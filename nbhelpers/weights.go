package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// signScale goes from negative over nearly white to positive: purple to olive, neither of which is a colour of a class.
var signScale = []string{"#542788", "#8073ac", "#b2abd2", "#dcdcec", "#f3edc8", "#d8c25a", "#a08a1c", "#665600"}

// Weights draws the weights of a model as a heat map. Each relevance vector has a
// column, with its row in the training data, which counts from 1. Columns are grouped by their
// class (the strip at the top). Each class has a row. Zero weights are blank. Cells that are wide enough show the
// weight. By the sign principle positive
// weights are in the row of the own class of the vector.
func Weights(m Sparse) Chart {
	names, vectors := plainAll(m.ClassNames()), slices.Clone(m.RelevanceVectors())
	slices.SortStableFunc(vectors, func(a, b mpcvm.RelevanceVector) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Index, b.Index))
	})

	largest := 0.0
	heat := &cells{base: base{name: "weight", z: 2, tip: []string{"{0 in vectors}", "{marker}weight for class {1 in rows}: *{2}*"}}}
	columns, told := make([]string, len(vectors)), make([]string, len(vectors))
	for i, v := range vectors {
		columns[i] = strconv.Itoa(v.Index + 1)
		told[i] = fmt.Sprintf("row %s of class %s", columns[i], names[v.Label])
		for c, w := range v.Weights {
			if w != 0 {
				heat.cells = append(heat.cells, cell{row: row{float64(i), float64(c + 1), rounded(w, 4)}})
				largest = math.Max(largest, math.Abs(w))
			}
		}
	}
	largest = cmp.Or(largest, 1)

	rows := append([]string{"vector's class"}, names...)
	beside := nameColumn(rows) + 24 + 84 // and the scale
	band := (defaultWidth - beside) / math.Max(1, float64(len(vectors)))
	if band > 5 {
		heat.border = "#ffffff"
	}
	f := &figure{title: "Weights", subtitle: fmt.Sprintf("%s of %s, largest %s", plural(len(heat.cells), "non-zero weight"), plural(len(vectors), "relevance vector"), nats(largest))}
	strip, groups := classStrip(names, vectors), []string{}
	for _, g := range strip.groups {
		groups = append(groups, fmt.Sprintf("class %s: %s", g.name, plural(g.last-g.first+1, "relevance vector")))
	}
	f.add(strip, heat)

	x := axis{kind: "category", name: "relevance vector (row of the training data)", categories: columns, sparse: true}
	if band < 34 {
		x.turned, x.every = true, int(math.Ceil(lineHeight/band))
	}
	y := nameAxis(rows)
	y.name, y.split = "class", true
	x.noLine, y.noLine = true, true // cells would cover it
	f.panels, f.high = []panel{{x: x, y: y}}, min(24+28*float64(max(len(rows), 4)), 860)
	f.scale = &colorScale{lo: -largest, hi: largest, colors: signScale, low: "−" + nats(largest), high: "+" + nats(largest), series: 1}
	for i := range heat.cells {
		one := &heat.cells[i]
		label := weightText(one.row[2])
		one.least = int(math.Ceil(beside + (textWidth(label, 11)+4)*float64(len(vectors))))
		if one.least <= defaultWidth {
			one.label, one.size, one.ink = label, 11, inkOn(parseHex(f.scale.color(one.row[2])))
		}
	}
	f.tip.trigger, f.tip.texts = "item", node{"vectors": told, "rows": rows, "groups": groups}
	return f.chart(fmt.Sprintf("Heat map of the weights of %s for %s: %s.", plural(len(vectors), "relevance vector"), count(len(names))+" classes", f.subtitle), 0)
}

// classStrip is the row of the vectors' own classes: a bar with the name over each group.
func classStrip(names []string, vectors []mpcvm.RelevanceVector) *groups {
	strip := &groups{base: base{name: "class", z: 2, tip: []string{"{# in groups}"}}}
	colors := paletteOf(names)
	for first := 0; first < len(vectors); {
		class, end := vectors[first].Label, first
		for end < len(vectors) && vectors[end].Label == class {
			end++
		}
		strip.groups = append(strip.groups, group{first, end - 1, 0, names[class], colors.hex(class), inkOn(colors[class])})
		first = end
	}
	return strip
}

// weightText writes a weight with its sign, in about three digits.
func weightText(w float64) string {
	decimals := 2
	if a := math.Abs(w); a >= 99.95 {
		decimals = 0
	} else if a >= 9.995 {
		decimals = 1
	}
	return strings.Replace(strconv.FormatFloat(w, 'f', decimals, 64), "-", "−", 1)
}
