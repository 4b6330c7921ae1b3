package probit

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// rule is the trapezoidal rule for ∫ exp(g(e)) de, where g is concave with mode m. The
// nodes are m ± k·step·narrow, on each side until exp(g − g(m)) is below cut. Both tails
// fall at least as fast as a Gaussian. The unit of the step, narrow, is the width
// (−g″)^(−1/2) in the left tail of the integrand, which is steeper than the mode suggests
// if many potentials are equal.
type rule struct {
	step, cut float64
	tails     bool    // see factors
	fast      bool    // twelve digits of Ψ and r suffice
	reach     float64 // see proba
}

// accuracy returns the rule for C classes whose error is about tol, relative in p and
// absolute in the means. For a Gaussian, the error of the trapezoidal rule is
// 2 exp(−2π²/step²). With many classes, it falls as exp(−a/step) with a ~ C^(−1/4). The
// constants were fitted to errors measured for C from 3 to 400 (TestAccuracy).
func accuracy(c int, tol float64) rule {
	tol = min(max(tol, 1e-14), 1e-4)
	digits := -math.Log(tol)
	return rule{
		step: min(4.2/math.Sqrt(digits+1), 27/math.Sqrt(math.Sqrt(float64(c)))/(digits-6.5)),
		cut:  tol / 10, tails: tol < 1e-13, fast: tol >= 1e-10,
		reach: math.Sqrt(2 * (digits + ln50)),
	}
}

// exact is the tolerance of the functions for a single sample.
const exact = 1e-14

const ln50 = 3.912023005428146

// workspace contains the temporary vectors of an evaluation.
type workspace struct {
	gap []float64 // y_i − y_j for the other classes j, in order
	r   []float64 // r(e + gap_j) at the current e
	acc []float64 // Σ exp(g)·r_j over the nodes

	samples []float64 // potentials of the samples of a Batch that are processed together
	block   block     // the lanes of these samples
}

var pool = sync.Pool{New: func() any { return new(workspace) }}

func (w *workspace) resize(n int) {
	w.gap, w.r, w.acc = resized(w.gap, n), resized(w.r, n), resized(w.acc, n)
}

