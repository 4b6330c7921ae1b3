// Package mlr implements multinomial logistic regression, also called softmax regression. It is the linear
// classifier with probabilities that the mPCVM paper compares with. With scores y_n = Wx_n + b (W: C×D),
//
//	p(t = c | x_n) = exp(y_nc) / Σ_k exp(y_nk),
//
// and the fit maximises the concave objective
//
//	Σ_n log p(t_n | x_n) − (λ/2) Σ_cd w_cd²
//
// over W and b. The penalty (le Cessie and van Houwelingen 1992, DOI 10.2307/2347628) is a Gaussian prior
// with variance 1/λ on each weight. The biases are not penalised. Without the penalty, the likelihood of
// separable data has no maximum. With it there is a unique solution, in which Σ_c w_c = 0. The biases are
// chosen to sum to zero as well.
//
// The same model is available as nnet::multinom in R and LogisticRegression in scikit-learn. With three or
// more classes, C in scikit-learn is 1/λ. With two classes, scikit-learn's weights are the difference of the
// two rows of W, and its penalty equals ours with λ/2. multinom fixes the coefficients of the first class at
// zero: without a penalty it is the same model, with a penalty it is a different one. Its decay is λ/2.
//
// # The fit
//
// The fit uses L-BFGS from gonum/optimize on features that are centred and scaled: it looks for v_cd =
// h_d·w_cd with h_d² = var(x_d) + λ/N, which makes the curvatures similar. The scaling does not change the
// solution, so the optimiser works for features in any unit. You should still standardise the features
// because of the penalty. The fit does not need an N×N or CD×CD matrix. The objective is traced in nats and
// does not fall.
//
// # Comparison with the paper
//
// The paper does not name the penalty or the program of its MLR. Its error on Wine, 5.9 %, suggests a very
// small penalty: over ten partitions the error is 4.4 % with λ = 1e-6, 2.8 % with 0.3 and 1.9 % with 1. On
// the other sets, the penalty has less influence on the error but much on the log loss: on Glass the log loss
// is 7.7 nats with λ = 1e-6 and 1.0 nats with 0.3.
package mlr
