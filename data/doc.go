// Package data has labelled samples: the type Set, its CSV form, fixed partitions,
// standardisation, sets that are embedded or can be fetched, and generators of synthetic
// sets. Package tables reads other files.
//
// # CSV form
//
// The first line is a header. The column "class" holds any text, and every other column is a
// numeric feature:
//
//	sepal_length,sepal_width,class
//	5.1,3.5,setosa
//	7.0,3.2,versicolor
//
// The labels 0, 1, ... are the distinct texts in the order of [strings.Compare], so "10"
// comes before "2". Spaces around a cell, a byte order mark, CRLF line ends and blank lines
// are allowed; a missing value is not. Errors are of type [*CellError] and name line and column.
//
// # Partitions
//
// A partition is a line: the rows of its training part, counted from 0 and separated by
// commas. Every row that is not listed is a test row.
//
// # Sets
//
// [Load] returns a set by name; [Sets] lists them. Sets that are not embedded are read from
// the folder that the environment variable MPCVM_DATA names or, if they are not there, from
// [CacheDir], where the command "mpcvm data fetch" writes them.
package data

//go:generate go run ./internal/gensynthetic
