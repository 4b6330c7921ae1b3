package mpcvm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// TestNewModel: bases can be in any order, and zero weights are omitted. Weights with the wrong sign and
// mismatched lengths panic.
func TestNewModel(t *testing.T) {
	x, labels := mat.NewDense(4, 1, []float64{0, 1, 2, 3}), []int{0, 1, 0, 1}
	k := kernel.Polynomial{Degree: 1, Scale: 1}
	m := mpcvm.NewModel(k, x, labels, [][]int{{3, 2, 0}, {1}}, [][]float64{{-2, 5, 0}, {4}},
		[]float64{0.5, -0.5})
	var index []int
	for _, v := range m.RelevanceVectors() {
		index = append(index, v.Index)
	}
	if !slices.Equal(index, []int{1, 2, 3}) || m.WeightCount() != 3 {
		t.Errorf("relevance vectors %v, %d weights", index, m.WeightCount())
	}
	if y := m.Potentials(nil, mat.NewDense(1, 1, []float64{2})); y.At(0, 0) != 0.5+2*(2*5-3*2) ||
		y.At(0, 1) != -0.5+2*4 {
		t.Errorf("potentials %v", mat.Formatted(y))
	}
	for name, of := range map[string]func(){
		"positive for another class": func() {
			mpcvm.NewModel(k, x, labels, [][]int{{1}, nil}, [][]float64{{1}, nil}, []float64{0, 0})
		},
		"negative for its own class": func() {
			mpcvm.NewModel(k, x, labels, [][]int{{2}, nil}, [][]float64{{-1}, nil}, []float64{0, 0})
		},
		"labels": func() {
			mpcvm.NewModel(k, x, labels[1:], make([][]int, 2), make([][]float64, 2), make([]float64, 2))
		},
		"bases of classes": func() {
			mpcvm.NewModel(k, x, labels, make([][]int, 1), make([][]float64, 2), make([]float64, 2))
		},
		"weights of classes": func() {
			mpcvm.NewModel(k, x, labels, make([][]int, 2), make([][]float64, 3), make([]float64, 2))
		},
	} {
		must.Panic(t, name, of)
	}
}

// TestWithRows: the training indices refer to the rows of the whole set, and nothing else changes.
func TestWithRows(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 4)
	rows := []int{}
	for n := 5; n < 60; n += 2 {
		rows = append(rows, n)
	}
	part := set.Subset(rows)
	m, _ := laws.Fit(t, mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.5}}, part.X, part.T)
	moved := m.WithRows(rows)
	for i, v := range moved.RelevanceVectors() {
		before := m.RelevanceVectors()[i]
		if v.Index != rows[before.Index] || !slices.Equal(v.X, set.X.RawRowView(v.Index)) ||
			v.Label != set.T[v.Index] || !slices.Equal(v.Weights, before.Weights) {
			t.Errorf("relevance vector %+v, before %+v", v, before)
		}
	}
	if !mat.Equal(moved.Proba(nil, set.X), m.Proba(nil, set.X)) {
		t.Error("probabilities differ")
	}
	slices.Reverse(rows)
	for name, wrong := range map[string][]int{"too short": rows[:1], "descending": rows} {
		must.Panic(t, name, func() { m.WithRows(wrong) })
	}
}

// TestFloor: the probabilities are a mixture of the floor and the probabilities without it, and the label is
// always the class with the largest probability: in Predict, PredictTable, PredictRow and Explain.
func TestFloor(t *testing.T) {
	plain := load(t, small)
	floor := []float64{0.01, 0.5, 0.02}
	m := plain.WithFloor(floor)
	rng := rand.New(rand.NewPCG(7, 7))
	x := mat.NewDense(200, 2, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(1+j) + 2*rng.NormFloat64() }, x)
	if !mat.Equal(plain.Potentials(nil, x), m.Potentials(nil, x)) {
		t.Error("potentials differ")
	}
	q, p, labels, before := plain.Proba(nil, x), m.Proba(nil, x), m.Predict(nil, x), plain.Predict(nil, x)
	other := 0
	for n, label := range labels {
		row := p.RawRowView(n)
		for c, f := range floor {
			if want := f + 0.47*q.At(n, c); math.Abs(row[c]-want) > 1e-15 {
				t.Errorf("sample %d, class %d: %v, want %v", n, c, row[c], want)
			}
		}
		if label != floats.MaxIdx(row) {
			t.Errorf("sample %d has label %d, probabilities %v", n, label, row)
		}
		if label != before[n] {
			other++
		}
		e := m.Explain(x.RawRowView(n))
		one := m.ProbaOne(nil, x.RawRowView(n))
		if e.Label != label || !slices.Equal(e.Proba, row) || !slices.Equal(one, row) {
			t.Errorf("sample %d: explained %d %v, predicted singly %v, want %d %v", n, e.Label, e.Proba, one, label,
				row)
		}
	}
	if other < 20 {
		t.Errorf("the floor changes %d labels", other)
	}
	if f := m.Floor(); !slices.Equal(f, floor) || plain.Floor() != nil || m.WithFloor(nil).Floor() != nil {
		t.Errorf("floor %v", f)
	}
	nan := mat.NewDense(1, 2, []float64{1, math.NaN()})
	if m.Predict(nil, nan)[0] != -1 || !math.IsNaN(m.Proba(nil, nan).At(0, 1)) {
		t.Error("a sample with NaN has a prediction")
	}
	for _, bad := range [][]float64{{0.1}, {0.1, 0.1, -1e-9}, {0.5, 0.5, 0.1}, {0, 0, math.NaN()}} {
		must.Panic(t, fmt.Sprint("floor ", bad), func() { m.WithFloor(bad) })
	}
}

// TestCosts: with costs, the label always equals the result of Decide, probabilities and sets do not change,
// and costs of the wrong shape panic.
func TestCosts(t *testing.T) {
	plain := load(t, small)
	costs := mat.NewDense(3, 3, []float64{0, 1, 1, 9, 0, 1, 1, 2, -0.5})
	m := plain.WithCosts(costs)
	rng := rand.New(rand.NewPCG(8, 8))
	x := mat.NewDense(200, 2, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(1+j) + 2*rng.NormFloat64() }, x)
	p, labels := plain.Proba(nil, x), m.Predict(nil, x)
	if !mat.Equal(p, m.Proba(nil, x)) || !slices.Equal(labels, plain.Decide(p, costs)) ||
		slices.Equal(labels, plain.Predict(nil, x)) {
		t.Errorf("labels %v", labels)
	}
	for n, label := range labels {
		e := m.Explain(x.RawRowView(n))
		one := m.Predict(nil, x.Slice(n, n+1, 0, 2))[0]
		if e.Label != label || one != label {
			t.Errorf("sample %d: explained %d, predicted singly %d, want %d", n, e.Label, one, label)
		}
	}
	costs.Set(0, 0, 7)
	if c := m.Costs(); c.At(0, 0) != 0 || c.At(1, 0) != 9 || plain.Costs() != nil ||
		m.WithCosts(nil).Costs() != nil {
		t.Errorf("costs %v", c)
	}
	if m.Predict(nil, mat.NewDense(1, 2, []float64{1, math.NaN()}))[0] != -1 {
		t.Error("a sample with NaN has a label")
	}
	costs.Set(0, 0, math.Inf(1))
	for _, bad := range []mat.Matrix{costs, mat.NewDense(2, 2, nil), mat.NewDense(3, 4, nil)} {
		must.Panic(t, fmt.Sprint("costs ", bad), func() { m.WithCosts(bad) })
	}
}
