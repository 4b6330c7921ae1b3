// Package openblas lets the learners, and all else in a program that uses gonum's
// float64 matrices, compute with OpenBLAS. Importing it is all there is to do:
//
//	import _ "github.com/mpcvm/mpcvm/mpcvm/openblas"
//
// It registers with blas64.Use an Implementation that hands the routines which
// matter for large matrices to OpenBLAS and leaves the others, small matrices and
// wrong arguments to gonum's own. OpenBLAS adds in an order of its own: results
// differ from those without it in the last digits, and a fit may, rarely, take
// another turn.
//
// It needs cgo, a C compiler and the library, which on Debian is in
// libopenblas-dev; where the linker does not find it, CGO_LDFLAGS=-L/its/folder
// helps. The library must be one with integers of 32 bits, the usual kind.
//
// OpenBLAS works in one thread unless told otherwise (see Threads), as the learners
// work on the classes side by side already.
//
// The package is a module of its own. So importing it is enough, no build tag must be
// thought of, and yet nobody who does not import it needs OpenBLAS, not even to
// build or check all packages of the library with ./... .
package openblas
