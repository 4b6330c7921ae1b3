package vote

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// OneVsOne fits a binary classifier for each pair of classes. The zero value is ready to use.
type OneVsOne struct {
	// Base fits the binary classifiers. If it is nil, mpcvm.BottomUp{} is used, which sets the kernel width
	// of each classifier to the inverse of the median distance of its samples. Functions in Base, such as
	// OnTrial of search.Width, are called from several goroutines.
	Base mpcvm.Learner
}

// OneVsRest fits a binary classifier for each class against all the others. The zero value is ready to use.
type OneVsRest struct {
	// Base is the same as in OneVsOne.
	Base mpcvm.Learner
}

// Fit trains a model on the samples. The features should be standardised.
//
// Each iteration is a binary classifier, in the order of the pairs (0, 1), (0, 2), .... The classifiers are
// fitted in parallel, and observers see them in this order. Objective, LogLik and Weights of a Step are sums
// over the classifiers so far; weights are counted by the class of the sample. The objective may fall. Change
// is always 0. The status is IterationLimit if at least one classifier has this status, and Collapsed if all
// have.
//
// Fit returns a *mpcvm.CellError if the data are invalid, and the other errors of Base. If ctx ends, or an
// observer stops the fit, Fit returns a model of the classifiers so far, or nil if there are none; the
// missing classifiers predict the frequencies of their two classes. If ctx ends, the error wraps ctx.Err().
func (l OneVsOne) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*Model,
	mpcvm.Result, error) {
	return fit(ctx, l.Base, s, observers, func(classes int) (all []problem) {
		for i := range classes {
			for j := i + 1; j < classes; j++ {
				all = append(all, problem{i, j})
			}
		}
		return all
	})
}

// Fit is like OneVsOne.Fit, with a binary classifier for each class, in the order of the classes.
func (l OneVsRest) Fit(ctx context.Context, s mpcvm.Samples, observers ...mpcvm.Observer) (*Model,
	mpcvm.Result, error) {
	return fit(ctx, l.Base, s, observers, func(classes int) (all []problem) {
		for c := range classes {
			all = append(all, problem{rest, c})
		}
		return all
	})
}

// problem contains the classes 0 and 1 of a binary classifier. Class 0 may be the rest.
type problem struct{ zero, one int }

const rest = -1

func (p problem) String() string {
	if p.zero == rest {
		return fmt.Sprintf("class %d against the rest", p.one)
	}
	return fmt.Sprintf("class %d against class %d", p.zero, p.one)
}

// rows returns the samples of the problem and their binary labels.
func (p problem) rows(t []int) (rows, labels []int) {
	for n, c := range t {
		switch {
		case c == p.one:
			rows, labels = append(rows, n), append(labels, 1)
		case p.zero == rest || c == p.zero:
			rows, labels = append(rows, n), append(labels, 0)
		}
	}
	return rows, labels
}

// fit solves the problems in parallel and records the solutions in order.
func fit(ctx context.Context, base mpcvm.Learner, s mpcvm.Samples, observers []mpcvm.Observer,
	problems func(classes int) []problem) (*Model, mpcvm.Result, error) {
	d, err := fitting.NewEqual("vote", fitting.Samples(s))
	if err != nil {
		return nil, mpcvm.Result{}, err
	}
	if base == nil {
		base = mpcvm.BottomUp{}
	}
	b := newBuilder(d, problems(d.C))
	r := mpcvm.NewRun(ctx, len(b.model.problems), observers...)
	r.Snapshot = func() mpcvm.Classifier {
		m := *b.model
		m.binary = slices.Clone(m.binary)
		return &m
	}
	running, cancel := context.WithCancel(ctx)
	solved := b.solve(running, base)
	defer func() { // no goroutine outlives the fit
		cancel()
		for _, s := range solved {
			<-s
		}
	}()
	for i, p := range b.model.problems {
		f := <-solved[i]
		if f.cause != nil {
			panic(f.cause)
		}
		if ctx.Err() != nil {
			r.End(mpcvm.Cancelled)
			break
		}
		if f.err != nil {
			return nil, mpcvm.Result{}, located(f, p)
		}
		if r.Record(b.take(i, f)) {
			break
		}
	}
	result, err := r.Finish()
	if result.Status == mpcvm.IterationLimit { // all problems are solved
		result.Status = b.status
	}
	if result.Iterations == 0 {
		return nil, result, err
	}
	return b.model, result, err
}

