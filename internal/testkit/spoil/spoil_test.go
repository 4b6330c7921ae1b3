package spoil

import (
	"bytes"
	"math/bits"
	"testing"
)

func TestEach(t *testing.T) {
	text, cuts, flips := []byte("some text"), 0, 0
	Each(text, 100, func(how string, spoilt []byte) {
		if len(spoilt) < len(text) {
			if cuts++; !bytes.HasPrefix(text, spoilt) {
				t.Errorf("%s: %q", how, spoilt)
			}
			return
		}
		turned := 0
		for i := range text {
			turned += bits.OnesCount8(spoilt[i] ^ text[i])
		}
		if flips++; turned > 8 || turned > 1 && flips%10 != 0 || turned == 0 && flips%10 != 0 {
			t.Errorf("%s: %d bits", how, turned)
		}
	})
	if cuts != len(text) || flips != 100 {
		t.Errorf("%d cuts, %d flips", cuts, flips)
	}
}
