package openblas

/*
#cgo LDFLAGS: -lopenblas

// As in cblas.h, which lies elsewhere on every system; enumerations are ints.
void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
void cblas_dsyrk(int order, int ul, int t, int n, int k, double alpha, const double *a, int lda, double beta, double *c, int ldc);
void cblas_dsymm(int order, int side, int ul, int m, int n, double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
void cblas_dtrmm(int order, int side, int ul, int ta, int diag, int m, int n, double alpha, const double *a, int lda, double *b, int ldb);
void cblas_dtrsm(int order, int side, int ul, int ta, int diag, int m, int n, double alpha, const double *a, int lda, double *b, int ldb);
void cblas_dgemv(int order, int ta, int m, int n, double alpha, const double *a, int lda, const double *x, int incx, double beta, double *y, int incy);
void cblas_dsymv(int order, int ul, int n, double alpha, const double *a, int lda, const double *x, int incx, double beta, double *y, int incy);
void openblas_set_num_threads(int n);

#cgo noescape cblas_dgemm
#cgo noescape cblas_dsyrk
#cgo noescape cblas_dsymm
#cgo noescape cblas_dtrmm
#cgo noescape cblas_dtrsm
#cgo noescape cblas_dgemv
#cgo noescape cblas_dsymv
#cgo nocallback cblas_dgemm
#cgo nocallback cblas_dsyrk
#cgo nocallback cblas_dsymm
#cgo nocallback cblas_dtrmm
#cgo nocallback cblas_dtrsm
#cgo nocallback cblas_dgemv
#cgo nocallback cblas_dsymv
*/
import "C"

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

func init() {
	Threads(1)
	blas64.Use(Implementation{})
}

// Threads sets in how many threads OpenBLAS computes a product. It is 1 at first;
// more pay for one fit of many thousands of samples on many cores. It panics if n is
// not positive.
func Threads(n int) {
	if n < 1 || n > math.MaxInt32 {
		panic(fmt.Sprintf("openblas: %d threads", n))
	}
	C.openblas_set_num_threads(C.int(n))
}

// Implementation is gonum's BLAS but for what is defined here: that is OpenBLAS'
// where matrices are large, and gonum's again where they are small or an argument is
// wrong, of which gonum's panics.
type Implementation struct{ gonum.Implementation }

var _ blas.Float64 = Implementation{}

const (
	rowMajor = 101 // CblasRowMajor

	// Multiplications from which OpenBLAS is called; below, the call is too dear.
	products = 1 << 12
	// The same where a matrix is read for one vector.
	entries = 1 << 10
)

// large reports whether an operation of all sizes is at least of so many
// multiplications, with no size wrong or beyond OpenBLAS' integers.
func large(least float64, sizes ...int) bool {
	total := 1.0
	for _, n := range sizes {
		if n <= 0 || n > math.MaxInt32 {
			return false
		}
		total *= float64(n)
	}
	return total >= least
}

// holds reports whether x is a matrix of so many rows and columns.
func holds(x []float64, rows, cols, stride int) bool {
	return stride >= cols && stride <= math.MaxInt32 && len(x) >= (rows-1)*stride+cols
}

// shape is the shape of a matrix that is m×n after transposition.
func shape(t blas.Transpose, m, n int) (rows, cols int) {
	if t == blas.NoTrans {
		return m, n
	}
	return n, m
}

// flag returns the number that stands for an option in C; ok is cleared where there
// is none.
func flag[T comparable](ok *bool, option T, first C.int, options ...T) C.int {
	for i, o := range options {
		if option == o {
			return first + C.int(i)
		}
	}
	*ok = false
	return 0
}

func transposed(ok *bool, t blas.Transpose) C.int {
	return flag(ok, t, 111, blas.NoTrans, blas.Trans, blas.ConjTrans)
}

func triangle(ok *bool, u blas.Uplo) C.int { return flag(ok, u, 121, blas.Upper, blas.Lower) }

func diagonal(ok *bool, d blas.Diag) C.int { return flag(ok, d, 131, blas.NonUnit, blas.Unit) }

func side(ok *bool, s blas.Side) C.int { return flag(ok, s, 141, blas.Left, blas.Right) }

// order is the size of the square matrix on a side of an m×n one.
func order(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}

