package mpcvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/probit"
)

// Learner makes a model of training data: TopDown, BottomUp and KernelPrior.
type Learner interface {
	Fit(ctx context.Context, x mat.Matrix, t []int, observers ...Observer) (*Model, Result, error)
}

var (
	_ Learner = TopDown{}
	_ Learner = BottomUp{}
	_ Learner = KernelPrior{}
)

// Trial is a kernel that was tried in the choice of Theta, or a setting of [Auto].
type Trial struct {
	Kernel kernel.Kernel
	// LogLoss is the mean −log p(t_n) of the samples, each by a model that did not
	// see it, in nats; ErrorRate the share of them that these models misclassify.
	LogLoss, ErrorRate float64

	// Of Auto alone, where LogLoss is that at the best temperature: the learner; the
	// temperature for its models, somewhat higher (see the function Temperature); the
	// mean number of non-zero weights of the models; the seconds that it took; and
	// whether it was chosen.
	Learner     string
	Temperature float64
	Weights     int
	Seconds     float64
	Chosen      bool
}

// Folds of the cross-validation within the training data, and the largest number
// of iterations of its fits: accuracy is settled long before convergence.
const (
	selectionFolds = 5
	selectionLimit = 100
	selectionRows  = 4000 // samples that are enough to choose Theta by, with candidates
)

// core fits a kernel that is settled, for at most limit iterations (0: as set).
type core func(ctx context.Context, tr *training, k kernel.Kernel, limit int, observers []Observer) (*Model, Result, error)

// selection is what the learners' options say of the kernel and the temperature.
type selection struct {
	kernel    kernel.Kernel
	tried     func(Trial)
	calibrate bool
	seed      uint64 // of the folds
	few       bool   // a part of many samples serves for the choice; see BottomUp.Candidates

	// unseen returns the potentials of each sample by a model that did not see it, to be
	// compared at the temperature that is best for them; if it is nil, those of 5-fold
	// cross-validation are taken as they are.
	unseen func(ctx context.Context, tr *training, k kernel.Kernel) (*mat.Dense, error)
}

// predict returns the potentials of each sample by a model that did not see it.
func (s selection) predict(ctx context.Context, tr *training, k kernel.Kernel, learn core) (*mat.Dense, error) {
	if s.unseen != nil {
		return s.unseen(ctx, tr, k)
	}
	return tr.outOfFold(ctx, k, s.seed, learn)
}

