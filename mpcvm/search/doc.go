// Package search chooses a learner, its kernel and its options by cross-validation on the training data.
//
//   - [Auto] chooses everything; all it needs is samples and labels.
//   - [Width] and [Calibrated] wrap a learner: they choose the width of its kernel and its temperature.
//   - [CrossValidate], [Temperature] and [Scores] are for comparing and calibrating learners by hand.
//
// # What Auto tries
//
// Auto starts with simple models. A more complex model must earn its place.
//
//  1. The class frequencies, which ignore the features.
//  2. Linear models: gp.KernelPrior with kernel.Linear and prior variances from 0.1 to 100.
//  3. Kernels: gp.KernelPrior with an RBF, a RationalLaplacian and a Laplacian. The width doubles or halves,
//     and Scale goes through 1, 10 and 100, while the log loss falls by more than its standard error. The
//     family is chosen on 500 samples and the width on 2000. With more samples, narrower kernels and larger
//     scales follow.
//  4. A width for each of up to 100 features, learned by gp.ARD, if the log loss falls by a standard error.
//  5. Smaller models: reductions of the kernel prior with Keep from 2.8 to 0.062, mpcvm.BottomUp, and
//     mpcvm.TopDown if the best Scale is 1, a sign of noisy labels. Small models need narrower kernels, so
//     half the width is tried as well.
//
// A setting that clearly loses in the first fold is given up. Of the kernel models, Auto prefers the smallest
// one that is nearly as good as the best; see Preference.
//
// The best of many settings is partly a lucky one. The kernel model therefore meets the linear one again on
// folds that chose neither of them, and must win by a standard error. That second look takes at most three
// more trials. It is left out if the linear model was ahead on the first folds, if the kernel was ahead by
// four standard errors, or if a validation set of thousands of samples scores the settings.
package search
