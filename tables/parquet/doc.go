// Package parquet reads tables from Apache Parquet files and writes rows to them, using parquet-go.
//
// Columns of signed and unsigned integers, FLOAT, DOUBLE, FLOAT16, decimals (as the nearest float64),
// booleans, dates, timestamps and strings become columns of the table; nested columns and lists are skipped.
// A null is a missing value.
//
// The sizes in a file are checked before they are passed to parquet-go: the lists of the footer, the offsets
// of the column chunks, and the pages, whose limit is 1 GiB. A damaged file results in an error, never in a
// panic. Encrypted files are not supported.
package parquet
