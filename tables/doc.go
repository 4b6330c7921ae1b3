// Package tables reads tables from files and trains models on them. [Open] reads delimited text, ARFF,
// LIBSVM, Excel and Parquet files, and detects the format of the file and the kinds of its columns. [Fit]
// trains a model on a table, and [Model.Predict] predicts the rows of other tables.
//
// Package table holds a table in memory. Package recipe turns its columns into the features of a model.
package tables
