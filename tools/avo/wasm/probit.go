package main

import (
	"math"

	"github.com/mpcvm/mpcvm/tools/avo/fit"
)

// four is a vector of four lanes.
type four [2]code

// letFour returns new variables, whose values f computes for each half.
func (f *function) letFour(value func(half int) code) four {
	return four{f.let(v128, value(0)), f.let(v128, value(1))}
}

// alive returns the lanes whose sign is set.
func alive(v four) code { return or(signs(v[0]), shift(signs(v[1]), integer(2))) }

// horner returns Σ c_k xᵏ. It sums even and odd powers separately, because the two sums do not wait for each
// other. The halves share each constant.
func (f *function) horner(c []float64, x four) four {
	square := f.letFour(func(h int) code { return mul(x[h], x[h]) })
	var s [2]four
	for k := len(c) - 1; k >= 0; k-- {
		v := f.let(v128, value(c[k]))
		for h := range 2 {
			if s := &s[k%2][h]; *s == nil {
				*s = f.let(v128, v)
			} else {
				f.set(*s, add(mul(*s, square[h]), v))
			}
		}
	}
	return f.letFour(func(h int) code { return add(mul(s[1][h], x[h]), s[0][h]) })
}

// expHalf returns exp(−w/2) = 2ᵏ exp(−f/2) with f = w + 2k ln 2, for w ≤ 1416.
func (f *function) expHalf(c []float64, w four) four {
	w = f.letFour(func(h int) code { return lesser(value(1416), w[h]) })
	magic := value(fit.Magic) // k is in the low bits of magic + k
	bits := f.letFour(func(h int) code { return add(mul(w[h], value(-0.5*math.Log2E)), magic) })
	k := f.letFour(func(h int) code { return sub(bits[h], magic) })
	w = f.letFour(func(h int) code {
		return add(add(w[h], mul(k[h], value(fit.High))), mul(k[h], value(fit.Rest)))
	})
	e := f.horner(c, w)
	return f.letFour(func(h int) code { return addBits(e[h], left(bits[h], integer(52))) })
}

// psi computes Ψ(u) = n/q and r(u)√2π = e/n, using P and Q at |u|: for u < 0, n is P and e is Q; otherwise n
// is Q − exp(−u²/2)·P and e is exp(−u²/2)·Q. Ψ(u) lacks the factor exp(−u²/2) for u < 0.
func (f *function) psi(c fit.Fit, u four) (n, q, e four) {
	w := f.letFour(func(h int) code { return greater(value(0), u[h]) })
	e = f.expHalf(c.Exp, four{mul(w[0], w[0]), mul(w[1], w[1])})
	w = f.letFour(func(h int) code { return abs(u[h]) })
	p := f.horner(c.P, w)
	q = f.horner(c.Q, w)
	n = f.letFour(func(h int) code { return abs(sub(andNot(q[h], less(u[h], value(0))), mul(e[h], p[h]))) })
	return n, q, f.letFour(func(h int) code { return mul(e[h], q[h]) })
}

// slope emits block.slopes: steps of Newton's iteration for the mode while a lane is alive, at most limit.
func slope() {
	f, p := define("slope", "iiii")
	s, gap, n, limit := p[0], p[1], p[2], p[3]
	row := func(r int) four { return four{load(s, r), load(s, r+16)} }
	at := f.letFour(func(h int) code { return row(fit.RowAt)[h] })
	wide := f.letFour(func(h int) code { return row(fit.RowWide)[h] })
	on := f.letFour(func(h int) code { return row(fit.RowAlive)[h] })
	f.loop(func() code {
		d1 := f.letFour(func(h int) code { return neg(at[h]) }) // g′ = −e + Σr
		d2 := f.letFour(func(h int) code { return value(1) })   // −g″ = 1 + Σr(u + r)
		from, rest := f.let(i32, gap), f.let(i32, n)
		f.when(rest, func() {
			f.loop(func() code {
				u := f.letFour(func(h int) code { return add(load(from, 16*h), at[h]) })
				psi, _, e := f.psi(fit.Crude, u)
				for h := range 2 {
					r := f.let(v128, mul(div(e[h], psi[h]), value(1/math.Sqrt(2*math.Pi))))
					f.set(d1[h], add(d1[h], r))
					f.set(d2[h], add(d2[h], mul(r, add(u[h], r))))
				}
				f.step(from, 32)
				f.step(rest, -1)
				return rest
			})
		})
		for h := range 2 {
			f.set(d1[h], div(d1[h], d2[h])) // the Newton step
			f.set(d2[h], div(value(1), sqrt(d2[h])))
			f.set(at[h], add(at[h], and(d1[h], on[h])))
			f.set(wide[h], pick(d2[h], wide[h], on[h]))
			f.set(on[h], and(on[h], atLeast(d1[h], mul(d2[h], value(0.01)))))
		}
		f.step(limit, -1)
		return choose(limit, integer(0), alive(on))
	})
	for h := range 2 {
		f.store(s, fit.RowAt+16*h, at[h])
		f.store(s, fit.RowWide+16*h, wide[h])
		f.store(s, fit.RowAlive+16*h, on[h])
	}
}

