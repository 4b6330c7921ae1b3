package fitting

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// noisy returns potentials of samples dealt to c classes in turn: a margin for the own class, plus
// fixed noise with standard deviation 1.
func noisy(n, c int, margin float64) (y *mat.Dense, labels []int) {
	rng := rand.New(rand.NewPCG(5, 5))
	y, labels = mat.NewDense(n, c, nil), make([]int, n)
	for i := range n {
		labels[i] = i % c
		for k := range c {
			y.Set(i, k, rng.NormFloat64())
		}
		y.Set(i, labels[i], y.At(i, labels[i])+margin)
	}
	return y, labels
}

// TestSingles checks that the only sample of a class is not scored, and that it is an error if more
// than half of the samples are such samples.
func TestSingles(t *testing.T) {
	d := must.Get(New(Samples{X: kernel.Indices(6), T: []int{0, 0, 1, 2, 1, 3}}))(t)
	folds := must.Get(d.CrossValidate(t.Context(), Folds, 0, func(int, *Data) (Predictor, error) {
		return zeros{d.C}, nil
	}))(t)
	other := mat.NewDense(d.N, d.C, nil)
	must.OK(t, d.MaskSingles(other))
	for name, y := range map[string]*mat.Dense{"folds": folds, "other": other} {
		for n := range d.N {
			if alone := n == 3 || n == 5; HasNaN(y.RawRowView(n)) != alone {
				t.Errorf("%s: sample %d has %v", name, n, y.RawRowView(n))
			}
		}
	}
	half := must.Get(New(Samples{X: kernel.Indices(4), T: []int{0, 1, 2, 2}}))(t)
	if err := half.CheckSingles(); err != nil {
		t.Errorf("half of the samples are alone in their class: %v", err)
	}
	most := must.Get(New(Samples{X: kernel.Indices(5), T: []int{0, 1, 2, 3, 3}}))(t)
	var bad *cell.Error
	if err := most.MaskSingles(mat.NewDense(5, 4, nil)); !errors.As(err, &bad) || bad.Value != 3.0 {
		t.Errorf("most samples are alone in their class: %v", err)
	}
	if _, err := most.CrossValidate(t.Context(), 2, 0, nil); !errors.As(err, &bad) {
		t.Errorf("most samples are alone in their class, folds: %v", err)
	}
}

type zeros struct{ c int }

func (z zeros) Potentials(_ *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	return mat.NewDense(n, z.c, nil)
}

// TestCrossValidateErrors checks that the error of a fit, or of the context, is returned.
func TestCrossValidateErrors(t *testing.T) {
	d := must.Get(New(Samples{X: kernel.Indices(6), T: []int{0, 0, 1, 1, 0, 1}}))(t)
	failed := errors.New("fit failed")
	if _, err := d.CrossValidate(t.Context(), 3, 0, func(f int, _ *Data) (Predictor, error) {
		if f == 1 {
			return nil, failed
		}
		return zeros{2}, nil
	}); err != failed {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := d.CrossValidate(ctx, 3, 0, func(int, *Data) (Predictor, error) {
		cancel()
		return zeros{2}, nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestEvaluate checks that log loss and error rate are means over the samples whose potentials are
// numbers.
func TestEvaluate(t *testing.T) {
	y := mat.NewDense(4, 2, []float64{1, 0, math.NaN(), 0, 2, 3, 0.5, 0.5})
	labels := []int{0, 0, 0, 0}
	want := []float64{-probit.LogProb([]float64{1, 0}, 0), -probit.LogProb([]float64{2, 3}, 0),
		-probit.LogProb([]float64{0.5, 0.5}, 0)}
	logLoss, errorRate := Evaluate(y, labels, nil)
	if math.Abs(logLoss-floats.Sum(want)/3) > 1e-9 || math.Abs(errorRate-1.0/3) > 1e-9 {
		t.Errorf("log loss %g, error rate %g", logLoss, errorRate)
	}
	none := mat.NewDense(1, 2, []float64{math.NaN(), math.NaN()})
	if logLoss, _ := Evaluate(none, []int{1}, nil); logLoss != 0 || Temperature(none, []int{1}, nil) != 1 {
		t.Errorf("without samples: log loss %v", logLoss)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for lengths that differ")
		}
	}()
	Temperature(y, labels[1:], nil)
}

// TestAtBestTemperature checks that the unit of the potentials does not matter.
func TestAtBestTemperature(t *testing.T) {
	y, labels := noisy(60, 3, 1)
	want, _ := Evaluate(AtBestTemperature(y, labels, nil), labels, nil)
	plain, _ := Evaluate(y, labels, nil)
	y.Scale(7, y)
	if got, _ := Evaluate(AtBestTemperature(y, labels, nil), labels, nil); math.Abs(got-want) > 1e-6 ||
		want > plain {
		t.Errorf("log loss %g, %g in another unit, %g before scaling", want, got, plain)
	}
}

// TestFrequencies checks that the biases predict the class frequencies.
func TestFrequencies(t *testing.T) {
	d := &Data{T: make([]int, 45), N: 45, C: 3}
	for i := range 45 {
		if i >= 30 {
			d.T[i] = 1 + (i-30)/10
		}
	}
	b := d.Frequencies()
	want := 0.0
	for c, share := range []float64{30. / 45, 10. / 45, 5. / 45} {
		if p := math.Exp(probit.LogProb(b, c)); math.Abs(p-share) > 1e-10 {
			t.Errorf("class %d has %g, want %g", c, p, share)
		}
		want += 45 * share * math.Log(share)
	}
	if got := d.BiasLogLik(b); math.Abs(got-want) > 1e-8 || math.Abs(floats.Sum(b)) > 1e-6 {
		t.Errorf("biases %v, log likelihood %g, want %g", b, got, want)
	}
}

// TestCheckNorms checks that the error names the row, counted from 1.
func TestCheckNorms(t *testing.T) {
	var bad *cell.Error
	err := new(Data).CheckNorms(kernel.RBF{}, []int{0, 2}, []float64{1, math.Inf(1)})
	if !errors.As(err, &bad) || bad.Row != 3 {
		t.Errorf("norms: %v", err)
	}
}