// Dgemm sets C = alpha·A·B + beta·C with A (m×k) and B (k×n) as they are or
// transposed.
func (b Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, bb []float64, ldb int, beta float64, c []float64, ldc int) {
	ok := alpha != 0 && large(products, m, n, k)
	ta, tb := transposed(&ok, tA), transposed(&ok, tB)
	aRows, aCols := shape(tA, m, k)
	bRows, bCols := shape(tB, k, n)
	if !ok || !holds(a, aRows, aCols, lda) || !holds(bb, bRows, bCols, ldb) || !holds(c, m, n, ldc) {
		b.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, bb, ldb, beta, c, ldc)
		return
	}
	C.cblas_dgemm(rowMajor, ta, tb, C.int(m), C.int(n), C.int(k), C.double(alpha), number(a), C.int(lda), number(bb), C.int(ldb), C.double(beta), number(c), C.int(ldc))
}

// Dsyrk sets a triangle of C = alpha·A·Aᵀ + beta·C with A (n×k), or AᵀA with A
// (k×n).
func (b Implementation) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	ok := alpha != 0 && large(products, n, n, k)
	u, t := triangle(&ok, ul), transposed(&ok, tA)
	rows, cols := shape(tA, n, k)
	if !ok || !holds(a, rows, cols, lda) || !holds(c, n, n, ldc) {
		b.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	C.cblas_dsyrk(rowMajor, u, t, C.int(n), C.int(k), C.double(alpha), number(a), C.int(lda), C.double(beta), number(c), C.int(ldc))
}

// Dsymm sets C = alpha·A·B + beta·C, or B·A, with a symmetric A.
func (b Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, bb []float64, ldb int, beta float64, c []float64, ldc int) {
	k := order(s, m, n)
	ok := alpha != 0 && large(products, m, n, k)
	sd, u := side(&ok, s), triangle(&ok, ul)
	if !ok || !holds(a, k, k, lda) || !holds(bb, m, n, ldb) || !holds(c, m, n, ldc) {
		b.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, bb, ldb, beta, c, ldc)
		return
	}
	C.cblas_dsymm(rowMajor, sd, u, C.int(m), C.int(n), C.double(alpha), number(a), C.int(lda), number(bb), C.int(ldb), C.double(beta), number(c), C.int(ldc))
}

// Dtrmm sets B = alpha·A·B, or B·A, with a triangular A, as it is or transposed.
func (b Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, bb []float64, ldb int) {
	k := order(s, m, n)
	ok := alpha != 0 && large(products, m, n, k)
	sd, u, t, dg := side(&ok, s), triangle(&ok, ul), transposed(&ok, tA), diagonal(&ok, d)
	if !ok || !holds(a, k, k, lda) || !holds(bb, m, n, ldb) {
		b.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, bb, ldb)
		return
	}
	C.cblas_dtrmm(rowMajor, sd, u, t, dg, C.int(m), C.int(n), C.double(alpha), number(a), C.int(lda), number(bb), C.int(ldb))
}

// Dtrsm sets B = alpha·A⁻¹·B, or B·A⁻¹, with a triangular A, as it is or transposed.
func (b Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, bb []float64, ldb int) {
	k := order(s, m, n)
	ok := alpha != 0 && large(products, m, n, k)
	sd, u, t, dg := side(&ok, s), triangle(&ok, ul), transposed(&ok, tA), diagonal(&ok, d)
	if !ok || !holds(a, k, k, lda) || !holds(bb, m, n, ldb) {
		b.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, bb, ldb)
		return
	}
	C.cblas_dtrsm(rowMajor, sd, u, t, dg, C.int(m), C.int(n), C.double(alpha), number(a), C.int(lda), number(bb), C.int(ldb))
}

// Dgemv sets y = alpha·A·x + beta·y with A (m×n), or Aᵀ.
func (b Implementation) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	ok := alpha != 0 && large(entries, m, n) && incX > 0 && incY > 0
	t := transposed(&ok, tA)
	toY, toX := shape(tA, m, n)
	if !ok || !holds(a, m, n, lda) || !holds(x, toX, 1, incX) || !holds(y, toY, 1, incY) {
		b.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	C.cblas_dgemv(rowMajor, t, C.int(m), C.int(n), C.double(alpha), number(a), C.int(lda), number(x), C.int(incX), C.double(beta), number(y), C.int(incY))
}

// Dsymv sets y = alpha·A·x + beta·y with a symmetric A (n×n).
func (b Implementation) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	ok := alpha != 0 && large(entries, n, n) && incX > 0 && incY > 0
	u := triangle(&ok, ul)
	if !ok || !holds(a, n, n, lda) || !holds(x, n, 1, incX) || !holds(y, n, 1, incY) {
		b.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	C.cblas_dsymv(rowMajor, u, C.int(n), C.double(alpha), number(a), C.int(lda), number(x), C.int(incX), C.double(beta), number(y), C.int(incY))
}

// number is the address of the first number of a matrix.
func number(x []float64) *C.double { return (*C.double)(&x[0]) }
