package probit

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// Batch computes the quantities of this package for many samples on all cores. The
// result for a sample does not depend on the number of cores, its row or the other
// samples. If the processor has vector instructions, several samples share a register.
type Batch struct {
	// Tol is the maximum error, relative in the probabilities and absolute in the means. Values
	// below 1e-14 have the effect of 1e-14. If it is zero, Means uses 1e-9, Proba 1e-10 and
	// LogProb 1e-12.
	Tol float64
}

// batchGrain is the number of samples that a goroutine takes at a time.
const batchGrain = 32

// tolProba is the default tolerance of Proba.
const tolProba = 1e-10

// Means writes E[z | t, y] to zbar and log p(t | y) to logp for N samples; see the
// function [Means]. y and zbar are C×N matrices with a sample in each column, and may be
// the same matrix. t and logp have length N. Means panics if a shape is wrong or a label
// is not in [0, C).
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

// LogProb writes log p(t | y) to logp for N samples; see the function [LogProb]. y is an
// N×C matrix with a sample in each row. t and logp have length N. LogProb panics if a
// shape is wrong or a label is not in [0, C).
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

// Proba writes the probabilities of N samples to p; see the function [Proba].
// Probabilities below 1e-290 may be inaccurate or zero. y and p are N×C matrices with a
// sample in each row, and may be the same matrix. Each row of p sums to one, or is NaN if
// a potential in that row is not finite. Proba panics if the shapes differ.
func (b Batch) Proba(p, y *mat.Dense) {
	n, c := y.Dims()
	if pn, pc := p.Dims(); pn != n || pc != c {
		panic(fmt.Sprintf("probit: potentials %d×%d, probabilities %d×%d", n, c, pn, pc))
	}
	from, to := rows(y), rows(p)
	if n <= batchGrain { // avoids the allocation of a closure
		b.probaRows(from, to, n)
		return
	}
	b.each(c, n, tolProba, func(w *workspace, i, m int, level cpu.Level, q rule) {
		w.proba(from, to, i, m, level, q)
	})
}

// probaRows is Proba for a few samples in the goroutine of the caller.
func (b Batch) probaRows(from, to layout, n int) {
	q, level, step := b.plan(from.classes, tolProba)
	w := pool.Get().(*workspace)
	defer pool.Put(w)
	w.samples = resized(w.samples, step*from.classes)
	for i := 0; i < n; i += step {
		w.proba(from, to, i, min(step, n-i), level, q)
	}
}

// each calls f for all samples, for m samples from i on at a time, where m is at most the
// number of lanes of a vector. Without vectors, and for at most two classes, which have
// a closed form, m is one and level is cpu.Portable.
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

// plan returns the rule for c classes, the vectors to use and the number of samples in a vector.
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

// sample returns the potentials of the lth sample in a call of f by each. The results
// overwrite them.
func (w *workspace) sample(l, c int) []float64 { return w.samples[l*c : (l+1)*c] }

// expect loads m samples from i on and writes their log p. With the flag means, it
// replaces their potentials by the means.
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

// proba loads m samples from i on, and computes and stores their probabilities.
func (w *workspace) proba(from, to layout, i, m int, level cpu.Level, q rule) {
	c := from.classes
	for l := range m {
		from.get(w.sample(l, c), i+l)
	}
	switch {
	case level == cpu.Portable:
	case m == 1:
		w.block.probaOne(w.sample(0, c), level, q)
	default:
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

// layout describes how a matrix stores potentials: the potential of class k of sample i is
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
