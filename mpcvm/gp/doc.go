// Package gp extends the paper with Gaussian processes for the multinomial probit. They have the paper's
// likelihood, obey its classification principle, and produce the same type of model.
//
//   - [KernelPrior] uses the kernel in the prior of the weights. The model is dense, or reduced to fewer
//     weights, for example one per sample.
//   - [KernelPrior.LeaveOneOut] predicts each sample from all others at the cost of about one fit.
//   - [ARD] learns a width for each feature, which shows how much the feature matters.
package gp
