package svm_test

import (
	"github.com/mpcvm/mpcvm/mpcvm"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/svm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// machines are settings similar to those chosen by tuning.
var machines = []struct {
	set      string
	theta, C float64
}{{"iris", 0.1, 4}, {"glass", 0.5, 10}, {"vowel", 0.5, 10}, {"wine-white", 1, 4}}

// training returns the standardised training part of partition 5 of a set.
func training(b *testing.B, name string) *data.Set {
	set, err := data.Load(name)
	if err != nil {
		b.Skip(err)
	}
	partitions, err := data.Partitions(name)
	if err != nil {
		b.Skip(err)
	}
	train := set.Subset(partitions[5])
	train.X = data.FitStandardizer(train.X).Apply(nil, train.X)
	return train
}

func BenchmarkFit(b *testing.B) {
	for _, m := range machines {
		b.Run(m.set, func(b *testing.B) {
			train := training(b, m.set)
			l := svm.SVM{Kernel: kernel.RBF{Theta: m.theta}, C: m.C}
			labels, shrinkless, cached := l, l, l
			labels.NoProbability = true
			shrinkless.NoProbability, shrinkless.NoShrinking = true, true
			cached.NoProbability, cached.CacheMiB = true, 1
			for _, l := range []struct {
				name string
				svm.SVM
			}{{"labels", labels}, {"probabilities", l}, {"no shrinking", shrinkless}, {"cache of 1 MiB", cached}} {
				b.Run(l.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, _, err := l.Fit(bg, mpcvm.Samples{X: train.X, T: train.T}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	for _, m := range machines {
		b.Run(m.set, func(b *testing.B) {
			train := training(b, m.set)
			model, _ := must.Fit(b, svm.SVM{Kernel: kernel.RBF{Theta: m.theta}, C: m.C}, train.X, train.T)
			perRow := func(b *testing.B) {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*train.N()), "ns/row")
			}
			b.Run("labels", func(b *testing.B) {
				for b.Loop() {
					model.Predict(nil, train.X)
				}
				perRow(b)
			})
			b.Run("probabilities", func(b *testing.B) {
				for b.Loop() {
					model.Proba(nil, train.X)
				}
				perRow(b)
			})
		})
	}
}
