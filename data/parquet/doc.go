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
// Compressed by Snappy, gzip, Brotli, Zstandard, LZ4 (LZ4_RAW) or not at all, in data
// pages of both versions and in all encodings of the format but the outdated BIT_PACKED.
// Encrypted files are not read. Beside a few batches, reading holds a page and perhaps a
// dictionary of each column, decompressed; a [MemoryError] refuses a file whose pages
// together do not fit. A file has at most 65535 columns, a class name 64 KiB.
package parquet
