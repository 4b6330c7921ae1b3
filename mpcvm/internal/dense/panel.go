package dense

import "gonum.org/v1/gonum/blas/blas64"

// op determines what panel does with its sums.
type op int

const (
	set op = iota // C = A·Bᵀ
	add           // C += A·Bᵀ
	sub           // C −= A·Bᵀ
)

// maxWidth is the largest width of any level.
const maxWidth = 8

// panelGo is panel in Go: two rows of A times four rows of B at a time, with a variable for each sum.
func panelGo[T float32 | float64](do op, c []float64, ldc int, a []T, lda, m int, b []T, ldb, nb, k int) {
	row := func(x []T, ld, i, last int) []T { i = min(i, last); return x[i*ld : i*ld+k] }
	var s [2][4]T
	for j := 0; j < nb; j += 4 {
		b0, b1, b2, b3 := row(b, ldb, j, nb-1), row(b, ldb, j+1, nb-1), row(b, ldb, j+2, nb-1),
			row(b, ldb, j+3, nb-1)
		for i := 0; i < m; i += 2 {
			a0, a1 := row(a, lda, i, m-1), row(a, lda, i+1, m-1)
			if i+1 < m {
				s[0], s[1] = dots2(a0, a1, b0, b1, b2, b3)
			} else {
				s[0] = dots1(a0, b0, b1, b2, b3)
			}
			for r := range min(2, m-i) {
				to := c[(i+r)*ldc+j : (i+r)*ldc+min(j+4, nb)]
				for p := range to {
					switch sum := float64(s[r][p]); do {
					case set:
						to[p] = sum
					case add:
						to[p] += sum
					case sub:
						to[p] -= sum
					}
				}
			}
		}
	}
}

func dots2[T float32 | float64](a0, a1, b0, b1, b2, b3 []T) (s, t [4]T) {
	var s0, s1, s2, s3, t0, t1, t2, t3 T
	a1, b0, b1, b2, b3 = a1[:len(a0)], b0[:len(a0)], b1[:len(a0)], b2[:len(a0)], b3[:len(a0)]
	for k, x := range a0 {
		y := a1[k]
		v := b0[k]
		s0 += x * v
		t0 += y * v
		v = b1[k]
		s1 += x * v
		t1 += y * v
		v = b2[k]
		s2 += x * v
		t2 += y * v
		v = b3[k]
		s3 += x * v
		t3 += y * v
	}
	return [4]T{s0, s1, s2, s3}, [4]T{t0, t1, t2, t3}
}

func dots1[T float32 | float64](a0, b0, b1, b2, b3 []T) [4]T {
	var s0, s1, s2, s3 T
	b0, b1, b2, b3 = b0[:len(a0)], b1[:len(a0)], b2[:len(a0)], b3[:len(a0)]
	for k, x := range a0 {
		s0 += x * b0[k]
		s1 += x * b1[k]
		s2 += x * b2[k]
		s3 += x * b3[k]
	}
	return [4]T{s0, s1, s2, s3}
}

// divisors returns the table for the assembly of divide: the inverses of the diagonal of L, then the columns
// of L below it, with each row divided by its diagonal entry. Each has w numbers.
func divisors(l blas64.General, w int) (table [maxWidth * maxWidth]float64) {
	for j := range l.Rows {
		row := l.Data[j*l.Stride : j*l.Stride+j+1]
		inverse := 1 / row[j]
		table[j] = inverse
		for p, x := range row[:j] {
			table[(p+1)*w+j] = x * inverse
		}
	}
	return table
}

// divideGo is divide in Go.
func divideGo(v, l blas64.General) {
	for i := range v.Rows {
		row := v.Data[i*v.Stride : i*v.Stride+v.Cols]
		for j := range row {
			from, s := l.Data[j*l.Stride:j*l.Stride+j+1], row[j]
			for p, x := range from[:j] {
				s -= x * row[p]
			}
			row[j] = s / from[j]
		}
	}
}

// dotGo is xᵀy in Go.
func dotGo(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(x); k += 4 {
		x, y := x[k:k+4:k+4], y[k:k+4:k+4]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	for ; k < len(x); k++ {
		s0 += x[k] * y[k]
	}
	return s0 + s1 + (s2 + s3)
}

// combineGo computes y += Σ_i w_i·rows_i in Go, with four rows per pass.
func combineGo[T float32 | float64](y, w []float64, rows [][]T) {
	for ; len(rows) >= 4; w, rows = w[4:], rows[4:] {
		w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
		r0, r1, r2, r3 := rows[0][:len(y)], rows[1][:len(y)], rows[2][:len(y)], rows[3][:len(y)]
		for k := range y {
			y[k] += w0*float64(r0[k]) + w1*float64(r1[k]) + (w2*float64(r2[k]) + w3*float64(r3[k]))
		}
	}
	for i, row := range rows {
		wi, row := w[i], row[:len(y)]
		for k := range y {
			y[k] += wi * float64(row[k])
		}
	}
}

// mulGo is mul in Go, for w columns.
func mulGo[T float32 | float64](w int, c []float64, ldc int, a []float64, lda, m int, b []T, ldb, k int) {
	for i := range m {
		to := c[i*ldc : i*ldc+w]
		for p, x := range a[i*lda : i*lda+k] {
			for j, y := range b[p*ldb : p*ldb+w] {
				to[j] += x * float64(y)
			}
		}
	}
}

// widenGo copies src to dst.
func widenGo(dst []float64, src []float32) {
	for i, v := range src {
		dst[i] = float64(v)
	}
}
