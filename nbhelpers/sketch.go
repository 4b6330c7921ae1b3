package nbhelpers

import (
	"fmt"
	"math"
	"strings"
)

// sketch is a drawing on the axes of a chart: lines, areas and texts at places in
// the units of the axes. It is one item of a custom series, and the same in the
// still picture.
type sketch []stroke

// stroke is a part of a sketch: an area if it has a fill, a text if it has one,
// and else a line.
type stroke struct {
	at      []point // corners; of a text its place
	color   string
	width   float64 // of a line in CSS pixels
	fill    string
	opacity float64 // of the fill
	text    string
	shift   point   // of a text in CSS pixels
	align   string  // of a text: left, center or right
	room    float64 // width in CSS pixels to which a text is cut; 0 for all
}

// series makes the custom series; fields may be added to it.
func (s sketch) series(name string) node {
	parts := make([]any, len(s))
	for i, t := range s {
		part := node{}
		var at []any
		for _, q := range t.at {
			at = append(at, []any{rounded(q.x, 6), rounded(q.y, 6)})
		}
		part["p"] = at
		switch {
		case t.text != "":
			part["s"] = node{"text": t.text, "fill": t.color, "align": t.align, "verticalAlign": "middle", "fontSize": 12, "fontFamily": fontFamily}
			part["d"] = []any{t.shift.x, t.shift.y}
			if t.room > 0 {
				part["s"].(node)["width"], part["s"].(node)["overflow"] = t.room, "truncate"
			}
		case t.fill != "":
			part["s"] = node{"fill": t.fill, "opacity": t.opacity}
		default:
			part["s"] = node{"fill": "none", "stroke": t.color, "lineWidth": t.width}
		}
		parts[i] = part
	}
	code := fmt.Sprintf(`function(p,a){return{type:"group",children:%s.map(function(t){var q=t.p.map(function(v){return a.coord(v)});return t.d?{type:"text",x:q[0][0]+t.d[0],y:q[0][1]+t.d[1],style:t.s}:{type:t.s.stroke?"polyline":"polygon",shape:{points:q},style:t.s}})}}`, quote(parts))
	return node{"type": "custom", "name": name, "silent": true, "data": []any{[]any{0, 0}}, "renderItem": js{code, s},
		"animation": false, "tooltip": node{"show": false}}
}

// sketch draws the strokes.
func (p *painter) sketch(x, y *axis, s sketch) {
	for _, t := range s {
		var d strings.Builder
		for i, q := range t.at {
			fmt.Fprintf(&d, "%s%s %s", []string{"M", "L"}[min(i, 1)], xy(x.pos(q.x)), xy(y.pos(q.y)))
		}
		switch {
		case t.text != "":
			label := t.text
			if t.room > 0 {
				label = shortened(label, 12, t.room)
			}
			p.text(x.pos(t.at[0].x)+t.shift.x, y.pos(t.at[0].y)+t.shift.y+12*.36, label,
				textStyle{color: t.color, anchor: map[string]string{"center": "middle", "right": "end"}[t.align]})
		case t.fill != "":
			fmt.Fprintf(p, `<path d="%sz" fill="%s" opacity="%.2g"/>`, d.String(), clean(t.fill), t.opacity)
		default:
			fmt.Fprintf(p, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"/>`, d.String(), clean(t.color), xy(t.width))
		}
	}
}

// ruled adds upright dashed rules to a line series, with their names as far as
// they go into the height in CSS pixels.
func ruled(s node, marks []Mark, height float64) {
	var rules []any
	for _, m := range marks {
		if math.IsNaN(m.X) || math.IsInf(m.X, 0) {
			continue
		}
		name := shortened(plain(m.Name), 12, height-12)
		rules = append(rules, node{"xAxis": m.X, "label": node{"formatter": js{"function(){return " + quote(name) + "}", name}}})
	}
	if rules == nil {
		return
	}
	s["markLine"] = node{
		"symbol": "none", "silent": true, "animation": false, "data": rules, "z": 5,
		"lineStyle": node{"color": faintInk, "type": "dashed", "width": 1},
		"label":     node{"position": "insideEndTop", "color": faintInk, "fontSize": 12},
	}
}

// base is a series that draws a line where bars begin.
func base(x float64) node {
	return node{"type": "line", "data": []any{}, "markLine": node{
		"symbol": "none", "silent": true, "animation": false, "z": 2, "data": []any{node{"xAxis": x}},
		"lineStyle": node{"color": axisInk, "type": "solid", "width": 1}, "label": node{"show": false}}}
}

// rules draws the upright rules of a line series, their names along them.
func (p *painter) rules(x, y *axis, s any) {
	for _, m := range list(at(s, "markLine", "data")) {
		v := x.pos(number(math.NaN(), m, "xAxis"))
		if math.IsNaN(v) || v < math.Min(x.from, x.to)-.5 || v > math.Max(x.from, x.to)+.5 {
			continue
		}
		style := at(s, "markLine", "lineStyle")
		fmt.Fprintf(p, `<path d="M%s %sV%s" stroke="%s"%s/>`, xy(v), xy(y.from), xy(y.to), clean(text(ink, style, "color")), dashes[text("dashed", style, "type")])
		if name, ok := labelText(nil, m); ok {
			p.text(v-5, y.to+5, name, textStyle{color: faintInk, anchor: "end", rotate: -90})
		}
	}
}
