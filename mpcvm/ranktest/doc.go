// Package ranktest compares several systems on several data sets by their ranks. It
// provides Friedman's test, its F version by Iman and Davenport, and the post-hoc tests of
// Bonferroni-Dunn (all against one) and Nemenyi (all against all), as described by
// Demšar (2006, Journal of Machine Learning Research 7, 1–30).
//
//	test, err := ranktest.Friedman(e)              // N data sets × k systems, lower is better
//	against := test.BonferroniDunn(control, 0.10)  // each system against the control
//	all := test.Nemenyi(0.05)                      // all pairs of systems
//
// On each data set, the best system has rank 1, and tied systems share the mean of their
// ranks. If the systems do not differ, the statistic of the average ranks R_j
//
//	Q = 12N/(k(k+1)) Σ_j (R_j − (k+1)/2)²
//
// has approximately a χ² distribution with k−1 degrees of freedom. The standard error of
// a difference of two average ranks is SE = √(k(k+1)/(6N)). Two systems differ
// significantly if |R_i − R_j| ≥ CD = q_α·SE, or equivalently |R_i − R_j|/SE ≥ q_α. The
// critical value q_α is computed from the normal distribution (Bonferroni-Dunn) or the
// studentized range (Nemenyi), for any number of systems and any level.
//
// # The tests of the mPCVM paper
//
// The paper compares mPCVM₁ and mPCVM₂ separately with mRVM₁, mRVM₂, SVM, DLSR and MLR on
// 8 data sets: k = 6, N = 8, SE = 0.935, α = 0.10, q = 2.326, CD = 2.176. Recomputed from
// its table of means, the results are:
//
//	                ranks mRVM₁, mRVM₂, SVM, DLSR, MLR, own          Q       p
//	mPCVM₁, ERR     3.25   3.3125  3.625  5.375  4.1875  1.25    20.946  0.0008
//	mPCVM₁, AUC     3.375  2.875   3.25   4.5    4.375   2.625    6.857  0.231
//	mPCVM₂, ERR     3.375  3.3125  3.75   5.375  4.1875  1       23.661  0.0003
//	mPCVM₂, AUC     3.625  3.375   3.375  4.5    4.5     1.625   12.714  0.026
//
//	                statistic of mRVM₁, mRVM₂, SVM, DLSR, MLR
//	mPCVM₁, ERR     2.138  2.205  2.539  4.410  3.140
//	mPCVM₂, ERR     2.539  2.472  2.940  4.677  3.408
//	mPCVM₂, AUC     2.138  1.871  1.871  3.074  3.074
//
// The values printed in the paper differ as follows.
//
//   - The paper compares the statistic (R_j − R_i)/SE with CD = 2.176, but it must be
//     compared with q = 2.326; CD applies to the difference of the ranks. Therefore mPCVM₁
//     is not significantly better in ERR than mRVM₁ and mRVM₂, with the statistics above
//     or with the printed 2.272; it is better than SVM, DLSR and MLR. The statements about
//     mPCVM₂ are correct: it is better than all five in ERR, and better than DLSR and MLR
//     in AUC.
//   - The printed ERR ranks (mPCVM₁: 3.375, 3.375, 3.75, 5.375, 3.875, 1.25, Q 20.143;
//     mPCVM₂: 3.5, 3.375, 3.875, 5.375, 3.875, 1, Q 23) do not follow from the table, in
//     which mRVM₂ and MLR are tied on Heart at 35.104. They all follow if the error of MLR
//     on Heart is between 33.070 and 33.484, so 35.104 may be a misprint for 33.104. This
//     does not affect any conclusion.
//   - The second, fourth and fifth of the printed mPCVM₂ statistics in ERR (2.673, 2.272,
//     3.074, 4.811, 3.207) do not follow from the printed ranks, which give 2.539, 4.677
//     and 3.074. Compared with q = 2.326, the printed 2.272 is not significant, but 2.539
//     is.
//   - The printed AUC ranks of mPCVM₁ contain 3 for mRVM₂ (2.875 here) and sum to 21.125,
//     but six ranks sum to 21. The printed AUC ranks of mPCVM₂ are 3.5, 3.25, 3.375, 4.5,
//     4.5, 1.875, for which Q would be 10.786. The printed Q and statistics in AUC are
//     correct.
//   - The p-value of mPCVM₂ in ERR is printed as 0.000; it is 0.00025.
package ranktest
