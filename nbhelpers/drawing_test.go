package nbhelpers

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/vote"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

func TestConvergenceOfOddTraces(t *testing.T) {
	inf := math.Inf(1)
	odd := []mpcvm.Step{{Iteration: 1, Objective: -inf, LogLik: math.NaN()},
		{Iteration: 2, Objective: math.NaN(), LogLik: inf}, {Iteration: 3, Objective: -1}}
	constant := []mpcvm.Step{{Iteration: 1, Objective: 5, LogLik: 5}, {Iteration: 2, Objective: 5, LogLik: 5}}
	for _, traces := range [][]Trace{nil, {{"none", nil}}, {{"one", steps(1)}}, {{"odd", odd}},
		{{"constant", constant}, {"", steps(20)}}} {
		for _, opt := range []ConvergenceOptions{{}, {LogX: true}} {
			c := ConvergenceWith(traces, opt)
			drawn.Finite(t, c)
		}
	}
}

func TestSparsityCounts(t *testing.T) {
	m := centres{names: []string{"a", "b"}, vectors: []mpcvm.RelevanceVector{
		{Index: 0, Label: 0, Weights: []float64{2, -1}}, {Index: 4, Label: 1, Weights: []float64{-3, 0}},
		{Index: 5, Label: 0, Weights: []float64{1, 0}}}}
	texts := drawn.Texts(t, Sparsity(m, 10))
	must.Contain(t, texts, "3 of 10 kept", "1 of 10 kept",
		"4 of 20 weights are not zero (20 %), 3 of 10 samples are relevance vectors (30 %)")
	if texts := drawn.Texts(t, Sparsity(m, 0)); strings.Contains(texts, "of 0") {
		t.Error("a share of weights is shown for an unknown number")
	}
	for _, empty := range []centres{{}, {names: []string{"a"}}} {
		drawn.Texts(t, Sparsity(empty, 5))
		drawn.Texts(t, Weights(empty))
	}
}

// TestWeightsGrouped checks that columns are sorted by class and then by row, counted from 1, and
// that zero weights have no cell.
func TestWeightsGrouped(t *testing.T) {
	m := centres{names: []string{"a", "b"}, vectors: []mpcvm.RelevanceVector{
		{Index: 9, Label: 1, Weights: []float64{0, 5}}, {Index: 3, Label: 1, Weights: []float64{-2, 0}},
		{Index: 7, Label: 0, Weights: []float64{4, -1}}}}
	c := Weights(m)
	if got := chart.FigureOf(c).Panels[0].X.Categories; !slices.Equal(got, []string{"8", "4", "10"}) {
		t.Errorf("columns are %v", got)
	}
	must.Equal(t, len(chart.FigureOf(c).Marks[1].(*chart.Cells).Cells), 4)
	var labels []string
	for _, one := range chart.FigureOf(c).Marks[1].(*chart.Cells).Cells {
		labels = append(labels, one.Label)
	}
	if want := []string{"4.00", "−1.00", "−2.00", "5.00"}; !slices.Equal(labels, want) {
		t.Errorf("cells show %v, want %v", labels, want)
	}
	if got, want := chart.FigureOf(c).Marks[0].(*chart.Groups).Groups,
		[]chart.Group{{First: 0, Last: 0, Row: 0, Name: "a", Fill: ClassColor(0), Ink: "#ffffff"}, {First: 1,
			Last: 2, Row: 0, Name: "b", Fill: ClassColor(1), Ink: "#ffffff"}}; !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	if s := chart.FigureOf(c).Scale; s.Lo != -5 || s.Hi != 5 {
		t.Errorf("scale is %v to %v, want it centred at zero", s.Lo, s.Hi)
	}
	if m.vectors[0].Index != 9 {
		t.Error("the vectors of the caller were sorted")
	}
}

// TestBorders compares the border between two centres with the perpendicular bisector.
func TestBorders(t *testing.T) {
	m, set := fixture(60, 2, 2) // centres at (3,0) and (−3,0)
	v := newView(nil, set, RegionsOptions{})
	f := newField(m, v, chart.PaletteOf(make([]string, 2)))
	curves := f.curves()
	if len(curves) != 1 || len(curves[0]) != 2 {
		t.Fatalf("border is %v, want one straight line", curves)
	}
	for _, q := range curves[0] {
		if math.Abs(q[0]) > 1e-3 || math.Min(math.Abs(q[1]-v.lo[1]), math.Abs(q[1]-v.hi[1])) > 1e-9 {
			t.Errorf("border ends at %v", q)
		}
	}
	m, set = fixture(60, 3, 2) // three rays from the origin
	curves = newField(m, newView(nil, set, RegionsOptions{}), chart.PaletteOf(make([]string, 3))).curves()
	must.Equal(t, len(curves), 3)
	for _, c := range curves {
		a, b := c[0], c[len(c)-1]
		if d := math.Min(math.Hypot(a[0], a[1]), math.Hypot(b[0], b[1])); d > .1 {
			t.Errorf("border %v begins %v from the point where three meet", c, d)
		}
	}
}

