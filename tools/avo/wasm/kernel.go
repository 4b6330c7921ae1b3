package main

// Functions of package kernel, with the same bits as its Go code.

// sums emits vectorSums.
func sums() {
	f, p := define("sums", "iiiiiiiiii")
	for i, term := range []func(x, y, w code) code{ // in the order of the constants in Go
		func(x, y, _ code) code { return square(f.let(v128, sub(x, y))) },
		func(x, y, _ code) code { return abs(sub(x, y)) },
		func(x, y, w code) code {
			d := f.let(v128, sub(x, y))
			return mul(mul(w, d), d)
		},
		func(x, y, w code) code { return mul(w, abs(sub(x, y))) },
		func(x, y, _ code) code { return mul(x, y) },
	} {
		f.when(equal(p[0], integer(i)), func() { f.sums(p[1:], term) })
	}
}

func square(x code) code { return mul(x, x) }

// sums emits the sums of a term of x, y and a weight: two samples x at a time, then one.
func (f *function) sums(p []code, term func(x, y, w code) code) {
	dst, stride, x, xstride, rows, y, features, blocks, w := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]
	f.set(stride, shift(stride, integer(3)))
	f.set(xstride, shift(xstride, integer(3)))
	for _, r := range []int{2, 1} {
		f.repeat(rows, r, func() {
			to := []code{f.let(i32, dst), f.let(i32, plus(dst, stride))}[:r]
			panel, left := f.let(i32, y), f.let(i32, blocks)
			f.repeat(left, 1, func() {
				s := f.zeros(4 * r)
				from := []code{f.let(i32, x), f.let(i32, plus(x, xstride))}[:r]
				weight, rest := f.let(i32, w), f.let(i32, features)
				f.repeat(rest, 1, func() {
					for q := range 4 {
						y := f.let(v128, load(panel, 16*q))
						for i := range r {
							f.set(s[4*i+q], add(s[4*i+q], term(spread(from[i], 0), y, spread(weight, 0))))
						}
					}
					f.advance(integer(8), append(from, weight)...)
					f.step(panel, 64)
				})
				for i := range r {
					for q := range 4 {
						f.store(to[i], 16*q, s[4*i+q])
					}
				}
				f.advance(integer(64), to...)
			})
			for range r {
				f.advance(xstride, x)
				f.advance(stride, dst)
			}
		})
	}
}

// decays emits vectorDecays for n numbers, a multiple of four. table is expConstants.
func decays() {
	f, p := define("decays", "iifi")
	v, n, rate, table := p[0], p[1], p[2], p[3]
	c := func(k int) code { return spread(table, 8*k) }
	const low, high, log2e, magic, ln2hi, ln2lo, one, p0 = 0, 1, 2, 3, 4, 5, 6, 7
	f.repeat(n, 4, func() {
		each := func(g func(h int) code) four { return f.letFour(g) }
		x := each(func(h int) code {
			return lesser(f.let(v128, greater(mul(load(v, 16*h), splat(rate)), c(low))), c(high))
		})
		t := each(func(h int) code { return add(mul(x[h], c(log2e)), c(magic)) })
		n := each(func(h int) code { return sub(t[h], c(magic)) })
		r := each(func(h int) code { return sub(sub(x[h], mul(n[h], c(ln2hi))), mul(n[h], c(ln2lo))) })
		r2 := each(func(h int) code { return mul(r[h], r[h]) })
		r4 := each(func(h int) code { return mul(r2[h], r2[h]) })
		pair := func(k int) four {
			return each(func(h int) code { return add(c(p0+k), mul(c(p0+k+1), r[h])) })
		}
		a, b, d := pair(4), pair(6), pair(8)
		a = each(func(h int) code { return add(add(a[h], mul(b[h], r2[h])), mul(d[h], r4[h])) })
		b, d = pair(0), pair(2)
		b = each(func(h int) code { return add(add(b[h], mul(d[h], r2[h])), mul(a[h], r4[h])) })
		for h := range 2 {
			half := f.let(v128, right(t[h], integer(1)))
			y := add(c(one), add(r[h], mul(b[h], r2[h])))
			y = mul(mul(y, left(half, integer(52))), left(subBits(t[h], half), integer(52)))
			f.store(v, 16*h, y)
		}
		f.step(v, 32)
	})
}
