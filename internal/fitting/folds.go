package fitting

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Predictor is a fitted model. Potentials writes the potentials of the samples x to dst (N×C;
// allocated if nil) and returns it.
type Predictor interface {
	Potentials(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// SumOfModels returns the *mpcvm.Model with the potentials a·y + b·z, where y are the potentials of a linear
// model and z the potentials of a kernel model, both without scaling and calibration. Package mpcvm sets it.
var SumOfModels func(linear, kernel any, a, b float64) any

// CrossValidate is Unseen, but returns a *cell.Error if more than half of all samples are the only
// ones of their class.
func (d *Data) CrossValidate(ctx context.Context, folds int, seed uint64,
	fit func(f int, part *Data) (Predictor, error)) (*mat.Dense, error) {
	if err := d.CheckSingles(); err != nil {
		return nil, err
	}
	return d.Unseen(ctx, folds, seed, fit)
}

// Unseen returns the potentials (N×C) of each sample by a model that was not trained on it. It calls
// fit for the training set of each fold f, on all cores. A sample that is the only one of its class
// is in every training set; its potentials are NaN.
func (d *Data) Unseen(ctx context.Context, folds int, seed uint64,
	fit func(f int, part *Data) (Predictor, error)) (*mat.Dense, error) {
	h := d.NewHeldOut(folds, 1)
	err := d.EachFold(ctx, folds, 0, folds, seed, h, func(f int, in *Data, out []int) error {
		m, err := fit(f, in)
		if err == nil {
			d.Predict(h.Y[0], m, out)
			h.Counts[f] = []int{0}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return h.Y[0], nil
}

// NewPotentials returns potentials (N×C) filled with NaN.
func (d *Data) NewPotentials() *mat.Dense {
	y := mat.NewDense(d.N, d.C, nil)
	Fill(y.RawMatrix().Data, math.NaN())
	return y
}

// Predict sets the rows of y for the listed samples to their potentials.
func (d *Data) Predict(y *mat.Dense, m Predictor, out []int) {
	part := m.Potentials(nil, d.Part(out).X)
	for i, n := range out {
		y.SetRow(n, part.RawRowView(i))
	}
}

// HeldOut contains the predictions of the models of folds, of which each has one or several.
type HeldOut struct {
	Y      []*mat.Dense // for each model, its potentials (N×C), NaN where nothing is predicted
	Counts [][]int      // for each complete fold, the number of non-zero weights of each of its models, or zero
	// Taken, if not nil, is called with a fold that another replica has computed (see package share) and with
	// its held-out samples.
	Taken func(fold int, out []int)
}

// NewHeldOut returns empty predictions of a number of models for d.
func (d *Data) NewHeldOut(folds, models int) *HeldOut {
	h := &HeldOut{Y: make([]*mat.Dense, models), Counts: make([][]int, folds)}
	for i := range h.Y {
		h.Y[i] = d.NewPotentials()
	}
	return h
}

// give returns the result of a fold for other replicas: the count of each model and its potentials.
func (h *HeldOut) give(fold int, out []int) (lists [][]float64) {
	for i, count := range h.Counts[fold] {
		list := []float64{float64(count)}
		for _, n := range out {
			list = append(list, h.Y[i].RawRowView(n)...)
		}
		lists = append(lists, list)
	}
	return lists
}

// take uses the result of a fold of another replica.
func (h *HeldOut) take(fold int, out []int, lists [][]float64) error {
	if len(lists) == 0 || len(lists) > len(h.Y) {
		return fmt.Errorf("results of %d models, want %d", len(lists), len(h.Y))
	}
	counts := make([]int, len(lists))
	for i, list := range lists {
		_, c := h.Y[i].Dims()
		if len(list) != 1+len(out)*c {
			return fmt.Errorf("%d numbers for %d rows of %d", len(list), len(out), c)
		}
		counts[i] = int(list[0])
		for j, n := range out {
			h.Y[i].SetRow(n, list[1+j*c:][:c])
		}
	}
	if h.Counts[fold] = counts; h.Taken != nil {
		h.Taken(fold, out)
	}
	return nil
}

// EachFold calls f with the training set of each of the folds lo to hi−1 and the held-out samples, on all
// cores, to complete h. If the context has peers, they share the folds.
func (d *Data) EachFold(ctx context.Context, folds, lo, hi int, seed uint64, h *HeldOut,
	f func(i int, in *Data, out []int) error) error {
	dealt := d.Deal(folds, seed)
	errs := make([]error, folds)
	share.Loop{
		Name: fmt.Sprintf("folds %d to %d of %d, %d samples, seed %d", lo, hi, folds, d.N, seed), N: hi - lo,
		Do: func(i int) {
			in, out := dealt.Split(lo + i)
			if len(out) > 0 && ctx.Err() == nil {
				errs[lo+i] = f(lo+i, d.Part(in), out)
			}
		},
		Give: func(i int) []byte {
			_, out := dealt.Split(lo + i)
			if len(out) == 0 || errs[lo+i] != nil {
				return nil
			}
			return share.Pack(h.give(lo+i, out))
		},
		Take: func(i int, result []byte) error {
			_, out := dealt.Split(lo + i)
			lists, err := share.Unpack(result)
			if err != nil {
				return err
			}
			return h.take(lo+i, out, lists)
		},
	}.Run(ctx)
	if ctx.Err() != nil {
		return fmt.Errorf("mpcvm: cross-validation cancelled: %w", ctx.Err())
	}
	return cmp.Or(errs...)
}

// MaskSingles sets the potentials (N×C) of each sample that is the only one of its class to NaN. It
// returns a *cell.Error if these are more than half of all samples.
func (d *Data) MaskSingles(y *mat.Dense) error {
	counts := d.Counts()
	for n, label := range d.T {
		if counts[label] == 1 {
			Fill(y.RawRowView(n), math.NaN())
		}
	}
	return d.CheckSingles()
}

// CheckSingles returns a *cell.Error if more than half of all samples are the only ones of their
// class, so that cross-validation cannot score them.
func (d *Data) CheckSingles() error {
	singles := 0
	for _, count := range d.Counts() {
		if count == 1 {
			singles++
		}
	}
	if 2*singles > d.N {
		return cell.New("mpcvm", -1, -1, float64(singles), fmt.Sprintf(
			"most of %d samples are the only one of their class; cross-validation needs two per class. "+
				"Check that the label is a class and not a number or a name. Classes with one sample", d.N))
	}
	return nil
}

// Evaluate returns the mean log loss, in nats, and the error rate of the samples whose potentials y
// (N×C) are not NaN, with weights w (nil for ones).
func Evaluate(y *mat.Dense, t []int, w []float64) (logLoss, errorRate float64) {
	y, t, w = WithoutNaN(y, t, w)
	if len(t) == 0 {
		return 0, 0
	}
	all, logp := float64(len(t)), make([]float64, len(t))
	if w != nil {
		all = floats.Sum(w)
	}
	probit.Batch{}.LogProb(logp, y, t)
	for i, l := range logp {
		logLoss -= weight(w, i) * l / all
		if Argmax(y.RawRowView(i)) != t[i] {
			errorRate += weight(w, i) / all
		}
	}
	return logLoss, errorRate
}

// WithoutNaN returns the rows of y without NaN, their labels and their weights (nil for ones).
func WithoutNaN(y *mat.Dense, t []int, w []float64) (*mat.Dense, []int, []float64) {
	var rows []int
	for n := range t {
		if !HasNaN(y.RawRowView(n)) {
			rows = append(rows, n)
		}
	}
	if len(rows) == len(t) {
		return y, t, w
	}
	if len(rows) == 0 {
		return y, nil, nil
	}
	_, c := y.Dims()
	part := mat.NewDense(len(rows), c, nil)
	for i, n := range rows {
		part.SetRow(i, y.RawRowView(n))
	}
	return part, pick(t, rows), pick(w, rows)
}
