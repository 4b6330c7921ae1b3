package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// svg draws the figure as a still picture that looks like what ECharts draws.
func (f *Figure) svg(width, height int, alt string) string {
	var p Painter
	p.Begin(width, height, alt)
	f.paint(&p)
	p.WriteString("</svg>")
	return p.String()
}

// paint draws the figure onto a page of its size.
func (f *Figure) paint(p *Painter) {
	panels := make([]frame, len(f.Panels))
	for i := range panels {
		panels[i] = newFrame(&f.Panels[i], p.w, p.h)
		p.splitLines(&panels[i])
	}
	marks := slices.Clone(f.Marks)
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Compare(a.Common().Z, b.Common().Z) })
	for _, m := range marks {
		b := m.Common()
		panel := &panels[b.Panel]
		if b.Clip {
			p.clips++
			fmt.Fprintf(p,
				`<clipPath id="%sc%d"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath><g clip-path="url(#%[1]sc%[2]d)">`, p.prefix, p.clips,
				// with the symbols at the edges
				XY(panel.x0-5), XY(panel.y0-5), XY(panel.x1-panel.x0+10), XY(panel.y1-panel.y0+10))
		}
		m.draw(p, f, &panel.x, &panel.y)
		if b.Clip {
			p.WriteString("</g>")
		}
	}
	for i := range panels {
		p.xAxis(&panels[i])
		p.yAxis(&panels[i])
	}
	p.title(f)
	p.legend(f)
	if f.Scale != nil && f.Scale.Colors != nil {
		p.colorKey(f.Scale)
	}
}

// frame is a panel in pixels.
type frame struct {
	x0, y0, x1, y1 float64
	x, y           scale
}

// scale maps the values of an axis to pixels; from and to are those of its ends.
type scale struct {
	*Axis
	from, to float64
}

func newFrame(p *Panel, w, h float64) frame {
	f := frame{x0: p.Left, y0: p.Top, x1: w - p.Right, y1: h - p.Bottom}
	f.x, f.y = scale{&p.X, f.x0, f.x1}, scale{&p.Y, f.y1, f.y0}
	if p.X.Inverse {
		f.x.from, f.x.to = f.x.to, f.x.from
	}
	if p.Y.Inverse {
		f.y.from, f.y.to = f.y.to, f.y.from
	}
	return f
}

// pos is the pixel of a value; category i is the value i.
func (s *scale) pos(v float64) float64 {
	lo, hi := s.Lo, s.Hi
	switch s.Kind {
	case "log":
		v, lo, hi = math.Log10(v), math.Log10(lo), math.Log10(hi)
	case "category":
		lo, hi = -.5, float64(len(s.Categories))-.5
	}
	return s.from + (s.to-s.from)*(v-lo)/(hi-lo)
}

// band is the width in pixels of a category.
func (s *scale) band() float64 {
	return math.Abs(s.to-s.from) / math.Max(1, float64(len(s.Categories)))
}

