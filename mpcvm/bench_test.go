package mpcvm_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// BenchmarkFit fits the training part of partition 5 of each set at its usual width.
// Sets that are not embedded are read from MPCVM_DATA, and skipped without.
func BenchmarkFit(b *testing.B) {
	for _, s := range []struct {
		set   string
		theta float64
	}{{"iris", 0.1}, {"wine", 0.02}, {"glass", 0.2}, {"breast", 0.1}, {"vowel", 1.2}, {"wine-white", 1.2}} {
		b.Run(s.set, func(b *testing.B) {
			set, err := data.Load(s.set)
			if err != nil {
				b.Skip(err)
			}
			partitions, err := data.Partitions(s.set)
			if err != nil {
				b.Skip(err)
			}
			train := set.Subset(partitions[5])
			x := data.FitStandardizer(train.X).Apply(nil, train.X)
			k := kernel.RBF{Theta: s.theta}
			for _, l := range []struct {
				name string
				mpcvm.Learner
			}{{"TopDown", mpcvm.TopDown{Kernel: k}}, {"BottomUp", mpcvm.BottomUp{Kernel: k}}} {
				b.Run(l.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, _, err := l.Fit(bg, x, train.T); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
