package dense

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/par"
	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

const (
	kBlock   = 256     // terms of a dot product at a time: width+3 rows of them fit into the L1 cache
	rowBlock = 192     // rows of A at a time: with kBlock terms, they fit into the L2 cache
	worth    = 1 << 18 // multiplications from which goroutines are faster
)

// piece returns the number of rows of B that a goroutine processes at a time for m rows of A.
func piece(m int) int { return min(max(64, m/8*8), rowBlock) }

// MulT sets C = A·Bᵀ, with A m×k, B n×k and C m×n. It runs in parallel over the rows of B. If A is small,
// each row of B is read from memory once. C must not overlap A or B.
func MulT(c, a, b blas64.General) { mulT("MulT", set, c, a, b) }

// AddMulT computes C += A·Bᵀ. With C zero at first, calls for consecutive blocks of Columns columns of A and
// B (fewer in the last block) give the same bits as one call of MulT.
func AddMulT(c, a, b blas64.General) { mulT("AddMulT", add, c, a, b) }

// Columns is the number of columns in each call of AddMulT that continues a sum.
const Columns = kBlock

func mulT(name string, do op, c, a, b blas64.General) {
	check(name, c, a, b)
	if a.Rows*b.Rows*a.Cols < worth {
		multiply(do, c, a, b)
		return
	}
	par.For(b.Rows, piece(a.Rows), func(lo, hi int) { multiply(do, columns(c, lo, hi), a, rows(b, lo, hi)) })
}

// AddMulT32 is AddMulT with B in float32. Products and sums are in float64, or if fast is true, A is rounded
// to float32, and products and the sums of up to Columns of them are in float32, which takes half the time.
func AddMulT32(c, a blas64.General, b blas32.General, fast bool) {
	checkShape("AddMulT32", "b", b.Rows, b.Cols, b.Stride, len(b.Data))
	checkProduct("AddMulT32", c, a, b.Rows, b.Cols)
	var single []float32
	for i := 0; i < a.Rows && fast; i++ {
		single = slices.Grow(single, (a.Rows-i)*a.Cols)
		for _, v := range a.Data[i*a.Stride:][:a.Cols] {
			single = append(single, float32(v))
		}
	}
	if a.Rows*b.Rows*a.Cols < worth {
		addMultiply32(c, a, single, b)
		return
	}
	par.For(b.Rows, piece(a.Rows), func(lo, hi int) {
		part := blas32.General{Rows: hi - lo, Cols: b.Cols, Stride: b.Stride, Data: b.Data[lo*b.Stride:]}
		addMultiply32(columns(c, lo, hi), a, single, part)
	})
}

// AddMul computes C += A·B, with A m×k, B k×n and C m×n. Each sum adds its terms in order, so calls for
// consecutive columns of A and rows of B give the same bits as one call. It runs in parallel over the columns
// of B. C must not overlap A or B.
func AddMul(c, a, b blas64.General) { addMul(c, a, b.Data, b.Rows, b.Cols, b.Stride) }

// AddMul32 is AddMul with B in float32. Products and sums are in float64.
func AddMul32(c, a blas64.General, b blas32.General) {
	addMul(c, a, b.Data, b.Rows, b.Cols, b.Stride)
}

func addMul[T float32 | float64](c, a blas64.General, b []T, k, n, ldb int) {
	checkShape("AddMul", "b", k, n, ldb, len(b))
	checkProduct("AddMul", c, a, n, k)
	if a.Rows*n*k == 0 {
		return
	}
	const piece = 128 // columns of a goroutine, a multiple of mulWidth
	if a.Rows*n*k < worth {
		addMulColumns(c, a, b, ldb, 0, n)
		return
	}
	par.For(n, piece, func(lo, hi int) { addMulColumns(c, a, b, ldb, lo, hi) })
}

// addMulColumns is addMul for columns lo to hi of B.
func addMulColumns[T float32 | float64](c, a blas64.General, b []T, ldb, lo, hi int) {
	level := cpu.Vector()
	w := mulWidth(level)
	for k0 := 0; k0 < a.Cols; k0 += kBlock {
		k := min(kBlock, a.Cols-k0)
		for j := lo; j < hi; j += w {
			if hi-j >= w {
				mul(level, c.Data[j:], c.Stride, a.Data[k0:], a.Stride, a.Rows, b[k0*ldb+j:], ldb, k)
				continue
			}
			// Copy the last columns, padded with zeros.
			last, sums := make([]T, k*w), make([]float64, a.Rows*w)
			for p := range k {
				copy(last[p*w:], b[(k0+p)*ldb+j:][:hi-j])
			}
			for i := range a.Rows {
				copy(sums[i*w:], c.Data[i*c.Stride+j:][:hi-j])
			}
			mul(level, sums, w, a.Data[k0:], a.Stride, a.Rows, last, w, k)
			for i := range a.Rows {
				copy(c.Data[i*c.Stride+j:][:hi-j], sums[i*w:])
			}
		}
	}
}

