package nbhelpers

import (
	"fmt"
	"math"
)

// boxSeries draws a box plot: of each datum the ends of the whiskers, the
// quartiles and the median.
func (p *painter) boxSeries(x, y *axis, s any) {
	category, value := x, y
	lies := y.kind == "category"
	if lies {
		category, value = y, x
	}
	widths := list(at(s, "boxWidth"))
	half := math.Min(category.band()*.8, 46) / 2
	if len(widths) == 2 {
		half = math.Max(number(0, widths[0]), math.Min(category.band()*.8, number(46, widths[1]))) / 2
	}
	for k, d := range list(at(s, "data")) {
		five := list(datum(d))
		if len(five) < 5 {
			continue
		}
		var v [5]float64
		sum := 0.0
		for i := range v {
			v[i] = value.pos(number(math.NaN(), five[i]))
			sum += v[i]
		}
		if math.IsNaN(sum) {
			continue
		}
		c := category.pos(float64(k))
		at2d := func(along, across float64) string { // a place on the box
			if lies {
				return xy(along) + " " + xy(across)
			}
			return xy(across) + " " + xy(along)
		}
		cross := func(along, half float64) string { return "M" + at2d(along, c-half) + "L" + at2d(along, c+half) }
		run := func(from, to float64) string { return "M" + at2d(from, c) + "L" + at2d(to, c) }
		fmt.Fprintf(p, `<path d="M%sL%sL%sL%sz%s%s%s%s%s" fill="%s" stroke="%s" stroke-width="%s"/>`,
			at2d(v[1], c-half), at2d(v[3], c-half), at2d(v[3], c+half), at2d(v[1], c+half),
			cross(v[2], half), run(v[0], v[1]), run(v[3], v[4]), cross(v[0], half), cross(v[4], half),
			clean(text("#ffffff", d, "itemStyle", "color")), clean(text(ink, d, "itemStyle", "borderColor")), xy(number(1, d, "itemStyle", "borderWidth")))
	}
}

// segments is the static form of a custom series of bars that lie: each datum is
// its row and the values where it begins and ends.
type segments struct {
	share float64 // of the row's height
	color string
}

// series makes the custom series.
func (s segments) series(name string, data []any) node {
	code := fmt.Sprintf(`function(p,a){var s=a.coord([a.value(1),a.value(0)]),t=a.coord([a.value(2),a.value(0)]),h=a.size([0,1])[1]*%v;return{type:"rect",shape:{x:Math.min(s[0],t[0]),y:s[1]-h/2,width:Math.max(Math.abs(t[0]-s[0]),1),height:h},style:{fill:%s,stroke:"#fff",lineWidth:.7}}}`,
		s.share, quote(s.color))
	return node{"type": "custom", "name": name, "data": data, "color": s.color, "itemStyle": node{"color": s.color},
		"encode": node{"x": []any{1, 2}, "y": 0}, "renderItem": js{code, s}}
}

// segments draws the bars.
func (p *painter) segments(x, y *axis, s any, r segments) {
	h := y.band() * r.share
	for _, d := range list(at(s, "data")) {
		v := list(datum(d))
		if len(v) < 3 {
			continue
		}
		row, a, b := y.pos(number(math.NaN(), v[0])), x.pos(number(math.NaN(), v[1])), x.pos(number(math.NaN(), v[2]))
		if math.IsNaN(row + a + b) {
			continue
		}
		p.rect(math.Min(a, b), row-h/2, math.Max(math.Abs(b-a), 1), h, r.color, ` stroke="#fff" stroke-width=".7"`)
	}
}
