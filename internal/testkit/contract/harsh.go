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
	o := outputOf(m, p.x)
	wellFormed(t, "training samples", o, n, m.Classes())
	if loss, err := score.LogLoss(o.p, p.t); err != nil || !(loss >= 0 && loss < 709) {
		t.Errorf("log loss %v, %v", loss, err)
	}
	if s.Save != nil {
		var file bytes.Buffer
		if err := s.Save(m, &file); err != nil {
			t.Errorf("save: %v", err)
		} else if loaded, err := s.Load(&file); err != nil {
			t.Errorf("load: %v", err)
		} else {
			same(t, "loaded", o, outputOf(loaded, p.x))
		}
	}
	if _, indices := p.kernel.(kernel.Precomputed); !indices {
		far := outlying(d)
		wellFormedOrNone(t, "far away", outputOf(m, far), far, m.Classes())
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

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// hardships collects problems: all, or a selection that takes seconds.
type hardships struct {
	all, slow bool // slow: no hundred classes
	list      []hard
	x         *mat.Dense // a problem to change
	t         []int
	random    *rand.Rand
}

func (s System) hardships(all bool) []hard {
	h := &hardships{all: all, slow: s.Slow, random: rand.New(rand.NewPCG(5, 0))}
	h.x, h.t = clusters(24, 3, 0.8, 1)
	for _, add := range []func(){h.magnitudes, h.widths, h.columns, h.shapes, h.labels, h.precomputed} {
		add()
	}
	return h.list
}

// add adds a problem for each of the kernels, or for the kernel of the system.
func (h *hardships) add(name string, x *mat.Dense, t []int, kernels ...kernel.Kernel) {
	if kernels == nil {
		kernels = []kernel.Kernel{nil}
	}
	for _, k := range kernels {
		h.list = append(h.list, hard{name, x, t, k})
	}
}

// with adds a kernel whose width is chosen by many fits.
func (h *hardships) with(kernels ...kernel.Kernel) []kernel.Kernel {
	if h.all {
		kernels = append(kernels, kernel.RBF{})
	}
	return kernels
}

// some returns the given numbers or, for all problems, numbers of every magnitude.
func (h *hardships) some(few ...float64) []float64 {
	if !h.all {
		return few
	}
	many := []float64{5e-324, 1e-162, 1e-16, 1e-12, 1e-8, 1e-4, 1e3, 1e4, 1e6, 1e8, 1e16, 1e154, 1e155, 3e307}
	for e := -320; e <= 300; e += 20 {
		many = append(many, math.Pow10(e))
	}
	return many
}

// shaped returns a matrix of the values of f.
func shaped(n, d int, f func(i, j int) float64) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	x.Apply(func(i, j int, _ float64) float64 { return f(i, j) }, x)
	return x
}

// everyKernel are kernels of all kinds.
var everyKernel = []kernel.Kernel{
	nil, kernel.RBF{}, kernel.Laplacian{}, kernel.Laplacian{Theta: 1}, kernel.ARD{Theta: []float64{1, 1e-3}},
	kernel.LaplacianARD{Theta: []float64{1e3, 0}}, kernel.Linear{}, kernel.Linear{Offset: 1},
	kernel.Polynomial{Offset: 1}, kernel.Polynomial{Degree: 9, Scale: 1e3},
}

// magnitudes adds features of any magnitude, all equal in magnitude.
func (h *hardships) magnitudes() {
	for i, v := range h.some(5e-324, 1e-200, 1e-8, 1e8, 1e160, 1e300) {
		y := new(mat.Dense)
		y.Scale(v, h.x)
		kernels := everyKernel
		if !h.all {
			kernels = []kernel.Kernel{nil, everyKernel[1+i], everyKernel[1+(i+5)%9]}
		}
		h.add(fmt.Sprintf("features of %g", v), y, h.t, kernels...)
	}
	largest := new(mat.Dense)
	largest.Apply(func(_, _ int, v float64) float64 { return math.Copysign(math.MaxFloat64, v) }, h.x)
	h.add("features ± the largest number", largest, h.t, everyKernel[:4]...)
}

// widths adds kernels with widths of any magnitude.
func (h *hardships) widths() {
	for i, v := range h.some(1e-300, 1e-12, 1e6, 1e300) {
		kernels := []kernel.Kernel{kernel.RBF{Theta: v}, kernel.Laplacian{Theta: v},
			kernel.ARD{Theta: []float64{v, 1 / v}}, kernel.LaplacianARD{Theta: []float64{0, v}}}
		if h.all {
			kernels = append(kernels, kernel.Linear{Offset: v}, kernel.Linear{Offset: -v},
				kernel.Polynomial{Scale: v}, kernel.Polynomial{Degree: 3, Offset: v},
				kernel.Polynomial{Degree: 1000, Scale: v}, kernel.Matern32{Theta: v}, kernel.Matern52{Theta: v},
				kernel.RationalQuadratic{Theta: v}, kernel.RationalQuadratic{Theta: 1, Alpha: v},
				kernel.RationalLaplacian{Theta: v}, kernel.RationalLaplacianARD{Theta: []float64{0, v}})
		} else {
			kernels = []kernel.Kernel{kernels[0], kernels[1+i%3]}
		}
		h.add("a width", h.x, h.t, kernels...)
	}
}

