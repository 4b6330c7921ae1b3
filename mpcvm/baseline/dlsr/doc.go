// Package dlsr implements the discriminative least squares regression of Xiang, Nie, Meng, Pan and Zhang
// (2012, DOI 10.1109/TNNLS.2012.2212721), a linear classifier that the mPCVM paper compares with. It is a
// least-squares regression on the targets one and zero, which may move apart.
//
// With the targets Y (N×C, y_nc = 1 where t_n = c, else 0), the directions B (b_nc = +1 where t_n = c, else
// −1), the weights W (D×C) and the biases t (C), it minimises
//
//	‖XW + 1tᵀ − Y − B⊙M‖² + λ‖W‖²   over W, t and M ≥ 0
//
// by alternation: R = Y + B⊙M, W = (XᵀHX + λI)⁻¹XᵀHR with H = I − 11ᵀ/N, t = (Rᵀ1 − WᵀXᵀ1)/N, then M =
// max(B⊙(XW + 1tᵀ − Y), 0). M starts at 0, so the first W is the ridge-regression solution. The Cholesky
// factor of XᵀHX + λI, or of HXXᵀH + λI if this matrix is smaller, is computed once. The label is the class
// with the largest score XW + 1tᵀ.
//
// # Relation to support vector machines
//
// The problem is convex. With the best M, the residual of a score s is max(0, 1 − s) for the sample's own
// class and max(0, s) for the other classes: a score beyond its target costs nothing. Each class is therefore
// a linear support vector machine with squared loss against the rest, and the classes do not depend on each
// other.
//
// # The figures in the mPCVM paper
//
// The alternation converges slowly, and stopping it early gives a different classifier. On Iris (five
// partitions, λ = 1) the error is 16 % with Tol 1e-3 (5 iterations), 9.3 % with 1e-4 and 4.7 % with 1e-8 (330
// iterations). On Vowel it is 54, 49 and 45 %. The mPCVM paper reports 9.3 % and 55.6 %. By default, this
// package runs the fit to convergence.
//
// # Objective
//
// The objective in the trace is the one above with the opposite sign, because all learners maximise. It has
// no unit and does not fall. The log likelihood in the trace is computed from the softmax of the scores at
// temperature 1.
//
// # Probabilities
//
// The paper that introduced the method does not define probabilities. This package adds them:
// softmax(scores/T) with a temperature T > 0, which preserves the order of the classes in each row and so the
// label. T minimises the log loss of 5-fold cross-validation within the training data. As in Platt's scaling,
// a label counts as 1 − ε for its class, and ε = 1/(N+2) is shared by the other classes, so that T is not
// zero even if no fold has an error.
//
// The mPCVM paper seems to compute its AUC from the scores, which give 93.5 % on Iris and 86.8 % on Vowel
// (reported: 93.8 and 87.0 %); the probabilities give 99.6 and 92.9 %. The AUCs differ because no mapping
// whose rows sum to one preserves the order of the samples in all columns. With two classes, the scores sum
// to one, and softmax preserves it.
package dlsr
