package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// dual is a small random problem with its matrices.
type dual struct {
	x    *mat.Dense
	t    []int
	y    []float64 // labels, sorted by class as in training
	c    []float64
	k    *mat.Dense
	v    *values
	l    SVM
	name string
}

// randomDual returns a random problem of n samples in two classes: overlapping, separable, with random
// labels, or with repeated samples of both labels.
func randomDual(t *testing.T, rng *rand.Rand, n int, cacheMiB float64) dual {
	d := dual{x: mat.NewDense(n, 2, nil), t: make([]int, n)}
	kind := rng.IntN(4)
	spread := []float64{1, 6, 0, 1}[kind]
	for i := range n {
		d.t[i] = i % 2
		if i > 1 {
			d.t[i] = rng.IntN(2)
		}
		for j := range 2 {
			d.x.Set(i, j, rng.NormFloat64()+spread*float64(d.t[i]))
		}
		if kind == 3 && i%3 == 2 {
			d.x.SetRow(i, d.x.RawRowView(i-1))
			d.t[i] = 1 - d.t[i-1]
		}
	}
	d.l = SVM{
		C: math.Pow(10, 4*rng.Float64()-2), Tol: 1e-8, NoShrinking: rng.IntN(2) == 0, MaxIterations: 1e6,
		ClassWeights: []float64{1, 1}, CacheMiB: cacheMiB,
	}
	if rng.IntN(2) == 0 {
		d.l.ClassWeights = []float64{0.5, 3}
	}
	kernels := []kernel.Kernel{kernel.RBF{Theta: math.Pow(10, 3*rng.Float64()-2)}, kernel.Polynomial{Degree: 3,
		Scale: 0.1, Offset: 1}}
	k := kernels[rng.IntN(2)]
	d.name = fmt.Sprintf("N %d, kind %d, %v, C %.3g, weights %v, no shrinking %v, cache %g", n, kind, k, d.l.C,
		d.l.ClassWeights, d.l.NoShrinking, cacheMiB)
	tr := must.Get(newTraining(mpcvm.Samples{X: d.x, T: d.t}))(t)
	d.v = must.Get(newValues(tr, k, cacheMiB))(t)
	d.k = kernel.Gram(nil, k, tr.X)
	for _, c := range tr.T {
		d.y = append(d.y, 1-2*float64(c))
		d.c = append(d.c, d.l.C*d.l.weight(c))
	}
	return d
}

// solve returns β of each sample, b, and the final state of the solver.
func (d dual) solve(t *testing.T) (beta []float64, bias float64, b *binary) {
	t.Helper()
	b = d.v.problem(d.l, d.v.pairs[0], everything)
	if !b.advance(context.Background(), d.l.MaxIterations) || !b.done {
		t.Fatalf("%s: not solved in %d steps, violation %g", d.name, b.steps, b.violation())
	}
	m := b.machine()
	beta = make([]float64, len(d.y))
	for k, i := range m.sample {
		beta[i] = m.beta[k]
	}
	return beta, m.bias, b
}

// value returns D(β), and gradient its gradient.
func (d dual) value(beta []float64) float64 {
	sum := 0.0
	for i, f := range d.gradient(beta) {
		sum += beta[i] * (d.y[i] + f) / 2
	}
	return sum
}

func (d dual) gradient(beta []float64) []float64 {
	f := make([]float64, len(beta))
	for i := range f {
		f[i] = d.y[i]
		for j, v := range beta {
			f[i] -= d.k.At(i, j) * v
		}
	}
	return f
}

// bounds returns the bounds of β_i.
func (d dual) bounds(i int) (lo, hi float64) {
	return min(d.y[i]*d.c[i], 0), max(d.y[i]*d.c[i], 0)
}

// TestKKT checks the optimality conditions using only the matrices.
func TestKKT(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		d := randomDual(t, rng, 2+rng.IntN(120), []float64{256, 1e-9, 0.02}[rng.IntN(3)])
		d.l.Tol = 1e-3
		beta, bias, b := d.solve(t)
		checkFeasible(t, d, beta)
		f := d.gradient(beta)
		rounding := 1e-9 * max(1, d.l.C)
		for i, v := range f {
			lo, hi := d.bounds(i)
			if beta[i] < hi && v-bias > d.l.Tol+rounding || beta[i] > lo && v-bias < -d.l.Tol-rounding {
				t.Errorf("%s: sample %d: β = %v of [%v, %v], f − b = %v", d.name, i, beta[i], lo, hi, v-bias)
			}
		}
		for k, i := range b.id {
			if b.sample != nil {
				i = b.sample[i]
			}
			if math.Abs(b.f[k]-f[i]) > rounding {
				t.Errorf("%s: sample %d: gradient %v, the solver's %v", d.name, i, f[i], b.f[k])
			}
		}
	}
}

