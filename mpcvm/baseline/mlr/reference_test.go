package mlr

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/internal/linear"
)

// sets are the data sets of the comparison.
var sets = []string{"iris", "wine", "glass", "vowel"}

// exact converges until rounding errors hide any further gain.
var exact = MLR{Tol: 1e-12}

// load standardises the whole set, or skips the test if the set is missing.
func load(t *testing.T, name string) (*mat.Dense, []int) {
	t.Helper()
	set, err := data.Load(name)
	if errors.Is(err, data.ErrNotEmbedded) {
		t.Skipf("NOT CHECKED on %s: %v", name, err)
	}
	must.OK(t, err)
	return data.FitStandardizer(set.X).Apply(nil, set.X), set.T
}

// centred returns the model for rows of bias and weights, shifted to sum to zero.
func centred(rows [][]float64) *linear.Model {
	c, d := len(rows), len(rows[0])-1
	mean := make([]float64, d+1)
	for _, row := range rows {
		floats.AddScaled(mean, 1/float64(c), row)
	}
	w, b := mat.NewDense(c, d, nil), make([]float64, c)
	for i, row := range rows {
		floats.Sub(row, mean)
		b[i] = row[0]
		w.SetRow(i, row[1:])
	}
	return linear.New(w, b, 1)
}

// differences returns the largest differences between coefficients and between probabilities.
func differences(a, b *linear.Model, x *mat.Dense) (coefficients, probabilities float64) {
	wa, ba := a.Coefficients()
	wb, bb := b.Coefficients()
	wa.Sub(wa, wb)
	pa, pb := a.Proba(nil, x), b.Proba(nil, x)
	pa.Sub(pa, pb)
	inf := math.Inf(1)
	return max(floats.Norm(wa.RawMatrix().Data, inf), floats.Distance(ba, bb, inf)),
		floats.Norm(pa.RawMatrix().Data, inf)
}

func fit(t *testing.T, l MLR, x *mat.Dense, labels []int) *linear.Model {
	t.Helper()
	m, r, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: labels})
	if err != nil || r.Status.Err() != nil {
		t.Fatalf("%v: %v", r.Status, err)
	}
	return m
}

// compare fits a model and compares it with the reference model.
func compare(t *testing.T, l MLR, x *mat.Dense, labels []int, want *linear.Model, tolCoefficients,
	tolProbabilities float64) {
	t.Helper()
	dc, dp := differences(fit(t, l, x, labels), want, x)
	t.Logf("largest difference: coefficients %.1e, probabilities %.1e", dc, dp)
	if !(dc <= tolCoefficients && dp <= tolProbabilities) {
		t.Errorf("coefficients differ by %g (allowed %g), probabilities by %g (%g)", dc, tolCoefficients, dp,
			tolProbabilities)
	}
}

// TestGolden compares with the coefficients of scikit-learn, as testdata/reference.py computes them.
func TestGolden(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/golden.json"))(t)
	golden := map[string][][]float64{}
	must.OK(t, json.Unmarshal(text, &golden))
	must.Equal(t, len(golden), len(sets))
	for _, name := range sets {
		t.Run(name, func(t *testing.T) {
			x, labels := load(t, name)
			compare(t, exact, x, labels, centred(golden[name]), 1e-6, 1e-7)
		})
	}
}
