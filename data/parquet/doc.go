// Package parquet reads samples from Apache Parquet files and writes them, batch by
// batch. Files of any number of rows need the memory of a few batches and pages.
//
// A file has one column for each feature. It may have a column named "class". Columns
// are found by name, in any order, and are not nested. A feature is a column of numbers:
// integers, signed or unsigned, FLOAT, DOUBLE, FLOAT16, decimals (read as the nearest
// float64) or booleans (0 and 1). A class is a string, or an integer or a boolean, which
// is read as its text. A null is a missing value. A missing value is an error, except in
// the class of a sample to be predicted. A number that is not finite is an error, too.
// Errors have the type *data.CellError and name row and column.
//
// Pages are decoded by parquet-go. This package walks the pages itself, because the
// library believes the sizes that a file claims: a damaged file of a few hundred bytes
// could take all memory. Before a page is decoded, its memory is counted. A reader holds
// at most the larger of 1 GiB and 16 times the size of the file, and half of the memory
// that is available. A [MemoryError] refuses a file that needs more.
//
// Pages may be compressed by Snappy, gzip, Brotli, Zstandard or LZ4_RAW, and may have
// either version and any encoding but the outdated BIT_PACKED. Encrypted files are not
// read. A file has at most 65535 columns. A class name has at most 64 KiB.
package parquet
