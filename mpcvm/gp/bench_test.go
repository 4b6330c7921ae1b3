package gp_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// BenchmarkKernelPrior measures, for 400 samples with 5 features and 4 classes, a dense and a reduced fit,
// LeaveOneOut, ARD, and the prediction of 4000 rows by the dense model.
func BenchmarkKernelPrior(b *testing.B) {
	density := data.NewMixture(4, 3, 5, 0.7, 2)
	set, rows := density.Set(400, 1), density.Set(4000, 2).X
	s := mpcvm.Samples{X: set.X, T: set.T}
	l := gp.KernelPrior{Kernel: kernel.RBF{Theta: 0.2}}
	reduced := l
	reduced.Keep = 0.5
	fit := func(l mpcvm.Learner) *mpcvm.Model {
		m, _, err := l.Fit(b.Context(), s)
		must.OK(b, err)
		return m
	}
	m := fit(l)
	for _, of := range []struct {
		name string
		run  func()
	}{
		{"Fit", func() { fit(l) }},
		{"FitKeep", func() { fit(reduced) }},
		{"LeaveOneOut", func() {
			if _, err := l.LeaveOneOut(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}},
		{"ARD", func() {
			if _, _, err := (gp.ARD{Kernel: l.Kernel}).Fit(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}},
		{"Predict", func() { m.Proba(nil, rows) }},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				of.run()
			}
		})
	}
}
