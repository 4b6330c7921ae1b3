// Package search chooses a learner, its kernel and its options by cross-validation on the training data.
//
//   - [Auto] chooses everything from the samples and their labels.
//   - [Width] chooses the width of a learner's kernel, and [Calibrated] chooses the temperature of its model.
//   - [CrossValidate], [Temperature] and [Scores] compare and calibrate learners step by step.
//
// # What Auto tries
//
// Auto tries these models, from the simplest to the most complex:
//
//  1. The class frequencies, which ignore the features.
//  2. Linear models: gp.KernelPrior with kernel.Linear and prior variances from 0.1 to 100. They are compared
//     on 500 samples, and the best one is scored on all samples unless a kernel model leads by more than four
//     standard errors. If the first one trails by more than eight and by 0.2 nats, no others are tried.
//  3. Kernel models: gp.KernelPrior with an RBF, a RationalLaplacian and a Laplacian kernel. The width is
//     doubled or halved, and Scale is set to 1, 10 or 100, as long as the log loss falls by more than its
//     standard error. The kernel is chosen on 500 samples and its width on 2000. If there are more samples,
//     narrower kernels and larger scales are tried on all of them (4000 if there is a validation set).
//  4. Kernel models with a separate width for each feature, learned by gp.ARD, if there are at most 100
//     features. They are kept if the log loss falls by more than a standard error.
//  5. Smaller models: reductions of the kernel prior with Keep from 2.8 down to 0.062, mpcvm.BottomUp, and
//     mpcvm.TopDown if the best Scale is 1, which suggests noisy labels. Smaller models need narrower
//     kernels, so half the width is tried as well, unless the dense model with it is known to be worse by
//     more than a standard error. With more than 500 samples, BottomUp and TopDown are given up if the best
//     model so far leads by two standard errors (on 2000 samples, if there are more, the dense model).
//
// Trials on a subset, or on more than 700 samples, are less precise (Tol 0.1) to save time. With more than
// 1000 samples, kernels are stored and multiplied in float32 (see gp.KernelPrior), and the widths of the
// features are learned in fewer steps.
//
// A setting that is clearly worse in the first fold is not scored on the other folds. Among the kernel
// models, Auto prefers the smallest one that is nearly as good as the best; see Preference.
//
// The best of many settings owes some of its lead to chance. The leading candidates are therefore scored a
// second time, on new folds: the best and the preferred kernel model, the linear model unless it trailed by
// more than four standard errors, and possibly two more kernel models if there are at most 500 samples. On
// the new folds, a kernel model must beat the linear model by a standard error. The choice between kernel
// models depends on the mean of both scores. The second round takes at most five trials. It is skipped if the
// linear model led in the first round, or if the settings are scored on a validation set of thousands of
// samples.
//
// With at most 500 samples, if neither the linear nor the chosen kernel model is better by two standard
// errors in the second round, the model is the mean of both: the mean of their potentials, each divided by
// its temperature. It is one model, with coefficients and relevance vectors, and is calibrated on the folds
// of the second round without another fit. Sparsity excludes it, because it is larger.
package search
