package cell_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/internal/cell"
)

// Texts that a spreadsheet would run get a quote; numbers and other texts do not.
func TestSafe(t *testing.T) {
	for text, want := range map[string]string{"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "-x": "'-x",
		"+1 (800)": "'+1 (800)", "\t=1": "'\t=1", "-1.5e-7": "-1.5e-7", "+3 %": "+3 %", "a=b": "a=b", "": ""} {
		if got := cell.Safe(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
