package gp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// widthsProblem returns the state of a fit to n random samples, ready for a step.
func widthsProblem(t *testing.T, k kernel.Kernel, n int) *ardState {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	set := data.Blobs(n, 3, 4, 2, 9)
	tr := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
	s := must.Get(newARD(ARD{Kernel: k, Scale: 10, Tau: 0.5}, tr))(t)
	for d := range s.log {
		s.log[d] += 0.5 * rng.NormFloat64()
	}
	_ = s.invert(context.Background())
	s.posteriorMeans(context.Background())
	s.predict()
	return s
}

// TestARDLeaveOneOut: the closed form equals a regression on Z̄ without the sample.
func TestARDLeaveOneOut(t *testing.T) {
	watch.SkipUnderRace(t)
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.2}, kernel.Laplacian{Theta: 0.3}} {
		s := widthsProblem(t, k, 20)
		for out := range s.N {
			var rest []int
			for n := range s.N {
				if n != out {
					rest = append(rest, n)
				}
			}
			part := s.Part(rest)
			cov := kernel.Gram(nil, s.kernel(), part.X)
			cov.Scale(s.Scale, cov)
			for i := range rest {
				cov.Set(i, i, cov.At(i, i)+1)
			}
			for c := range s.C {
				z := mat.NewVecDense(len(rest), nil)
				for i, n := range rest {
					z.SetVec(i, s.z.At(c, n))
				}
				var w mat.VecDense
				must.OK(t, w.SolveVec(cov, z))
				want := 0.0
				for i, n := range rest {
					want += s.Scale * s.k.At(out, n) * w.AtVec(i)
				}
				if got := s.loo.At(c, out); math.Abs(got-want) > 1e-10 {
					t.Errorf("%v: sample %d, class %d: %v, refitted %v", k, out, c, got, want)
				}
			}
		}
		sum := 0.0
		for n, label := range s.T {
			sum += probit.LogProb(mat.Col(nil, n, s.loo), label)
		}
		if math.Abs(sum-s.logLik) > 1e-6 {
			t.Errorf("%v: log likelihood %v, want %v", k, s.logLik, sum)
		}
	}
}

// TestARDGradient: the gradient agrees with finite differences, also for several panels.
func TestARDGradient(t *testing.T) {
	watch.SkipUnderRace(t)
	for _, n := range []int{23, 300} {
		for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.2}, kernel.Laplacian{Theta: 0.3},
			kernel.RationalLaplacian{Theta: 0.3}} {
			s := widthsProblem(t, k, n)
			if n == 300 { // with sample weights
				for i := range n {
					s.Weights = append(s.Weights, 0.5+float64(i%3))
				}
				_ = s.invert(context.Background())
				s.predict()
			}
			g := s.gradient(context.Background())
			for d, v := range g {
				const h = 1e-4
				at := func(x float64) float64 {
					old := s.log[d]
					defer func() { s.log[d] = old }()
					s.log[d] += x
					_ = s.invert(context.Background())
					s.predict()
					return s.objective()
				}
				want := (8*(at(h)-at(-h)) - at(2*h) + at(-2*h)) / (12 * h)
				if math.Abs(v-want) > 1e-5*floats.Norm(g, 2) {
					t.Errorf("%v, N %d, feature %d: %v, by differences %v", k, n, d, v, want)
				}
			}
		}
	}
}

// TestInvert: C⁻¹, computed by panels, is the inverse of s²K + I and exactly symmetric.
func TestInvert(t *testing.T) {
	s := widthsProblem(t, kernel.Laplacian{Theta: 0.3}, 300)
	cov := mat.NewDense(s.N, s.N, nil)
	cov.Scale(s.Scale, s.k)
	for n := range s.N {
		cov.Set(n, n, cov.At(n, n)+1)
	}
	var unit mat.Dense
	unit.Mul(cov, s.inverse)
	for i := range s.N {
		for j := range s.N {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(unit.At(i, j)-want) > 1e-10 || s.inverse.At(i, j) != s.inverse.At(j, i) {
				t.Fatalf("C·C⁻¹ has %v at %d, %d; C⁻¹ %v and %v", unit.At(i, j), i, j, s.inverse.At(i, j),
					s.inverse.At(j, i))
			}
		}
	}
}

