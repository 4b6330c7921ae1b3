package mpcvm

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/internal/nnls"
)

// The factors S, Q, eqs. (snc) and (qnc), and s, q of the marginal likelihood, and a search that computes
// only few of them. All are expressed by P = Φᵀz̄, rows of ΦᵀΦ, and the Cholesky factor of H = Φ_MᵀΦ_M + A
// over the active basis functions. The N×N matrix C = I + ΦA⁻¹Φᵀ is never formed.
//
// With a LikelihoodPower β, the noise of Z̄ has the variance 1/β, so that H = βΦ_MᵀΦ_M + A and C = I/β +
// ΦA⁻¹Φᵀ. Dividing H by β gives Φ_MᵀΦ_M + A/β. The code therefore stores A/β instead of the precisions A and
// computes S/β and Q/β; otherwise everything is as for β = 1. Hence β multiplies q² relative to s (gain,
// rootPower), a squared weight relative to its variance (sweep, updateMonotone), and the likelihood relative
// to the prior (record, eStep).

// factors computes S_n = φ_nᵀC⁻¹φ_n and Q_n = φ_nᵀC⁻¹z̄ for all candidates.
func (m *classModel) factors(e *bottomUpState) {
	m.quality(e)
	m.sparsity(e, fitting.All(len(e.bases)))
}

// quality sets the means μ = H⁻¹Φ_Mᵀz̄ of the weights of the active basis functions and, by Woodbury's
// identity, Q_n = φ_nᵀ(z̄ − Φ_Mμ) of all candidates.
//
// It also lowers the bounds of S by the effect of the basis functions F that were added last. With the
// columns x_f = H⁻¹e_f of Σ and t_n = (x_fᵀΦ_Mᵀφ_n)_f, this effect is t_nᵀΣ_FF⁻¹t_n.
func (m *classModel) quality(e *bottomUpState) {
	copy(m.Q, e.p.RawRowView(m.c))
	m.mu = m.mu[:0]
	for _, n := range m.active {
		m.mu = append(m.mu, e.p.At(m.c, n))
	}
	m.factorize(e)
	m.solver.Factor.Solve(m.mu)
	x, v := [][]float64{m.mu}, [][]float64{m.Q}
	var fresh []int // positions of the fresh basis functions in m.active
	for i, n := range m.active {
		if slices.Contains(m.fresh, n) {
			column := make([]float64, len(m.active))
			column[i] = 1
			m.solver.Factor.Solve(column)
			x, v, fresh = append(x, column), append(v, make([]float64, len(e.bases))), append(fresh, i)
		}
	}
	m.fresh = m.fresh[:0]
	e.subtract(v, x, m.active)
	m.lower(x[1:], v[1:], fresh)
}

// lower subtracts t_nᵀΣ_FF⁻¹t_n from the bounds of S; see quality. x contains the columns of Σ of the active
// basis functions at the given positions. t, which lower overwrites, contains the sums x_fᵀΦ_Mᵀφ_n for all n;
// their sign does not matter.
func (m *classModel) lower(x, t [][]float64, positions []int) {
	k := len(positions)
	l := blas64.General{Rows: k, Cols: k, Stride: k, Data: make([]float64, k*k)} // of Σ_FF = LLᵀ
	for i := range k {
		for j, position := range positions[:i+1] {
			l.Data[i*k+j] = x[i][position]
		}
	}
	if !dense.Cholesky(l) { // rounding error
		clear(m.lowerS)
		return
	}
	for i, ti := range t { // becomes row i of L⁻¹t
		for j, tj := range t[:i] {
			floats.AddScaled(ti, -l.Data[i*k+j], tj)
		}
		floats.Scale(1/l.Data[i*k+i], ti)
		for n, v := range ti {
			m.lowerS[n] = max(0, m.lowerS[n]-v*v)
		}
	}
}

