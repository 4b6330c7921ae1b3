package nbhelpers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// svg draws the figure as a still picture that looks like what ECharts draws.
func (f *figure) svg(width, height int, alt string) string {
	var p painter
	p.begin(width, height, alt)
	f.paint(&p)
	p.WriteString("</svg>")
	return p.String()
}

// paint draws the figure onto a page of its size.
func (f *figure) paint(p *painter) {
	panels := make([]frame, len(f.panels))
	for i := range panels {
		panels[i] = newFrame(&f.panels[i], p.w, p.h)
		p.splitLines(&panels[i])
	}
	marks := slices.Clone(f.marks)
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.common().z, b.common().z) })
	for _, m := range marks {
		b := m.common()
		panel := &panels[b.panel]
		if b.clip {
			p.clips++
			fmt.Fprintf(p, `<clipPath id="%sc%d"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath><g clip-path="url(#%[1]sc%[2]d)">`, p.prefix, p.clips,
				xy(panel.x0-5), xy(panel.y0-5), xy(panel.x1-panel.x0+10), xy(panel.y1-panel.y0+10)) // with the symbols at the edges
		}
		m.draw(p, f, &panel.x, &panel.y)
		if b.clip {
			p.WriteString("</g>")
		}
	}
	for i := range panels {
		p.xAxis(&panels[i])
		p.yAxis(&panels[i])
	}
	p.title(f)
	p.legend(f)
	if f.scale != nil && f.scale.colors != nil {
		p.colorKey(f.scale)
	}
}

// frame is a panel in pixels.
type frame struct {
	x0, y0, x1, y1 float64
	x, y           scale
}

// scale maps the values of an axis to pixels; from and to are those of its ends.
type scale struct {
	*axis
	from, to float64
}

func newFrame(p *panel, w, h float64) frame {
	f := frame{x0: p.left, y0: p.top, x1: w - p.right, y1: h - p.bottom}
	f.x, f.y = scale{&p.x, f.x0, f.x1}, scale{&p.y, f.y1, f.y0}
	if p.x.inverse {
		f.x.from, f.x.to = f.x.to, f.x.from
	}
	if p.y.inverse {
		f.y.from, f.y.to = f.y.to, f.y.from
	}
	return f
}

// pos is the pixel of a value; category i is the value i.
func (s *scale) pos(v float64) float64 {
	lo, hi := s.lo, s.hi
	switch s.kind {
	case "log":
		v, lo, hi = math.Log10(v), math.Log10(lo), math.Log10(hi)
	case "category":
		lo, hi = -.5, float64(len(s.categories))-.5
	}
	return s.from + (s.to-s.from)*(v-lo)/(hi-lo)
}

// band is the width in pixels of a category.
func (s *scale) band() float64 {
	return math.Abs(s.to-s.from) / math.Max(1, float64(len(s.categories)))
}

// texts are the places of the labels and what they say; those that would touch, as
// each needs so many pixels, are left out.
func (s *scale) texts(need float64) (at []float64, texts []string) {
	at, texts = s.ticks, s.labels
	every := 1
	if s.kind == "category" {
		at, texts = nil, s.categories
		for i := range texts {
			at = append(at, float64(i))
		}
		if every = max(s.every, 1); s.sparse && s.every == 0 {
			every = int(math.Ceil(need / math.Max(s.band(), 1)))
		}
	} else if n := len(at); n > 1 {
		apart := math.Abs(s.pos(at[n-1])-s.pos(at[0])) / float64(n-1)
		every = int(math.Ceil(need / math.Max(apart, 1)))
	}
	var places []float64
	var shown []string
	for i := 0; i < len(at); i += max(every, 1) {
		places, shown = append(places, at[i]), append(shown, texts[i])
	}
	return places, shown
}

func (p *painter) splitLines(f *frame) {
	for _, s := range []*scale{&f.x, &f.y} {
		if !s.splits() {
			continue
		}
		at, edge := s.ticks, 0.0
		if s.kind == "category" {
			at, _ = s.texts(0)
			edge = .5
		}
		var d strings.Builder
		for _, v := range at {
			if v := xy(s.pos(v + edge)); s == &f.x {
				fmt.Fprintf(&d, "M%s %sV%s", v, xy(f.y0), xy(f.y1))
			} else {
				fmt.Fprintf(&d, "M%s %sH%s", xy(f.x0), v, xy(f.x1))
			}
		}
		fmt.Fprintf(p, `<path d="%s" stroke="%s"/>`, d.String(), gridInk)
	}
}

func (p *painter) xAxis(f *frame) {
	s := &f.x
	y, sign, down := f.y1, 1.0, 10.0
	if s.above {
		y, sign, down = f.y0, -1, 0
	}
	if s.hidden {
		return
	}
	if !s.noLine {
		p.line(f.x0, y, f.x1, y, axisInk)
	}
	need := 0.0
	for _, t := range slices.Concat(s.labels, s.categories) {
		need = math.Max(need, textWidth(t, 12)+8)
	}
	if s.turned {
		need = 14
	}
	texts := &labels{style: textStyle{anchor: "middle"}}
	at, shown := s.texts(need)
	p.ticks(s, at, func(v float64) []point { return []point{{s.pos(v), y}, {s.pos(v), y + 5*sign}} })
	for i, v := range at {
		label := s.cut(shown[i])
		switch {
		case s.noLabels:
		case s.turned:
			p.text(s.pos(v)+4, y+8*sign, label, textStyle{anchor: "end", rotate: -90})
		default:
			texts.add(s.pos(v), y+sign*8+down*.98, label)
		}
	}
	p.labels(texts)
	p.text((f.x0+f.x1)/2, y+sign*s.gap+down, s.name, textStyle{anchor: "middle"})
}