// TestPosteriorMeans: Y is the fixed point of expectation-maximisation.
func TestPosteriorMeans(t *testing.T) {
	for _, k := range []kernel.Kernel{kernel.RBF{Theta: 0.2}, kernel.Laplacian{Theta: 0.3}} {
		s := widthsProblem(t, k, 40)
		y, z, less := mat.NewDense(s.C, s.N, nil), mat.NewDense(s.C, s.N, nil), mat.NewDense(s.C, s.N, nil)
		for range 5000 {
			probit.Batch{}.Means(z, s.logp, y, s.T)
			less.Mul(z, s.inverse)
			y.Sub(z, less)
		}
		if !mat.EqualApprox(y, s.y, 0.05) || !mat.EqualApprox(z, s.z, 0.05) {
			t.Errorf("%v: Y is not at the fixed point: %v", k, mat.Formatted(less))
		}
	}
}

// noisy returns samples of three classes that are separated by two features, together with a constant feature
// and two noise features of similar scale.
func noisy(n int, seed uint64) (*mat.Dense, []int) {
	set := data.Spirals(n, 3, 0.03, seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	raw := mat.NewDense(set.N(), 5, nil)
	for i := range set.N() {
		raw.SetRow(i, []float64{rng.NormFloat64(), set.X.At(i, 0), 7, set.X.At(i, 1), rng.NormFloat64()})
	}
	return data.FitStandardizer(raw).Apply(nil, raw), set.T
}

// TestARDFindFeatures: features that separate the classes become important, noise features do not, and a
// constant feature keeps its width, in any order of the features.
func TestARDFindFeatures(t *testing.T) {
	watch.SkipUnderRace(t)
	x, labels := noisy(90, 3)
	order := []int{3, 0, 4, 2, 1}
	turned := mat.NewDense(90, 5, nil)
	for i := range 90 {
		for d, from := range order {
			turned.Set(i, d, x.At(i, from))
		}
	}
	for _, k := range []kernel.Kernel{nil, kernel.RBF{Theta: 0.5}, kernel.Laplacian{}} {
		w := ARD{Kernel: k, Tau: 1}
		got, r := laws.Fit(t, w, x, labels)
		v := r.Importance
		if v[1] < 3*v[0] || v[1] < 3*v[4] || v[3] < 3*v[0] || v[3] < 3*v[4] || v[2] != 1 {
			t.Errorf("%v: importance %.3f", k, v)
		}
		if kernel.Validate(got) != nil || (r.Status != mpcvm.Converged && r.Status != mpcvm.IterationLimit) ||
			r.Iterations == 0 {
			t.Errorf("%v: %v, %v", k, got, r.Status)
		}
		_, again := laws.Fit(t, w, turned, labels)
		for d, from := range order {
			if math.Abs(again.Importance[d]/v[from]-1) > 0.02 {
				t.Errorf("%v: importance %.3f, with reversed features %.3f", k, v, again.Importance)
				break
			}
		}
	}
}

// TestARDOfNoisyLabels: with noisy labels and a wide prior of the potentials, an irrelevant feature may
// receive a narrow width; with Scale 1 it does not.
func TestARDOfNoisyLabels(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Overlap(data.OverlapSeed)
	misled := false
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed+1, 0))
		x := mat.NewDense(set.N(), 5, nil)
		for i := range set.N() {
			copy(x.RawRowView(i), set.X.RawRowView(i))
			for j := 2; j < 5; j++ {
				x.Set(i, j, rng.NormFloat64())
			}
		}
		data.FitStandardizer(x).Apply(x, x)
		for _, scale := range []float64{1, 100} {
			_, r := laws.Fit(t, ARD{Kernel: kernel.RBF{Theta: 0.5}, Scale: scale}, x, set.T)
			useful, useless := slices.Min(r.Importance[:2]), slices.Max(r.Importance[2:])
			if scale == 100 {
				misled = misled || useless > useful
			} else if useful < 1 || useless > 0.5 {
				t.Errorf("seed %d: importance %.2f", seed, r.Importance)
			}
		}
	}
	if !misled {
		t.Error("a Scale of 100 no longer overfits; update the comment of ARD.Scale")
	}
}

