// Package search chooses a learner, its kernel and its options by cross-validation within the
// training data.
//
//   - [Auto] is a learner that asks for nothing but samples and labels.
//   - [CrossValidate] and [Temperature] are for comparing learners by hand.
package search
