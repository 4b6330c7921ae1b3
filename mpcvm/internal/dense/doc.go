// Package dense multiplies and factorizes dense matrices of float64, row-major, as
// blas64.General. Everything is a dot product of rows: products C = A·Bᵀ, the lower
// Cholesky factor of H = LLᵀ with L_ij = (H_ij − Σ_k L_ik L_jk)/L_jj, and
// substitutions. One routine, panel, does all of it: some rows against a few others,
// in AVX-512, AVX2 or Go (see package cpu).
//
// The terms of a dot product are added in an order that depends on their number
// alone. A row of a result has the same bits whatever other rows are computed with it,
// and on any number of cores; see package cpu for what differs between machines.
//
// Strides may exceed widths; what lies between is neither read nor written.
// Matrices of wrong sizes panic.
//
// # Why not a library
//
// gonum's blas64 and lapack64 do not promise the order of their sums, and have no
// vector instructions for products. Measured in November 2026 on one core with AVX-512,
// they take 3 to 9 times as long for products, Cholesky factors and substitutions of
// 40 to 2000 rows, and without vectors as long as this package. OpenBLAS, through cgo,
// made whole fits 0.97 to 1.10 times as fast.
package dense
