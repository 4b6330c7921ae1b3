package chart

import (
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
)

// TestPacked checks that packed code and the embedded ECharts can be unpacked.
func TestPacked(t *testing.T) {
	for _, code := range []string{"", "a", strings.Repeat("show(\"é\");", 500)} {
		if got := drawn.Unfold(Packed(code)); got != code {
			t.Errorf("%.20q comes back as %.20q", code, got)
		}
	}
	if !strings.Contains(unzipped(echartsGzip), "6.1.0") {
		t.Error("the embedded ECharts is not of version 6.1.0")
	}
}
