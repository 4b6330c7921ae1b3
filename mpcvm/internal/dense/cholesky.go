package dense

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

// columnBlock is the number of columns of a Cholesky factor that are computed together from the columns
// before them.
const columnBlock = 192

// small is the largest number of rows for which the blocked algorithm is slower.
const small = 24

// Cholesky overwrites the lower triangle of the symmetric matrix H (n×n), including the diagonal, with the
// lower triangle of L, H = LLᵀ. The elements above the diagonal are neither read nor written. If H is not
// positive definite or contains NaN, Cholesky returns false, and h contains partial results. It runs in the
// caller's goroutine.
func Cholesky(h blas64.General) bool {
	checkSquare("Cholesky", h)
	if h.Rows <= small {
		return pivot(h)
	}
	memory := scratch.Get().(*buffer)
	defer scratch.Put(memory)
	data := memory.resize(columnBlock * columnBlock)
	n := h.Rows
	for j := 0; j < n; j += columnBlock {
		end := min(n, j+columnBlock)
		// Copy the square on the diagonal, because the elements above it are overwritten.
		square := blas64.General{Rows: end - j, Cols: end - j, Stride: (end - j + 7) &^ 7, Data: data}
		copyLower(square, columns(rows(h, j, end), j, end))
		const strip = 48
		for s := 0; s < square.Rows && j > 0; s += strip {
			stop := min(square.Rows, s+strip)
			multiply(sub, columns(rows(square, s, end-j), s, stop), columns(rows(h, j+s, end), 0, j),
				columns(rows(h, j+s, j+stop), 0, j))
		}
		ok := cholesky(square)
		copyLower(columns(rows(h, j, end), j, end), square)
		if !ok {
			return false
		}
		if end < n {
			below := rows(h, end, n)
			multiply(sub, columns(below, j, end), columns(below, 0, j), columns(rows(h, j, end), 0, j))
			SolveLower(square, columns(below, j, end))
		}
	}
	return true
}

// CholeskyRows overwrites rows lo to hi of the lower triangle of H with the rows of L, given the rows of L
// before them. Calls for consecutive panels of rows (some hundreds each) starting at 0 are equivalent to
// Cholesky, and the caller can stop between them. If H is not positive definite or contains NaN, CholeskyRows
// returns false, and these rows contain partial results. It runs in parallel.
func CholeskyRows(h blas64.General, lo, hi int) bool {
	checkSquare("CholeskyRows", h)
	if lo < 0 || hi < lo || hi > h.Rows {
		panic("dense: CholeskyRows: rows out of range")
	}
	if lo == 0 {
		return Cholesky(columns(rows(h, 0, hi), 0, hi))
	}
	left, above := columns(rows(h, lo, hi), 0, lo), columns(rows(h, 0, lo), 0, lo)
	const strip = 48
	par.For(left.Rows, strip, func(from, to int) { SolveLower(above, rows(left, from, to)) })
	// Copy the square on the diagonal, because the elements above it are overwritten.
	memory := scratch.Get().(*buffer)
	defer scratch.Put(memory)
	n := hi - lo
	square := blas64.General{Rows: n, Cols: n, Stride: n, Data: memory.resize(n * n)}
	copyLower(square, columns(rows(h, lo, hi), lo, hi))
	for s := 0; s < n; s += strip {
		stop := min(n, s+strip)
		multiply(sub, columns(rows(square, s, n), s, stop), rows(left, s, n), rows(left, s, stop))
	}
	ok := Cholesky(square)
	copyLower(columns(rows(h, lo, hi), lo, hi), square)
	return ok
}

// ErrIndefinite is returned by CholeskyJitter for a matrix that is not positive definite.
var ErrIndefinite = errors.New("dense: matrix is not positive definite")

