// Package spoil damages texts as disks and networks do. It is for tests.
package spoil

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
)

// Long reports whether the environment variable MPCVM_FAULTS requests the long form of fault tests,
// with more damage.
func Long() bool { return os.Getenv("MPCVM_FAULTS") != "" }

// Each calls f with text truncated after each number of its bytes, then flips times with one bit
// flipped or, every tenth time, with up to eight; how describes the damage, which is the same in
// every run. f may change its argument.
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
		how := "bits flipped:"
		for range times {
			bit := r.IntN(8 * len(text))
			spoilt[bit/8] ^= 1 << (bit % 8)
			how += fmt.Sprintf(" %d of byte %d", bit%8, bit/8)
		}
		f(how, spoilt)
	}
}
