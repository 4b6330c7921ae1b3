package contract

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// badData: for data from which nothing can be learned, Fit returns a *mpcvm.CellError that gives the
// position, and no classifier.
func badData(t *testing.T, s System) {
	good, labels := usual()
	n, _ := good.Dims()
	with := func(i, j int, v float64) *mat.Dense {
		x := mat.DenseCopyOf(good)
		x.Set(i, j, v)
		return x
	}
	relabelled := func(i, l int) []int {
		r := slices.Clone(labels)
		r[i] = l
		return r
	}
	missing := make([]int, n)
	for i := range missing {
		missing[i] = 2 * (i % 2)
	}
	for _, tt := range []struct {
		name     string
		x        mat.Matrix
		t        []int
		row, col int
		value    float64
	}{
		{"NaN", with(5, 1, math.NaN()), labels, 5, 1, math.NaN()},
		{"infinite", with(59, 0, math.Inf(1)), labels, 59, 0, math.Inf(1)},
		{"negative infinite", with(0, 0, math.Inf(-1)), labels, 0, 0, math.Inf(-1)},
		{"negative label", good, relabelled(7, -2), 7, -1, -2},
		{"label out of range", good, relabelled(8, 1000), 8, -1, 1000},
		{"one class", good, make([]int, n), -1, -1, 1},
		{"missing class", good, missing, slices.Index(missing, slices.Max(missing)), -1, 1},
		{"one sample", mat.NewDense(1, 2, nil), []int{0}, -1, -1, 1},
		{"no rows", &mat.Dense{}, nil, -1, -1, 0},
		{"no labels", good, nil, 0, -1, 0},
		{"too few labels", good, labels[1:], n - 1, -1, float64(n - 1)},
		{"too many labels", good, append(slices.Clone(labels), 0), n, -1, float64(n + 1)},
	} {
		m, _, err := s.Fit(bg, mpcvm.Samples{X: tt.x, T: tt.t})
		bad, ok := errors.AsType[*mpcvm.CellError](err)
		if !ok || m != nil {
			t.Errorf("%s: classifier %v and error %v, want only a *mpcvm.CellError", tt.name, m, err)
			continue
		}
		if int(bad.Row) != tt.row+1 || bad.Column != tt.col+1 || fmt.Sprint(bad.Value) != fmt.Sprint(tt.value) {
			t.Errorf("%s: %v at row %d, column %d, want %v at %d, %d", tt.name, bad.Value, bad.Row, bad.Column,
				tt.value, tt.row+1, tt.col+1)
		}
	}
}

// fitTwice: a second fit gives the same bits, also after another fit in between. Input and options
// do not change.
func fitTwice(t *testing.T, s System) {
	x, labels := usual()
	xBefore, labelsBefore, options := mat.DenseCopyOf(x), slices.Clone(labels), fmt.Sprintf("%#v", s.Options)
	a, ra := fit(t, s, x, labels)
	oa := outputOf(a, fresh())
	other, otherLabels := clusters(24, 4, 1, 9)
	fit(t, s, other, otherLabels)
	b, rb := fit(t, s, x, labels)
	same(t, "two fits", oa, outputOf(b, fresh()))
	same(t, "one model, asked twice", oa, outputOf(a, fresh()))
	if ra.Status != rb.Status || ra.Iterations != rb.Iterations ||
		math.Float64bits(ra.Objective) != math.Float64bits(rb.Objective) ||
		math.Float64bits(ra.LogLik) != math.Float64bits(rb.LogLik) {
		t.Errorf("two fits: %v after %d at %v, then %v after %d at %v",
			ra.Status, ra.Iterations, ra.Objective, rb.Status, rb.Iterations, rb.Objective)
	}
	if !mat.Equal(x, xBefore) || !slices.Equal(labels, labelsBefore) {
		t.Error("the fit changed its input")
	}
	if after := fmt.Sprintf("%#v", s.Options); after != options {
		t.Errorf("the fit changed its options: %s, now %s", options, after)
	}
	// The model keeps copies of its input.
	x.Zero()
	clear(labels)
	same(t, "after the input was overwritten", oa, outputOf(b, fresh()))
}

