package probit

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// Batch computes with the potentials of many samples at a time, on all cores and
// with the same bits on any number of them. Its matrices are class-major: C×N, a
// sample a column, the layout in which the learners' products run fastest.
type Batch struct {
	// Tol is the error wanted: relative in the probabilities, absolute in the
	// means. If it is zero, 1e-9 is used; less than 1e-14 cannot be had.
	Tol float64
}

// batchGrain is how many samples a goroutine takes at a time.
const batchGrain = 32

// Means writes E[z | t, y] of N samples to zbar and log p(t | y) to logp, as the
// function [Means] does for one: y and zbar are C×N and may be the same matrix, t
// and logp have length N. It panics if a shape is wrong or a label not in [0, C).
func (b Batch) Means(zbar *mat.Dense, logp []float64, y *mat.Dense, t []int) {
	c, n := y.Dims()
	if zc, zn := zbar.Dims(); zc != c || zn != n || len(t) != n || len(logp) != n {
		panic(fmt.Sprintf("probit: potentials %d×%d, means %d×%d, %d labels, %d log probabilities",
			c, n, zc, zn, len(t), len(logp)))
	}
	tol := b.Tol
	if tol == 0 {
		tol = 1e-9
	}
	q := accuracy(c, tol)
	ys, zs := y.RawMatrix(), zbar.RawMatrix()
	par.For(n, batchGrain, func(lo, hi int) {
		w := pool.Get().(*workspace)
		defer pool.Put(w)
		w.col = resized(w.col, c)
		for i := lo; i < hi; i++ {
			for k := range c {
				w.col[k] = ys.Data[k*ys.Stride+i]
			}
			logp[i] = q.expect(w.col, w.col, t[i], w)
			for k := range c {
				zs.Data[k*zs.Stride+i] = w.col[k]
			}
		}
	})
}
