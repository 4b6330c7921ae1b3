package chart

import (
	"math"
	"reflect"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
)

// extended is a chart of go-echarts that a user may have changed.
type extended struct {
	line *charts.Line
	made Node // its option before
}

// Echarts returns the chart of go-echarts that draws c; see nbhelpers.Chart. Changes to it appear in
// all later output of c. Echarts panics for a chart made by Wrap.
func (c *Chart) Echarts() *charts.Line {
	defer Readable()
	if c.figure == nil {
		panic("nbhelpers: Echarts needs a chart of this package; change other charts of go-echarts before Wrap")
	}
	if c.extended == nil {
		line, _ := c.figure.echarts()
		c.extended = &extended{line, read(line)}
	}
	return c.extended.line
}

// added returns the series that the user has added.
func (c Chart) added() []charts.SingleSeries {
	if c.extended == nil {
		return nil
	}
	all := c.extended.line.MultiSeries
	return all[min(len(c.figure.Marks), len(all)):]
}

// option returns the option of ECharts.
func (c Chart) option() Node {
	switch {
	case c.foreign != nil:
		return c.foreign
	case c.figure == nil: // the zero Chart
		return Node{}
	}
	f, _, _ := c.laid()
	line, more := f.echarts()
	o := read(line)
	if c.extended == nil {
		delete(o, "color") // all have their own
	} else {
		given := read(c.extended.line)
		for _, s := range several(given["series"])[len(given["series"].([]any))-len(c.added()):] {
			s["z"] = 5 // above all else
		}
		for _, axis := range []string{"xAxis", "yAxis"} {
			was := several(c.extended.made[axis])
			for i, now := range several(given[axis])[:len(was)] {
				for _, key := range []string{"type", "min", "max"} {
					if now[key] != nil && !reflect.DeepEqual(now[key], was[i][key]) {
						freeTicks(more[axis].([]any)[i].(Node))
					}
				}
			}
		}
		changed(o, given, c.extended.made)
	}
	for _, key := range []string{"legend", "tooltip"} {
		if shown, _ := o[key].(Node); len(shown) == 1 && shown["show"] == false {
			delete(o, key)
		}
	}
	fill(o, more)
	return o
}

// freeTicks removes the ticks of an axis, so that ECharts chooses them.
func freeTicks(axis Node) {
	label := axis["axisLabel"].(Node)
	delete(axis, "interval")
	delete(label, "customValues")
	delete(label, "formatter")
	delete(axis["axisTick"].(Node), "customValues")
}

// fill adds missing keys to an option.
func fill(o, more Node) {
	for key, m := range more {
		switch v := o[key].(type) {
		case nil:
			o[key] = m
		case Node:
			if m, ok := m.(Node); ok {
				fill(v, m)
			}
		case []any:
			m, _ := m.([]any)
			for i := range min(len(v), len(m)) {
				if e, ok := v[i].(Node); ok {
					fill(e, m[i].(Node))
				}
			}
		}
	}
}

// changed returns o with the differences between given and made.
func changed(o, given, made any) any {
	if given == nil || reflect.DeepEqual(given, made) {
		return o
	}
	switch g := given.(type) {
	case Node:
		if o, ok := o.(Node); ok {
			m, _ := made.(Node)
			for key, v := range g {
				if key != "data" || reflect.DeepEqual(v, m[key]) {
					v = changed(o[key], v, m[key])
				}
				o[key] = v
			}
			return o
		}
	case []any:
		o, _ := o.([]any)
		m, _ := made.([]any)
		g = slices.Clone(g)
		for i := range min(len(g), len(o), len(m)) {
			g[i] = changed(o[i], g[i], m[i])
		}
		return g
	}
	return given
}

// with returns the figure extended for more series: their names in the legend, and axes that include
// their points.
func (f *Figure) with(more []charts.SingleSeries) *Figure {
	g := *f
	g.Panels, g.Legend = slices.Clone(f.Panels), slices.Clone(f.Legend)
	x, y := make([]Span, len(f.Panels)), make([]Span, len(f.Panels))
	for i := range x {
		x[i], y[i] = *NewSpan(), *NewSpan()
	}
	for _, s := range more {
		if s.Name != "" && !slices.Contains(g.Legend, s.Name) {
			g.Legend = append(g.Legend, s.Name)
		}
		if s.XAxisIndex >= len(x) || s.YAxisIndex >= len(y) {
			continue // an axis that the user has added
		}
		if s.Type == "bar" { // from 0
			y[s.YAxisIndex].Add(OnAxis(0, f.Panels[s.YAxisIndex].Y.Kind == "log"))
		}
		list, _ := plain(Node{"data": s.Data})["data"].([]any)
		for i, d := range list {
			if item, ok := d.(Node); ok {
				d = item["value"]
			}
			at, ok := d.([]any)
			if !ok {
				at = []any{float64(i), d}
			}
			for k, span := range []*Span{&x[s.XAxisIndex], &y[s.YAxisIndex]} {
				axis := []*Axis{&f.Panels[s.XAxisIndex].X, &f.Panels[s.YAxisIndex].Y}[k]
				if v, ok := at[min(k, len(at)-1)].(float64); ok {
					span.Add(OnAxis(v, axis.Kind == "log"))
				}
			}
		}
	}
	for i := range g.Panels {
		for k, p := range f.Panels { // stacked axes stay equal
			if p.X.Lo == f.Panels[i].X.Lo && p.X.Hi == f.Panels[i].X.Hi {
				g.Panels[i].X.reach(x[k])
			}
		}
		g.Panels[i].Y.reach(y[i])
	}
	was, now := f.Panels[0], g.Panels[0]
	g.Equal *= (now.Y.Hi - now.Y.Lo) / (was.Y.Hi - was.Y.Lo) * (was.X.Hi - was.X.Lo) / (now.X.Hi - now.X.Lo)
	if math.IsNaN(g.Equal) {
		g.Equal = 0 // axes of categories
	}
	return &g
}

// reach extends an axis if a span reaches beyond it.
func (a *Axis) reach(s Span) {
	if a.Kind == "category" || s.Lo > s.Hi || s.Lo >= a.Lo && s.Hi <= a.Hi {
		return
	}
	s.Add(a.Lo, a.Hi)
	longer := s.Linear(a.Name, 5)
	if a.Kind == "log" {
		longer = s.Powers(a.Name)
	}
	a.Lo, a.Hi, a.Step, a.Ticks, a.Labels = longer.Lo, longer.Hi, longer.Step, longer.Ticks, longer.Labels
}
