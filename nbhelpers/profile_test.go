package nbhelpers

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestProfilePlaces checks that curves and edges have the values of the classifier, and that rings
// are on the curve of their own class and on their sample.
func TestProfilePlaces(t *testing.T) {
	m, set, opt := peakFixture(nil)
	c := Profile(m, set, opt)
	must.Equal(t, len(chart.FigureOf(c).Panels), 3)
	lines := map[string][]*chart.Line{}
	var rings []*chart.Dots
	for _, mark := range chart.FigureOf(c).Marks {
		switch mark := mark.(type) {
		case *chart.Line:
			lines[mark.Name] = append(lines[mark.Name], mark)
		case *chart.Dots:
			if mark.Name == "relevance vector" {
				rings = append(rings, mark)
			}
		}
	}
	sum := make([]float64, 200)
	for k, name := range set.Classes {
		if len(lines[name]) != 2 {
			t.Fatalf("%d lines of %s", len(lines[name]), name)
		}
		curve, edge := lines[name][0], lines[name][1]
		for i, r := range curve.Rows {
			x := mat.NewDense(1, 1, []float64{r[0]})
			if want := m.Potentials(nil, x).At(0, k); math.Abs(r[1]-want) > .01 {
				t.Fatalf("potential of %s at %v is %v, want %v", name, r[0], r[1], want)
			}
			p := m.Proba(nil, x).At(0, k)
			sum[i] += p
			if e := edge.Rows[i]; math.Abs(e[1]-sum[i]) > .02 || math.Abs(e[2]-p) > .01 {
				t.Fatalf("edge of %s at %v is %v, want %v and %v", name, r[0], e, sum[i], p)
			}
		}
	}
	if len(rings) != 2 || len(rings[0].Rows) != 3 || len(rings[1].Rows) != 3 {
		t.Fatalf("rings %v", rings)
	}
	for i, v := range m.vectors {
		y := m.Potentials(nil, mat.NewDense(1, 1, v.X)).At(0, v.Label)
		if r := rings[1].Rows[i]; math.Abs(r[0]-v.X[0]) > .01 || math.Abs(r[1]-y) > .01 {
			t.Errorf("ring %d is at %v, want %v and %v", i, r, v.X[0], y)
		}
		sample := chart.FigureOf(c).Named(set.Classes[v.Label]).(*chart.Dots).Rows[0]
		if r := rings[0].Rows[i]; r[0] != sample[0] || r[1] != sample[1] {
			t.Errorf("ring %d is at %v, its sample at %v", i, r, sample)
		}
	}
}

// TestProfileInRawUnits draws a model that standardises its input.
func TestProfileInRawUnits(t *testing.T) {
	_, set, _ := peakFixture(nil)
	raw := &data.Set{Name: set.Name, T: set.T, Classes: set.Classes, Features: set.Features,
		X: mat.NewDense(60, 1, nil)}
	raw.X.Apply(func(i, _ int, _ float64) float64 { return 100 + 20*set.X.At(i, 0) }, raw.X)
	scale := data.FitStandardizer(raw.X)
	m, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}, MaxIterations: 20}.Fit(t.Context(),
		mpcvm.Samples{X: scale.Apply(nil, raw.X), T: raw.T})
	must.OK(t, err)
	m = m.WithNames(raw.Classes, raw.Features).WithScaling(scale.Mean, scale.Scale)
	a := Profile(m, raw, ProfileOptions{})
	if x := chart.FigureOf(a).Panels[2].X; x.Lo > 80 || x.Hi < 120 {
		t.Errorf("the axis is %v to %v", x.Lo, x.Hi)
	}
	if rings := seriesData(a, "relevance vector"); len(rings) != len(m.RelevanceVectors()) {
		t.Errorf("%d rings for %d relevance vectors", len(rings), len(m.RelevanceVectors()))
	}
}

// TestProfileOfProbabilities checks that the chart of a classifier without potentials has no upper
// panel, and that given ranges are kept.
func TestProfileOfProbabilities(t *testing.T) {
	m, set, _ := peakFixture(nil)
	c := Profile(m.centres, set, ProfileOptions{Range: [2]float64{-9, 9}, Points: 30})
	must.Equal(t, len(chart.FigureOf(c).Panels), 2)
	if x := chart.FigureOf(c).Panels[1].X; x.Lo != -9 || x.Hi != 9 {
		t.Errorf("the axis is %v to %v", x.Lo, x.Hi)
	}
	for _, mark := range chart.FigureOf(c).Marks {
		if l, ok := mark.(*chart.Line); ok && len(l.Rows) != 30 {
			t.Errorf("%d places", len(l.Rows))
		}
	}
	drawn.Texts(t, c)
	if y := chart.FigureOf(Profile(m, set,
		ProfileOptions{PotentialRange: [2]float64{-1, 1}})).Panels[0].Y; y.Lo != -1 || y.Hi != 1 {
		t.Errorf("the axis of the potentials is %v to %v", y.Lo, y.Hi)
	}
}

// TestProfileOdd draws charts of little data.
func TestProfileOdd(t *testing.T) {
	m, set, _ := peakFixture(nil)
	one := &data.Set{X: mat.NewDense(1, 1, []float64{3}), T: []int{0}, Classes: set.Classes,
		Features: []string{""}}
	for _, c := range []Chart{Profile(m, one, ProfileOptions{Points: 1}),
		Profile(m, one, ProfileOptions{Height: 60})} {
		drawn.Finite(t, c)
	}
}

func TestProfilePanics(t *testing.T) {
	m, set, _ := peakFixture(nil)
	_, plane := fixture(9, 3, 2)
	more := &data.Set{X: set.X, T: set.T, Classes: append(set.Classes[:3:3], "d"), Features: set.Features}
	panics(t, "two features", func() { Profile(m, plane, ProfileOptions{}) })
	panics(t, "no samples", func() { Profile(m, &data.Set{Features: []string{"x"}}, ProfileOptions{}) })
	panics(t, "classes", func() { Profile(m, more, ProfileOptions{}) })
	panics(t, "range", func() { Profile(m, set, ProfileOptions{Range: [2]float64{2, 1}}) })
	panics(t, "range of potentials",
		func() { Profile(m, set, ProfileOptions{PotentialRange: [2]float64{2, 2}}) })
	m.vectors[0].X = []float64{1, 2}
	panics(t, "vectors", func() { Profile(m, set, ProfileOptions{}) })
}
