// Package dlsr is the discriminative least squares regression of Xiang, Nie, Meng, Pan and
// Zhang (2012, DOI 10.1109/TNNLS.2012.2212721). It is a linear classifier that the mPCVM paper
// compares with: least squares to the targets one and zero, where the targets may move apart.
//
// With the targets Y (N×C, y_nc = 1 where t_n = c, else 0), the directions B
// (b_nc = +1 where t_n = c, else −1), the weights W (D×C) and biases t (C), it minimises
//
//	‖XW + 1tᵀ − Y − B⊙M‖² + λ‖W‖²   over W, t and M ≥ 0,
//
// in turn: R = Y + B⊙M, W = (XᵀHX + λI)⁻¹XᵀHR with H = I − 11ᵀ/N, t = (Rᵀ1 − WᵀXᵀ1)/N, then
// M = max(B⊙(XW + 1tᵀ − Y), 0). M starts at 0, so the first W is the ridge regression's. The
// Cholesky factor of XᵀHX + λI, or of HXXᵀH + λI if that is smaller, is computed once. The
// label is the class of the largest score XW + 1tᵀ.
//
// # What it is
//
// The problem is convex. With the best M, the residual of a score s is max(0, 1 − s) for the
// sample's own class and max(0, s) for the others: a score beyond its target costs nothing. So
// each class is a linear support vector machine with squared loss against the rest, and the
// classes do not depend on each other.
//
// # The figures of the mPCVM paper
//
// The alternation is slow, and stopping it early gives another classifier. On Iris (five
// partitions, λ = 1) the error is 16 % with Tol 1e-3 (5 iterations), 9.3 % with 1e-4 and 4.7 %
// with 1e-8 (330 iterations). On Vowel it is 54, 49 and 45 %. The mPCVM paper prints 9.3 % and
// 55.6 %. Here the fit runs to the end.
//
// # Objective
//
// The objective of the trace is the one above with its sign changed, because objectives grow
// in all learners. It has no unit and does not fall. The log likelihood of the trace is that
// of the softmax of the scores at temperature 1.
//
// # Probabilities
//
// The paper gives none. The probabilities here are our own addition: softmax(scores/T) with
// one temperature T > 0. This keeps the order of the classes in each row, and so the label. T
// minimises the log loss of 5-fold cross-validation within the training data. As in Platt's
// scaling a label counts 1 − ε for its class, with ε = 1/(N+2) shared by the other classes. So
// T is not zero even if no fold has an error.
//
// The mPCVM paper seems to rank by the scores for its AUC. The scores give 93.5 % on Iris and
// 86.8 % on Vowel (printed: 93.8 and 87.0 %), the probabilities 99.6 and 92.9 %. No map whose
// rows sum to one can keep the order of the samples in all columns. With two classes, whose
// scores sum to one, this map does.
package dlsr
