// Package vote makes a multi-class classifier of binary ones, one against one or one
// against the rest. It is what the introduction of the mPCVM paper argues against,
// and is here to be compared with, and to show why: where the binary classifiers
// contradict each other, regions of the plane belong to no class or to several
// (Bishop, "Pattern Recognition and Machine Learning", 2006, section 4.1.2).
// [Model.Votes] and [Model.Regions] make them visible.
//
// # One against one
//
// [OneVsOne] fits C(C−1)/2 classifiers, a pair of classes each, to the samples of
// these two. A class wins a pair where its probability there is above one half; at
// one half the lower class does. A sample has the label that wins the most pairs.
// Where several win as many, it is that of them with the largest sum of the pairs'
// probabilities, and if these are equal the lower one. The probabilities are coupled
// by the formula of Price, Knerr, Personnaz and Dreyfus (1994), "Pairwise neural
// network classifiers with probabilistic outputs", NIPS 7,
//
//	p_i ∝ 1/(Σ_{j≠i} 1/r_ij − (C − 2)),
//
// where r_ij is the probability of class i in the pair of i and j. It is exact where
// there are p with r_ij = p_i/(p_i + p_j). Their largest need not be of the label.
//
// # One against the rest
//
// [OneVsRest] fits C classifiers, each class against all the others. The label is the
// class of the largest probability, the lower one of equals; the probabilities are
// divided by their sum.
//
// # The binary classifiers
//
// They are models of package mpcvm: for two classes the mPCVM is the probabilistic
// classification vector machine (PCVM) of Chen, Tino and Yao (2009, DOI
// 10.1109/TNN.2009.2014161). The lower class of a pair, and the rest, are class 0 of
// the binary problem.
package vote
