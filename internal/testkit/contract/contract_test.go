package contract_test

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/contract"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// nearest is a small system that keeps the contract: it predicts the class with the nearest mean,
// with probabilities based on the distances.
type nearest struct {
	broken string // how it breaks the contract, for TestFaults
	calls  *int   // number of fits so far, for "forgetful"
}

type means struct {
	nearest
	mean  *mat.Dense // C×D
	first int        // label of the first sample
}

func (l nearest) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*means, mpcvm.Result,
	error) {
	x, t := s.X, s.T
	classes, err := mpcvm.Check(s)
	if err != nil {
		if l.broken == "error" {
			return nil, mpcvm.Result{}, context.Canceled
		}
		return nil, mpcvm.Result{}, err
	}
	r := mpcvm.NewRun(ctx, 3, observers...)
	n, d := x.Dims()
	m := &means{l, mat.NewDense(classes, d, nil), t[0]}
	r.Snapshot = func() mpcvm.Classifier {
		switch {
		case l.broken == "live":
			return m
		case l.broken == "not always" && len(r.Result.Trace) > 1:
			return nil
		}
		return &means{l, mat.DenseCopyOf(m.mean), t[0]}
	}
	for i := range 2 {
		if ctx.Err() != nil && l.broken != "deaf" {
			r.End(mpcvm.Cancelled)
			break
		}
		m.mean.Zero()
		count := make([]float64, classes)
		for i := range n {
			count[t[i]]++
			for j := range d {
				m.mean.Set(t[i], j, m.mean.At(t[i], j)+x.At(i, j))
			}
		}
		for c, k := range count {
			for j := range d {
				m.mean.Set(c, j, m.mean.At(c, j)/k)
			}
		}
		step := mpcvm.Step{}
		if l.broken == "falls" {
			step.Objective = -float64(i)
		}
		if r.Record(step) && l.broken != "unstoppable" {
			break
		}
	}
	if l.broken == "first row" {
		for j := range d {
			m.mean.Set(t[0], j, m.mean.At(t[0], j)+0.01*x.At(0, j))
		}
	}
	if l.broken == "live" {
		m.mean.Scale(-1, m.mean)
	}
	if l.broken == "first class" {
		m.mean.Set(0, 0, m.mean.At(0, 0)+0.01)
	}
	if l.broken == "first feature" {
		m.mean.Apply(func(_, j int, v float64) float64 { return v * (1 + 0.01*float64(min(j, 1))) }, m.mean)
	}
	if l.broken == "input" {
		x.(mat.Mutable).Set(0, 0, 7)
	}
	if l.broken == "forgetful" {
		*l.calls++
		m.mean.Set(0, 0, m.mean.At(0, 0)*(1+1e-15*float64(*l.calls)))
	}
	result, err := r.Finish()
	if result.Status == mpcvm.NotTerminated {
		result.Status = mpcvm.Converged
	}
	if result.Iterations == 0 {
		return nil, result, err
	}
	return m, result, err
}

func (m *means) Classes() int { c, _ := m.mean.Dims(); return c }

// RelevanceVectors returns a made-up relevance vector for the first sample, for the law of signs.
func (m *means) RelevanceVectors() []mpcvm.RelevanceVector {
	v := mpcvm.RelevanceVector{Index: 0, Label: m.first, Weights: make([]float64, m.Classes())}
	v.Weights[m.first] = 1
	if m.broken == "sign" {
		v.Weights[m.first] = -1
	}
	return []mpcvm.RelevanceVector{v}
}

func (m *means) VectorCount() int {
	if m.broken == "size" {
		return 1
	}
	return 0
}

func (m *means) WeightCount() int {
	if m.broken == "size" {
		return 0
	}
	c, d := m.mean.Dims()
	return c * d
}

func (m *means) Predict(dst []int, x mat.Matrix) []int {
	p := m.Proba(nil, x)
	n, c := p.Dims()
	switch {
	case dst == nil || m.broken == "labels":
		dst = make([]int, n)
	case len(dst) != n:
		panic("contract: wrong length")
	}
	for i := range dst {
		dst[i] = 0
		for k := range c {
			if p.At(i, k) > p.At(i, dst[i]) {
				dst[i] = k
			}
		}
		if math.IsNaN(p.At(i, 0)) && m.broken != "NaN" {
			dst[i] = -1
		}
		if m.broken == "disagrees" {
			dst[i] = (dst[i] + 1) % c
		}
	}
	return dst
}

func (m *means) Proba(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	c, own := m.mean.Dims()
	if d != own && m.broken != "features" {
		panic("contract: wrong features")
	}
	switch {
	case dst == nil || m.broken == "destination":
		dst = mat.NewDense(n, c, nil)
	case dst.IsEmpty():
		dst.ReuseAs(n, c)
	default:
		if r, k := dst.Dims(); r != n || k != c {
			panic("contract: wrong shape")
		}
	}
	for i := range n {
		distance := make([]float64, c)
		least := math.Inf(1)
		for k := range distance {
			for j := range min(d, own) {
				distance[k] += math.Pow(x.At(i, j)-m.mean.At(k, j), 2)
			}
			least = min(least, distance[k])
		}
		sum := 0.0
		for k, v := range distance {
			p := math.Exp(least - v)
			if v == least { // both may be infinite
				p = 1
			}
			dst.Set(i, k, p)
			sum += p
		}
		if m.broken == "sum" {
			sum *= 1.01
		}
		for k := range c {
			dst.Set(i, k, dst.At(i, k)/sum)
		}
	}
	return dst
}

func system(broken string) contract.System {
	s := contract.Of(nearest{broken, new(int)})
	s.Linear, s.SignPrinciple, s.Monotone = true, true, true
	return s
}

func TestKept(t *testing.T) { contract.Test(t, "nearest", system("")) }

// fault is the environment variable by which TestFaults tells its child process what is broken.
const fault = "CONTRACT_TEST_FAULT"

func TestBroken(t *testing.T) {
	if os.Getenv(fault) == "" {
		t.Skip("for TestFaults")
	}
	contract.Test(t, "broken", system(os.Getenv(fault)))
}

// TestFaults checks that each fault is found by the law that it breaks.
func TestFaults(t *testing.T) {
	watch.SkipUnderRace(t)
	for broken, law := range map[string]string{
		"error":         "bad_data",
		"deaf":          "cancelled_before",
		"unstoppable":   "cancelled_or_stopped",
		"input":         "fit_twice",
		"forgetful":     "fit_twice",
		"first row":     "row_order",
		"first class":   "class_order",
		"first feature": "feature_order",
		"sign":          "signs",
		"falls":         "monotone_objective",
		"live":          "classifiers_of_steps",
		"not always":    "classifiers_of_steps",
		"size":          "size",
		"labels":        "destinations",
		"destination":   "destinations",
		"NaN":           "rows_with_NaN",
		"disagrees":     "probabilities",
		"features":      "mistakes_at_prediction",
		"sum":           "probabilities",
	} {
		child := exec.Command(os.Args[0], "-test.run=^TestBroken$")
		child.Env = append(os.Environ(), fault+"="+broken)
		out, err := child.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skipf("SKIPPED: the test program cannot start itself, as under an emulator: %v", err)
		}
		if err == nil {
			t.Errorf("%s: not found", broken)
		}
		if !strings.Contains(string(out), "--- FAIL: TestBroken/broken/"+law+" ") {
			t.Errorf("%s: not found by %q:\n%s", broken, law, out)
		}
	}
}
