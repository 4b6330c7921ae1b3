// Package eval evaluates classifiers on a table, compares them, and shows how a model depends on each column.
//
// The predictions of a system for rows that it was not trained on form a [Matrix], and all scores are
// functions of it: errors, log losses and AUC with their standard errors ([Matrix.Score]), significance tests
// of the differences between systems ([Difference]), the scores of each class ([Matrix.ByClass]), costs
// ([Matrix.Decide], [Matrix.Cost]) and the importance of the columns ([Matrix.Importance]).
//
//   - [Evaluate] evaluates a model and returns an [Evaluation], which mpcvm fit prints. [Explain]
//     shows why the model predicts a class for a row. Package report makes documents of both.
//   - [CrossValidate] fits several systems on the same [Folds] and returns a [Comparison]. The kinds of the
//     columns are determined from all rows of the table; each fold learns imputed values and scales from its
//     training rows only. [Systems] returns the systems that are compared by default.
//   - [Predict] returns the matrix of a model for another table.
//   - [Chosen] returns the system with the setting that a fit has chosen.
//   - [PartialDependence] shows what a model does.
//
// # Standard errors
//
// Training sets of different folds overlap, so the variance of the scores of the folds underestimates the
// variance of their mean. Nadeau and Bengio (2003, DOI 10.1023/A:1024068626366) correct for this: the
// standard error is √((1/J + 1/(K−1))·S²), where S² is the variance of the scores of the J folds and K is
// the number of folds of a run.
//
//   - With repeats, the standard error of the error and of the log loss is the corrected one, or the
//     standard error of the mean over the rows if that is larger.
//   - A single run of five folds determines S² poorly: in the simulation below, the corrected
//     standard error was on average 1.3 to 1.5 times the true one and varied by 37 %. Without
//     repeats, the error and the log loss therefore have the standard error of the mean over the
//     rows, which was within 7 % of the true one.
//   - For the error, the standard error of the mean over the rows adds four rows, two of them
//     misclassified (Agresti and Coull 1998, DOI 10.1080/00031305.1998.10480550), so that it is not
//     zero when no row is misclassified.
//   - If folds are split by groups, rows of the same group may be correlated. The standard error is
//     then at least the cluster-robust standard error over the groups.
//   - The AUC is computed per fold and always has the corrected standard error.
//
// Two systems are compared by a t-test of the differences between their scores in each fold, with the
// corrected standard error, J−1 degrees of freedom and a level of 5 %, without adjusting for multiple
// comparisons.
//
// TestCoverage simulates two normal classes in ten dimensions, where the error of each model is known.
// "Covered" is how often the interval of ± 1.96 standard errors contains the expected error of a model
// trained on that many rows; the nominal value is 95 %. "Called different" is how often the test rejects
// the equality of two equally good systems; the nominal value is 5 %, and lower values are conservative.
// Each row is based on 2000 tables:
//
//	            covered (%)            called different (%)
//	rows    1 run    5 repeats          1 run    5 repeats
//	  40     93.5         94.2            2.1          3.8
//	 100     93.7         95.6            1.8          3.8
//	 300     95.5         96.3            1.3          3.4
package eval
