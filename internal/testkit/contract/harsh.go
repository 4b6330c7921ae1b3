package contract

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// Harsh runs only the law of harsh data, which is also part of Test. For any finite numbers and any
// kernel, a fit must return a classifier without NaN, a *mpcvm.CellError, or an error of
// kernel.Validate. With MPCVM_HARSH set, it tries many more numbers, for some minutes.
func Harsh(t *testing.T, name string, s System) {
	t.Run(name, func(t *testing.T) { harsh(t, s) })
}

// hard is a problem with harsh training data.
type hard struct {
	name   string
	x      *mat.Dense
	t      []int
	kernel kernel.Kernel // nil for the kernel of the system
}

func harsh(t *testing.T, s System) {
	watch.SkipUnderRace(t)
	count := 0
	for _, p := range s.hardships(os.Getenv("MPCVM_HARSH") != "") {
		of := s
		if p.kernel != nil {
			if s.WithKernel == nil {
				continue
			}
			of = s.WithKernel(p.kernel)
			p.name += ", " + p.kernel.String()
		}
		count++
		t.Run(p.name, func(t *testing.T) { of.endure(t, p) })
	}
	t.Logf("%d problems", count)
}

// endure fits the problem and checks the classifier or the error.
func (s System) endure(t *testing.T, p hard) {
	m, r, err := s.Fit(bg, mpcvm.Samples{X: p.x, T: p.t})
	if err != nil {
		if _, bad := errors.AsType[*mpcvm.CellError](err); !bad &&
			(p.kernel == nil || kernel.Validate(p.kernel) == nil) {
			t.Errorf("error %v is not a *mpcvm.CellError", err)
		}
		if m != nil {
			t.Errorf("a classifier despite %v", err)
		}
		return
	}
	if m == nil || r.Status == mpcvm.NotTerminated {
		t.Fatalf("classifier %v, status %v", m, r.Status)
	}
	for _, step := range append(r.Trace, mpcvm.Step{Objective: r.Objective, LogLik: r.LogLik}) {
		if !isFinite(step.Objective) || !isFinite(step.LogLik) || !isFinite(step.Change) {
			t.Errorf("iteration %d: objective %v, log likelihood %v, change %v", step.Iteration, step.Objective,
				step.LogLik, step.Change)
		}
	}
	if v, ok := m.(sparse); ok {
		for _, v := range v.RelevanceVectors() {
			for c, w := range v.Weights {
				if !isFinite(w) {
					t.Errorf("weight %v of sample %d for class %d", w, v.Index, c)
				}
			}
		}
	}
	n, d := p.x.Dims()
	o := s.output(m, p.x)
	wellFormed(t, "training samples", o, n, m.Classes())
	if o.p != nil {
		auc, err := score.AUC(o.p, p.t)
		loss, errLoss := score.LogLoss(o.p, p.t)
		brier, errBrier := score.Brier(o.p, p.t)
		_, ece, errECE := score.Reliability(o.p, p.t, 10)
		err = errors.Join(err, errLoss, errBrier, errECE)
		if err != nil || !(auc >= 0 && auc <= 1 && loss >= 0 && loss < 709 && brier >= 0 && brier <= 2+1e-9 &&
			ece >= 0 && ece <= 1+1e-9) {
			t.Errorf("scores: AUC %v, log loss %v, Brier %v, calibration error %v, %v", auc, loss, brier, ece, err)
		}
	}
	if s.Save != nil {
		var file bytes.Buffer
		if err := s.Save(m, &file); err != nil {
			t.Errorf("save: %v", err)
		} else if loaded, err := s.Load(&file); err != nil {
			t.Errorf("load: %v", err)
		} else {
			same(t, "loaded", o, s.output(loaded, p.x))
		}
	}
	if _, indices := p.kernel.(kernel.Precomputed); !indices {
		far := outlying(d)
		wellFormedOrNone(t, s.output(m, far), far, m.Classes())
	}
}

