package gp_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// reduction is a problem and the values of Keep to test.
type reduction struct {
	name  string
	x     *mat.Dense
	t     []int
	l     gp.KernelPrior
	keeps []float64
}

// brink returns 48 of 60 rows of a table with two classes whose reduction almost collapses.
func brink(tb testing.TB, seed uint64) (x *mat.Dense, t []int) {
	tb.Helper()
	f := must.Get(os.Open("../../tables/testdata/wild/brink-n60.csv"))(tb)
	defer f.Close()
	set := must.Get(data.ReadSet(f, "brink-n60"))(tb)
	rows := rand.New(rand.NewPCG(seed, 45)).Perm(set.N())[:48]
	x = mat.NewDense(48, set.D(), nil)
	for i, n := range rows {
		x.SetRow(i, mat.Row(nil, n, set.X))
		t = append(t, set.T[n])
	}
	return data.FitStandardizer(x).Apply(nil, x), t
}

// reductions returns the cases of testdata/keep.csv.
func reductions(tb testing.TB) (list []reduction) {
	for seed := range uint64(60) {
		x, t := brink(tb, seed)
		list = append(list, reduction{fmt.Sprint("brink ", seed), x, t,
			gp.KernelPrior{Kernel: kernel.RBF{Theta: 0.25}, Scale: 1}, []float64{0.09}})
	}
	few := []float64{2, 1, 0.5, 0.25, 0.125, 0.0625, 0.01}
	for seed := range uint64(4) {
		x, t := overlapping(seed)
		for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.5}, kernel.Laplacian{Theta: 1},
			kernel.RBF{Theta: 0.05}} {
			for _, scale := range []float64{1, 100} {
				list = append(list, reduction{fmt.Sprintf("overlapping %d %v %g", seed, k, scale), x, t,
					gp.KernelPrior{Kernel: k, Scale: scale}, few})
			}
		}
	}
	for _, name := range []string{"iris", "wine", "glass"} {
		set := must.Load(tb, name)
		x := data.FitStandardizer(set.X).Apply(nil, set.X)
		for _, scale := range []float64{1, 100} {
			l := gp.KernelPrior{Kernel: kernel.RBF{Theta: 0.2}, Scale: scale}
			list = append(list, reduction{fmt.Sprintf("%s %g", name, scale), x, set.T, l, []float64{1, 0.25, 0.09}})
			l.Candidates = 60
			list = append(list, reduction{fmt.Sprintf("%s %g candidates", name, scale), x, set.T, l,
				[]float64{0.5, 0.125}})
		}
	}
	return list
}

// TestKeepObjective: the objective of a reduced model is not lower than in testdata/keep.csv, which was
// recorded on 26 November 2026, before deleted weights could return. No model has collapsed, and the deleted
// weights cost at most half a nat each on average.
func TestKeepObjective(t *testing.T) {
	file := must.Get(os.Open("testdata/keep.csv"))(t)
	defer file.Close()
	rows := must.Get(csv.NewReader(file).ReadAll())(t)
	before := map[string]float64{}
	for _, row := range rows[1:] {
		before[row[0]+" "+row[1]] = must.Get(strconv.ParseFloat(row[2], 64))(t)
	}
	for _, r := range reductions(t) {
		r.l.Keep = 0
		_, dense := laws.Fit(t, r.l, r.x, r.t)
		for _, keep := range r.keeps {
			r.l.Keep = keep
			about := fmt.Sprintf("%s %g", r.name, keep)
			m, result, err := r.l.Fit(t.Context(), mpcvm.Samples{X: r.x, T: r.t})
			if err != nil || result.Status == mpcvm.Collapsed {
				t.Fatalf("%s: %v, %v", about, result.Status, err)
			}
			f, ok := before[about]
			if !ok || result.Objective < f-1e-5*math.Abs(f) {
				t.Errorf("%s: F = %.9g, recorded %.9g", about, result.Objective, f)
			}
			deleted := len(m.NonZero()) * len(r.t)
			for _, n := range m.NonZero() {
				deleted -= n
			}
			if price := dense.Objective - result.Objective; r.l.Candidates == 0 && price > 0.5*float64(deleted) {
				t.Errorf("%s: deleting %d weights costs %g nats", about, deleted, price)
			}
			labels := map[int]bool{}
			for _, label := range m.Predict(nil, r.x) {
				labels[label] = true
			}
			if len(labels) < 2 {
				t.Errorf("%s: the same class for all samples", about)
			}
		}
	}
}
