// Package mpcvm implements the multi-class probabilistic classification vector machine (mPCVM)
// of Lyu, Tian, Li, Jiang and Chen (2020, DOI 10.1109/TNNLS.2019.2947309, arXiv 2006.15791). It
// is a sparse Bayesian kernel classifier whose weights agree in sign with the class labels.
//
// [TopDown] (mPCVM₁) starts with every training sample in the model and prunes by
// expectation-maximisation. [BottomUp] (mPCVM₂) starts with none; it adds and deletes by
// marginal likelihood. Both give a [Model], which holds the relevance vectors with their
// weights and predicts labels and probabilities.
//
//	model, result, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(ctx, mpcvm.Samples{X: x, T: t})
//	labels := model.Predict(nil, xNew)
//	p := model.Proba(nil, xNew)
//
// Package tables reads tables with categories and missing values, and fits models that predict their rows.
// Package gp has learners beyond the paper, package search chooses among all of them, and the
// packages in baseline are the systems that the paper compares with.
//
// # Where the paper is
//
//	2.1 Model preparation              model.go
//	2.2 Priors over weights            prior.go
//	2.3 Top-down algorithm, mPCVM₁     topdown.go
//	2.4 Bottom-up algorithm, mPCVM₂    bottomup.go; the factors S, Q, s, q: factors.go
//	Algorithms 1 and 2 as printed      aspublished.go
//	Appendix A, conjugate prior        prior.go
//	Appendices B to D, probit, E[z|t]  probit/probit.go; computed in quadrature.go
//	3 Experimental studies             packages study, score, ranktest, baseline
//
// Equations are named by their labels in the arXiv source, such as eq. (mc_principle).
//
// # The model
//
// Each class c has a potential y_c(x) = Σ_n k(x, x_n) w_nc + b_c. The label is the class of the
// largest z_c = y_c + ε_c with standard normal ε_c: the multinomial probit, eq. p(tn,i), whose
// expectations are in package probit. The prior of w_nc is a Gaussian of precision alpha_nc cut
// to one side, eq. (truncatd_gaussian): w_nc ≥ 0 if t_n = c, and w_nc ≤ 0 otherwise. That is the
// multi-class classification principle, eq. (mc_principle). Every weight of every model here
// obeys it.
//
// # Notation
//
//	paper        code             meaning
//	N, C, D, M   N, C, D, M       samples, classes, features, relevance vectors in the model
//	Φ (φ)        phi              kernel matrix, K×N for K basis functions
//	w_nc, b_c    w, b             weights (sparse), biases
//	y_nc         y                potential φ(x_n)ᵀw_c + b_c
//	z_nc         –                auxiliary variable y + ε
//	z̄_nc         zbar             posterior mean of z_nc
//	α_nc, β_c    alpha, beta      precisions of the priors
//	f_nc         sign             +1 if t_n = c, else −1
//	S_nc, Q_nc   S, Q             sparsity and quality with the basis function in the model
//	s_nc, q_nc   s, q             the same without it
//	Ψ, 𝒩         in probit        standard normal distribution and density
//	u₁, v₁, ...  U1, V1, ...      Gamma hyper-parameters
//	θ            Theta            width of an RBF kernel, exp(−θ‖x − x'‖²)
//
// # Errors and statuses
//
// Bad training data gives a [*CellError] that names row, column and value. How a fit ended is
// the [Status] in its [Result]; reaching the iteration limit is not an error. If the context
// ends first, Fit returns the model so far together with the context's error. Mistakes of the
// programmer, such as a wrong number of columns, panic.
package mpcvm
