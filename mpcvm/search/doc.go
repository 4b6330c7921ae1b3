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
//	stage       learner              kernel and width                             other option                samples
//	families    gp.KernelPrior       RBF, RationalLaplacian, Laplacian; ×2, ÷2    Scale 1, 10, 100            500, then 2000
//	widths      gp.KernelPrior       a width for each feature (ARD)               -                           2000; 400 for ARD
//	growth      gp.KernelPrior       width; ÷2, if there are more than 2000       Scale, the next             all
//	reductions  gp.KernelPrior       half the width                               Keep 2.8, 2, 1.4 … 0.062   all
//	reductions  gp.KernelPrior       width                                        Keep 2.8, 2, 1.4 … 0.062   all
//	bottom up   mpcvm.BottomUp       half the width; ×2, ÷2                       LikelihoodPower 1, 10, 100  all
//	top down    mpcvm.TopDown        width; ×2, ÷2                                only if Scale was 1         all
//
// Families begin with twice the inverse of the median distance as Theta, and Scale 10. By 2000 samples
// the best family of 500 goes on, and then each other one that is better where it stands; of up to
// 1000 samples those that lost by two standard errors before are left out. Of more than 5000 samples
// 4000 take the place of the 2000, but for BottomUp and TopDown; both the best family and the RBF,
// which gains most from them, then have widths of their features, learned from 40 samples of a class,
// at least 400 and at most 1000. A climb (×2, ÷2, and the next Scale or LikelihoodPower) goes on while
// the log loss falls by more than the standard error of the mean difference, sample by sample: the
// best of many is often best by chance. Growth asks for no standard error, as more samples want
// narrower kernels and larger scales. The widths of the features are learned without each fold, if
// there are at most 100 features, and are kept if the log loss falls by more than the standard error.
// Fewer basis functions need narrower kernels, so reductions begin with half the width; those with the
// width follow if its dense model is the better one. They end after one that loses to the dense model
// by four standard errors. BottomUp is not climbed where a smaller model is better at once. TopDown is
// fast and accurate when labels are noisy.
//
// A setting that loses to the best one of its stage, for BottomUp the best of all, by two standard
// errors and 0.01 nats in the first fold is given up. Fits of BottomUp and TopDown take at most 100
// iterations.
package search