func TestRegionsInRawUnits(t *testing.T) {
	m, set := fixture(90, 3, 3)
	plainChart := Regions(m, set, RegionsOptions{})
	raw := &data.Set{Name: set.Name, T: set.T, Classes: set.Classes, Features: set.Features,
		X: mat.NewDense(90, 3, nil)}
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
	if p := chart.FigureOf(pa).Panels[0]; !strings.HasPrefix(p.X.Name, "principal axis 1 (") {
		t.Errorf("x axis is %q", p.X.Name)
	}
	if x, y := perPixel(pa); math.Abs(x/y-1) > .01 {
		t.Errorf("principal axes have scales %v and %v", x, y)
	}
}

// perPixel returns the units per pixel of each axis.
func perPixel(c Chart) (x, y float64) {
	f, w, h := chart.Laid(c)
	p := f.Panels[0]
	return (p.X.Hi - p.X.Lo) / (float64(w) - p.Left - p.Right),
		(p.Y.Hi - p.Y.Lo) / (float64(h) - p.Top - p.Bottom)
}

// scaledCentres is a classifier that standardises its input.
type scaledCentres struct {
	centres
	scale []float64
}

func (s scaledCentres) Scaling() (mean, scale []float64) {
	return make([]float64, len(s.scale)), s.scale
}

// TestEqualAxes checks that a unit of the classifier is equally long on both axes at any size, if
// and only if the ranges are comparable.
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
		ratio float64 // between the scales; 0 if the axes need not be equal
	}{
		"same units":  {Regions(m, set, RegionsOptions{}), 1},
		"higher":      {Regions(m, stretched(1, 2), RegionsOptions{}), 1},
		"wider":       {Regions(m, stretched(2, 1), RegionsOptions{}), 1},
		"other units": {Regions(m, far, RegionsOptions{}), 0},
		"standardised": {Regions(m, far,
			RegionsOptions{Scale: &data.Standardizer{Mean: []float64{0, 0}, Scale: []float64{1, 40}}}), 40},
		"its own scale": {Regions(scaledCentres{m, []float64{1, 40}}, far, RegionsOptions{}), 40},
	} {
		if equal := chart.FigureOf(c.chart).Equal > 0; equal != (c.ratio > 0) {
			t.Errorf("%s: equal axes are %v", name, equal)
		} else if !equal {
			continue
		}
		for _, width := range []int{720, 440, 300} {
			small := c.chart
			small.Width = width
			if x, y := perPixel(small); math.Abs(y/x/c.ratio-1) > .02 {
				t.Errorf("%s at %d pixels: scales %v and %v", name, width, x, y)
			}
			if _, w, h := chart.Laid(small); w > width || h > small.Height+chart.LineHeight {
				t.Errorf("%s: %d×%d pixels in %d×%d", name, w, h, width, small.Height)
			}
		}
	}
}

// TestSubtitlesWrap checks that a long subtitle wraps to a second line and moves everything below it
// down.
func TestSubtitlesWrap(t *testing.T) {
	c := Lines([]Series{{X: []float64{1, 2}, Y: []float64{1, 2}}}, LinesOptions{Title: "t",
		Subtitle: "a first part of some words · a second part of some words · a third part"})
	wide, _, height := chart.Laid(c)
	c.Width = 360
	narrow, _, more := chart.Laid(c)
	if wide.Subtitle != chart.FigureOf(c).Subtitle ||
		narrow.Subtitle != "a first part of some words\na second part of some words · a third part" &&
			narrow.Subtitle != "a first part of some words · a second part of some words\na third part" {
		t.Errorf("subtitles %q and %q", wide.Subtitle, narrow.Subtitle)
	}
	if more != height+chart.LineHeight || narrow.Panels[0].Top != wide.Panels[0].Top+chart.LineHeight ||
		narrow.Panels[0].Bottom != wide.Panels[0].Bottom {
		t.Errorf("panels at %v of %d and %v of %d pixels", wide.Panels[0].Top, height, narrow.Panels[0].Top,
			more)
	}
}