// CholeskyJitter overwrites the lower triangle of h with the Cholesky factor of a matrix H that rounding
// errors may make indefinite. fill writes the lower triangle of H to h. If H is not positive definite, fill
// is called again, and jitter times the largest diagonal entry is added to the diagonal: jitter is 1e-14 at
// first and 100 times larger in each further attempt, as long as it is below limit. The factor is computed in
// panels of the given number of rows, and ctx is checked before each panel. The error is ErrIndefinite or
// ctx.Err().
func CholeskyJitter(ctx context.Context, h blas64.General, panel int, limit float64, fill func()) error {
	for jitter := 0.0; jitter < limit; jitter = max(1e-14, jitter*100) {
		fill()
		largest := 0.0
		for i := range h.Rows {
			largest = max(largest, h.Data[i*h.Stride+i])
		}
		for i := range h.Rows {
			h.Data[i*h.Stride+i] += jitter * largest
		}
		definite := panel < h.Rows || Cholesky(h)
		for lo := 0; lo < h.Rows && definite && panel < h.Rows; lo += panel {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			definite = CholeskyRows(h, lo, min(lo+panel, h.Rows))
		}
		if definite {
			return nil
		}
	}
	return ErrIndefinite
}

func copyLower(dst, src blas64.General) {
	for i := range src.Rows {
		copy(dst.Data[i*dst.Stride:i*dst.Stride+i+1], src.Data[i*src.Stride:])
	}
}

// cholesky is Cholesky for a matrix that fits into the cache. It overwrites the elements above the diagonal.
func cholesky(h blas64.General) bool {
	n, level := h.Rows, cpu.Vector()
	w := width(level)
	for j := 0; j < n; j += w {
		end := min(n, j+w)
		part := rows(h, j, n)
		if j > 0 {
			panel(level, sub, part.Data[j:], h.Stride, part.Data, h.Stride, n-j, part.Data, h.Stride, end-j, j)
		}
		if !pivot(columns(rows(h, j, end), j, end)) {
			return false
		}
		if end < n {
			divide(level, columns(rows(h, end, n), j, end), columns(rows(h, j, end), j, end))
		}
	}
	return true
}

// pivot is Cholesky for at most small rows. It subtracts each computed column from the columns after it.
func pivot(h blas64.General) bool {
	var column [small]float64
	n := h.Rows
	for j := range n {
		row := h.Data[j*h.Stride : j*h.Stride+j+1]
		if !(row[j] > 0) { // NaN as well
			return false
		}
		row[j] = math.Sqrt(row[j])
		inverse := 1 / row[j]
		for i := j + 1; i < n; i++ {
			row := h.Data[i*h.Stride+j : i*h.Stride+i+1]
			x := row[0] * inverse
			row[0], column[i] = x, x
			rest := row[1:]
			for k, y := range column[j+1:][:len(rest)] {
				rest[k] -= x * y
			}
		}
	}
	return true
}

// SolveLower overwrites each row v of V (m×n) with L⁻¹v, so V with V·L⁻ᵀ, for the lower triangle of L (n×n).
// It runs in the caller's goroutine.
func SolveLower(l, v blas64.General) {
	checkSquare("SolveLower", l)
	checkShape("SolveLower", "v", v.Rows, v.Cols, v.Stride, len(v.Data))
	n := l.Rows
	if v.Cols != n {
		panic(fmt.Sprintf("dense: SolveLower: l is %d×%d, v %d×%d", n, n, v.Rows, v.Cols))
	}
	level := cpu.Vector()
	w := width(level)
	step := max(12, min(rowBlock, 1<<17/max(1, n))/12*12) // rows that fit into the L2 cache
	for i := 0; i < v.Rows; i += step {
		part := rows(v, i, min(v.Rows, i+step))
		for j := 0; j < n; j += w {
			end := min(n, j+w)
			multiply(sub, columns(part, j, end), columns(part, 0, j), columns(rows(l, j, end), 0, j))
			divide(level, columns(part, j, end), columns(rows(l, j, end), j, end))
		}
	}
}

