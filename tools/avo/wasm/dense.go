package main

// Functions of package dense, for the width 4. All arguments are addresses and numbers of float64.

// repeat emits a loop while there are at least step of the rest, which it reduces by step each time.
func (f *function) repeat(rest code, step int, body func()) {
	enough := atLeastI(rest, integer(step))
	f.when(enough, func() {
		f.loop(func() code {
			body()
			f.step(rest, -step)
			return enough
		})
	})
}

// product adds the product of two vectors to a sum.
func (f *function) product(sum, x, y code) { f.set(sum, add(sum, mul(x, y))) }

// productSingle is product for vectors of float32.
func (f *function) productSingle(sum, x, y code) { f.set(sum, addSingle(sum, mulSingle(x, y))) }

// zeros returns n variables that are zero.
func (f *function) zeros(n int) (list []code) {
	for range n {
		list = append(list, f.let(v128, value(0)))
	}
	return list
}

// advance adds a number of bytes to addresses.
func (f *function) advance(bytes code, addresses ...code) {
	for _, a := range addresses {
		f.set(a, plus(a, bytes))
	}
}

// across returns the sum of the lanes of a, and the sum of the lanes of b.
func across(a, b code) code { return add(lanes(a, b, 0, 2), lanes(a, b, 1, 3)) }

// panel emits panel: rows of A, two at a time, against four rows of B, of which the last is repeated if there
// are fewer. Each pair of rows has its own sum, in the type of the elements.
func panel(e elements) {
	f, p := define("panel"+e.suffix, "iiiiiiiiii")
	one, product, per := loadOne, f.product, 16/e.size
	if e.size == 4 {
		one, product = loadSingle, f.productSingle
	}
	do, c, ldc, a, lda, m, b, ldb, nb, k := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9]
	f.set(ldc, shift(ldc, integer(3)))
	for _, ld := range []code{lda, ldb} {
		f.set(ld, shift(ld, integer(e.size/4+1)))
	}
	keep := f.let(v128, choose(bitsOf(1<<64-1), value(0), do))
	sign := f.let(v128, choose(bitsOf(1<<63), value(0), both(do, integer(2)))) // of the operation sub
	start := []code{b}
	for j := 1; j < 4; j++ {
		start = append(start, f.let(i32, plus(start[j-1], choose(ldb, integer(0), below(integer(j), nb)))))
	}
	for _, r := range []int{2, 1} {
		f.repeat(m, r, func() {
			s := f.zeros(4 * r)
			from := []code{f.let(i32, a), f.let(i32, plus(a, lda))}[:r]
			var to []code
			for _, b := range start {
				to = append(to, f.let(i32, b))
			}
			terms := func(load func(code, int) code, offset int) {
				var x []code
				for i := range r {
					x = append(x, f.let(v128, load(from[i], offset)))
				}
				for j := range 4 {
					y := f.let(v128, load(to[j], offset))
					for i := range r {
						product(s[4*i+j], x[i], y)
					}
				}
			}
			rest := f.let(i32, k)
			for _, several := range []int{2 * per, per} {
				f.repeat(rest, several, func() {
					for n := 0; n < several; n += per {
						terms(load, e.size*n)
					}
					f.advance(integer(e.size*several), append(from, to...)...)
				})
			}
			f.repeat(rest, 1, func() {
				terms(one, 0)
				f.advance(integer(e.size), append(from, to...)...)
			})
			for i := 0; i < len(s) && e.size == 4; i++ {
				f.set(s[i], add(promote(s[i]), promote(lanes(s[i], s[i], 1, 1))))
			}
			for i := range r {
				for h := range 2 {
					sum := f.let(v128, xor(across(s[4*i+2*h], s[4*i+2*h+1]), sign))
					f.when(atLeastI(nb, integer(2*h+2)), func() {
						f.store(c, 16*h, add(and(load(c, 16*h), keep), sum))
					})
					f.when(equal(nb, integer(2*h+1)), func() {
						f.storeOne(c, 16*h, add(and(loadOne(c, 16*h), keep), sum))
					})
				}
				f.advance(ldc, c)
				f.advance(lda, a)
			}
		})
	}
}