func (p *painter) yAxis(f *frame) {
	s := &f.y
	if s.hidden {
		return
	}
	if !s.noLine {
		p.line(f.x0, f.y0, f.x0, f.y1, axisInk)
	}
	texts := &labels{style: textStyle{anchor: "end"}}
	at, shown := s.texts(14)
	p.ticks(s, at, func(v float64) []point { return []point{{f.x0, s.pos(v)}, {f.x0 - 5, s.pos(v)}} })
	for i, v := range at {
		if !s.noLabels {
			texts.add(f.x0-8, s.pos(v)+12*.36, s.cut(shown[i]))
		}
	}
	p.labels(texts)
	p.text(f.x0-s.gap, (f.y0+f.y1)/2, s.name, textStyle{anchor: "middle", rotate: -90})
}

// cut shortens a label to its room.
func (s *scale) cut(label string) string {
	if s.room > 0 {
		return shortened(label, 12, s.room)
	}
	return label
}

// ticks draws the ticks of an axis that is none of categories.
func (p *painter) ticks(s *scale, at []float64, tick func(v float64) []point) {
	var d path
	for _, v := range at {
		if s.kind != "category" {
			d.polyline(tick(v))
		}
	}
	if d.String() != "" {
		fmt.Fprintf(p, `<path d="%s" stroke="%s"/>`, d.String(), axisInk)
	}
}

func (p *painter) title(f *figure) {
	const x, size, small = 8, 15, 12
	y := float64(headTop + 5 + size)
	if f.title == "" {
		y -= size + 5 // what is below moves up
	}
	p.text(x, y, shortened(f.title, boldWider*size, p.w-16), textStyle{size: size, bold: true})
	for _, line := range strings.Split(f.subtitle, "\n") {
		p.text(x, y+small+7, shortened(line, small, p.w-16), textStyle{color: faintInk})
		y += lineHeight
	}
}

// legend draws the entries in a row, or in a column at the right. Where ECharts would
// scroll the row, names are shortened, or the last are left out and counted.
func (p *painter) legend(f *figure) {
	const padding, gap, h = 5, 10, symbolSide
	w := f.keyWidth
	names, rest := slices.Clone(f.legend), ""
	left, y := 3.0+padding, f.legendTop+padding+h/2
	switch row, _ := legendWidth(names, w); {
	case f.legendBeside > 0:
		for i := range names {
			names[i] = shortened(names[i], 12, f.legendBeside)
		}
		_, widest := legendWidth(names, w)
		left = p.w - 4 - padding - widest
	case row-gap > p.w-2*padding:
		room := fairWidth(names, p.w-2*padding-float64(len(names))*(w+5+gap))
		if room < 60 {
			names, rest = firstFew(names, p.w-2*padding, w+5+gap)
			break
		}
		for i := range names {
			names[i] = shortened(names[i], 12, room)
		}
	}
	x := left
	for i, name := range names {
		if m := f.named(f.legend[i]); m != nil {
			m.key(p, x, y, w, h)
		}
		p.text(x+w+5, y+12*.36, name, textStyle{})
		if f.legendBeside > 0 {
			y += h + gap
		} else {
			x += w + 5 + textWidth(name, 12) + gap
		}
	}
	p.text(x, y+12*.36, rest, textStyle{color: faintInk})
}

// firstFew are those of the names that fit into a row of the given width, each
// with so much around it, and how many more there are.
func firstFew(names []string, width, around float64) (first []string, rest string) {
	const room = 40 // for that
	n, row := 0, 0.0
	for n < len(names) && row+textWidth(names[n], 12)+around < width-room {
		row += textWidth(names[n], 12) + around
		n++
	}
	return names[:n], fmt.Sprintf("+%d", len(names)-n)
}

// fairWidth is what each text may have of the total, if those that need less leave
// the rest to the others.
func fairWidth(texts []string, total float64) float64 {
	widths := make([]float64, len(texts))
	for i, t := range texts {
		widths[i] = textWidth(t, 12)
	}
	slices.Sort(widths)
	for i, w := range widths {
		share := total / float64(len(widths)-i)
		if w > share {
			return math.Max(share, 12)
		}
		total -= w
	}
	return math.Inf(1)
}

// colorKey draws the key of a scale of colours, upright.
func (p *painter) colorKey(s *colorScale) {
	wide := math.Max(scaleWidth, math.Max(textWidth(s.low, 12), textWidth(s.high, 12)))
	x, y := p.w-12-5-wide/2-scaleWidth/2, s.top+38
	p.WriteString(`<linearGradient id="` + p.prefix + `v" x1="0" y1="1" x2="0" y2="0">`)
	for i, c := range s.colors {
		fmt.Fprintf(p, `<stop offset="%s%%" stop-color="%s"/>`, xy(100*float64(i)/float64(len(s.colors)-1)), clean(c))
	}
	p.WriteString("</linearGradient>")
	p.rect(x, y, scaleWidth, s.height, "url(#"+p.prefix+"v)", "")
	p.text(x+scaleWidth/2, y-13, s.high, textStyle{anchor: "middle"})
	p.text(x+scaleWidth/2, y+s.height+21, s.low, textStyle{anchor: "middle"})
}
