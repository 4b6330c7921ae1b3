// Package cpu says which vector instructions the assembly of this module may use.
//
// Built with the tag purego, or on another processor than amd64, it is none:
// everything then runs in Go.
package cpu

import "sync/atomic"

// Level is a set of vector instructions; a higher one has those below.
type Level int32

const (
	Portable Level = iota // no assembly
	AVX2                  // AVX2 and FMA, four float64 at a time
	AVX512                // AVX-512 F, DQ, BW and VL, eight at a time
)

func (l Level) String() string { return [...]string{"portable", "AVX2", "AVX-512"}[l] }

// Best is the highest level that this processor and the operating system offer.
var Best = detect()

var level atomic.Int32

func init() { level.Store(int32(Best)) }

// Vector is the level to use.
func Vector() Level { return Level(level.Load()) }

// Use sets the level to use, or the best one if that is lower, and returns a
// function that sets back the present one. It is for tests and benchmarks.
func Use(l Level) (restore func()) {
	old := level.Swap(int32(min(l, Best)))
	return func() { level.Store(old) }
}
