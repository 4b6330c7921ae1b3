// Package vote combines binary classifiers into a multi-class classifier, one against one or one against the
// rest. The introduction of the mPCVM paper argues against such classifiers, and the package shows why: where
// the binary classifiers contradict each other, regions of the plane belong to no class or to several
// (Bishop, "Pattern Recognition and Machine Learning", 2006, section 4.1.2). [Model.Votes] and
// [Model.Regions] make these regions visible.
//
// # One against one
//
// [OneVsOne] fits C(C−1)/2 classifiers, one for each pair of classes, to the samples of the two classes. A
// class wins a pair if its probability is above one half; at exactly one half the lower class wins. The label
// of a sample is the class that wins most pairs. Ties go to the class with the largest sum of its pairs'
// probabilities, and then to the lower class. The probabilities are coupled by the formula of Price, Knerr,
// Personnaz and Dreyfus (1994), "Pairwise neural network classifiers with probabilistic outputs", NIPS 7,
//
//	p_i ∝ 1/(Σ_{j≠i} 1/r_ij − (C − 2)),
//
// where r_ij is the probability of class i in the pair of i and j. The formula is exact if there are
// probabilities p with r_ij = p_i/(p_i + p_j). The class with the largest p may differ from the label.
//
// # One against the rest
//
// [OneVsRest] fits C classifiers, one for each class against all the others. The label is the class with the
// largest probability; ties go to the lower class. The probabilities are normalised to sum to one.
//
// # The binary classifiers
//
// The binary classifiers are models of package mpcvm. The mPCVM extends the probabilistic classification
// vector machine (PCVM) of Chen, Tino and Yao (2009, DOI 10.1109/TNN.2009.2014161), which is limited to two
// classes. The PCVM has one potential with a weight for each sample, while an mPCVM of two classes has two
// potentials. Class 0 of a binary problem is the lower class of a pair, or the rest.
package vote