// subtract does v_k −= Σ_i x_ki g_i for each k, where g_i is the row of ΦᵀΦ of list[i].
func (e *bottomUpState) subtract(v, x [][]float64, list []int) {
	const width = 256 // so that these columns of all rows stay in the L2 cache
	minus := make([][]float64, len(x))
	for k := range x {
		minus[k] = make([]float64, len(list))
		floats.AddScaled(minus[k], -1, x[k])
	}
	rows := make([][]float64, len(list))
	for lo := 0; lo < len(e.bases); lo += width {
		hi := min(lo+width, len(e.bases))
		for i, n := range list {
			rows[i] = e.gram[n][lo:hi]
		}
		for k := range v {
			dense.Combine(v[k][lo:hi], minus[k], rows)
		}
	}
}

// factorize computes the factor of H unless it is up to date.
func (m *classModel) factorize(e *bottomUpState) {
	if !m.factored {
		m.solver.Factorize(nnls.System{Gram: e.gram, Bases: m.active, Alpha: m.alpha})
		m.changed()
		m.factored = true
	}
}

// variances computes the diagonal of Σ = H⁻¹ unless it is up to date.
func (m *classModel) variances(e *bottomUpState) {
	m.factorize(e)
	if len(m.variance) != len(m.active) {
		m.variance = append(m.variance[:0], m.alpha...)
		m.solver.Factor.InverseDiagonal(m.variance)
	}
}

// changed marks the factor of H as out of date.
func (m *classModel) changed() { m.factored, m.variance = false, m.variance[:0] }

// sparsity sets S_n = φ_nᵀφ_n − ‖L⁻¹Φ_Mᵀφ_n‖² for the listed basis functions, with the factor H = LLᵀ
// computed by quality.
func (m *classModel) sparsity(e *bottomUpState, list []int) {
	const block = 128 // right-hand sides that stay in the L2 cache
	k := len(m.active)
	par.For(len(list), block, func(lo, hi int) {
		part := list[lo:hi]
		v := blas64.General{Rows: len(part), Cols: k, Stride: k, Data: make([]float64, len(part)*k)}
		for i, sample := range m.active {
			from := e.gram[sample]
			for j, n := range part {
				v.Data[j*k+i] = from[n]
			}
		}
		m.solver.Factor.SolveLower(v)
		for j, n := range part {
			row := v.Data[j*k : (j+1)*k]
			m.S[n] = e.norm[n] - dense.Dot(row, row)
		}
	})
}

// without returns the factors s, q of active basis function i: S, Q of the model without it. From s = αS/(α −
// S), q = αQ/(α − S), S = α − α²Σ_ii and Q = αμ_i it follows that s = 1/Σ_ii − α and q = μ_i/Σ_ii.
func (m *classModel) without(i int) (s, q float64) {
	return max(0, 1/m.variance[i]-m.alpha[i]), m.mu[i] / m.variance[i]
}

// observed returns the factors for observers. It works on a copy, so that calling it does not change the fit
// in any bit.
func (e *bottomUpState) observed() *Factors {
	now := *e
	now.zbar, now.mean, now.gram = mat.DenseCopyOf(e.zbar), slices.Clone(e.mean), slices.Clone(e.gram)
	for _, n := range e.pending {
		now.gram[n] = slices.Clone(e.gram[n])
	}
	now.out.Data = make([]float64, len(e.out.Data))
	now.p = mat.NewDense(e.C, len(e.bases), now.out.Data[:e.C*len(e.bases)])
	now.centre(true)
	f := &Factors{mat.NewDense(e.C, e.N, nil), mat.NewDense(e.C, e.N, nil), mat.NewDense(e.C, e.N, nil)}
	for c, model := range e.class {
		S, Q, alpha := f.S.RawRowView(c), f.Q.RawRowView(c), f.Alpha.RawRowView(c)
		fitting.Fill(S, math.NaN())
		fitting.Fill(Q, math.NaN())
		fitting.Fill(alpha, math.Inf(1))
		k := len(e.bases)
		m := &classModel{c: c, sparseWeights: model.clone(),
			S: make([]float64, k), Q: make([]float64, k), lowerS: make([]float64, k)}
		m.factors(&now)
		m.variances(&now)
		for j, n := range e.bases {
			S[n], Q[n] = max(0, m.S[j]), m.Q[j]
		}
		for i, j := range m.active {
			n := e.bases[j]
			S[n], Q[n] = m.without(i)
			alpha[n] = e.LikelihoodPower * m.alpha[i]
		}
		floats.Scale(e.LikelihoodPower, S)
		floats.Scale(e.LikelihoodPower, Q)
	}
	if e.ctx.Err() != nil {
		return nil
	}
	return f
}

