package mpcvm_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/sets"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// BenchmarkFit fits the training part of each set with its usual width; rows/s is the number of training rows
// per second. Sets that are not embedded are read from MPCVM_DATA, and skipped if it is not set. TopDown,
// whose time grows as N³·C, is skipped for Letter.
func BenchmarkFit(b *testing.B) {
	eachProblem(b, func(b *testing.B, p *sets.Problem) {
		for _, l := range benchLearners(p) {
			b.Run(l.name, func(b *testing.B) {
				b.ReportAllocs()
				var m *mpcvm.Model
				for b.Loop() {
					m = benchFit(b, p, l.Learner)
				}
				reportRate(b, len(p.T))
				b.ReportMetric(float64(weightsOf(m)), "weights")
			})
		}
	})
}

// BenchmarkPredictSets predicts labels (Predict) and probabilities (Proba) of the test part of each set with
// the model of BottomUp after 50 epochs; µs/row is the time per row.
func BenchmarkPredictSets(b *testing.B) {
	eachProblem(b, func(b *testing.B, p *sets.Problem) {
		m := benchFit(b, p, mpcvm.BottomUp{Kernel: kernel.RBF{Theta: p.Theta}, MaxIterations: 50})
		for _, f := range []struct {
			name string
			run  func()
		}{
			{"Predict", func() { m.Predict(nil, p.XTest) }},
			{"Proba", func() { m.Proba(nil, p.XTest) }},
		} {
			b.Run(f.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f.run()
				}
				rows := len(p.TTest)
				reportRate(b, rows)
				b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*rows), "µs/row")
				b.ReportMetric(float64(weightsOf(m)), "weights")
			})
		}
	})
}

// eachProblem runs f for each set that can be loaded.
func eachProblem(b *testing.B, f func(*testing.B, *sets.Problem)) {
	for _, name := range []string{"iris", "wine", "glass", "breast", "vowel", "wine-white", "letter"} {
		b.Run(name, func(b *testing.B) {
			p, err := sets.Load(name)
			if err != nil {
				b.Skip(err)
			}
			f(b, p)
		})
	}
}

type namedLearner struct {
	name string
	mpcvm.Learner
}

func benchLearners(p *sets.Problem) []namedLearner {
	k := kernel.RBF{Theta: p.Theta}
	list := []namedLearner{{"BottomUp", mpcvm.BottomUp{Kernel: k}}}
	if p.Name != "letter" {
		list = append([]namedLearner{{"TopDown", mpcvm.TopDown{Kernel: k}}}, list...)
	}
	return list
}

func benchFit(b *testing.B, p *sets.Problem, l mpcvm.Learner) *mpcvm.Model {
	m, _ := laws.Fit(b, l, p.X, p.T)
	return m
}

func reportRate(b *testing.B, rows int) {
	b.ReportMetric(float64(b.N)*float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

func weightsOf(m *mpcvm.Model) int {
	total := 0
	for _, k := range m.NonZero() {
		total += k
	}
	return total
}
