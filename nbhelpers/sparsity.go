package nbhelpers

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Sparse is a model that Sparsity and Weights can draw, such as a *mpcvm.Model.
type Sparse interface {
	ClassNames() []string
	RelevanceVectors() []mpcvm.RelevanceVector
}

// Sparsity draws the number of weights that each class keeps: a bar for its positive and negative
// weights, and the number of the n training samples that are pruned from its potential. If n is 0,
// pruned samples are not shown.
func Sparsity(m Sparse, n int) Chart {
	names, vectors := chart.PlainAll(m.ClassNames()), m.RelevanceVectors()
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

	const after = 130 // pixels for the text after the longest bar
	_, hi, step := chart.NiceRange(0, math.Max(float64(most), 2), 6)
	if step < 1 {
		hi, step = math.Max(float64(most), 2), 1
	}
	pixels := (chart.DefaultWidth - chart.NameColumn(names) - after) / hi // per weight

	const tip = "{marker}{series}: *{3}*"
	plus := chart.NewBars("positive weights", chart.PositiveColor, .62, tip)
	minus := chart.NewBars("negative weights", chart.NegativeColor, .62, tip)
	texts := &chart.Sketch{Base: chart.Base{Z: 3, Silent: true}}
	for c := range names {
		at, p, n0 := float64(c), float64(positives[c]), float64(positives[c]+negatives[c])
		plus.Rows, minus.Rows = append(plus.Rows, chart.Row{at, 0, p, p}),
			append(minus.Rows, chart.Row{at, p, n0, n0 - p})
		inside := func(n int, middle float64, color string) {
			if float64(n)*pixels >= chart.TextWidth(words.Count(n), 12)+6 {
				texts.Strokes = append(texts.Strokes, chart.Stroke{At: []chart.Point{{middle, at}},
					Text: words.Count(n), Color: color, Align: "center"})
			}
		}
		inside(positives[c], p/2, chart.Ink)
		inside(negatives[c], (p+n0)/2, "#ffffff")
		label := words.Count(positives[c]+negatives[c]) + " kept"
		if n > 0 {
			label = fmt.Sprintf("%s of %s kept", words.Count(positives[c]+negatives[c]), words.Count(n))
		}
		texts.After(n0, at, 5, label, chart.FaintInk)
	}
	f := &chart.Figure{Title: "Sparsity", Subtitle: fmt.Sprintf("%s, %s",
		words.CountOf(kept, "non-zero weight"), words.CountOf(len(vectors), "relevance vector")),
		Legend: []string{plus.Name, minus.Name}, KeyWidth: 18}
	if n > 0 && len(names) > 0 {
		f.Subtitle = fmt.Sprintf("%s of %s weights are not zero (%s), %s of %s are relevance vectors (%s)",
			words.Count(kept), words.Count(n*len(names)), chart.Percent(kept, n*len(names)),
			words.Count(len(vectors)), words.CountOf(n, "sample"), chart.Percent(len(vectors), n))
	}
	f.Add(plus, minus, texts)
	x := chart.ValueAxis("non-zero weights", 0, hi, step)
	x.NoSplit = true // the bars show their counts
	f.Rows(names, x, 28, after)
	f.High = min(f.High, 760)
	f.Tip.Trigger, f.Tip.Head, f.Tip.Texts, f.Tip.Shadow = "axis", "{0 in names}", chart.Node{"names": names},
		true
	return f.Chart("Bar chart of the non-zero weights of each class: "+f.Subtitle+".", 0)
}
