package linear_test

import (
	"github.com/mpcvm/mpcvm/mpcvm"
	"testing"

	"github.com/mpcvm/mpcvm/data"
)

// BenchmarkFit measures a fit of both linear systems with their defaults.
func BenchmarkFit(b *testing.B) {
	for _, name := range []string{"iris", "glass", "vowel"} {
		set, err := data.Load(name)
		if err != nil {
			b.Logf("%s skipped: %v", name, err)
			continue
		}
		x := data.FitStandardizer(set.X).Apply(nil, set.X)
		for system, l := range learners(0) {
			b.Run(system+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if _, _, err := l.Fit(bg, mpcvm.Samples{X: x, T: set.T}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