// texts are the places of the labels and what they say; those that would touch, as
// each needs so many pixels, are left out.
func (s *scale) texts(need float64) (at []float64, texts []string) {
	at, texts = s.Ticks, s.Labels
	every := 1
	if s.Kind == "category" {
		at, texts = nil, s.Categories
		for i := range texts {
			at = append(at, float64(i))
		}
		if every = max(s.Every, 1); s.Sparse && s.Every == 0 {
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

func (p *Painter) splitLines(f *frame) {
	for _, s := range []*scale{&f.x, &f.y} {
		if !s.splits() {
			continue
		}
		at, edge := s.Ticks, 0.0
		if s.Kind == "category" {
			at, _ = s.texts(0)
			edge = .5
		}
		var d strings.Builder
		for _, v := range at {
			if v := XY(s.pos(v + edge)); s == &f.x {
				fmt.Fprintf(&d, "M%s %sV%s", v, XY(f.y0), XY(f.y1))
			} else {
				fmt.Fprintf(&d, "M%s %sH%s", XY(f.x0), v, XY(f.x1))
			}
		}
		fmt.Fprintf(p, `<path d="%s" stroke="%s"/>`, d.String(), GridInk)
	}
}

func (p *Painter) xAxis(f *frame) {
	s := &f.x
	y, sign, down := f.y1, 1.0, 10.0
	if s.Above {
		y, sign, down = f.y0, -1, 0
	}
	if s.Hidden {
		return
	}
	if !s.NoLine {
		p.Line(f.x0, y, f.x1, y, AxisInk)
	}
	need := 0.0
	for _, t := range slices.Concat(s.Labels, s.Categories) {
		need = math.Max(need, TextWidth(t, 12)+8)
	}
	if s.Turned {
		need = 14
	}
	texts := &labels{style: TextStyle{Anchor: "middle"}}
	at, shown := s.texts(need)
	p.ticks(s, at, func(v float64) []Point { return []Point{{s.pos(v), y}, {s.pos(v), y + 5*sign}} })
	for i, v := range at {
		label := s.cut(shown[i])
		switch {
		case s.NoLabels:
		case s.Turned:
			p.Text(s.pos(v)+4, y+8*sign, label, TextStyle{Anchor: "end", rotate: -90})
		default:
			texts.add(s.pos(v), y+sign*8+down*.98, label)
		}
	}
	p.labels(texts)
	p.Text((f.x0+f.x1)/2, y+sign*s.gap+down, s.Name, TextStyle{Anchor: "middle"})
}

func (p *Painter) yAxis(f *frame) {
	s := &f.y
	if s.Hidden {
		return
	}
	if !s.NoLine {
		p.Line(f.x0, f.y0, f.x0, f.y1, AxisInk)
	}
	texts := &labels{style: TextStyle{Anchor: "end"}}
	at, shown := s.texts(14)
	p.ticks(s, at, func(v float64) []Point { return []Point{{f.x0, s.pos(v)}, {f.x0 - 5, s.pos(v)}} })
	for i, v := range at {
		if !s.NoLabels {
			texts.add(f.x0-8, s.pos(v)+12*.36, s.cut(shown[i]))
		}
	}
	p.labels(texts)
	p.Text(f.x0-s.gap, (f.y0+f.y1)/2, s.Name, TextStyle{Anchor: "middle", rotate: -90})
}

// cut shortens a label to its room.
func (s *scale) cut(label string) string {
	if s.Room > 0 {
		return Shortened(label, 12, s.Room)
	}
	return label
}

// ticks draws the ticks of an axis that is none of categories.
func (p *Painter) ticks(s *scale, at []float64, tick func(v float64) []Point) {
	var d path
	for _, v := range at {
		if s.Kind != "category" {
			d.polyline(tick(v))
		}
	}
	if d.String() != "" {
		fmt.Fprintf(p, `<path d="%s" stroke="%s"/>`, d.String(), AxisInk)
	}
}

func (p *Painter) title(f *Figure) {
	const x, size, small = 8, 15, 12
	y := float64(headTop + 5 + size)
	if f.Title == "" {
		y -= size + 5 // what is below moves up
	}
	p.Text(x, y, Shortened(f.Title, boldWider*size, p.w-16), TextStyle{Size: size, Bold: true})
	for _, line := range strings.Split(f.Subtitle, "\n") {
		p.Text(x, y+small+7, Shortened(line, small, p.w-16), TextStyle{Color: FaintInk})
		y += LineHeight
	}
}

// legend draws the entries in a row, or in a column at the right. Where ECharts would
// scroll the row, names are shortened, or the last are left out and counted.
func (p *Painter) legend(f *Figure) {
	const padding, gap, h = 5, 10, SymbolSide
	w := f.KeyWidth
	names, rest := slices.Clone(f.Legend), ""
	left, y := 3.0+padding, f.LegendTop+padding+h/2
	switch row, _ := LegendWidth(names, w); {
	case f.LegendBeside > 0:
		for i := range names {
			names[i] = Shortened(names[i], 12, f.LegendBeside)
		}
		_, widest := LegendWidth(names, w)
		left = p.w - 4 - padding - widest
	case row-gap > p.w-2*padding:
		room := fairWidth(names, p.w-2*padding-float64(len(names))*(w+5+gap))
		if room < 60 {
			names, rest = firstFew(names, p.w-2*padding, w+5+gap)
			break
		}
		for i := range names {
			names[i] = Shortened(names[i], 12, room)
		}
	}
	x := left
	for i, name := range names {
		if m := f.Named(f.Legend[i]); m != nil {
			m.key(p, x, y, w, h)
		}
		p.Text(x+w+5, y+12*.36, name, TextStyle{})
		if f.LegendBeside > 0 {
			y += h + gap
		} else {
			x += w + 5 + TextWidth(name, 12) + gap
		}
	}
	p.Text(x, y+12*.36, rest, TextStyle{Color: FaintInk})
}

// firstFew are those of the names that fit into a row of the given width, each
// with so much around it, and how many more there are.
func firstFew(names []string, width, around float64) (first []string, rest string) {
	const room = 40 // for that
	n, row := 0, 0.0
	for n < len(names) && row+TextWidth(names[n], 12)+around < width-room {
		row += TextWidth(names[n], 12) + around
		n++
	}
	return names[:n], fmt.Sprintf("+%d", len(names)-n)
}

// fairWidth is what each text may have of the total, if those that need less leave
// the rest to the others.
func fairWidth(texts []string, total float64) float64 {
	widths := make([]float64, len(texts))
	for i, t := range texts {
		widths[i] = TextWidth(t, 12)
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
func (p *Painter) colorKey(s *ColorScale) {
	wide := math.Max(scaleWidth, math.Max(TextWidth(s.Low, 12), TextWidth(s.High, 12)))
	x, y := p.w-12-5-wide/2-scaleWidth/2, s.top+38
	p.WriteString(`<linearGradient id="` + p.prefix + `v" x1="0" y1="1" x2="0" y2="0">`)
	for i, c := range s.Colors {
		fmt.Fprintf(p, `<stop offset="%s%%" stop-color="%s"/>`, XY(100*float64(i)/float64(len(s.Colors)-1)),
			clean(c))
	}
	p.WriteString("</linearGradient>")
	p.Rect(x, y, scaleWidth, s.height, "url(#"+p.prefix+"v)", "")
	p.Text(x+scaleWidth/2, y-13, s.High, TextStyle{Anchor: "middle"})
	p.Text(x+scaleWidth/2, y+s.height+21, s.Low, TextStyle{Anchor: "middle"})
}