// candidates returns the basis functions outside the model that will enter: up to Additions of them, with the
// largest gains βq² − s. In the first epoch it returns the best one even if its gain is negative. Ties go to
// the lower index.
//
// Computing S is slow. The basis functions are therefore examined in descending order of an upper bound of
// the gain, βq² − lowerS, and only while the bound exceeds the best gain found. lowerS is a lower bound of S:
// the last computed S minus the most it can have lost since. S = φᵀC⁻¹φ decreases as C = I + ΦA⁻¹Φᵀ
// increases. Deleting a basis function or raising a precision therefore increases S. If no precision falls
// below r times its old value, S stays above r times its old value (record). The effect of an added basis
// function is known (quality).
func (m *classModel) candidates(e *bottomUpState, first bool) []int {
	outside := make([]bool, len(e.bases))
	for n := range outside {
		outside[n] = m.Q[n]*e.sign(n, m.c) > 0
	}
	for _, n := range m.active {
		outside[n] = false
	}
	type candidate struct {
		n     int
		bound float64
	}
	var order []candidate
	for n, o := range outside {
		if bound := e.gain(m.lowerS[n]*(1-1e-9), m.Q[n]); o && (first || bound > 0) {
			order = append(order, candidate{n, bound})
		}
	}
	slices.SortFunc(order, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.n, b.n))
	})
	gain := func(n int) float64 { return e.gain(m.S[n], m.Q[n]) }
	limit := e.Additions
	if first {
		limit = 1
	}
	var best, part []int
	for size := 32; len(order) > 0; size *= 2 {
		if len(best) == limit && order[0].bound < gain(best[limit-1]) {
			break
		}
		part = part[:0]
		for _, c := range order[:min(size, len(order))] {
			part = append(part, c.n)
		}
		order = order[len(part):]
		m.sparsity(e, part)
		for _, n := range part {
			m.lowerS[n] = max(0, m.S[n])
			if gain(n) <= 0 && !first || len(best) == limit && gain(n) < gain(best[limit-1]) {
				continue
			}
			// If the active columns span a column, its S is 0 up to rounding.
			if m.S[n] <= 1e-9*e.norm[n] || m.duplicateColumn(e, n) {
				continue
			}
			i := len(best)
			for i > 0 && (gain(n) > gain(best[i-1]) || gain(n) == gain(best[i-1]) && n < best[i-1]) {
				i--
			}
			if best = slices.Insert(best, i, n); len(best) > limit {
				best = best[:limit]
			}
		}
	}
	return best
}

// admit adds rows to ΦᵀΦ for basis functions that enter the model. This epoch needs only their products with
// known basis functions, which are already computed, and with each other. The next pass over Φ, in centre,
// computes the rest.
func (e *bottomUpState) admit(list []int) {
	list = e.unknown(list)
	if len(list) > e.out.Rows-e.C {
		e.rows(list)
		return
	}
	for _, a := range list {
		row := make([]float64, len(e.bases))
		for _, b := range e.known {
			row[b] = e.gram[b][a]
		}
		e.gram[a] = row
		e.known = append(e.known, a)
	}
	for i, products := range e.phi.Pairs(list) {
		for j, v := range products {
			a, b := list[i], list[j]
			if e.sum != nil {
				v -= e.sum[a] * e.sum[b] / e.total
			}
			e.gram[a][b], e.gram[b][a] = v, v
		}
	}
	e.pending = list
}

// unknown returns, in ascending order, the listed basis functions whose rows of ΦᵀΦ are not computed.
func (e *bottomUpState) unknown(list []int) []int {
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(n int) bool { return e.gram[n] != nil })
}

// rows computes the rows of ΦᵀΦ of the listed basis functions unless they are known.
func (e *bottomUpState) rows(list []int) {
	list = e.unknown(list)
	for i, row := range e.phi.Gram(list) {
		e.gram[list[i]] = row
		e.centreProducts(list[i])
	}
	e.known = append(e.known, list...)
}
