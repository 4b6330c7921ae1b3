// Package dlsr is the discriminative least squares regression of Xiang, Nie, Meng, Pan
// and Zhang (2012, DOI 10.1109/TNNLS.2012.2212721), a linear system that the mPCVM paper
// compares with: least squares to the targets one and zero, where the targets may be
// dragged apart.
//
// With the targets Y (N×C, y_nc = 1 where t_n = c, else 0), the directions B
// (b_nc = +1 where t_n = c, else −1), the weights W (D×C) and biases t (C), it minimises
//
//	‖XW + 1tᵀ − Y − B⊙M‖² + λ‖W‖²   over W, t and M ≥ 0,
//
// in turn: R = Y + B⊙M, W = (XᵀHX + λI)⁻¹XᵀHR with H = I − 11ᵀ/N,
// t = (Rᵀ1 − WᵀXᵀ1)/N, then M = max(B⊙(XW + 1tᵀ − Y), 0), from M = 0, which makes the
// first W that of ridge regression. The Cholesky factors of XᵀHX + λI, or of
// HXXᵀH + λI if that is smaller, are computed once.
// The label is the class of the largest score XW + 1tᵀ.
//
// # What it is
//
// The problem is convex. With the best M put in, what is left of the residual of a score
// s is max(0, 1 − s) for the own class and max(0, s) for the others: a score beyond its
// target costs nothing. So each class is a linear support vector machine with squared
// loss against the rest, and the classes do not speak to each other.
//
// # What the mPCVM paper saw of it
//
// The alternation is slow, and its early stops are other classifiers: on Iris (five
// partitions, λ = 1) the error is 16 % where it ends at ‖W − W_old‖² < 1e-3 (5
// iterations), 9.3 % at 1e-4, 4.7 % at 1e-8 (330); on Vowel 54, 49 and 45 %. The mPCVM
// paper prints 9.3 % and 55.6 %. Here it is run to the end.
//
// # Objective
//
// What is traced as the objective is the above with its sign changed (the core's
// objectives grow); it has no unit and does not fall. The log likelihood of the trace is
// that of the softmax of the scores at temperature one.
//
// # Probabilities
//
// The paper gives none. The probabilities here are our own addition: softmax(scores/T)
// with one temperature T > 0, which keeps the order of the classes in each row, and so
// the label. T minimises the log loss of 5-fold cross-validation within the training
// data, in which, as in Platt's scaling, a label counts 1 − ε for its class, with
// ε = 1/(N+2) shared by the others: T is then never zero, not even for folds without an
// error.
//
// For the AUC the mPCVM paper seems to have ranked by the scores: they give 93.5 % on
// Iris and 86.8 % on Vowel (printed: 93.8 and 87.0), the probabilities 99.6 and 92.9 %.
// No map whose rows sum to one can keep the order of the samples in all columns; with
// two classes, whose scores sum to one, this one does.
package dlsr
