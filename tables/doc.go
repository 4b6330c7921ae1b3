// Package tables reads tables from files and trains models on them. [Open] reads a table as it is:
// delimited text, ARFF, LIBSVM, Excel or Parquet. It detects how the file is written and what the columns
// are.
//
// Package table holds a table in memory. Package recipe turns its columns into the features of a model.
package tables
