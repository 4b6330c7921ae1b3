// Package mpcvm implements the multi-class probabilistic classification vector
// machine (mPCVM) of Lyu, Tian, Li, Jiang and Chen (2020, DOI
// 10.1109/TNNLS.2019.2947309, arXiv 2006.15791): a sparse Bayesian kernel
// classifier whose weights agree in sign with the class labels. Equations are named
// by their labels in the arXiv source.
//
// There are two learners of the paper. [TopDown] (mPCVM₁) begins with every training
// sample in the model and prunes by expectation-maximisation; [BottomUp] (mPCVM₂) begins
// with none and adds and deletes by marginal likelihood. A third, [KernelPrior] (mPCVM-K),
// keeps all and has the kernel in the prior. All give a [Model], which holds the relevance
// vectors with their weights and predicts labels and probabilities.
//
//	model, result, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(ctx, x, t)
//	labels := model.Predict(nil, xNew)
//	p := model.Proba(nil, xNew)
//
// [Widths] learns a width for each feature of their kernel, and so how much each matters.
//
// # The model
//
// Each class c has a potential y_c(x) = Σ_n k(x, x_n) w_nc + b_c, and the label
// is the class of the largest z_c = y_c + ε_c with standard normal ε_c: the
// multinomial probit, eq. p(tn,i), whose expectations are in package probit. The
// prior of w_nc is a Gaussian of precision alpha_nc cut to one side, eq.
// (truncatd_gaussian): w_nc ≥ 0 where t_n = c and w_nc ≤ 0 elsewhere. That is the
// multi-class classification principle, eq. (mc_principle); every weight of every
// model here obeys it.
//
// # Notation
//
//	paper        code               meaning
//	N, C, D, M   same               samples, classes, features, relevance vectors in the model
//	Φ (φ)        phi                N×N kernel matrix
//	w_nc, b_c    w, b               weights (sparse), biases
//	y_nc         y, potential       φ(x_n)ᵀw_c + b_c
//	z_nc         z                  auxiliary variable y + ε; zbar its posterior mean
//	α_nc, β_c    alpha, beta        precisions of the priors
//	f_nc         sign               +1 if t_n = c else −1
//	s_nc, q_nc   sparsity, quality  Tipping and Faul's factors (S, Q: with the basis still in the model)
//	Ψ, φ         Psi, pdf           standard normal distribution and density
//	u₁, v₁, ...  U1, V1, ...        Gamma hyper-parameters
//	θ            Theta              RBF width: exp(−θ‖x − x'‖²)
//
// # Errors and statuses
//
// Bad training data gives a [*DataError] that names row, column and value. How a
// fit ended is the [Status] in its [Result]; reaching the iteration limit is not
// an error. When the context ends first, Fit returns the model so far together
// with the context's error. Mistakes of the programmer, such as a wrong number of
// columns, panic.
package mpcvm
