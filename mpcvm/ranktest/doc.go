// Package ranktest compares several systems over several data sets by their ranks. It
// has the test of Friedman, its F form by Iman and Davenport, and the post-hoc tests of
// Bonferroni-Dunn (all against one) and Nemenyi (all against all), as described by
// Demšar (2006, Journal of Machine Learning Research 7, 1–30).
//
//	test, err := ranktest.Friedman(e)              // N data sets × k systems, lower is better
//	against := test.BonferroniDunn(control, 0.10)  // who differs from the control
//	all := test.Nemenyi(0.05)                      // who differs from whom
//
// On each data set the best system has rank 1; systems that tie share the mean of their
// ranks. With average ranks R_j and no true difference,
//
//	Q = 12N/(k(k+1)) Σ_j (R_j − (k+1)/2)²
//
// is approximately χ² with k−1 degrees of freedom. The standard error of a difference of
// two average ranks is SE = √(k(k+1)/(6N)). Two systems differ if |R_i − R_j| ≥ CD =
// q_α·SE, which is the same as |R_i − R_j|/SE ≥ q_α. The critical value q_α is computed
// from the normal distribution (Bonferroni-Dunn) or the studentized range
// (Nemenyi), for any number of systems and any level.
//
// # The tests of the mPCVM paper
//
// The paper tests mPCVM₁ and mPCVM₂, each with mRVM₁, mRVM₂, SVM, DLSR and MLR, on 8
// data sets: k = 6, N = 8, SE = 0.935, α = 0.10, q = 2.326, CD = 2.176. Recomputed from
// its table of means:
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
// The printed values differ from these as follows.
//
//   - The paper compares the statistic (R_j − R_i)/SE with CD = 2.176. It must be compared
//     with q = 2.326; CD is for the difference of ranks itself. So mPCVM₁ is not
//     significantly better in ERR than mRVM₁ and mRVM₂, neither by the statistics above
//     nor by the printed 2.272; it is better than SVM, DLSR and MLR. The statements on
//     mPCVM₂ hold: it is better than all five in ERR, and than DLSR and MLR in AUC.
//   - The printed ERR ranks (mPCVM₁: 3.375, 3.375, 3.75, 5.375, 3.875, 1.25, Q 20.143;
//     mPCVM₂: 3.5, 3.375, 3.875, 5.375, 3.875, 1, Q 23) do not follow from the table,
//     where mRVM₂ and MLR tie on Heart at 35.104. All of them follow if the error of MLR
//     on Heart is between 33.070 and 33.484: 35.104 may be a misprint of 33.104. No
//     conclusion depends on it.
//   - Of the printed mPCVM₂ statistics in ERR (2.673, 2.272, 3.074, 4.811, 3.207) the
//     second, fourth and fifth do not follow from the printed ranks, which give 2.539,
//     4.677 and 3.074. The printed 2.272 is below q = 2.326: compared as it must be, it
//     would not be significant, and the 2.539 of the ranks is.
//   - The printed AUC ranks of mPCVM₁ have 3 for mRVM₂ (2.875 here) and sum to 21.125,
//     but six ranks sum to 21. Those of mPCVM₂ are 3.5, 3.25, 3.375, 4.5, 4.5, 1.875, for
//     which Q would be 10.786. The printed Q and statistics in AUC are right.
//   - The p-value of mPCVM₂ in ERR is printed as 0.000; it is 0.00025.
package ranktest
