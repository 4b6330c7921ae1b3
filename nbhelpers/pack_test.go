package nbhelpers

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

// unfold is the way back from packed.
func unfold(text string) string {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return unzipped(b)
}

// unfolded is HTML with the packed code in its scripts unpacked.
func unfolded(html string) string {
	return regexp.MustCompile(`\.push\("([^"]*)"\)`).ReplaceAllStringFunc(html, func(s string) string {
		return unfold(s[len(`.push("`) : len(s)-len(`")`)])
	})
}

// TestPacked: packed code comes back, and so does the embedded ECharts.
func TestPacked(t *testing.T) {
	for _, code := range []string{"", "a", strings.Repeat("show(\"é\");", 500)} {
		if got := unfold(packed(code)); got != code {
			t.Errorf("%.20q comes back as %.20q", code, got)
		}
	}
	if !strings.Contains(unzipped(echartsGzip), "6.1.0") {
		t.Error("the embedded ECharts is not of version 6.1.0")
	}
}
