// Package parquet reads samples from Apache Parquet files, and writes them, batch by
// batch: files of any number of rows need the memory of a few batches.
//
// A file has a column for each feature and perhaps one named "class", found by their
// names, in any order. A feature is a number of any type that is one: integers,
// signed or not, FLOAT, DOUBLE, FLOAT16, decimals (the nearest float64), and booleans
// (0 and 1). A class is a string, or an integer or a boolean, which counts as its text.
// Columns are not nested. A null, like an empty cell of a CSV file, is a missing value:
// an error, save in the class of a sample to be predicted. So is a number that is not
// finite. Errors are of type [*data.ReadError] and name row and column.
//
// The encodings, compressions and page formats are those of
// github.com/parquet-go/parquet-go. Encrypted files are not read.
package parquet
