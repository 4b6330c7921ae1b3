// Package gram has the matrix Φ of kernel values, K×N: row j is the basis function φ_j of
// one training sample, evaluated at all N training samples. A learner asks for products
// with Φ and never sees where its numbers are. They come from one of three sources: held
// in float64, held in float32 at half the memory, or computed again whenever they are
// needed, to the same bits. All sums are in float64.
//
// When the context of [New] ends, the methods return early and leave partial results; the
// caller must check the context before it uses them.
package gram
