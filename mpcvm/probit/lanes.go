package probit

import (
	"math"
	"math/bits"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// lanes is the state of the samples in a vector register, which has four or eight lanes.
// The assembly relies on the order of the fields.
type lanes struct {
	origin, unit   [8]float64 // nodes are at e = origin + (k + lead)·unit
	to, cut        [8]float64 // nodes end where e > to, or integrand ≤ cut·(its value at the first node)
	own            [8]float64 // 1 if the integrand includes the density of ε, else 0
	alive          [8]uint64  // all bits are set while a lane needs more steps or nodes
	at, wide       [8]float64 // position and width in Newton's iteration
	base, exponent [8]float64 // base is Σ u² over u < 0 at the first node, where the
	top, scale     [8]float64 // product of factors is top·2^exponent; scale is 1/top
	sum            [8]float64 // Σ of the integrand, relative to the first node
	lead           [8]float64 // 0 … 7 if the lanes share the nodes of a sample, else zeros
	value          [8]float64 // the integrand at the last node, relative to the first
}

// block evaluates the expectations of several samples at once, each in its own lane. The
// lanes are independent, so the result for a sample does not depend on the others. A lane
// that is not alive is not changed any more.
type block struct {
	lanes
	level       cpu.Level
	fast        bool       // see rule
	n           int        // number of rows of gap, r and acc that are in use
	gap, r, acc []float64  // as in workspace, with the lanes side by side; r and acc lack the factor 1/√2π
	used        [8]bool    // lanes with a sample
	m, narrow   [8]float64 // see mode
}

// The rational approximation of Mills' ratio in the vectors is valid for gaps down to
// −deepest; the scalar code evaluates samples with lower gaps. Gaps above shallow are
// replaced by shallow, because then Ψ is one and r is zero.
const (
	deepest = 60
	shallow = 60
)

// Flags of nodes.
const (
	first = 1 << iota // this is the first node of all lanes
	means             // add to acc
)

// Each architecture has two methods. slopes takes up to limit steps of Newton's iteration in
// the lanes that are alive. A lane stays alive if the step was at least 1e-2 of the width. Six
// digits are enough, because the quadrature does not depend on the exact mode.
//
// nodes evaluates the integrand at the nodes k, k + step, … of each lane while one is alive,
// or at the node k if step is zero. It adds the value to sum, and the value times r_j to acc.
// A lane is no longer alive after its last node.

func width(level cpu.Level) int { return [...]int{0, 4, 8}[level] }

// reset prepares the block for n gaps in each lane and marks all lanes as unused.
func (b *block) reset(level cpu.Level, q rule, n int) {
	b.level, b.fast, b.n = level, q.fast, n
	size := n * width(level)
	b.gap, b.r, b.acc = resized(b.gap, size), resized(b.r, size), resized(b.acc, size)
	clear(b.gap)
	b.used, b.lead = [8]bool{}, [8]float64{}
}

// ready marks the lanes in use as alive for the steps or nodes that follow.
func (b *block) ready() {
	for l, used := range b.used {
		if b.alive[l] = 0; used {
			b.alive[l] = math.MaxUint64
		}
	}
}

// set writes the gaps y_t − y_j of class t of a sample to lane l. It returns false and
// leaves the lane unused if they are outside the range of the vectors.
func (b *block) set(l int, y []float64, t int) bool {
	w, own := width(b.level), y[t]
	if own > math.MaxFloat64 {
		return false
	}
	row := l
	for j, v := range y {
		if j == t {
			continue
		}
		d := own - v
		if !(d >= -deepest && v >= -math.MaxFloat64) { // also true for NaN
			return false
		}
		b.gap[row] = min(d, shallow)
		row += w
	}
	b.used[l] = true
	return true
}

// mode sets m and narrow for all lanes; see workspace.mode.
func (b *block) mode() (wide [8]float64) {
	b.at = [8]float64{}
	for l := range b.wide {
		b.wide[l] = 1
	}
	b.ready()
	b.slopes(100)
	b.m, wide = b.at, b.wide
	for l := range b.at {
		b.at[l] -= 4 * wide[l]
	}
	b.ready()
	b.slopes(1)
	b.narrow = b.wide
	return wide
}

// expect is rule.expect for the samples that are set. It stores Σ p in sum and, with the
// flag means, Σ p·r_j in acc.
func (b *block) expect(q rule, flags int) {
	b.mode()
	b.origin = b.m
	for l, narrow := range b.narrow {
		b.unit[l] = q.step * narrow
		b.to[l], b.cut[l] = math.Inf(1), q.cut
		b.own[l], b.sum[l] = 1, 0
	}
	clear(b.acc)
	b.ready()
	b.nodes(0, 0, flags|first)
	b.nodes(1, 1, flags)
	b.ready()
	b.nodes(-1, -1, flags)
}

// logProb returns log p(t | y) of the sample in lane l after expect.
func (b *block) logProb(l int) float64 {
	square := b.base[l] + b.m[l]*b.m[l]
	return min(0, math.Log(b.sum[l]*b.unit[l]*b.top[l])+b.exponent[l]*math.Ln2-square/2-log2PiBy2)
}

// means replaces the potentials y of the sample in lane l by its means.
func (b *block) means(l int, y []float64, t int) {
	w := width(b.level)
	scale := invSqrt2Pi / b.sum[l]
	own, row := 0.0, l
	for j := range y {
		if j == t {
			continue
		}
		shift := b.acc[row] * scale
		y[j] -= shift
		own += shift
		row += w
	}
	y[t] += own
}

// farthest is the gap beyond which p < 1e-295, which is near the smallest normal float64.
const farthest = 52

// proba replaces the potentials y of m samples with c classes by probabilities; see
// rule.proba. It skips samples outside the range of the vectors, whose lanes are then
// unused.
func (b *block) proba(y []float64, m, c int, level cpu.Level, q rule) {
	var highest, lowest [8]int
	b.reset(level, q, c-1)
	some := false
	for l := range m {
		y := y[l*c : (l+1)*c]
		highest[l], lowest[l] = ends(y, farthest)
		some = b.set(l, y, lowest[l]) || some
	}
	if !some {
		return
	}
	wide := b.mode()
	for l, used := range b.used {
		if used {
			y := y[l*c : (l+1)*c]
			b.origin[l] = y[lowest[l]] - y[highest[l]] + b.m[l] - q.reach*wide[l]
			b.set(l, y, highest[l])
		}
		b.unit[l] = q.step * b.narrow[l]
	}
	b.mode()
	used, w := b.used, width(level)
	b.grid(level, q, c)
	for l := range b.used {
		b.to[l] = b.m[l] + q.reach
		if b.used[l] = used[l]; used[l] {
			for k, v := range y[l*c : (l+1)*c] {
				b.gap[k*w+l] = min(y[l*c+highest[l]]-v, shallow)
			}
		}
	}
	b.ready()
	b.nodes(0, 1, means)
	for l, used := range b.used {
		if used {
			b.normalize(l, y[l*c:(l+1)*c])
		}
	}
}

// probaOne is proba for one sample, with the same bits. The lanes share its nodes.
func (b *block) probaOne(y []float64, level cpu.Level, q rule) {
	c, w := len(y), width(level)
	highest, lowest := ends(y, farthest)
	b.reset(cpu.AVX2, q, c-1) // two lanes, for which the shorter vectors are faster
	if !b.set(0, y, lowest) {
		return
	}
	b.set(1, y, highest)
	wide := b.mode()
	origin, unit, to := y[lowest]-y[highest]+b.m[0]-q.reach*wide[0], q.step*b.narrow[0], b.m[1]+q.reach
	b.grid(level, q, c)
	for l := range w {
		b.used[l], b.lead[l] = true, float64(l)
		b.origin[l], b.unit[l], b.to[l] = origin, unit, to
	}
	for k, v := range y {
		gap := min(y[highest]-v, shallow)
		for l := range w {
			b.gap[k*w+l] = gap
		}
	}
	b.ready()
	for k, more := 0, w; more == w; k += w {
		more = bits.TrailingZeros32(^b.nodes(float64(k), 0, 0))
		for j := range c { // in the order of the nodes
			acc := b.acc[j*w]
			for l, r := range b.r[j*w : j*w+more] {
				acc = addProduct(acc, r, b.value[l])
			}
			b.acc[j*w] = acc
		}
	}
	b.normalize(0, y)
}

// grid prepares the block for the nodes of proba with c classes.
func (b *block) grid(level cpu.Level, q rule, c int) {
	b.reset(level, q, c)
	clear(b.acc)
	for l := range b.used {
		b.cut[l], b.own[l] = -1, 0
		b.base[l], b.exponent[l], b.scale[l] = 0, 0, 1
	}
}

// normalize replaces the potentials y of the sample in lane l by its probabilities.
func (b *block) normalize(l int, y []float64) {
	w, sum := width(b.level), 0.0
	for k := range y {
		sum += b.acc[k*w+l]
	}
	for k := range y {
		if y[k] = b.acc[k*w+l] / sum; b.gap[k*w+l] > farthest {
			y[k] = 0
		}
	}
}