// builder is the state of a fit.
type builder struct {
	*fitting.Data
	model  *Model
	used   []bool     // samples that are in some binary model
	step   mpcvm.Step // step of the last problem
	status mpcvm.Status
}

func newBuilder(d *fitting.Data, all []problem) *builder {
	b := &builder{
		Data:  d,
		model: &Model{classes: d.C, dim: d.D, problems: all, binary: make([]*mpcvm.Model, len(all))},
		used:  make([]bool, d.N), step: mpcvm.Step{Weights: make([]int, d.C)}, status: mpcvm.Collapsed,
	}
	counts := d.Counts()
	for _, p := range all {
		rows, _ := p.rows(d.T)
		b.model.share = append(b.model.share, float64(counts[p.one])/float64(len(rows)))
	}
	return b
}

// take adds the solution of problem i to the model.
func (b *builder) take(i int, f fitted) mpcvm.Step {
	b.model.binary[i] = f.model
	weights := slices.Clone(b.step.Weights)
	for _, v := range f.model.RelevanceVectors() {
		n := f.rows[v.Index]
		if !b.used[n] {
			b.used[n] = true
			b.model.vectors++
		}
		for _, w := range v.Weights {
			if w != 0 {
				weights[b.T[n]]++
				b.model.weights++
			}
		}
	}
	b.step = mpcvm.Step{
		Objective: b.step.Objective + f.result.Objective, LogLik: b.step.LogLik + f.result.LogLik, Weights: weights,
	}
	switch {
	case f.result.Status == mpcvm.IterationLimit:
		b.status = mpcvm.IterationLimit
	case b.status == mpcvm.Collapsed && f.result.Status != mpcvm.Collapsed:
		b.status = mpcvm.Converged
	}
	return b.step
}

// fitted is the solution of a problem.
type fitted struct {
	model  *mpcvm.Model
	result mpcvm.Result
	rows   []int // row of each sample in the whole data
	err    error
	cause  any // of a panic
}

// solve fits the problems on all cores. It returns a channel for each problem, which sends the
// solution and is then closed.
func (b *builder) solve(ctx context.Context, base mpcvm.Learner) []chan fitted {
	all := b.model.problems
	out, next := make([]chan fitted, len(all)), make(chan int, len(all))
	for i := range all {
		out[i] = make(chan fitted, 1)
		next <- i
	}
	close(next)
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		go func() {
			for i := range next {
				out[i] <- b.solveOne(ctx, base, all[i])
				close(out[i])
			}
		}()
	}
	return out
}

func (b *builder) solveOne(ctx context.Context, base mpcvm.Learner, p problem) (f fitted) {
	defer func() { f.cause = recover() }() // to panic in the goroutine of Fit
	if f.err = ctx.Err(); f.err != nil {
		return f
	}
	var labels []int
	f.rows, labels = p.rows(b.T)
	part := mpcvm.Samples(b.Part(f.rows).Samples())
	part.T = labels
	f.model, f.result, f.err = base.Fit(ctx, part)
	return f
}

// located adds the problem to an error. A *mpcvm.CellError gets the row in the whole data.
func located(f fitted, p problem) error {
	var bad *mpcvm.CellError
	if errors.As(f.err, &bad) && bad.Row > 0 {
		moved := *bad
		moved.Row = int64(f.rows[bad.Row-1]) + 1
		f.err = &moved
	}
	return fmt.Errorf("vote: %v: %w", p, f.err)
}
