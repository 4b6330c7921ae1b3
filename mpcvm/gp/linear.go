package gp

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm/internal/dense"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// withOffset returns the vectors z = (x, √Offset) of the samples (rows), whose scalar products are the values
// of kernel.Linear. It returns nil for other kernels.
func withOffset(k kernel.Kernel, d *fitting.Data) *mat.Dense {
	linear, ok := k.(kernel.Linear)
	if !ok {
		return nil
	}
	z := mat.NewDense(d.N, d.D+1, nil)
	z.Slice(0, d.N, 0, d.D).(*mat.Dense).Copy(d.X)
	for n := range d.N {
		z.Set(n, d.D, math.Sqrt(linear.Offset))
	}
	return z
}

// timesLinear sets f = vZZᵀ, the functions of the weights v of kernel.Linear, in O(NDC).
func (e *ascent) timesLinear(f, v []float64) {
	_, p := e.z.Dims()
	b := blas64.General{Rows: e.C, Cols: p, Stride: p, Data: make([]float64, e.C*p)}
	dense.AddMul(b, e.matrix(v).RawMatrix(), e.z.RawMatrix())
	dense.MulT(e.matrix(f).RawMatrix(), b, e.z.RawMatrix())
}

// normsLinear returns the squared norms of the basis functions of kernel.Linear, z_nᵀZᵀZz_n.
func (e *ascent) normsLinear() []float64 {
	_, p := e.z.Dims()
	square := mat.NewDense(p, p, nil)
	square.Mul(e.z.T(), e.z)
	norms, row := make([]float64, e.N), mat.NewVecDense(p, nil)
	for n := range norms {
		z := e.z.RowView(n)
		row.MulVec(square, z)
		norms[n] = mat.Dot(z, row)
	}
	return norms
}

// fewestLinear returns at most D+1 of the active samples and weights that have the signs of w and produce the
// same potential Σ w_n z_nᵀz. They exist by Carathéodory's theorem, because Σ w_n z_n lies in the cone of the
// D+1-dimensional vectors ±z_n. They are the least squares solution with |w_n| ≥ 0, computed by the active
// set method of Lawson and Hanson (1974, chapter 23). If that fails by rounding, fewestLinear returns active
// and w.
func fewestLinear(z *mat.Dense, active []int, w []float64) ([]int, []float64) {
	_, p := z.Dims()
	if len(active) <= p {
		return active, w
	}
	sum := make([]float64, p)
	for i, n := range active {
		floats.AddScaled(sum, w[i], z.RawRowView(n))
	}
	f := nonNegative{p: p, sum: sum, left: slices.Clone(sum)}
	columns, norms := mat.NewDense(len(active), p, nil), make([]float64, len(active))
	for i, n := range active {
		floats.ScaleTo(columns.RawRowView(i), math.Copysign(1, w[i]), z.RawRowView(n))
		norms[i] = floats.Norm(columns.RawRowView(i), 2)
	}
	slopes := mat.NewVecDense(len(active), nil)
	dependent := map[int]bool{} // linearly dependent on the chosen vectors
	for floats.Norm(f.left, 2) > 1e-13*floats.Norm(sum, 2) && len(f.chosen) < p {
		slopes.MulVec(columns, mat.NewVecDense(p, f.left))
		next, steepest := -1, 0.0
		for i := range active {
			slope := slopes.AtVec(i) / norms[i]
			if slope > steepest && !dependent[i] && !slices.Contains(f.chosen, i) {
				next, steepest = i, slope
			}
		}
		if next < 0 {
			break
		}
		if !f.add(next, columns) {
			dependent[next] = true
		}
	}
	if !(floats.Norm(f.left, 2) <= 1e-9*floats.Norm(sum, 2)) {
		return active, w
	}
	fewest := map[int]float64{}
	for j, i := range f.chosen {
		fewest[active[i]] = math.Copysign(f.x[j], w[i])
	}
	list := slices.Sorted(maps.Keys(fewest))
	w = make([]float64, len(list))
	for j, n := range list {
		w[j] = fewest[n]
	}
	return list, w
}

// nonNegative is the least squares approximation Σ_j x_j a_j of a vector sum, with x > 0.
type nonNegative struct {
	p         int
	chosen    []int     // the numbers of the a_j
	x         []float64 // the weights of the a_j
	a         [][]float64
	factor    [][]float64 // the rows of the Cholesky factor of the scalar products of the a_j
	sum, left []float64   // left is the residual sum − Σ_j x_j a_j
}

// add adds vector i (a row of columns) and deletes vectors whose weight would not be positive. If vector i
// depends linearly on the chosen ones, add changes nothing and returns false.
func (f *nonNegative) add(i int, columns *mat.Dense) bool {
	if !f.extend(columns.RawRowView(i)) {
		return false
	}
	f.chosen, f.x = append(f.chosen, i), append(f.x, 0)
	for range 4 * f.p {
		best := f.solve()
		length := 1.0 // the fraction of the step to the solution at which no weight is negative
		for j, v := range f.x {
			if best[j] <= 0 {
				length = min(length, v/(v-best[j]))
			}
		}
		for j := range f.x {
			f.x[j] += length * (best[j] - f.x[j])
			if length < 1 && best[j] <= 0 && f.x[j] <= 1e-15*floats.Max(f.x) {
				f.x[j] = 0
			}
		}
		if length == 1 {
			break
		}
		f.drop(columns)
	}
	copy(f.left, f.sum)
	for j, v := range f.x {
		floats.AddScaled(f.left, -v, f.a[j])
	}
	return true
}

// extend adds a vector and its row of the factor, or returns false if it depends linearly on the others.
func (f *nonNegative) extend(v []float64) bool {
	row := make([]float64, len(f.a)+1)
	for j, a := range f.a {
		row[j] = (floats.Dot(v, a) - floats.Dot(row[:j], f.factor[j][:j])) / f.factor[j][j]
	}
	square := floats.Dot(v, v)
	rest := square - floats.Dot(row, row)
	if rest <= 1e-12*square {
		return false
	}
	row[len(f.a)] = math.Sqrt(rest)
	f.a, f.factor = append(f.a, v), append(f.factor, row)
	return true
}

// solve returns the unconstrained least squares solution, refined once.
func (f *nonNegative) solve() []float64 {
	x, step := make([]float64, len(f.a)), make([]float64, len(f.a))
	left := slices.Clone(f.sum)
	for range 2 {
		for j, row := range f.factor {
			step[j] = (floats.Dot(f.a[j], left) - floats.Dot(step[:j], row[:j])) / row[j]
		}
		for j := len(step) - 1; j >= 0; j-- {
			step[j] /= f.factor[j][j]
			floats.AddScaled(step[:j], -step[j], f.factor[j][:j])
		}
		floats.Add(x, step)
		for j, v := range step {
			floats.AddScaled(left, -v, f.a[j])
		}
	}
	return x
}

// drop deletes the vectors whose weight is zero.
func (f *nonNegative) drop(columns *mat.Dense) {
	chosen, x := f.chosen, f.x
	f.chosen, f.x, f.a, f.factor = nil, nil, nil, nil
	for j, i := range chosen {
		if x[j] > 0 && f.extend(columns.RawRowView(i)) {
			f.chosen, f.x = append(f.chosen, i), append(f.x, x[j])
		}
	}
}
