// Package assess measures how good classifiers are on a table, which of several is better, and
// what a model makes of each column.
//
//   - [Evaluate] returns the figures of a model, as mpcvm fit prints them, as an [Evaluation]. [Explain] shows why
//     it decides as it does on a row. Package summary prints both.
//   - [CrossValidate] fits systems on the same folds. The features are settled for all rows of the
//     table; each fold learns fillings and scales from its training rows alone. [Systems] has
//     those that are compared by default.
//   - [Results] has the figures with standard errors, the differences between systems with a
//     test, the warnings, and the probabilities that each row got from a model that did not see
//     it.
//   - [Chosen] is the system of a setting that a fit has chosen.
//   - [Results.Importance], [PartialDependence] and [CostCurve] show what a model does.
//
// # Standard errors
//
// The folds of cross-validation share training rows, so the variance of their figures alone is
// too small. Nadeau and Bengio (2003, DOI 10.1023/A:1024068626366) correct it: the standard error
// is √((1/J + 1/(K−1))·S²), where S² is the variance of the figures of the J folds and K the
// number of folds of a run.
//
//   - With repeats, error and log loss have this standard error, or the standard error of the
//     mean over the rows if it is larger.
//   - A single run of five folds says too little about S²: in the simulation below the corrected
//     standard error was 1.3 to 1.5 times the true one on average, and scattered by 37 %. So error
//     and log loss have the standard error of the mean over the rows, which was right within 7 %.
//   - The standard error of the mean over the rows counts, for the error, two more errors in four
//     more rows (Agresti and Coull 1998, DOI 10.1080/00031305.1998.10480550). It is not zero where
//     no row is misclassified.
//   - Where folds are dealt by groups, rows of a group may be alike. The standard error is then at
//     least the standard error of the sums over the groups.
//   - The AUC is a figure of a fold. It has the corrected standard error in any case.
//
// Two systems are compared by Student's t of the differences of their folds, with the corrected
// standard error, J−1 degrees of freedom and a level of 5 %, each pair on its own.
//
// TestCoverage simulates two normal classes in ten dimensions, where the error of each model is
// known. Covered is how often the error ± 1.96 standard errors holds the expected error of a
// model of so many training rows; 95 % is right. Called different is how often the test does so
// for two equally good systems; 5 % is right, and less is careful. From 2000 tables each:
//
//	            covered (%)            called different (%)
//	rows    1 run    5 repeats          1 run    5 repeats
//	  40     93.5         94.2            2.1          3.8
//	 100     93.7         95.6            1.8          3.8
//	 300     95.5         96.3            1.3          3.4
package assess
