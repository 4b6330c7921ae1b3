package kernel_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// radial returns the kernels that depend on a distance, for four features.
func radial(theta float64) []kernel.Kernel {
	widths := []float64{theta, 0.5 * theta, 2 * theta, theta}
	return []kernel.Kernel{
		kernel.RBF{Theta: theta}, kernel.Laplacian{Theta: theta}, kernel.ARD{Theta: widths}, kernel.LaplacianARD{
			Theta: widths},
	}
}

// smooth returns the other kernels that depend on a distance.
func smooth(theta float64) []kernel.Kernel {
	return []kernel.Kernel{
		kernel.Matern32{Theta: theta}, kernel.Matern52{Theta: theta},
		kernel.RationalQuadratic{Theta: theta}, kernel.RationalQuadratic{Theta: theta,
			Alpha: 0.1}, kernel.RationalQuadratic{Theta: theta, Alpha: 30},
		kernel.RationalLaplacian{Theta: theta},
	}
}

// TestPositiveSemidefinite: the Gram matrix of distinct or repeated samples is symmetric and has
// no negative eigenvalues, except by rounding.
func TestPositiveSemidefinite(t *testing.T) {
	x := random(60, 4, 11)
	for i := 40; i < 60; i++ {
		x.SetRow(i, x.RawRowView(i-40))
	}
	for _, k := range slices.Concat(radial(0.01), radial(0.3), radial(5), smooth(0.01), smooth(0.3), smooth(5),
		[]kernel.Kernel{kernel.Linear{}, kernel.Linear{Offset: 1}, kernel.Polynomial{}, kernel.Polynomial{Degree: 3,
			Scale: 0.25, Offset: 1}}) {
		gram := kernel.Gram(nil, k, x)
		if !mat.Equal(gram, gram.T()) {
			t.Errorf("%v: not symmetric", k)
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(60, gram.RawMatrix().Data), false) {
			t.Fatalf("%v: the eigenvalues cannot be computed", k)
		}
		values := eigen.Values(nil)
		if least, largest := values[0], values[59]; least < -1e-13*largest {
			t.Errorf("%v: eigenvalues from %g to %g", k, least, largest)
		}
	}
}

// TestLimits: a very wide kernel is one everywhere, to first order in theta. A very narrow one is
// zero except for equal samples.
func TestLimits(t *testing.T) {
	x := random(30, 4, 12)
	const theta = 1e-9
	for i, k := range radial(theta) {
		unit := radial(1)[i]
		wide, narrow := kernel.Gram(nil, k, x), kernel.Gram(nil, radial(1e9)[i], x)
		for a := range 30 {
			for b := range 30 {
				u := unit.Value(x.RawRowView(a), x.RawRowView(b))
				distance := -math.Log(u)
				if got := 1 - wide.At(a, b); u > 0 && math.Abs(got-theta*distance) > 1e-15+1e-8*theta*distance {
					t.Errorf("%v: 1 − k is %g at distance %g", k, got, distance)
				}
				want := 0.0
				if a == b {
					want = 1
				}
				if got := narrow.At(a, b); got != want {
					t.Errorf("%v, narrow: %g", k, got)
				}
			}
		}
	}
}

// TestDistance: a kernel that depends on a distance is invariant to translations and to the order
// of the features, and falls with the distance.
func TestDistance(t *testing.T) {
	x := []float64{0.5, -1, 2, 0.25}
	step := []float64{0.25, 0.5, -0.75, 1}
	for _, k := range slices.Concat(radial(0.5), smooth(0.5)) {
		last := 1.0
		for far := range 8 {
			y, xFar, yFar := slices.Clone(x), slices.Clone(x), slices.Clone(x)
			for d := range y {
				y[d] += float64(far) * step[d]
				xFar[d] += 8 // exact
				yFar[d] = y[d] + 8
			}
			v := k.Value(x, y)
			if far == 0 && v != 1 || far > 0 && !(v < last) {
				t.Errorf("%v: %g, then %g", k, last, v)
			}
			if got := k.Value(xFar, yFar); got != v {
				t.Errorf("%v: %g, and %g after a translation", k, v, got)
			}
			last = v
		}
	}
	y := random(1, 4, 13).RawRowView(0)
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.5}, kernel.Laplacian{Theta: 0.5},
		kernel.Linear{Offset: 1}, kernel.Polynomial{Degree: 3}} {
		a, b := slices.Clone(x), slices.Clone(y)
		slices.Reverse(a)
		slices.Reverse(b)
		if v, w := k.Value(x, y), k.Value(a, b); math.Abs(v-w) > 1e-14*math.Abs(v) {
			t.Errorf("%v: %g, and %g with the features reversed", k, v, w)
		}
	}
}

// TestNegativeOffset: with a negative Offset, which Validate rejects, the matrix of x and −x has a
// negative eigenvalue.
func TestNegativeOffset(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{0.1, -0.1})
	for _, k := range []kernel.Kernel{kernel.Linear{Offset: -5}, kernel.Polynomial{Offset: -1},
		kernel.Polynomial{Degree: 3, Offset: -1}} {
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(2, kernel.Gram(nil, k, x).RawMatrix().Data), false) ||
			eigen.Values(nil)[0] > -0.01 {
			t.Errorf("%v: eigenvalues %v", k, eigen.Values(nil))
		}
		if kernel.Validate(k) == nil {
			t.Errorf("%v is accepted", k)
		}
	}
}

// TestSmallDistance: for small sums, the kernels fall as the Taylor series of their formulas.
func TestSmallDistance(t *testing.T) {
	const s = 1e-10 // so that terms of higher order can be neglected
	for k, slope := range map[kernel.Kernel]float64{
		kernel.Matern32{Theta: 0.5}: 1.5, kernel.Matern52{Theta: 0.5}: 2.5 /
			3, kernel.RationalQuadratic{Theta: 0.5}: 0.5,
		kernel.RationalQuadratic{Theta: 0.5, Alpha: 1e12}: 0.5, kernel.RationalQuadratic{Theta: 0.5,
			Alpha: 0.01}: 0.5,
		kernel.RationalLaplacian{Theta: 0.5}: 0.5,
	} {
		y := []float64{math.Sqrt(s)}
		if k.(kernel.OfSum).Sum().Kind == kernel.Absolutes {
			y[0] = s
		}
		if got := (1 - k.Value([]float64{0}, y)) / s; math.Abs(got-slope) > 3e-5*slope {
			t.Errorf("%v: slope %v, want %v", k, got, slope)
		}
	}
}

// TestFall: Fall returns the slope of the profile of a stationary kernel at any distance.
func TestFall(t *testing.T) {
	for _, k := range []kernel.PerFeature{
		kernel.RBF{Theta: 1}, kernel.Laplacian{Theta: 1}, kernel.RationalLaplacian{Theta: 1}, kernel.Matern32{
			Theta: 1}, kernel.Matern52{Theta: 1},
	} {
		const h = 1e-5
		for _, s := range []float64{0.01, 0.3, 1, 4} {
			v := []float64{s - h, s, s + h}
			k.Sum().Values(v)
			if want, got := (v[0]-v[2])/(2*h), k.Fall(v[1]); math.Abs(got/want-1) > 1e-6 {
				t.Errorf("%v at %v: %v, want %v", k, s, got, want)
			}
		}
	}
}
