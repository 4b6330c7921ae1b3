package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/search"
)

// The expected numbers were recorded when the learners chose widths and temperatures themselves.
func TestWrappersAsRecorded(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1.5, 4)
	weights, groups := make([]float64, 60), make([]int, 60)
	for n := range groups {
		weights[n], groups[n] = float64(1+n%3), n/2
	}
	plain := mpcvm.Samples{X: set.X, T: set.T}
	grouped := mpcvm.Samples{X: set.X, T: set.T, Weights: weights, Groups: groups}
	k := kernel.Laplacian{Theta: 0.3}
	for _, tt := range []struct {
		name               string
		l                  mpcvm.Learner
		s                  mpcvm.Samples
		theta, temperature float64
		trials             int
		score, potential   float64
	}{
		{"mPCVM₂", search.Width{Learner: mpcvm.BottomUp{Seed: 3}, Seed: 3}, plain,
			0.054692962305904105, 1, 6, 0.0871088825279216, 1.6756391705922056},
		{"mPCVM₂ of groups", search.Width{Learner: mpcvm.BottomUp{Seed: 3}, Seed: 3}, grouped,
			0.054692962305904105, 1, 6, -0.64789180021869, 0.8052950275466068},
		{"mPCVM₁", search.Calibrated{Learner: search.Width{Learner: mpcvm.TopDown{}}}, plain,
			0.006836620288238013, 1.1403158518562602, 9, 0.025434863537698416, 2.4848909434016373},
		{"mPCVM₁ of groups", search.Calibrated{Learner: search.Width{Learner: mpcvm.TopDown{}}}, grouped,
			0.027346481152952053, 1.2867630119946385, 7, -0.7788503592787592, 1.9020918450861353},
		{"temperature", search.Calibrated{Learner: mpcvm.BottomUp{Kernel: k, Seed: 2}, Seed: 2}, plain,
			0.3, 2.034829089125347, 0, 0.04308251919558348, 3.7127759726667158},
		{"candidates", search.Width{Learner: mpcvm.BottomUp{Candidates: 30}, Kernel: kernel.Laplacian{}}, plain,
			0.03328825136938495, 1, 8, 0.18384904587968842, 2.7145450536224587},
		{"kernel prior", search.Calibrated{Learner: search.Width{Learner: gp.KernelPrior{}}}, plain,
			0.10938592461180821, 3.335944320108362, 5, -0.5242575877523623, 2.5334245172571817},
		{"kernel prior, reduced", search.Width{Learner: gp.KernelPrior{Keep: 1}}, plain,
			0.0004272887680148758, 1, 13, -0.02775645153010231, 0.29613480630392175},
		{"kernel prior of candidates", search.Calibrated{Learner: gp.KernelPrior{Kernel: k, Candidates: 20}}, plain,
			0.3, 4.259514698136649, 0, -1.5521523154211758, 2.8933859415700365},
	} {
		m, r, err := tt.l.Fit(t.Context(), tt.s)
		must.OK(t, err)
		got := []float64{m.Kernel().(interface{ Width() float64 }).Width(), m.Temperature(),
			m.Scores()[0].Values[5], m.Potentials(nil, set.X).At(0, 0)}
		for i, want := range []float64{tt.theta, tt.temperature, tt.score, tt.potential} {
			if math.Abs(got[i]-want) > 1e-4*math.Abs(want) { // a fit stops at other points on other processors
				t.Errorf("%s: number %d is %v, want %v", tt.name, i, got[i], want)
			}
		}
		if len(r.Trials) != tt.trials {
			t.Errorf("%s: %d trials, want %d", tt.name, len(r.Trials), tt.trials)
		}
		if tt.trials > 0 {
			again, _, err := search.Chosen(r).Fit(t.Context(), tt.s)
			if err != nil || !mat.Equal(again.Proba(nil, set.X), m.Proba(nil, set.X)) {
				t.Errorf("%s: Chosen fits another model (%v)", tt.name, err)
			}
		}
	}
}

// scripted is a learner of another package whose leave-one-out potentials are best at 4·MedianTheta.
type scripted struct {
	k     kernel.Kernel
	start float64
	fails error
}

func (l scripted) Fit(_ context.Context, s mpcvm.Samples, _ ...mpcvm.Observer) (*mpcvm.Model, mpcvm.Result,
	error) {
	x := mat.DenseCopyOf(s.X)
	return mpcvm.NewModel(l.k, x, s.T, [][]int{{0}, nil, nil}, [][]float64{{1}, nil, nil}, make([]float64, 3)),
		mpcvm.Result{}, nil
}

func (l scripted) WithKernel(k kernel.Kernel) mpcvm.Learner {
	l.k = k
	return l
}

func (l scripted) LeaveOneOut(_ context.Context, s mpcvm.Samples) (*mat.Dense, error) {
	steps := math.Log2(l.k.(kernel.RBF).Theta / l.start)
	n, _ := s.X.Dims()
	y := mat.NewDense(n, 3, nil)
	for i := range n {
		for c := range 3 {
			y.Set(i, c, 3*math.Sin(float64(i*i+7*c)))
		}
		y.Set(i, s.T[i], y.At(i, s.T[i])+3-math.Abs(steps-2))
	}
	y.Scale(math.Exp(steps), y) // which the temperature undoes
	return y, l.fails
}

