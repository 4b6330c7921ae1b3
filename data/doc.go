// Package data holds labelled samples: the type Set, its CSV form, random
// partitions, standardising, the sets that travel with the package, and
// generators of synthetic ones.
//
// # CSV form
//
// The first line is a header. Every column but the last is a numeric feature;
// the last is named "class" and holds any text:
//
//	sepal_length,sepal_width,class
//	5.1,3.5,setosa
//	7.0,3.2,versicolor
//
// The labels 0, 1, ... are the distinct texts in the order of [strings.Compare],
// so "10" comes before "2". A number is what [strconv.ParseFloat] takes, without
// underscores, NaN and infinities. Spaces around a cell, a byte order mark,
// CRLF line ends and blank lines are forgiven; an empty cell (a missing value)
// is not. Reading errors are of type [*ReadError] and name line and column.
//
// # Partitions
//
// One line a partition: the 0-based rows of its training part, separated by
// commas. Every row not listed is a test row.
//
// # Sets
//
// [Load] gives the embedded sets by name (see [Names]); those that are not
// embedded (see [Others]) are read from the folder that the environment
// variable MPCVM_DATA names or, if they are not there, from [CacheDir], where a
// [Fetcher] puts what it fetches.
package data

//go:generate go run ./internal/gensynthetic