// SolveUpper overwrites each row v of V (m×n) with L⁻ᵀv, so V with V·L⁻¹, for the lower triangle of L (n×n).
func SolveUpper(l, v blas64.General) {
	checkSquare("SolveUpper", l)
	checkShape("SolveUpper", "v", v.Rows, v.Cols, v.Stride, len(v.Data))
	n := l.Rows
	if v.Cols != n {
		panic(fmt.Sprintf("dense: SolveUpper: l is %d×%d, v %d×%d", n, n, v.Rows, v.Cols))
	}
	const step = 64 // numbers of a row at a time
	negative := blas64.General{Rows: v.Rows, Stride: step, Data: make([]float64, v.Rows*step)}
	for end := n; end > 0; end -= step {
		lo := max(0, end-step)
		negative.Cols = end - lo
		for r := range v.Rows {
			part, minus := v.Data[r*v.Stride+lo:r*v.Stride+end], negative.Data[r*step:]
			for i := end - lo - 1; i >= 0; i-- {
				row := l.Data[(lo+i)*l.Stride+lo:][:i+1]
				part[i] /= row[i]
				for p, x := range row[:i] {
					part[p] -= part[i] * x
				}
				minus[i] = -part[i]
			}
		}
		AddMul(columns(v, 0, lo), negative, columns(rows(l, lo, end), 0, lo))
	}
}

// Solve overwrites b (n) with H⁻¹b, for the Cholesky factor L of H in the lower triangle of l.
func Solve(l blas64.General, b []float64) {
	n := l.Rows
	if len(b) != n {
		panic(fmt.Sprintf("dense: Solve: l is %d×%d, b has %d numbers", n, n, len(b)))
	}
	SolveLower(l, blas64.General{Rows: 1, Cols: n, Stride: max(1, n), Data: b})
	// Solve Lᵀx = b from below: subtract each x, times its row of L, from the entries above it.
	level := cpu.Vector()
	for end := n; end > 0; end -= maxWidth {
		j := max(0, end-maxWidth)
		var weight [maxWidth]float64
		var from [maxWidth][]float64
		for i := end - 1; i >= j; i-- {
			row := l.Data[i*l.Stride : i*l.Stride+i+1]
			b[i] /= row[i]
			weight[i-j], from[i-j] = -b[i], row
			for p := j; p < i; p++ {
				b[p] -= b[i] * row[p]
			}
		}
		combine(level, b[:j], weight[:end-j], from[:end-j])
	}
}

// InverseDiagonal writes the diagonal of H⁻¹ to dst (n), for the Cholesky factor L of H in the lower triangle
// of l: the sums of squares of the columns of L⁻¹. It runs in parallel.
func InverseDiagonal(dst []float64, l blas64.General) {
	checkSquare("InverseDiagonal", l)
	n := l.Rows
	if len(dst) != n {
		panic(fmt.Sprintf("dense: InverseDiagonal: l is %d×%d, dst has %d numbers", n, n, len(dst)))
	}
	const step = 48
	if n*n*n/6 < worth {
		for i := 0; i < n; i += step {
			inverseDiagonal(dst, l, i, min(n, i+step))
		}
		return
	}
	par.For(n, step, func(lo, hi int) { inverseDiagonal(dst, l, lo, hi) })
}

// inverseDiagonal is InverseDiagonal for the entries lo to hi.
func inverseDiagonal(dst []float64, l blas64.General, lo, hi int) {
	// Rows of the identity matrix become columns of L⁻¹, which are zero before the diagonal.
	rest := l.Rows - lo
	memory := scratch.Get().(*buffer)
	defer scratch.Put(memory)
	v := blas64.General{Rows: hi - lo, Cols: rest, Stride: rest, Data: memory.resize((hi - lo) * rest)}
	clear(v.Data)
	for r := range v.Rows {
		v.Data[r*rest+r] = 1
	}
	SolveLower(columns(rows(l, lo, l.Rows), lo, l.Rows), v)
	for r := range v.Rows {
		row := v.Data[r*rest+r : (r+1)*rest]
		dst[lo+r] = Dot(row, row)
	}
}

// LogDet returns log|H|, for the Cholesky factor L of H in the lower triangle of l.
func LogDet(l blas64.General) float64 {
	checkSquare("LogDet", l)
	sum := 0.0
	for i := range l.Rows {
		sum += math.Log(l.Data[i*l.Stride+i])
	}
	return 2 * sum
}
