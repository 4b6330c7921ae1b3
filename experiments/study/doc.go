// Package study runs the protocol of the mPCVM paper's section 3: systems are
// compared on data sets over fixed partitions into a training and a test part.
//
// On the partitions for tuning, each system is fitted with every setting of its
// grid, and the setting of the largest mean accuracy is chosen (the paper's rule;
// see [Rule]). With that setting it is fitted and tested on each of the partitions
// for the test, which gives a [Result]. Features are standardised by the training
// part, unless [Problem.Raw] is set.
//
// The package knows classifiers only by the interface [Classifier]; a [System]
// has its grid and its fit. The package reads no data and prints nothing.
//
// # Files
//
// A study is kept in a folder. Results are JSON lines in files results*.jsonl, one
// for each finished run; the runs for tuning are in tuning*.ndjson and those that
// failed in failures*.ndjson, where * is empty or "-i-of-n" of a shard. A line is
// appended by one write and forced to the disk before it counts, so that a study
// may be killed at any moment: a torn last line is cut off when the study is
// continued, and every run that has a line is skipped. See [Result] for the
// fields. The files of shards in one folder are read together; to merge several folders,
// concatenate the files of one kind.
//
// # Classes that are missing
//
// Partitions are not stratified, so a class may be missing from a training part. The
// system is then fitted to the other classes. Test samples of the missing class count
// as errors, and its probabilities are zero in the AUC, which is over the classes of
// the test part. The log loss leaves these samples out; [Result.Unseen] counts them.
package study
