package nbhelpers

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

func TestConvergenceOfOddTraces(t *testing.T) {
	inf := math.Inf(1)
	odd := []mpcvm.Step{{Iteration: 1, Objective: -inf, LogLik: math.NaN()}, {Iteration: 2, Objective: math.NaN(), LogLik: inf}, {Iteration: 3, Objective: -1}}
	constant := []mpcvm.Step{{Iteration: 1, Objective: 5, LogLik: 5}, {Iteration: 2, Objective: 5, LogLik: 5}}
	for _, traces := range [][]Trace{nil, {{"none", nil}}, {{"one", steps(1)}}, {{"odd", odd}}, {{"constant", constant}, {"", steps(20)}}} {
		for _, opt := range []ConvergenceOptions{{}, {Gap: true}, {LogX: true}, {Gap: true, LogX: true}} {
			c := ConvergenceWith(traces, opt)
			svg := c.SVG()
			checkXML(t, svg)
			if strings.Contains(svg, `"NaN`) || strings.Contains(svg, "MNaN") || strings.Contains(string(c.Option()), "null") {
				t.Errorf("%v %+v: not a number: %s", traces, opt, svg)
			}
		}
	}
}

func TestGapIsBelowTheBest(t *testing.T) {
	c := ConvergenceWith([]Trace{{"a", []mpcvm.Step{{Iteration: 1, Objective: -30}, {Iteration: 2, Objective: -10}, {Iteration: 3, Objective: -12}}}}, ConvergenceOptions{Gap: true})
	gaps := quote(c.figure.marks[0].(*line).rows)
	if want := `[[1,20],[2,"-"],[3,2]]`; gaps != want {
		t.Errorf("gaps are %v, want %v", gaps, want)
	}
}

func TestSparsityCounts(t *testing.T) {
	m := centres{names: []string{"a", "b"}, vectors: []mpcvm.RelevanceVector{
		{Index: 0, Label: 0, Weights: []float64{2, -1}}, {Index: 4, Label: 1, Weights: []float64{-3, 0}}, {Index: 5, Label: 0, Weights: []float64{1, 0}}}}
	texts := checkXML(t, Sparsity(m, 10).SVG())
	for _, want := range []string{"3 of 10 kept", "1 of 10 kept", "4 of 20 weights are not zero (20 %), 3 of 10 samples are relevance vectors (30 %)"} {
		if !strings.Contains(texts, want) {
			t.Errorf("%q is not told in %s", want, texts)
		}
	}
	if texts := checkXML(t, Sparsity(m, 0).SVG()); strings.Contains(texts, "of 0") {
		t.Error("weights are told of an unknown number")
	}
	for _, empty := range []centres{{}, {names: []string{"a"}}} {
		checkXML(t, Sparsity(empty, 5).SVG())
		checkXML(t, Weights(empty).SVG())
	}
}

// TestWeightsGrouped: columns are sorted by class and then by row, counted from 1, and zero
// weights have no cell.
func TestWeightsGrouped(t *testing.T) {
	m := centres{names: []string{"a", "b"}, vectors: []mpcvm.RelevanceVector{
		{Index: 9, Label: 1, Weights: []float64{0, 5}}, {Index: 3, Label: 1, Weights: []float64{-2, 0}}, {Index: 7, Label: 0, Weights: []float64{4, -1}}}}
	c := Weights(m)
	if got := c.figure.panels[0].x.categories; !slices.Equal(got, []string{"8", "4", "10"}) {
		t.Errorf("columns are %v", got)
	}
	if n := len(c.figure.marks[1].(*cells).cells); n != 4 {
		t.Errorf("%d cells for 4 weights", n)
	}
	var labels []string
	for _, one := range c.figure.marks[1].(*cells).cells {
		labels = append(labels, one.label)
	}
	if want := []string{"4.00", "−1.00", "−2.00", "5.00"}; !slices.Equal(labels, want) {
		t.Errorf("cells show %v, want %v", labels, want)
	}
	if got, want := c.figure.marks[0].(*groups).groups, []group{{0, 0, 0, "a", ClassColor(0), "#ffffff"}, {1, 2, 0, "b", ClassColor(1), "#ffffff"}}; !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	if s := c.figure.scale; s.lo != -5 || s.hi != 5 {
		t.Errorf("scale is %v to %v, want it centred at zero", s.lo, s.hi)
	}
	if m.vectors[0].Index != 9 {
		t.Error("the vectors of the caller were sorted")
	}
}

