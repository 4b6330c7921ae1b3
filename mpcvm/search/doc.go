// Package search chooses a learner, its kernel and its options by cross-validation on the training data.
//
//   - [Auto] chooses everything; all it needs is samples and labels.
//   - [Width] and [Calibrated] wrap a learner: they choose the width of its kernel and its temperature.
//   - [CrossValidate], [Temperature] and [Scores] are for comparing and calibrating learners by hand.
//
// # What Auto tries
//
// The stages follow each other. All except the first start at the best setting of the first stage.
//
//	stage       learner         kernel and width                           other option               samples
//	families    gp.KernelPrior  RBF, RationalLaplacian, Laplacian; ×2, ÷2  Scale 1, 10, 100           500, 2000
//	widths      gp.KernelPrior  a width for each feature (gp.ARD)          -                          2000
//	growth      gp.KernelPrior  width; ÷2                                  the next Scale             all
//	reductions  gp.KernelPrior  half the width                             Keep 2.8, 2, 1.4 … 0.062   all
//	reductions  gp.KernelPrior  width                                      Keep 2.8, 2, 1.4 … 0.062   all
//	bottom up   mpcvm.BottomUp  half the width; ×2, ÷2                     LikelihoodPower 1, 10, 100 2000, all
//	top down    mpcvm.TopDown   width; ×2, ÷2                              only if Scale was 1        2000, all
//
// Families: the search starts with twice the inverse of the median distance as Theta, and Scale 10. It
// doubles or halves the width, or takes the next Scale, while the log loss falls by more than the standard
// error of the mean difference: the best of many settings is often best by chance. The best family on 500
// samples is searched again on 2000, and then each other family that scores better there at its first
// setting. With up to 1000 samples, families that have lost by two standard errors are skipped.
//
// Widths: with up to 100 features, a width for each feature is learned from 400 samples, without the samples
// of each fold. The widths are kept if the log loss falls by more than the standard error.
//
// Growth: with more than 2000 samples, the next Scale and narrower kernels are tried on all of them. No
// standard error is required, because larger samples need narrower kernels and larger scales.
//
// Reductions: small models need narrower kernels, so half the width comes first. The width itself follows if
// its dense model is the better one. Reductions end after one that loses to the dense model by four standard
// errors.
//
// Bottom up and top down: the width and the LikelihoodPower are searched as in the first stage, but BottomUp
// stops at its first setting if a smaller model is already better. TopDown is fast, and accurate if labels
// are noisy. Fits take at most 100 iterations.
//
// A setting that loses in the first fold by two standard errors and 0.01 nats to the best one of its stage,
// or for BottomUp the best of all, is given up.
//
// With more than 5000 samples, settings are trained on 4000 samples from the second stage on and scored on
// a validation set. Both the best family and the RBF, which gains most from them, then get widths of their
// features, learned from 40 samples of each class, but at least 400 and at most 1000.
package search
