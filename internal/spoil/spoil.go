// Package spoil damages texts as disks and networks do. It is for tests.
package spoil

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
)

// Long reports whether tests of faults take their long form, which MPCVM_FAULTS asks
// for: more damage, and limits of time that a busy machine may miss.
func Long() bool { return os.Getenv("MPCVM_FAULTS") != "" }

// Each calls f with text cut short at each of its bytes, then, so many times, with one bit
// of it turned or, every tenth time, with up to eight; how says what was done. The damage
// is the same each time. f may change what it is given.
func Each(text []byte, flips int, f func(how string, spoilt []byte)) {
	for n := range text {
		f(fmt.Sprintf("cut after %d bytes", n), slices.Clone(text[:n]))
	}
	r := rand.New(rand.NewPCG(uint64(len(text)), 1))
	for i := range flips {
		spoilt, times := slices.Clone(text), 1
		if i%10 == 9 {
			times = 1 + r.IntN(8)
		}
		how := "bits turned:"
		for range times {
			bit := r.IntN(8 * len(text))
			spoilt[bit/8] ^= 1 << (bit % 8)
			how += fmt.Sprintf(" %d of byte %d", bit%8, bit/8)
		}
		f(how, spoilt)
	}
}