// TestBorders compares the border between two centres with the line half way.
func TestBorders(t *testing.T) {
	m, set := fixture(60, 2, 2) // centres at (3,0) and (−3,0)
	v := newView(nil, set, RegionsOptions{})
	f := newField(m, v, paletteOf(make([]string, 2)))
	curves := f.curves()
	if len(curves) != 1 || len(curves[0]) != 2 {
		t.Fatalf("border is %v, want one straight line", curves)
	}
	for _, q := range curves[0] {
		if math.Abs(q.x) > 1e-3 || math.Min(math.Abs(q.y-v.lo[1]), math.Abs(q.y-v.hi[1])) > 1e-9 {
			t.Errorf("border ends at %v", q)
		}
	}
	m, set = fixture(60, 3, 2) // three rays from the origin
	curves = newField(m, newView(nil, set, RegionsOptions{}), paletteOf(make([]string, 3))).curves()
	if len(curves) != 3 {
		t.Fatalf("%d borders, want 3", len(curves))
	}
	for _, c := range curves {
		a, b := c[0], c[len(c)-1]
		if d := math.Min(math.Hypot(a.x, a.y), math.Hypot(b.x, b.y)); d > .1 {
			t.Errorf("border %v begins %v from where three meet", c, d)
		}
	}
}

func TestRegionsInRawUnits(t *testing.T) {
	m, set := fixture(90, 3, 3)
	plainChart := Regions(m, set, RegionsOptions{})
	raw := &data.Set{Name: set.Name, T: set.T, Classes: set.Classes, Features: set.Features, X: mat.NewDense(90, 3, nil)}
	scale := data.Standardizer{Mean: []float64{100, -5, 3}, Scale: []float64{10, 2, 7}}
	scale.Inverse(raw.X, set.X)
	scaled := Regions(m, raw, RegionsOptions{Scale: &scale})
	for _, name := range []string{"relevance vector", "class A"} {
		a, b := seriesData(plainChart, name), seriesData(scaled, name)
		if len(a) == 0 {
			t.Fatalf("no %s", name)
		}
		for i := range a {
			for k := range 2 {
				want := a[i][k]*scale.Scale[k] + scale.Mean[k]
				if got := b[i][k]; math.Abs(got-want) > 1e-2 {
					t.Fatalf("%s %d is at %v, want %v", name, i, got, want)
				}
			}
		}
	}
	pa := Regions(m, raw, RegionsOptions{Scale: &scale, Principal: true})
	if p := pa.figure.panels[0]; !strings.HasPrefix(p.x.name, "principal axis 1 (") {
		t.Errorf("x axis is %q", p.x.name)
	}
	if x, y := perPixel(pa); math.Abs(x/y-1) > .01 {
		t.Errorf("principal axes have scales %v and %v", x, y)
	}
}

// perPixel is what a pixel means on each axis.
func perPixel(c Chart) (x, y float64) {
	f, w, h := c.laid()
	p := f.panels[0]
	return (p.x.hi - p.x.lo) / (float64(w) - p.left - p.right), (p.y.hi - p.y.lo) / (float64(h) - p.top - p.bottom)
}

// scaledCentres is a classifier that standardises by itself.
type scaledCentres struct {
	centres
	scale []float64
}

func (s scaledCentres) Scaling() (mean, scale []float64) {
	return make([]float64, len(s.scale)), s.scale
}

// TestEqualAxes: a unit of the classifier is as long on both axes, at any size, and only
// if the ranges are comparable.
func TestEqualAxes(t *testing.T) {
	m, set := fixture(90, 3, 2)
	stretched := func(x, y float64) *data.Set {
		s := &data.Set{T: set.T, Classes: set.Classes, Features: set.Features, X: mat.DenseCopyOf(set.X)}
		s.X.Apply(func(_, j int, v float64) float64 { return v * []float64{x, y}[j] }, s.X)
		return s
	}
	far := stretched(1, 40)
	for name, c := range map[string]struct {
		chart Chart
		ratio float64 // of the scales; 0: not equal
	}{
		"same units":    {Regions(m, set, RegionsOptions{}), 1},
		"higher":        {Regions(m, stretched(1, 2), RegionsOptions{}), 1},
		"wider":         {Regions(m, stretched(2, 1), RegionsOptions{}), 1},
		"other units":   {Regions(m, far, RegionsOptions{}), 0},
		"standardised":  {Regions(m, far, RegionsOptions{Scale: &data.Standardizer{Mean: []float64{0, 0}, Scale: []float64{1, 40}}}), 40},
		"its own scale": {Regions(scaledCentres{m, []float64{1, 40}}, far, RegionsOptions{}), 40},
	} {
		if equal := c.chart.figure.equal > 0; equal != (c.ratio > 0) {
			t.Errorf("%s: equal axes are %v", name, equal)
		} else if !equal {
			continue
		}
		for _, width := range []int{720, 440, 300} {
			small := c.chart.within(width).(Chart)
			if x, y := perPixel(small); math.Abs(y/x/c.ratio-1) > .02 {
				t.Errorf("%s at %d pixels: scales %v and %v", name, width, x, y)
			}
			if _, w, h := small.laid(); w > width || h > small.Height+lineHeight {
				t.Errorf("%s: %d×%d pixels in %d×%d", name, w, h, width, small.Height)
			}
		}
	}
}

