// Package dense multiplies and factorizes dense matrices of float64, row-major, as
// blas64.General. Everything is a dot product of rows: C = A·Bᵀ for products, and a
// lower Cholesky factor, H = LLᵀ, whose entries L_ij = (H_ij − Σ_k L_ik L_jk)/L_jj
// and whose substitutions are dots of rows as well. So one routine, panel, carries
// all of it: some rows against a few others, in AVX-512, AVX2 or Go (see package
// cpu).
//
// The terms of a dot product are added in an order that depends on their number
// alone: a row of a result has the same bits whatever other rows are computed with
// it, and on any number of cores. Levels of package cpu differ in the last digits.
//
// Where another BLAS than gonum's own is registered with blas64.Use, products of large
// matrices are left to it, and without assembly substitutions as well; the order of
// their sums is its own.
//
// Strides may exceed widths; what lies between is neither read nor written.
// Matrices of wrong sizes panic.
package dense
