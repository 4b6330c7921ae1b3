package nbhelpers

import (
	"fmt"
	"math"
	"strings"
)

// Confusion draws a confusion matrix, such as score.Confusion counts it: row i,
// column j is the number of samples of class i that were predicted to be of class
// j. What is right is blue, what is wrong orange, the stronger the larger the
// share of the samples of its class. It panics if the matrix has not a row and a
// column for each class, or a count is negative.
func Confusion(counts [][]int, classes []string) Chart {
	c := len(classes)
	if len(counts) != c || c == 0 {
		panic(fmt.Sprintf("nbhelpers: confusion matrix of %d rows for %d classes", len(counts), c))
	}
	names := plainAll(classes)
	left := nameColumn(names) + 22
	width := math.Min(math.Max(left+22+76*float64(c), 440), defaultWidth)
	cellW, cellH := (width-left-22)/float64(c), math.Min(math.Max(480/float64(c), 7), 46)

	total, wrong := 0, 0
	var cells []any
	for i, row := range counts {
		if len(row) != c {
			panic(fmt.Sprintf("nbhelpers: row %d of the confusion matrix has %d columns for %d classes", i, len(row), c))
		}
		sum := 0
		for j, n := range row {
			if n < 0 {
				panic(fmt.Sprintf("nbhelpers: confusion matrix has %d in row %d, column %d", n, i, j))
			}
			sum += n
			if i != j {
				wrong += n
			}
		}
		total += sum
		for j, n := range row {
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
			cell := node{"value": []any{j, i, n, rounded(share, 4)}, "itemStyle": node{"color": hexColor(fill)}}
			if label := count(n); textWidth(label, 12) < cellW-2 && cellH > 13 {
				color := inkOn(fill)
				if n == 0 {
					color = axisInk
				}
				cell["label"] = node{"show": true, "fontSize": 12, "color": color, "formatter": js{"function(){return " + quote(label) + "}", label}}
			}
			cells = append(cells, cell)
		}
	}
	subtitle := fmt.Sprintf("%s of %s misclassified (%s) · colour: share of the true class", count(wrong), plural(total, "sample"), percent(wrong, total))
	o := headed("Confusion matrix", subtitle, nil, 0)
	x, y := axisNode("category", "predicted class", 0), nameAxis(names, left-22)
	x["data"] = anys(names)
	_, widest := legendWidth(names, 0)
	turned := widest > cellW-8
	down := float64(lineHeight)
	label := at(x, "axisLabel").(node)
	label["interval"] = int(math.Ceil(16/cellW)) - 1
	if turned {
		down = math.Min(widest, 110) + 4
		label["rotate"], label["width"], label["overflow"] = 90, 110, "truncate"
	}
	at(y, "axisLabel").(node)["interval"] = int(math.Ceil(lineHeight/cellH)) - 1
	x["nameGap"] = down + 14
	y["name"], y["nameGap"] = "true class", left-16
	for _, a := range []node{x, y} {
		a["axisLine"] = node{"show": false}
		a["splitLine"] = node{"show": c > 12 && cellH > 12, "lineStyle": node{"color": gridInk}}
	}
	const top = legendTop + 10
	bottom := down + 36
	o["grid"] = grid(left, top, 22, bottom)
	o["xAxis"], o["yAxis"] = x, y
	style := node{"borderWidth": 0}
	if cellH > 12 {
		style = node{"borderWidth": 1, "borderColor": "#d8dade"}
	}
	o["series"] = []any{node{"type": "heatmap", "data": cells, "itemStyle": style}}
	// ECharts wants one for a heat map; the colours are the cells' own.
	o["visualMap"] = node{"type": "continuous", "show": false, "seriesIndex": 9, "min": 0, "max": 1}
	o["tooltip"] = tooltip("item", fmt.Sprintf(`var c=%s,v=p.value;return "true class "+e(c[v[1]])+"<br>predicted "+e(c[v[0]])+"<br>"+p.marker+"<b>"+v[2]+"</b> ("+n(100*v[3])+" %% of the class)"`, quote(names)), nil)
	chart := newChart(o, fmt.Sprintf("Confusion matrix of %s: %s.", strings.Join(names, ", "), subtitle), int(math.Ceil(top+bottom+cellH*float64(c))))
	chart.Width = int(width)
	return chart
}