// TestSubtitlesWrap: what does not fit goes to a second line, and all below moves down.
func TestSubtitlesWrap(t *testing.T) {
	c := Lines([]Series{{X: []float64{1, 2}, Y: []float64{1, 2}}}, LinesOptions{Title: "t", Subtitle: "a first part of some words · a second part of some words · a third part"})
	wide, _, height := c.laid()
	c.Width = 360
	narrow, _, more := c.laid()
	if wide.subtitle != c.figure.subtitle || narrow.subtitle != "a first part of some words\na second part of some words · a third part" && narrow.subtitle != "a first part of some words · a second part of some words\na third part" {
		t.Errorf("subtitles %q and %q", wide.subtitle, narrow.subtitle)
	}
	if more != height+lineHeight || narrow.panels[0].top != wide.panels[0].top+lineHeight || narrow.panels[0].bottom != wide.panels[0].bottom {
		t.Errorf("panels at %v of %d and %v of %d pixels", wide.panels[0].top, height, narrow.panels[0].top, more)
	}
	if texts := checkXML(t, c.SVG()); !strings.Contains(texts, "a third part") {
		t.Errorf("the second line is not drawn: %s", texts)
	}
}

func seriesData(c Chart, name string) []row {
	if d, ok := c.figure.named(name).(*dots); ok {
		return d.rows
	}
	return nil
}

func TestRegionsOfManyClasses(t *testing.T) {
	m, set := fixture(260, 26, 2)
	c := Regions(m, set, RegionsOptions{Cells: 60, Errors: true})
	texts := checkXML(t, c.SVG())
	if c.figure.legendBeside == 0 || !strings.Contains(texts, "class Z") {
		t.Error("26 classes have no legend beside the plot")
	}
	looks := map[string]bool{}
	for k := range 26 {
		looks[ClassColor(k)+classShape(k).name] = true
	}
	if len(looks) != 26 {
		t.Errorf("26 classes have %d looks", len(looks))
	}
}

func TestRegionsPanics(t *testing.T) {
	m, set := fixture(30, 3, 2)
	line := &data.Set{X: mat.NewDense(2, 1, nil), T: []int{0, 1}, Classes: []string{"a", "b"}, Features: []string{"x"}}
	more := &data.Set{X: set.X, T: set.T, Classes: append(slices.Clone(set.Classes), "d"), Features: set.Features}
	for name, call := range map[string]func(){
		"one feature": func() { Regions(m, line, RegionsOptions{}) },
		"feature":     func() { Regions(m, set, RegionsOptions{Features: [2]int{0, 2}}) },
		"classes":     func() { Regions(m, more, RegionsOptions{}) },
		"empty":       func() { Regions(m, &data.Set{Features: []string{"a", "b"}}, RegionsOptions{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "nbhelpers: ") {
					t.Errorf("panic is %q", s)
				}
			}()
			call()
		})
	}
}

