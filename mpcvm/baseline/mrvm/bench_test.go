package mrvm_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/mrvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// BenchmarkFit fits the training part of partition 0. Sets that are not embedded are read from MPCVM_DATA,
// and skipped if it is not set.
func BenchmarkFit(b *testing.B) {
	for _, s := range []struct {
		set   string
		theta float64
	}{{"iris", 0.2}, {"glass", 0.1}, {"breast", 0.1}, {"vowel", 0.1}, {"wine-white", 0.3}} {
		set, err := data.Load(s.set)
		if err != nil {
			b.Log(err)
			continue
		}
		partitions, err := data.Partitions(s.set)
		if err != nil {
			b.Fatal(err)
		}
		train := set.Subset(partitions[0])
		x, k := data.FitStandardizer(train.X).Apply(nil, train.X), kernel.RBF{Theta: s.theta}
		for _, l := range []struct {
			name string
			learner
		}{{"BottomUp", mrvm.BottomUp{Kernel: k}}, {"TopDown", mrvm.TopDown{Kernel: k}}} {
			b.Run(s.set+"/"+l.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					m, r := must.Fit(b, l, x, train.T)
					v := m.VectorCount()
					b.ReportMetric(float64(v), "vectors")
					b.ReportMetric(float64(r.Iterations), "iterations")
				}
			})
		}
	}
}