func resized(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// center sets the gaps for class t and returns the mode and widths; see mode.
func (w *workspace) center(y []float64, t int) (m, wide, narrow float64) {
	w.resize(len(y) - 1)
	const farthest = 1e9 // r is 0 for much smaller gaps, and the difference may overflow
	for j, v := range y[:t] {
		w.gap[j] = min(y[t]-v, farthest)
	}
	for j, v := range y[t+1:] {
		w.gap[t+j] = min(y[t]-v, farthest)
	}
	return w.mode()
}

// mode returns the maximum m of g, the width (−g″)^(−1/2) at the maximum, and the width
// in the left tail, four widths away.
func (w *workspace) mode() (m, wide, narrow float64) {
	const tol = 1e-2 // relative to the width; the quadrature does not depend on the exact mode
	for range 100 {
		d1, d2 := w.slope(m)
		wide = 1 / math.Sqrt(d2)
		step := d1 / d2
		m += step
		if step < tol*wide {
			break
		}
	}
	_, d2 := w.slope(m - 4*wide)
	return m, wide, 1 / math.Sqrt(d2)
}

// slope returns g′(e) and −g″(e).
func (w *workspace) slope(e float64) (d1, d2 float64) {
	d1, d2 = -e, 1
	for _, gap := range w.gap {
		u := e + gap
		r := ratio(u)
		d1 += r
		if u > -1e4 { // otherwise r(u + r) = 1 within 1e-8, and rounding errors are larger
			d2 += r * (u + r)
		} else {
			d2++
		}
	}
	return d1, d2
}

// factors returns g(m + h) as log(prod) + log − ½ square, up to a constant. prod is the
// product of the factors R(−u) and Ψ(u); log contains the logarithm of factors that would
// underflow. square is the sum of squares at m + h minus the sum of squares at m. For
// u, v < 0 its terms are u² − v² = h(u + v), so no large numbers are subtracted even if
// the potentials differ widely. factors stores r(m + h + gap_j) in w.r. For u ≥ psiEnd,
// r < 1e-18 is replaced by 0 unless tails is set.
func (w *workspace) factors(m, h float64, tails bool) (prod, log, square float64) {
	prod = 1
	square = h * (m + m + h)
	r := w.r[:len(w.gap)]
	for j, gap := range w.gap {
		v := m + gap
		u := v + h
		switch {
		case u < 0: // Ψ(u) = φ(u) R(−u)
			k := mills(-u)
			prod *= invSqrt2Pi * k
			r[j] = 1 / k
			if v < 0 {
				square += h * (u + v)
			} else {
				square += u * u
			}
		case u < psiEnd:
			var psi float64
			psi, r[j] = psiRatio(u)
			prod *= psi
			if v < 0 {
				square -= v * v
			}
		default:
			if r[j] = 0; tails {
				r[j] = far(u)
			}
			if v < 0 {
				square -= v * v
			}
		}
		if prod < 1e-200 {
			log += math.Log(prod)
			prod = 1
		}
	}
	return prod, log, square
}

// height returns g(m) without its factors: −½(m² + Σ_{u<0} u²).
func (w *workspace) height(m float64) float64 {
	square := m * m
	for _, gap := range w.gap {
		if u := m + gap; u < 0 {
			square += u * u
		}
	}
	return -square / 2
}

// expect returns log p(t | y). If zbar is not nil, it writes the posterior means to it.
func (q rule) expect(zbar, y []float64, t int, w *workspace) float64 {
	c := len(y)
	check(t, c)
	if !finite(y) {
		fill(zbar, math.NaN())
		return math.NaN()
	}
	switch c {
	case 1:
		copy(zbar, y)
		return 0
	case 2: // closed form: z_i − z_j ~ N(y_i − y_j, 2)
		d := (y[t] - y[1-t]) / math.Sqrt2
		if zbar != nil {
			shift := ratio(d) / math.Sqrt2
			zbar[t], zbar[1-t] = y[t]+shift, y[1-t]-shift
		}
		return logPsi(d)
	}
	if farthest := slices.Max(y) - y[t]; farthest > 1e9 {
		return project(zbar, y, t)
	}
	m, _, narrow := w.center(y, t)
	h := q.step * narrow
	clear(w.acc)
	top, logTop, _ := w.factors(m, 0, q.tails)
	w.add(1, zbar != nil)
	sum := 1.0
	for _, h := range [2]float64{h, -h} {
		for k := 1; ; k++ {
			prod, log, square := w.factors(m, float64(k)*h, q.tails)
			p := prod / top * math.Exp(log-logTop-square/2)
			if !(p > q.cut) {
				break
			}
			sum += p
			w.add(p, zbar != nil)
		}
	}
	if zbar != nil {
		own, j := 0.0, 0
		for k, v := range y {
			if k == t {
				continue
			}
			shift := w.acc[j] / sum // E[P r_j]/E[P]
			zbar[k] = v - shift     // eq. (z_nj)
			own += shift
			j++
		}
		zbar[t] = y[t] + own // eq. (z_nc)
	}
	return min(0, math.Log(sum*h*top)+logTop+w.height(m)-log2PiBy2)
}

// project is expect for a class t that is so far below another one that the noise can be
// neglected. The means are the point closest to y at which z_t is the largest, and log p
// is −½ times its squared distance from y.
func project(zbar, y []float64, t int) float64 {
	order := slices.Clone(y)
	slices.Sort(order)
	slices.Reverse(order)
	mean, k := y[t], 1.0 // the mean of class t and the k − 1 highest
	for _, v := range order {
		if v <= mean {
			break
		}
		mean += (v - mean) / (k + 1)
		k++
	}
	square := (y[t] - mean) * (y[t] - mean)
	for _, v := range y {
		if v > mean {
			square += (v - mean) * (v - mean)
		}
	}
	if zbar != nil {
		copy(zbar, y)
		for j, v := range y {
			if v > mean || j == t {
				zbar[j] = mean
			}
		}
	}
	return -square / 2
}

// add adds p·r_j to acc if means is set.
func (w *workspace) add(p float64, means bool) {
	if means {
		for j, r := range w.r {
			w.acc[j] += p * r
		}
	}
}

// ends returns the class with the highest potential, and the class with the lowest
// potential that is at most farthest below it.
func ends(y []float64, farthest float64) (highest, lowest int) {
	for j, v := range y {
		if v > y[highest] {
			highest = j
		}
	}
	lowest = highest
	for j, v := range y {
		if y[highest]-v <= farthest && v < y[lowest] {
			lowest = j
		}
	}
	return highest, lowest
}

// proba writes p(t = c | y) for all classes. As functions of z = ε + y_i, the integrands
// share a product:
//
//	p_i = ∫ φ(z − y_i) Π_{k≠i} Ψ(z − y_k) dz = ∫ r(z − y_i) Π_k Ψ(z − y_k) dz,
//
// so all classes can use the same grid, with C values of Ψ at a node instead of C². The
// modes and the widths of the integrands grow with y_i. The grid extends from below the
// mode of the lowest class, with steps for its width, to above the mode of the highest
// class, as far as a Gaussian would require: exp(−reach²/2) = tol/50.
func (q rule) proba(dst, y []float64, w *workspace) {
	if !finite(y) {
		fill(dst, math.NaN())
		return
	}
	c := len(y)
	switch c {
	case 0:
		return
	case 1:
		dst[0] = 1
		return
	case 2:
		d := (y[0] - y[1]) / math.Sqrt2
		dst[0], dst[1] = math.Exp(logPsi(d)), math.Exp(logPsi(-d))
		return
	}
	// Beyond this gap, p < exp(−gap²/4) is zero in float64.
	const farthest = 60
	highest, lowest := ends(y, farthest)
	top := y[highest]
	m, wide, narrow := w.center(y, lowest)
	// The grid is relative to top, so that large potentials do not lose digits.
	from, step := y[lowest]-top+m-q.reach*wide, q.step*narrow
	m, _, _ = w.center(y, highest)
	to := m + q.reach // on the right, the width grows towards 1

	w.resize(c)
	for k, v := range y {
		w.gap[k] = top - v
	}
	clear(w.acc)
	for z := from; z <= to; z += step {
		prod, log, _ := w.factors(z, 0, true)
		p := prod * math.Exp(log+w.height(z)+z*z/2) // without the density of ε
		if p == 0 {
			continue
		}
		for j, r := range w.r {
			w.acc[j] += p * r
		}
	}
	sum := 0.0 // ∫ d/dz Π Ψ = 1, up to rounding errors
	for _, a := range w.acc {
		sum += a
	}
	for j, a := range w.acc {
		if dst[j] = a / sum; w.gap[j] > farthest {
			dst[j] = 0
		}
	}
}

// check panics if t is not one of c classes.
func check(t, c int) {
	if t < 0 || t >= c {
		panic(fmt.Sprintf("probit: class %d of %d", t, c))
	}
}

func finite(y []float64) bool {
	for _, v := range y {
		if math.IsNaN(v - v) {
			return false
		}
	}
	return true
}

func fill(dst []float64, v float64) {
	for j := range dst {
		dst[j] = v
	}
}