// outlying returns samples of d features far away from all others, with the same value in one
// feature or in all.
func outlying(d int) *mat.Dense {
	values := []float64{0, 5e-324, -1e-300, 1e10, -1e100, 1e154, -1e200, 1e300, math.MaxFloat64,
		-math.MaxFloat64}
	x := mat.NewDense(2*len(values), d, nil)
	for i, v := range values {
		x.Set(2*i, i%d, v)
		for j := range d {
			x.Set(2*i+1, j, v)
		}
	}
	return x
}

// wellFormedOrNone checks that each row is well-formed or has label −1 and all probabilities NaN.
func wellFormedOrNone(t *testing.T, o output, x *mat.Dense, c int) {
	t.Helper()
	for i, l := range o.labels {
		row := output{labels: o.labels[i : i+1]}
		if o.p != nil {
			row.p = mat.NewDense(1, c, o.p.RawRowView(i))
		}
		about := fmt.Sprintf("far away, %v", x.RawRowView(i)[:min(3, len(x.RawRowView(i)))])
		if l != -1 {
			wellFormed(t, about, row, 1, c)
			continue
		}
		for k := range c {
			if row.p != nil && !math.IsNaN(row.p.At(0, k)) {
				t.Errorf("%s: label −1 and probabilities %v", about, row.p.RawRowView(0))
			}
		}
	}
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// hardships returns all problems, or a selection that takes seconds.
func (s System) hardships(all bool) (list []hard) {
	add := func(name string, x *mat.Dense, t []int, kernels ...kernel.Kernel) {
		if kernels == nil {
			kernels = []kernel.Kernel{nil}
		}
		for _, k := range kernels {
			list = append(list, hard{name, x, t, k})
		}
	}
	with := func(kernels ...kernel.Kernel) []kernel.Kernel { // adds a kernel whose width is chosen by many fits
		if all {
			kernels = append(kernels, kernel.RBF{})
		}
		return kernels
	}
	every := []kernel.Kernel{
		nil, kernel.RBF{}, kernel.Laplacian{}, kernel.Laplacian{Theta: 1}, kernel.ARD{Theta: []float64{1, 1e-3}},
		kernel.LaplacianARD{Theta: []float64{1e3, 0}}, kernel.Linear{}, kernel.Linear{Offset: 1}, kernel.Polynomial{
			Offset: 1},
		kernel.Polynomial{Degree: 9, Scale: 1e3},
	}
	x, t := clusters(24, 3, 0.8, 1)
	n, d := x.Dims()

	// Features of any magnitude, all equal in magnitude.
	magnitudes := []float64{5e-324, 1e-200, 1e-8, 1e8, 1e160, 1e300}
	if all {
		magnitudes = []float64{5e-324, 1e-320, 1e-308, 1e-300, 1e-250, 1e-200, 1e-162, 1e-155, 1e-150, 1e-100,
			1e-50, 1e-16, 1e-8, 1e-4,
			1e4, 1e8, 1e16, 1e50, 1e100, 1e140, 1e150, 1e153, 1e154, 1e155, 1e200, 1e250, 1e300, 3e307}
	}
	for i, v := range magnitudes {
		y := mat.NewDense(n, d, nil)
		y.Scale(v, x)
		kernels := every
		if !all {
			kernels = []kernel.Kernel{nil, every[1+i], every[1+(i+5)%9]}
		}
		add(fmt.Sprintf("features of %g", v), y, t, kernels...)
	}
	largest := mat.NewDense(n, d, nil)
	largest.Apply(func(_, _ int, v float64) float64 { return math.Copysign(math.MaxFloat64, v) }, x)
	add("features ± the largest number", largest, t, every[:4]...)

	// Widths of any magnitude.
	widths := []float64{1e-300, 1e-12, 1e6, 1e300}
	if all {
		widths = []float64{5e-324, 1e-300, 1e-200, 1e-100, 1e-50, 1e-30, 1e-20, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8,
			1e-6, 1e-4, 1e-3,
			1e3, 1e4, 1e6, 1e8, 1e16, 1e100, 1e200, 1e300, math.MaxFloat64}
	}
	for i, v := range widths {
		kernels := []kernel.Kernel{kernel.RBF{Theta: v}, kernel.Laplacian{Theta: v},
			kernel.ARD{Theta: []float64{v, 1 / v}}, kernel.LaplacianARD{Theta: []float64{0, v}}}
		if all {
			kernels = append(kernels, kernel.Linear{Offset: v}, kernel.Linear{Offset: -v}, kernel.Polynomial{Scale: v},
				kernel.Polynomial{Degree: 3, Offset: v}, kernel.Polynomial{Degree: 1000, Scale: v},
				kernel.Matern32{Theta: v}, kernel.Matern52{Theta: v}, kernel.RationalQuadratic{
					Theta: v}, kernel.RationalQuadratic{Theta: 1, Alpha: v},
				kernel.RationalLaplacian{Theta: v}, kernel.RationalLaplacianARD{Theta: []float64{0, v}})
		} else {
			kernels = []kernel.Kernel{kernels[0], kernels[1+i%3]}
		}
		add("a width", x, t, kernels...)
	}

	// Columns of different magnitude, constant ones, and an outlier.
	columns := []float64{1e-300, 1, 1e300, 1e-8, 1e8, 0}
	mixed := mat.NewDense(n, len(columns), nil)
	mixed.Apply(func(i, j int, _ float64) float64 { return columns[j] * x.At(i, j%d) }, mixed)
	add("mixed magnitudes", mixed, t, with(nil, kernel.Linear{})...)
	constant := mat.NewDense(n, 4, nil)
	constant.Apply(func(i, j int, _ float64) float64 { return []float64{x.At(i, 0), 1e300, -1e-300, 0}[j] },
		constant)
	add("constant columns", constant, t, with(nil)...)
	for _, v := range []float64{1e6, 1e18, 1e100, 1e200, -math.MaxFloat64} {
		y := mat.DenseCopyOf(x)
		y.Set(5, 1, v)
		add(fmt.Sprintf("an outlier of %g", v), y, t, with(nil, kernel.Linear{Offset: 1})...)
	}

	// Few samples, many classes, many features, one feature.
	add("two samples", mat.NewDense(2, 1, []float64{-1, 1}), []int{0, 1}, nil, kernel.RBF{}, kernel.Linear{})
	add("two equal samples", mat.NewDense(2, 1, nil), []int{0, 1}, nil, kernel.RBF{}, kernel.Linear{})
	seven, single := clusters(7, 7, 0.01, 2)
	add("seven classes of one sample", seven, single, with(nil, kernel.RBF{Theta: 1e4}, kernel.Linear{})...)
	many, alone := clusters(40, 40, 0.01, 2)
	add("forty classes of one sample", many, alone)
	if hundred, labels := clusters(100, 100, 0.01, 2); all {
		add("a hundred classes of one sample", hundred, labels)
	}
	if hundred, labels := clusters(300, 100, 0.02, 3); all && !s.Slow {
		add("a hundred classes", hundred, labels, nil, kernel.RBF{Theta: 100}, kernel.RBF{Theta: 1e-6},
			kernel.Linear{}, kernel.RBF{})
		add("a hundred classes, all samples equal", mat.NewDense(300, 1, nil), labels)
	}
	random := rand.New(rand.NewPCG(5, 0))
	wide := mat.NewDense(12, 10000, nil)
	_, threes := clusters(12, 3, 1, 1)
	wide.Apply(func(i, j int, _ float64) float64 { return random.NormFloat64() + float64(i%3) }, wide)
	add("ten thousand features", wide, threes, with(nil, kernel.RBF{Theta: 1e-4}, kernel.Linear{})...)
	line := mat.DenseCopyOf(x.Slice(0, n, 0, 1))
	add("one feature", line, t, with(nil, kernel.Linear{})...)

	// Equal samples with different labels, random labels, rare classes.
	equal := mat.NewDense(n, d, nil)
	equal.Apply(func(_, j int, _ float64) float64 { return []float64{3, -1e5}[j] }, equal)
	add("all samples equal", equal, t, nil, kernel.RBF{}, kernel.Laplacian{}, kernel.Linear{},
		kernel.Polynomial{Degree: 5})
	both := mat.NewDense(2*n, d, nil)
	twice := make([]int, 2*n)
	for i := range 2 * n {
		both.SetRow(i, x.RawRowView(i/2))
		twice[i] = (t[i/2] + i%2) % 3
	}
	add("contradictions", both, twice, with(nil, kernel.RBF{Theta: 1e4}, kernel.RBF{Theta: 1e-4})...)
	noise, any := mat.NewDense(60, 3, nil), make([]int, 60)
	for i := range any {
		any[i] = random.IntN(4)
	}
	noise.Apply(func(_, _ int, _ float64) float64 { return random.NormFloat64() }, noise)
	add("labels at random", noise, any, with(nil)...)
	rare, few := mat.NewDense(201, 2, nil), make([]int, 201)
	if all {
		rare, few = mat.NewDense(1001, 2, nil), make([]int, 1001)
	}
	rare.Apply(func(i, _ int, _ float64) float64 { return random.NormFloat64() }, rare)
	rare.SetRow(7, []float64{4, 4})
	few[7] = 1
	add(fmt.Sprintf("classes 1 : %d", len(few)-1), rare, few)
	if all {
		add(fmt.Sprintf("classes 1 : %d", len(few)-1), rare, few, kernel.RBF{}, kernel.Linear{},
			kernel.RBF{Theta: 100})
	}

	// A precomputed kernel of any magnitude, and one that is not positive definite.
	for _, v := range []float64{1e-300, 1e-160, 1e-20, 1e20, 1e150, 1e300} {
		k := kernel.Gram(nil, kernel.RBF{Theta: 0.5}, x)
		k.Scale(v, k)
		add(fmt.Sprintf("values of %g", v), kernel.Indices(n), t, kernel.Precomputed{K: k})
	}
	signs := kernel.Gram(nil, kernel.RBF{Theta: 0.5}, x)
	signs.Apply(func(i, j int, v float64) float64 { return v * math.Cos(float64(i+j)) }, signs)
	add("values of any sign", kernel.Indices(n), t, kernel.Precomputed{K: signs})
	return list
}

// powersOfTwo: features multiplied by a power of two give the same bits if the width of the kernel
// is scaled accordingly and no square overflows or underflows.
func powersOfTwo(t *testing.T, s System) {
	if s.WithKernel == nil {
		t.Skip("no kernel")
	}
	x, labels := usual()
	scaled := func(x *mat.Dense, exponent int) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Scale(math.Ldexp(1, exponent), x)
		return y
	}
	for _, k := range []struct {
		exponent int
		of       func(exponent int) kernel.Kernel
	}{
		{480, func(e int) kernel.Kernel { return kernel.RBF{Theta: math.Ldexp(0.5, -2*e)} }},
		{1000, func(e int) kernel.Kernel { return kernel.Laplacian{Theta: math.Ldexp(0.5, -e)} }},
	} {
		a, _ := fit(t, s.WithKernel(k.of(0)), x, labels)
		for _, e := range []int{-k.exponent, k.exponent} {
			b, _ := fit(t, s.WithKernel(k.of(e)), scaled(x, e), labels)
			same(t, fmt.Sprintf("features times 2^%d", e), s.output(a, fresh()), s.output(b, scaled(fresh(), e)))
		}
	}
}
