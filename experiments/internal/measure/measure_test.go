//go:build unix

package measure

import "testing"

// TestRepeat checks that work is repeated until the time is used, and that the mean is returned.
func TestRepeat(t *testing.T) {
	runs := 0
	spend := func() error {
		runs++
		for start := CPU(); CPU() < start+0.005; {
		}
		return nil
	}
	if took, err := Repeat(0, spend); err != nil || runs != 1 || took.CPU < 0.005 {
		t.Errorf("%d runs, %+v, %v", runs, took, err)
	}
	runs = 0
	if took, err := Repeat(0.05, spend); err != nil || runs < 2 || took.CPU < 0.005 {
		t.Errorf("%d runs, %+v, %v", runs, took, err)
	}
}

// TestPeak checks that the peak grows with allocations.
func TestPeak(t *testing.T) {
	before := Peak()
	memory := make([]byte, 64<<20)
	for i := range memory {
		memory[i] = 1
	}
	if after := Peak(); before < 1<<20 || after < 64<<20 || memory[1] != 1 {
		t.Errorf("%g, then %g bytes", before, after)
	}
}
