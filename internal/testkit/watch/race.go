//go:build race

package watch

// Race reports whether the race detector is on.
const Race = true
