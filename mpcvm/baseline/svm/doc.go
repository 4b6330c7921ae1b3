// Package svm is the support vector machine that the paper compares the mPCVM with: LIBSVM's
// C-SVC, one against one, with probabilities.
//
// # Training
//
// Each pair of classes has a soft-margin machine. Its dual is solved, here in signed variables
// β_i = y_i·α_i, with y_i = +1 for the lower class and −1 for the higher:
//
//	maximise  D(β) = Σ y_i β_i − ½ βᵀKβ   subject to  Σ β_i = 0,  0 ≤ y_i β_i ≤ C
//
// by sequential minimal optimisation. Each step moves the two variables that violate the
// conditions of optimality most. The second is chosen by second-order information (Fan, Chen
// and Lin 2005). With the gradient f_i = y_i − (Kβ)_i, the set up of variables that may grow
// and the set low of variables that may fall,
//
//	i = argmax {f_t : t ∈ up},  m = f_i,      M = min {f_t : t ∈ low}
//	j = argmax {(m − f_t)²/(K_ii + K_tt − 2K_it) : t ∈ low, f_t < m}
//
// until m − M ≤ Tol. Variables that are likely to stay at a bound are shrunk: they are left
// out until the rest is solved. Then their gradient is computed again (Chang and Lin 2011,
// section 5.1). If the N×N matrix of the kernel fits into CacheMiB, it is computed once.
// Otherwise each pair has a cache of rows.
//
// # Prediction
//
// The decision value of a pair is Σ β_i k(x, x_i) + b. Its sign is a vote. The class with the
// most votes wins, the lower one in a tie. A sigmoid 1/(1 + exp(A·f + B)) turns decision
// values into probabilities of the pair. It is fitted by Newton's method to decision values of
// five-fold cross-validation (Platt 2000; Lin, Lin and Weng 2007).
// The class probabilities p minimise Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)² for the
// probabilities r_ij of class i in the pair (i, j) (Wu, Lin and Weng 2004, second
// method). The most probable class and the winner of the votes may differ.
//
// # What differs from LIBSVM
//
// The machine is the same within Tol. The folds of the probabilities are stratified. The class
// probabilities are the direct solution of a linear system, not an iteration. Values of the
// kernel have double precision.
//
// # Sources
//
// R.-E. Fan, P.-H. Chen, C.-J. Lin: Working set selection using second order
// information for training support vector machines. JMLR 6 (2005) 1889–1918.
//
// C.-C. Chang, C.-J. Lin: LIBSVM: a library for support vector machines. ACM TIST 2
// (2011) 27. DOI 10.1145/1961189.1961199.
//
// J. C. Platt: Probabilities for SV machines. In: Advances in Large Margin Classifiers
// (2000) 61–74.
//
// H.-T. Lin, C.-J. Lin, R. C. Weng: A note on Platt's probabilistic outputs for
// support vector machines. Machine Learning 68 (2007) 267–276. DOI
// 10.1007/s10994-007-5018-6.
//
// T.-F. Wu, C.-J. Lin, R. C. Weng: Probability estimates for multi-class
// classification by pairwise coupling. JMLR 5 (2004) 975–1005.
package svm
