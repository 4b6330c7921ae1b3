package mpcvm

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/par"
)

// The factors S, Q and s, q of the marginal likelihood, and how few of them are
// computed. Everything is in terms of P = Φᵀz̄, rows of ΦᵀΦ and the Cholesky factor of
// H = Φ_MᵀΦ_M + A over the bases in the model; C = I + ΦA⁻¹Φᵀ, N×N, is never there.
// A basis is known by its place among those that may enter, which with
// BottomUp.Candidates are not all samples.
//
// With an evidence β other than 1 the noise of Z̄ has the variance 1/β: H = βΦ_MᵀΦ_M + A,
// C = I/β + ΦA⁻¹Φᵀ. Divided by β the first is Φ_MᵀΦ_M + A/β. So with A/β for the
// precisions all is as for β = 1 but for this: S and Q are those above times β, so
// that q² counts β-fold against s (gain, boost), a weight's square against its
// variance (sweep, climb), and the likelihood against the prior (settle, eStep).

// factors computes S_n = φ_nᵀC⁻¹φ_n and Q_n = φ_nᵀC⁻¹z̄ for all samples.
func (m *potential) factors(e *evidence) {
	m.quality(e)
	m.sparsity(e, all(len(e.of)))
}

// quality sets the means μ = H⁻¹Φ_Mᵀz̄ of the weights of the bases in the model, H =
// Φ_MᵀΦ_M + A, and, by Woodbury's identity, Q_n = φ_nᵀ(z̄ − Φ_Mμ) of all samples.
//
// And it takes off the floors what the bases added last, F, have taken from S: with
// x_f = H⁻¹e_f, the column of Σ, and t_n = (x_fᵀΦ_Mᵀφ_n)_f that is t_nᵀΣ_FF⁻¹t_n.
func (m *potential) quality(e *evidence) {
	copy(m.q, e.p.RawRowView(m.c))
	m.mu = m.mu[:0]
	for _, n := range m.samples {
		m.mu = append(m.mu, e.p.At(m.c, n))
	}
	m.factorize(e)
	m.solver.h.solve(m.mu)
	x, v := [][]float64{m.mu}, [][]float64{m.q}
	var fresh []int // their places in the model
	for i, n := range m.samples {
		if slices.Contains(m.fresh, n) {
			column := make([]float64, len(m.samples))
			column[i] = 1
			m.solver.h.solve(column)
			x, v, fresh = append(x, column), append(v, make([]float64, len(e.of))), append(fresh, i)
		}
	}
	m.fresh = m.fresh[:0]
	e.subtract(v, x, m.samples)
	m.lower(x[1:], v[1:], fresh)
}

// lower takes t_nᵀΣ_FF⁻¹t_n off the floors, see quality: x are the columns of Σ of the
// bases at places F of the model, t (or −t, it is all the same) the sums x_fᵀΦ_Mᵀφ_n
// over all n, which it overwrites.
func (m *potential) lower(x, t [][]float64, places []int) {
	k := len(places)
	l := blas64.General{Rows: k, Cols: k, Stride: k, Data: make([]float64, k*k)} // of Σ_FF = LLᵀ
	for i := range k {
		for j, place := range places[:i+1] {
			l.Data[i*k+j] = x[i][place]
		}
	}
	if !dense.Cholesky(l) { // by rounding
		clear(m.floor)
		return
	}
	for i, ti := range t { // becomes row i of L⁻¹t
		for j, tj := range t[:i] {
			floats.AddScaled(ti, -l.Data[i*k+j], tj)
		}
		floats.Scale(1/l.Data[i*k+i], ti)
		for n, v := range ti {
			m.floor[n] = max(0, m.floor[n]-v*v)
		}
	}
}

// subtract does v_k −= Σ_i x_ki g_i for each k, g_i the row of ΦᵀΦ of the i-th of
// samples.
func (e *evidence) subtract(v, x [][]float64, samples []int) {
	const width = 256 // columns of all rows stay in the second cache for all k
	minus := make([][]float64, len(x))
	for k := range x {
		minus[k] = make([]float64, len(samples))
		floats.AddScaled(minus[k], -1, x[k])
	}
	rows := make([][]float64, len(samples))
	for lo := 0; lo < len(e.of); lo += width {
		hi := min(lo+width, len(e.of))
		for i, n := range samples {
			rows[i] = e.gram[n][lo:hi]
		}
		for k := range v {
			dense.Combine(v[k][lo:hi], minus[k], rows)
		}
	}
}

// factorize sets the factor of H, if it is not there.
func (m *potential) factorize(e *evidence) {
	if !m.factored {
		m.solver.factorize(system{e.gram, m.samples, m.alpha})
		m.changed()
		m.factored = true
	}
}

// variances sets the diagonal of Σ = H⁻¹, if it is not there.
func (m *potential) variances(e *evidence) {
	m.factorize(e)
	if len(m.variance) != len(m.samples) {
		m.variance = append(m.variance[:0], m.alpha...)
		m.solver.h.inverseDiagonal(m.variance)
	}
}

// changed says that the bases or their precisions are not those of the factor of H
// any more.
func (m *potential) changed() { m.factored, m.variance = false, m.variance[:0] }

