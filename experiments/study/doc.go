// Package study implements the protocol of section 3 of the mPCVM paper: systems are compared on
// data sets over fixed partitions into training and test sets.
//
// On the partitions for tuning, each system is fitted with every setting of its grid, and the
// setting with the highest mean accuracy is chosen (the paper's rule; see [Rule]). With that setting
// it is fitted and tested on each of the test partitions, which gives a [Result]. Features are
// standardised by the training set, unless [Problem.Raw] is set.
//
// The package uses classifiers only through the interface [Classifier]; a [System] consists of a
// grid and a fit. The package does not read data and does not print.
//
// # Files
//
// A study is stored in a folder. Results are JSON lines in files results*.jsonl, one line for each
// finished run; tuning runs are in tuning*.ndjson and failed runs in failures*.ndjson, where * is
// empty or "-i-of-n" for a shard. Each line is appended by one write and synced to disk before it
// counts, so a study can be killed at any moment: when the study is continued, a torn last line is
// cut off, and every run that has a line is skipped. See [Result] for the fields. The files of
// shards in one folder are read together; to merge several folders, concatenate files of the same
// kind.
//
// # Missing classes
//
// Partitions are not stratified, so a class may be missing from a training set. The system is then
// fitted to the other classes. Test samples of the missing class count as errors, and its
// probabilities are zero in the AUC, which is computed over the classes of the test set. The log
// loss ignores these samples; [Result.Unseen] counts them.
package study
