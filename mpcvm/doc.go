// Package mpcvm implements the multi-class probabilistic classification vector machine (mPCVM)
// of Lyu, Tian, Li, Jiang and Chen (2020, DOI 10.1109/TNNLS.2019.2947309, arXiv 2006.15791). It
// is a sparse Bayesian kernel classifier whose weights agree in sign with the class labels.
//
// [TopDown] (mPCVM₁) starts with every training sample in the model and prunes weights by
// expectation-maximisation. [BottomUp] (mPCVM₂) starts with an empty model, and adds and deletes
// basis functions to maximise the marginal likelihood. Both return a [Model], which stores the
// relevance vectors with their weights and predicts labels and probabilities.
//
//	scale := data.FitStandardizer(x) // if the features have different units
//	model, result, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(ctx,
//		mpcvm.Samples{X: scale.Apply(nil, x), T: t})
//	p := model.Proba(nil, scale.Apply(nil, xNew))
//
// Package tables reads tables with categories and missing values, and fits models that predict their rows.
// Package gp provides learners beyond the paper, package search chooses among all learners, and the
// packages in baseline implement the classifiers that the paper compares with.
//
// # Where to find each section of the paper
//
//	2.1 Model preparation              model.go
//	2.2 Priors over weights            prior.go
//	2.3 Top-down algorithm, mPCVM₁     topdown.go
//	2.4 Bottom-up algorithm, mPCVM₂    bottomup.go; the factors S, Q, s, q: factors.go
//	Algorithms 1 and 2 as printed      aspublished.go
//	Appendix A, conjugate prior        prior.go
//	Appendices B to D, probit, E[z|t]  probit/probit.go and quadrature.go
//	3 Experimental studies             packages study, score, ranktest, baseline
//
// Equations are named by their labels in the arXiv source, such as eq. (mc_principle).
//
// # The model
//
// Each class c has a potential y_c(x) = Σ_n k(x, x_n) w_nc + b_c. The label is the class with the
// largest z_c = y_c + ε_c, where the ε_c are standard normal. This is the multinomial probit,
// eq. p(tn,i); package probit computes its expectations. The prior of w_nc is a Gaussian with
// precision alpha_nc, truncated to one side, eq. (truncatd_gaussian): w_nc ≥ 0 if t_n = c, and
// w_nc ≤ 0 otherwise. This is the multi-class classification principle, eq. (mc_principle), and
// every weight of every Model obeys it.
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
//	s_nc, q_nc   s, q             the same without the basis function in the model
//	Ψ, 𝒩         in probit        standard normal distribution and density
//	u₁, v₁, ...  U1, V1, ...      Gamma hyper-parameters
//	θ            Theta            width of an RBF kernel, exp(−θ‖x − x'‖²)
//
// # Errors and statuses
//
// If the training data are invalid, Fit returns a [*CellError] with the row, the column and the
// value. The [Status] in the [Result] reports how a fit ended; reaching the iteration limit is not
// an error. If the context ends first, Fit returns the model so far together with the context's
// error.
//
// Functions that return an error, such as Fit and score.LogLoss, report every fault of their data
// that way, including rows and labels that differ in number. Invalid options, a wrong number of
// columns or length of a destination, and all faults in other functions cause a panic.
package mpcvm
