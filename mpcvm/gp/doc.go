// Package gp goes beyond the paper with Gaussian processes of the multinomial probit. They share the paper's
// likelihood and its classification principle, and give the same kind of model.
//
//   - [KernelPrior] puts the kernel into the prior of the weights. It is dense, or reduced to a number of
//     weights such as one for each sample.
//   - [KernelPrior.LeaveOneOut] predicts each sample by a model of all others, from one fit.
//   - [ARD] learns a width for each feature, and so how much each feature matters.
package gp
