package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// random returns n samples with d standard normal features, as a view of a larger
// matrix, so that the stride is not d.
func random(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, seed))
	x := mat.NewDense(n, d+3, nil)
	for i := range n {
		for j := range d + 3 {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x.Slice(0, n, 0, d).(*mat.Dense)
}

// kernels returns kernels of all types for samples with d features.
func kernels(d int) []kernel.Kernel {
	theta := make([]float64, d)
	for i := range theta {
		theta[i] = float64(i%3) / 2
	}
	theta[0] = 0.1
	return []kernel.Kernel{
		kernel.RBF{Theta: 0.3}, kernel.Laplacian{Theta: 0.2}, kernel.ARD{Theta: theta}, kernel.LaplacianARD{
			Theta: theta}, kernel.RationalLaplacianARD{Theta: theta}, kernel.Matern32ARD{
			Theta: theta}, kernel.Matern52ARD{Theta: theta},
		kernel.Linear{Offset: -0.5}, kernel.Polynomial{Degree: 5, Scale: 0.1, Offset: 1}, kernel.Polynomial{},
		kernel.Func{Name: "cosine", F: func(x, y []float64) float64 {
			v := 0.0
			for i := range x {
				v += math.Cos(x[i] - y[i])
			}
			return v
		}},
		kernel.Matern32{Theta: 0.3}, kernel.Matern52{Theta: 0.3}, kernel.RationalQuadratic{
			Theta: 0.3}, kernel.RationalQuadratic{Theta: 0.2, Alpha: 2.7},
		kernel.RationalLaplacian{Theta: 0.3},
	}
}

// truth evaluates the definition of the kernel term by term, with any rounding.
func truth(k kernel.Kernel, x, y []float64) float64 {
	var squares, absolute, product, weighted float64
	for i := range x {
		d := x[i] - y[i]
		squares += d * d
		absolute += math.Abs(d)
		product += x[i] * y[i]
		switch k := k.(type) {
		case kernel.ARD:
			weighted += k.Theta[i] * d * d
		case kernel.Matern32ARD:
			weighted += k.Theta[i] * d * d
		case kernel.Matern52ARD:
			weighted += k.Theta[i] * d * d
		case kernel.LaplacianARD:
			weighted += k.Theta[i] * math.Abs(d)
		case kernel.RationalLaplacianARD:
			weighted += k.Theta[i] * math.Abs(d)
		}
	}
	switch k := k.(type) {
	case kernel.RBF:
		return math.Exp(-k.Theta * squares)
	case kernel.Laplacian:
		return math.Exp(-k.Theta * absolute)
	case kernel.ARD, kernel.LaplacianARD:
		return math.Exp(-weighted)
	case kernel.Matern32:
		a := math.Sqrt(6 * k.Theta * squares)
		return (1 + a) * math.Exp(-a)
	case kernel.Matern52:
		a := math.Sqrt(10 * k.Theta * squares)
		return (1 + a + a*a/3) * math.Exp(-a)
	case kernel.RationalQuadratic:
		if k.Alpha == 0 {
			k.Alpha = 1
		}
		return math.Pow(1+k.Theta*squares/k.Alpha, -k.Alpha)
	case kernel.Matern32ARD:
		a := math.Sqrt(6 * weighted)
		return (1 + a) * math.Exp(-a)
	case kernel.Matern52ARD:
		a := math.Sqrt(10 * weighted)
		return (1 + a + a*a/3) * math.Exp(-a)
	case kernel.RationalLaplacianARD:
		return 1 / (1 + weighted)
	case kernel.RationalLaplacian:
		return 1 / (1 + k.Theta*absolute)
	case kernel.Linear:
		return product + k.Offset
	case kernel.Polynomial:
		if k.Degree == 0 {
			k.Degree, k.Scale = 2, 1
		}
		return math.Pow(k.Scale*product+k.Offset, float64(k.Degree))
	default:
		return k.Value(x, y)
	}
}

// The matrices agree with Value in every bit, and Value agrees with its definition.
func TestMatrices(t *testing.T) {
	for _, d := range []int{1, 2, 13} {
		x, y := random(37, d, 1), random(22, d, 2)
		y.SetRow(5, slices.Clone(x.RawRowView(4)))
		for _, k := range kernels(d) {
			cross, gram := kernel.Cross(nil, k, x, y), kernel.Gram(nil, k, x)
			for i := range 37 {
				for j := range 22 {
					xi, yj := x.RawRowView(i), y.RawRowView(j)
					v := k.Value(xi, yj)
					if cross.At(i, j) != v || k.Value(yj, xi) != v {
						t.Fatalf("%v: Cross %v, Value %v, exchanged %v", k, cross.At(i, j), v, k.Value(yj, xi))
					}
					if want := truth(k, xi, yj); math.Abs(v-want) > 1e-13*(1+math.Abs(want)) {
						t.Fatalf("%v: %v, want %v", k, v, want)
					}
				}
				for j := range 37 {
					if v := k.Value(x.RawRowView(i), x.RawRowView(j)); gram.At(i, j) != v {
						t.Fatalf("%v: Gram %v, Value %v", k, gram.At(i, j), v)
					}
				}
			}
			_, d := y.Dims()
			for m := 1; m < 9; m++ { // every remainder of a division by eight
				row := kernel.NewRows(k, y.Slice(0, m, 0, d).(*mat.Dense)).At(nil, x.RawRowView(0))
				if !slices.Equal(row, cross.RawRowView(0)[:m]) {
					t.Fatalf("%v: At of %d: %v", k, m, row)
				}
			}
		}
	}
}

func TestSameBitsOnAnyNumberOfCores(t *testing.T) {
	x := random(200, 5, 3)
	for _, k := range kernels(5) {
		many := kernel.Gram(nil, k, x)
		old := runtime.GOMAXPROCS(1)
		one := kernel.Gram(nil, k, x)
		runtime.GOMAXPROCS(old)
		if !mat.Equal(many, one) {
			t.Errorf("%v: the number of cores changes Gram", k)
		}
	}
}

// Kernels that are equal by definition agree.
func TestEquivalences(t *testing.T) {
	x, y := random(20, 4, 4), random(9, 4, 5)
	for _, tt := range []struct{ a, b kernel.Kernel }{
		{kernel.RBF{Theta: 0.7}, kernel.ARD{Theta: []float64{0.7, 0.7, 0.7, 0.7}}},
		{kernel.Laplacian{Theta: 0.7}, kernel.LaplacianARD{Theta: []float64{0.7, 0.7, 0.7, 0.7}}},
		{kernel.RationalLaplacian{Theta: 0.7}, kernel.RationalLaplacianARD{Theta: []float64{0.7, 0.7, 0.7, 0.7}}},
		{kernel.Linear{Offset: 2}, kernel.Polynomial{Degree: 1, Offset: 2}},
		{kernel.Polynomial{}, kernel.Polynomial{Degree: 2, Scale: 1}},
		{kernel.RBF{Theta: 0.7}, kernel.Func{F: kernel.RBF{Theta: 0.7}.Value}},
		{kernel.RBF{Theta: 0.7}, kernel.RationalQuadratic{Theta: 0.7, Alpha: 1e17}},
		{kernel.RationalQuadratic{Theta: 0.7}, kernel.RationalQuadratic{Theta: 0.7, Alpha: 1}},
		{kernel.RBF{Theta: 0.7},
			kernel.Func{F: func(x, y []float64) float64 { return kernel.RBF{Theta: 7}.Value(shrunk(x), shrunk(y)) }}},
	} {
		if a, b := kernel.Cross(nil, tt.a, x, y), kernel.Cross(nil, tt.b, x, y); !mat.EqualApprox(a, b, 1e-14) {
			t.Errorf("%v and %v differ", tt.a, tt.b)
		}
	}
}

func shrunk(x []float64) []float64 {
	s := make([]float64, len(x))
	for i, v := range x {
		s[i] = v / math.Sqrt(10)
	}
	return s
}

// The exponential kernels stay within [0, 1] for all samples.
func TestExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	far, zero, near := []float64{1e300, -1.7e308}, []float64{0, 0}, []float64{-1e300, 1.7e308}
	for _, theta := range []float64{0, 5e-324, 1e-300, 0.1, 1e300, math.MaxFloat64, inf} {
		for _, k := range []kernel.Kernel{
			kernel.RBF{Theta: theta}, kernel.Laplacian{Theta: theta},
			kernel.ARD{Theta: []float64{theta, theta}}, kernel.ARD{Theta: []float64{0, theta}}, kernel.ARD{
				Theta: []float64{theta, inf}},
			kernel.LaplacianARD{Theta: []float64{theta, theta}}, kernel.LaplacianARD{Theta: []float64{0,
				theta}}, kernel.LaplacianARD{Theta: []float64{theta, inf}},
			kernel.Matern32{Theta: theta}, kernel.Matern52{Theta: theta}, kernel.RationalQuadratic{
				Theta: theta}, kernel.RationalQuadratic{Theta: theta, Alpha: 1e300}, kernel.RationalQuadratic{
				Theta: theta, Alpha: 1e-300},
			kernel.RationalLaplacian{Theta: theta},
		} {
			samples := mat.NewDense(5, 2, slices.Concat(far, zero, near, []float64{1e-320, 1}, []float64{1, 1e-320}))
			gram := kernel.Gram(nil, k, samples)
			for i := range 5 {
				for j := range 5 {
					v := gram.At(i, j)
					if !(v >= 0 && v <= 1) || i == j && v != 1 {
						t.Errorf("%v of %v and %v: %v", k, samples.RawRowView(i), samples.RawRowView(j), v)
					}
					if got := k.Value(samples.RawRowView(i), samples.RawRowView(j)); got != v {
						t.Errorf("%v: Gram %v, Value %v", k, v, got)
					}
				}
			}
			if v := k.Value([]float64{nan, 1}, zero); !math.IsNaN(v) {
				t.Errorf("%v of NaN: %v", k, v)
			}
		}
	}
	for _, tt := range []struct {
		k    kernel.Kernel
		x, y []float64
		want float64
	}{
		{kernel.RBF{Theta: 1}, far, zero, 0},
		{kernel.RBF{}, far, near, 1},
		{kernel.RBF{Theta: inf}, far, far, 1},
		{kernel.RBF{Theta: inf}, []float64{1, 0}, zero, 0},
		{kernel.Laplacian{}, far, near, 1},
		{kernel.Matern32{Theta: 1}, far, zero, 0},
		{kernel.Matern32{}, far, near, 1},
		{kernel.Matern52{Theta: 1}, far, zero, 0},
		{kernel.Matern52{}, far, near, 1},
		{kernel.RationalQuadratic{Theta: 1}, far, zero, 0},
		{kernel.RationalQuadratic{}, far, near, 1},
		{kernel.RationalLaplacian{Theta: 1}, []float64{1.7e308, -1.7e308}, zero, 0},
		{kernel.RationalLaplacian{Theta: 1}, []float64{1e200, 0}, zero, 1e-200},
		{kernel.RationalLaplacian{}, far, near, 1},
		{kernel.RationalLaplacian{Theta: inf}, far, far, 1},
		{kernel.RationalLaplacian{Theta: inf}, []float64{5e-324, 0}, zero, 0},
		{kernel.ARD{Theta: []float64{0, 1}}, []float64{1e308, 2}, []float64{-1e308, 2}, 1},
		{kernel.ARD{Theta: []float64{inf, 1}}, []float64{7, 3}, []float64{7, 2}, math.Exp(-1)},
		{kernel.LaplacianARD{Theta: []float64{0, 1}}, []float64{1.7e308, 2}, []float64{-1.7e308, 2}, 1},
		{kernel.LaplacianARD{Theta: []float64{inf, 1}}, []float64{7, 3}, []float64{7, 2}, math.Exp(-1)},
		{kernel.Polynomial{Degree: 1 << 40}, []float64{1, 1}, []float64{1, 0}, 1},
		{kernel.Polynomial{Degree: 3}, []float64{1e300, 0}, []float64{1e300, 0}, inf},
	} {
		if v := tt.k.Value(tt.x, tt.y); v != tt.want {
			t.Errorf("%v of %v and %v: %v, want %v", tt.k, tt.x, tt.y, v, tt.want)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		k   kernel.Kernel
		say string // "" if it is valid
	}{
		{kernel.RBF{Theta: 0.1}, ""},
		{kernel.RBF{}, "Theta"},
		{kernel.RBF{Theta: -1}, "-1"},
		{kernel.RBF{Theta: math.NaN()}, "NaN"},
		{kernel.Laplacian{Theta: 1}, ""},
		{kernel.Laplacian{Theta: math.Inf(1)}, "Theta"},
		{kernel.ARD{Theta: []float64{0, 1}}, ""},
		{kernel.ARD{}, "Theta"},
		{kernel.ARD{Theta: []float64{0, 0}}, "Theta"},
		{kernel.ARD{Theta: []float64{1, -2}}, "Theta[1]"},
		{kernel.ARD{Theta: []float64{math.NaN()}}, "Theta"},
		{kernel.LaplacianARD{Theta: []float64{0, 1}}, ""},
		{kernel.LaplacianARD{}, "Theta"},
		{kernel.RationalLaplacianARD{}, "Theta"},
		{kernel.LaplacianARD{Theta: []float64{1, -2}},
			"Theta[1]"},
		{kernel.Matern32{Theta: 1}, ""},
		{kernel.Matern32{}, "Theta"},
		{kernel.Matern52{Theta: 1}, ""},
		{kernel.Matern52{Theta: -1}, "Theta"},
		{kernel.RationalQuadratic{Theta: 1}, ""},
		{kernel.RationalQuadratic{Theta: 1, Alpha: -1}, "Alpha"},
		{kernel.RationalQuadratic{Alpha: 1}, "Theta"},
		{kernel.RationalLaplacian{Theta: 1}, ""},
		{kernel.RationalLaplacian{}, "Theta"},
		{kernel.RationalLaplacian{Theta: math.Inf(1)}, "+Inf"},
		{kernel.Linear{}, ""},
		{kernel.Linear{Offset: -5}, "Offset"},
		{kernel.Polynomial{Offset: -1e-9}, "Offset"},
		{kernel.Linear{Offset: math.Inf(-1)}, "Offset"},
		{kernel.Polynomial{}, ""},
		{kernel.Polynomial{Degree: -2}, "Degree"},
		{kernel.Polynomial{Scale: -2}, "Scale"},
		{kernel.Polynomial{Offset: math.NaN()}, "Offset"},
		{kernel.Func{F: kernel.RBF{}.Value}, ""},
		{kernel.Func{Name: "mine"}, "mine: F is nil"},
		{kernel.Precomputed{K: mat.NewDense(2, 2, nil)}, ""},
		{kernel.Precomputed{}, "K is nil"},
		{kernel.Precomputed{K: &mat.Dense{}}, "0×0"},
		{kernel.Precomputed{K: mat.NewDense(1, 2, []float64{1, math.Inf(1)})}, "K[0,1]"},
		{plain{}, ""},
		{nil, "kernel is nil"},
	} {
		err := kernel.Validate(tt.k)
		switch {
		case (err == nil) != (tt.say == ""):
			t.Errorf("%v: %v", tt.k, err)
		case err != nil && (!strings.Contains(err.Error(), tt.say) || !strings.HasPrefix(err.Error(), "kernel: ")):
			t.Errorf("%v: %v, want %q", tt.k, err, tt.say)
		}
	}
}

// plain is a kernel without optional methods.
type plain struct{}

func (plain) Value(_, _ []float64) float64 { return 1 }
func (plain) String() string               { return "plain" }

func TestPanics(t *testing.T) {
	x, y := random(3, 2, 6), random(3, 4, 7)
	for name, f := range map[string]func(){
		"features":  func() { kernel.Cross(nil, kernel.RBF{}, x, y) },
		"rows":      func() { kernel.NewRows(kernel.RBF{}, x).At(nil, []float64{1}) },
		"rows dst":  func() { kernel.NewRows(kernel.RBF{}, x).At(make([]float64, 2), []float64{1, 2}) },
		"rows ard":  func() { kernel.NewRows(kernel.ARD{Theta: []float64{1}}, x) },
		"rows lard": func() { kernel.NewRows(kernel.LaplacianARD{Theta: []float64{1}}, x) },
		"too long":  func() { kernel.NewRows(kernel.RBF{}, x).At(make([]float64, 4), []float64{1, 2}) },
		"shape":     func() { kernel.Gram(mat.NewDense(2, 3, nil), kernel.RBF{}, x) },
		"ard":       func() { kernel.Gram(nil, kernel.ARD{Theta: []float64{1}}, x) },
		"ard value": func() {
			kernel.ARD{Theta: []float64{1, 2, 3}}.Value(x.RawRowView(0), x.RawRowView(1))
		},
		"laplacian ard value": func() {
			kernel.LaplacianARD{Theta: []float64{1, 2, 3}}.Value(x.RawRowView(0), x.RawRowView(1))
		},
		"not index": func() { kernel.Precomputed{K: x}.Value([]float64{0.5}, []float64{0}) },
		"beyond":    func() { kernel.Precomputed{K: x}.Value([]float64{0}, []float64{2}) },
		"vast":      func() { kernel.Precomputed{K: x}.Value([]float64{1e300}, []float64{0}) },
		"many":      func() { kernel.Precomputed{K: x}.Value([]float64{1, 2}, []float64{0, 1}) },
	} {
		func() {
			defer func() {
				if r := recover(); !strings.HasPrefix(fmt.Sprint(r), "kernel: ") {
					t.Errorf("%s: %v", name, r)
				}
			}()
			f()
		}()
	}
}

func TestPrecomputed(t *testing.T) {
	all, train := random(12, 3, 8), 8
	rbf := kernel.RBF{Theta: 0.4}
	want := kernel.Gram(nil, rbf, all)
	k := kernel.Precomputed{K: want.Slice(0, 12, 0, train)}
	index := kernel.Indices(12)
	got := kernel.Cross(nil, k, index, kernel.Indices(train))
	if !mat.Equal(got, want.Slice(0, 12, 0, train)) {
		t.Error("Cross does not return K")
	}
	if !mat.Equal(kernel.Gram(nil, k, kernel.Indices(train)), want.Slice(0, train, 0, train)) {
		t.Error("Gram does not return K")
	}
	if v := k.Value([]float64{math.NaN()}, []float64{0}); !math.IsNaN(v) {
		t.Errorf("Value of NaN: %v", v)
	}
}

func TestMedians(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 4}) // distances 1, 3, 4
	must.Equal(t, (kernel.RBF{}).MedianTheta(x), 1./9)
	must.Equal(t, (kernel.Laplacian{}).MedianTheta(x), 1./3)
	must.Equal(t, (kernel.RBF{}).MedianTheta(mat.NewDense(4, 2, nil)), 1)
}