// node emits block.nodes: evaluations of the integrand at the nodes k, k + step, …
func node(name string, c fit.Fit) {
	f, p := define(name, "iiiiiffi", i32)
	s, gap, r, acc, n, k, step, flags := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	row := func(r, h int) code { return load(s, r+16*h) }
	active := f.let(i32, integer(0))
	f.loop(func() code {
		at := f.letFour(func(h int) code {
			return add(row(fit.RowOrigin, h), mul(row(fit.RowUnit, h), add(splat(k), row(fit.RowLead, h))))
		})
		square := f.letFour(func(int) code { return value(0) })
		total := f.letFour(func(int) code { return value(1) })
		exponent := f.letFour(func(int) code { return value(0) })
		from, to, rest := f.let(i32, gap), f.let(i32, r), f.let(i32, n)
		some := f.let(i32, integer(0))
		f.loop(func() code { // over chunks of classes
			f.set(some, choose(rest, integer(fit.Chunk), below(rest, integer(fit.Chunk))))
			f.set(rest, minus(rest, some))
			prodN := f.letFour(func(int) code { return value(1) })
			prodQ := f.letFour(func(int) code { return value(1) })
			f.loop(func() code {
				u := f.letFour(func(h int) code { return add(load(from, 16*h), at[h]) })
				n, q, e := f.psi(c, u)
				for h := range 2 {
					tail := f.let(v128, lesser(value(0), u[h]))
					f.set(square[h], add(square[h], mul(tail, tail)))
					f.store(to, 16*h, div(e[h], n[h]))
					f.set(prodN[h], mul(prodN[h], n[h]))
					f.set(prodQ[h], mul(prodQ[h], q[h]))
				}
				f.step(from, 32)
				f.step(to, 32)
				f.step(some, -1)
				return some
			})
			for h := range 2 { // total = mantissa·2^exponent
				t := f.let(v128, mul(total[h], div(prodN[h], prodQ[h])))
				f.set(exponent[h], add(exponent[h], sub(anyOf(right(t, integer(52)), value(1<<52)), value(1<<52+1023))))
				f.set(total[h], anyOf(and(t, bitsOf(1<<52-1)), value(1)))
			}
			return rest
		})
		f.when(both(flags, integer(1)), func() {
			for h := range 2 {
				f.store(s, fit.RowBase+16*h, square[h])
				f.store(s, fit.RowExponent+16*h, exponent[h])
				f.store(s, fit.RowTop+16*h, total[h])
				f.store(s, fit.RowScale+16*h, div(value(1), total[h]))
			}
		})
		origin := f.letFour(func(h int) code { return row(fit.RowOrigin, h) }) // e² − m² of the density of ε
		height := f.expHalf(c.Exp, f.letFour(func(h int) code {
			own := mul(mul(sub(at[h], origin[h]), row(fit.RowOwn, h)), add(at[h], origin[h]))
			w := add(sub(square[h], row(fit.RowBase, h)), own)
			return add(w, mul(sub(exponent[h], row(fit.RowExponent, h)), value(-2*math.Ln2)))
		}))
		// A lane stays active while the value is above cut and e ≤ to.
		on := f.letFour(func(h int) code {
			f.set(height[h], mul(mul(total[h], row(fit.RowScale, h)), height[h]))
			return and(and(above(height[h], row(fit.RowCut, h)), atMost(at[h], row(fit.RowTo, h))),
				row(fit.RowAlive, h))
		})
		for h := range 2 {
			f.set(height[h], and(height[h], on[h]))
			f.store(s, fit.RowAlive+16*h, on[h])
			f.store(s, fit.RowValue+16*h, height[h])
			f.store(s, fit.RowSum+16*h, add(row(fit.RowSum, h), height[h]))
		}
		f.when(both(flags, integer(2)), func() {
			f.set(from, acc)
			f.set(to, r)
			f.set(rest, n)
			f.loop(func() code {
				for h := range 2 {
					f.store(from, 16*h, add(load(from, 16*h), mul(load(to, 16*h), height[h])))
				}
				f.step(from, 32)
				f.step(to, 32)
				f.step(rest, -1)
				return rest
			})
		})
		f.set(k, sum(k, step))
		f.set(active, alive(on))
		return choose(active, integer(0), differ(step, zero))
	})
	f.do(active)
}
