package eval

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/tables/table"
)

// The verdict names the best system, and a system that is level with it if that is faster.
func TestVerdict(t *testing.T) {
	const folds, rows = 5, 40
	system := func(name string, seconds float64, loss func(fold int) float64) *Matrix {
		m := &Matrix{System: name, Classes: []string{"a", "b"}, K: folds, Seconds: []float64{seconds}}
		var p []float64
		for i := range folds * rows {
			m.Rows, m.T, m.Labels, m.Fold = append(m.Rows, i), append(m.T, i%2), append(m.Labels, i%2),
				append(m.Fold, i/rows)
			right := math.Exp(-loss(i / rows))
			p = append(p, 1-right, right)
			if i%2 == 0 {
				p[2*i], p[2*i+1] = right, 1-right
			}
		}
		m.Proba = mat.NewDense(folds*rows, 2, p)
		return m
	}
	flat := func(loss float64) func(int) float64 {
		return func(fold int) float64 { return loss + 0.001*float64(fold*fold%3) }
	}
	uneven := func(fold int) float64 { return 0.3 + 0.1*float64(fold%3) }
	majority, best := system("majority", 0, flat(0.69)), system("best", 144.4, flat(0.3))
	for _, tt := range []struct {
		others []*Matrix
		want   string
	}{
		{[]*Matrix{best, system("quick", 0.5, uneven)}, "best has the lowest log loss, but quick is level with " +
			"it (the difference may be noise) and takes 0.50 s instead of 144 s."},
		{[]*Matrix{best, system("slow", 100, uneven), system("unknown", math.NaN(), uneven)},
			"best has the lowest log loss, but the difference from slow, unknown may be noise."},
		{[]*Matrix{best, system("worse", 0.5, flat(0.4))},
			"best has the lowest log loss, and the difference from the other systems is more than noise."},
		{[]*Matrix{system("level", 1, func(fold int) float64 { return 0.5 + 0.2*float64(fold%3) })},
			"No system has a lower log loss than the majority baseline by more than noise."},
		{[]*Matrix{system("worse", 1, flat(0.8))},
			"No system has a lower log loss than the majority baseline by more than noise."},
		{[]*Matrix{{System: "failed", Err: table.Finding{Code: "failed"}}}, ""},
	} {
		r := &Comparison{Folds: &Folds{K: folds, Repeats: 1}, Systems: append([]*Matrix{majority}, tt.others...)}
		if got := table.Go.Say(r.Verdict()); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
