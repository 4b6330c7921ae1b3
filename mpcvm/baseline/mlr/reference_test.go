package mlr

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"github.com/mpcvm/mpcvm/mpcvm"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/baseline/internal/linear"
)

// update rewrites the golden values with scikit-learn.
var update = flag.Bool("update", false, "write testdata/golden.json with scikit-learn")

// sets are the data sets of the comparison; lambda is the penalty.
var sets = []string{"iris", "wine", "glass", "vowel"}

const lambda = 0.3 // the default of MLR

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

// run passes samples to a program and reads the coefficients that it prints, centred over the classes.
func run(t *testing.T, x *mat.Dense, labels []int, program string, args ...string) *linear.Model {
	t.Helper()
	var input bytes.Buffer
	for i, label := range labels {
		for _, v := range x.RawRowView(i) {
			fmt.Fprintf(&input, "%.17g,", v)
		}
		fmt.Fprintln(&input, label)
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin = &input
	var trouble bytes.Buffer
	cmd.Stderr = &trouble
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, trouble.String())
	}
	lines, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	rows := make([][]float64, len(lines))
	for i, line := range lines {
		for _, cell := range line {
			v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			if err != nil {
				t.Fatalf("%s: %v", program, err)
			}
			rows[i] = append(rows[i], v)
		}
	}
	return centred(rows)
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

// python returns a Python in the path with scikit-learn, or skips the test. Because Python starts slowly and
// TestGolden tests the same values, it only runs with -update or without R.
func python(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("Rscript"); err == nil && !*update {
		t.Skip("R is available; use -update to run this test as well")
	}
	for _, program := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(program, "-c", "import sklearn").Run() == nil {
			return program
		}
	}
	t.Skip("NOT CHECKED against scikit-learn: it needs python3 with sklearn (Debian: python3-sklearn)")
	return ""
}

// TestAgainstScikitLearn is TestAgainstNnet with scikit-learn.
func TestAgainstScikitLearn(t *testing.T) {
	program := python(t)
	golden := map[string][][]float64{}
	for _, name := range sets {
		t.Run(name, func(t *testing.T) {
			x, labels := load(t, name)
			want := run(t, x, labels, program, "testdata/reference.py", fmt.Sprint(lambda))
			compare(t, exact, x, labels, want, 1e-6, 1e-7)
			w, b := want.Coefficients()
			for c := range b {
				golden[name] = append(golden[name], append([]float64{b[c]}, w.RawRowView(c)...))
			}
		})
	}
	if *update {
		if len(golden) != len(sets) {
			t.Fatalf("golden values of %d sets, want %d: not written", len(golden), len(sets))
		}
		text, err := json.MarshalIndent(golden, "", " ")
		if err == nil {
			err = os.WriteFile("testdata/golden.json", append(text, '\n'), 0o644)
		}
		must.OK(t, err)
	}
}

// TestGolden compares with the coefficients of scikit-learn, written by -update.
func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/golden.json")
	must.OK(t, err)
	golden := map[string][][]float64{}
	must.OK(t, json.Unmarshal(text, &golden))
	if len(golden) != len(sets) {
		t.Fatalf("%d sets, want %d", len(golden), len(sets))
	}
	for _, name := range sets {
		t.Run(name, func(t *testing.T) {
			x, labels := load(t, name)
			compare(t, exact, x, labels, centred(golden[name]), 1e-6, 1e-7)
		})
	}
}
