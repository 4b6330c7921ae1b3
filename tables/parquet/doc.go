// Package parquet reads tables from Apache Parquet files and writes files of rows, both by
// parquet-go.
//
// A column that is neither nested nor a list becomes a column of the table: integers, signed or
// unsigned, FLOAT, DOUBLE, FLOAT16, decimals (as the nearest float64), booleans, dates,
// timestamps and strings. A null is a missing value.
//
// What a file claims of its sizes is checked before parquet-go believes it: the lists of the
// footer, the places of the column chunks, and each page, which may take 1 GiB. A damaged file
// is an error, never a panic. Encrypted files are not read.
package parquet