// fit is what the learners have in common: check the data, settle the kernel,
// learn, calibrate.
func fit(ctx context.Context, x mat.Matrix, t []int, sel selection, observers []Observer, learn core) (*Model, Result, error) {
	start := time.Now()
	tr, err := newTraining(x, t)
	if err != nil {
		return nil, Result{}, err
	}
	part := tr
	if sel.few {
		part = tr.sample(selectionRows, sel.seed)
	}
	settled, y, trials, err := part.choose(ctx, sel, learn)
	var model *Model
	var result Result
	if err == nil {
		model, result, err = learn(ctx, tr, settled, 0, observers)
	}
	if sel.calibrate && err == nil && result.Status != Stopped {
		switch {
		case part != tr: // what little data tell of it does not hold for many
			y, part, err = tr.heldOut(ctx, settled, sel.seed, learn)
		case y == nil: // else the choice of Theta has it
			y, err = sel.predict(ctx, tr, settled, learn)
		}
		if err == nil {
			model = model.WithTemperature(Temperature(y, part.t))
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		result.Status = Cancelled
	case err != nil: // of the calibration
		model = nil
	}
	result.Trials = trials
	result.Seconds = time.Since(start).Seconds()
	return model, result, err
}

// choose returns the kernel with its width. If the kernel leaves its width to the
// learner, see [kernel.Untuned], it is the one of a logarithmic grid with the smallest
// log loss on held-out samples, and their potentials are returned as well. The grid has
// steps of 2 and starts at the kernel's MedianTheta. The search goes up, then down, each
// until two steps in turn bring no gain.
func (tr *training) choose(ctx context.Context, sel selection, learn core) (kernel.Kernel, *mat.Dense, []Trial, error) {
	untuned, ok := kernel.Untuned(sel.kernel)
	if !ok {
		if err := kernel.Validate(sel.kernel); err != nil {
			return nil, nil, nil, fmt.Errorf("mpcvm: %w", err)
		}
		return sel.kernel, nil, nil, nil
	}
	start := untuned.MedianTheta(tr.x)
	if err := tr.separable(start); err != nil {
		return nil, nil, nil, err
	}
	if err := kernel.Validate(untuned.WithTheta(start)); err != nil {
		return nil, nil, nil, fmt.Errorf("mpcvm: %w", err)
	}
	var trials []Trial
	var bestY *mat.Dense
	best := 0
	try := func(theta float64) (better bool, err error) {
		k := untuned.WithTheta(theta)
		y, err := sel.predict(ctx, tr, k, learn)
		if err != nil {
			return false, err
		}
		compared := y
		if sel.unseen != nil {
			compared = mat.DenseCopyOf(y)
			compared.Scale(1/temperature(y, tr.t, 0), y)
		}
		t := tr.trial(k, compared)
		trials = append(trials, t)
		if sel.tried != nil {
			sel.tried(t)
		}
		if better = t.LogLoss < trials[best].LogLoss; better || bestY == nil {
			best, bestY = len(trials)-1, y
		}
		return better, nil
	}
	if err := climb(start, try); err != nil {
		return nil, nil, trials, err
	}
	return trials[best].Kernel, bestY, trials, nil
}

// climb tries a width, then twice and half the width again and again until two in turn
// were no better.
func climb(start float64, try func(theta float64) (better bool, err error)) error {
	if _, err := try(start); err != nil {
		return err
	}
	for _, factor := range []float64{2, 0.5} {
		theta := start
		for misses := 0; misses < 2 && theta < start*1e3 && theta > start/1e3; {
			theta *= factor
			better, err := try(theta)
			if err != nil {
				return err
			}
			misses++
			if better {
				misses = 0
			}
		}
	}
	return nil
}

// trial measures a kernel by potentials out of fold.
func (tr *training) trial(k kernel.Kernel, y *mat.Dense) Trial {
	t := Trial{Kernel: k}
	logp := make([]float64, tr.n)
	probit.Batch{}.LogProb(logp, y, tr.t)
	for n, label := range tr.t {
		t.LogLoss -= logp[n] / float64(tr.n)
		if argmax(y.RawRowView(n)) != label {
			t.ErrorRate += 1 / float64(tr.n)
		}
	}
	return t
}

// separable checks that the squared distances of the samples, of which start is an
// inverse, neither overflow nor all vanish.
func (tr *training) separable(start float64) error {
	row, col, largest := 0, 0, 0.0
	for n := range tr.n {
		for d, v := range tr.x.RawRowView(n) {
			if diff := math.Abs(v - tr.x.At(0, d)); diff > largest {
				row, col, largest = n, d, diff
			}
		}
	}
	if largest > 0 && largest*largest == 0 || math.IsInf(largest*largest*float64(tr.d), 1) || !(start > 0) || math.IsInf(start, 1) {
		return &DataError{Row: row, Col: col, Value: tr.x.At(row, col),
			Reason: "features are too large or too small for distances; standardise them, or give the kernel its Theta"}
	}
	return nil
}

// CrossValidate returns the potentials (N×C) of each training sample by a model
// that l fitted without it. The samples are dealt into folds (at least 2), class by
// class in an order that seed shuffles; a class of a single sample is in the
// training part of every fold and its potentials are by a model that knows it. The
// folds are fitted in parallel: what l calls, such as BottomUp.Tried, is called by
// several goroutines. Errors are those of Fit.
func CrossValidate(ctx context.Context, l Learner, x mat.Matrix, t []int, folds int, seed uint64) (*mat.Dense, error) {
	tr, err := newTraining(x, t)
	if err != nil {
		return nil, err
	}
	if folds < 2 {
		panic(fmt.Sprintf("mpcvm: %d folds", folds))
	}
	return tr.folds(ctx, folds, seed, func(_ int, part *training) (*Model, error) {
		m, _, err := l.Fit(ctx, part.x, part.t)
		return m, err
	})
}

// outOfFold is CrossValidate of a settled kernel.
func (tr *training) outOfFold(ctx context.Context, k kernel.Kernel, seed uint64, learn core) (*mat.Dense, error) {
	return tr.folds(ctx, selectionFolds, seed, func(_ int, part *training) (*Model, error) {
		m, _, err := learn(ctx, part, k, selectionLimit, nil)
		return m, err
	})
}

// heldOut returns the potentials of some of the samples, and these, by a model that did not
// see them, but all others: of a fifth, but not many more than selectionRows.
func (tr *training) heldOut(ctx context.Context, k kernel.Kernel, seed uint64, learn core) (*mat.Dense, *training, error) {
	var in, out []int
	for n, g := range tr.deal(max(selectionFolds, tr.n/selectionRows), seed) {
		if g == 0 {
			out = append(out, n)
		} else {
			in = append(in, n)
		}
	}
	m, _, err := learn(ctx, tr.part(in), k, selectionLimit, nil)
	if err != nil {
		return nil, nil, err
	}
	part := tr.part(out)
	return m.Potentials(nil, part.x), part, nil
}

// folds calls fit for the training part of each fold, on all cores, and for that of the
// samples that are in none, number folds.
func (tr *training) folds(ctx context.Context, folds int, seed uint64, fit func(f int, part *training) (*Model, error)) (*mat.Dense, error) {
	fold := tr.deal(folds, seed)
	y := mat.NewDense(tr.n, tr.c, nil)
	errs := make([]error, folds+1)
	par.For(folds+1, 1, func(f, _ int) { // the last is for those that are in no fold
		var in, out []int
		for n, g := range fold {
			if g == f {
				out = append(out, n)
			} else {
				in = append(in, n)
			}
		}
		if len(out) == 0 || ctx.Err() != nil {
			return
		}
		if f == folds {
			in = append(in, out...)
		}
		m, err := fit(f, tr.part(in))
		if err != nil {
			errs[f] = err
			return
		}
		for i, part := 0, m.Potentials(nil, tr.part(out).x); i < len(out); i++ {
			y.SetRow(out[i], part.RawRowView(i))
		}
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("mpcvm: cross-validation cancelled: %w", ctx.Err())
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return y, nil
}

// deal assigns the samples of each class, shuffled, to the folds in turn; a class
// of one sample is in fold number folds, which is in every training part.
func (tr *training) deal(folds int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 1))
	fold := make([]int, tr.n)
	next := 0
	for c, count := range tr.counts() {
		var members []int
		for n, label := range tr.t {
			if label == c {
				members = append(members, n)
			}
		}
		rng.Shuffle(count, func(i, j int) { members[i], members[j] = members[j], members[i] })
		for _, n := range members {
			fold[n] = next % folds
			next++
		}
		if count == 1 {
			fold[members[0]] = folds
			next--
		}
	}
	return fold
}

// part is the training data of some rows, which must hold every class.
func (tr *training) part(rows []int) *training {
	p := &training{x: mat.NewDense(len(rows), tr.d, nil), t: make([]int, len(rows)), n: len(rows), d: tr.d, c: tr.c}
	for i, n := range rows {
		p.x.SetRow(i, tr.x.RawRowView(n))
		p.t[i] = tr.t[n]
	}
	return p
}

// Temperature is the T that minimises the log loss of the probabilities of y/T for
// potentials y (N×C) and labels t, between 1/20 and 20. As in Platt's scaling a label
// counts 1 − ε for its class, with ε = 1/(N+2) shared by the others: a model that makes
// no error among these samples is not believed to make none at all. Give it potentials of
// samples that the model did not learn from, such as those of CrossValidate, and
// its result to Model.WithTemperature. It panics if the lengths differ or a label
// is not one of 0 to C−1.
func Temperature(y *mat.Dense, t []int) float64 {
	n, _ := y.Dims()
	if n != len(t) {
		panic(fmt.Sprintf("mpcvm: potentials of %d samples and %d labels", n, len(t)))
	}
	return temperature(y, t, 1/float64(n+2))
}

// temperature is Temperature for another ε.
func temperature(y *mat.Dense, t []int, eps float64) float64 {
	n, c := y.Dims()
	logp, p := make([]float64, n), mat.NewDense(n, c, nil)
	loss := func(logT float64) float64 {
		p.Scale(math.Exp(-logT), y)
		probit.Batch{}.LogProb(logp, p, t)
		sum := (1 - eps) * floats.Sum(logp)
		if eps == 0 {
			return -sum
		}
		probit.Batch{}.Proba(p, p)
		for i, label := range t {
			for k, v := range p.RawRowView(i) {
				if k != label {
					sum += eps / float64(c-1) * math.Log(max(v, 1e-300))
				}
			}
		}
		return -sum
	}
	// Golden section: the loss is smooth and, in practice, has one minimum.
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := -math.Log(20), math.Log(20)
	u, v := b-ratio*(b-a), a+ratio*(b-a)
	fu, fv := loss(u), loss(v)
	for b-a > 1e-4 {
		if fu <= fv {
			b, v, fv = v, u, fu
			u = b - ratio*(b-a)
			fu = loss(u)
		} else {
			a, u, fu = u, v, fv
			v = a + ratio*(b-a)
			fv = loss(v)
		}
	}
	return math.Exp((a + b) / 2)
}
