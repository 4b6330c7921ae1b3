// Package assess says how good classifiers are on a table, which of several is better, and
// what a model makes of each column.
//
//   - [CrossValidate] fits systems on the same folds. Within every fold the recipe of the table
//     is fitted to the training rows alone. [Systems] has those that are compared by default.
//   - [Results] has the figures with standard errors, the differences between systems with a
//     test, the warnings, and the probabilities that each row got from a model that did not see
//     it.
//   - [Chosen] is the system of a setting that a fit has chosen.
//   - [Results.WriteFolds] and [Results.ReadAgainst] bring in a system from outside.
//   - [PermutationImportance], [PartialDependence], [PrecisionRecall] and [CostCurve] show what a
//     model does.
//
// # Standard errors
//
// The folds of cross-validation share training rows, so the variance of their figures alone is
// too small. With repeats the standard error is that of Nadeau and Bengio (2003, DOI
// 10.1023/A:1024068626366): √((1/J + 1/(K−1))·S²), where S² is the variance of the J figures of
// the folds and K the number of folds. It needs ten folds or more to be a steady number: with
// five its own standard deviation is 37 % of it, and it is on average 1.4 times too large. So
// for a single run of cross-validation, error and log loss have the standard error of the mean
// over the rows. With repeats they have the larger of the two. The standard error of the error
// counts two more errors in four more rows (Agresti and Coull 1998, DOI
// 10.1080/00031305.1998.10480550), so that it is not zero where no row is misclassified. The AUC
// is a figure of a fold and has the standard error of Nadeau and Bengio in any case.
//
// TestCoverage simulates this with two normal classes, whose true error is known. How often the
// error ± 1.96 standard errors holds the expected error of a model of so many training rows:
//
//	rows   one run of 5 folds   5 repeats
//	  40   COV40A               COV40B
//	 100   COV100A              COV100B
//	 300   COV300A              COV300B
//
// Whether two systems differ is tested by Student's t with the corrected standard error of the
// differences of the folds, J−1 degrees of freedom and a level of 5 %, for each pair by itself.
// The test is careful: of two equally good systems it called NULL40 to NULL300 different with
// one run, and more repeats give it more power.
package assess
