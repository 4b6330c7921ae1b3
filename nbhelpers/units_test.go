package nbhelpers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/chart"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// refusal returns the text of the panic of f, or "" if it does not panic.
func refusal(f func()) (text string) {
	defer func() {
		if fault := recover(); fault != nil {
			text = fmt.Sprint(fault)
		}
	}()
	f()
	return ""
}

// A model that scales its features accepts raw samples and rejects standardised ones, however they
// were scaled.
func TestUnits(t *testing.T) {
	numbers := mat.NewDense(60, 2, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 60 {
		numbers.SetRow(i,
			[]float64{200 + 10*rng.NormFloat64() + 30*float64(i%2), 4000 + 500*rng.NormFloat64()})
	}
	raw := &data.Set{X: numbers, T: make([]int, 60), Classes: []string{"a", "b"},
		Features: []string{"length", "mass"}}
	for i := range raw.T {
		raw.T[i] = i % 2
	}
	scale := data.FitStandardizer(raw.X)
	train, test := raw.Split(0.5, 1)
	l := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 5}}
	fitted, _, err := l.Fit(context.Background(), mpcvm.Samples{X: scale.Apply(nil, train.X), T: train.T})
	must.OK(t, err)
	own := fitted.WithNames(raw.Classes, raw.Features).WithScaling(scale.Mean, scale.Scale)
	byHand := *train
	byHand.X = scale.Apply(nil, train.X)
	for name, tt := range map[string]struct {
		want string
		f    func()
	}{
		"held out": {"data.Standardizer", func() { Regions(own, scale.Set(test), RegionsOptions{}) }},
		"split later": {"data.Standardizer",
			func() { a, _ := scale.Set(raw).Split(0.5, 3); Wrong(own, a) }},
		"by hand": {"training rows of the model", func() { Regions(own, &byHand, RegionsOptions{}) }},
		"unknown column": {"not one of the features",
			func() { Regions(own, raw, RegionsOptions{Columns: [2]string{"length", "width"}}) }},
		"typical values": {"1 values", func() { Regions(own, raw, RegionsOptions{Typical: []float64{1}}) }},
	} {
		text := refusal(tt.f)
		if !strings.Contains(text, tt.want) || !strings.HasPrefix(text, "nbhelpers: ") ||
			strings.Contains(text, "\n") {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}

	// Correct input is accepted: raw samples, also few or far away, a model of standardised features
	// with Scale, and a set that was standardised before.
	far := *raw
	far.X = mat.NewDense(60, 2, nil)
	before := own.WithScaling([]float64{0.01, -0.02}, []float64{1.01, 0.98})
	for name, f := range map[string]func(){
		"raw":        func() { Regions(own, raw, RegionsOptions{Cells: 5}) },
		"far":        func() { Wrong(own, &far) },
		"with scale": func() { Regions(fitted, raw, RegionsOptions{Cells: 5, Scale: &scale}) },
		"without":    func() { Regions(fitted, scale.Set(raw), RegionsOptions{Cells: 5}) },
		"scaled set": func() { Regions(before, scale.Set(raw), RegionsOptions{Cells: 5}) },
	} {
		if text := refusal(f); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Features that are not on the axes have the typical values, and samples with a missing value are
// not drawn.
func TestTypicalAndMissing(t *testing.T) {
	m, set := fixture(90, 3, 3)
	missing := func(sample, feature int) bool { return sample == 7 && feature == 2 }
	typical := []float64{0, 0, 9}
	v := newView(m, set, RegionsOptions{Typical: typical})
	if at := v.grid([]float64{1}, []float64{2}); !mat.Equal(at, mat.NewDense(1, 3, []float64{1, 2, 9})) {
		t.Errorf("the point (1, 2) is %v", at)
	}
	all := len(seriesData(Regions(m, set, RegionsOptions{Typical: typical, Missing: missing}), "class B"))
	c := Regions(m, set, RegionsOptions{Columns: [2]string{"x1", "x3"}, Typical: typical, Missing: missing})
	if n := len(seriesData(c, "class B")); n != all-1 ||
		!strings.Contains(chart.FigureOf(c).Subtitle, "1 without a value not drawn") {
		t.Errorf("%d of %d samples: %s", n, all, chart.FigureOf(c).Subtitle)
	}
	must.Contain(t, chart.FigureOf(c).Subtitle, "other columns as in a typical row")
}
