// Package data provides labelled samples: the type Set, its CSV format, fixed partitions,
// standardisation, sets that are embedded or can be downloaded, and generators of synthetic sets.
// Package tables reads other files.
//
// # CSV format
//
// The first line is a header. The column "class" holds any text, and every other column is a
// numeric feature:
//
//	sepal_length,sepal_width,class
//	5.1,3.5,setosa
//	7.0,3.2,versicolor
//
// The labels 0, 1, ... are the distinct class names in the order of [strings.Compare], so "10" comes
// before "2". Spaces around a cell, a byte order mark, CRLF line ends and blank lines are allowed;
// missing values are not. Errors give the line and the column; errors.As finds a *mpcvm.CellError.
//
// # Known sets
//
// [Load] returns a known set by name, and [Sets] lists all known sets. Sets that are not embedded
// are read from the folder in the environment variable MPCVM_DATA or, if it does not contain them,
// from [CacheDir], where the command "mpcvm data fetch" stores them.
package data

//go:generate go run ./internal/gensynthetic