func TestAtDoesNotAllocate(t *testing.T) {
	x := random(50, 4, 9)
	row := make([]float64, 50)
	for _, k := range kernels(4) {
		rows := kernel.NewRows(k, x)
		if n := testing.AllocsPerRun(20, func() { rows.At(row, x.RawRowView(0)) }); n != 0 {
			t.Errorf("%v: %v allocations", k, n)
		}
	}
}

// A similarity of strings, which do not have features, is used as a kernel.
func ExamplePrecomputed() {
	words := []string{"kernel", "colonel", "kennel", "matrix"}
	k := mat.NewDense(4, 4, nil)
	for i, a := range words {
		for j, b := range words {
			shared := 0.0
			for _, r := range "abcdefghijklmnopqrstuvwxyz" {
				shared += float64(min(strings.Count(a, string(r)), strings.Count(b, string(r))))
			}
			k.Set(i, j, shared/math.Sqrt(float64(len(a)*len(b))))
		}
	}
	words4 := kernel.Precomputed{K: k} // pass this to a learner as its Kernel
	x := kernel.Indices(4)             // and the indices as the samples
	fmt.Println(words4, mat.Row(nil, 0, x), mat.Row(nil, 2, x))
	fmt.Printf("%.2f\n", words4.Value(x.RawRowView(0), x.RawRowView(2)))
	// Output:
	// precomputed(4×4) [0] [2]
	// 0.83
}

