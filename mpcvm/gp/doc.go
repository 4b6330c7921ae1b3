// Package gp goes beyond the paper with Gaussian processes of the multinomial probit. They
// share the paper's likelihood and its classification principle, and give the same kind of
// model.
//
//   - [KernelPrior] has the kernel in the prior of the weights. It is dense, or reduced to
//     about one weight a sample.
//   - [KernelPrior.LeaveOneOut] predicts each sample by all others, from one fit.
//   - [ARD] learns a width for each feature, and so how much each feature matters.
package gp
