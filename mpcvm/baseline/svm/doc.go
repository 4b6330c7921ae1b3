// Package svm implements the support vector machine that the paper compares the mPCVM with: LIBSVM's C-SVC,
// one against one, with probabilities.
//
// # Training
//
// Each pair of classes has a soft-margin machine. Its dual is solved in signed variables β_i = y_i·α_i, with
// y_i = +1 for the lower class and −1 for the higher class:
//
//	maximise  D(β) = Σ y_i β_i − ½ βᵀKβ   subject to  Σ β_i = 0,  0 ≤ y_i β_i ≤ C
//
// by sequential minimal optimisation. Each step changes the two variables that violate the optimality
// conditions most. The second one is chosen using second-order information (Fan, Chen and Lin 2005). With the
// gradient f_i = y_i − (Kβ)_i, the set up of variables that may increase and the set low of variables that
// may decrease, the steps use
//
//	i = argmax {f_t : t ∈ up},  m = f_i,      M = min {f_t : t ∈ low}
//	j = argmax {(m − f_t)²/(K_ii + K_tt − 2K_it) : t ∈ low, f_t < m}
//
// until m − M ≤ Tol. Variables that are likely to stay at a bound are shrunk: they are left out until the
// problem of the other variables is solved, and then their gradient is recomputed (Chang and Lin 2011,
// section 5.1). If the N×N kernel matrix fits into CacheMiB, it is computed once. Otherwise each pair has a
// cache of rows.
//
// # Prediction
//
// The decision value of a pair is Σ β_i k(x, x_i) + b. Its sign is a vote. The class with most votes wins;
// ties go to the lower class. A sigmoid 1/(1 + exp(A·f + B)) converts decision values into probabilities of
// the pair. It is fitted by Newton's method to decision values from five-fold cross-validation (Platt 2000;
// Lin, Lin and Weng 2007). The class probabilities p minimise Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)² for the
// probabilities r_ij of class i in the pair (i, j) (Wu, Lin and Weng 2004, second method). The most probable
// class may differ from the winner of the votes.
//
// # Differences from LIBSVM
//
// The machine is the same within Tol. The folds for the probabilities are stratified. The class probabilities
// are computed by solving a linear system directly, not by iteration. Kernel values have double precision.
//
// # Sources
//
// R.-E. Fan, P.-H. Chen, C.-J. Lin: Working set selection using second order information for training support
// vector machines. JMLR 6 (2005) 1889–1918.
//
// C.-C. Chang, C.-J. Lin: LIBSVM: a library for support vector machines. ACM TIST 2 (2011) 27. DOI
// 10.1145/1961189.1961199.
//
// J. C. Platt: Probabilities for SV machines. In: Advances in Large Margin Classifiers (2000) 61–74.
//
// H.-T. Lin, C.-J. Lin, R. C. Weng: A note on Platt's probabilistic outputs for support vector machines.
// Machine Learning 68 (2007) 267–276. DOI 10.1007/s10994-007-5018-6.
//
// T.-F. Wu, C.-J. Lin, R. C. Weng: Probability estimates for multi-class classification by pairwise coupling.
// JMLR 5 (2004) 975–1005.
package svm
