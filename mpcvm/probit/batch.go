package probit

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// Batch computes the quantities of this package for many samples at a time, on all
// cores. The result of a sample has the same bits on any number of cores, at any row
// and next to any other samples. Where the processor has vector instructions, several
// samples share a register.
type Batch struct {
	// Tol is the largest error: relative in the probabilities, absolute in the means.
	// Values below 1e-14 count as 1e-14. If it is zero, Means uses 1e-9, and Proba and
	// LogProb use 1e-12.
	Tol float64
}

// batchGrain is how many samples a goroutine takes at a time.
const batchGrain = 32

// Means writes E[z | t, y] of N samples to zbar and log p(t | y) to logp, as the
// function [Means] does for one sample. y and zbar are C×N with a sample in each
// column, the layout in which the learners' products run fastest. They may be the same
// matrix. t and logp have length N. Means panics if a shape is wrong or a label is not
// in [0, C).
func (b Batch) Means(zbar *mat.Dense, logp []float64, y *mat.Dense, t []int) {
	c, n := y.Dims()
	if zc, zn := zbar.Dims(); zc != c || zn != n || len(t) != n || len(logp) != n {
		panic(fmt.Sprintf("probit: potentials %d×%d, means %d×%d, %d labels, %d log probabilities",
			c, n, zc, zn, len(t), len(logp)))
	}
	from, to := columns(y), columns(zbar)
	b.each(c, n, 1e-9, func(w *workspace, i, m int, level cpu.Level, q rule) {
		w.expect(from, i, m, level, q, t, logp, means)
		for l := range m {
			to.put(i+l, w.sample(l, c))
		}
	})
}

// LogProb writes log p(t | y) of N samples to logp, as the function [LogProb] does for
// one sample. y is N×C with a sample in each row. t and logp have length N. LogProb
// panics if a shape is wrong or a label is not in [0, C).
func (b Batch) LogProb(logp []float64, y *mat.Dense, t []int) {
	n, c := y.Dims()
	if len(t) != n || len(logp) != n {
		panic(fmt.Sprintf("probit: potentials %d×%d, %d labels, %d log probabilities", n, c, len(t), len(logp)))
	}
	from := rows(y)
	b.each(c, n, 1e-12, func(w *workspace, i, m int, level cpu.Level, q rule) {
		w.expect(from, i, m, level, q, t, logp, 0)
	})
}

// Proba writes the probabilities of N samples to p, as the function [Proba] does for
// one sample. A probability below 1e-290 may have fewer digits, or be zero. y and p are
// N×C with a sample in each row. They may be the same matrix. Every row of p sums to
// one, or is NaN if one of its potentials is not finite. Proba panics if the shapes
// differ.
func (b Batch) Proba(p, y *mat.Dense) {
	n, c := y.Dims()
	if pn, pc := p.Dims(); pn != n || pc != c {
		panic(fmt.Sprintf("probit: potentials %d×%d, probabilities %d×%d", n, c, pn, pc))
	}
	from, to := rows(y), rows(p)
	if n <= batchGrain { // without a closure, which would be allocated
		b.probaRows(from, to, n)
		return
	}
	b.each(c, n, 1e-12, func(w *workspace, i, m int, level cpu.Level, q rule) {
		w.proba(from, to, i, m, level, q)
	})
}

// probaRows is Proba of a few samples in the caller's goroutine.
func (b Batch) probaRows(from, to layout, n int) {
	q, level, step := b.plan(from.classes, 1e-12)
	w := pool.Get().(*workspace)
	defer pool.Put(w)
	w.samples = resized(w.samples, step*from.classes)
	for i := 0; i < n; i += step {
		w.proba(from, to, i, min(step, n-i), level, q)
	}
}

// each calls f for all samples, for m of them from i on at a time: as many as a vector
// has lanes. Without vectors, and for two classes or fewer, which have a closed form, m
// is one and level is cpu.Portable.
func (b Batch) each(c, n int, tol float64, f func(w *workspace, i, m int, level cpu.Level, q rule)) {
	q, level, step := b.plan(c, tol)
	par.For(n, batchGrain, func(lo, hi int) {
		w := pool.Get().(*workspace)
		defer pool.Put(w)
		w.samples = resized(w.samples, step*c)
		for i := lo; i < hi; i += step {
			f(w, i, min(step, hi-i), level, q)
		}
	})
}

// plan returns the rule for c classes, the vectors to use and how many samples they take at a time.
func (b Batch) plan(c int, tol float64) (q rule, level cpu.Level, step int) {
	if b.Tol != 0 {
		tol = b.Tol
	}
	level = cpu.Vector()
	if c <= 2 {
		level = cpu.Portable
	}
	return accuracy(c, tol), level, max(1, width(level))
}

// sample returns the potentials of the lth sample of a call of f by each, which the
// results overwrite.
func (w *workspace) sample(l, c int) []float64 { return w.samples[l*c : (l+1)*c] }

// expect fetches m samples from i on and writes their log p. With the flag means it
// turns their potentials into the means.
func (w *workspace) expect(from layout, i, m int, level cpu.Level, q rule, t []int, logp []float64,
	flags int) {
	c, b := from.classes, &w.block
	vectors := level != cpu.Portable
	if vectors {
		b.reset(level, q, c-1)
	}
	some := false
	for l := range m {
		y := w.sample(l, c)
		from.get(y, i+l)
		check(t[i+l], c)
		some = vectors && b.set(l, y, t[i+l]) || some
	}
	if some {
		b.expect(q, flags)
	}
	for l := range m {
		y, t := w.sample(l, c), t[i+l]
		switch {
		case some && b.used[l]:
			logp[i+l] = b.logProb(l)
			if flags&means != 0 {
				b.means(l, y, t)
			}
		case flags&means != 0:
			logp[i+l] = q.expect(y, y, t, w)
		default:
			logp[i+l] = q.expect(nil, y, t, w)
		}
	}
}

// proba fetches m samples from i on, turns their potentials into probabilities and stores these.
func (w *workspace) proba(from, to layout, i, m int, level cpu.Level, q rule) {
	c := from.classes
	for l := range m {
		from.get(w.sample(l, c), i+l)
	}
	if level != cpu.Portable {
		w.block.proba(w.samples, m, c, level, q)
	}
	for l := range m {
		if level == cpu.Portable || !w.block.used[l] {
			y := w.sample(l, c)
			q.proba(y, y, w)
		}
	}
	for l := range m {
		to.put(i+l, w.sample(l, c))
	}
}

// layout describes where a matrix holds its potentials: the potential of class k of sample i is
// data[k*class+i*sample].
type layout struct {
	data                   []float64
	classes, class, sample int
}

func columns(m *mat.Dense) layout {
	raw := m.RawMatrix()
	return layout{raw.Data, raw.Rows, raw.Stride, 1}
}

func rows(m *mat.Dense) layout {
	raw := m.RawMatrix()
	return layout{raw.Data, raw.Cols, 1, raw.Stride}
}

func (m layout) get(dst []float64, i int) {
	at := i * m.sample
	for k := range dst {
		dst[k] = m.data[at]
		at += m.class
	}
}

func (m layout) put(i int, src []float64) {
	at := i * m.sample
	for _, v := range src {
		m.data[at] = v
		at += m.class
	}
}