// checkFeasible checks the constraints.
func checkFeasible(t *testing.T, d dual, beta []float64) {
	t.Helper()
	sum := 0.0
	for i, v := range beta {
		sum += v
		if lo, hi := d.bounds(i); v < lo || v > hi {
			t.Errorf("%s: sample %d: β = %v is not in [%v, %v]", d.name, i, v, lo, hi)
		}
	}
	if math.Abs(sum) > 1e-10*max(1, d.l.C) {
		t.Errorf("%s: Σβ = %v", d.name, sum)
	}
}

// TestEveryStep: every step satisfies the constraints and raises D by the amount that it adds to objective.
func TestEveryStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 10 {
		d := randomDual(t, rng, 60, 256)
		b := d.v.problem(d.l, d.v.pairs[0], everything)
		last := 0.0
		for range 300 {
			b.advance(context.Background(), 1)
			beta := make([]float64, len(d.y))
			for k, i := range b.id {
				beta[i] = b.beta[k]
			}
			checkFeasible(t, d, beta)
			if b.objective < last {
				t.Fatalf("%s: D fell from %v to %v", d.name, last, b.objective)
			}
			if v := d.value(beta); math.Abs(v-b.objective) > 1e-9*max(1, v) {
				t.Fatalf("%s: D is %v, the solver reports %v", d.name, v, b.objective)
			}
			last = b.objective
		}
	}
}

// TestShrinkingAndCache: the machine is the same without shrinking and with a cache of two rows.
func TestShrinkingAndCache(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	shrunk := false
	for range 6 {
		d := randomDual(t, rng, 200, 256)
		d.l.Tol, d.l.C = 1e-5, 1
		d.l.NoShrinking = true
		beta, bias, _ := d.solve(t)
		for _, cacheMiB := range []float64{256, 1e-9, 0.1} {
			d.l.NoShrinking = false
			d.v = must.Get(newValues(d.v.training, d.v.kernel, cacheMiB))(t)
			other, otherBias, _ := d.solve(t)
			if a, b := d.value(beta), d.value(other); math.Abs(a-b) > 1e-6*a {
				t.Errorf("%s, cache %v: D is %v without shrinking, %v with", d.name, cacheMiB, a, b)
			}
			f, g := d.gradient(beta), d.gradient(other)
			for i := range f {
				if gap := (f[i] - bias) - (g[i] - otherBias); math.Abs(gap) > 1e-3 {
					t.Errorf("%s, cache %v: sample %d: decision values differ by %v", d.name, cacheMiB, i, gap)
				}
			}
		}
		b := d.v.problem(d.l, d.v.pairs[0], everything)
		for !b.done {
			b.advance(context.Background(), 20)
			shrunk = shrunk || b.active < len(b.id)
		}
	}
	if !shrunk {
		t.Error("no variable was ever shrunk, so the test is ineffective")
	}
}

// TestCache: the rows equal the rows of the matrix, and no more rows than the limit are stored.
func TestCache(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	x := mat.NewDense(20, 3, nil)
	for i := range 20 {
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	k := kernel.RBF{Theta: 0.3}
	want := kernel.Gram(nil, k, x)
	for _, tt := range []struct {
		bytes float64
		limit int
	}{{0, 2}, {1, 2}, {5 * 160, 5}, {1e9, 20}} {
		c := newCache(k, x, tt.bytes)
		var previous []float64
		last := 0
		for range 300 {
			i := rng.IntN(20)
			row := c.row(i)
			if !mat.Equal(mat.NewVecDense(20, row), want.RowView(i)) {
				t.Fatalf("%v bytes: row %d is wrong", tt.bytes, i)
			}
			if previous != nil && !mat.Equal(mat.NewVecDense(20, previous), want.RowView(last)) {
				t.Fatalf("%v bytes: row %d changed during the next call", tt.bytes, last)
			}
			previous, last = row, i
		}
		if len(c.stored) != tt.limit {
			t.Errorf("%v bytes: %d rows stored, want %d", tt.bytes, len(c.stored), tt.limit)
		}
	}
}

// TestRaise: starting from the solution for a smaller C gives the same solution.
func TestRaise(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 20 {
		d := randomDual(t, rng, 100, 256)
		d.l.C, d.l.Tol = 0.3, 1e-5
		_, _, b := d.solve(t)
		factor := []float64{1, 2, 30}[rng.IntN(3)]
		b.raise(factor)
		for i := range d.c {
			d.c[i] = d.l.weight(d.v.T[i]) * 0.3 * factor
		}
		beta := make([]float64, len(d.y))
		for k, i := range b.id {
			beta[i] = b.beta[k]
		}
		checkFeasible(t, d, beta)
		if v := d.value(beta); math.Abs(v-b.objective) > 1e-9*max(1, v) {
			t.Errorf("%s: D is %v after raising, the solver reports %v", d.name, v, b.objective)
		}
		b.advance(context.Background(), d.l.MaxIterations)
		d.l.C = 0.3 * factor
		fresh, _, _ := d.solve(t)
		if want := d.value(fresh); math.Abs(b.objective-want) > 1e-5*max(1, want) {
			t.Errorf("%s: D is %v by raising, %v from zero", d.name, b.objective, want)
		}
	}
}
