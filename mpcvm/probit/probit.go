// Package probit evaluates the multinomial probit model: the probabilities
//
//	p(t = i | y) = E_ε[ Π_{j≠i} Ψ(ε + y_i − y_j) ],  ε ~ N(0, 1)
//
// of C classes with potentials y (eq. p(tn,i) of the mPCVM paper), and the posterior
// means of the auxiliary variables z ~ N(y, I), given that z_t is the largest (eqs.
// (z_nj) and (z_nc)). Appendix B of the paper derives p, and appendix D the means for
// t = i:
//
//	z̄_j = y_j − E_ε[ φ(ε + y_i − y_j) Π_{k≠i,j} Ψ(ε + y_i − y_k) ] / p,  j ≠ i
//	z̄_i = y_i + Σ_{j≠i} (y_j − z̄_j)
//
// The second equation follows from E[ε g(ε)] = E[g′(ε)] (Stein's identity), which
// appendix C proves.
//
// # Method
//
// The expectations have no closed form for C > 2, and a quadrature with fixed nodes fails:
// with 20 Gauss-Hermite nodes the error is 1e-2 if two potentials differ by 4. Here the
// nodes follow the integrand. Its logarithm
//
//	g(e) = −e²/2 + Σ_{j≠i} log Ψ(e + y_i − y_j)
//
// is concave with −C ≤ g″ ≤ −1. Newton's iteration from e = 0 reaches the maximum
// without overshooting, because g′ is convex and decreasing. From there, equidistant
// nodes extend in both directions until the integrand has vanished. Since it vanishes at
// both ends with all its derivatives, the trapezoidal sum converges exponentially. No
// result is computed as a quotient of two vanishing numbers. For C = 2 there is a closed
// form, p = Ψ((y_i − y_j)/√2).
//
// A node costs one exponential and, for each class, Ψ and r = φ/Ψ, which the Go code
// takes from tables. On amd64, a [Batch] processes four (AVX2) or eight (AVX-512) samples
// at a time, one in each lane of a vector. There, Mills' ratio is approximated by a
// rational function, R(t) = Ψ(−t)/φ(t) ≈ P(t)/Q(t) with t = |u|. One division gives r,
// and the products of numerators and denominators give the product of Ψ: r = Q/P and
// Ψ = φP/Q for u < 0, where the squares in φ are summed separately; r = φQ/(Q − φP) and
// Ψ = (Q − φP)/Q for u ≥ 0. Each lane takes its own number of steps, so the result for a
// sample does not depend on the other samples. For the probabilities of a single sample, the
// lanes share its nodes, with the same result.
//
// # Accuracy
//
// The errors of [LogProb] and [Means] are at most 1e-10 relative in log p and 1e-9 in the
// means, for hundreds of classes and potentials of any size. Measured errors are about
// 1e-14 in log p, 1e-12 in the means, and 1e-11 relative in small probabilities of
// [Proba]. The accuracy of a [Batch] is set by its Tol. Results differ in the last digits
// between architectures and between processors with different vector instructions; for
// example, amd64 and arm64 have different implementations of [math.Exp].
package probit

import "fmt"

// LogProb returns log p(t | y), eq. p(tn,i), for the potentials y of C ≥ 1 classes. It
// returns NaN if a potential is not finite, and panics if t is not in [0, C).
func LogProb(y []float64, t int) float64 {
	w := pool.Get().(*workspace)
	defer pool.Put(w)
	return accuracy(len(y), exact).expect(nil, y, t, w)
}

// Means returns the posterior means zbar of z ~ N(y, I), given that z_t is the largest of
// the C components, and log p(t | y); see eqs. (z_nj), (z_nc) and p(tn,i). For every t,
// the means have the same sum as y (Stein's identity). The means are written to dst, which
// is allocated if nil. If a potential is not finite, all results are NaN. Means panics if
// t is not in [0, C) or if dst and y differ in length.
func Means(dst, y []float64, t int) (zbar []float64, logp float64) {
	dst = sized(dst, len(y))
	w := pool.Get().(*workspace)
	defer pool.Put(w)
	logp = accuracy(len(y), exact).expect(dst, y, t, w)
	return dst, logp
}

// Proba returns the probabilities p(t = c | y) of all C classes, which sum to one. They
// are written to dst, which is allocated if nil and may be y. If a potential is not
// finite, all probabilities are NaN. Proba panics if dst and y differ in length.
func Proba(dst, y []float64) []float64 {
	dst = sized(dst, len(y))
	w := pool.Get().(*workspace)
	defer pool.Put(w)
	accuracy(len(y), exact).proba(dst, y, w)
	return dst
}

func sized(dst []float64, n int) []float64 {
	if dst == nil {
		return make([]float64, n)
	}
	if len(dst) != n {
		panic(fmt.Sprintf("probit: destination of length %d for %d classes", len(dst), n))
	}
	return dst
}
