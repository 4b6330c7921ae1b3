// Package search chooses a learner, its kernel and its options by cross-validation within the
// training data.
//
//   - [Auto] is a learner that asks for nothing but samples and labels.
//   - [CrossValidate] and [Temperature] are for comparing learners by hand.
//
// # What Auto tries
//
// These stages follow each other. All but the first begin at the best setting of the first.
//
//	stage       learner              kernel and width                  other option               samples
//	families    gp.KernelPrior       RBF, RationalLaplacian; ×2, ÷2    Scale 1, 10, 100           500, then all
//	widths      gp.KernelPrior       a width for each feature (ARD)    -                          all; 400 for ARD
//	reductions  gp.KernelPrior       width                             Keep 4, 2, ... 0.06        all
//	reductions  gp.KernelPrior       half the width                    Keep 1.4, 1, ... 0.06      all
//	bottom up   mpcvm.BottomUp       half the width; ×2, ÷2            LikelihoodPower 1, 10, 100 all
//	top down    mpcvm.TopDown        width; ×2, ÷2                     only if Scale was 1        all
//
// Families begin with twice the inverse of the median distance as Theta, and Scale 10. A climb (×2, ÷2, and the next Scale or LikelihoodPower) goes on while the log loss falls by
// more than the standard error of the mean difference, sample by sample: the best of many is often
// best by chance. The widths of the features are learned without each fold, if there are at most
// 100 features, and are kept if the log loss falls by more than the standard error. The reductions
// with half the width are there because fewer basis functions need narrower kernels; they end after
// one that loses to the dense model by four standard errors. BottomUp is not climbed where a
// smaller model is better at once. TopDown is fast and accurate when labels are noisy.
//
// A setting that loses to the best one of its stage by two standard errors in the first fold is
// given up. Fits of BottomUp and TopDown take at most 100 iterations.
package search
