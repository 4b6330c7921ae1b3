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
//  2. Linear models: gp.KernelPrior with kernel.Linear and prior variances from 0.1 to 100, on 500 samples, and
//     the best one on all samples unless the kernels are ahead by four standard errors.
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
// The best of many settings is partly a lucky one, so the favourites meet again on folds that chose none of
// them: the best and the preferred kernel model, the linear model unless it was four standard errors behind,
// and with up to 500 samples up to two other kernels. A kernel must beat the linear model by a standard error
// on these folds, and the mean of both looks decides among the kernels. The second look takes at most five
// more trials. It is left out if the linear model was ahead on the first folds, or if a validation set of
// thousands of samples scores the settings.
package search