func TestARDOnAnyNumberOfCores(t *testing.T) {
	watch.SkipUnderRace(t)
	set := data.Blobs(300, 3, 5, 2, 1)
	var want ARDResult
	for _, cores := range []int{1, 4} {
		old := runtime.GOMAXPROCS(cores)
		_, r, err := ARD{Kernel: kernel.Laplacian{Theta: 0.2}, Rounds: 2, Steps: 3}.Fit(context.Background(),
			mpcvm.Samples{X: set.X, T: set.T})
		runtime.GOMAXPROCS(old)
		must.OK(t, err)
		if cores == 1 {
			want = r
		} else if !slices.Equal(r.Importance, want.Importance) || r.Objective != want.Objective {
			t.Errorf("%d cores: %v, one core: %v", cores, r.Importance, want.Importance)
		}
	}
}

// TestARDEnd: if a context or an observer ends the fit, the result is the kernel of the last step.
func TestARDEnd(t *testing.T) {
	watch.SkipUnderRace(t)
	x, labels := noisy(60, 3)
	ctx, cancel := context.WithCancel(context.Background())
	k, r, err := ARD{}.Fit(ctx, mpcvm.Samples{X: x, T: labels}, func(s *mpcvm.Step) {
		if s.Iteration == 2 {
			cancel()
		}
	})
	if _, ard := k.(kernel.ARD); !ard || !errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled ||
		r.Iterations != 2 {
		t.Errorf("cancelled: %v, %v after %d, %v", k, r.Status, r.Iterations, err)
	}
	if k, r, err := (ARD{}).Fit(ctx, mpcvm.Samples{X: x, T: labels}); k != nil ||
		!errors.Is(err, context.Canceled) || r.Status != mpcvm.Cancelled {
		t.Errorf("cancelled before: %v, %v, %v", k, r.Status, err)
	}
	k, r, err = ARD{}.Fit(context.Background(), mpcvm.Samples{X: x, T: labels}, func(s *mpcvm.Step) { s.Stop() })
	if _, ard := k.(kernel.ARD); !ard || err != nil || r.Status != mpcvm.Stopped || r.Iterations != 1 {
		t.Errorf("stopped: %v, %v after %d, %v", k, r.Status, r.Iterations, err)
	}
}

// TestARDFaults: invalid data, kernels and options are reported; if all samples are equal, the widths do not
// change.
func TestARDFaults(t *testing.T) {
	watch.SkipUnderRace(t)
	x, labels := noisy(30, 3)
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.NaN())
	huge := mat.DenseCopyOf(x)
	huge.Set(3, 1, 1e200)
	for _, x := range []*mat.Dense{bad, huge} {
		var fault *mpcvm.CellError
		if _, _, err := (ARD{}).Fit(context.Background(), mpcvm.Samples{X: x, T: labels}); !errors.As(err,
			&fault) || fault.Row != 4 || fault.Column != 2 {
			t.Errorf("%v", err)
		}
	}
	for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.ARD{Theta: []float64{1, 1, 1, 1, 1}},
		kernel.RBF{Theta: -1}, kernel.Laplacian{Theta: math.Inf(1)}} {
		if k, _, err := (ARD{Kernel: k}).Fit(context.Background(), mpcvm.Samples{X: x, T: labels}); k != nil ||
			err == nil {
			t.Errorf("%v: no error", k)
		}
	}
	for name, w := range map[string]ARD{"scale": {Scale: -1}, "tau": {Tau: math.NaN()}, "rounds": {Rounds: -1},
		"steps": {Steps: -1}} {
		must.Panic(t, name, func() { _, _, _ = w.Fit(context.Background(), mpcvm.Samples{X: x, T: labels}) })
	}
	_, r, err := ARD{}.Fit(context.Background(), mpcvm.Samples{X: mat.NewDense(4, 2, nil), T: []int{0, 1, 0, 1}})
	if err != nil || r.Status != mpcvm.Converged || !slices.Equal(r.Importance, []float64{1, 1}) {
		t.Errorf("equal samples: %v, %v, %v", r.Status, r.Importance, err)
	}
}
