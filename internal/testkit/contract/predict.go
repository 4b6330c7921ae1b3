package contract

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// probabilities: each row is a distribution, and the label has the largest probability.
func probabilities(t *testing.T, s System) {
	x, _ := usual()
	n, _ := x.Dims()
	m := s.fitted
	far := mat.NewDense(3, 2, []float64{1e3, -1e3, 1e9, 1e9, -1e100, 0})
	wellFormed(t, "far away", outputOf(m, far), 3, 3)
	agree := 0
	o := outputOf(m, x)
	wellFormed(t, "training samples", o, n, 3)
	for i, l := range o.labels {
		if p := o.p.RawRowView(i); p[l] >= floats.Max(p)-1e-12 {
			agree++
		}
	}
	if share := float64(agree) / float64(n); share < s.Agreement {
		t.Errorf("the label has the largest probability in %.3f of the rows, less than %.3f", share, s.Agreement)
	}
}

// notANumber: a row with NaN has the label −1 and NaN probabilities, and does not affect other rows.
// An infinite row has a label with probabilities, or neither.
func notANumber(t *testing.T, s System) {
	m := s.fitted
	good := fresh()
	o := outputOf(m, good)
	bad := mat.DenseCopyOf(good)
	rows := []int{0, 17, 39}
	for k, i := range rows {
		bad.Set(i, k%2, math.NaN())
	}
	got := outputOf(m, bad)
	for _, i := range rows {
		o.labels[i] = -1
		o.p.SetRow(i, []float64{math.NaN(), math.NaN(), math.NaN()})
	}
	same(t, "rows next to NaN", o, got)

	infinite := mat.NewDense(2, 2, []float64{math.Inf(1), 0, math.Inf(-1), math.Inf(1)})
	wellFormedOrNone(t, "an infinite row", outputOf(m, infinite), infinite, 3)
}

// destinations: a given destination is used, and an empty matrix is resized.
func destinations(t *testing.T, s System) {
	x, _ := usual()
	n, _ := x.Dims()
	m := s.fitted
	o := outputOf(m, x)
	dst := slices.Repeat([]int{77}, n)
	if got := m.Predict(dst, x); &got[0] != &dst[0] {
		t.Error("Predict did not use its destination")
	}
	p := mat.NewDense(n, 3, nil)
	p.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, p)
	if got := m.Proba(p, x); got != p {
		t.Error("Proba did not use its destination")
	}
	same(t, "into a destination", o, output{dst, p})
	var empty mat.Dense
	if got := m.Proba(&empty, x); got != &empty {
		t.Error("Proba did not use an empty destination")
	}
	same(t, "into an empty destination", o, output{dst, &empty})
}

// mistakesAtPrediction: wrong shapes panic.
func mistakesAtPrediction(t *testing.T, s System) {
	x, _ := usual()
	n, _ := x.Dims()
	m := s.fitted
	for about, predict := range map[string]func(){
		"labels too short":                 func() { m.Predict(make([]int, n-1), x) },
		"labels too long":                  func() { m.Predict(make([]int, n+1), x) },
		"labels, too few features":         func() { m.Predict(nil, mat.NewDense(2, 1, nil)) },
		"labels, too many features":        func() { m.Predict(nil, mat.NewDense(2, 3, nil)) },
		"probabilities of too few rows":    func() { m.Proba(mat.NewDense(n-1, 3, nil), x) },
		"probabilities of too many":        func() { m.Proba(mat.NewDense(n, 4, nil), x) },
		"probabilities, too few features":  func() { m.Proba(nil, mat.NewDense(2, 1, nil)) },
		"probabilities, too many features": func() { m.Proba(nil, mat.NewDense(2, 3, nil)) },
	} {
		must.Panic(t, about, predict)
	}
}

// concurrent: many goroutines can predict at once.
func concurrent(t *testing.T, s System) {
	x, _ := usual()
	m := s.fitted
	o := outputOf(m, x)
	got := make([]output, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = outputOf(m, x) })
	}
	wg.Wait()
	for _, g := range got {
		same(t, "concurrently", o, g)
	}
	// A sample alone has the same prediction as among others.
	for i := range 5 {
		same(t, "alone", o.row(i), outputOf(m, x.Slice(i, i+1, 0, 2)))
	}
}

// size: the counts match the model.
func size(t *testing.T, s System) {
	x, _ := usual()
	n, _ := x.Dims()
	m := s.fitted
	if m.Classes() != 3 {
		t.Errorf("%d classes", m.Classes())
	}
	switch vectors, weights := m.VectorCount(), m.WeightCount(); {
	case s.Linear && (vectors != 0 || weights < 2):
		t.Errorf("%d vectors and %d coefficients of a linear system", vectors, weights)
	case !s.Linear && (vectors < 1 || vectors > n || weights < vectors):
		t.Errorf("%d vectors of %d samples, %d weights", vectors, n, weights)
	}
}

// signs: no weight violates the classification principle, for clusters and for random labels.
func signs(t *testing.T, s System) {
	if !s.SignPrinciple {
		t.Skip("weights of any sign")
	}
	x, labels := usual()
	noise := slices.Clone(labels)
	slices.Sort(noise) // the clusters are dealt in turn: now labels are independent of x
	for _, t1 := range [][]int{labels, noise} {
		m, _ := fit(t, s, x, t1)
		counted := 0
		for _, v := range m.(sparse).RelevanceVectors() {
			if v.Label != t1[v.Index] {
				t.Errorf("sample %d is of class %d, its relevance vector of %d", v.Index, t1[v.Index], v.Label)
			}
			for c, w := range v.Weights {
				if w != 0 {
					counted++
				}
				if w > 0 && c != v.Label || w < 0 && c == v.Label {
					t.Errorf("sample %d of class %d has weight %v for class %d", v.Index, v.Label, w, c)
				}
			}
		}
		if weights := m.WeightCount(); counted > weights {
			t.Errorf("%d weights that are not zero in a model of %d", counted, weights)
		}
	}
}

// monotone: the objective of the trace does not decrease.
func monotone(t *testing.T, s System) {
	if !s.Monotone {
		t.Skip("the objective may decrease")
	}
	x, labels := clusters(90, 3, 1, 11)
	_, r := fit(t, s, x, labels)
	for i, step := range r.Trace[1:] {
		before := r.Trace[i].Objective
		if step.Objective < before-1e-9*math.Abs(before) && len(step.Deleted) == 0 {
			t.Errorf("iteration %d: the objective fell from %v to %v", step.Iteration, before, step.Objective)
		}
	}
}

// saveAndLoad: a loaded classifier equals the saved one. A truncated file is an error.
func saveAndLoad(t *testing.T, s System) {
	if s.Save == nil || s.Load == nil {
		t.Skip("no files")
	}
	m := s.fitted
	var file bytes.Buffer
	must.OK(t, s.Save(m, &file))
	text := file.Bytes()
	loaded := must.Get(s.Load(bytes.NewReader(text)))(t)
	same(t, "loaded", outputOf(m, fresh()), outputOf(loaded, fresh()))
	v, w := m.VectorCount(), m.WeightCount()
	if lv, lw := loaded.VectorCount(), loaded.WeightCount(); lv != v || lw != w ||
		loaded.Classes() != m.Classes() {
		t.Errorf("size %d, %d, loaded %d, %d", v, w, lv, lw)
	}
	for _, length := range []int{0, 1, len(text) / 2} {
		if _, err := s.Load(bytes.NewReader(text[:length])); err == nil {
			t.Errorf("no error for %d of %d bytes", length, len(text))
		}
	}
}
