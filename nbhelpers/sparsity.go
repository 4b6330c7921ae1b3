package nbhelpers

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/mpcvm"
)

// Sparse is what Sparsity and Weights draw; a *mpcvm.Model is one.
type Sparse interface {
	ClassNames() []string
	RelevanceVectors() []mpcvm.RelevanceVector
}

// Sparsity draws how few weights each class keeps: a bar of its positive and negative
// weights, and how many of the n training samples are pruned from its potential. If n is
// 0, it shows no pruned samples.
func Sparsity(m Sparse, n int) Chart {
	names, vectors := plainAll(m.ClassNames()), m.RelevanceVectors()
	positives, negatives := make([]int, len(names)), make([]int, len(names))
	for _, v := range vectors {
		for c, w := range v.Weights {
			switch {
			case w > 0:
				positives[c]++
			case w < 0:
				negatives[c]++
			}
		}
	}
	most, kept := 0, 0
	for c := range names {
		most = max(most, positives[c]+negatives[c])
		kept += positives[c] + negatives[c]
	}

	const after = 130 // for the text at the end of the longest bar
	_, hi, step := niceRange(0, math.Max(float64(most), 2), 6)
	if step < 1 {
		hi, step = math.Max(float64(most), 2), 1
	}
	pixels := (defaultWidth - nameColumn(names) - after) / hi // of one weight

	tip := []string{"{marker}{series}: *{3}*"}
	plus, minus := &bars{base{name: "positive weights", z: 2, tip: tip}, nil, .62, positiveColor}, &bars{base{name: "negative weights", z: 2, tip: tip}, nil, .62, negativeColor}
	texts := &sketch{base: base{z: 3, silent: true}}
	for c := range names {
		at, p, n0 := float64(c), float64(positives[c]), float64(positives[c]+negatives[c])
		plus.rows, minus.rows = append(plus.rows, row{at, 0, p, p}), append(minus.rows, row{at, p, n0, n0 - p})
		inside := func(n int, middle float64, color string) {
			if float64(n)*pixels >= textWidth(count(n), 12)+6 {
				texts.strokes = append(texts.strokes, stroke{at: []point{{middle, at}}, text: count(n), color: color, align: "center"})
			}
		}
		inside(positives[c], p/2, ink)
		inside(negatives[c], (p+n0)/2, "#ffffff")
		label := count(positives[c]+negatives[c]) + " kept"
		if n > 0 {
			label = fmt.Sprintf("%s of %s kept", count(positives[c]+negatives[c]), count(n))
		}
		texts.strokes = append(texts.strokes, stroke{at: []point{{n0, at}}, text: label, color: faintInk, align: "left", shift: point{5, 0}})
	}
	f := &figure{title: "Sparsity", subtitle: fmt.Sprintf("%s, %s", plural(kept, "non-zero weight"), plural(len(vectors), "relevance vector")),
		legend: []string{plus.name, minus.name}, keyWidth: 18}
	if n > 0 && len(names) > 0 {
		f.subtitle = fmt.Sprintf("%s of %s weights are not zero (%s), %s of %s are relevance vectors (%s)",
			count(kept), count(n*len(names)), percent(kept, n*len(names)), count(len(vectors)), plural(n, "sample"), percent(len(vectors), n))
	}
	f.add(plus, minus, texts)
	x := valueAxis("non-zero weights", 0, hi, step)
	x.noSplit = true // the bars have their counts
	f.rows(names, x, 28, after)
	f.high = min(f.high, 760)
	f.tip.trigger, f.tip.head, f.tip.texts, f.tip.shadow = "axis", "{0 in names}", node{"names": names}, true
	return f.chart("Bar chart of the non-zero weights of each class: "+f.subtitle+".", 0)
}
