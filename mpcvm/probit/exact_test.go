package probit

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	truth "github.com/mpcvm/mpcvm/internal/testkit/exact"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
)

// gapped returns potentials of c classes with a gap: class 0 is below or above the other
// classes, which are equal, or the gap separates two halves of the classes.
func gapped(c int, gap float64) map[string][]float64 {
	below, above, between := make([]float64, c), make([]float64, c), make([]float64, c)
	below[0], above[0] = -gap, gap
	for j := 1; j < c; j++ {
		between[j] = gap * float64(j%3-1)
	}
	return map[string][]float64{"below": below, "above": above, "between": between}
}

// TestExact compares all functions with quadruple precision, at gaps from 1e-8 to 1e8. If MPCVM_HARSH is
// set, it tests more cases, which takes a few minutes.
func TestExact(t *testing.T) {
	watch.SkipUnderRace(t)
	classes := map[int][]float64{
		2: {1e-8, 0.5, 20, 1e3, 1e8}, 3: {1e-8, 1e-3, 0.5, 4, 20, 40, 1e3, 1e8}, 5: {0.1, 7, 1e5}, 20: {1, 35,
			1e8}, 100: {1e-8, 1e8},
	}
	most := 1.0 // a factor of the limits below
	if os.Getenv("MPCVM_HARSH") != "" {
		most = 100 // hundreds of classes and gaps near ten cost one or two digits
		for c := range classes {
			classes[c] = []float64{1e-8, 1e-6, 1e-4, 1e-2, 0.1, 0.5, 1, 2, 4, 7, 10, 15, 20, 26, 30, 36, 40, 50, 59,
				61, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 0.9e9, 1.1e9, 1e12}
		}
		classes[400] = []float64{1e-8, 1, 30, 1e8}
	}
	means := 1e-13
	if runtime.GOARCH != "amd64" {
		// The mean of a class far below C−1 equal ones is a sum of C−1 shifts with the same
		// rounding error, up to C ulp. The error changes if Go fuses products and sums.
		means = 5e-13
	}
	worst := map[string]float64{}
	at := map[string]string{}
	note := func(what string, e float64, c int, gap float64, kind string) {
		if !(e <= worst[what]) {
			worst[what], at[what] = e, fmt.Sprintf("C = %d, gap %g, %s", c, gap, kind)
		}
	}
	for c, gaps := range classes {
		for _, gap := range gaps {
			for kind, y := range gapped(c, gap) {
				own := []int{0, c - 1}
				labels := []int{0}
				p, single := mat.NewDense(1, c, nil), Proba(nil, y)
				Batch{}.Proba(p, mat.NewDense(1, c, y))
				batch := p.RawRowView(0)
				for _, label := range own {
					labels[0] = label
					logp, wantMeans := truth.Probit(truth.All(y), label)
					zbar, got := Means(nil, y, label)
					compare := func(name string, lp float64, zbar []float64) {
						note(name+"log p, absolute where it is above −1, else relative", logp.Distance(lp)/math.Max(1,
							math.Abs(logp.Float())), c, gap, kind)
						for j, z := range zbar {
							note(name+"means, absolute below 1, else relative", wantMeans[j].Distance(z)/math.Max(1,
								math.Abs(wantMeans[j].Float())), c, gap, kind)
						}
					}
					compare("", got, zbar)
					compare("", LogProb(y, label), nil)
					z, lp := mat.NewDense(c, 1, nil), make([]float64, 1)
					Batch{}.Means(z, lp, mat.NewDense(c, 1, y), labels)
					compare("batch, ", lp[0], mat.Col(nil, 0, z))
					if logp.Float() > -667 { // below 1e-290, the accuracy is not guaranteed
						note("p, relative", truth.Exp(logp).Error(single[label]), c, gap, kind)
						note("batch, p, relative", truth.Exp(logp).Error(batch[label]), c, gap, kind)
					} else if single[label] > 1e-289 || batch[label] > 1e-289 {
						t.Errorf("C = %d, gap %g, %s: p = %v and %v, log p %v", c, gap, kind, single[label], batch[label], logp)
					}
				}
			}
		}
	}
	for what, limit := range map[string]float64{
		"log p, absolute where it is above −1, else relative":        1e-13,
		"means, absolute below 1, else relative":                     means,
		"p, relative":                                                1e-11,
		"batch, log p, absolute where it is above −1, else relative": 1e-9,
		"batch, means, absolute below 1, else relative":              1e-9,
		"batch, p, relative":                                         1e-11,
	} {
		if !strings.HasPrefix(what, "batch, ") {
			limit *= most
		}
		t.Logf("%s: %.1e (%s)", what, worst[what], at[what])
		if !(worst[what] <= limit) || worst[what] == 0 {
			t.Errorf("%s: error %.1e, more than %.0e, at %s", what, worst[what], limit, at[what])
		}
	}
}