// cores: one core and four give the same bits.
func cores(t *testing.T, s System) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	x, labels := clusters(100, 4, 0.8, 3)
	a, _ := fit(t, s, x, labels)
	oa := outputOf(a, fresh())
	runtime.GOMAXPROCS(4)
	b, _ := fit(t, s, x, labels)
	same(t, "on four cores", oa, outputOf(b, fresh()))
}

// anyMatrix: x may be any matrix, in Fit and in Predict.
func anyMatrix(t *testing.T, s System) {
	x, labels := usual()
	n, d := x.Dims()
	wide := mat.NewDense(n+2, d+3, nil)
	part := wide.Slice(1, n+1, 2, d+2).(*mat.Dense) // rows are not contiguous
	part.Copy(x)
	transposed := mat.DenseCopyOf(x.T()).T()
	m := s.fitted
	o := outputOf(m, x)
	for about, y := range map[string]mat.Matrix{"a transpose": transposed, "a part": part} {
		same(t, "predicting "+about, o, outputOf(m, y))
		b, _ := fit(t, s, y, labels)
		same(t, "fitting "+about, o, outputOf(b, x))
	}
}

// rowOrder: the order of the samples does not matter.
func rowOrder(t *testing.T, s System) {
	x, labels := usual()
	n, d := x.Dims()
	y, permuted := mat.NewDense(n, d, nil), make([]int, n)
	for i, k := range rand.New(rand.NewPCG(4, 0)).Perm(n) {
		y.SetRow(i, x.RawRowView(k))
		permuted[i] = labels[k]
	}
	b, _ := fit(t, s, y, permuted)
	s.close(t, "rows in another order", outputOf(s.fitted, fresh()), outputOf(b, fresh()), s.RowOrder)
}

// classOrder: renumbering the classes renumbers the predictions.
func classOrder(t *testing.T, s System) {
	for _, perm := range [][]int{{2, 0, 1}, {1, 0}} { // new number of each class
		x, labels := clusters(60, len(perm), 0.8, 1)
		renamed := make([]int, len(labels))
		for i, l := range labels {
			renamed[i] = perm[l]
		}
		a, _ := fit(t, s, x, labels)
		b, _ := fit(t, s, x, renamed)
		s.close(t, fmt.Sprintf("%d classes renumbered", len(perm)), outputOf(a, fresh()),
			outputOf(b, fresh()).numbered(perm), s.ClassOrder)
	}
}

// numbered returns the output with each class c renumbered to perm[c].
func (o output) numbered(perm []int) output {
	back := output{make([]int, len(o.labels)), mat.NewDense(len(o.labels), len(perm), nil)}
	for i, l := range o.labels {
		back.labels[i] = slices.Index(perm, l)
		for k, c := range perm {
			back.p.Set(i, k, o.p.At(i, c))
		}
	}
	return back
}

// featureOrder: the order of the features does not matter.
func featureOrder(t *testing.T, s System) {
	perm := []int{1, 2, 0}
	permuted := func(x *mat.Dense) *mat.Dense {
		n, _ := x.Dims()
		y := mat.NewDense(n, len(perm), nil)
		for j, d := range perm {
			y.SetCol(j, mat.Col(nil, d, x))
		}
		return y
	}
	x, labels := usual()
	random := rand.New(rand.NewPCG(12, 0))
	noise := func() float64 { return 0.4 * random.NormFloat64() }
	x, xNew := withColumn(x, noise), withColumn(fresh(), noise)
	a, _ := fit(t, s, x, labels)
	b, _ := fit(t, s, permuted(x), labels)
	s.close(t, "features in another order", outputOf(a, xNew), outputOf(b, permuted(xNew)), s.RowOrder)
}

// learnable: the error on an easy problem is small.
func learnable(t *testing.T, s System) {
	for _, c := range []int{2, 3, 4} {
		x, labels := clusters(48, c, 0.35, 5)
		xNew, truth := clusters(300, c, 0.35, 6)
		m, _ := fit(t, s, x, labels)
		if m.Classes() != c {
			t.Errorf("%d classes, the model has %d", c, m.Classes())
		}
		o := outputOf(m, xNew)
		wellFormed(t, "learnable", o, 300, c)
		if e := must.Get(score.ErrorRate(o.labels, truth))(t); e > 0.05 { // the Bayes error is below 0.01
			t.Errorf("%d classes: error %.3f", c, e)
		}
	}
}

