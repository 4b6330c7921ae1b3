package mpcvm_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/testkit/laws"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/score"
)

// alike returns two classes that differ by a small fraction of what all five features have in common, like
// the sexes of a crab.
func alike() *data.Set {
	rng := rand.New(rand.NewPCG(1, 1))
	set := &data.Set{X: mat.NewDense(200, 5, nil), T: make([]int, 200)}
	for n := range set.T {
		set.T[n] = n % 2
		size := 32 + 7*rng.NormFloat64()
		for j, slope := range []float64{0.48, 0.4 + 0.04*float64(n%2), 1, 1.13, 0.43} {
			set.X.Set(n, j, slope*size+0.35*rng.NormFloat64())
		}
	}
	return set
}

// scattered returns a compact class of waves and a class of scattered samples.
func scattered() *data.Set {
	rng := rand.New(rand.NewPCG(1, 2))
	set := &data.Set{X: mat.NewDense(350, 34, nil), T: make([]int, 350)}
	for n := range set.T {
		height, frequency, ternary := 0.7+0.3*rng.Float64(), 0.1*rng.NormFloat64(), rng.Float64() < 0.3
		if n%14 < 5 {
			set.T[n] = 1
		}
		for j := range 34 {
			switch noise := rng.NormFloat64(); {
			case set.T[n] == 0:
				set.X.Set(n, j, height*math.Cos(frequency*float64(j))+0.15*noise)
			case ternary:
				set.X.Set(n, j, float64(rng.IntN(3)-1))
			default:
				set.X.Set(n, j, max(-1, min(1, 0.8*noise)))
			}
		}
	}
	return set
}

// widthFit describes the result of a fit with one width.
type widthFit struct {
	theta, objective, logLik float64
	wrong                    float64 // share of misclassified training samples
	weights                  int
	status                   mpcvm.Status
}

// overWidths fits a learner with 25 values of θ from 1e-4 to 1e3, starting with the widest kernel.
func overWidths(t *testing.T, set *data.Set,
	learner func(kernel.Kernel) mpcvm.LearnerOf[*mpcvm.Model]) []widthFit {
	t.Helper()
	x := data.FitStandardizer(set.X).Apply(nil, set.X)
	fits := make([]widthFit, 25)
	for i := range fits {
		theta := math.Pow(10, -4+7*float64(i)/24)
		m, r := laws.Fit(t, learner(kernel.RBF{Theta: theta}), x, set.T)
		wrong := must.Get(score.ErrorRate(m.Predict(nil, x), set.T))(t)
		fits[i] = widthFit{theta, r.Objective, r.LogLik, wrong, m.WeightCount(), r.Status}
	}
	return fits
}

// hole returns the first fit, up to the fit with the largest objective, that is clearly worse than expected,
// or nil if there is none. A fit is worse than expected if, compared with the better of the two preceding
// (wider) fits, its objective is smaller by more than 5 nats and 5 % and its error rate is larger by more
// than one percentage point, or if its error rate is more than ten percentage points larger than the other
// learner's with the same width.
func hole(fits, others []widthFit) *widthFit {
	best := 0
	for i, f := range fits {
		if f.objective > fits[best].objective {
			best = i
		}
	}
	for i := range fits[:best+1] {
		f := &fits[i]
		if others != nil && f.wrong > others[i].wrong+0.1 {
			return f
		}
		wider := fits[max(0, i-1)]
		if before := fits[max(0, i-2)]; before.objective > wider.objective {
			wider = before
		}
		if f.objective < wider.objective-5-0.05*math.Abs(wider.objective) && f.wrong > wider.wrong+0.01 {
			return f
		}
	}
	return nil
}

// TestNoHoles: a learner does not miss at one width what it finds at a wider one, and a converged fit is
// better than the class frequencies.
func TestNoHoles(t *testing.T) {
	sets := map[string]*data.Set{"alike": alike(), "scattered": scattered()}
	for _, name := range []string{"overlap", "iris", "wine", "glass"} {
		sets[name] = must.Load(t, name)
	}
	noHoles(t, sets)
}

func noHoles(t *testing.T, sets map[string]*data.Set) {
	topDown := func(k kernel.Kernel) mpcvm.LearnerOf[*mpcvm.Model] { return mpcvm.TopDown{Kernel: k} }
	bottomUp := func(k kernel.Kernel) mpcvm.LearnerOf[*mpcvm.Model] { return mpcvm.BottomUp{Kernel: k} }
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := must.Get(fitting.New(fitting.Samples{X: set.X, T: set.T}))(t)
			frequencies := d.BiasLogLik(d.Frequencies())
			down, up := overWidths(t, set, topDown), overWidths(t, set, bottomUp)
			if f := hole(down, nil); f != nil {
				t.Errorf("TopDown: a hole at %+v", *f)
			}
			if f := hole(up, down); f != nil {
				t.Errorf("BottomUp: a hole at %+v", *f)
			}
			withBias := func(k kernel.Kernel) mpcvm.LearnerOf[*mpcvm.Model] {
				return mpcvm.BottomUp{Kernel: k, Bias: true}
			}
			if name == "alike" || name == "scattered" {
				if f := hole(overWidths(t, set, withBias), down); f != nil {
					t.Errorf("BottomUp with biases: a hole at %+v", *f)
				}
			}
			spoilt := slices.Clone(up)
			spoilt[0].wrong = down[0].wrong + 0.2
			if hole(spoilt, down) == nil {
				t.Error("an error rate 20 points higher than the other learner's is not recognised as a hole")
			}
			for learner, fits := range map[string][]widthFit{"TopDown": down, "BottomUp": up} {
				for _, f := range fits {
					if f.status == mpcvm.Converged && f.logLik <= frequencies {
						t.Errorf("%s: converged to log likelihood %g, class frequencies have %g: %+v", learner, f.logLik,
							frequencies, f)
					}
				}
			}
		})
	}
}
