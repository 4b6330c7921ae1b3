// Package dense multiplies and factorises dense row-major matrices of float64, given as blas64.General. All
// operations are based on dot products of rows: products C = A·Bᵀ, the lower Cholesky factor of H = LLᵀ with
// L_ij = (H_ij − Σ_k L_ik L_jk)/L_jj, and substitutions. They share one routine, panel, which multiplies some
// rows by a few others, in AVX-512, AVX2 or Go (see package cpu).
//
// The order in which the terms of a dot product are added depends only on their number. A row of a result
// therefore has the same bits whatever other rows are computed with it, and on any number of cores; see
// package cpu for the differences between machines.
//
// Strides may exceed widths; the elements in between are neither read nor written. Functions panic if the
// sizes of matrices do not match.
//
// # Why not a library
//
// gonum's blas64 and lapack64 do not guarantee the order of their sums, and have no vector instructions for
// products. Measured in November 2026 on one core with AVX-512, they took 3 to 9 times as long for products,
// Cholesky factors and substitutions of 40 to 2000 rows; without vector instructions, the times are equal.
// With OpenBLAS through cgo, whole fits ran 0.97 to 1.10 times as fast.
package dense
