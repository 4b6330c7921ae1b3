// Command kernel generates the assembly of package mpcvm/kernel: sums over the features of pairs of
// samples, the exponential function of these sums, and functions that copy a finished tile to its
// destination. It is run by go generate in that package.
//
// The arithmetic is the same as in the Go code, operation by operation, without fused multiply-add, so that
// all implementations give identical bits.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/mpcvm/mpcvm/tools/avo/vec"
)

func main() {
	build.ConstraintExpr("amd64,!purego")
	for _, v := range vec.Both {
		for _, t := range terms {
			sums(v, t)
		}
		decays(v)
	}
	transpose()
	build.Generate()
}