// divide emits divide for four columns, with the table of dividers.
func divide() {
	f, p := define("divide", "iiii")
	x, ldx, m, t := p[0], p[1], p[2], p[3]
	var table []four
	for i := range 4 {
		table = append(table, f.letFour(func(h int) code { return load(t, 32*i+16*h) }))
	}
	f.repeat(m, 1, func() {
		row := f.letFour(func(h int) code { return mul(load(x, 16*h), table[0][h]) })
		for i := range 3 {
			known := f.let(v128, lanes(row[i/2], row[i/2], i%2, i%2))
			for h := range 2 {
				f.set(row[h], sub(row[h], mul(table[i+1][h], known)))
			}
		}
		for h := range 2 {
			f.store(x, 16*h, row[h])
		}
		f.advance(shift(ldx, integer(3)), x)
	})
}

// dot emits dot, with four sums.
func dot() {
	f, p := define("dot", "iii", f64)
	x, y, n := p[0], p[1], p[2]
	s := f.zeros(4)
	for _, several := range []int{4, 1} {
		f.repeat(n, 2*several, func() {
			for i := range several {
				f.product(s[i], load(x, 16*i), load(y, 16*i))
			}
			f.advance(integer(16*several), x, y)
		})
	}
	f.when(n, func() { f.product(s[0], loadOne(x, 0), loadOne(y, 0)) })
	all := f.let(v128, add(add(s[0], s[1]), add(s[2], s[3])))
	f.do(first(across(all, all)))
}

// elements are numbers of float64 or float32, which are loaded as float64.
type elements struct {
	suffix        string
	size          int // in bytes
	load, loadOne func(at code, offset int) code
}

var (
	doubles = elements{"", 8, load, loadOne}
	singles = elements{"Single", 4,
		func(at code, offset int) code { return promote(loadOne(at, offset)) },
		func(at code, offset int) code { return promote(loadSingle(at, offset)) }}
)

// combine emits y += Σ_i w_i·rows_i, with four rows at a time, then one. rows is an array of slices.
func combine(e elements) {
	f, p := define("combine"+e.suffix, "iiiii")
	y, n, w, rows, count := p[0], p[1], p[2], p[3], p[4]
	for _, several := range []int{4, 1} {
		f.repeat(count, several, func() {
			var weights, from []code
			for i := range several {
				weights = append(weights, f.let(v128, spread(w, 8*i)))
				from = append(from, f.let(i32, loadI(rows, 24*i)))
			}
			to, rest := f.let(i32, y), f.let(i32, n)
			each := func(sum code, load func(code, int) code) code {
				for i := range several {
					sum = add(sum, mul(weights[i], load(from[i], 0)))
				}
				return sum
			}
			f.repeat(rest, 2, func() {
				f.store(to, 0, each(load(to, 0), e.load))
				f.advance(integer(2*e.size), from...)
				f.step(to, 16)
			})
			f.when(rest, func() { f.storeOne(to, 0, each(loadOne(to, 0), e.loadOne)) })
			f.step(w, 8*several)
			f.step(rows, 24*several)
		})
	}
}

// multiply emits mul for eight columns of B: two rows of A at a time, then one. Each sum adds its terms in
// order.
func multiply(e elements) {
	f, p := define("mul"+e.suffix, "iiiiiiii")
	c, ldc, a, lda, m, b, ldb, k := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	f.set(ldc, shift(ldc, integer(3)))
	f.set(lda, shift(lda, integer(3)))
	f.set(ldb, shift(ldb, integer(e.size/4+1)))
	for _, r := range []int{2, 1} {
		f.repeat(m, r, func() {
			to := []code{c, f.let(i32, plus(c, ldc))}[:r]
			from := []code{f.let(i32, a), f.let(i32, plus(a, lda))}[:r]
			var s [2][4]code
			for i := range r {
				for q := range s[i] {
					s[i][q] = f.let(v128, load(to[i], 16*q))
				}
			}
			row, rest := f.let(i32, b), f.let(i32, k)
			f.repeat(rest, 1, func() {
				var x []code
				for i := range r {
					x = append(x, f.let(v128, spread(from[i], 0)))
				}
				for q := range 4 {
					y := f.let(v128, e.load(row, 2*e.size*q))
					for i := range r {
						f.product(s[i][q], x[i], y)
					}
				}
				f.advance(integer(8), from...)
				f.advance(ldb, row)
			})
			for i := range r {
				for q := range s[i] {
					f.store(to[i], 16*q, s[i][q])
				}
				f.advance(lda, a)
			}
			f.set(c, plus(to[r-1], ldc))
		})
	}
}