func ExampleFunc() {
	cosine := kernel.Func{Name: "cosine", F: func(x, y []float64) float64 {
		var xy, xx, yy float64
		for i := range x {
			xy, xx, yy = xy+x[i]*y[i], xx+x[i]*x[i], yy+y[i]*y[i]
		}
		return xy / math.Sqrt(xx*yy)
	}}
	fmt.Println(cosine, cosine.Value([]float64{3, 0}, []float64{3, 4}))
	// Output: cosine 0.6
}

// The functions are rougher than with an RBF kernel, so near samples differ more.
func ExampleMatern32() {
	x, near := []float64{0, 0}, []float64{0.1, 0}
	fmt.Printf("%.4f %.4f\n", kernel.Matern32{Theta: 0.5}.Value(x, near), kernel.RBF{Theta: 0.5}.Value(x, near))
	// Output: 0.9866 0.9950
}

func ExampleMatern52() {
	k := kernel.Matern52{Theta: 0.5} // length scale 1
	fmt.Printf("%v %.4f\n", k, k.Value([]float64{0, 0}, []float64{0, 1}))
	// Output: matern52(theta=0.5) 0.5240
}

// Distant samples have a larger value than with an RBF kernel.
func ExampleRationalQuadratic() {
	x, far := []float64{0, 0}, []float64{0, 10}
	fmt.Printf("%.1e %.1e\n", kernel.RationalQuadratic{Theta: 0.5}.Value(x, far), kernel.RBF{Theta: 0.5}.Value(x,
		far))
	// Output: 2.0e-02 1.9e-22
}

// Near samples have about the same value as with a Laplacian kernel, and distant samples a
// larger one.
func ExampleRationalLaplacian() {
	x, near, far := []float64{0, 0}, []float64{0.1, 0}, []float64{0, 40}
	for _, k := range []kernel.Kernel{kernel.RationalLaplacian{Theta: 0.5}, kernel.Laplacian{Theta: 0.5}} {
		fmt.Printf("%.3f %.1e\n", k.Value(x, near), k.Value(x, far))
	}
	// Output:
	// 0.952 4.8e-02
	// 0.951 2.1e-09
}
