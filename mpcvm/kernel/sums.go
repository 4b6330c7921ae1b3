package kernel

import "math"

// Each sum over the features has two implementations: a reference for a pair of samples,
// and a faster one for a sample and the blocks of a panel. The latter is written in Go for
// half a block, and in assembly for more. All add the features in the same order, so they
// agree in every bit. The conversions float64(a*b) prevent the compiler from fusing
// products and sums.

// term is a term of a sum over the features.
type term int

const (
	squares           term = iota // (x − y)²
	absolutes                     // |x − y|
	weighteds                     // w(x − y)²
	weightedAbsolutes             // w|x − y|
	products                      // xy
)

// termOf returns the term of a sum with or without weights.
func termOf(s SumKind, weights bool) term {
	if weights {
		return [...]term{weighteds, weightedAbsolutes, products}[s]
	}
	return [...]term{squares, absolutes, products}[s]
}

// squared returns ‖x − y‖².
func squared(x, y []float64) float64 {
	y = y[:len(x)]
	var sum float64
	for i, v := range x {
		d := v - y[i]
		sum += float64(d * d)
	}
	return sum
}

// absolute returns ‖x − y‖₁.
func absolute(x, y []float64) float64 {
	y = y[:len(x)]
	var sum float64
	for i, v := range x {
		sum += math.Abs(v - y[i])
	}
	return sum
}

// weighted returns Σ_i w_i(x_i − y_i)², with 0·∞ = 0.
func weighted(w, x, y []float64) float64 {
	y, w = y[:len(x)], w[:len(x)]
	var sum float64
	for i, v := range x {
		d := v - y[i]
		sum += float64(w[i] * d * d)
	}
	if math.IsNaN(sum) {
		return limit(w, x, y, func(w, d float64) float64 { return w * d * d })
	}
	return sum
}

// weightedAbsolute returns Σ_i w_i|x_i − y_i|, with 0·∞ = 0.
func weightedAbsolute(w, x, y []float64) float64 {
	y, w = y[:len(x)], w[:len(x)]
	var sum float64
	for i, v := range x {
		sum += float64(w[i] * math.Abs(v-y[i]))
	}
	if math.IsNaN(sum) {
		return limit(w, x, y, func(w, d float64) float64 { return w * math.Abs(d) })
	}
	return sum
}

// dot returns xᵀy.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var sum float64
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// sums writes the sums of the terms t to dst, for a number (rows) of samples x_i, whose
// features are at x[i·xstride:], and a number (blocks) of blocks of a panel y. The sums
// for x_i are written to dst[i·stride : i·stride+8·blocks]. w contains the weights for
// weighteds and weightedAbsolutes.
func sums(t term, dst []float64, stride int, x []float64, xstride, rows int, y []octet, features, blocks int,
	w []float64) {
	if vectorSums(t, dst, stride, x, xstride, rows, y, features, blocks, w) {
		return
	}
	for i := range rows {
		xi := x[i*xstride : i*xstride+features]
		for b := range 2 * blocks { // halves of blocks
			from := y[b/2*features:][:features]
			s := dst[i*stride+4*b:][:4]
			switch t {
			case squares:
				s[0], s[1], s[2], s[3] = squared4(xi, from, b)
			case absolutes:
				s[0], s[1], s[2], s[3] = absolute4(xi, from, b)
			case weighteds:
				s[0], s[1], s[2], s[3] = weighted4(w, xi, from, b)
			case weightedAbsolutes:
				s[0], s[1], s[2], s[3] = weightedAbsolute4(w, xi, from, b)
			case products:
				s[0], s[1], s[2], s[3] = dot4(xi, from, b)
			}
		}
	}
}

func squared4(x []float64, y []octet, half int) (a, b, c, d float64) {
	y = y[:len(x)]
	for i, v := range x {
		u := &y[i][half&1]
		da, db, dc, dd := v-u[0], v-u[1], v-u[2], v-u[3]
		a += float64(da * da)
		b += float64(db * db)
		c += float64(dc * dc)
		d += float64(dd * dd)
	}
	return a, b, c, d
}

func absolute4(x []float64, y []octet, half int) (a, b, c, d float64) {
	y = y[:len(x)]
	for i, v := range x {
		u := &y[i][half&1]
		a += math.Abs(v - u[0])
		b += math.Abs(v - u[1])
		c += math.Abs(v - u[2])
		d += math.Abs(v - u[3])
	}
	return a, b, c, d
}

func weighted4(w, x []float64, y []octet, half int) (a, b, c, d float64) {
	y, w = y[:len(x)], w[:len(x)]
	for i, v := range x {
		u := &y[i][half&1]
		da, db, dc, dd := v-u[0], v-u[1], v-u[2], v-u[3]
		a += float64(w[i] * da * da)
		b += float64(w[i] * db * db)
		c += float64(w[i] * dc * dc)
		d += float64(w[i] * dd * dd)
	}
	return a, b, c, d
}

func weightedAbsolute4(w, x []float64, y []octet, half int) (a, b, c, d float64) {
	y, w = y[:len(x)], w[:len(x)]
	for i, v := range x {
		u := &y[i][half&1]
		a += float64(w[i] * math.Abs(v-u[0]))
		b += float64(w[i] * math.Abs(v-u[1]))
		c += float64(w[i] * math.Abs(v-u[2]))
		d += float64(w[i] * math.Abs(v-u[3]))
	}
	return a, b, c, d
}

func dot4(x []float64, y []octet, half int) (a, b, c, d float64) {
	y = y[:len(x)]
	for i, v := range x {
		u := &y[i][half&1]
		a += float64(v * u[0])
		b += float64(v * u[1])
		c += float64(v * u[2])
		d += float64(v * u[3])
	}
	return a, b, c, d
}