// columns adds columns of different magnitude, constant ones, and an outlier.
func (h *hardships) columns() {
	n, d := h.x.Dims()
	scale := []float64{1e-300, 1, 1e300, 1e-8, 1e8, 0}
	h.add("mixed magnitudes",
		shaped(n, len(scale), func(i, j int) float64 { return scale[j] * h.x.At(i, j%d) }), h.t,
		h.with(nil, kernel.Linear{})...)
	h.add("constant columns", shaped(n, 4, func(i, j int) float64 {
		return []float64{h.x.At(i, 0), 1e300, -1e-300, 0}[j]
	}), h.t, h.with(nil)...)
	for _, v := range []float64{1e6, 1e18, 1e100, 1e200, -math.MaxFloat64} {
		y := mat.DenseCopyOf(h.x)
		y.Set(5, 1, v)
		h.add(fmt.Sprintf("an outlier of %g", v), y, h.t, h.with(nil, kernel.Linear{Offset: 1})...)
	}
}

// shapes adds few samples, many classes, many features, and one feature.
func (h *hardships) shapes() {
	h.add("two samples", mat.NewDense(2, 1, []float64{-1, 1}), []int{0, 1}, nil, kernel.RBF{}, kernel.Linear{})
	h.add("two equal samples", mat.NewDense(2, 1, nil), []int{0, 1}, nil, kernel.RBF{}, kernel.Linear{})
	seven, single := clusters(7, 7, 0.01, 2)
	h.add("seven classes of one sample", seven, single, h.with(nil, kernel.RBF{Theta: 1e4}, kernel.Linear{})...)
	many, alone := clusters(40, 40, 0.01, 2)
	h.add("forty classes of one sample", many, alone)
	if hundred, labels := clusters(100, 100, 0.01, 2); h.all {
		h.add("a hundred classes of one sample", hundred, labels)
	}
	if hundred, labels := clusters(300, 100, 0.02, 3); h.all && !h.slow {
		h.add("a hundred classes", hundred, labels, nil, kernel.RBF{Theta: 100}, kernel.RBF{Theta: 1e-6},
			kernel.Linear{}, kernel.RBF{})
		h.add("a hundred classes, all samples equal", mat.NewDense(300, 1, nil), labels)
	}
	_, threes := clusters(12, 3, 1, 1)
	wide := shaped(12, 3000, func(i, _ int) float64 { return h.random.NormFloat64() + float64(i%3) })
	h.add("three thousand features", wide, threes, h.with(nil, kernel.RBF{Theta: 3e-4}, kernel.Linear{})...)
	line := mat.DenseCopyOf(h.x.ColView(0))
	h.add("one feature", line, h.t, h.with(nil, kernel.Linear{})...)
}

// labels adds equal samples with different labels, random labels, and rare classes.
func (h *hardships) labels() {
	n, d := h.x.Dims()
	equal := shaped(n, d, func(_, j int) float64 { return []float64{3, -1e5}[j] })
	h.add("all samples equal", equal, h.t, nil, kernel.RBF{}, kernel.Laplacian{}, kernel.Linear{},
		kernel.Polynomial{Degree: 5})
	both, twice := shaped(2*n, d, func(i, j int) float64 { return h.x.At(i/2, j) }), make([]int, 2*n)
	for i := range twice {
		twice[i] = (h.t[i/2] + i%2) % 3
	}
	h.add("contradictions", both, twice, h.with(nil, kernel.RBF{Theta: 1e4}, kernel.RBF{Theta: 1e-4})...)
	any := make([]int, 60)
	for i := range any {
		any[i] = h.random.IntN(4)
	}
	normal := func(_, _ int) float64 { return h.random.NormFloat64() }
	h.add("labels at random", shaped(60, 3, normal), any, h.with(nil)...)
	few := make([]int, 201)
	kernels := []kernel.Kernel{nil}
	if h.all {
		few = make([]int, 1001)
		kernels = append(kernels, kernel.RBF{}, kernel.Linear{}, kernel.RBF{Theta: 100})
	}
	rare := shaped(len(few), 2, normal)
	rare.SetRow(7, []float64{4, 4})
	few[7] = 1
	h.add(fmt.Sprintf("classes 1 : %d", len(few)-1), rare, few, kernels...)
}

// precomputed adds kernel matrices of any magnitude, and one that is not positive definite.
func (h *hardships) precomputed() {
	rows := kernel.Indices(len(h.t))
	for _, v := range []float64{1e-300, 1e-160, 1e-20, 1e20, 1e150, 1e300} {
		k := kernel.Gram(nil, kernel.RBF{Theta: 0.5}, h.x)
		k.Scale(v, k)
		h.add(fmt.Sprintf("values of %g", v), rows, h.t, kernel.Precomputed{K: k})
	}
	signs := kernel.Gram(nil, kernel.RBF{Theta: 0.5}, h.x)
	signs.Apply(func(i, j int, v float64) float64 { return v * math.Cos(float64(i+j)) }, signs)
	h.add("values of any sign", rows, h.t, kernel.Precomputed{K: signs})
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
			same(t, fmt.Sprintf("features times 2^%d", e), outputOf(a, fresh()), outputOf(b, scaled(fresh(), e)))
		}
	}
}