// Gram sets C = A·Aᵀ. It computes half of C and mirrors it, so C is exactly symmetric. It runs in parallel. C
// must not overlap A.
func Gram(c, a blas64.General) { GramRows(c, a, 0, a.Rows) }

// GramRows computes rows lo to hi of C = A·Aᵀ up to the diagonal, and the same columns of C above it. Calls
// for consecutive panels of rows (some hundreds each) starting at 0 compute all of C, and the caller can stop
// between them.
func GramRows(c, a blas64.General, lo, hi int) { gramRows("GramRows", set, c, a, lo, hi) }

// AddGramRows adds to C what GramRows computes, for blocks of columns of A as in AddMulT.
func AddGramRows(c, a blas64.General, lo, hi int) { gramRows("AddGramRows", add, c, a, lo, hi) }

func gramRows(name string, do op, c, a blas64.General, lo, hi int) {
	check(name, c, a, a)
	if lo < 0 || hi < lo || hi > a.Rows {
		panic("dense: " + name + ": rows out of range")
	}
	if (hi-lo)*hi*a.Cols < worth {
		gram(do, c, a, lo, hi, 0, hi)
		return
	}
	par.For(hi, piece(hi-lo), func(from, to int) { gram(do, c, a, lo, hi, from, to) })
}

// gram sets, or adds to, columns from to to of rows lo to hi of C = A·Aᵀ on and below the diagonal, and their
// mirror image. Calls with disjoint columns write to disjoint elements.
func gram(do op, c, a blas64.General, lo, hi, from, to int) {
	for first := max(lo, from); first < hi; {
		end := min(hi, first+rowBlock)
		if first < to { // near the diagonal, smaller blocks compute less above it
			end = min(hi, first+rowBlock/4)
		}
		multiply(do, columns(rows(c, first, end), from, min(to, end)), rows(a, first, end),
			rows(a, from, min(to, end)))
		mirror(c, first, end, from, min(to, end))
		first = end
	}
}

// CopyLower copies the lower triangle of the square matrix a to the upper triangle. It runs in parallel.
func CopyLower(a *mat.Dense) {
	raw := a.RawMatrix()
	par.For(raw.Rows, 32, func(lo, hi int) { mirror(raw, lo, hi, 0, raw.Rows) })
}

// mirror copies columns from to to of rows lo to hi from below the diagonal to above it, in squares that fit
// into the cache.
func mirror(c blas64.General, lo, hi, from, to int) {
	const side = 16
	for i0 := lo; i0 < hi; i0 += side {
		for j0 := from; j0 < min(to, i0+side); j0 += side {
			for i := i0; i < min(hi, i0+side); i++ {
				row := c.Data[i*c.Stride : i*c.Stride+i+1]
				for j := j0; j < min(to, j0+side, i); j++ {
					c.Data[j*c.Stride+i] = row[j]
				}
			}
		}
	}
}

// multiply computes C = A·Bᵀ, or adds or subtracts it, in the caller's goroutine.
func multiply(do op, c, a, b blas64.General) {
	if a.Cols == 0 && do == set {
		for i := range c.Rows {
			clear(c.Data[i*c.Stride : i*c.Stride+c.Cols])
		}
		return
	}
	level := cpu.Vector()
	w := width(level)
	for i0 := 0; i0 < a.Rows; i0 += rowBlock {
		m, then := min(rowBlock, a.Rows-i0), do
		for k0 := 0; k0 < a.Cols; k0 += kBlock {
			k := min(kBlock, a.Cols-k0)
			for j := 0; j < b.Rows; j += w {
				panel(level, then, c.Data[i0*c.Stride+j:], c.Stride, a.Data[i0*a.Stride+k0:], a.Stride, m,
					b.Data[j*b.Stride+k0:], b.Stride, min(w, b.Rows-j), k)
			}
			if then == set {
				then = add
			}
		}
	}
}

// addMultiply32 computes C += A·Bᵀ in the caller's goroutine. It widens a few rows of B at a time unless A is
// also given in float32, row by row.
func addMultiply32(c, a blas64.General, single []float32, b blas32.General) {
	level := cpu.Vector()
	w := width(level)
	memory := scratch.Get().(*buffer)
	defer scratch.Put(memory)
	wide := memory.resize(w * kBlock)
	for i0 := 0; i0 < a.Rows; i0 += rowBlock {
		m := min(rowBlock, a.Rows-i0)
		for k0 := 0; k0 < a.Cols; k0 += kBlock {
			k := min(kBlock, a.Cols-k0)
			for j := 0; j < b.Rows; j += w {
				nb, to, from := min(w, b.Rows-j), c.Data[i0*c.Stride+j:], b.Data[j*b.Stride+k0:]
				if single != nil {
					panel(level, add, to, c.Stride, single[i0*a.Cols+k0:], a.Cols, m, from, b.Stride, nb, k)
					continue
				}
				for r := range nb {
					widen(level, wide[r*kBlock:r*kBlock+k], from[r*b.Stride:][:k])
				}
				panel(level, add, to, c.Stride, a.Data[i0*a.Stride+k0:], a.Stride, m, wide, kBlock, nb, k)
			}
		}
	}
}
