package svm

import (
	"context"
	"math"
	"slices"

	"github.com/mpcvm/mpcvm/internal/fitting"
)

// binary is the dual of a pair of classes and the state of its solution; see the package comment. The steps
// permute the variables: the first active ones are optimised, and the others are shrunk.
type binary struct {
	rows   rows
	id     []int32   // row and column of each variable in rows
	sample []int32   // sample of each id; nil if the ids are the samples
	y      []float64 // ±1
	lo, hi []float64 // bounds of beta
	beta   []float64
	f      []float64 // gradient y − Kβ; out of date for shrunk variables
	diag   []float64 // K_ii
	// up is 0 if beta < hi, else −Inf, and low is 0 if beta > lo, else +Inf. Adding them to f excludes the
	// variables that may not increase or decrease.
	up, low []float64

	tol      float64
	noShrink bool

	active      int
	first       int     // i, the variable of m
	m, M        float64 // over the active variables
	sinceShrink int     // steps since the last attempt to shrink
	near        bool    // m − M has been below 10·tol

	objective float64 // D(β)
	steps     int
	done      bool // m − M ≤ tol over all variables
}

// curvature is the smallest value of K_ii + K_jj − 2K_ij used as a divisor: τ of Fan, Chen and Lin, section
// 4, for kernels that are not positive definite.
const curvature = 1e-12

// newBinary returns the problem of samples id with labels y and upper bounds c of y·beta, starting at β = 0.
// It retains the slices.
func newBinary(r rows, id, sample []int32, y, c, diag []float64) *binary {
	n := len(id)
	state := make([]float64, 6*n)
	next := func() []float64 {
		s := state[:n:n]
		state = state[n:]
		return s
	}
	b := &binary{
		rows: r, id: id, sample: sample, y: y, diag: diag, lo: next(), hi: next(),
		beta: next(), f: next(), up: next(), low: next(), active: n,
	}
	for k, v := range y {
		b.lo[k], b.hi[k] = min(v*c[k], 0), max(v*c[k], 0)
		b.f[k] = v
		b.mark(k)
	}
	b.scan()
	return b
}

// mark updates up and low of variable k.
func (b *binary) mark(k int) {
	b.up[k], b.low[k] = 0, 0
	if b.beta[k] >= b.hi[k] {
		b.up[k] = math.Inf(-1)
	}
	if b.beta[k] <= b.lo[k] {
		b.low[k] = math.Inf(1)
	}
}

// scan computes i, m and M.
func (b *binary) scan() {
	b.first, b.m, b.M = -1, math.Inf(-1), math.Inf(1)
	for k, f := range b.f[:b.active] {
		if v := f + b.up[k]; v > b.m {
			b.first, b.m = k, v
		}
		b.M = min(b.M, f+b.low[k])
	}
}

// violation returns m − M, which is at most tol at the solution.
func (b *binary) violation() float64 { return max(b.m-b.M, 0) }

// advance makes up to limit steps, and fewer if the problem is solved (done) or ctx ends. ok is false if a
// kernel value is not finite.
func (b *binary) advance(ctx context.Context, limit int) (ok bool) {
	const check = 64 // steps between checks of ctx
	for s := 0; s < limit; s++ {
		if s%check == 0 && ctx.Err() != nil {
			return true
		}
		if !b.noShrink {
			b.shrink()
		}
		if b.violation() <= b.tol {
			if b.active < len(b.id) {
				b.unshrink()
				b.sinceShrink = 0
			}
			if b.violation() <= b.tol {
				b.done = true
				return fitting.AllFinite(b.f)
			}
		}
		if !b.step() {
			return false
		}
	}
	return true
}

// step changes the two variables of the working set. It returns false if it finds no second variable, which
// happens only if kernel values are NaN.
func (b *binary) step() bool {
	i, m := b.first, b.m
	n := b.active
	id, f, low, up, diag := b.id[:n], b.f[:n], b.low[:n], b.up[:n], b.diag[:n]
	ki, kii := b.rows.row(int(id[i])), diag[i]
	j, best, under := -1, 0.0, 1.0 // best/under is the largest quotient so far
	for k, c := range id {
		if d := m - (f[k] + low[k]); d > 0 {
			a := kii + diag[k] - 2*ki[c]
			if a < curvature {
				a = curvature
			}
			if d*d*under > best*a {
				j, best, under = k, d*d, a
			}
		}
	}
	if j < 0 {
		return false
	}
	kj := b.rows.row(int(id[j]))
	a, d := kii+diag[j]-2*ki[id[j]], m-f[j]
	increase, decrease := b.hi[i]-b.beta[i], b.beta[j]-b.lo[j] // limits
	delta := min(d/max(a, curvature), increase, decrease)
	b.beta[i] += delta
	b.beta[j] -= delta
	if delta == increase {
		b.beta[i] = b.hi[i] // exactly
	}
	if delta == decrease {
		b.beta[j] = b.lo[j]
	}
	b.mark(i)
	b.mark(j)
	b.objective += delta * (d - a*delta/2)
	b.steps++
	b.sinceShrink++

	first, top, bottom := -1, math.Inf(-1), math.Inf(1) // the same as scan, in one pass with the update
	for k, c := range id {
		v := f[k] - delta*(ki[c]-kj[c])
		f[k] = v
		if u := v + up[k]; u > top {
			first, top = k, u
		}
		if l := v + low[k]; l < bottom {
			bottom = l
		}
	}
	b.first, b.m, b.M = first, top, bottom
	return true
}