// constantFeature: a constant feature has no effect.
func constantFeature(t *testing.T, s System) {
	x, labels := usual()
	for _, value := range []float64{0, 1} {
		constant := func() float64 { return value }
		b, _ := fit(t, s, withColumn(x, constant), labels)
		s.close(t, fmt.Sprintf("with a feature that is %v", value),
			outputOf(s.fitted, fresh()), outputOf(b, withColumn(fresh(), constant)), s.RowOrder)
	}
}

// fewSamples: classes with one sample are allowed. A system that cross-validates requires that most
// samples are not the only ones of their class.
func fewSamples(t *testing.T, s System) {
	for _, n := range []int{7, 5, 2} {
		x, labels := clusters(n, min(n, 5), 0.5, 8)
		if s.CrossValidates && n <= 5 {
			m, _, err := s.Fit(bg, mpcvm.Samples{X: x, T: labels})
			if bad := new(mpcvm.CellError); m != nil || !errors.As(err, &bad) {
				t.Errorf("%d classes of one sample: %v, error %v, want a *mpcvm.CellError", n, m, err)
			}
			continue
		}
		m, _ := fit(t, s, x, labels)
		wellFormed(t, fmt.Sprintf("%d samples of %d classes", n, min(n, 5)), outputOf(m, x), n, min(n, 5))
	}
}

// allEqual: equal samples are allowed, and the probability of each class is near its frequency.
func allEqual(t *testing.T, s System) {
	x, labels := mat.NewDense(30, 2, nil), make([]int, 30)
	for i := range labels {
		x.SetRow(i, []float64{1, -1})
		labels[i] = i % 3
	}
	m, _ := fit(t, s, x, labels)
	o := outputOf(m, x)
	wellFormed(t, "all equal", o, 30, 3)
	for c, p := range o.p.RawRowView(0) {
		if math.Abs(p-1.0/3) > 0.15 {
			t.Errorf("class %d has a third of the samples and probability %v", c, p)
		}
	}
}

// kernels: a precomputed kernel gives the same results, a kernel that is NaN or is for another number of
// features is an error, and a kernel that is always zero is allowed.
func kernels(t *testing.T, s System) {
	if s.WithKernel == nil {
		t.Skip("no kernel")
	}
	x, labels := usual()
	n, d := x.Dims()
	both := mat.NewDense(n+40, d, nil)
	both.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
	both.Slice(n, n+40, 0, d).(*mat.Dense).Copy(fresh())
	rbf := kernel.RBF{Theta: 0.7}
	computed := s.WithKernel(kernel.Precomputed{K: kernel.Cross(nil, rbf, both, x)})
	rows := kernel.Indices(n + 40)
	a, _ := fit(t, s.WithKernel(rbf), x, labels)
	b, _ := fit(t, computed, rows.Slice(0, n, 0, 1), labels)
	s.close(t, "kernel computed before", outputOf(a, fresh()), outputOf(b, rows.Slice(n, n+40, 0, 1)), 1e-9)

	nan := kernel.Func{Name: "nan", F: func(_, _ []float64) float64 { return math.NaN() }}
	for _, bad := range []struct {
		k    kernel.Kernel
		says string
	}{
		{nan, ""}, {kernel.RBF{Theta: -1}, ""}, {kernel.RBF{Theta: math.NaN()}, ""},
		{kernel.RBF{Theta: math.Inf(1)}, ""},
		{kernel.Precomputed{K: mat.NewDense(n, n, nil)}, "1"},
		{kernel.ARD{Theta: []float64{1, 1, 1, 1, 1}}, "5"}, // features, but there are two
	} {
		m, _, err := s.WithKernel(bad.k).Fit(bg, mpcvm.Samples{X: x, T: labels})
		if err == nil || m != nil || !strings.Contains(err.Error(), bad.says) ||
			bad.says != "" && !strings.Contains(err.Error(), fmt.Sprint(d)) {
			t.Errorf("kernel %v: error %v", bad.k, err)
		}
	}
	zero := kernel.Func{Name: "zero", F: func(_, _ []float64) float64 { return 0 }}
	m, _ := fit(t, s.WithKernel(zero), x, labels)
	wellFormed(t, "zero kernel", outputOf(m, x), n, 3)
}