func seriesData(c Chart, name string) []chart.Row {
	if d, ok := chart.FigureOf(c).Named(name).(*chart.Dots); ok {
		return d.Rows
	}
	return nil
}

func TestRegionsOfManyClasses(t *testing.T) {
	m, set := fixture(260, 26, 2)
	c := Regions(m, set, RegionsOptions{Cells: 60, Errors: true})
	texts := drawn.Texts(t, c)
	if chart.FigureOf(c).LegendBeside == 0 || !strings.Contains(texts, "class Z") {
		t.Error("26 classes have no legend next to the plot")
	}
	looks := map[string]bool{}
	for k := range 26 {
		looks[ClassColor(k)+chart.ClassShape(k).Name] = true
	}
	must.Equal(t, len(looks), 26)
}

func TestRegionsPanics(t *testing.T) {
	m, set := fixture(30, 3, 2)
	_, solid := fixture(30, 3, 4)
	line := &data.Set{X: mat.NewDense(2, 1, nil), T: []int{0, 1}, Classes: []string{"a", "b"},
		Features: []string{"x"}}
	more := &data.Set{X: set.X, T: set.T, Classes: append(slices.Clone(set.Classes), "d"),
		Features: set.Features}
	panics(t, "one feature", func() { Regions(m, line, RegionsOptions{}) })
	panics(t, "feature", func() { Regions(m, set, RegionsOptions{Features: [2]int{0, 2}}) })
	panics(t, "classes", func() { Regions(m, more, RegionsOptions{}) })
	panics(t, "empty", func() { Regions(m, &data.Set{Features: []string{"a", "b"}}, RegionsOptions{}) })
	panics(t, "ambiguities of four features", func() { Ambiguous(nil, solid) })
}

// TestRingsOfScaledModel checks that the rings of a model that standardises its input are drawn at
// the samples.
func TestRingsOfScaledModel(t *testing.T) {
	set, err := data.Load("iris")
	must.OK(t, err)
	scale := data.FitStandardizer(set.X)
	plain, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}, MaxIterations: 20}.Fit(t.Context(),
		mpcvm.Samples{X: scale.Apply(nil, set.X), T: set.T})
	must.OK(t, err)
	scaled := plain.WithScaling(scale.Mean, scale.Scale)
	want := newView(nil, set, RegionsOptions{Scale: &scale}).rings(plain.RelevanceVectors())
	got := newView(nil, set, RegionsOptions{}).rings(scaled.RelevanceVectors())
	if len(want) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("rings at %v, want %v", got, want)
	}
}

func TestVoteRegions(t *testing.T) {
	set := data.Overlap(data.OverlapSeed)
	base := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}
	rest, _, err := vote.OneVsRest{Base: base}.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	one, _, err := vote.OneVsOne{Base: base}.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	if none, several := Ambiguous(rest, set); none <= 0 || several <= 0 || none+several >= 100 {
		t.Errorf("%v %% of the plane belong to no class, %v %% to several", none, several)
	}
	if none, ties := Ambiguous(one, set); none != 0 || ties <= 0 || ties > 5 {
		t.Errorf("one against one: %v %% of the plane belong to no class, %v %% to several", none, ties)
	}
	c := VoteRegions(rest, set, RegionsOptions{Cells: 60, Title: "votes"})
	texts := drawn.Texts(t, c)
	must.Contain(t, texts, "votes", "no claim", "several claims", "black", "ambiguous: ", "data:image/png")
	if strings.Contains(texts, "a tie") {
		t.Error("one against the rest has no ties")
	}
	texts = drawn.Texts(t, VoteRegions(one, set, RegionsOptions{Cells: 60}))
	if strings.Contains(texts, "no claim") || strings.Contains(texts, "several claims") {
		t.Error("one against one has no claims")
	}
	if again := VoteRegions(rest, set, RegionsOptions{Cells: 60, Title: "votes"}); again.HTML() != c.HTML() {
		t.Error("the same vote gives a different picture")
	}
}

func TestRegionsCircleTheVectorsOfAnMRVM(t *testing.T) {
	set := data.Blobs(60, 3, 2, .5, 1)
	model, _, err := mrvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}.Fit(context.Background(),
		mpcvm.Samples{X: set.X, T: set.T})
	must.OK(t, err)
	vectors := model.VectorCount()
	if c := Regions(model, set, RegionsOptions{}); vectors == 0 ||
		!strings.Contains(c.Alt, fmt.Sprintf("%d relevance vector", vectors)) {
		t.Errorf("%d vectors, %q", vectors, c.Alt)
	}
}