// sparsity sets S_n = φ_nᵀφ_n − ‖L⁻¹Φ_Mᵀφ_n‖² for the listed samples, with the
// factor H = LLᵀ that quality left.
func (m *potential) sparsity(e *evidence, list []int) {
	const block = 128 // right sides that stay in the second cache
	k := len(m.samples)
	par.For(len(list), block, func(lo, hi int) {
		part := list[lo:hi]
		v := blas64.General{Rows: len(part), Cols: k, Stride: k, Data: make([]float64, len(part)*k)}
		for i, sample := range m.samples {
			from := e.gram[sample]
			for j, n := range part {
				v.Data[j*k+i] = from[n]
			}
		}
		m.solver.h.solveLower(v)
		for j, n := range part {
			row := v.Data[j*k : (j+1)*k]
			m.s[n] = e.norm[n] - dense.Dot(row, row)
		}
	})
}

// without returns the factors s, q of basis i of the model, that is S, Q without it.
// From s = αS/(α − S), q = αQ/(α − S), S = α − α²Σ_ii and Q = αμ_i follows
// s = 1/Σ_ii − α, q = μ_i/Σ_ii.
func (m *potential) without(i int) (s, q float64) {
	return max(0, 1/m.variance[i]-m.alpha[i]), m.mu[i] / m.variance[i]
}

// candidates returns the samples outside the model that may enter, those of the
// largest q² − s, at most Additions; of equals, the first. At first it is the best
// one in any case.
//
// S is dear, so the samples are looked at in falling order of q² − floor, an upper
// bound of q² − s, and only as long as the bound beats the best found. The floor is
// S as it was when last computed, less what it can have lost since: S = φᵀC⁻¹φ
// shrinks when C = I + ΦA⁻¹Φᵀ grows. A basis deleted or a precision raised lets it
// rise, precisions that fall to no less than a share r of what they were leave it at
// least r times what it was (settle), and what a basis added takes is known (quality).
func (m *potential) candidates(e *evidence, first bool) []int {
	outside := make([]bool, len(e.of))
	for n := range outside {
		outside[n] = m.q[n]*e.sign(n, m.c) > 0
	}
	for _, n := range m.samples {
		outside[n] = false
	}
	type candidate struct {
		n     int
		bound float64
	}
	var order []candidate
	for n, o := range outside {
		if bound := e.gain(m.floor[n]*(1-1e-9), m.q[n]); o && (first || bound > 0) {
			order = append(order, candidate{n, bound})
		}
	}
	slices.SortFunc(order, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.n, b.n))
	})
	gain := func(n int) float64 { return e.gain(m.s[n], m.q[n]) }
	most := e.Additions
	if first {
		most = 1
	}
	var best, part []int
	for size := 32; len(order) > 0; size *= 2 {
		if len(best) == most && order[0].bound < gain(best[most-1]) {
			break
		}
		part = part[:0]
		for _, c := range order[:min(size, len(order))] {
			part = append(part, c.n)
		}
		order = order[len(part):]
		m.sparsity(e, part)
		for _, n := range part {
			m.floor[n] = max(0, m.s[n])
			if gain(n) <= 0 && !first || len(best) == most && gain(n) < gain(best[most-1]) {
				continue
			}
			// A column that the model spans already has S = 0 up to rounding.
			if m.s[n] <= 1e-9*e.norm[n] || m.twin(e, n) {
				continue
			}
			i := len(best)
			for i > 0 && (gain(n) > gain(best[i-1]) || gain(n) == gain(best[i-1]) && n < best[i-1]) {
				i--
			}
			if best = slices.Insert(best, i, n); len(best) > most {
				best = best[:most]
			}
		}
	}
	return best
}

// admit makes room in ΦᵀΦ for samples that enter the model. What they need in this
// epoch are their products with other samples in the model, of which all but those
// among themselves are there; the rest comes with the next pass over Φ, in centre.
func (e *evidence) admit(samples []int) {
	samples = e.unknown(samples)
	if len(samples) > e.out.Rows-e.c {
		e.rows(samples)
		return
	}
	for _, a := range samples {
		row := make([]float64, len(e.of))
		for _, b := range e.known {
			row[b] = e.gram[b][a]
		}
		e.gram[a] = row
		e.known = append(e.known, a)
	}
	for i, products := range e.phi.pairs(samples) {
		for j, v := range products {
			a, b := samples[i], samples[j]
			e.gram[a][b], e.gram[b][a] = v, v
		}
	}
	e.pending = samples
}

// unknown returns those of the samples, ascending, whose rows of ΦᵀΦ are not there.
func (e *evidence) unknown(samples []int) []int {
	slices.Sort(samples)
	return slices.DeleteFunc(slices.Compact(samples), func(n int) bool { return e.gram[n] != nil })
}

// rows makes sure that the rows of ΦᵀΦ of the listed samples are there.
func (e *evidence) rows(samples []int) {
	samples = e.unknown(samples)
	for i, row := range e.phi.gram(samples) {
		e.gram[samples[i]] = row
	}
	e.known = append(e.known, samples...)
}
