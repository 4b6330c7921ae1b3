// Package gram provides the K×N matrix Φ of kernel values: row j is the basis function φ_j of one training
// sample, evaluated at all N training samples. A learner calls methods for products with Φ, and does not need
// to know how the values are kept: stored in float64, stored in float32 with half the memory, or recomputed,
// to the same bits, whenever they are needed. All sums are in float64.
//
// When the context passed to [New] ends, the methods return early with partial results; the caller must check
// the context before using them.
package gram