func TestSimplified(t *testing.T) {
	var pts []point
	for i := range 1000 {
		x := float64(i) / 10
		pts = append(pts, point{x, 20 * math.Sin(x/10)})
	}
	thin := simplified(pts, .3)
	if len(thin) > 60 || thin[0] != pts[0] || thin[len(thin)-1] != pts[999] {
		t.Errorf("%d points are left of 1000", len(thin))
	}
	k := 0
	for _, q := range pts { // every point is near the chord above it
		for thin[k+1].x < q.x {
			k++
		}
		a, b := thin[k], thin[k+1]
		if d := math.Abs(a.y + (b.y-a.y)*(q.x-a.x)/(b.x-a.x) - q.y); d > .75 { // .3 across a slope of up to 2
			t.Fatalf("%v is %v off", q, d)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ lo, hi, min, max, step float64 }{
		{0, 300, 0, 300, 50}, {-883, -22, -1000, 0, 200}, {.13, .87, 0, 1, .2}, {5, 5, 4.5, 5.5, .2}, {-1e-7, 2e-7, -1e-7, 2e-7, 1e-7},
	} {
		n := 5
		if c.hi == 300 {
			n = 8
		}
		lo, hi, step := niceRange(c.lo, c.hi, n)
		if math.Abs(step-c.step) > 1e-9*c.step || lo > c.lo || hi < c.hi || math.Abs(lo-c.min) > step || math.Abs(hi-c.max) > step {
			t.Errorf("niceRange(%v, %v) = %v, %v, %v; want %v", c.lo, c.hi, lo, hi, step, c)
		}
	}
	for _, c := range []struct{ got, want string }{
		{tickText(-1000, 200), "-1,000"}, {tickText(2, .5), "2.0"}, {tickText(1234567, 1), "1,234,567"}, {tickText(.25, .05), "0.25"}, {tickText(math.Copysign(0, -1), 1), "0"},
		{nats(-2511.4), "−2,511"}, {nats(-140.26), "−140.3"}, {nats(12.345), "12.35"}, {nats(0), "0.0000"}, {nats(1e-5), "1.00e−05"}, {nats(math.Inf(1)), "+Inf"},
		{clock(400 * time.Millisecond), "400 ms"}, {clock(1400 * time.Millisecond), "1.4 s"}, {clock(59 * time.Second), "59 s"}, {clock(185 * time.Second), "3:05"}, {clock(3765 * time.Second), "1:02:45"},
		{plural(1, "weight"), "1 weight"}, {plural(1200, "weight"), "1,200 weights"},
		{shortened("a long name of a class", 12, 60), "a long …"}, {plain("a\nb\x00 "), "a b"}, {percent(1, 300), "0.3 %"}, {percent(1, 3), "33 %"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestNamedColors(t *testing.T) {
	if p := paletteOf([]string{"black", "02-blue", "RED"}); p.hex(0) != "#222222" || p.hex(1) != "#0072b2" || p.hex(2) != "#ef3f50" {
		t.Errorf("%v", p)
	}
	if p := paletteOf([]string{"blue", "whale"}); p.hex(0) != ClassColor(0) || p.hex(1) != ClassColor(1) {
		t.Errorf("only some are colours: %v", p)
	}
	for _, set := range []string{"overlap", "overclass"} {
		s, err := data.Load(set)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for c, p := 0, paletteOf(s.Classes); c < s.C(); c++ {
			if p[c].A == 0 || seen[p.hex(c)] {
				t.Errorf("%s: class %s has colour %s", set, s.Classes[c], p.hex(c))
			}
			seen[p.hex(c)] = true
		}
	}
}

// TestRingsOfScaledModel: a model that standardises by itself has its rings where
// the samples are.
func TestRingsOfScaledModel(t *testing.T) {
	set, err := data.Load("iris")
	if err != nil {
		t.Fatal(err)
	}
	scale := data.FitStandardizer(set.X)
	plain, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}, MaxIterations: 20}.Fit(t.Context(), mpcvm.Samples{X: scale.Apply(nil, set.X), T: set.T})
	if err != nil {
		t.Fatal(err)
	}
	scaled := plain.WithScaling(scale.Mean, scale.Scale)
	want := newView(nil, set, RegionsOptions{Scale: &scale}).rings(plain.RelevanceVectors())
	got := newView(nil, set, RegionsOptions{}).rings(scaled.RelevanceVectors())
	if len(want) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("rings at %v, want %v", got, want)
	}
}

// What is left of a text is the most that fits, at least a character; a text that never
// ends is cut as fast.
func TestShortened(t *testing.T) {
	const text = "Wide and narrow: ijl, 幅の広い文字 – mMW"
	for width := 1.; width < 300; width += 3.7 {
		got := shortened(text, 12, width)
		if got == text {
			if textWidth(text, 12) > width {
				t.Errorf("%v: not cut", width)
			}
			continue
		}
		kept := []rune(strings.TrimSuffix(got, "…"))
		if more := string([]rune(text)[:len(kept)+1]) + "…"; !strings.HasPrefix(text, string(kept)) ||
			len(kept) > 1 && textWidth(got, 12) > width || textWidth(more, 12) <= width && len(kept)+1 < len([]rune(text)) {
			t.Errorf("%v: %q", width, got)
		}
	}
	if got := shortened(strings.Repeat("long ", 1<<20), 12, 60); got != "long long…" && len(got) > 20 { // for hours if time grew with the square
		t.Errorf("%q", got)
	}
}