// shrink shrinks variables every 1000 steps, or every N steps if N is smaller. Close to the solution, it
// first makes all variables active once.
func (b *binary) shrink() {
	if b.sinceShrink < min(len(b.id), 1000) {
		return
	}
	b.sinceShrink = 0
	if !b.near && b.violation() <= 10*b.tol {
		b.near = true
		b.unshrink()
	}
	for k := 0; k < b.active; {
		if atTop := b.up[k] < 0 && b.f[k] > b.m; atTop || b.low[k] > 0 && b.f[k] < b.M {
			b.active--
			b.swap(k, b.active)
		} else {
			k++
		}
	}
	b.scan() // the index i may have changed; m and M have not
}

func (b *binary) swap(k, l int) {
	b.id[k], b.id[l] = b.id[l], b.id[k]
	for _, v := range [...][]float64{b.y, b.lo, b.hi, b.beta, b.f, b.diag, b.up, b.low} {
		v[k], v[l] = v[l], v[k]
	}
}

// unshrink makes all variables active. It computes the gradient of the shrunk variables from its definition.
func (b *binary) unshrink() {
	n := b.active
	if n == len(b.id) {
		return
	}
	shrunk, f := b.id[n:], b.f[n:]
	copy(f, b.y[n:])
	for k, beta := range b.beta {
		if beta != 0 {
			row := b.rows.row(int(b.id[k]))
			for l, c := range shrunk {
				f[l] -= beta * row[c]
			}
		}
	}
	b.active = len(b.id)
	b.scan()
}

// raise multiplies all bounds by r ≥ 1, and the solution by the factor in [1, r] that maximises D, as the
// start for a larger C. The factor is near 1 if few variables are at their bounds, and r if all are.
func (b *binary) raise(r float64) {
	b.unshrink()
	var linear, quadratic float64 // Σyβ and βᵀKβ
	for k, beta := range b.beta {
		linear += b.y[k] * beta
		quadratic += beta * (b.y[k] - b.f[k])
	}
	s := r
	if quadratic > 0 {
		s = min(max(linear/quadratic, 1), r)
	}
	for k := range b.beta {
		b.lo[k] *= r
		b.hi[k] *= r
		b.f[k] = b.y[k] - s*(b.y[k]-b.f[k])
		b.beta[k] = min(max(s*b.beta[k], b.lo[k]), b.hi[k])
		b.mark(k)
	}
	b.objective = s * (linear - s*quadratic/2)
	b.scan()
	b.near, b.done, b.steps, b.sinceShrink = false, false, 0, 0
}

// machine is the solution of a pair: the samples with β ≠ 0, ascending, and b.
type machine struct {
	sample []int32
	beta   []float64
	bias   float64
}

// machine returns the current solution. It calls unshrink.
func (b *binary) machine() machine {
	b.unshrink()
	var m machine
	order := make([]int, 0, len(b.id))
	for k, beta := range b.beta {
		if beta != 0 {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(k, l int) int { return int(b.id[k] - b.id[l]) })
	m.sample, m.beta = make([]int32, len(order)), make([]float64, len(order))
	for i, k := range order {
		m.sample[i], m.beta[i] = b.id[k], b.beta[k]
		if b.sample != nil {
			m.sample[i] = b.sample[b.id[k]]
		}
	}
	m.bias = b.bias()
	return m
}

// bias returns b: the mean gradient of the free variables, for which y_i = (Kβ)_i + b. Without free
// variables, it is the midpoint of m and M.
func (b *binary) bias() float64 {
	sum, free := 0.0, 0
	for k, f := range b.f {
		if b.up[k] == 0 && b.low[k] == 0 {
			sum += f
			free++
		}
	}
	if free == 0 {
		return b.m/2 + b.M/2
	}
	return sum / float64(free)
}