// Learners of other packages are tuned in the same way. The chosen width has the lowest log loss at its best
// temperature, and the search continues until two steps in a row bring no gain.
func TestForeignLearner(t *testing.T) {
	set := data.Blobs(60, 3, 2, 1, 4)
	s := mpcvm.Samples{X: set.X, T: set.T}
	start := kernel.RBF{}.MedianTheta(set.X)
	var tried []float64
	w := search.Width{Learner: scripted{start: start}, OnTrial: func(trial mpcvm.Trial) {
		tried = append(tried, math.Round(math.Log2(trial.Kernel.(kernel.RBF).Theta/start)))
	}}
	m, r, err := search.Calibrated{Learner: w}.Fit(t.Context(), s)
	if want := (kernel.RBF{Theta: 4 * start}); err != nil || m.Kernel() != kernel.Kernel(want) {
		t.Fatalf("chosen %v after %v, want %v (%v)", m.Kernel(), tried, want, err)
	}
	if want := []float64{0, 1, 2, 3, 4, -1, -2}; !slices.Equal(tried, want) || len(r.Trials) != 7 ||
		!r.Trials[2].Chosen {
		t.Errorf("tried %v, want %v", tried, want)
	}
	if m.Temperature() < 2 {
		t.Errorf("temperature %g", m.Temperature())
	}
	failed := errors.New("as asked")
	if _, _, err := (search.Width{Learner: scripted{start: start, fails: failed}}).Fit(t.Context(),
		s); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if _, _, err := (search.Width{Learner: search.Auto{}}).Fit(t.Context(), s); err == nil ||
		!strings.Contains(err.Error(), "search.Auto has no method WithKernel") {
		t.Errorf("learner without a kernel: %v", err)
	}
	if _, _, err := (search.Width{Learner: mpcvm.BottomUp{}, Kernel: kernel.RBF{Theta: -1}}).Fit(t.Context(),
		s); err == nil {
		t.Error("a negative width is accepted")
	}
	for want, l := range map[string]mpcvm.Learner{"Width.Learner is nil": search.Width{},
		"Calibrated.Learner is nil": search.Calibrated{}} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			_, _, _ = l.Fit(t.Context(), s)
		}()
	}
}

// With more than 5000 samples, the width is chosen on 4000 of them and the temperature on a held-out fifth.
func TestWidthOfMany(t *testing.T) {
	set := data.NewMixture(3, 2, 2, 0.5, 3).Set(5100, 1)
	s := mpcvm.Samples{X: set.X, T: set.T}
	l := mpcvm.BottomUp{Candidates: 30, MaxIterations: 10}
	m, r, err := search.Calibrated{Learner: search.Width{Learner: l}}.Fit(t.Context(), s)
	must.OK(t, err)
	if n := r.Trials[0].Samples; n < 3990 || n > 4010 || m.Temperature() == 1 || m.Scores() == nil {
		t.Errorf("the width is chosen on %d samples; temperature %g", n, m.Temperature())
	}
	plain, _, err := search.Width{Learner: l, Kernel: m.Kernel()}.Fit(t.Context(), s)
	if err != nil || plain.Scores() != nil || !mat.Equal(plain.Potentials(nil, set.X),
		m.Potentials(nil, set.X)) {
		t.Errorf("another model with the chosen width (%v)", err)
	}
}

// With features in very different units, Auto and Width return the model of the standardised features, with
// its scaling. The learner that they have chosen does the same.
func TestRawUnits(t *testing.T) {
	set := data.NewMixture(3, 2, 3, 0.7, 2).Set(90, 1)
	raw := mat.DenseCopyOf(set.X)
	raw.Apply(func(_, j int, v float64) float64 { return []float64{1, 1e4, 1e-3}[j] * (v + 5) }, raw)
	standard := data.FitStandardizer(raw).Apply(nil, raw)
	for name, l := range map[string]mpcvm.Learner{
		"Auto": search.Auto{}, "Width": search.Width{Learner: mpcvm.BottomUp{}},
		"Calibrated": search.Calibrated{Learner: search.Width{Learner: gp.KernelPrior{}}},
	} {
		fit := func(l mpcvm.Learner, x *mat.Dense) (*mpcvm.Model, mpcvm.Result) {
			m, result, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: set.T})
			if err != nil {
				t.Fatal(err)
			}
			return m, result
		}
		want, _ := fit(l, standard)
		got, result := fit(l, raw)
		again, _ := fit(search.Chosen(result), raw)
		p := want.Proba(nil, standard)
		if !mat.EqualApprox(got.Proba(nil, raw), p, 1e-9) || !mat.EqualApprox(again.Proba(nil, raw), p, 1e-6) {
			t.Errorf("%s: other probabilities than with standardised features", name)
		}
		if mean, _ := want.Scaling(); mean != nil {
			t.Errorf("%s: a scaling for standardised features", name)
		}
	}
	for _, l := range []mpcvm.Learner{mpcvm.TopDown{}, mpcvm.BottomUp{}, gp.KernelPrior{}} {
		for x, want := range map[*mat.Dense]bool{raw: true, standard: false} {
			if _, result, err := l.Fit(t.Context(), mpcvm.Samples{X: x, T: set.T}); err != nil ||
				result.RawUnits != want {
				t.Errorf("%T: raw units %v, want %v (%v)", l, result.RawUnits, want, err)
			}
		}
	}
}
